package treemachine

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"tesla/internal/bus"
	"tesla/search/alphabeta"
)

// busOf is a connection to a server of its own.
func busOf(t *testing.T) *nats.Conn {
	t.Helper()
	s, err := bus.Serve(bus.ServerOptions{Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	at := bus.Address{Server: s.Address()}
	conn, err := at.Connect("test", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

// heard are the messages of a port.
type heard chan message

func (h heard) next(t *testing.T) message {
	t.Helper()
	select {
	case m := <-h:
		return m
	case <-time.After(time.Minute):
		t.Fatal("no message comes")
		return message{}
	}
}

// Messages arrive as they were sent and in order, also through a slow network, where each takes its time. Those about tasks are
// counted in both directions.
func TestPort(t *testing.T) {
	conn := busOf(t)
	for _, delay := range []time.Duration{0, 20 * time.Millisecond} {
		name := fmt.Sprint("n", delay.Milliseconds())
		down, up := subjects("machine", name)
		above, below := make(heard, 99), make(heard, 99)
		ctx, cancel := context.WithCancel(t.Context())
		parent, err := newPort(ctx, conn, down, up, delay, func(m message) { above <- m })
		if err != nil {
			t.Fatal(err)
		}
		child, err := newPort(ctx, conn, up, down, delay, func(m message) { below <- m })
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for id := range uint64(20) {
			parent.send(message{Kind: ask, Task: &task{ID: id, Key: 7, Game: 1, Search: 2, FEN: "f", Leaf: &leaf{Keys: []uint64{id}, Game: 3, Further: 4}}})
		}
		for id := range uint64(20) {
			m := below.next(t)
			if m.Kind != ask || m.Task.ID != id || m.Task.Key != 0 || m.Task.FEN != "f" || m.Task.Leaf.Further != 4 || !slices.Equal(m.Task.Leaf.Keys, []uint64{id}) {
				t.Fatalf("message %d: %+v", id, m.Task)
			}
		}
		if took := time.Since(began); took < delay {
			t.Errorf("it took %v, want at least %v", took, delay)
		}
		parent.send(message{Kind: stop, ID: 5})
		child.send(message{Kind: done, Result: &result{ID: 1, Stopped: true, Took: time.Second}})
		child.send(message{Kind: beat, Ready: true, Slots: 3, Held: []uint64{8, 9}})
		if m := below.next(t); m.Kind != stop || m.ID != 5 {
			t.Errorf("%+v", m)
		}
		if m := above.next(t); m.Kind != done || m.Result.ID != 1 || !m.Result.Stopped || m.Result.Took != time.Second {
			t.Errorf("%+v", m)
		}
		if m := above.next(t); m.Kind != beat || !m.Ready || m.Slots != 3 || !slices.Equal(m.Held, []uint64{8, 9}) {
			t.Errorf("%+v", m)
		}
		if n := parent.sent.Load(); n != 22 {
			t.Errorf("%d messages about tasks, want 22", n)
		}
		cancel()
	}
}

// What is no message of a node, or lacks what its kind needs, is passed over.
func TestPortPassesOver(t *testing.T) {
	conn := busOf(t)
	below := make(heard, 9)
	if _, err := newPort(t.Context(), conn, "out", "in", 0, func(m message) { below <- m }); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "noise", "[]", `{"Kind":"task"}`, `{"Kind":"task","Task":{"ID":1}}`,
		`{"Kind":"task","Task":{"ID":1,"Leaf":{},"Branch":{}}}`, `{"Kind":"done"}`, `{"Kind":"begin","Begin":null}`, `{"Kind":"quit"}`} {
		if err := conn.Publish("in", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if m := below.next(t); m.Kind != quit {
		t.Errorf("%+v", m)
	}
}

// A node searches a task once. One that it has is passed over, and one that it has searched is answered again.
func TestTake(t *testing.T) {
	conn := busOf(t)
	above := make(heard, 99)
	if _, err := newPort(t.Context(), conn, "down", "up", 0, func(m message) { above <- m }); err != nil {
		t.Fatal(err)
	}
	n := &node{held: map[uint64]bool{}, ready: true}
	n.pool = newPool(0)
	var err error
	if n.parent, err = newPort(t.Context(), conn, "up", "down", 0, func(message) {}); err != nil {
		t.Fatal(err)
	}
	one := newDesk("one")
	n.pool.join(&one.seat, 1)
	hear := func(k kind, id uint64) {
		n.hear(t.Context(), message{Kind: k, ID: id, Task: &task{ID: id, Leaf: &leaf{}}})
	}
	hear(ask, 1)
	hear(ask, 1) // it was sent twice
	one.want(t, "task1")
	n.pool.finish(result{ID: 1, Found: alphabeta.Found{Value: 12}})
	hear(ask, 1) // the answer was lost
	for range 2 {
		if m := above.next(t); m.Kind != done || m.Result.ID != 1 || m.Result.Found.Value != 12 {
			t.Errorf("%+v", m)
		}
	}
	one.want(t)
	hear(ask, 2)
	hear(stop, 2)
	one.want(t, "task2", "stop2")
	if n.held[1] || n.held[2] {
		t.Errorf("it holds %v", n.held)
	}
	for id := uint64(3); id < 3+remembered+1; id++ {
		hear(ask, id)
		n.pool.finish(result{ID: id})
	}
	if len(n.results) != remembered || n.results[0].ID != 4 {
		t.Errorf("%d results from %d on", len(n.results), n.results[0].ID)
	}
	one.got = nil
	hear(ask, 1) // it is forgotten, and searched again
	one.want(t, "task1")
}

// A child whose process has ended is given no more tasks, though it told on its own connection before, and is heard after, that it
// is ready. One that was silent comes back.
func TestGone(t *testing.T) {
	s := &station{pool: newPool(0)}
	c := &child{Node: &Node{Name: "n1"}, station: s, seat: &newDesk("n1").seat, ready: make(chan error, 1)}
	alive := message{Kind: beat, Ready: true, Slots: 2}
	c.hear(alive)
	s.pool.leave(c.seat)
	c.hear(alive)
	if n := s.pool.slots(); n != 2 {
		t.Errorf("%d slots after a silence, want 2", n)
	}
	c.hear(message{Kind: gone, Reason: "killed"})
	c.hear(alive)
	if n := s.pool.slots(); n != 0 {
		t.Errorf("%d slots after the end, want none", n)
	}
}
