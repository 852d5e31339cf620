package speedup

import (
	"context"
	"testing"

	"tesla/board"
	"tesla/lab/speedup/replay"
	"tesla/models"
	"tesla/search"
	"tesla/search/alphabeta"
	"tesla/tt128"
)

// The scheduler with two threads does about the work that the replay of its one-thread tree foretells. The bounds are
// wide: a shared machine decides who waits when.
func TestSchedulerAgainstReplay(t *testing.T) {
	net, err := models.DefaultNNUE()
	if err != nil {
		t.Fatal(err)
	}
	positions, err := ParsePositions(BratkoKopec)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pvsplit", "jamboree"} {
		var nodes, foretold, messages, expected int64
		for _, p := range positions[1:9] {
			searched := func(threads int) *alphabeta.Searcher {
				table, err := tt128.New(4)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { table.Close() })
				s, err := alphabeta.New(name, net, table, threads, alphabeta.DefaultOptions())
				if err != nil {
					t.Fatal(err)
				}
				s.LogTree()
				r, _ := s.Search(context.Background(), board.NewGame(p.Board), search.Limits{Depth: 9}, nil)
				if threads > 1 {
					nodes += r.Info.Nodes
				}
				return s
			}
			messages += searched(2).Messages()
			o := replay.Run(searched(1).Tree(), replay.Machine{Processors: 2, Node: 1500, Message: 2000, Scheduler: replay.Offers})
			foretold, expected = foretold+int64(o.Busy)/1500, expected+o.Messages
		}
		if messages == 0 || messages > 4*expected || 3*nodes < 2*foretold || 4*nodes > 7*foretold {
			t.Errorf("%s: %d nodes and %d messages, the replay foretells %d and %d", name, nodes, messages, foretold, expected)
		}
		t.Logf("%s: %d nodes and %d messages, the replay foretells %d and %d", name, nodes, messages, foretold, expected)
	}
}
