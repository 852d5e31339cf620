#!/bin/sh
# Puts ONNX Runtime into the cache folder where tesla finds it by itself:
#   ${XDG_CACHE_HOME:-$HOME/.cache}/tesla/onnxruntime-1.29.0/libonnxruntime.so.1
#
#   scripts/fetch-onnxruntime.sh          the library (CPU), for Linux on x86-64 and arm64
#   scripts/fetch-onnxruntime.sh --cuda   and the CUDA 13 and TensorRT providers beside it (x86-64, 180 MB)
#
# The packages are fetched with `npm pack`, which runs none of their scripts, and every file is checked against the
# SHA-256 below before it is moved into place. What is there and right is not fetched again.
# For offline use set TESLA_ONNXRUNTIME to the path of a library, and run nothing.
set -eu

version=1.29.0
package=onnxruntime-node@$version
cuda_package=com.github.asus4.onnxruntime.linux-x64-gpu@0.4.9
cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
folder=$cache/tesla/onnxruntime-$version

fail() {
	echo "fetch-onnxruntime: $*" >&2
	exit 1
}

want_cuda=
case ${1-} in
'') ;;
--cuda) want_cuda=1 ;;
-h | --help)
	sed -n '2,11s/^# \{0,1\}//p' "$0"
	exit 0
	;;
*)
	echo "fetch-onnxruntime: unknown argument $1; usage: $0 [--cuda]" >&2
	exit 2
	;;
esac

[ "$(uname -s)" = Linux ] || fail "there is a library for Linux only, this is $(uname -s); set TESLA_ONNXRUNTIME to one of your own"
case $(uname -m) in
x86_64 | amd64)
	arch=x64
	sum=89688f5cf51c7e31befbb7b9101bc027799009b18d1baa9a5b1146a72e69538d
	;;
aarch64 | arm64)
	arch=arm64
	sum=a27d21126db312aa8f02f3d5eaebe466e991f51f469882e6d0407d5a8b64afda
	;;
*) fail "there is no library for $(uname -m); set TESLA_ONNXRUNTIME to one of your own" ;;
esac
if [ -n "$want_cuda" ] && [ $arch != x64 ]; then
	fail "there are CUDA providers for x86-64 only, this is $(uname -m)"
fi

# right FILE SUM: FILE is there and has this SHA-256.
right() {
	[ -f "$1" ] && [ "$(sha256sum "$1" | cut -d' ' -f1)" = "$2" ]
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
	mv -fT "$work/package/$1" "$folder/$2" || fail "cannot put $2 into $folder"
	echo "fetch-onnxruntime: $folder/$2" >&2
}

case $cache in
/*) ;;
'') fail "neither XDG_CACHE_HOME nor HOME is set: there is no cache folder to put the library into" ;;
*) fail "the cache folder $cache is not an absolute path: check XDG_CACHE_HOME and HOME" ;;
esac
mkdir -p "$folder" || fail "cannot make $folder"
find "$folder" -maxdepth 1 -name '.fetch.*' -mtime +0 -exec rm -rf {} + # of fetches that were killed more than a day ago
work=$(mktemp -d "$folder/.fetch.XXXXXX") || fail "cannot write to $folder"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

if ! right "$folder/libonnxruntime.so.1" $sum; then
	pack $package
	place bin/napi-v6/linux/$arch/libonnxruntime.so.1 libonnxruntime.so.1 $sum
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
