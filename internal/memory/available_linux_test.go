package memory

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// tree writes files below a new folder and returns the folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// The tightest of the control groups above a process is what limits it.
func TestGroupMemory(t *testing.T) {
	for name, test := range map[string]struct {
		files   map[string]string
		group   groups
		left    int64
		limited bool
	}{
		"no limits":  {map[string]string{"a/memory.max": "max\n", "a/memory.current": "5\n"}, two("/a"), math.MaxInt64, false},
		"own limit":  {map[string]string{"a/memory.max": "100\n", "a/memory.current": "30\n"}, two("/a"), 70, true},
		"no use":     {map[string]string{"a/memory.max": "100\n"}, two("/a"), math.MaxInt64, false},
		"over limit": {map[string]string{"a/memory.max": "100\n", "a/memory.current": "130\n"}, two("/a"), 0, true},
		"file cache": {map[string]string{"a/memory.max": "100\n", "a/memory.current": "90\n", "a/memory.stat": "anon 10\ninactive_file 60\n"}, two("/a"), 70, true},
		"much cache": {map[string]string{"a/memory.max": "100\n", "a/memory.current": "50\n", "a/memory.stat": "inactive_file 60\n"}, two("/a"), 100, true},
		"parent": {map[string]string{"a/b/memory.max": "100\n", "a/b/memory.current": "0\n",
			"a/memory.max": "50\n", "a/memory.current": "20\n"}, two("/a/b"), 30, true},
		"root":  {map[string]string{"memory.max": "40\n", "memory.current": "1\n"}, two("/a/b/c"), 39, true},
		"high":  {map[string]string{"a/memory.max": "max\n", "a/memory.high": "80\n", "a/memory.current": "50\n"}, two("/a"), 30, true},
		"low":   {map[string]string{"a/memory.max": "70\n", "a/memory.high": "80\n", "a/memory.current": "50\n"}, two("/a"), 20, true},
		"1 own": {map[string]string{"memory/b/memory.limit_in_bytes": "90\n", "memory/b/memory.usage_in_bytes": "50\n"}, groups{"/b", "/a"}, 40, true},
		"1 parent": {map[string]string{"memory/b/memory.limit_in_bytes": "9223372036854771712\n", "memory/b/memory.usage_in_bytes": "5\n",
			"memory/memory.limit_in_bytes": "70\n", "memory/memory.usage_in_bytes": "50\n"}, groups{"/b", "/"}, 20, true},
		"1 hidden": {map[string]string{"memory/memory.limit_in_bytes": "70\n", "memory/memory.usage_in_bytes": "50\n"}, groups{"/docker/1", "/"}, 20, true},
		"both": {map[string]string{"memory/b/memory.limit_in_bytes": "90\n", "memory/b/memory.usage_in_bytes": "50\n",
			"a/memory.max": "60\n", "a/memory.current": "30\n"}, groups{"/b", "/a"}, 30, true},
		"version 1":      {map[string]string{"memory/memory.limit_in_bytes": "90\n", "memory/memory.usage_in_bytes": "50\n"}, two("/"), 40, true},
		"version 1 full": {map[string]string{"memory/memory.limit_in_bytes": "90\n", "memory/memory.usage_in_bytes": "90\n", "memory/memory.stat": "total_inactive_file 9\n"}, two("/"), 9, true},
	} {
		if left, limited := groupMemory(tree(t, test.files), test.group); left != test.left || limited != test.limited {
			t.Errorf("%s: %d, %v, want %d, %v", name, left, limited, test.left, test.limited)
		}
	}
}

func TestGroupPaths(t *testing.T) {
	root := tree(t, map[string]string{
		"two": "0::/user.slice/tesla.scope\n", "one": "7:cpu:/x\n5:memory:/docker/1\n", "both": "5:hugetlb,memory:/docker/1\n0::/init.scope\n",
		"up": "0::/../../a\n", "colon": "4:memory:/a:b\n", "named": "1:name=memory:/x\n", "empty": "", "torn": "0:\n5:memory",
	})
	for file, want := range map[string]groups{"two": two("/user.slice/tesla.scope"), "one": {"/docker/1", "/"}, "both": {"/docker/1", "/init.scope"},
		"up": two("/a"), "colon": {"/a:b", "/"}, "named": two("/"), "empty": two("/"), "torn": two("/"), "missing": two("/")} {
		if got := groupPaths(filepath.Join(root, file)); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

// two is a group of version 2.
func two(group string) groups { return groups{"/", group} }

func TestReadNumbers(t *testing.T) {
	root := tree(t, map[string]string{"number": " 17\n", "max": "max\n", "info": "MemTotal:  9 kB\nMemAvailable:   3 kB\nBad: x\nEmpty:\n"})
	for file, want := range map[string]int64{"number": 17, "max": -1, "missing": -1} {
		if n, ok := numberFile(filepath.Join(root, file)); ok != (want >= 0) || ok && n != want {
			t.Errorf("%s: %d, %v, want %d", file, n, ok, want)
		}
	}
	info := filepath.Join(root, "info")
	for field, want := range map[string]int64{"MemTotal:": 9216, "MemAvailable:": 3072, "Bad:": -1, "Empty:": -1, "Other:": -1, "Mem": -1} {
		if n, ok := statField(info, field, 1024); ok != (want >= 0) || ok && n != want {
			t.Errorf("%s %d, %v, want %d", field, n, ok, want)
		}
	}
	if _, ok := statField(filepath.Join(root, "missing"), "MemTotal:", 1); ok {
		t.Error("a missing file has a number")
	}
}
