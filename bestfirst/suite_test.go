package bestfirst

// The tests of the files suite_*_test.go are those of what users of a search on a treesearch.Loop rely on. Both policies pass
// them.

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"tesla/batcher"
	"tesla/board"
	"tesla/board/boardtest"
	"tesla/internal/slow"
	"tesla/search"
	"tesla/search/treesearch"
	"tesla/tablebase"
)

// setup is the options of a search. The zero value of each field is the search's default.
type setup struct {
	BatchSize int
	Leaves    []treesearch.Deepener
	Tables    *tablebase.Prober
	Alone     bool // lines share no nodes
}

// opener makes a search on a backend, to be closed at the end of the test.
type opener func(t testing.TB, b batcher.Backend, s setup) *tested

// runSuite runs all tests.
func runSuite(t *testing.T, open opener) {
	for name, test := range map[string]func(*testing.T, opener){
		"Mates": mates, "MateLines": mateLines, "Repetition": repetition, "PlayedOnce": playedOnce, "PlayedOn": playedOn, "Shuffle": shuffle,
		"AllDrawn": allDrawn, "DrawnRoot": drawnRoot, "SameSearchTwice": sameSearchTwice, "Limits": limits,
		"SearchMoves": searchMoves, "MultiPV": multiPV, "StopAndPonder": stopAndPonder, "TreeReuse": treeReuse,
		"BackendFails": backendFails, "LeafSearchers": leafSearchers, "InPlace": inPlace, "LeavesGivenUp": leavesGivenUp,
		"Snapshots": snapshots, "LazyPolicies": lazyPolicies,
	} {
		t.Run(name, func(t *testing.T) { test(t, open) })
	}
}

// startFEN is the FEN of the initial position.
const startFEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

// newMock is a mock backend, closed at the end of the test.
func newMock(t testing.TB) batcher.Backend {
	b := batcher.NewMock(batcher.Options{})
	t.Cleanup(func() { b.Close() })
	return b
}

// gameOf reads a FEN and plays UCI moves.
func gameOf(t testing.TB, fen string, moves ...string) *board.Game {
	t.Helper()
	return boardtest.Play(t, board.NewGame(boardtest.Position(t, fen)), moves...)
}

