#!/usr/bin/env bash
# Says at once which of the tools that a target needs are missing.
#
#   scripts/need.sh TOOL...
set -euo pipefail
missing=
for tool; do command -v "$tool" >/dev/null || missing+=" $tool"; done
if [ -n "$missing" ]; then
	echo "needed, but not found:$missing (Tesla needs Go 1.26, a C compiler, and npm to fetch ONNX Runtime)" >&2
	exit 1
fi
