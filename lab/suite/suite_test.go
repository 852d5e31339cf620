package suite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"tesla/board"
	"tesla/lab/journal"
	"tesla/lab/match/pgn"
	"tesla/lab/sweep"
	"tesla/search"
)

const (
	ruy    = "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - "
	mateIn = "6k1/5ppp/8/8/8/8/8/R5K1 w - - "
)

func TestRead(t *testing.T) {
	const text = "# a comment\n\n" + ruy + "bm Ba4 Bxc6; id \"a.001\";\n" + ruy + "am Nxe5, Ng5; c1 \"x=1\";\r\n" +
		mateIn + "0 1 dm 1; acd 3; ce 32765;\n" + ruy + "c0 \"Ba4=10, Bxc6=7, Bc4=2\"; id \"sts 7\"; bm Ba4;\n" + ruy + "bm Ba4; c0 \"a plain comment\";"
	all, err := Read(strings.NewReader(text))
	if err != nil || len(all) != 5 {
		t.Fatalf("%d records, %v", len(all), err)
	}
	if r := all[0]; r.Line != 3 || r.ID != "a.001" || r.Group() != "a" || len(r.Best) != 2 || r.MostPoints() != 1 {
		t.Errorf("%+v", r)
	}
	if r := all[1]; r.ID != "line 4" || len(r.Avoid) != 2 {
		t.Errorf("%+v", r)
	}
	if r := all[2]; r.Mate != 1 || r.Depth != 3 {
		t.Errorf("%+v", r)
	}
	if all[3].MostPoints() != 10 || all[4].Points != nil {
		t.Errorf("points %v, %v", all[3].Points, all[4].Points)
	}
	for _, c := range []struct {
		record int
		move   string
		score  search.Score
		solves bool
		points int
	}{
		{0, "Ba4", search.Score{}, true, 1}, {0, "Bc4", search.Score{}, false, 0}, {1, "Nxe5", search.Score{}, false, 0}, {1, "Ba4", search.Score{}, true, 1},
		{2, "Ra8", search.Score{Mate: 1}, true, 1}, {2, "Ra8", search.Score{CP: 900}, false, 0}, {2, "Ra8", search.Score{Mate: 2}, false, 0},
		{3, "Ba4", search.Score{}, true, 10}, {3, "Bxc6", search.Score{}, false, 7}, {3, "O-O", search.Score{}, false, 0},
	} {
		r := all[c.record]
		m, err := pgn.ParseSAN(&r.Position, c.move)
		if err != nil {
			t.Fatal(err)
		}
		solves := r.Solves(m, c.score)
		if solves != c.solves || r.PointsOf(m, solves) != c.points {
			t.Errorf("record %d, %s %+v: %v, %d points", c.record, c.move, c.score, solves, r.PointsOf(m, solves))
		}
	}
}

// TestWrongRecords checks that each is named with its line, and that none is skipped.
func TestWrongRecords(t *testing.T) {
	for bad, want := range map[string]string{
		ruy + "bm Ke3;":                                   `bm: move "Ke3": no legal move fits`,
		ruy + "bm;":                                       "bm: want a move",
		ruy + "id \"x\";":                                 "no question",
		ruy + "bm Ba4; am Ba4;":                           "Ba4 is in bm and in am",
		ruy + "dm x;":                                     `dm: "x": want a number above 0`,
		ruy + "bm Ba4; acd 0;":                            "acd: ",
		ruy + "c0 \"Ba4=10, Bxc6\";":                      `c0: "Bxc6": want move=points`,
		ruy + "c0 \"Ba4=10, Kd4=1\";":                     `c0: move "Kd4"`,
		"8/8/8 w - - bm Ba4;":                             "board: 3 ranks",
		"7k/5Q2/6K1/8/8/8/8/8 b - - bm Kg8;":              "the game is over: stalemate",
		"6k1/5ppp/8/8/8/8/8/R5K1 w KQ - bm Ra8; id \"x\"": "castling right",
	} {
		all, err := Read(strings.NewReader(ruy + "bm Ba4;\n" + bad + "\nrubbish\n"))
		if err == nil || !strings.Contains(err.Error(), "line 2: ") || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "line 3: ") {
			t.Errorf("%q: %d records, %v; want %s", bad, len(all), err, want)
		}
	}
	if _, err := Read(strings.NewReader("# nothing\n")); err == nil {
		t.Error("a file without records is read")
	}
}

// scripted reports moves at given nodes, and plays the last.
type scripted struct {
	search.Searcher
	moves    []string
	searches *int
}

