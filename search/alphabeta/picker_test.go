package alphabeta

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
)

// drain takes all moves of a picker.
func drain(k *picker) (moves []board.Move, scores []int32) {
	for {
		m, score, ok := k.next()
		if !ok {
			return moves, scores
		}
		moves, scores = append(moves, m), append(scores, score)
	}
}

// classOf is the class in which a move must come: the lower, the earlier.
func classOf(p *board.Position, m, table board.Move, killers [2]board.Move) int {
	switch {
	case m == table:
		return 0
	case !isQuiet(p, m) && p.SEE(m, 0):
		return 1
	case isQuiet(p, m) && m == killers[0]:
		return 2
	case isQuiet(p, m) && m == killers[1]:
		return 3
	case isQuiet(p, m):
		return 4
	}
	return 5
}

// A picker gives each legal move once, in the order of the classes, and quiet moves by their histories.
func TestPickerOrder(t *testing.T) {
	th := threadAt(t, Mode{}, middleGame)
	for _, p := range randomPositions(t, 60, 5) {
		th.begin(&p, nil)
		legal := p.LegalMoves(nil)
		table, killers := legal[len(legal)/2], [2]board.Move{legal[0], legal[len(legal)-1]}
		th.frames[0].killers = killers
		for i, m := range legal {
			th.history.butterfly[side(&p)][m&4095] = int16(i * 37 % 101)
		}
		k := th.pick(&p, 0, table)
		moves, scores := drain(&k)
		sorted, want := slices.Clone(moves), slices.Clone(legal)
		slices.Sort(sorted)
		slices.Sort(want)
		if !slices.Equal(sorted, want) {
			t.Fatalf("%s: gives %v, legal are %v", p.FEN(false), moves, legal)
		}
		for i := 1; i < len(moves); i++ {
			before, after := classOf(&p, moves[i-1], table, killers), classOf(&p, moves[i], table, killers)
			if before > after || scores[i-1] < scores[i] {
				t.Errorf("%s: %s of class %d and score %d before %s of class %d and score %d", p.FEN(false),
					p.UCI(moves[i-1], false), before, scores[i-1], p.UCI(moves[i], false), after, scores[i])
			}
			a, b := th.history.butterfly[side(&p)][moves[i-1]&4095], th.history.butterfly[side(&p)][moves[i]&4095]
			if before == 4 && after == 4 && a < b {
				t.Errorf("%s: history %d before %d", p.FEN(false), a, b)
			}
		}
	}
}

// The table's move comes before the others are generated.
func TestPickerIsLazy(t *testing.T) {
	th := exactThread(t, middleGame)
	p := &th.pos[0]
	first := moveOf(t, p, "a2a3")
	k := th.pick(p, 0, first)
	if m, _, _ := k.next(); m != first || k.generated {
		t.Errorf("gives %s, generated %t", p.UCI(m, false), k.generated)
	}
	if moves, _ := drain(&k); slices.Contains(moves, first) || len(moves) != len(p.LegalMoves(nil))-1 {
		t.Errorf("%d moves follow, with the table's: %t", len(moves), slices.Contains(moves, first))
	}
	// Where the moves were generated first, the table's is not among them: who generates has searched it already.
	k = th.pick(p, 0, first)
	k.generate()
	if slices.ContainsFunc(k.moves, func(r ranked) bool { return r.move() == first }) {
		t.Error("the table's move was generated")
	}
}

// Whatever the length of the list, the highest score comes next, and of equal scores the first. A list keeps its moves,
// scores and indices when others leave it.
func TestHighest(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	scores := []int32{tableOrder, captureOrder + 1700, killerOrder, 0, -1, -30000, badOrder, unscored}
	for n := 1; n <= board.MaxMoves; n++ {
		k := picker{generated: true, scored: true}
		var moves []board.Move
		var at []int32
		for i := range n {
			m, score := board.Move(rnd.Uint32N(1<<moveBits)), scores[rnd.IntN(len(scores))]
			moves, at = append(moves, m), append(at, score)
			k.moves = append(k.moves, rankOf(m, score, i))
		}
		for len(moves) > 0 {
			want := 0
			for i, s := range at {
				if s > at[want] {
					want = i
				}
			}
			got := k.highest()
			if got.move() != moves[want] || got.score() != at[want] || got.index() != want {
				t.Fatalf("%d of %d: move %d with score %d at %d, want %d with %d at %d",
					len(moves), n, got.move(), got.score(), got.index(), moves[want], at[want], want)
			}
			k.drop(want)
			last := len(moves) - 1
			moves[want], at[want] = moves[last], at[last]
			moves, at = moves[:last], at[:last]
		}
	}
}

func TestDropQuiet(t *testing.T) {
	th := threadAt(t, Mode{}, positions[1])
	p := &th.pos[0]
	k := th.pick(p, 0, board.NullMove)
	k.generate()
	k.dropQuiet()
	moves, _ := drain(&k)
	want := 0
	for _, m := range p.LegalMoves(nil) {
		if !isQuiet(p, m) {
			want++
		}
	}
	if len(moves) != want || want == 0 || slices.ContainsFunc(moves, func(m board.Move) bool { return isQuiet(p, m) }) {
		t.Errorf("%d moves are left, want the %d that are not quiet", len(moves), want)
	}
}

// A quiescence search gets the captures, the table's first, then the most valuable victims, cheap attackers before dear
// ones.
func TestPickCaptures(t *testing.T) {
	th := threadAt(t, Mode{}, "4k3/8/8/q2p4/1P2P3/8/3Q4/4K3 w - - 0 1")
	p := &th.pos[0]
	order := func(table board.Move) (texts []string) {
		k := th.pickCaptures(p, table)
		moves, _ := drain(&k)
		for _, m := range moves {
			texts = append(texts, p.UCI(m, false))
		}
		return texts
	}
	if got, want := order(board.NullMove), []string{"b4a5", "e4d5", "d2d5"}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
	if got, want := order(moveOf(t, p, "d2d5")), []string{"d2d5", "b4a5", "e4d5"}; !slices.Equal(got, want) {
		t.Errorf("with the table's move %v, want %v", got, want)
	}
	// The history of captures decides between equal captures.
	*th.captureOf(moveOf(t, p, "d2d5")) = captureMax
	if got, want := order(board.NullMove), []string{"b4a5", "d2d5", "e4d5"}; !slices.Equal(got, want) {
		t.Errorf("with history %v, want %v", got, want)
	}
}

func TestIsQuiet(t *testing.T) {
	p := boardtest.Position(t, "1n2k3/P7/8/3pP3/8/8/8/R3K2R w KQ d6 0 1")
	for text, want := range map[string]bool{
		"a7a8q": false, "a7a8n": true, "a7b8n": false, "e5d6": false, "e1g1": true, "a1a6": true, "e5e6": true,
	} {
		if got := isQuiet(&p, moveOf(t, &p, text)); got != want {
			t.Errorf("%s: quiet %t", text, got)
		}
	}
}
