package datagen

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tesla/board"
	"tesla/lab/watchdog"
	"tesla/search"
)

var errDevice = errors.New("the device is gone")

// first plays the first legal move of each position. From a search on it fails, or hangs until hang is closed.
type first struct {
	left int // searches until then
	hang chan struct{}
}

func (f *first) Search(_ context.Context, g *board.Game, _ search.Limits, _ func(search.Info)) (search.Result, error) {
	if f.left--; f.left >= 0 {
		return search.Result{Best: g.Pos.LegalMoves(nil)[0], Info: search.Info{Score: search.Score{CP: len(g.Moves)}}}, nil
	}
	if f.hang != nil {
		<-f.hang
	}
	return search.Result{}, errDevice
}

func (*first) PonderHit()   {}
func (*first) NewGame()     {}
func (*first) Close() error { return nil }

// short games of the player.
func short() Config {
	cfg := config(9)
	cfg.Plies = 20
	return cfg
}

// searchers are players that fail, or hang, after the given number of searches.
func searchers(count, left int, hang chan struct{}) (all []Player) {
	for range count {
		all = append(all, NewSearcher(&first{left, hang}, search.Limits{}, 1))
	}
	return all
}

const manySearches = 1 << 30

// TestSearchFails checks that a run ends with the reason when a search fails, keeps no game of it, and goes on with the
// games that are missing.
func TestSearchFails(t *testing.T) {
	cfg := short()
	whole := generated(t, cfg, filepath.Join(t.TempDir(), "whole"), searchers(1, manySearches, nil))
	path := filepath.Join(t.TempDir(), "games")
	all := append(searchers(1, 50, nil), searchers(1, 30, nil)...)
	err := generate(t.Context(), cfg, path, true, all, func(Progress) {})
	if !errors.Is(err, errDevice) {
		t.Errorf("error %v", err)
	}
	kept := read(t, path)
	if len(kept) == 0 || len(kept) == len(whole) {
		t.Errorf("%d games are kept", len(kept))
	}
	for _, g := range kept {
		if !reflect.DeepEqual(g, whole[g.Number]) {
			t.Errorf("game %d is not that of an undisturbed run", g.Number)
		}
	}
	if resumed := generated(t, cfg, path, searchers(2, manySearches, nil)); !reflect.DeepEqual(resumed, whole) {
		t.Error("the resumed run made other games")
	}
}

// TestSearchHangs checks that a search that hangs keeps neither a run that is cancelled nor the close of its player.
func TestSearchHangs(t *testing.T) {
	cfg := short()
	path := filepath.Join(t.TempDir(), "games")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		hang, begun := make(chan struct{}), time.Now()
		all := searchers(2, 50, hang)
		err := generate(ctx, cfg, path, true, all, func(Progress) {})
		for _, p := range all {
			err = errors.Join(err, p.Close())
		}
		if took := time.Since(begun); !errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "device") ||
			took > time.Hour+watchdog.Grace {
			t.Errorf("%v after %v", err, took)
		}
		close(hang)
	})
	if n := len(generated(t, cfg, path, searchers(1, manySearches, nil))); n != cfg.Games {
		t.Errorf("%d games after it went on", n)
	}
}
