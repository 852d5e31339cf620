package watchdog

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tesla/board"
	"tesla/search"
)

func TestCall(t *testing.T) {
	failed := errors.New("failed")
	for _, c := range []struct {
		name string
		took time.Duration // of the call
		err  error
		end  time.Duration // when the context ends
		want error
	}{
		{"in time", time.Second, nil, time.Minute, nil},
		{"fails", time.Second, failed, time.Minute, failed},
		{"within the grace time", time.Minute + Grace - 1, nil, time.Minute, nil},
		{"fails within the grace time", time.Minute + Grace - 1, failed, time.Minute, failed},
		{"too late", time.Hour, nil, time.Minute, ErrHang},
		{"fails too late", time.Hour, failed, time.Minute, ErrHang},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithTimeout(t.Context(), c.end)
				defer stop()
				begun, late := time.Now(), 0
				got, err := Call(ctx, Grace, func() (int, error) {
					time.Sleep(c.took)
					return 7, c.err
				}, func(v int) { late = v })
				waited := time.Since(begun)
				if !errors.Is(err, c.want) || c.want == nil && got != 7 {
					t.Errorf("%d, %v; want %v", got, err, c.want)
				}
				if waited > c.end+Grace {
					t.Errorf("it waited for %v", waited)
				}
				time.Sleep(2 * time.Hour)
				synctest.Wait()
				if abandoned := errors.Is(c.want, ErrHang) && c.err == nil; abandoned != (late == 7) {
					t.Errorf("late is %d", late)
				}
			})
		})
	}
}

func TestCallPanics(t *testing.T) {
	_, err := Call(t.Context(), Grace, func() (int, error) { panic("at the board") }, nil)
	var p *Panic
	if !errors.As(err, &p) || p.Value != "at the board" || !strings.Contains(err.Error(), "watchdog_test.go") {
		t.Errorf("%v, want the panic with its stack", err)
	}
}

// hanging is a searcher that hangs where hang says, until it is released.
type hanging struct {
	hang    string
	release chan struct{}
	calls   []string
}

func (h *hanging) call(name string) {
	h.calls = append(h.calls, name)
	if h.hang == name {
		<-h.release
	}
}

func (h *hanging) NewGame()   { h.call("new game") }
func (h *hanging) PonderHit() {}
func (h *hanging) Close() error {
	h.call("close")
	return nil
}

func (h *hanging) Search(_ context.Context, g *board.Game, _ search.Limits, report func(search.Info)) (search.Result, error) {
	report(search.Info{Depth: 1})
	h.call("search")
	g.Play(g.Pos.LegalMoves(nil)[0]) // its own copy
	report(search.Info{Depth: 2})
	return search.Result{Info: search.Info{Depth: 2}}, nil
}

func TestSearcher(t *testing.T) {
	for _, c := range []struct{ hang, calls string }{
		{"", "new game, search, close"},
		{"new game", "new game"},
		{"search", "new game, search"},
		{"close", "new game, search, close"},
	} {
		t.Run(c.hang, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &hanging{hang: c.hang, release: make(chan struct{})}
				s := New(h, Grace)
				begun := time.Now()
				ctx, stop := context.WithTimeout(t.Context(), time.Minute)
				defer stop()
				g, depth := board.NewGame(board.StartPosition()), 0
				err := s.NewGame(ctx)
				if hangs := c.hang == "new game"; errors.Is(err, ErrHang) != hangs {
					t.Errorf("NewGame: %v", err)
				}
				if err == nil {
					_, err = s.Search(ctx, g, search.Limits{}, func(i search.Info) { depth = i.Depth })
					if hangs := c.hang == "search"; errors.Is(err, ErrHang) != hangs || !hangs && (err != nil || depth != 2) {
						t.Errorf("Search: %v, depth %d", err, depth)
					}
				}
				before := depth
				if err := s.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
				if took := time.Since(begun); took > time.Minute+Grace {
					t.Errorf("it took %v", took)
				}
				close(h.release)
				synctest.Wait()
				if got := strings.Join(h.calls, ", "); got != c.calls {
					t.Errorf("called: %s; want %s", got, c.calls)
				}
				if depth != before || len(g.Moves) != 0 {
					t.Errorf("an abandoned search reported depth %d and played %v", depth, g.Moves)
				}
			})
		})
	}
}

// TestOpen closes a searcher that is made too late.
func TestOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		h := &hanging{}
		if s, err := Open(ctx, Grace, func() (search.Searcher, error) {
			time.Sleep(time.Hour)
			return h, nil
		}); s != nil || !errors.Is(err, ErrHang) {
			t.Errorf("%v, %v", s, err)
		}
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if len(h.calls) != 1 || h.calls[0] != "close" {
			t.Errorf("called: %v; want close", h.calls)
		}
	})
}
