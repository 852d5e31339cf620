package board

import "slices"

// Game is a start position with the moves played, as the rule of repetition needs it.
type Game struct {
	Start Position
	Moves []Move
	Pos   Position
	keys  []uint64
}

// NewGame returns the game that begins at start.
func NewGame(start Position) *Game {
	return &Game{Start: start, Pos: start, keys: []uint64{start.Key}}
}

// Play makes a legal move.
func (g *Game) Play(m Move) {
	old := g.Pos
	old.Make(m, &g.Pos)
	g.Moves = append(g.Moves, m)
	g.keys = append(g.keys, g.Pos.Key)
}

// Keys returns the keys of all positions so far, that of Pos last. The caller must not change them.
func (g *Game) Keys() []uint64 { return g.keys }

// Repetitions returns how often Pos has occurred before, since the last capture or pawn move.
func (g *Game) Repetitions() int {
	n := 0
	last := len(g.keys) - 1
	for i := last - 2; i >= 0 && last-i <= int(g.Pos.Halfmove); i -= 2 {
		if g.keys[i] == g.Pos.Key {
			n++
		}
	}
	return n
}

// Drawn reports whether the position at a ply of a line is a draw by the fifty-move rule, by material or by repetition, see
// [Repeats].
func Drawn(line []Position, ply int, keys []uint64, played int) bool {
	p := &line[ply]
	return p.Halfmove >= 100 && (!p.InCheck() || p.HasLegalMove()) || p.InsufficientMaterial() || Repeats(line, ply, keys, played) > 0
}

// Repeats is [Repeats] of a line that begins with Pos. All positions before it were played.
func (g *Game) Repeats(line []Position, ply int) (plies int) {
	return Repeats(line, ply, g.keys, len(g.keys)-1)
}

// Repeats is how many plies before a ply of a line the position was that makes the one there a draw by repetition, 0
// where none does. keys are those of the positions up to the first of the line, which is last. Those before the index
// played were played in a game: such a position counts when it has occurred twice, which makes three times: either side may have
// erred since, and need not repeat. All others count the first time that they come again.
func Repeats(line []Position, ply int, keys []uint64, played int) (plies int) {
	p, seen := &line[ply], false
	for i := 4; i <= int(p.Halfmove); i += 2 {
		if at := ply - i; at >= 0 {
			if line[at].Key == p.Key {
				return i
			}
		} else if at += len(keys) - 1; at >= 0 {
			if keys[at] == p.Key {
				if seen || at >= played {
					return i
				}
				seen = true
			}
		} else {
			break
		}
	}
	return 0
}

// Clone returns a copy that shares no memory with g.
func (g *Game) Clone() *Game {
	c := *g
	c.Moves = slices.Clone(g.Moves)
	c.keys = slices.Clone(g.keys)
	return &c
}

// Outcome says whether and how a game has ended.
type Outcome uint8

// The outcomes. Repetition means that a position has occurred three times, FiftyMoves that the halfmove clock is 100
// and the side to move is not mated.
const (
	Ongoing Outcome = iota
	Checkmate
	Stalemate
	Repetition
	FiftyMoves
	Material
)

// String names the outcome in English.
func (o Outcome) String() string {
	names := [...]string{"ongoing", "checkmate", "stalemate", "repetition", "fifty moves", "insufficient material"}
	if int(o) < len(names) {
		return names[o]
	}
	return "unknown"
}

// Outcome returns the state of the game. After Checkmate the side to move has lost; all other ends are draws.
func (g *Game) Outcome() Outcome {
	switch {
	case !g.Pos.HasLegalMove():
		if g.Pos.InCheck() {
			return Checkmate
		}
		return Stalemate
	case g.Pos.InsufficientMaterial():
		return Material
	case g.Repetitions() >= 2:
		return Repetition
	case g.Pos.Halfmove >= 100:
		return FiftyMoves
	}
	return Ongoing
}
