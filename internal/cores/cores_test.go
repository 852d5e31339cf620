package cores

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// topology makes a folder of memory nodes with lists of cores, as Linux has it.
func topology(t *testing.T, lists map[int]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "online"), []byte("0-1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for n, list := range lists {
		node := filepath.Join(dir, fmt.Sprint("node", n))
		if err := os.Mkdir(node, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(node, "cpulist"), []byte(list+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Threads go over the nodes in turn, on cores that are there and allowed.
func TestPlaces(t *testing.T) {
	two := map[int]string{0: "0-1,4-5", 1: "2-3,6-7"}
	for name, c := range map[string]struct {
		lists   map[int]string
		allowed []int
		threads int
		want    [][]int
	}{
		"two nodes":            {two, []int{0, 1, 2, 3, 4, 5, 6, 7}, 5, [][]int{{0, 1, 4, 5}, {2, 3, 6, 7}, {0, 1, 4, 5}, {2, 3, 6, 7}, {0, 1, 4, 5}}},
		"room in one node":     {two, []int{0, 1, 2, 3, 4, 5, 6, 7}, 4, nil},
		"offline cores":        {two, []int{0, 2, 3, 6}, 4, [][]int{{0}, {2, 3, 6}, {0}, {2, 3, 6}}},
		"a node offline":       {two, []int{2, 3, 6, 7}, 8, nil},
		"a cpuset":             {two, []int{5, 7}, 2, [][]int{{5}, {7}}},
		"a cpuset in one node": {two, []int{0, 4}, 3, nil},
		"one node":             {map[int]string{0: "0-7"}, []int{0, 1, 2, 3, 4, 5, 6, 7}, 16, nil},
		"memory alone":         {map[int]string{0: "0-3", 1: ""}, []int{0, 1, 2, 3}, 8, nil},
		"in order of numbers":  {map[int]string{10: "1", 2: "0"}, []int{0, 1}, 3, [][]int{{0}, {1}, {0}}},
		"no list":              {map[int]string{0: "0,x-3", 1: "many", 2: "-"}, []int{0, 1, 2, 3}, 8, nil},
		"no nodes":             {nil, []int{0, 1}, 8, nil},
	} {
		got := places(nodes(topology(t, c.lists), c.allowed), c.threads)
		if !slices.EqualFunc(got, c.want, slices.Equal) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// A thread that was bound gets back its cores, and none that are not there.
func TestPin(t *testing.T) {
	if !CanPin {
		t.Skip("not on this system")
	}
	before := Allowed()
	for _, c := range before[:min(2, len(before))] {
		release, err := Pin([]int{c})
		if err != nil {
			t.Fatal(err)
		}
		if got := Allowed(); !slices.Equal(got, []int{c}) {
			t.Errorf("pinned to %d: %v", c, got)
		}
		release()
	}
	if _, err := Pin([]int{1023}); err == nil {
		t.Error("pinned to a core that is not there")
	}
	if after := Allowed(); !slices.Equal(after, before) {
		t.Errorf("cores %v now, before %v", after, before)
	}
}
