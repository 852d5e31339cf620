package datagen

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tesla/board"
	"tesla/lab/games"
	"tesla/uci/client"
	"tesla/uci/client/clienttest"
)

// Every number is another arrangement by the rules of Chess960, and 518 is that of standard chess.
func TestBackRank(t *testing.T) {
	seen := map[string]bool{}
	for n := range arrangements {
		rank := backRank(n)
		king, rook, bishop := strings.IndexByte(rank, 'k'), strings.IndexByte(rank, 'r'), strings.IndexByte(rank, 'b')
		if seen[rank] || rook > king || strings.LastIndexByte(rank, 'r') < king || (strings.LastIndexByte(rank, 'b')-bishop)%2 == 0 ||
			strings.Count(rank, "n") != 2 || strings.Count(rank, "q") != 1 {
			t.Errorf("%d: %s", n, rank)
		}
		seen[rank] = true
		if p := start960(n, arrangements-1-n); p.Castling == 0 || p.CountLegal() < 18 {
			t.Errorf("%d: %s", n, p.FEN(true))
		}
	}
	if backRank(518) != "rnbqkbnr" || backRank(0) != "bbqnnrkr" || start960(518, 518) != board.StartPosition() {
		t.Errorf("518: %s, 0: %s", backRank(518), backRank(0))
	}
}

// A teacher castles in games from Chess960 starts, and from the games of a file that have such rights: it is asked in the
// mode UCI_Chess960. The scripted one castles where it can, and without the mode says so as no other program would
// understand it. The games are read back.
func TestChess960(t *testing.T) {
	from := filepath.Join(t.TempDir(), "from")
	double, initial := start960(0, 959), board.StartPosition()
	text := double.FEN(true) + ";0.5;\n" + initial.FEN(true) + ";0.5;e2e4:3 e7e5:4\n"
	if err := os.WriteFile(from, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Config){
		Chess960: func(c *Config) { c.Start = Chess960 }, DoubleChess960: func(c *Config) { c.Start = DoubleChess960 },
		"from": func(c *Config) { c.From, c.Games = from, 8 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := config(6)
			cfg.Plies = 60
			change(&cfg)
			path := filepath.Join(t.TempDir(), "games")
			g, _, err := Open(cfg, path, false)
			if err != nil {
				t.Fatal(err)
			}
			p, err := NewTeacher(t.Context(), client.Config{Path: clienttest.Script(t, "castles")}, 5, 1, func(text string) { t.Error(text) })
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			if err := g.Run(context.Background(), []Player{p}, nil, func(Progress) {}); err != nil {
				t.Fatal(err)
			}
			if err := g.Close(); err != nil {
				t.Fatal(err)
			}
			castled, same := 0, 0
			if err := games.EachOf(path, func(g *games.Game) error {
				if ranks := strings.Split(g.Start.FEN(true), "/"); strings.ToUpper(ranks[0]) == ranks[7][:8] {
					same++
				}
				_, err := g.Labels(func(_ int, p *board.Position, best board.Move) error {
					if best.IsCastling() && p.NeedsChess960() {
						castled++
					}
					return nil
				})
				return err
			}); err != nil {
				t.Fatal(err)
			}
			if castled < 3 || name == Chess960 && same != cfg.Games || name == DoubleChess960 && same > 1 {
				t.Errorf("castled %d times; %d games begin with the same arrangement twice", castled, same)
			}
		})
	}
}
