package client

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/search"
)

func TestGoCommand(t *testing.T) {
	white := board.StartPosition()
	black := white
	black.Black = true
	clock := [2]time.Duration{time.Second, 2 * time.Second}
	for _, c := range []struct {
		pos    *board.Position
		limits search.Limits
		want   string
	}{
		{&white, search.Limits{HasClock: true, Time: clock, Inc: [2]time.Duration{0, time.Millisecond}, MovesToGo: 7},
			"go wtime 1000 btime 2000 winc 0 binc 1 movestogo 7"},
		{&black, search.Limits{HasClock: true, Time: clock}, "go wtime 2000 btime 1000"},
		{&black, search.Limits{Nodes: 5, MoveTime: 30 * time.Millisecond}, "go nodes 5 movetime 30"},
		{&black, search.Limits{Depth: 9}, "go depth 9"},
		{&white, search.Limits{Infinite: true}, "go infinite"},
		{&black, search.Limits{Ponder: true, HasClock: true, Time: clock}, "go ponder wtime 2000 btime 1000"},
	} {
		if text := goCommand(c.pos, &c.limits); text != c.want {
			t.Errorf("%q, want %q", text, c.want)
		}
	}
}

func TestNodeTime(t *testing.T) {
	for nodes, want := range map[int64]time.Duration{0: time.Minute, 1000: 61 * time.Second} {
		if d := NodeTime(nodes); d != want {
			t.Errorf("%d nodes: %v", nodes, d)
		}
	}
	if d := NodeTime(1 << 62); d < time.Hour {
		t.Errorf("no time for many nodes: %v", d)
	}
}

// TestPositionGrows compares the command that grows with one that is written anew.
func TestPositionGrows(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 2))
	for _, fen := range []string{
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	} {
		start := boardtest.Position(t, fen)
		var grows positionCommand
		g := board.NewGame(start)
		for range 60 {
			var anew positionCommand
			if a, b := grows.of(g, false), anew.of(g, false); !bytes.Equal(a, b) {
				t.Fatalf("%s\n%s", a, b)
			}
			legal := g.Pos.LegalMoves(nil)
			if len(legal) == 0 {
				break
			}
			g.Play(legal[source.IntN(len(legal))])
		}
		other := board.NewGame(start)
		if got := string(grows.of(other, false)); strings.Contains(got, "moves") {
			t.Errorf("of another game: %s", got)
		}
	}
}
