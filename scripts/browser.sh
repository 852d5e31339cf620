#!/usr/bin/env bash
# Tests the pages of tesla web in Chromium: scripts/browser.sh PROGRAM [flags of go test]
# Without a browser they are skipped, loudly; where TESLA_REQUIRE_BROWSER is set that is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
TESLA=$(realpath "${1:?the program to test}")
shift
for name in "${BROWSER:-}" chromium chromium-browser google-chrome; do
	if [ -n "$name" ] && found=$(command -v "$name"); then
		cd lab/web/browsertest
		export TESLA BROWSER=$found
		exec go test -count=1 "$@" .
	fi
done
echo "############ SKIPPED: no Chromium was found, so the pages of tesla web were not tested. Debian: apt-get install chromium" >&2
[ -z "${TESLA_REQUIRE_BROWSER:-}" ]
