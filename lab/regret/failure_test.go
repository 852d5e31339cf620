package regret

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tesla/board"
	"tesla/lab/sweep"
	"tesla/lab/watchdog"
	"tesla/search"
)

var errDevice = errors.New("the device is gone")

// broken is a mover that fails or hangs from a search on. A nil hang fails.
type broken struct {
	mover
	left int // searches until then
	hang chan struct{}
}

func (b *broken) Search(ctx context.Context, g *board.Game, l search.Limits, report func(search.Info)) (search.Result,
	error) {
	if b.left--; b.left >= 0 {
		return b.mover.Search(ctx, g, l, report)
	}
	if b.hang != nil {
		<-b.hang
	}
	return search.Result{}, errDevice
}

// TestSearchFails checks that no result comes of a search that failed, and that the error names the player.
func TestSearchFails(t *testing.T) {
	positions, _, err := Sample(gamesFile(t), 50, 400, 1)
	if err != nil {
		t.Fatal(err)
	}
	bad := Player{Searcher: sweep.Searcher{Name: "bad", Open: func() (search.Searcher, error) { return &broken{mover: mover{true}, left: 10}, nil }}}
	cfg := Config{Players: []Player{player("good", true), bad}, Positions: positions, Workers: 2, Judge: nobody}
	r, err := Run(t.Context(), cfg)
	if r != nil || !errors.Is(err, errDevice) || !strings.Contains(err.Error(), "bad: the device is gone") {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestHangs checks that a player that hangs, while it is made or while it searches, does not keep a comparison that is
// cancelled.
func TestHangs(t *testing.T) {
	positions, _, err := Sample(gamesFile(t), 50, 400, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, where := range []string{"made", "search"} {
		t.Run(where, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				bad := Player{Searcher: sweep.Searcher{Name: "bad", Open: func() (search.Searcher, error) {
					if where == "made" {
						<-release
					}
					return &broken{mover: mover{true}, left: 10, hang: release}, nil
				}}}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				begun := time.Now()
				r, err := Run(ctx, Config{Players: []Player{player("good", true), bad}, Positions: positions, Workers: 2,
					Judge: nobody})
				if took := time.Since(begun); r != nil || !errors.Is(err, context.DeadlineExceeded) ||
					took > time.Hour+2*watchdog.Grace {
					t.Errorf("%+v, %v after %v", r, err, took)
				}
				close(release)
			})
		})
	}
}
