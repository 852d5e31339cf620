package treemachine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"tesla/internal/bus"
)

// remembered is how many results a node keeps, for a parent that did not get one.
const remembered = 64

// node is the process of a node other than the root.
type node struct {
	station
	commit string
	parent *port
	quit   context.CancelFunc
	begun  sync.Once
	opened sync.WaitGroup

	mu      sync.Mutex
	heard   time.Time // from the parent
	ready   bool
	reason  string // the node cannot be what it was to be
	failed  error  // of what searches its tasks
	held    map[uint64]bool
	results []result // the last ones
}

// RunNode is a node process. The process that started it says in the environment who it is. It returns when the parent
// says so, or is gone. commit is that of the program.
func RunNode(ctx context.Context, commit string) error {
	n := &node{commit: commit, heard: time.Now(), held: map[uint64]bool{}}
	if err := json.Unmarshal([]byte(os.Getenv(variable)), &n.identity); err != nil {
		return fmt.Errorf("%s of the environment: %w", variable, err)
	}
	if err := os.Unsetenv(variable); err != nil {
		return err
	}
	var err error
	if n.conn, err = n.Bus.Connect("node "+n.Name, nil); err != nil {
		return err
	}
	defer n.conn.Close()
	ctx, n.quit = context.WithCancel(ctx)
	defer n.quit()
	down, up := subjects(n.Machine, n.Name)
	if n.parent, err = newPort(ctx, n.conn, up, down, n.Delay, func(m message) { n.hear(ctx, m) }); err != nil {
		return err
	}
	tick := time.NewTicker(beatTime)
	defer tick.Stop()
	for ctx.Err() == nil {
		if n.beat(); n.orphaned() {
			break
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	n.quit()
	n.opened.Wait()
	n.close()
	return n.failed
}

// beat tells the parent how the node is.
func (n *node) beat() {
	n.mu.Lock()
	m := message{Kind: beat, Ready: n.ready, Reason: n.reason, Held: slices.Collect(maps.Keys(n.held))}
	n.mu.Unlock()
	if m.Ready {
		m.Slots = n.pool.slots()
	}
	n.parent.send(m)
}

func (n *node) orphaned() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return time.Since(n.heard) > orphanTime
}

func (n *node) hear(ctx context.Context, m message) {
	n.mu.Lock()
	n.heard = time.Now()
	ready := n.ready
	n.mu.Unlock()
	switch {
	case m.Kind == quit:
		n.quit()
	case m.Kind == echo:
		n.parent.send(m)
	case m.Kind == begin:
		n.begun.Do(func() { n.opened.Go(func() { n.begin(ctx, *m.Begin) }) })
	case m.Kind == ask && ready:
		n.take(*m.Task)
	case m.Kind == stop && ready:
		n.mu.Lock()
		delete(n.held, m.ID)
		n.mu.Unlock()
		n.pool.drop(m.ID)
	}
}

// begin makes the node what it is to be.
func (n *node) begin(ctx context.Context, o order) {
	err := n.open(ctx, o)
	if err == nil {
		err = n.grow(ctx, o.Children)
	}
	n.mu.Lock()
	if n.ready = err == nil; err != nil {
		n.reason = err.Error()
	}
	n.mu.Unlock()
	n.beat()
}

// open opens what the node searches with.
func (n *node) open(ctx context.Context, o order) error {
	if o.Commit != n.commit {
		return fmt.Errorf("program of commit %s, that of the root is of %s", n.commit, o.Commit)
	}
	if e := o.Engine; e != nil && e.Path != n.Engine {
		return fmt.Errorf("engine %s not allowed by the node server; tesla fleet node --engine allows it", e.Path)
	}
	mind, err := newThinker(ctx, o)
	if err != nil {
		return err
	}
	n.order, n.pool = o, newPool(o.Ahead)
	x := newExecutor(mind, o.Pace, n.pool.finish)
	n.pool.join(&seat{name: n.Name, send: x.send}, 1)
	n.opened.Go(func() {
		if err := x.run(ctx); err != nil {
			n.mu.Lock()
			n.failed = err
			n.mu.Unlock()
			n.quit()
		}
		_ = mind.close() // the process ends
	})
	return nil
}

// take has a task searched, here or below. A task that was searched already is answered again.
func (n *node) take(t task) {
	n.mu.Lock()
	i := slices.IndexFunc(n.results, func(r result) bool { return r.ID == t.ID })
	if i >= 0 {
		r := n.results[i]
		n.mu.Unlock()
		n.parent.send(message{Kind: done, Result: &r})
		return
	}
	if n.held[t.ID] {
		n.mu.Unlock()
		return
	}
	n.held[t.ID] = true
	n.mu.Unlock()
	n.pool.do(t, func(r result, _ error) { // the node itself is a seat that never leaves
		n.mu.Lock()
		delete(n.held, r.ID)
		if n.results = append(n.results, r); len(n.results) > remembered {
			n.results = n.results[1:]
		}
		n.mu.Unlock()
		n.parent.send(message{Kind: done, Result: &r})
	})
}

// hostSubject is where the node server of a host listens.
func hostSubject(host string) string { return "tree.host." + host }

// ServeHost runs the node server of a host: it starts the processes that trees have there, until ctx is done. engine is
// the UCI engine that they may search with; empty: none.
func ServeHost(ctx context.Context, at bus.Address, host, engine string, ready func()) error {
	if !word.MatchString(host) || host == local {
		return fmt.Errorf("host %q: want a name of letters, digits, - and _, other than %s", host, local)
	}
	conn, err := at.Connect("node server "+host, nil)
	if err != nil {
		return err
	}
	defer conn.Close()
	var ends sync.WaitGroup
	requests, err := conn.SubscribeSync(hostSubject(host))
	if err == nil {
		err = conn.Flush()
	}
	if err != nil {
		return err
	}
	ready()
	for {
		m, err := requests.NextMsgWithContext(ctx)
		if errors.Is(err, context.Canceled) {
			ends.Wait() // the nodes end when their roots do
			return nil
		}
		if err != nil {
			return err
		}
		var id identity
		if err = json.Unmarshal(m.Data, &id); err == nil {
			id.Bus, id.Engine = at, engine
			_, err = spawn(conn, id, &ends)
		}
		var answer []byte
		if err != nil {
			answer = []byte(err.Error())
		}
		if err := m.Respond(answer); err != nil {
			return err
		}
	}
}
