#!/usr/bin/env bash
# chess.js, the most used reader and writer of PGN of npm, cannot read some games that it wrote itself. It plays a
# null move and writes it as "--", and refuses "--" when it reads. It writes a quote in a tag without a backslash, and
# it refuses a quote in a tag with the backslash too, which the PGN standard asks for: no event or player with a quote
# in the name goes in or comes out.
# It bites GUIs and pages that keep games as PGN in chess.js, and who writes a standard PGN for them.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

js chess.js@1.4.0
answer=$(cd "$work" && node --input-type=module <<'JS'
import { Chess } from 'chess.js'
function reads(pgn) {
  try {
    new Chess().loadPgn(pgn)
    return 'reads it'
  } catch (error) {
    return 'refuses it: ' + error.name
  }
}
const roster = '[White "A"]\n[Black "B"]\n[Result "*"]\n\n1. e4 e5 *\n'
const event = new Chess()
event.setHeader('Event', 'The "Open"')
event.move('e4')
const pass = new Chess()
for (const move of ['e4', '--', 'd4']) pass.move(move)
console.log(reads('[Event "The Open"]\n' + roster))
console.log(reads('[Event "The \\"Open\\""]\n' + roster))
console.log(event.pgn().split('\n')[0] + ' ' + reads(event.pgn()))
console.log(pass.pgn().split('\n').at(-1) + ' ' + reads(pass.pgn()))
JS
)
{ read -r plain; read -r standard; read -r own; read -r null; } <<<"$answer"
expect 'a tag without a quote' 'reads it' "$plain"
expect 'a tag with a quote, as the standard writes it' 'refuses it: SyntaxError' "$standard"
expect 'its own tag with a quote' '[Event "The "Open""] refuses it: SyntaxError' "$own"
expect 'its own null move' '1. e4 -- 2. d4 * refuses it: SyntaxError' "$null"
finish
