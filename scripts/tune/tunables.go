package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"tesla/bestfirst"
	"tesla/search/treesearch"
)

// searches are the searches that declare tunables.
var searches = []struct {
	name string
	all  []treesearch.Tunable
}{
	{"bestfirst", treesearch.Tunables(&bestfirst.Tuning{})},
	{"puct", treesearch.Tunables(&bestfirst.PUCT{})},
}

// tunable is a tunable of a player's search; nil where it has none of that name.
func tunable(player, name string) *treesearch.Tunable {
	search := "" // the default has none: the backend decides which search it is
	for _, key := range strings.Split(player, ",") {
		if k, v, _ := strings.Cut(key, "="); strings.EqualFold(k, "search") || strings.EqualFold(k, "option.Search") {
			search = v
		}
	}
	for _, s := range searches {
		for i := range s.all {
			if s.name == search && strings.EqualFold(s.all[i].Name, name) {
				return &s.all[i]
			}
		}
	}
	return nil
}

// list writes what is declared of all tunables.
func list(to io.Writer) {
	out := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, s := range searches {
		fmt.Fprintf(out, "%s\tplain\tdeepened\tmost\tstep\t\n", s.name)
		for _, t := range s.all {
			fmt.Fprintf(out, "  %s\t%s\t%s\t%v\t%v\t%s\n", t.Name, t.Defaults[treesearch.Plain], t.Defaults[treesearch.Deepened], t.Max, t.Step, t.Text)
		}
	}
	out.Flush()
}
