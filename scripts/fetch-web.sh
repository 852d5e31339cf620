#!/bin/sh
# Puts the JavaScript that the web page uses and that we did not write into lab/web/page/vendor, each with its licence:
#   cm-chessboard (MIT): the board, without its pieces and markers, which are under another licence
#   uPlot (MIT): the plots
#
#   scripts/fetch-web.sh          fetch the pinned versions, check them, replace the folder
#
# The files are kept in git: nothing is fetched when the program is built. The packages come by `npm pack`, which runs none
# of their scripts, and are checked against the SHA-256 below. To take another version, change version and sum.
set -eu
cd "$(dirname "$0")/.."

board=cm-chessboard board_version=8.15.1
board_sum=c2328d7b1188f4c1a293039ad3f3c8a61026af451a1d9cf9210517ce49ebb535
plot=uplot plot_version=1.6.32
plot_sum=4b8a8191e425658e3ea8c8c1314b0fc679c861ee3a1af2b20c7b16ba50b5133d
to=lab/web/page/vendor

fail() {
	echo "fetch-web: $*" >&2
	exit 1
}

# fetch PACKAGE VERSION SUM: unpacks the package into $work/PACKAGE.
fetch() {
	(cd "$work" && npm_config_cache="$work/npm" npm_config_update_notifier=false npm pack --silent "$1@$2" >/dev/null) ||
		fail "npm pack $1@$2 failed: no network, or the registry lacks it"
	[ "$(sha256sum "$work/$1-$2.tgz" | cut -d' ' -f1)" = "$3" ] || fail "$1 $2 has another SHA-256 than $3: not installed"
	mkdir "$work/$1"
	tar -xzf "$work/$1-$2.tgz" -C "$work/$1" --strip-components=1
}

# place PACKAGE FILE..: copies files of the package, with their folders.
place() {
	package=$1
	shift
	for file; do
		mkdir -p "$work/vendor/$package/$(dirname "$file")"
		cp "$work/$package/$file" "$work/vendor/$package/$file"
	done
}

command -v npm >/dev/null || fail "npm is needed"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fetch $board $board_version $board_sum
place $board LICENSE assets/chessboard.css assets/extensions/promotion-dialog/promotion-dialog.css \
	src/Chessboard.js src/lib/Svg.js src/lib/Utils.js src/model/ChessboardState.js src/model/Extension.js src/model/Position.js \
	src/view/ChessboardView.js src/view/PositionAnimationsQueue.js src/view/VisualMoveInput.js \
	src/extensions/promotion-dialog/PromotionDialog.js
fetch $plot $plot_version $plot_sum
place $plot LICENSE dist/uPlot.iife.min.js dist/uPlot.min.css
chmod -R u=rwX,go=rX "$work/vendor"
rm -rf "$to"
mv "$work/vendor" "$to"
echo "fetch-web: $board $board_version and $plot $plot_version are in $to" >&2
