#!/usr/bin/env bash
# Builds the archives of a release, Debian packages for Linux, and their SHA-256 checksums, into build/release:
#
#   scripts/release.sh VERSION [OS/ARCH ...]     without platforms: all five
#
# An archive or package holds the program, LICENSE, README.md, THIRD_PARTY, the manual pages and completion scripts for
# shells. The programs need no C library and cannot load ONNX Runtime: they evaluate with the net nnue, or on a server
# (remote). VERSION is a semantic version, such as 1.2.0 or 1.2.0-rc.1; the programs say it.
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
scripts/need.sh go tar zip sha256sum dpkg-deb

out=build/release
rm -rf "$out"
mkdir -p "$out/common/completion"
export CGO_ENABLED=0
vcs=$(git rev-parse HEAD >/dev/null 2>&1 && echo true || echo false)
build() { GOOS=$1 GOARCH=$2 go build -trimpath -buildvcs="$vcs" -ldflags "-s -w -X tesla/engine.release=$version" -o "$3" ./cmd/tesla; }

build "$(go env GOHOSTOS)" "$(go env GOHOSTARCH)" "$out/tesla-host"
[[ $("$out/tesla-host" version) == "tesla $version, "* ]] || { echo "release: the program does not say its version" >&2; exit 1; }
"$out/tesla-host" man "$out/common/man"
for shell in bash zsh fish powershell; do
	"$out/tesla-host" completion $shell >"$out/common/completion/tesla.$shell"
done
rm "$out/tesla-host"
go run ./scripts/thirdparty "${platforms[@]}" >"$out/common/THIRD_PARTY"
cp LICENSE README.md "$out/common"

# deb FOLDER ARCH: makes a Debian package of what is in an archive's folder.
deb() {
	local root=$out/deb share=$out/deb/usr/share
	mkdir -p "$root/DEBIAN" "$root/usr/bin" "$share/man/man1" "$share/doc/tesla" "$share/bash-completion/completions" \
		"$share/zsh/vendor-completions" "$share/fish/vendor_completions.d"
	cp "$1/tesla" "$root/usr/bin"
	cp "$1"/man/*.1 "$share/man/man1"
	gzip -9n "$share"/man/man1/*
	cp "$1/README.md" "$share/doc/tesla"
	cat "$1/LICENSE" "$1/THIRD_PARTY" >"$share/doc/tesla/copyright"
	cp "$1/completion/tesla.bash" "$share/bash-completion/completions/tesla"
	cp "$1/completion/tesla.zsh" "$share/zsh/vendor-completions/_tesla"
	cp "$1/completion/tesla.fish" "$share/fish/vendor_completions.d"
	printf '%s\n' "Package: tesla" "Version: ${version/-/\~}" "Architecture: $2" "Section: games" "Priority: optional" \
		"Maintainer: the Tesla developers <tesla@localhost>" "Installed-Size: $(du -sk "$root/usr" | cut -f1)" \
		"Description: chess engine" " Speaks the UCI protocol, analyses, annotates games and plays matches." >"$root/DEBIAN/control"
	dpkg-deb -Zgzip --root-owner-group --build "$root" "$out/tesla_${version/-/\~}_$2.deb" >/dev/null
	rm -r "$root"
}

for platform in "${platforms[@]}"; do
	os=${platform%/*} arch=${platform#*/}
	name=tesla-$version-$os-$arch
	cp -r "$out/common" "$out/$name"
	if [ "$os" = windows ]; then
		build "$os" "$arch" "$out/$name/tesla.exe"
		(cd "$out" && zip -qr "$name.zip" "$name")
	else
		build "$os" "$arch" "$out/$name/tesla"
		[ "$os" != linux ] || deb "$out/$name" "$arch"
		tar -C "$out" --owner=0 --group=0 --sort=name -czf "$out/$name.tar.gz" "$name"
	fi
	rm -r "${out:?}/$name"
done
rm -r "$out/common"
cd "$out"
sha256sum -- tesla* >SHA256SUMS
echo "release: $out:"
cat SHA256SUMS
