#!/usr/bin/env bash
# gonum's stat.Kendall is said to be Kendall's tau-a, where a pair with equal numbers counts for nothing. It compares
# the sign bits of the differences, so a tie counts as "not falling": as concordant or as discordant, by the order in
# which the pairs stand. A constant has a correlation of 1, -1 or anything between with what it is compared with, and
# the same pairs in another order have another correlation. Without ties it is right, also by weights.
# It bites who ranks evaluations against results of games, which are 0, a half or 1: sorted by evaluation the correlation
# comes out too high, sorted the other way too low.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

modules gonum.org/v1/gonum@v0.17.0
build <<'GO'
package main

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// show prints the correlation of pairs as they stand, sorted by the first number, and sorted the other way.
func show(name string, pairs ...[2]float64) {
	rising := func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) }
	fmt.Printf("%s: %.3f", name, kendall(pairs))
	slices.SortFunc(pairs, rising)
	fmt.Printf(" %.3f", kendall(pairs))
	slices.Reverse(pairs)
	fmt.Printf(" %.3f tau-a %.3f\n", kendall(pairs), tau(pairs))
}

func kendall(pairs [][2]float64) float64 {
	x, y, weights := make([]float64, len(pairs)), make([]float64, len(pairs)), make([]float64, len(pairs))
	for i, p := range pairs {
		x[i], y[i], weights[i] = p[0], p[1], 1
	}
	plain, weighted := stat.Kendall(x, y, nil), stat.Kendall(x, y, weights)
	if plain != weighted {
		fmt.Print("weights differ ")
	}
	return plain
}

// tau is tau-a by its definition: concordant less discordant pairs, of all pairs.
func tau(pairs [][2]float64) float64 {
	var sum, all int
	for i, p := range pairs {
		for _, q := range pairs[:i] {
			sum += cmp.Compare(p[0], q[0]) * cmp.Compare(p[1], q[1])
			all++
		}
	}
	return float64(sum) / float64(all)
}

func main() {
	show("no ties", [2]float64{30, 0.2}, [2]float64{-80, 0}, [2]float64{120, 1}, [2]float64{10, 0.5}, [2]float64{-20, 0.1})
	show("results", [2]float64{30, 0.5}, [2]float64{-80, 0}, [2]float64{120, 1}, [2]float64{10, 0.5}, [2]float64{-20, 0.5})
	show("draws", [2]float64{30, 0.5}, [2]float64{-80, 0.5}, [2]float64{120, 0.5}, [2]float64{10, 0.5}, [2]float64{-20, 0.5})
}
GO
"$work/go/finding" >"$work/said"
said() { sed -n "s/^$1: //p" "$work/said"; }
echo 'correlation of evaluations and results: in the order of the games, sorted by evaluation, the other way; tau-a'
expect 'five results without ties' '0.800 0.800 0.800 tau-a 0.800' "$(said 'no ties')"
expect 'a loss, three draws, a win' '0.400 1.000 0.400 tau-a 0.700' "$(said results)"
expect 'five draws' '-0.200 1.000 -1.000 tau-a 0.000' "$(said draws)"
finish
