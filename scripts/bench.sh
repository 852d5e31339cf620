#!/usr/bin/env bash
# Compares the benchmarks of the promoter, the value net and perft with those of another commit, by benchstat.
#
#   scripts/bench.sh [COMMIT]        default: the newest tag, or the commit before this one where there is no tag
#
#   COUNT=6: runs of each benchmark; six are the fewest that benchstat gives a confidence interval for
#
# The commits take turns, so that a change of the machine's clock or load reaches both equally.
set -euo pipefail
cd "$(dirname "$0")/.."
base=${1:-$(git describe --tags --abbrev=0 2>/dev/null || echo HEAD~1)}
base=$(git rev-parse --short "$base^{commit}")
mkdir -p build
build=$PWD/build old=$PWD/build/bench-$base
rm -rf "$old"
trap 'rm -rf "$old"' EXIT
mkdir "$old"
git archive "$base" | tar -x -C "$old"

# A package, the benchmarks of it that count, and how long one runs. The promoter's cost grows with its tree, hence a fixed number.
entries=('bestfirst Mock/roomy 300000x' 'nnue Evaluate|Policy|Incremental 1s' 'board Perft 1s')
for entry in "${entries[@]}"; do
	package=${entry%% *}
	(cd "$old" && go test -c -o "$old/$package.test" "./$package")
	go test -c -o "$build/bench-$package.test" "./$package"
done
: >"$build/bench-old.txt"
: >"$build/bench-new.txt"
for ((run = 0; run < ${COUNT:-6}; run++)); do
	for entry in "${entries[@]}"; do
		read -r package pattern time <<<"$entry"
		flags=(-test.run '^$' -test.bench "$pattern" -test.benchtime "$time")
		(cd "$old/$package" && "$old/$package.test" "${flags[@]}") >>"$build/bench-old.txt"
		(cd "$package" && "$build/bench-$package.test" "${flags[@]}") >>"$build/bench-new.txt"
	done
done
go tool -modfile=scripts/tools/go.mod benchstat "$base=$build/bench-old.txt" "this tree=$build/bench-new.txt"
