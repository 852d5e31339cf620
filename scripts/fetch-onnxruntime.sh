#!/bin/sh
# Puts ONNX Runtime into the cache folder where tesla finds it by itself: into tesla/onnxruntime-1.29.0 below
# ${XDG_CACHE_HOME:-$HOME/.cache} on Linux, $HOME/Library/Caches on macOS, and $LOCALAPPDATA on Windows.
#
#   scripts/fetch-onnxruntime.sh          the library: for Linux and Windows on x86-64 and arm64, macOS on arm64
#   scripts/fetch-onnxruntime.sh --cuda   and the CUDA 13 and TensorRT providers beside it (Linux on x86-64, 180 MB)
#
# On Windows the library is one that may use DirectML.dll, which comes with it; a shell such as that of Git runs this script.
# The packages are fetched with `npm pack`, which runs none of their scripts, and every file is checked against the
# SHA-256 below before it is moved into place. What is there and right is not fetched again.
# For offline use set TESLA_ONNXRUNTIME to the path of a library, and run nothing.
set -eu

version=1.29.0
package=onnxruntime-node@$version
cuda_package=com.github.asus4.onnxruntime.linux-x64-gpu@0.4.9

fail() {
	echo "fetch-onnxruntime: $*" >&2
	exit 1
}

want_cuda=
case ${1-} in
'') ;;
--cuda) want_cuda=1 ;;
-h | --help)
	sed -n '2,12s/^# \{0,1\}//p' "$0"
	exit 0
	;;
*)
	echo "fetch-onnxruntime: unknown argument $1; usage: $0 [--cuda]" >&2
	exit 2
	;;
esac

system=$(uname -s)
case $system in
Darwin) cache=${HOME:+$HOME/Library/Caches} unset="HOME is not set" ;;
MINGW* | MSYS* | CYGWIN*) cache=${LOCALAPPDATA:+$(cygpath -u "$LOCALAPPDATA")} unset="LOCALAPPDATA is not set" ;;
*) cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}} unset="neither XDG_CACHE_HOME nor HOME is set" ;;
esac
folder=$cache/tesla/onnxruntime-$version
machine=$(uname -m)
case $machine in
x86_64 | amd64) machine=x64 ;;
aarch64) machine=arm64 ;;
esac
# The files that are placed: each is the folder in the package, the name and the SHA-256.
case $system-$machine in
Linux-x64)
	files="linux/x64 libonnxruntime.so.1 89688f5cf51c7e31befbb7b9101bc027799009b18d1baa9a5b1146a72e69538d"
	;;
Linux-arm64)
	files="linux/arm64 libonnxruntime.so.1 a27d21126db312aa8f02f3d5eaebe466e991f51f469882e6d0407d5a8b64afda"
	;;
Darwin-arm64)
	files="darwin/arm64 libonnxruntime.1.dylib 3e4c63909e9fc6648c93c68741c1ccf1e3d89218dd1d6a7d4f3d629ffc7f9918"
	;;
MINGW*-x64 | MSYS*-x64 | CYGWIN*-x64)
	files="win32/x64 DirectML.dll b3cd9ac57e096f4d91eacbae212e538ced46d74e7002630408d7e48a1eeca904
		win32/x64 onnxruntime.dll 5e289b5494cc338d62806f2d24c24aa7cc09a00bbab0404d9169487a45e0053a"
	;;
MINGW*-arm64 | MSYS*-arm64 | CYGWIN*-arm64)
	files="win32/arm64 DirectML.dll d7f1d28efa1010de6896613359ec2dabc095766cdc994183c6cd0cc3459eab34
		win32/arm64 onnxruntime.dll 020f2f84f8029f2fa4b4c1443f8b1e0a659dc6cbed4a105ff908ff9a24d46306"
	;;
