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

// Available is what new allocations may take without swapping, in bytes:
// MemAvailable of the kernel, or less where a control group limits the process.
// known is false where the kernel does not say.
func Available() (available int64, known bool) {
	available, known = statField("/proc/meminfo", "MemAvailable:", 1<<10)
	if left, limited := groupMemory(); limited && (!known || left < available) {
		return left, true
	}
	return available, known
}

// groupMemory is the least that the control groups (version 2) above this
// process leave it, in bytes: limit less use, where file cache that can be
// dropped is no use. Version 1 shows its limit in one place.
func groupMemory() (left int64, limited bool) {
	const root = "/sys/fs/cgroup"
	left = math.MaxInt64
	note := func(limit, used, cache int64) {
		left, limited = min(left, max(0, limit-max(0, used-cache))), true
	}
	for group := groupPath(); ; group = path.Dir(group) {
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

// groupPath is the version 2 control group of this process, "/" where unknown.
func groupPath() string {
	text, err := os.ReadFile("/proc/self/cgroup")
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

// numberFile reads a file that holds one number; "max" and errors are not one.
func numberFile(name string) (int64, bool) {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	return n, err == nil
}

// statField reads the number after the given first word of a line, in bytes.
func statField(name, field string, unit int64) (int64, bool) {
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
		n, err := strconv.ParseInt(words[1], 10, 64)
		return n * unit, err == nil
	}
	return 0, false
}
