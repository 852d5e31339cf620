package treemachine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"tesla/internal/bus"
)

// How nodes notice that others are gone.
const (
	beatTime   = 250 * time.Millisecond
	deadTime   = 5 * time.Second  // a child that is silent for so long is gone
	orphanTime = 15 * time.Second // so is a parent
	growTime   = 30 * time.Second // for a tree to be ready
	endTime    = 2 * time.Second  // for a process to end that was told to
)

// NodeArguments are the arguments with which this program runs as a node, see RunNode. Without them it cannot start
// one. The command sets them before anything is searched.
var NodeArguments []string

// variable is the environment variable that tells a node process who it is.
const variable = "TESLA_NODE"

// identity is who a node process is.
type identity struct {
	Bus     bus.Address
	Machine string // the tree that it belongs to
	Name    string
	Delay   time.Duration // of its messages
	Engine  string        // the only UCI engine that it may start; empty: none
}

// order is what a child is to be.
type order struct {
	Commit, Net string  // of the root: a child must have the same
	Weights     string  // file of the net; empty: it is built in
	Engine      *Engine // searches in place of this program; nil: none
	Hash        int     // MiB
	LeafDepth   int
	Ahead       int  // see pool
	Plain       bool // see alphabeta.Mode
	Pace        time.Duration
	Children    []*Node
}

// station is a process and its children in the tree.
type station struct {
	identity
	conn     *nats.Conn
	pool     *pool
	order    order
	children []*child
	wait     sync.WaitGroup // for processes
	ended    context.CancelFunc
}

// child is a child of this process.
type child struct {
	*Node
	station *station
	seat    *seat
	port    *port
	echoes  chan struct{}
	ready   chan error // says once whether the child is ready
	ended   bool       // its process has; of hear alone

	mu    sync.Mutex
	heard time.Time
	cmd   *exec.Cmd // nil: the process runs on another host
}

// grow creates nodes and all below them, and returns when they are ready.
func (s *station) grow(ctx context.Context, nodes []*Node) error {
	ctx, s.ended = context.WithCancel(ctx)
	for _, n := range nodes {
		c := &child{Node: n, station: s, echoes: make(chan struct{}, 1), ready: make(chan error, 1), heard: time.Now()}
		down, up := subjects(s.Machine, n.Name)
		var err error
		if c.port, err = newPort(ctx, s.conn, down, up, s.Delay, c.hear); err != nil {
			return fmt.Errorf("node %s: %w", n.Name, err)
		}
		c.seat = &seat{name: n.Name, send: c.port.send}
		s.children = append(s.children, c)
		if err := c.create(); err != nil {
			return fmt.Errorf("node %s on host %s: %w", n.Name, n.Host, err)
		}
	}
	go s.watch(ctx)
	limit := time.After(growTime)
	for _, c := range s.children {
		select {
		case err := <-c.ready:
			if err != nil {
				return fmt.Errorf("node %s on host %s: %w", c.Name, c.Host, err)
			}
		case <-limit:
			return fmt.Errorf("node %s on host %s: not ready after %v", c.Name, c.Host, growTime)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// create creates the process of a child.
func (c *child) create() (err error) {
	s := c.station
	id := identity{s.Bus, s.Machine, c.Name, s.Delay, s.Engine}
	if c.Host == local {
		c.cmd, err = spawn(s.conn, id, &s.wait)
		return err
	}
	text, _ := json.Marshal(id) // no field can fail
	answer, err := s.conn.Request(hostSubject(c.Host), text, deadTime)
	switch {
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, nats.ErrTimeout):
		return errors.New("no answer from a node server; tesla fleet node starts one")
	case err == nil && len(answer.Data) > 0:
		return errors.New(string(answer.Data))
	}
	return err
}

// spawn starts a node process on this host. Its end is told on its port.
func spawn(conn *nats.Conn, id identity, ends *sync.WaitGroup) (*exec.Cmd, error) {
	if len(NodeArguments) == 0 {
		return nil, errors.New("no processes of a tree machine in this program")
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, _ := json.Marshal(id) // no field can fail
	cmd := exec.Command(program, NodeArguments...)
	cmd.Env = append(os.Environ(), variable+"="+string(text))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ends.Go(func() {
		end := message{Kind: gone, Reason: "its process has ended"}
		if err := cmd.Wait(); err != nil {
			end.Reason += ": " + err.Error()
		}
		text, _ := json.Marshal(end)
		_, up := subjects(id.Machine, id.Name)
		_ = conn.Publish(up, text) // nobody may be left who wants to know
	})
	return cmd, nil
}

func (c *child) hear(m message) {
	c.mu.Lock()
	c.heard = time.Now()
	c.mu.Unlock()
	pool := c.station.pool
	switch m.Kind {
	case beat:
		switch {
		case c.ended: // whoever saw it end told on another connection, and was faster
		case m.Reason != "":
			c.tell(errors.New(m.Reason))
		case !m.Ready:
			o := c.station.order
			o.Children = c.Children
			c.port.send(message{Kind: begin, Begin: &o})
		default:
			pool.join(c.seat, m.Slots)
			pool.compare(c.seat, m.Held)
			c.tell(nil)
		}
	case done:
		pool.finish(*m.Result)
	case gone:
		c.ended = true
		pool.leave(c.seat)
		c.tell(errors.New(m.Reason))
	case echo:
		select {
		case c.echoes <- struct{}{}:
		default:
		}
	}
}

// tell tells grow, once, whether the child is ready.
func (c *child) tell(err error) {
	select {
	case c.ready <- err:
	default:
	}
}

// watch tells the children that this process lives, and takes note of those that are silent.
func (s *station) watch(ctx context.Context) {
	tick := time.NewTicker(beatTime)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		for _, c := range s.children {
			c.port.send(message{Kind: beat})
			c.mu.Lock()
			silent := time.Since(c.heard) > deadTime
			c.mu.Unlock()
			if silent {
				s.pool.leave(c.seat)
			}
		}
	}
}

// close ends the children, and waits for those on this host.
func (s *station) close() {
	for _, c := range s.children {
		if c.port != nil {
			c.port.send(message{Kind: quit})
		}
	}
	all := make(chan struct{})
	go func() {
		s.wait.Wait()
		close(all)
	}()
	select {
	case <-all:
	case <-time.After(endTime + s.Delay):
		for _, c := range s.children {
			if c.cmd != nil {
				_ = c.cmd.Process.Kill() // it has ended by itself
			}
		}
		<-all
	}
	if s.ended != nil {
		s.ended()
	}
}
