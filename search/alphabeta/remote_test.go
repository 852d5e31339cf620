package alphabeta

import (
	"context"
	"math/rand/v2"
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/search"
)

// bench is Workers of this process that finish branches in random order.
type bench struct {
	threads []*Thread
	random  *rand.Rand
	waiting []Branch
	given   int
	ends    bool // no worker is left
}

func (b *bench) Room() int      { return 2*len(b.threads) - len(b.waiting) }
func (b *bench) Give(br Branch) { b.waiting, b.given = append(b.waiting, br), b.given+1 }
func (b *bench) Drop()          { b.waiting = nil }
func (b *bench) Next(stop func() bool) (Found, bool) {
	if b.ends || stop() {
		return Found{}, false
	}
	i := b.random.IntN(len(b.waiting))
	br := b.waiting[i]
	b.waiting = append(b.waiting[:i], b.waiting[i+1:]...)
	return b.threads[b.random.IntN(len(b.threads))].Branch(&br, nil)
}

func newMaster(t testing.TB, o Options) (*Searcher, *bench) {
	t.Helper()
	b := &bench{random: rand.New(rand.NewPCG(1, 2))}
	for range 3 {
		b.threads = append(b.threads, NewThread(net(t), table(t), o.Mode))
	}
	s, err := NewMaster(b, net(t), table(t), o)
	if err != nil {
		t.Fatal(err)
	}
	return s, b
}

// A master finds the value of brute force, in whatever order its workers answer.
func TestMasterIsExact(t *testing.T) {
	o := DefaultOptions()
	o.Mode, o.SplitDepth = Mode{Verify: true}, 1
	s, b := newMaster(t, o)
	exact := NewThread(net(t), table(t), o.Mode)
	for _, fen := range positions[:3] {
		p := boardtest.Position(t, fen)
		exact.begin(&p, nil)
		want := minimax(exact, 0, 3)
		s.NewGame()
		res, _ := s.Search(context.Background(), board.NewGame(p), search.Limits{Depth: 3}, nil)
		if got := res.Info.Score; got != search.ScoreFromCP(want) {
			t.Errorf("%s: %v, minimax %d", fen, got, want)
		}
	}
	if b.given == 0 {
		t.Error("no branch was given away")
	}
}

// A master has its workers' nodes and line, obeys limits of nodes and evaluations, and ends with a move where its workers
// do.
func TestMasterEnds(t *testing.T) {
	o := DefaultOptions()
	o.SplitDepth = 2
	s, b := newMaster(t, o)
	p := boardtest.Position(t, middleGame)
	for _, l := range []search.Limits{{Depth: 6}, {Nodes: 8000}, {Evals: 2000}} {
		s.NewGame()
		b.given = 0
		res, err := s.Search(context.Background(), board.NewGame(p), l, nil)
		in := &res.Info
		if !p.IsLegal(res.Best) || err != nil || b.given == 0 || l.Depth > 0 && (in.Depth != 6 || len(in.PV) < 4) ||
			l.Nodes > 0 && (in.Nodes < l.Nodes || in.Nodes > 2*l.Nodes) || l.Evals > 0 && (in.Evals < l.Evals || in.Evals > 2*l.Evals) {
			t.Errorf("%+v: %v, %v, %d given, %+v", l, res.Best, err, b.given, in)
		}
		line := p
		for _, m := range in.PV {
			if !line.IsLegal(m) {
				t.Errorf("%+v: the line has an illegal move", l)
				break
			}
			line = line.After(m)
		}
	}
	b.ends = true
	if res, _ := s.Search(context.Background(), board.NewGame(p), search.Limits{Depth: 8}, nil); !p.IsLegal(res.Best) || res.Info.Depth == 8 {
		t.Errorf("without workers: %v, %+v", res.Best, res.Info)
	}
}
