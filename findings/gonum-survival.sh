#!/usr/bin/env bash
# Survival of gonum's distributions, the probability of the upper tail, is precise for some and 1 - CDF for others,
# and nothing says for which. For the normal distribution it is 0 beyond 8.3 standard deviations, though CDF(-x) knows
# the value; for the binomial distribution it is 1e-16 where 2e-86 is right, for the Poisson distribution 0 for 1e-56.
# It bites who judges matches, workers or tests of nets by such tails: likelihoods of superiority, bounds for many
# comparisons, or their logarithms, which become -Inf. Ask the lower tail of the mirrored question instead.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

modules gonum.org/v1/gonum@v0.17.0
build <<'GO'
package main

import (
	"fmt"

	"gonum.org/v1/gonum/stat/distuv"
)

func main() {
	normal := distuv.UnitNormal
	fmt.Printf("%.2e, mirrored %.2e\n", normal.Survival(10), normal.CDF(-10))
	half := distuv.Binomial{N: 1000, P: 0.5} // more than 800 heads, or fewer than 200 tails: 199 or fewer
	fmt.Printf("%.1e, mirrored %.1e\n", half.Survival(800), half.CDF(199))
	few := distuv.Poisson{Lambda: 3}
	fmt.Printf("%.1e, next value alone %.1e\n", few.Survival(60), few.Prob(61))
	fmt.Printf("%.2e\n", distuv.ChiSquared{K: 1}.Survival(100)) // of the square of a normal variable: twice the first
	fmt.Printf("%.2e\n", distuv.Beta{Alpha: 2, Beta: 50}.Survival(0.9))
}
GO
"$work/go/finding" >"$work/said"
said() { sed -n "$1p" "$work/said"; }
expect 'normal, above 10' '0.00e+00, mirrored 7.62e-24' "$(said 1)"
expect 'binomial, above 800 of 1000' '1.1e-16, mirrored 2.0e-86' "$(said 2)"
expect 'Poisson, mean 3, above 60' '0.0e+00, next value alone 1.2e-56' "$(said 3)"
expect 'chi squared, above 100, precise' 1.52e-23 "$(said 4)"
expect 'beta, precise' 4.60e-49 "$(said 5)"
finish
