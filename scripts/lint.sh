#!/usr/bin/env bash
# Runs the linters, but not go vet, which `make unit` runs. Those written in Go are tools of scripts/tools/go.mod; shellcheck runs
# where it is installed.
set -euo pipefail
cd "$(dirname "$0")/.."
tool() { go tool -modfile=scripts/tools/go.mod "$@"; }

go mod tidy -diff
go -C scripts/tools mod tidy -diff
tool staticcheck ./...   # its checks: staticcheck.conf
tool go-errorlint ./...  # errors compared by errors.Is, asserted by errors.As, wrapped by %w
files() { find . \( -name build -o -name '.?*' \) -prune -o -type f \( "$@" \) -print0; }
files -name '*.go' -o -name '*.md' -o -name '*.py' -o -name '*.sh' -o -name Makefile | xargs -0 sh -c \
	'exec go tool -modfile=scripts/tools/go.mod misspell -error "$@"' misspell
if command -v shellcheck >/dev/null; then
	files -name '*.sh' | xargs -0 shellcheck .ci/run
else
	echo "lint: shellcheck is not installed: the scripts are not checked"
fi
