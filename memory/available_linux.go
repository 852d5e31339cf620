package memory

import (
	"bufio"
	"bytes"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

// Available is the number of bytes that new allocations may take without swapping: MemAvailable of the kernel, or less
// if a control group limits the process. known is false if the kernel does not say.
func Available() (available int64, known bool) {
	available, known = statField("/proc/meminfo", "MemAvailable:", 1<<10)
	if left, limited := groupMemory("/sys/fs/cgroup", groupPath("/proc/self/cgroup")); limited && (!known || left < available) {
		return left, true
	}
	return available, known
}

// groupMemory is the least number of bytes that a control group leaves its processes, among group (version 2) and those
// above it, in the file system at root: the limit less what is used. File cache that the kernel can drop does not count
// as used. Version 1 shows its limit in one place.
func groupMemory(root, group string) (left int64, limited bool) {
	left = math.MaxInt64
	note := func(limit, used, cache int64) {
		left, limited = min(left, max(0, limit-max(0, used-cache))), true
	}
	for ; ; group = path.Dir(group) {
		dir := path.Join(root, group)
		limit, ok := numberFile(path.Join(dir, "memory.max"))
		used, ok2 := numberFile(path.Join(dir, "memory.current"))
		if ok && ok2 {
			cache, _ := statField(path.Join(dir, "memory.stat"), "inactive_file", 1)
			note(limit, used, cache)
		}
		if group == "/" {
			break
		}
	}
	limit, ok := numberFile(root + "/memory/memory.limit_in_bytes")
	used, ok2 := numberFile(root + "/memory/memory.usage_in_bytes")
	if ok && ok2 {
		cache, _ := statField(root+"/memory/memory.stat", "total_inactive_file", 1)
		note(limit, used, cache)
	}
	return left, limited
}

// groupPath is the control group (version 2) of a process whose file in /proc is given; "/" if it is unknown.
func groupPath(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return "/"
	}
	for line := range strings.Lines(string(text)) {
		if group, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			return path.Clean("/" + group)
		}
	}
	return "/"
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
