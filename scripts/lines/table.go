package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"tesla/search/sure"
)

// distinct is the least difference of two moves, in the judge's points, that the lines are asked to order.
const distinct = 0.03

// measured is a sum and what it is divided by, of one position.
type measured struct{ sum, of float64 }

// results are the loss of the first move; the mean loss of all lines against as many of the judge's best; the pairs of lines in
// order; and the error of the scores. Each is by position.
type results [4][]measured

// add measures the lines of a search by the judge's scores.
func (r *results) add(lines []Line, scores map[string]int) {
	var first, all, order, off measured
	var best, got []float64
	for _, cp := range scores {
		best = append(best, sure.Points(cp))
	}
	slices.SortFunc(best, func(a, b float64) int { return cmp.Compare(b, a) })
	for i, l := range lines {
		is := sure.Points(scores[l.Move])
		first.of, all.of, off.of = 1, 1, off.of+1
		all.sum += (best[i] - is) / float64(len(lines))
		off.sum += math.Abs(sure.Points(l.CP) - is)
		for _, above := range got {
			if math.Abs(above-is) >= distinct {
				order.of++
				if above > is {
					order.sum++
				}
			}
		}
		got = append(got, is)
	}
	if len(got) > 0 {
		first.sum = best[0] - got[0]
	}
	for i, m := range []measured{first, all, order, off} {
		r[i] = append(r[i], m)
	}
}

// ratio is the sum of all sums by what they are divided by, and by how much it errs where only one position does.
func ratio(all []measured) (value float64, errs []float64) {
	var t measured
	for _, m := range all {
		t.sum, t.of = t.sum+m.sum, t.of+m.of
	}
	for _, m := range all {
		errs = append(errs, (m.sum-t.sum/t.of*m.of)/t.of)
	}
	return t.sum / t.of, errs
}

// less is the ratio a less the ratio b of the same positions, and half of its 95 % interval. Where b is nil it is the ratio a.
func less(a, b []measured) (value, half float64) {
	value, errs := ratio(a)
	other, others := ratio(b)
	squares, n := 0.0, float64(len(a))
	for i, e := range errs {
		if b != nil {
			e -= others[i]
		}
		squares += e * e
	}
	if b != nil {
		value -= other
	}
	return value, 1.96 * math.Sqrt(squares*n/(n-1))
}

// printTable prints a row for each seat; the first of so many with the same MultiPV is what the others are compared with.
func printTable(out io.Writer, seats []*seat, players int) {
	fmt.Fprintf(out, "%d positions; means with 95 %% intervals, in brackets less %s. Losses and errors are in thousandths of a point.\n\n",
		len(seats[0].found[0]), seats[0].name)
	fmt.Fprintln(out, "| MultiPV | player | first move loses | lines lose | pairs in order, % | error of scores |\n|---|---|---|---|---|---|")
	for i, s := range seats {
		fmt.Fprintf(out, "| %d | %s |", s.lines, s.name)
		for k, factor := range [len(results{})]float64{1000, 1000, 100, 1000} {
			value, half := less(s.found[k], nil)
			if math.IsNaN(value) { // one line has no pairs
				fmt.Fprint(out, " |")
				continue
			}
			fmt.Fprintf(out, " %.1f ± %.1f", factor*value, factor*half)
			if base := seats[i-i%players]; base != s {
				value, half = less(s.found[k], base.found[k])
				fmt.Fprintf(out, " (%+.1f ± %.1f)", factor*value, factor*half)
			}
			fmt.Fprint(out, " |")
		}
		fmt.Fprintln(out)
	}
}
