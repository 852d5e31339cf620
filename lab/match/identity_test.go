package match

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tesla/batcher"
	"tesla/board"
	"tesla/lab/match/player"
	"tesla/lab/match/stats"
	"tesla/search"
)

// short is a match of few moves between an engine and a searcher that plays the first legal move.
func short(t *testing.T, a player.Player, log *bytes.Buffer) Config {
	t.Helper()
	config := patient(a, log)
	config.InProcess.Searcher = sound
	config.Players[1] = player.Player{Name: "b"}
	config.Adjudication.MaxMoves = 5
	dir := t.TempDir()
	config.Files.Journal, config.Files.PGN = filepath.Join(dir, "journal"), filepath.Join(dir, "games.pgn")
	return config
}

// TestOtherBackend has engines that open another backend than asked: they are refused before the first game.
func TestOtherBackend(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ mode, backend, want string }{
		{"teslaother", "cpu", "wrong settings of teslaother: option refused: error: backend cpu: no library; taking"},
		{"teslaother", "", "error: backend cpu: no library"},
		{"tesla", "cuda", "wrong settings of tesla: backend cpu, net eut-s 0123456789ab, hash 2 MiB, want cuda"},
		{"tesla", "CPU", ""},
		{"tesla", "auto", ""},
		{"sound", "", ""},
	} {
		t.Run(c.mode+c.backend, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			p := external(t, c.mode)
			if c.backend != "" {
				p.Options = append(p.Options, player.Option{Name: "backend", Value: c.backend})
			}
			config := short(t, p, &log)
			r, err := run(t.Context(), config)
			if c.want == "" {
				if err != nil || r.Games != 2 || strings.HasPrefix(c.mode, "tesla") && r.Plays[0] != "backend cpu, net eut-s 0123456789ab, hash 2 MiB" {
					t.Errorf("%+v, %v", r, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || r.Games != 0 {
				t.Errorf("%+v, %v, want %s", r, err, c.want)
			}
			if left, _ := filepath.Glob(config.Files.Journal); left != nil {
				t.Error("the journal of no game is left")
			}
		})
	}
}

// TestFallback has engines whose backend is replaced in the second game. The result, the PGN and the journal tell it, and
// a resumed match does too.
func TestFallback(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode      string
		incidents stats.Incidents
		want      string
	}{
		{"teslafalls", stats.Incidents{Errors: 1}, "error: backend cpu: the device is lost; nnue takes over"},
		{"teslachanges", stats.Incidents{Changes: 1}, "it plays with backend nnue, net eut-s 0123456789ab, hash 2 MiB, not with backend cpu"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			var log, text bytes.Buffer
			config := short(t, external(t, c.mode), &log)
			for range 2 { // the second time everything is in the journal
				text.Reset()
				table, err := Play(context.Background(), config)
				r := table.First()
				if err != nil || r.Games != 2 || r.Incidents[0] != c.incidents || len(r.Reports[0]) != 1 || !strings.Contains(r.Reports[0][0], c.want) {
					t.Fatalf("%+v, %v", r, err)
				}
				table.Print(&text)
				if !strings.Contains(text.String(), "Player a: backend cpu, net eut-s 0123456789ab, hash 2 MiB\n") || !strings.Contains(text.String(), c.want) {
					t.Errorf("the result is %s", &text)
				}
				config.Files.Resume, config.InProcess.Searcher = true, func(player.Player) (search.Searcher, error) {
					return nil, fmt.Errorf("nothing is left to play")
				}
			}
			for _, path := range []string{config.Files.PGN, config.Files.Journal} {
				if !bytes.Contains(read(t, path), []byte(c.want)) {
					t.Errorf("%s does not tell: %s", path, read(t, path))
				}
			}
		})
	}
}

// telling is a searcher that tells its backend.
type telling struct{ faulty }

func (telling) Backend() batcher.Info {
	return batcher.Info{Name: "nnue", ModelName: "nnue", Model: "cd4e"}
}

// TestOtherBackendInProcess asks a searcher that evaluates with nnue for another backend.
func TestOtherBackendInProcess(t *testing.T) {
	for backend, want := range map[string]string{"": "", "nnue": "", "auto": "", "cuda": "wrong settings of b: backend nnue"} {
		config := faultyMatch(t, func(player.Player) (search.Searcher, error) { return telling{}, nil })
		config.Players = []player.Player{{Name: "a"}, {Name: "b", Backend: backend}}
		r, err := run(t.Context(), config)
		if want == "" && (err != nil || r.Plays[1] != "backend nnue, net nnue cd4e") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %+v, %v", backend, r, err)
		}
	}
}

// TestHangsInARow has a searcher hang in each game: it is abandoned three times, and then the match ends.
func TestHangsInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		config := Default()
		config.Players = []player.Player{{Name: "x"}, {Name: "y"}}
		config.Games, config.Condition.MoveTime = 6, time.Second
		config.InProcess.Searcher = func(p player.Player) (search.Searcher, error) {
			if p.Name == "x" {
				return faulty{}, nil
			}
			return faulty{search: func(_ context.Context, g *board.Game) (search.Result, error) {
				<-release
				return first(g, 0), nil
			}}, nil
		}
		r, err := run(t.Context(), config)
		if err == nil || !strings.Contains(err.Error(), "y hangs in 3 games in a row") || r.Games != 2 || r.Forfeits != [2]int{0, 2} {
			t.Errorf("%+v, %v", r, err)
		}
		close(release)
	})
}
