package treemachine

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"tesla/search/alphabeta"
)

// kind is what a message says.
type kind string

// The kinds of messages.
const (
	beat  kind = "beat"  // from both ends, now and then
	begin kind = "begin" // to a child that is new: what it is to be
	ask   kind = "task"
	stop  kind = "stop" // the task is not needed any more
	done  kind = "done"
	gone  kind = "gone" // whoever started the child saw it end
	quit  kind = "quit"
	echo  kind = "echo" // comes back at once: the cost of a message is measured
)

// message is what nodes tell each other.
type message struct {
	Kind   kind
	Begin  *order  `json:",omitempty"`
	Task   *task   `json:",omitempty"`
	Result *result `json:",omitempty"`
	ID     uint64  `json:",omitempty"` // of the task to stop

	// Of a beat of a child.
	Ready  bool     `json:",omitempty"` // it takes tasks
	Slots  int      `json:",omitempty"` // the tasks that it and the nodes below it search at a time
	Held   []uint64 `json:",omitempty"` // the tasks that it has
	Reason string   `json:",omitempty"` // it cannot be what it was to be, or why it is gone
}

// whole reports whether a message has what its kind needs.
func (m *message) whole() bool {
	switch m.Kind {
	case begin:
		return m.Begin != nil
	case ask:
		return m.Task != nil && (m.Task.Leaf == nil) != (m.Task.Branch == nil)
	case done:
		return m.Result != nil
	}
	return true
}

// task is a search that a node is asked for. One of Leaf and Branch is not nil.
type task struct {
	ID     uint64
	Key    uint64 `json:"-"` // of the position: a node that knows it is preferred
	Game   int    // tables are cleared when it changes
	Search int    // tables age when it changes
	FEN    string
	Leaf   *leaf             `json:",omitempty"`
	Branch *alphabeta.Branch `json:",omitempty"`
}

// leaf is what alphabeta.Leaf needs beside the position.
type leaf struct {
	Keys          []uint64
	Game, Further int
}

// result is what the search of a task found.
type result struct {
	ID      uint64
	Found   alphabeta.Found
	Stopped bool          // the search was stopped: of Found only the nodes count
	Took    time.Duration // of the search itself
}

// port is one end of a two-way connection between a node and its parent. The messages of an end arrive in the order in
// which they were sent. Where the connection to the NATS server breaks, some may get lost.
type port struct {
	conn  *nats.Conn
	out   string        // subject
	delay time.Duration // of each message that is sent, to see what a slow network does
	late  chan parcel   // messages that wait for that; nil: they do not
	done  <-chan struct{}
	sent  atomic.Int64 // messages about tasks, in both directions
}

type parcel struct {
	text []byte
	due  time.Time
}

// lateRoom is how many delayed messages may wait.
const lateRoom = 4096

// subjects are those of the port above a node: on which it is told, and on which it tells.
func subjects(machine, node string) (down, up string) {
	return fmt.Sprintf("tree.%s.%s.down", machine, node), fmt.Sprintf("tree.%s.%s.up", machine, node)
}

// newPort makes a port that sends on one subject and calls hear, on one goroutine, for each message on the other. It
// returns when the server knows of it. The port is open until ctx is done.
func newPort(ctx context.Context, conn *nats.Conn, out, in string, delay time.Duration, hear func(message)) (*port, error) {
	p := &port{conn: conn, out: out, delay: delay, done: ctx.Done()}
	if delay > 0 {
		p.late = make(chan parcel, lateRoom)
		go p.deliver()
	}
	sub, err := conn.Subscribe(in, func(m *nats.Msg) {
		var got message
		if json.Unmarshal(m.Data, &got) != nil || !got.whole() {
			return // it is not from a node
		}
		if got.Kind == done {
			p.sent.Add(1)
		}
		hear(got)
	})
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = sub.Unsubscribe() }) // the connection may be gone
	return p, conn.Flush()
}

// send sends a message. It blocks only where very many delayed ones wait.
func (p *port) send(m message) {
	text, _ := json.Marshal(m) // no field can fail
	if m.Kind == ask || m.Kind == stop {
		p.sent.Add(1)
	}
	if p.late != nil {
		select {
		case p.late <- parcel{text, time.Now().Add(p.delay)}:
		case <-p.done:
		}
		return
	}
	_ = p.conn.Publish(p.out, text) // what is lost is sent again
}

// deliver sends delayed messages when they are due.
func (p *port) deliver() {
	for {
		select {
		case m := <-p.late:
			time.Sleep(time.Until(m.due))
			_ = p.conn.Publish(p.out, m.text)
		case <-p.done:
			return
		}
	}
}
