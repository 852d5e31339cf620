//go:build !ruler

package alphabeta

import "tesla/search"

// counters count what happens in a search, for the ruler of searches (scripts/alphabeta/ruler). Without the build tag
// ruler they are empty and their methods vanish; counters_ruler.go has the others.
type counters struct{}

func (counters) node()                    {}
func (counters) quiet()                   {}
func (counters) end(string)               {}
func (counters) leave(*node)              {}
func (counters) probe(bool)               {}
func (counters) extend(int)               {}
func (counters) late(int, bool)           {}
func (counters) again(held bool)          {}
func (counters) report(func(search.Info)) {}
