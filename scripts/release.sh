#!/usr/bin/env bash
# Builds the archives of a release, with their SHA-256 checksums, into build/release:
#
#   scripts/release.sh VERSION [OS/ARCH ...]     without platforms: all five
#
# An archive holds the program, LICENSE, README.md, THIRD_PARTY, the manual pages and completion scripts for shells. The
# programs need no C library and cannot load ONNX Runtime: they evaluate with the net nnue, or on a server (remote).
# VERSION is a semantic version, such as 1.2.0 or 1.2.0-rc.1.
set -euo pipefail
cd "$(dirname "$0")/.."
usage() { sed -n '2,8s/^# \{0,1\}//p' "$0"; }

case ${1-} in
-h | --help) usage; exit 0 ;;
esac
version=${1-}
if ! [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]]; then
	echo "release: \"$version\" is no semantic version" >&2
	usage >&2
	exit 2
fi
shift
platforms=(linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64)
[ $# = 0 ] || platforms=("$@")
scripts/need.sh go tar zip sha256sum

out=build/release
rm -rf "$out"
mkdir -p "$out/common/completion"
export CGO_ENABLED=0
vcs=$(git rev-parse HEAD >/dev/null 2>&1 && echo true || echo false)
build() { GOOS=$1 GOARCH=$2 go build -trimpath -buildvcs="$vcs" -ldflags '-s -w' -o "$3" ./cmd/tesla; }

build "$(go env GOHOSTOS)" "$(go env GOHOSTARCH)" "$out/tesla-host"
"$out/tesla-host" man "$out/common/man"
for shell in bash zsh fish powershell; do
	"$out/tesla-host" completion $shell >"$out/common/completion/tesla.$shell"
done
rm "$out/tesla-host"
go run ./scripts/thirdparty "${platforms[@]}" >"$out/common/THIRD_PARTY"
cp LICENSE README.md "$out/common"

for platform in "${platforms[@]}"; do
	os=${platform%/*} arch=${platform#*/}
	name=tesla-$version-$os-$arch
	cp -r "$out/common" "$out/$name"
	if [ "$os" = windows ]; then
		build "$os" "$arch" "$out/$name/tesla.exe"
		(cd "$out" && zip -qr "$name.zip" "$name")
	else
		build "$os" "$arch" "$out/$name/tesla"
		tar -C "$out" --owner=0 --group=0 --sort=name -czf "$out/$name.tar.gz" "$name"
	fi
	rm -r "${out:?}/$name"
done
rm -r "$out/common"
cd "$out"
sha256sum -- tesla-* >SHA256SUMS
echo "release: $out:"
cat SHA256SUMS