*) fail "there is no library for $system on $machine; set TESLA_ONNXRUNTIME to one of your own" ;;
esac
if [ -n "$want_cuda" ] && [ "$system-$machine" != Linux-x64 ]; then
	fail "there are CUDA providers for Linux on x86-64 only, this is $system on $machine"
fi

# digest FILE: its SHA-256.
digest() {
	if command -v sha256sum >/dev/null; then
		sha256sum "$1"
	else
		shasum -a 256 "$1"
	fi | cut -d' ' -f1
}

# right FILE SUM: FILE is there and has this SHA-256.
right() {
	[ -f "$1" ] && [ "$(digest "$1")" = "$2" ]
}

# pack PACKAGE: fetches the package into $work. npm's own cache is there too, so that npm needs no home folder.
pack() {
	command -v npm >/dev/null || fail "npm is needed to fetch $1 (or set TESLA_ONNXRUNTIME to a library of your own)"
	rm -f "$work"/*.tgz
	echo "fetch-onnxruntime: npm pack $1" >&2
	(cd "$work" && npm_config_cache="$work/npm" npm_config_update_notifier=false npm pack --silent "$1" >/dev/null) ||
		fail "npm pack $1 failed: no network, no space in $folder, or the registry lacks it"
}

# place SOURCE NAME SUM: unpacks one file of the package, checks it and moves it into the folder in one step. Nothing else
# of the package is unpacked, and a link in place of the file is refused: where it leads is not part of the package.
place() {
	rm -rf "$work/package"
	tar -xzf "$work"/*.tgz -C "$work" "package/$1" || fail "cannot unpack $1: the package lacks it, is cut off, or the disk is full"
	[ ! -L "$work/package/$1" ] || fail "$1 is a link in the package: not installed"
	right "$work/package/$1" "$3" || fail "$1 has another SHA-256 than $3: not installed"
	chmod 755 "$work/package/$1"
	if [ -d "$folder/$2" ] || ! mv -f "$work/package/$1" "$folder/$2"; then
		fail "cannot put $2 into $folder"
	fi
	echo "fetch-onnxruntime: $folder/$2" >&2
}

case $cache in
/*) ;;
'') fail "$unset: there is no cache folder to put the library into" ;;
*) fail "the cache folder $cache is not an absolute path: check XDG_CACHE_HOME, HOME and LOCALAPPDATA" ;;
esac
mkdir -p "$folder" || fail "cannot make $folder"
find "$folder" -maxdepth 1 -name '.fetch.*' -mtime +0 -exec rm -rf {} + # of fetches that were killed more than a day ago
work=$(mktemp -d "$folder/.fetch.XXXXXX") || fail "cannot write to $folder"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

missing=
while read -r _ name sum; do
	right "$folder/$name" "$sum" || missing=1
done <<EOF
$files
EOF
if [ -n "$missing" ]; then
	pack $package
	while read -r from name sum; do
		place "bin/napi-v6/$from/$name" "$name" "$sum"
	done <<EOF
$files
EOF
fi
[ -n "$want_cuda" ] || exit 0

shared=c6a12593396095f5670160e284c35d1700b7708cf3037b7042e2a5200ccae772
cuda=56cf3254b118ad837ccc4ed8f6d1b23504bbf7ef91b34cbc0b289cb7f10b3037
tensorrt=ef6071798a339038ad66c428fb1a809cf8e499bffc3b6870e4e8bc4f4c6a6320
if right "$folder/libonnxruntime_providers_shared.so" $shared &&
	right "$folder/libonnxruntime_providers_cuda.so" $cuda &&
	right "$folder/libonnxruntime_providers_tensorrt.so" $tensorrt; then
	exit 0
fi
pack $cuda_package
from=Plugins/Linux/x64
place $from/libonnxruntime_providers_shared.so libonnxruntime_providers_shared.so $shared
place $from/libonnxruntime_providers_tensorrt.so libonnxruntime_providers_tensorrt.so $tensorrt
place $from/libonnxruntime_providers_cuda.so libonnxruntime_providers_cuda.so $cuda
