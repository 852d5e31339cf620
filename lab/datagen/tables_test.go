package datagen

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tesla/board"
	"tesla/search"
	"tesla/tablebase"
	tablemaker "tesla/tablebase/syzygy/generate"
)

// openTables makes the table of king and queen against king, and opens it.
func openTables(t *testing.T) *tablebase.Tables {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	if err := tablemaker.Run(ctx, dir, 3, func(name string) {
		if name != "KQvK" {
			cancel()
		}
	}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	tables, notes := tablebase.Open(tablebase.Paths{Syzygy: dir})
	if notes != nil {
		t.Fatal(notes)
	}
	t.Cleanup(func() { tables.Close() })
	return tables
}

// fresh counts the games that its player was told to begin.
type fresh struct {
	Player
	games int
}

func (f *fresh) Choose(ctx context.Context, t *Table) error {
	if t.Fresh {
		f.games++
	}
	return f.Player.Choose(ctx, t)
}

// TestTables labels what tables know by them: score, best move, and the result, which is otherwise drawn by lot. Another
// player is asked elsewhere, and told of each game that it has a move of.
func TestTables(t *testing.T) {
	tables := openTables(t)
	from := filepath.Join(t.TempDir(), "from")
	starts := []string{
		"8/8/3k4/8/8/8/1Q6/K7 w - - 0 1", "k7/1q6/8/8/8/3K4/8/8 w - - 0 1", // won by White, by Black
		"8/8/8/8/8/3k4/3Q4/K7 b - - 0 1", "8/8/3k4/8/8/8/1Q6/K7 w - - 95 90", // drawn: by a capture, by the counter
		"8/8/3k4/8/8/8/1Q6/KN6 w - - 0 1", // not known
	}
	if err := os.WriteFile(from, []byte(strings.Join(starts, ";0.5;\n")+";0.5;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := config(120)
	cfg.From, cfg.Random, cfg.Plies, cfg.Tables = from, [2]int{0, 1}, 2, "tables"
	other := &fresh{Player: NewSearcher(&first{manySearches, nil}, search.Limits{}, 1)}
	all := generated(t, cfg, filepath.Join(t.TempDir(), "games"), []Player{NewTabled(other, tables)})
	results, byOther := map[int8]int{}, 0
	for _, g := range all {
		asked := false
		if _, err := g.Labels(func(ply int, p *board.Position, best board.Move) error {
			l, known, err := tables.Label(p)
			if !known {
				asked = true
				return err
			}
			if have := g.Plies[ply]; int(have.Score) != l.Score || best != l.Best || g.ResultFor(p) != int8(l.Result) {
				t.Errorf("%s: score %d, move %v, result %d; want %+v", p.FEN(false), have.Score, have.Move, g.Result, l)
			}
			results[g.Result]++
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if asked {
			byOther++
		}
	}
	if len(results) != 3 || byOther < 5 || other.games != byOther {
		t.Errorf("results %v; another player was asked in %d games, and told of %d", results, byOther, other.games)
	}
}

// TestBadTables ends a run where a table is damaged: no label is made of it.
func TestBadTables(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "KQvK.rtbw"), make([]byte, 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	tables, _ := tablebase.Open(tablebase.Paths{Syzygy: dir})
	defer tables.Close()
	p, err := board.ParseFEN("8/8/3k4/8/8/8/1Q6/K7 w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	player := NewTabled(NewSearcher(&first{manySearches, nil}, search.Limits{}, 1), tables)
	if err := player.Choose(t.Context(), &Table{Game: board.NewGame(p)}); err == nil || !strings.Contains(err.Error(), "KQvK") {
		t.Error(err)
	}
}
