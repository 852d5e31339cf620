// Package reference computes the nets of package nnue in float64, in the simplest way: it computes each position
// afresh, and finds the features of each piece by their definition. Tests compare the integers, the kernels and the
// incremental sums with it. The two share only the arrays of the file.
package reference

import (
	"math"

	"tesla/board"
	"tesla/nnue"
)

// Net is a net in real numbers.
type Net struct{ *nnue.FloatNet }

// piece is a piece on the board, from the view of the side to move.
type piece struct {
	kind   int // 0 pawn .. 5 king
	ours   bool
	square int
}

func pieces(p *board.Position) (all []piece) {
	for s := range 64 {
		if t, ours := p.PieceAt(board.Square(s)); t != board.None {
			all = append(all, piece{int(t - board.Pawn), ours, s})
		}
	}
	return all
}

func king(all []piece, ours bool) int {
	for _, x := range all {
		if x.kind == 5 && x.ours == ours {
			return x.square
		}
	}
	return 0
}

// accumulator returns the clipped and squared sums, [H], as the side to move sees them (ours) or as the other side
// does.
func (n Net) accumulator(p *board.Position, ours bool) []float64 {
	all := pieces(p)
	view := func(square int) int { return square }
	if !ours {
		view = func(square int) int { return square ^ 56 }
	}
	mirror, from := 0, view(king(all, ours))
	if from%8 > 3 {
		mirror = 7
	}
	bucket := n.Buckets[from^mirror]
	sums := make([]float64, n.H)
	for i := range sums {
		sums[i] = float64(n.ValueBias[i])
	}
	for _, x := range all {
		feature := bucket*768 + x.kind*64 + view(x.square) ^ mirror
		if x.ours != ours {
			feature = bucket*768 + 384 + x.kind*64 + view(x.square) ^ mirror
		}
		for i := range sums {
			sums[i] += float64(n.ValueFT[feature*n.H+i])
		}
	}
	return activate(sums)
}

// activate clips and squares the elements of x in place.
func activate(x []float64) []float64 {
	for i, v := range x {
		v = math.Max(0, math.Min(1, v))
		x[i] = v * v
	}
	return x
}

func dot(a []float64, b []float32) (sum float64) {
	for i, v := range a {
		sum += v * float64(b[i])
	}
	return sum
}

// layer returns the outputs of a layer of bucket: the products of x with its rows of weights, plus its biases.
func layer(bucket, outputs int, x []float64, weights, biases []float32) []float64 {
	y := make([]float64, outputs)
	for i := range y {
		row := bucket*outputs + i
		y[i] = dot(x, weights[row*len(x):][:len(x)]) + float64(biases[row])
	}
	return y
}

// Heads returns the logits of the value, sigma and draw heads for p.
func (n Net) Heads(p *board.Position) [3]float64 {
	bucket := min(7, (len(pieces(p))-1)/4)
	x := layer(bucket, 16, append(n.accumulator(p, true), n.accumulator(p, false)...), n.Layer1, n.ValueBias1)
	var inputs []float64
	for _, z := range x {
		inputs = append(inputs, min(1, z*z))
	}
	for _, z := range x {
		inputs = append(inputs, max(0, min(1, z)))
	}
	x = layer(bucket, 32, inputs, n.Layer2, n.ValueBias2)
	for i, z := range x {
		x[i] = max(0, min(1, z))
	}
	return [3]float64(layer(bucket, 3, x, n.Layer3, n.ValueBias3))
}

// Eval converts the logits of the heads to a value in centipawns, sigma and the probability of a draw.
func Eval(x [3]float64) (cp, sigma, draw float64) {
	q := math.Tanh(x[0] / 2)
	return 350 * x[0], math.Log(1 + math.Exp(x[1])), (1 - math.Abs(q)) / (1 + math.Exp(-x[2]))
}

// attacked reports whether a piece of one side attacks a square.
func attacked(p *board.Position, square int, byOurs bool) bool {
	attackers := p.AttackersTo(board.Square(square), p.Occupied())
	if byOurs {
		return attackers&p.Ours != 0
	}
	return attackers&p.Theirs != 0
}

