#!/usr/bin/env bash
# gonum's mathext.RegIncBeta stops its continued fraction after 300 terms, near enough or not, and its inverse fails in
# the tail. So the distribution function of a large binomial is wrong in the middle. Of 1e8 throws of a coin at most a
# half are heads with 0.360, of 1e9 with -0.562, where a little over 0.5 would be right; and fewer heads are more probable
# than that. Beta and F are wrong alike: the middle of a symmetric beta distribution should give 0.5. The quantile of
# Student's t with 30,000 degrees of freedom or more is off in the tail: for 1e-7 it is -44.7, where the normal
# distribution has -5.2. Its distribution function is right there, and at 10,000 degrees so is its quantile.
# It bites who tests counts of many positions, or asks for the bound of an error in ten million.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

modules gonum.org/v1/gonum@v0.17.0
build <<'GO'
package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

func main() {
	for _, n := range []float64{1e6, 1e7, 1e8, 1e9} {
		coin := distuv.Binomial{N: n, P: 0.5}
		fewer := n/2 - math.Floor(math.Sqrt(n)/100)
		fmt.Printf("binomial %.0e: middle %.3f right %.3f fewer %.3f\n", n, coin.CDF(n/2), 0.5+coin.Prob(n/2)/2, coin.CDF(fewer))
		fmt.Printf("beta %.0e: %.3f F %.3f\n", n, distuv.Beta{Alpha: n, Beta: n}.CDF(0.5), distuv.F{D1: n, D2: n}.CDF(1))
	}
	for _, nu := range []float64{1e4, 3e4, 1e6} {
		t := distuv.StudentsT{Sigma: 1, Nu: nu}
		low, near := t.Quantile(1e-7), distuv.UnitNormal.Quantile(1e-7)
		fmt.Printf("t %.0e: quantile %.2f normal %.2f probability there %.1e, at -5.2 %.1e\n", nu, low, near, t.CDF(low), t.CDF(-5.2))
	}
}
GO
"$work/go/finding" >"$work/said"
said() { sed -n "s/^$1: //p" "$work/said"; }
echo 'binomial: probability of at most a half of the throws, and of a few fewer'
expect '1e6 throws' 'middle 0.500 right 0.500 fewer 0.492' "$(said 'binomial 1e+06')"
expect '1e7 throws' 'middle 0.499 right 0.500 fewer 0.493' "$(said 'binomial 1e+07')"
expect '1e8 throws' 'middle 0.360 right 0.500 fewer 0.558' "$(said 'binomial 1e+08')"
expect '1e9 throws' 'middle -0.562 right 0.500 fewer 0.840' "$(said 'binomial 1e+09')"
echo 'beta and F with equal parameters: probability of at most the middle'
expect '1e6' '0.500 F 0.500' "$(said 'beta 1e+06')"
expect '1e8' '0.794 F 0.640' "$(said 'beta 1e+08')"
echo "Student's t: quantile of 1e-7"
expect '10,000 degrees' 'quantile -5.20 normal -5.20 probability there 1.0e-07, at -5.2 1.0e-07' "$(said 't 1e+04')"
expect '30,000 degrees' 'quantile -44.73 normal -5.20 probability there 0.0e+00, at -5.2 1.0e-07' "$(said 't 3e+04')"
expect '1,000,000 degrees' 'quantile -258.20 normal -5.20 probability there 0.0e+00, at -5.2 1.0e-07' "$(said 't 1e+06')"
finish