func uciMove(t testing.TB, g *board.Game, text string) board.Move {
	t.Helper()
	m, err := g.Pos.ParseMove(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// find searches; the search must not fail.
func find(t testing.TB, s search.Searcher, g *board.Game, l search.Limits) search.Result {
	t.Helper()
	return must(t)(s.Search(context.Background(), g, l, nil))
}

// must returns the result of a search, which must not fail.
func must(t testing.TB) func(search.Result, error) search.Result {
	return func(r search.Result, err error) search.Result {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

func mates(t *testing.T, open opener) {
	slow.Test(t)
	for _, c := range []struct {
		fen, best string
		mate      int
	}{
		{"6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", "a1a8", 1},
		{"kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6", 2},
		{"6k1/pp4p1/2p5/2bp4/8/P5Pb/1P3rrP/2BRRN1K b - - 0 1", "g2g1", 2},
		{"7k/R7/8/8/8/8/1R6/7K b - - 0 1", "h8g8", -1},
		{"7k/8/8/8/8/8/r7/1r5K w - - 0 1", "", 0}, // mated: no move
		{"7k/8/8/8/8/6q1/8/7K w - - 0 1", "", 0},  // stalemate
	} {
		g := gameOf(t, c.fen)
		r := find(t, open(t, newMock(t), setup{}), g, search.Limits{Evals: 50000})
		if c.best == "" {
			if r.Best != board.NullMove {
				t.Errorf("%s: %s is no move", c.fen, g.Pos.UCI(r.Best, false))
			}
			continue
		}
		if got := g.Pos.UCI(r.Best, false); got != c.best || r.Info.Score.Mate != c.mate {
			t.Errorf("%s: %s mate %d, want %s mate %d", c.fen, got, r.Info.Score.Mate, c.best, c.mate)
		}
	}
}

// material is a backend whose values are the material balance, with an even policy.
type material struct{ batcher.Backend }

func (b material) Evaluate(items []*batcher.Item) error {
	if err := b.Backend.Evaluate(items); err != nil {
		return err
	}
	for _, it := range items {
		it.Eval.Q = float32(search.CPToQ(materialOf(&it.Position)))
		for i := range it.Policy {
			it.Policy[i] = 1 / float32(len(it.Policy))
		}
	}
	return nil
}

func materialOf(p *board.Position) (cp int) {
	for i, set := range []board.Bitboard{p.Pawns, p.Knights, p.Bishops, p.Rooks, p.Queens} {
		cp += []int{100, 300, 300, 500, 900}[i] * ((set & p.Ours).Count() - (set & p.Theirs).Count())
	}
	return cp
}

func sameSearchTwice(t *testing.T, open opener) {
	var first search.Result
	for i := range 2 {
		r := find(t, open(t, newMock(t), setup{BatchSize: 16}), gameOf(t, startFEN), search.Limits{Evals: 8000})
		if i == 0 {
			first = r
		} else if r.Best != first.Best || r.Info.Nodes != first.Info.Nodes || r.Info.Score != first.Info.Score {
			t.Errorf("second search %+v, first %+v", r, first)
		}
	}
}

func limits(t *testing.T, open opener) {
	s := open(t, newMock(t), setup{})
	g := gameOf(t, startFEN)
	for _, n := range []int64{1, 2, 3, 17, 100, 1000} {
		s.NewGame()
		if r := find(t, s, g, search.Limits{Evals: n}); r.Info.Evals != n || !g.Pos.IsLegal(r.Best) {
			t.Errorf("%d evaluations asked for: %d made, move %s", n, r.Info.Evals, g.Pos.UCI(r.Best, false))
		}
		s.Check(t)
	}
	s.NewGame()
	if r := find(t, s, g, search.Limits{Depth: 8}); r.Info.Depth != 8 {
		t.Errorf("depth %d, want 8", r.Info.Depth)
	}
	start := time.Now()
	find(t, s, g, search.Limits{MoveTime: 50 * time.Millisecond})
	if took := time.Since(start); took < 40*time.Millisecond || took > 500*time.Millisecond {
		t.Errorf("a move time of 50 ms took %v", took)
	}
	single := gameOf(t, "7k/8/8/8/8/8/r7/6K1 w - - 0 1", "g1f1", "a2h2", "f1g1")
	start = time.Now()
	find(t, s, single, search.Limits{HasClock: true, Time: [2]time.Duration{time.Minute, time.Minute}})
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("a move took %v of a minute", took)
	}
}

func searchMoves(t *testing.T, open opener) {
	s, g := open(t, newMock(t), setup{}), gameOf(t, startFEN)
	a, b := uciMove(t, g, "a2a3"), uciMove(t, g, "h2h4")
	seen := map[int]board.Move{}
	r := must(t)(s.Search(context.Background(), g, search.Limits{Evals: 2000, SearchMoves: []board.Move{a, b}, MultiPV: 4}, lines(seen)))
	if r.Best != a && r.Best != b {
		t.Errorf("best move %s is none of searchmoves", g.Pos.UCI(r.Best, false))
	}
	if len(seen) != 2 || seen[1] != r.Best || seen[1] == seen[2] {
		t.Errorf("lines %v of two moves, best %v", seen, r.Best)
	}
	s.Check(t)
}

func multiPV(t *testing.T, open opener) {
	seen := map[int]board.Move{}
	open(t, newMock(t), setup{}).Search(context.Background(), gameOf(t, startFEN), search.Limits{Evals: 2000, MultiPV: 3}, lines(seen))
	if len(seen) != 3 || seen[1] == seen[2] || seen[2] == seen[3] || seen[1] == seen[3] {
		t.Errorf("lines %v", seen)
	}
}

// lines notes the first move of each PV that was reported last.
func lines(seen map[int]board.Move) func(search.Info) {
	return func(i search.Info) {
		if i.Text == "" && i.Roots == nil {
			seen[i.MultiPV] = i.PV[0]
		}
	}
}

func stopAndPonder(t *testing.T, open opener) {
	s, g := open(t, newMock(t), setup{}), gameOf(t, startFEN)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if r, err := s.Search(ctx, g, search.Limits{Infinite: true}, nil); err != nil || ctx.Err() == nil || r.Best == board.NullMove {
		t.Error("an infinite search ended by itself")
	}
	mate := gameOf(t, "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1")
	ctx, cancel = context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	time.AfterFunc(50*time.Millisecond, s.PonderHit)
	start := time.Now()
	s.Search(ctx, mate, search.Limits{Ponder: true, HasClock: true, Time: [2]time.Duration{time.Second, time.Second}}, nil)
	if took := time.Since(start); took < 45*time.Millisecond || took > 3*time.Second {
		t.Errorf("pondering on a mate until ponderhit took %v", took)
	}
}

func treeReuse(t *testing.T, open opener) {
	s, g := open(t, newMock(t), setup{}), gameOf(t, startFEN)
	r := find(t, s, g, search.Limits{Evals: 5000})
	g.Play(r.Best)
	g.Play(r.Ponder)
	r = find(t, s, g, search.Limits{Evals: 10})
	if n := s.RootEvals(); n <= r.Info.Evals {
		t.Errorf("root of %d evaluations after %d new ones: the tree was not kept", n, r.Info.Evals)
	}
	s.Check(t)
	find(t, s, gameOf(t, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"), search.Limits{Evals: 10})
	if n := s.RootEvals(); n != 10 {
		t.Errorf("root of %d evaluations of another game after 10", n)
	}
	s.Check(t)
}

// failing is a backend that fails after some batches.
type failing struct {
	batcher.Backend
	left *int
}

func (f failing) Evaluate(items []*batcher.Item) error {
	if *f.left--; *f.left < 0 {
		return context.DeadlineExceeded
	}
	return f.Backend.Evaluate(items)
}

func backendFails(t *testing.T, open opener) {
	for _, left := range []int{0, 20} {
		s, g := open(t, failing{newMock(t), &left}, setup{}), gameOf(t, startFEN)
		r, err := s.Search(context.Background(), g, search.Limits{Evals: 5000}, nil)
		if !g.Pos.IsLegal(r.Best) || err == nil || !strings.Contains(err.Error(), "batch") {
			t.Errorf("move %v, error %v", r.Best, err)
		}
		s.Check(t)
	}
}

// What a counter says that each leaf took.
const (
	counterNodes = 100
	counterPlies = 9
)

// counter is a treesearch.Deepener that knows material alone. It counts its calls.
type counter struct{ leaves, forgotten int }

func (c *counter) Forget() { c.forgotten++ }

func (c *counter) Work() (int64, int) { return counterNodes, counterPlies }

func (c *counter) Leaf(p *board.Position, _ []uint64, _, _ int, _ func() bool) (int, board.Move) {
	c.leaves++
	runtime.Gosched() // on one core the other deepeners would get nothing
	return materialOf(p), p.LegalMoves(nil)[0]
}

// Leaves have the values that their deepeners give them, and each deepener gets a part of them.
func leafSearchers(t *testing.T, open opener) {
	deep := []treesearch.Deepener{&counter{}, &counter{}, &counter{}}
	s := open(t, newMock(t), setup{Leaves: deep, BatchSize: 8})
	g := gameOf(t, "rnb1kbnr/pppp1ppp/8/4p1q1/4P3/3P4/PPP2PPP/RNBQKBNR w KQkq - 0 4") // the queen hangs
	if got := g.Pos.UCI(find(t, s, g, search.Limits{Evals: 3000}).Best, false); got != "c1g5" {
		t.Errorf("%s, want c1g5", got)
	}
	r := find(t, s, gameOf(t, startFEN), search.Limits{Evals: 500})
	if leaves := (r.Info.Nodes - r.Info.Evals) / counterNodes; leaves < r.Info.Evals/2 || leaves > r.Info.Evals || r.Info.SelDepth <= counterPlies {
		t.Errorf("%d nodes of %d evaluations, depth %d/%d", r.Info.Nodes, r.Info.Evals, r.Info.Depth, r.Info.SelDepth)
	}
	s.NewGame()
	for i, l := range deep {
		if c := l.(*counter); c.leaves < 300 || c.forgotten != 1 {
			t.Errorf("searcher %d: %d leaves, forgot %d times", i, c.leaves, c.forgotten)
		}
	}
}

// noted is a treesearch.Deepener that notes how much further it is to search. It likes the last move of a position, and
// the position more the further it searches.
type noted struct {
	further map[int]int     // searches, by the plies further
	liked   map[uint64]bool // positions after the moves that it likes
	first   int             // of them that were searched
}

func (n *noted) Forget() {}

func (n *noted) Work() (int64, int) { return 0, 0 }

func (n *noted) Leaf(p *board.Position, _ []uint64, _, further int, _ func() bool) (int, board.Move) {
	n.further[further]++
	if further == 0 {
		if n.liked[p.Key] {
			n.first++
		}
		return 0, board.NullMove
	}
	moves := p.LegalMoves(nil)
	best := moves[len(moves)-1]
	var after board.Position
	p.Make(best, &after)
	n.liked[after.Key] = true
	return further, best
}

// Leaves are deepened in place, by two plies at a time, before they get children. The move that was found best comes
// first.
func inPlace(t *testing.T, open opener) {
	n := &noted{further: map[int]int{}, liked: map[uint64]bool{}}
	s := open(t, newMock(t), setup{Leaves: []treesearch.Deepener{n}, BatchSize: 3})
	for range 2 {
		find(t, s, gameOf(t, startFEN), search.Limits{Evals: 1000})
		s.Check(t)
	}
	for k := range len(n.further) {
		if here, next := n.further[treesearch.DeepenBy*k], n.further[treesearch.DeepenBy*(k+1)]; here == 0 || next > here {
			t.Errorf("leaves searched deeper, by the plies further: %v", n.further)
		}
	}
	most := treesearch.DeepenBy * (len(n.further) - 1)
	if most == 0 || 2*n.first < n.further[most] {
		t.Errorf("leaves searched deeper, by the plies further: %v; %d after the best move", n.further, n.first)
	}
}

// endless is a treesearch.Deepener that knows the first leaf, and is busy with any other until it is stopped.
type endless struct{ leaves int }

func (e *endless) Forget() {}

func (e *endless) Work() (int64, int) { return 0, 0 }

func (e *endless) Leaf(p *board.Position, _ []uint64, _, _ int, stop func() bool) (int, board.Move) {
	for e.leaves++; e.leaves > 1 && !stop(); {
		time.Sleep(time.Millisecond)
	}
	return 0, p.LegalMoves(nil)[0]
}

// A search ends by its clock or by a stop, though its leaves are still being searched.
func leavesGivenUp(t *testing.T, open opener) {
	for name, limits := range map[string]search.Limits{"clock": {MoveTime: 30 * time.Millisecond}, "stop": {Infinite: true}} {
		s, g := open(t, newMock(t), setup{Leaves: []treesearch.Deepener{&endless{}}, BatchSize: 1}), gameOf(t, startFEN)
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		if limits.Infinite {
			time.AfterFunc(30*time.Millisecond, cancel)
		}
		if r, err := s.Search(ctx, g, limits, nil); err != nil || !g.Pos.IsLegal(r.Best) || ctx.Err() == context.DeadlineExceeded {
			t.Errorf("%s: move %v, %v, error %v", name, r.Best, ctx.Err(), err)
		}
		cancel()
		s.Check(t)
	}
}
