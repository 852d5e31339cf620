#!/usr/bin/env bash
# Scid 4.7.4 joins two comments behind one move without a blank between them: "{a} {b}" comes out as "{ab}", so the
# last word of one and the first of the next become one word. It writes a quote in a tag bare, where the PGN standard
# asks for a backslash, so the next reader cuts the tag or refuses the game. Games of Chess960 it leaves out: the
# import counts the others and is no error.
# It bites who passes annotated games through a Scid database: an evaluation and a remark in two comments are glued.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

deb scid 1:4.7.4+dfsg1-2
tkscid=$work/root/usr/games/tkscid
if ldd "$tkscid" | grep 'not found'; then stop "Scid needs the packages libtk8.6 and libtcl8.6"; fi

cat >"$work/games.pgn" <<'PGN'
[Event "The \"Open\""]
[Site "S"]
[Date "2026.11.28"]
[Round "1"]
[White "A"]
[Black "B"]
[Result "*"]

1. e4 {good} {better than d4} e5 *

[Event "Chess960"]
[Site "S"]
[Date "2026.11.28"]
[Round "2"]
[White "A"]
[Black "B"]
[Result "*"]
[SetUp "1"]
[Variant "Chess960"]
[FEN "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1"]

1. e4 e5 *

PGN
cat >"$work/trip.tcl" <<'TCL'
set base [sc_base create SCID4 base]
puts "imported [lindex [sc_base import $base games.pgn] 0]"
sc_game load 1
puts [sc_game pgn -tags 1 -comments 1 -var 1]
exit
TCL
(cd "$work" && "$tkscid" trip.tcl >said </dev/null) || stop "Scid does not run its script"
expect 'games imported of two' 'imported 1' "$(sed -n 1p "$work/said")"
expect 'the tag [Event "The \"Open\""]' '[Event "The "Open""]' "$(grep '^\[Event' "$work/said")"
expect 'the moves 1. e4 {good} {better than d4} e5 *' '1.e4 {goodbetter than d4} 1...e5 *' "$(grep '^1' "$work/said")"
finish
