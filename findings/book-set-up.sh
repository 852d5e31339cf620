#!/usr/bin/env bash
# The opening books of PolyGlot are made by `polyglot make-book` of games in PGN; GNU Chess has the same maker. Both
# pass over the tags SetUp and FEN: they play the moves of every game from the start position. A game at the odds of a
# knight so gives its moves to the book of the normal game. Only where a move is not legal from the start position do
# they say so, and they write no book then.
# It bites who makes a book of a collection that has games at odds, thematic games or Chess960 in it.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

deb polyglot 2.0.4+git20210322-1
deb gnuchess 6.2.7-1+deb12u1
games=$work/root/usr/games

# game writes the game three times, at odds or, without the tag, from the start position.
game() {
	for _ in 1 2 3; do
		printf '[Event "?"]\n[White "A"]\n[Black "B"]\n[Result "1-0"]\n'
		if [ "$1" = odds ]; then
			printf '[SetUp "1"]\n[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1"]\n'
		fi
		printf '\n1. f4 e5 2. fxe5 d6 1-0\n\n'
	done
}

# entries prints the keys, moves and weights of a book; 463b96181691fc9c is the key of the start position.
entries() { od -An -v -tx1 -w16 "$1" | tr -d ' ' | sed -E 's/^(.{16})(.{4})(.{4}).*/\1 \2 \3/' | paste -sd ';'; }

# made_by MAKER KIND makes a book of the game.
made_by() {
	mkdir -p "$work/$1-$2"
	cd "$work/$1-$2"
	game "$2" >games.pgn
	case $1 in
	polyglot) "$games/polyglot" make-book -pgn games.pgn -bin book.bin -min-game 3 >log 2>&1 ;;
	gnuchess) HOME=$work timeout 20 "$games/gnuchess" --addbook=games.pgn </dev/null >log 2>&1 || true ;;
	esac
	entries book.bin
}

book='3155e35f9ce53923 0764 0006;463b96181691fc9c 035d 0006' # f4xe5 after 1. f4 e5, and f2-f4 in the start position
expect 'PolyGlot, from the start position' "$book" "$(made_by polyglot start)"
expect 'PolyGlot, without the knight on b1' "$book" "$(made_by polyglot odds)"
expect 'GNU Chess, from the start position' "$book" "$(made_by gnuchess start)"
expect 'GNU Chess, without the knight on b1' "$book" "$(made_by gnuchess odds)"
finish
