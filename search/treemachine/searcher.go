package treemachine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"tesla/batcher"
	"tesla/bestfirst"
	"tesla/board"
	"tesla/internal/bus"
	"tesla/nnue"
	"tesla/search"
	"tesla/search/alphabeta"
	"tesla/search/treesearch"
	"tesla/tablebase"
	"tesla/tt128"
)

// Words are the options of SearchOptions.
type Words struct {
	PVSplit    bool // the method is principal variation splitting; else best-first search
	Plain      bool // pvsplit: without null moves, reductions, extensions and pruning, as in 1984
	SplitDepth int  // pvsplit: the least depth of a node whose moves are shared out
	Ahead      int  // tasks that wait at each node, so that it need not wait for the next
	Delay      int  // of each message, in milliseconds, to see what a slow network does
	Pace       int  // the least time of a node of the search, in microseconds, to see what slow processors do
}

// DefaultWords are the defaults.
func DefaultWords() Words { return Words{SplitDepth: 6, Ahead: 1} }

// Set changes words; see [search.SetOptions].
func (w *Words) Set(text string) error {
	return search.SetOptions(w, text)
}

// DefaultLeafDepth is the depth of the search of a leaf, plies: some milliseconds, far more than a message takes.
const DefaultLeafDepth = 6

// Config is what a Searcher is made from.
type Config struct {
	Words
	Hosts      string // file that describes the tree; empty: Nodes children on this host
	Nodes      int
	Commit     string // of the program
	Net        *nnue.Net
	Weights    string // its file; empty: it is built in
	Table      *tt128.Table
	LeafDepth  int // plies
	TreeMemory int // bytes
	Backend    batcher.Backend
	Tables     *tablebase.Prober // of endgames, which the root alone probes; nil: none
	Fit        *bestfirst.Fit
	Verbose    bool
}

// Searcher is the root of a tree of processes. It implements search.Searcher.
type Searcher struct {
	search.Searcher // pvsplit's master, or the promoter
	station
	server *bus.Server // nil: another one connects the tree
	crew   *crew       // of pvsplit; else nil
	last   atomic.Uint64
	game   int // counts

	// Of the last search.
	number int // it counts
	sent   int64
	idle   time.Duration

	mu      sync.Mutex
	failed  error
	cancel  context.CancelFunc
	measure sync.Once
	cost    time.Duration
}

// New creates the tree. It returns when all nodes are ready. Backend, net and table stay the caller's.
func New(c Config) (_ *Searcher, err error) {
	h := localTree(c.Nodes)
	if c.Hosts != "" {
		if h, err = ReadHosts(c.Hosts); err != nil {
			return nil, err
		}
	}
	if h.Engine != nil && c.PVSplit {
		return nil, errors.New("treemachine: pvsplit needs this program's alpha-beta on the nodes, an engine searches leaves only")
	}
	s := &Searcher{}
	s.identity = identity{Bus: h.Bus, Machine: rand.Text(), Name: Root, Delay: time.Duration(c.Delay) * time.Millisecond}
	if h.Engine != nil {
		s.Engine = h.Engine.Path
	}
	s.pool = newPool(c.Ahead)
	s.order = order{Commit: c.Commit, Net: c.Net.ShortHash(), Weights: c.Weights, Engine: h.Engine, Hash: c.Table.Megabytes(), LeafDepth: c.LeafDepth,
		Ahead: c.Ahead, Plain: c.Plain, Pace: time.Duration(c.Pace) * time.Microsecond}
	defer func() {
		if err != nil {
			s.end()
			err = fmt.Errorf("treemachine: %w", err)
		}
	}()
	if s.Bus.Server == "" {
		s.Bus.Token = rand.Text()
		if s.server, err = bus.Serve(bus.ServerOptions{Listen: "127.0.0.1:0", Token: s.Bus.Token}); err != nil {
			return nil, err
		}
		s.Bus.Server = s.server.Address()
	}
	if s.conn, err = s.Bus.Connect("tree machine", nil); err != nil {
		return nil, err
	}
	if err = s.grow(context.Background(), h.Children); err != nil {
		return nil, err
	}
	s.Searcher, err = s.method(c)
	return s, err
}

// method is the searcher that makes the tasks.
func (s *Searcher) method(c Config) (search.Searcher, error) {
	if c.PVSplit {
		o := alphabeta.DefaultOptions()
		o.SplitDepth, o.Plain = c.SplitDepth, c.Plain
		s.crew = &crew{Searcher: s}
		m, err := alphabeta.NewMaster(s.crew, c.Net, c.Table, o)
		if err == nil {
			m.UseTables(c.Tables)
		}
		return m, err
	}
	var scouts []treesearch.Deepener
	for range s.pool.room() {
		scouts = append(scouts, &scout{Searcher: s})
	}
	return bestfirst.New(c.Backend, c.Table, bestfirst.Options{BatchSize: 1, TreeMemory: c.TreeMemory, Leaves: scouts, MostPending: len(scouts),
		Tables: c.Tables, Fit: c.Fit, Verbose: c.Verbose})
}

// Search implements search.Searcher. It fails where the last node is gone.
func (s *Searcher) Search(ctx context.Context, g *board.Game, limits search.Limits, report func(search.Info)) (search.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	s.failed, s.cancel = nil, cancel
	s.mu.Unlock()
	s.number++
	sent, took, start := s.messages(), s.pool.took.Load(), time.Now()
	r, err := s.Searcher.Search(ctx, g, limits, report)
	if s.crew != nil { // a slow root would have taken so long for its nodes
		time.Sleep(time.Duration(r.Info.Nodes-s.crew.found) * s.order.Pace)
		s.crew.found = 0
	}
	nodes := s.pool.slots()
	all := time.Duration(nodes) * time.Since(start)
	s.sent, s.idle = s.messages()-sent, max(0, all-time.Duration(s.pool.took.Load()-took))
	if report != nil {
		report(search.Info{Text: fmt.Sprintf("tree machine: %d nodes, idle for %.1f %% of the time; %d messages; %d tasks given again so far",
			nodes, 100*s.idle.Seconds()/max(1e-9, all.Seconds()), s.sent, s.pool.again.Load())})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return r, errors.Join(err, s.failed)
}

func (s *Searcher) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = fmt.Errorf("treemachine: %w", err)
		s.cancel()
	}
}

