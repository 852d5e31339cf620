package uci

import (
	"fmt"

	"tesla/search"
)

// treeKeeper is a searcher whose tree can be kept in a file.
type treeKeeper interface {
	SaveTree(path string) (nodes int, err error)
	LoadTree(path string) (nodes int, root string, err error)
}

// save obeys the option SaveTree: it writes the tree of the last search, and forgets the name.
func (s *session) save() {
	path := s.prefs.saveTree
	s.prefs.saveTree = ""
	if path == "" {
		return
	}
	keeper, ok := search.As[treeKeeper](s.searcher)
	switch {
	case s.searcher == nil:
		s.fail("option SaveTree: nothing was searched yet")
	case !ok:
		s.fail("option SaveTree: this search keeps no tree that can be saved; bestfirst and puct do")
	default:
		nodes, err := keeper.SaveTree(path)
		if err != nil {
			s.fail("option SaveTree: %v", err)
			return
		}
		s.tell(fmt.Sprintf("a tree of %d nodes saved in %s", nodes, path))
	}
}

// load obeys the option LoadTree for a searcher, on the job's goroutine. The note is for the user.
func load(path string, searcher search.Searcher) (note string) {
	keeper, ok := search.As[treeKeeper](searcher)
	if !ok {
		return "error: option LoadTree: this search keeps no tree that can be loaded; bestfirst and puct do"
	}
	nodes, root, err := keeper.LoadTree(path)
	if err != nil {
		return fmt.Sprintf("error: option LoadTree: %v", err)
	}
	return fmt.Sprintf("a tree of %d nodes loaded from %s, for %s", nodes, path, root)
}
