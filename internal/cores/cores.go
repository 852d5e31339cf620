// Package cores binds threads to cores, and says which cores are near which memory. Its invariant: no thread gets a
// core that the process may not use, and a thread that was bound gets back the cores it had.
package cores

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// folder is where Linux describes the memory nodes.
const folder = "/sys/devices/system/node"

// Places are the cores for each of a number of threads on this machine: those of one memory node after the other. It is
// nil, and the system decides, where all allowed cores belong to one node, and where the threads have room in one: there
// they are nearer to each other and to a common table.
func Places(threads int) [][]int { return places(nodes(folder, Allowed()), threads) }

func places(nodes [][]int, threads int) (all [][]int) {
	if len(nodes) < 2 || threads <= len(slices.MaxFunc(nodes, func(a, b []int) int { return cmp.Compare(len(a), len(b)) })) {
		return nil
	}
	for i := range threads {
		all = append(all, nodes[i%len(nodes)])
	}
	return all
}

// nodes are the allowed cores by memory node, in order of the nodes' numbers. Nodes that have none are left out: their
// cores are offline or not allowed, or they are memory alone. dir has a folder node0, node1, .. for each.
func nodes(dir string, allowed []int) (all [][]int) {
	files, _ := filepath.Glob(filepath.Join(dir, "node[0-9]*", "cpulist")) // the pattern is right
	number := func(file string) int {
		n, _ := strconv.Atoi(strings.TrimPrefix(filepath.Base(filepath.Dir(file)), "node"))
		return n
	}
	slices.SortFunc(files, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil
		}
		var own []int
		for _, c := range allowed {
			if listed(string(text), c) {
				own = append(own, c)
			}
		}
		if len(own) > 0 {
			all = append(all, own)
		}
	}
	return all
}

// listed reports whether a list such as "0-3,8,10-11" has a core.
func listed(list string, core int) bool {
	for part := range strings.SplitSeq(strings.TrimSpace(list), ",") {
		low, high, isRange := strings.Cut(part, "-")
		first, err := strconv.Atoi(low)
		last := first
		if isRange && err == nil {
			last, err = strconv.Atoi(high)
		}
		if err == nil && first <= core && core <= last {
			return true
		}
	}
	return false
}

// counted are the cores by number, for systems that do not tell which of them this process may use.
func counted() []int {
	cores := make([]int, runtime.NumCPU())
	for i := range cores {
		cores[i] = i
	}
	return cores
}