// isPinned reports whether x is the only piece between its king and an enemy slider: without x, one more enemy rook,
// bishop or queen would attack the king.
func isPinned(p *board.Position, all []piece, x piece) bool {
	k := king(all, x.ours)
	if k == x.square {
		return false
	}
	enemies := p.Theirs
	if !x.ours {
		enemies = p.Ours
	}
	lines := (p.Bishops | p.Rooks | p.Queens) & enemies
	before := p.AttackersTo(board.Square(k), p.Occupied()) & lines
	after := p.AttackersTo(board.Square(k), p.Occupied()&^board.Square(x.square).Bitboard()) & lines
	return after&^before != 0
}

// Features returns the policy features of p.
func Features(p *board.Position) (features []int) {
	all := pieces(p)
	mirror := 0
	if king(all, true)%8 > 3 {
		mirror = 7
	}
	for _, x := range all {
		side, code := 0, 0
		if !x.ours {
			side = 1
		}
		if attacked(p, x.square, !x.ours) {
			code += 2
		}
		if attacked(p, x.square, x.ours) {
			code++
		}
		features = append(features, ((side*6+x.kind)*4+code)*64+x.square^mirror)
		if isPinned(p, all, x) {
			features = append(features, 3072+side*64+x.square^mirror)
		}
	}
	return features
}

// Logits returns the policy's logits of moves, which are legal in p.
func (n Net) Logits(p *board.Position, moves []board.Move) []float64 {
	hidden := make([]float64, n.P)
	for i := range hidden {
		hidden[i] = float64(n.PolicyBias[i])
		for _, f := range Features(p) {
			hidden[i] += float64(n.PolicyFT[f*n.P+i])
		}
	}
	activate(hidden)
	var logits []float64
	for _, m := range moves {
		r1, r2, t := MoveRows(p, m)
		logits = append(logits, dot(hidden, n.Rows1[r1*n.P:][:n.P])+dot(hidden, n.Rows2[r2*n.P:][:n.P])+
			float64(n.Bias1[r1])+float64(n.Bias2[r2])+float64(n.Bias3[t]))
	}
	return logits
}

// MoveRows returns the two rows and the scalar of a legal move of p.
func MoveRows(p *board.Position, m board.Move) (r1, r2, t int) {
	from, to := int(m.From()), int(m.To())
	if int(p.King())%8 > 3 {
		from, to = from^7, to^7
	}
	next := p.After(m)
	kind, captured, good, check := int(m.Moved()-board.Pawn), 0, 0, 0
	if m.IsCapture() {
		captured = int(m.Target())
	}
	if p.SEE(m, 0) {
		good = 1
	}
	if next.InCheck() {
		check = 1
	}
	shape := pairs[[2]int{from, to}]
	if before, _ := p.PieceAt(m.From()); before == board.Pawn && kind >= 1 && kind <= 3 {
		shape = 1792 + 22*(kind-1) + pawnPairs[[2]int{from % 8, to % 8}]
	}
	return 2*shape + good, (2*kind+check)*64 + to, (captured*6+kind)*4 + 2*good + check
}

// pairs numbers the moves of queens and knights on an empty board. pawnPairs numbers the pairs of files between which a
// pawn promotes.
var pairs, pawnPairs = func() (pairs, pawn map[[2]int]int) {
	pairs, pawn = map[[2]int]int{}, map[[2]int]int{}
	for from := range 64 {
		for to := range 64 {
			dx, dy := to%8-from%8, to/8-from/8
			dx, dy = max(dx, -dx), max(dy, -dy)
			if from != to && (dx == 0 || dy == 0 || dx == dy || dx*dy == 2) {
				pairs[[2]int{from, to}] = len(pairs)
			}
			if from < 8 && to < 8 && dx <= 1 {
				pawn[[2]int{from, to}] = len(pawn)
			}
		}
	}
	return pairs, pawn
}()
