package suite

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"
)

// Print writes what each searcher made of each record, and the sums.
func (r *Result) Print(to io.Writer) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "position")
	for i := range r.Searches {
		fmt.Fprintf(w, "\t%s", r.Searches[i].Search)
	}
	for k := range r.Positions {
		fmt.Fprintf(w, "\n%s", r.Searches[0].Records[k].ID)
		for i := range r.Searches {
			fmt.Fprintf(w, "\t%s", r.cell(&r.Searches[i].Records[k]))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(to, "\n\n%d positions, %s each, at most %d points. More solved is better, and in less of the limit.\n\n",
		r.Positions, r.amount(r.Limit), r.Most)
	w = tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "search\tsolved\t%\tpoints\t")
	for _, s := range r.Steps {
		fmt.Fprintf(w, "%s\t", r.amount(s))
	}
	groups := r.distinctGroups()
	for _, g := range groups {
		fmt.Fprintf(w, "%s\t", g)
	}
	fmt.Fprintln(w)
	for i := range r.Searches {
		s := &r.Searches[i]
		fmt.Fprintf(w, "%s\t%d\t%.1f\t%d\t", s.Search, s.Solved, 100*float64(s.Solved)/float64(r.Positions), s.Points)
		for _, n := range s.Over {
			fmt.Fprintf(w, "%d\t", n)
		}
		for _, g := range groups {
			fmt.Fprintf(w, "%s\t", r.solvedOf(s, g))
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprint(w, "\na position took\ttime\tnodes\tevals\t\n")
	for i := range r.Searches {
		s, n := &r.Searches[i], int64(r.Positions)
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t\n", s.Search, duration(s.Seconds/float64(n)), s.Nodes/n, s.Evals/n)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for i := range r.Searches {
		if stated, claimed, solved := r.Searches[i].sureness(); stated > 0 {
			fmt.Fprintf(to, "\n%s said of %d positions how sure it was at the end: P(best) %.2f on average, %.2f of them solved\n",
				r.Searches[i].Search, stated, claimed, solved)
		}
	}
	return nil
}

// sureness is of how many records the search said how sure it was, what it claimed on average, and the share of them that
// it solved.
func (s *Standing) sureness() (stated int, claimed, solved float64) {
	for i := range s.Records {
		a := &s.Records[i]
		if a.Sure == 0 {
			continue
		}
		stated++
		claimed += a.Sure
		if a.Solved {
			solved++
		}
	}
	n := float64(max(1, stated))
	return stated, claimed / n, solved / n
}

// distinctGroups are the groups of the records, nothing where all are of one.
func (r *Result) distinctGroups() (groups []string) {
	for _, g := range r.groups {
		if !slices.Contains(groups, g) {
			groups = append(groups, g)
		}
	}
	if len(groups) == 1 {
		return nil
	}
	return groups
}

// solvedOf is the number of records of a group that were solved, of all of them.
func (r *Result) solvedOf(s *Standing, group string) string {
	solved, all := 0, 0
	for k := range s.Records {
		if r.groups[k] == group {
			all++
			if s.Records[k].Solved {
				solved++
			}
		}
	}
	return fmt.Sprintf("%d/%d", solved, all)
}

// cell is a record in the table: what its solution took, or the move that was played instead.
func (r *Result) cell(a *Attempt) string {
	if !a.Solved {
		return "- " + a.Move
	}
	return r.amount(a.cost(r.Unit))
}

// amount is a part of the limit in words.
func (r *Result) amount(x float64) string {
	if r.Unit != "seconds" {
		return strconv.FormatFloat(x, 'f', 0, 64) + " " + r.Unit
	}
	return duration(x)
}

func duration(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Millisecond).String()
}
