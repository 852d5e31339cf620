package gaviota

// Result is how a game ends with best play, for the side to move.
type Result int8

// The results.
const (
	Loss Result = iota - 1
	Draw
	Win
)

// Value is what tables say of a position, for the side to move and without the fifty-move rule.
type Value struct {
	Result Result
	Plies  int // to mate; 0 for a draw
}

// Better reports whether the side to move prefers v: it mates soon and is mated late.
func (v Value) Better(than Value) bool {
	if v.Result != than.Result {
		return v.Result > than.Result
	}
	return v.Result == Win && v.Plies < than.Plies || v.Result == Loss && v.Plies > than.Plies
}

// Before is the value of a move that leads to a position of value v, for the side that makes the move.
func (v Value) Before() Value {
	if v.Result == Draw {
		return v
	}
	return Value{-v.Result, v.Plies + 1}
}

// Values of a file are codes: the lower two bits say who mates, the others are moves.
const (
	codeDraw    = 0
	codeIllegal = 3
	codeFar     = 63 // moves that a code adds where its lower bits are those of a draw or of an illegal position
)

// decode reads the code of a position with a side to move, 0 white, 1 black. ok is false for the code of illegal
// positions.
func decode(code byte, side int) (v Value, ok bool) {
	moves := int(code >> 2)
	switch kind := int(code & 3); {
	case code == codeDraw || code == codeIllegal:
		return Value{}, code == codeDraw
	case kind == codeDraw && side == 1 && moves == codeFar:
		// White mates Black in 127 moves: one more than the code of losses can say, and no table has the win of this
		// code.
		return Value{Loss, 2 * (codeFar + codeFar + 1)}, true
	case kind == codeDraw:
		return Value{Win, 2*(moves+codeFar) + 1}, true
	case kind == codeIllegal:
		return Value{Loss, 2 * (moves + codeFar)}, true
	case kind == 1+side: // 1: white mates, 2: black mates
		return Value{Win, 2*moves + 1}, true
	default:
		return Value{Loss, 2 * moves}, true
	}
}
