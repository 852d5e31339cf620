package memory

import (
	"bufio"
	"bytes"
	"math"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Available is the number of bytes that new allocations may take without swapping: MemAvailable of the kernel, or less
// if a control group limits the process. known is false if the kernel does not say.
func Available() (available int64, known bool) {
	available, known = statField("/proc/meminfo", "MemAvailable:", 1<<10)
	if left, limited := groupMemory("/sys/fs/cgroup", groupPaths("/proc/self/cgroup")); limited && (!known || left < available) {
		return left, true
	}
	return available, known
}

// groups are the control groups of a process. A machine may have both versions at once.
type groups struct{ one, two string }

// files are the names of what a version says of a group's memory, in bytes.
type files struct {
	limits             []string // the least one counts
	used, stat, unused string   // unused is the field of stat for file cache that the kernel can drop
}

var (
	versionOne = files{[]string{"memory.limit_in_bytes"}, "memory.usage_in_bytes", "memory.stat", "total_inactive_file"}
	versionTwo = files{[]string{"memory.max", "memory.high"}, "memory.current", "memory.stat", "inactive_file"}
)

// groupMemory is the least number of bytes that a control group leaves its processes, among the groups and those above
// them, in the file system at root: the limit less what is used. File cache that the kernel can drop does not count as
// used. Version 1 has a folder of its own for memory.
func groupMemory(root string, of groups) (left int64, limited bool) {
	left = min(versionOne.left(path.Join(root, "memory"), of.one), versionTwo.left(root, of.two))
	return left, left < math.MaxInt64
}

// left is what a group and those above it leave. In a container the folder of the group itself may not be there: then
// the mount shows it as its root.
func (f files) left(root, group string) int64 {
	left := int64(math.MaxInt64)
	for ; ; group = path.Dir(group) {
		dir := path.Join(root, group)
		limit := int64(math.MaxInt64)
		for _, name := range f.limits {
			if n, ok := numberFile(path.Join(dir, name)); ok {
				limit = min(limit, n)
			}
		}
		if used, ok := numberFile(path.Join(dir, f.used)); ok && limit < math.MaxInt64 {
			cache, _ := statField(path.Join(dir, f.stat), f.unused, 1)
			left = min(left, max(0, limit-max(0, used-cache)))
		}
		if group == "/" {
			return left
		}
	}
}

// groupPaths are the control groups of a process whose file in /proc is given; "/" if one is unknown. A line of the
// file is "number:controllers:path", with 0 and no controllers for version 2.
func groupPaths(file string) groups {
	of := groups{"/", "/"}
	text, err := os.ReadFile(file)
	if err != nil {
		return of
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 {
			continue
		}
		switch group := path.Clean("/" + fields[2]); {
		case fields[0] == "0" && fields[1] == "":
			of.two = group
		case slices.Contains(strings.Split(fields[1], ","), "memory"):
			of.one = group
		}
	}
	return of
}

// numberFile reads a file that holds one number. ok is false if it holds something else, such as "max", or cannot be
// read.
func numberFile(name string) (n int64, ok bool) {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0, false
	}
	n, err = strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	return n, err == nil
}

// statField reads the number that follows the word field at the beginning of a line, and multiplies it by unit. ok is
// false if there is no such line.
func statField(name, field string, unit int64) (n int64, ok bool) {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0, false
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) < 2 || words[0] != field {
			continue
		}
		n, err = strconv.ParseInt(words[1], 10, 64)
		return n * unit, err == nil
	}
	return 0, false
}
