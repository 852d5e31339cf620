package treemachine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"tesla/board"
)

// A task that was stopped leaves nothing for the next one to wait for.
func TestPaceAfterStop(t *testing.T) {
	x := newExecutor(nil, time.Second, nil)
	x.slow(time.Now(), 1000, func() bool { return true })
	if x.paced.After(time.Now()) {
		t.Errorf("the next task waits until %v", x.paced)
	}
}

// notebook is a thinker that notes what it is told. A search waits until it is let go, or stopped.
type notebook struct {
	mu   sync.Mutex
	told []string
	free chan struct{}
	fail error
}

func (b *notebook) note(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.told = append(b.told, text)
}

func (b *notebook) newGame() error { b.note("game"); return b.fail }
func (b *notebook) newSearch()     { b.note("search") }
func (b *notebook) close() error   { return nil }

func (b *notebook) think(t *task, _ *board.Position, stop func() bool) (result, error) {
	b.note(fmt.Sprint("think ", t.ID))
	for !stop() {
		select {
		case <-b.free:
			return result{}, nil
		case <-time.After(time.Millisecond):
		}
	}
	return result{Stopped: true}, nil
}

// Tasks are searched in order. Tables are told of a new game and of a new search. A task that waits is not searched once it is
// stopped, and one that is searched ends; a stop for another task does not touch it. A task without a position is passed over.
func TestExecutor(t *testing.T) {
	start := board.StartPosition()
	mind := &notebook{free: make(chan struct{})}
	results := make(chan result, 9)
	x := newExecutor(mind, 0, func(r result) { results <- r })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- x.run(ctx) }()
	give := func(id uint64, game, search int, fen string) {
		x.send(message{Kind: ask, Task: &task{ID: id, Game: game, Search: search, FEN: fen}})
	}
	give(1, 1, 1, start.FEN(true))
	give(2, 1, 1, "nonsense")
	give(3, 1, 1, start.FEN(true))
	give(4, 1, 2, start.FEN(true))
	give(5, 2, 2, start.FEN(true))
	x.send(message{Kind: stop, ID: 3})
	x.send(message{Kind: stop, ID: 99})
	mind.free <- struct{}{}
	if r := <-results; r.ID != 1 || r.Stopped {
		t.Errorf("%+v", r)
	}
	for { // until 4 is searched
		mind.mu.Lock()
		searched := slices.Contains(mind.told, "think 4")
		mind.mu.Unlock()
		if searched {
			break
		}
		time.Sleep(time.Millisecond)
	}
	x.send(message{Kind: stop, ID: 4})
	if r := <-results; r.ID != 4 || !r.Stopped {
		t.Errorf("%+v", r)
	}
	mind.free <- struct{}{}
	if r := <-results; r.ID != 5 || r.Stopped {
		t.Errorf("%+v: the stop of another task counts for it", r)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if want := []string{"game", "search", "think 1", "search", "think 4", "game", "think 5"}; !slices.Equal(mind.told, want) {
		t.Errorf("%v, want %v", mind.told, want)
	}
}

// A thinker that fails ends the node.
func TestExecutorFails(t *testing.T) {
	start := board.StartPosition()
	broken := errors.New("broken")
	x := newExecutor(&notebook{fail: broken}, 0, func(result) { t.Error("a result") })
	x.send(message{Kind: ask, Task: &task{ID: 1, Game: 1, FEN: start.FEN(true)}})
	if err := x.run(t.Context()); !errors.Is(err, broken) {
		t.Error(err)
	}
}
