package speedup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"time"

	"tesla/board"
	"tesla/lab/speedup/replay"
	"tesla/lab/sweep"
	"tesla/lab/watchdog"
	"tesla/search"
	"tesla/search/alphabeta"
)

// DefaultMessage is the time from giving work to a thread that spins to the beginning of that work.
const DefaultMessage = 2 * time.Microsecond

// SimulatedProcessors are those of a simulation.
var SimulatedProcessors = []int{2, 4, 8, 16, 32, 64}

// logger is a searcher that logs its tree.
type logger interface {
	LogTree() bool
	Tree() *alphabeta.Task
}

// Simulation is what replays of the trees of a configuration found.
type Simulation struct {
	Search  string      `json:"search"`
	Options string      `json:"options,omitempty"`
	Model   string      `json:"model"`
	Commit  string      `json:"commit"`
	Message float64     `json:"message"` // seconds
	Node    float64     `json:"node"`    // seconds of one node
	Work    int64       `json:"work"`    // nodes of all positions
	Path    int64       `json:"path"`    // sum of their critical paths, nodes
	Runs    []Simulated `json:"runs"`
}

// Simulated is the sum over the positions for one number of processors.
type Simulated struct {
	Processors int       `json:"processors"`
	Greedy     Scheduled `json:"greedy"` // the bound by the rule of splitting; messages cost nothing
	Offers     Scheduled `json:"offers"` // the scheduler of package alphabeta
	Joins      Scheduled `json:"joins"`  // with late join
}

// Scheduled is what a scheduler reaches.
type Scheduled struct {
	Speedup  float64 `json:"speedup"`
	Messages int64   `json:"messages"`
	Idle     float64 `json:"idle"`   // share of the processors' time
	Wasted   float64 `json:"wasted"` // share of the processors' time that cuts made useless
}

// Simulate logs the tree of each position, searched by one thread to Work or for Limit, and replays it. node is the
// time of a node; 0: as measured.
func Simulate(ctx context.Context, c Config, message, node time.Duration) (*Simulation, error) {
	sim := &Simulation{Search: c.Driver.Name, Options: c.Options, Model: c.Model, Commit: c.Commit, Message: message.Seconds()}
	one := []sweep.Searcher{{Name: c.Driver.Name, Open: func() (search.Searcher, error) { return c.Driver.Open(1) }}}
	all := &sweep.Sweep{Steps: len(c.Positions), What: "positions", Progress: c.Progress}
	logs, err := sweep.Searches(ctx, all, one, func(ctx context.Context, s *sweep.Searcher, i int) (logged, error) {
		l, err := logTree(ctx, &c, s, &c.Positions[i])
		if err != nil {
			return l, fmt.Errorf("position %s: %w", c.Positions[i].ID, err)
		}
		if c.Tell != nil {
			c.Tell(fmt.Sprintf("position %d of %d, %s: %d nodes, %v", i+1, len(c.Positions), c.Positions[i].ID, replay.Work(l.tree),
				l.took.Round(time.Millisecond)))
		}
		return l, nil
	})
	if err != nil {
		return nil, fmt.Errorf("simulate: %w", err)
	}
	var trees []*alphabeta.Task
	var took time.Duration
	for _, l := range logs[0] {
		trees, took = append(trees, l.tree), took+l.took
		sim.Work, sim.Path = sim.Work+replay.Work(l.tree), sim.Path+replay.Path(l.tree)
	}
	if node == 0 {
		node = max(1, took/time.Duration(max(1, sim.Work)))
	}
	sim.Node = node.Seconds()
	for _, n := range c.Threads {
		sim.Runs = append(sim.Runs, Simulated{n, replayAll(trees, replay.Machine{Processors: n, Node: node, Scheduler: replay.Greedy}),
			replayAll(trees, replay.Machine{Processors: n, Node: node, Message: message, Scheduler: replay.Offers}),
			replayAll(trees, replay.Machine{Processors: n, Node: node, Message: message, Scheduler: replay.Joins})})
	}
	return sim, nil
}

// logged is a tree, and the time that its search took.
type logged struct {
	tree *alphabeta.Task
	took time.Duration
}

// logTree is the tree of the last depth that one search completes, and of the depths before.
func logTree(ctx context.Context, c *Config, s *sweep.Searcher, p *Position) (found logged, err error) {
	if err := s.NewGame(ctx); err != nil {
		return found, err
	}
	l, ok := search.As[logger](s)
	if !ok || !l.LogTree() {
		return found, errors.New("it shares out no moves: want pvsplit or jamboree")
	}
	limits := search.Limits{Depth: mostDepth, MultiPV: 1}
	limited := ctx
	if c.Work > 0 {
		limits.Depth = int(c.Work)
	} else {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, c.Limit)
		defer cancel()
	}
	found.tree = new(alphabeta.Task)
	start := time.Now()
	_, err = s.Search(limited, board.NewGame(p.Board), limits, func(i search.Info) {
		if i.Text == "" {
			found = logged{l.Tree(), time.Since(start)}
		}
	})
	if errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, watchdog.ErrHang) && ctx.Err() == nil {
		err = nil // the limit was reached
	}
	if err == nil && replay.Work(found.tree) == 0 {
		err = fmt.Errorf("no depth was completed within %v", c.Limit)
	}
	return found, err
}

// replayAll replays trees, as many at a time as there are cores.
func replayAll(trees []*alphabeta.Task, m replay.Machine) (sum Scheduled) {
	outcomes := make([]replay.Outcome, len(trees))
	var done sync.WaitGroup
	lanes := make(chan struct{}, runtime.NumCPU())
	for i := range trees {
		done.Go(func() {
			lanes <- struct{}{}
			outcomes[i] = replay.Run(trees[i], m)
			<-lanes
		})
	}
	done.Wait()
	var work, took, busy, wasted float64
	for i, o := range outcomes {
		work += (time.Duration(replay.Work(trees[i])) * m.Node).Seconds()
		took, busy, wasted = took+o.Time.Seconds(), busy+o.Busy.Seconds(), wasted+o.Wasted.Seconds()
		sum.Messages += o.Messages
	}
	all := took * float64(m.Processors)
	sum.Speedup, sum.Idle, sum.Wasted = work/took, 1-busy/all, wasted/all
	return sum
}

// Print writes a table.
func (s *Simulation) Print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: replay of %d nodes, a node %v, a message %v; critical path %d nodes, work over path %.1f\n", s.Search, s.Options, s.Work,
		time.Duration(1e9*s.Node), time.Duration(1e9*s.Message), s.Path, float64(s.Work)/float64(s.Path))
	fmt.Fprintf(&b, "\n%10s %8s %8s %8s %8s %9s %9s\n", "processors", "greedy", "offers", "joins", "idle %", "wasted %", "messages")
	for i := range s.Runs {
		r := &s.Runs[i]
		fmt.Fprintf(&b, "%10d %8.2f %8.2f %8.2f %8.1f %9.1f %9d\n", r.Processors, r.Greedy.Speedup, r.Offers.Speedup, r.Joins.Speedup,
			100*r.Offers.Idle, 100*r.Offers.Wasted, r.Offers.Messages)
	}
	b.WriteString("idle, wasted and messages are those of offers, which is the scheduler of this program\n")
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("simulate: writing the table: %w", err)
	}
	return nil
}