func (s scripted) NewGame()     {}
func (s scripted) Close() error { return nil }

func (s scripted) Search(_ context.Context, g *board.Game, _ search.Limits, report func(search.Info)) (r search.Result, err error) {
	*s.searches++
	for i, word := range s.moves {
		m, err := pgn.ParseSAN(&g.Pos, word)
		if err != nil {
			return r, err
		}
		n := int64(1) << i
		r = search.Result{Best: m, Info: search.Info{Depth: i + 1, Nodes: 100 * n, Evals: n, Time: time.Duration(n) * time.Second, PV: []board.Move{m}}}
		report(r.Info)
		report(search.Info{MultiPV: 2, PV: g.Pos.LegalMoves(nil)[:1]}) // another line does not count
	}
	return r, nil
}

// TestRun checks that the cost of a solution is that of the last time that the search came to it.
func TestRun(t *testing.T) {
	records, err := Read(strings.NewReader(ruy + "bm Ba4; id \"x.1\";\n" + ruy + "c0 \"Ba4=5, Bxc6=3\"; id \"y.1\";"))
	if err != nil {
		t.Fatal(err)
	}
	searches := 0
	by := func(name string, moves ...string) sweep.Searcher {
		return sweep.Searcher{Name: name, Open: func() (search.Searcher, error) { return scripted{moves: moves, searches: &searches}, nil }}
	}
	cfg := Config{Records: records, Limits: search.Limits{Nodes: 800}, Journal: sweep.File{Path: filepath.Join(t.TempDir(), "journal")},
		Searches: []sweep.Searcher{by("late", "Ba4", "Bc4", "Ba4", "Ba4"), by("never", "Ba4", "Bxc6"), by("first", "Ba4")}}
	r, err := Run(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Journal.Resume = true
	if again, err := Run(context.Background(), cfg); err != nil || !reflect.DeepEqual(again, r) || searches != 6 {
		t.Errorf("from the journal: %v, %+v after %d searches, want %+v", err, again, searches, r)
	}
	cfg.Limits.Nodes = 900
	if _, err := Run(context.Background(), cfg); !errors.Is(err, journal.ErrRefused) || !strings.Contains(err.Error(), "nodes is 800 there and 900 here") {
		t.Errorf("another limit: %v", err)
	}
	if r.Positions != 2 || r.Solved != 2 || r.Points != 6 || r.Most != 6 || r.Unit != "nodes" || r.Limit != 800 {
		t.Errorf("%+v", r)
	}
	if a := r.Searches[0].Records[0]; a.Nodes != 400 || a.Seconds != 4 || a.Evals != 4 || a.Depth != 3 || a.Move != "Ba4" {
		t.Errorf("%+v", a)
	}
	if s := r.Searches[1]; s.Solved != 0 || s.Points != 3 || s.Records[0].Nodes != 0 {
		t.Errorf("%+v", s)
	}
	for i, want := range [][]int{{0, 0, 0, 0, 2, 2}, {0, 0, 0, 0, 0, 0}, {0, 0, 2, 2, 2, 2}} {
		for k, n := range r.Searches[i].Over {
			if n != want[k] {
				t.Errorf("%s: solved over time %v, want %v", r.Searches[i].Search, r.Searches[i].Over, want)
				break
			}
		}
	}
	var table strings.Builder
	if err := r.Print(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"x.1       400 nodes  - Bxc6  100 nodes\n", "2 positions, 800 nodes each, at most 6 points", "1/1", "0/1"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("%q is missing in\n%s", want, table.String())
		}
	}
}

// TestOwnSuite reads the suite of this project: 200 tactics and 100 endgames, no position twice.
func TestOwnSuite(t *testing.T) {
	all := own(t)
	groups, keys := map[string]int{}, map[uint64]bool{}
	for _, r := range all {
		groups[r.Group()]++
		keys[r.Position.Key] = true
		few := r.Position.Occupied().Count() <= 10
		if few != (r.Group() == "tesla-endgame") || len(r.Best) != 1 && r.Mate < 3 {
			t.Errorf("%s: %d pieces, %d moves", r.ID, r.Position.Occupied().Count(), len(r.Best))
		}
	}
	if groups["tesla-tactic"] != 200 || groups["tesla-endgame"] != 100 || len(keys) != 300 {
		t.Errorf("%v, %d different positions", groups, len(keys))
	}
}

// own is our own suite.
func own(t *testing.T) []*Record {
	t.Helper()
	f, err := os.Open("testdata/tesla-300.epd")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
