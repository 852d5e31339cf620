#!/usr/bin/env bash
# How large the program is: lines of Go, tests, words of the docs, options, flags and imports between packages.
#
#     scripts/size.sh
set -euo pipefail
cd "$(dirname "$0")/.."
go build -buildvcs=false -o build/tesla-size ./cmd/tesla
row() { printf '%-52s %8d\n' "$@"; }
lines() { xargs -0 cat | wc -l; }
generated() { git ls-files -z '*.go' | xargs -0 grep -lZ '^// Code generated' || true; }
generated >build/generated
plain() { git ls-files -z "$@" | grep -zvxFf <(tr '\0' '\n' <build/generated) || true; }
# help [COMMAND ..]: the help of a command.
help() { build/tesla-size "$@" --help 2>&1; }

row "lines of Go, without tests and generated code" "$(plain '*.go' ':!*_test.go' | lines)"
row "of these comments and blank lines" "$(plain '*.go' ':!*_test.go' | xargs -0 cat | grep -cE '^\s*(//.*)?$')"
row "lines of tests in Go" "$(git ls-files -z '*_test.go' | lines)"
row "tests" "$(git ls-files -z '*_test.go' | xargs -0 grep -hE '^func (Test|Fuzz|Example)' | grep -cv TestMain)"
row "lines of scripts in shell, Python and C" "$(git ls-files -z '*.sh' '*.py' '*.c' | lines)"
row "words of documentation" "$(git ls-files -z '*.md' ':!docs/log' | xargs -0 cat | wc -w)"
row "words of records" "$(git ls-files -z 'docs/log' | xargs -0 cat | wc -w)"
row "UCI options" "$(printf 'uci\nquit\n' | build/tesla-size | grep -c '^option name')"
words=0
for search in bestfirst puct lazysmp treemachine; do
	known=$({ build/tesla-size bench --search "$search" --search-options '?' 2>&1 || true; } | sed -n 's/.*the options are //p' | tr ',' '\n' | grep -c .)
	words=$((words + known))
done
row "words of SearchOptions" "$words"
flags=0
# commands [COMMAND]: those of the program, or below a command.
commands() { help "$@" | sed -n 's/^  \([a-z]\{3,\}\) \+[a-z].*/\1/p' | grep -vx -e help -e tesla || true; }
for command in $(commands); do
	for line in "$command" $(commands "$command" | sed "s/^/$command:/"); do
		# shellcheck disable=SC2086 # two words: a command below another
		flags=$((flags + $(help ${line/:/ } | grep -cE '^ +(-[a-z], )?--[a-z]' || true)))
	done
done
row "flags of the commands" "$flags"
row "imports between packages" "$(go list -f '{{range .Imports}}{{println .}}{{end}}' ./... | grep -c '^tesla')"