// NewGame implements search.Searcher. The tables of the nodes are cleared before their next task.
func (s *Searcher) NewGame() {
	s.game++
	s.Searcher.NewGame()
}

// Close implements search.Searcher. It ends the processes.
func (s *Searcher) Close() error {
	err := s.Searcher.Close()
	s.end()
	return err
}

func (s *Searcher) end() {
	if s.conn != nil {
		s.close()
		s.conn.Close()
	}
	if s.server != nil {
		s.server.Close()
	}
}

// newTask is a task with a number of its own.
func (s *Searcher) newTask(p *board.Position) task {
	return task{ID: s.last.Add(1), Game: s.game, Search: s.number, FEN: p.FEN(true)}
}

// recent are the last of the keys of a game, those that a position after them can repeat. first is their index.
func recent(p *board.Position, keys []uint64) (last []uint64, first int) {
	first = max(0, len(keys)-1-int(p.Halfmove))
	return keys[first:], first
}

// pollTime is how often those that wait for a task ask whether they are to stop.
const pollTime = 2 * time.Millisecond

// scout searches leaves of the promoter on nodes. It implements treesearch.Deepener.
type scout struct {
	*Searcher
	found alphabeta.Found
}

// Leaf implements treesearch.Deepener.
func (d *scout) Leaf(p *board.Position, keys []uint64, game, further int, stop func() bool) (cp int, best board.Move) {
	t := d.newTask(p)
	keys, first := recent(p, keys)
	t.Key = p.Key
	t.Leaf = &leaf{keys, game - first, further}
	answers := make(chan result, 1)
	d.pool.do(t, func(r result, err error) {
		if err != nil {
			d.fail(err)
		}
		answers <- r
	})
	tick := time.NewTicker(pollTime)
	defer tick.Stop()
	for {
		select {
		case r := <-answers:
			d.found = r.Found
			return r.Found.Value, r.Found.Move
		case <-tick.C:
			if stop() {
				d.pool.drop(t.ID)
				d.found = alphabeta.Found{}
				return 0, board.NullMove
			}
		}
	}
}

func (d *scout) Work() (nodes int64, plies int) { return d.found.Nodes, d.found.Plies }

// Forget implements treesearch.Deepener: NewGame does it for all nodes.
func (d *scout) Forget() {}

// crew searches branches of the principal variation on nodes. It implements alphabeta.Workers.
type crew struct {
	*Searcher
	found   int64 // nodes in this search
	given   []uint64
	answers chan answer // of those that were given since the last Drop
}

type answer struct {
	result
	err error
}

// Room implements alphabeta.Workers. Some branches wait here, so that a node can be given one that it knows. Where the last node
// is gone no branch is given any more, whose error would say so: the search fails here.
func (c *crew) Room() int {
	slots := c.pool.slots()
	if slots == 0 {
		c.fail(errNoNodes)
	}
	return c.pool.room() + slots
}

// Give implements alphabeta.Workers.
func (c *crew) Give(b alphabeta.Branch) {
	if c.answers == nil {
		c.answers = make(chan answer, board.MaxMoves) // room for all moves of a node
	}
	t, answers := c.newTask(&b.Root), c.answers
	b.Keys, _ = recent(&b.Root, b.Keys)
	t.Key = b.After()
	t.Branch = &b
	c.given = append(c.given, t.ID)
	c.pool.do(t, func(r result, err error) { answers <- answer{r, err} })
}

// Next implements alphabeta.Workers.
func (c *crew) Next(stop func() bool) (alphabeta.Found, bool) {
	tick := time.NewTicker(pollTime)
	defer tick.Stop()
	for {
		select {
		case a := <-c.answers:
			if a.err != nil {
				c.fail(a.err)
			}
			c.found += a.Found.Nodes
			return a.Found, a.err == nil
		case <-tick.C:
			if stop() {
				return alphabeta.Found{}, false
			}
		}
	}
}

// Drop implements alphabeta.Workers.
func (c *crew) Drop() {
	c.pool.drop(c.given...)
	c.given, c.answers = nil, nil
}

// What package speedup asks.

// Messages is the number of messages about tasks between the root and its children in the last search.
func (s *Searcher) Messages() int64 { return s.sent }

// Idle is the time that nodes did not search in the last search, the sum over them.
func (s *Searcher) Idle() time.Duration { return s.idle }

// Path is 0: the critical path is not measured.
func (s *Searcher) Path() int64 { return 0 }

// echoes is how many messages measure the cost of one.
const echoes = 40

// MessageCost is half the time that a message to a child and back takes, an injected delay included. It is measured at
// the first call.
func (s *Searcher) MessageCost() time.Duration {
	s.measure.Do(func() {
		start, c := time.Now(), s.children[0]
		for range echoes {
			c.port.send(message{Kind: echo})
			select {
			case <-c.echoes:
			case <-time.After(deadTime):
				return // the child is gone
			}
		}
		s.cost = time.Since(start) / (2 * echoes)
	})
	return s.cost
}

func (s *Searcher) messages() (n int64) {
	for _, c := range s.children {
		n += c.port.sent.Load()
	}
	return n
}
