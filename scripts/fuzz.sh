#!/usr/bin/env bash
# Runs each fuzz target for a while.
#
#   scripts/fuzz.sh [TIME]        default: 30s
#
# By default go test spends up to a minute on making one interesting input smaller, and finds many of those. For large
# inputs, such as files of nets and tables, that is all the time there is. A hundred executions are enough.
set -euo pipefail
cd "$(dirname "$0")/.."
go list -f '{{.Dir}} {{.ImportPath}}' ./... | while read -r dir package; do
	{ sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$dir"/*_test.go 2>/dev/null || true; } | while read -r target; do
		echo "$package $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "${1:-30s}" -fuzzminimizetime 100x "$package" </dev/null
	done
done
