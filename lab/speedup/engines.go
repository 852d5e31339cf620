package speedup

import (
	"runtime"
	"slices"
	"strings"

	"tesla/engine"
	"tesla/search"
	"tesla/search/alphabeta"
)

// Drivers are the searchers that can be measured. most is the largest number of threads that will be asked for: the Go
// scheduler is the same for all searches.
func Drivers(set engine.Settings, most int) []Driver {
	open := func(set engine.Settings, name string, threads int) (search.Searcher, error) {
		set.Search, set.Threads = name, threads
		s, _, err := engine.Open(set)
		runtime.GOMAXPROCS(max(runtime.NumCPU(), most+2))
		if err != nil {
			return nil, err
		}
		return s, nil
	}
	drivers := []Driver{{
		Name:         "bestfirst",
		Unit:         Evals,
		Open:         func(threads int) (search.Searcher, error) { return open(set, "bestfirst", threads) },
		Baseline:     func() (search.Searcher, error) { return open(set, "bestfirst", 1) },
		BaselineName: "bestfirst with one thread",
		Own:          true,
		Note:         "threads are the backend's: the promoter is one thread beside them, and mock computes on one whatever is asked",
	}}
	for _, name := range alphabeta.Names {
		drivers = append(drivers, Driver{
			Name:         name,
			Unit:         Depth,
			Open:         func(threads int) (search.Searcher, error) { return open(set, name, threads) },
			Baseline:     func() (search.Searcher, error) { return open(set, "lazysmp", 1) },
			BaselineName: "plain PVS of the same core",
		})
	}
	split, alone := set, set
	split.SearchOptions += " pvsplit=on"
	alone.SearchOptions = ""
	if slices.ContainsFunc(strings.Fields(set.SearchOptions), func(word string) bool {
		return strings.EqualFold(word, "plain") || strings.EqualFold(word, "plain=on")
	}) {
		alone.SearchOptions = "plain"
	}
	return append(drivers, Driver{
		Name:         "treemachine",
		Unit:         Depth,
		Open:         func(threads int) (search.Searcher, error) { return open(split, "treemachine", threads) },
		Baseline:     func() (search.Searcher, error) { return open(alone, "lazysmp", 1) },
		BaselineName: "plain PVS of the same core",
		Note:         "threads are processes that search; the method is principal variation splitting, and the messages are those of the root",
	})
}
