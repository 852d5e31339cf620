package speedup

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"tesla/search"
)

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

// TestPhoenix replays the table of 1984: sums, averages, overheads and solved positions must be the printed ones.
func TestPhoenix(t *testing.T) {
	text, err := os.ReadFile("testdata/phoenix-1984.txt")
	if err != nil {
		t.Fatal(err)
	}
	type line struct {
		nodes, seconds [4]int64
		move           string
	}
	table := map[string]line{}
	l := &lab{unit: Depth}
	config := l.config(t, false, 24, 1, 2, 3, 4)
	for _, text := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if strings.HasPrefix(text, "#") {
			continue
		}
		var p line
		var number int
		if _, err := fmt.Sscan(text, &number, &p.nodes[0], &p.nodes[1], &p.nodes[2], &p.nodes[3], &p.seconds[0],
			&p.seconds[1],
			&p.seconds[2], &p.seconds[3], &p.move); err != nil {
			t.Fatal(text, err)
		}
		pos := &config.Positions[number-1]
		if move := strings.TrimSuffix(p.move, "!"); pos.solvedBy(move) != strings.HasSuffix(p.move, "!") {
			t.Errorf("%s: %s solves it: %v", pos.ID, p.move, pos.solvedBy(move))
		}
		table[pos.Board.FEN(false)] = p
	}
	l.outcome = func(_ bool, threads int, fen string, work int64) outcome {
		if work != 7 {
			t.Errorf("searched %d plies", work)
		}
		p := table[fen]
		return outcome{took: time.Duration(p.seconds[threads-1]) * time.Second, nodes: p.nodes[threads-1],
			best: strings.TrimSuffix(p.move, "!")}
	}
	config.Work = 7
	r, err := Run(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	l.checkClosed(t)
	for i, want := range []struct {
		nodes                     int64
		seconds, speedup, average float64
		to, so                    float64 // per cent, as the paper has them
	}{
		{37911426, 145207, 1, 1, 0, 0}, {39876533, 78222, 1.85, 1.84, 7.7, 5.2},
		{42429983, 58891, 2.46, 2.48, 21.7, 11.9}, {40174364, 43342, 3.35, 3.25, 19.4, 6.0},
	} {
		run := r.Runs[i]
		if run.Threads != i+1 || run.Nodes != want.nodes || run.Seconds != want.seconds || !near(run.Speedup, want.speedup,
			0.0075) ||
			!near(run.Mean, want.average, 0.0075) || !near(100*run.TO, want.to, 0.06) || !near(100*run.SO, want.so, 0.06) ||
			run.Solved != 17 || run.Ceiling != 1 || run.Short != 0 {
			t.Errorf("%d processors: %+v, want %+v", i+1, run, want)
		}
		if i > 0 && !(run.Low < run.Speedup && run.Speedup < run.High) {
			t.Errorf("%d processors: %f not within %f .. %f", i+1, run.Speedup, run.Low, run.High)
		}
	}
}

// TestOwnCore measures a driver with a baseline of its core, messages, and repeats that differ: all figures by hand.
func TestOwnCore(t *testing.T) {
	l := &lab{unit: Depth, cost: 2 * time.Millisecond, idle: 50 * time.Millisecond, path: 5750}
	config := l.config(t, true, 2, 2) // one thread is added
	first := config.Positions[0].Board.FEN(false)
	calls := map[string]int{}
	l.outcome = func(base bool, threads int, fen string, work int64) outcome {
		one := time.Duration(work) * 100 * time.Millisecond // depth 10 within a second
		if fen == first {
			one *= 2 // depth 5
		}
		switch {
		case base:
			return outcome{took: one, nodes: 1000 * work, best: "d6d1"}
		case threads == 1:
			return outcome{took: one * 11 / 10, nodes: 1100 * work, best: "d6d1"}
		}
		key := fmt.Sprint(fen, threads)
		calls[key]++
		late := time.Duration(0)
		if calls[key] == 2 { // the warm-up of this lane is the first position's alone
			late = time.Hour // the median knows better
		}
		return outcome{took: one*6/10 + late, nodes: 1150 * work, best: "0000", messages: 10}
	}
	config.Repeat, config.Limit = 3, time.Second
	r, err := Run(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	l.checkClosed(t)
	if r.Base != (Base{Nodes: 15000, Seconds: 2, Solved: 1}) || r.Baseline != "PVS" || r.Positions != 2 ||
		len(r.Runs) != 2 {
		t.Fatalf("%+v", r)
	}
	if r.Table[0].Work != 5 || r.Table[1].Work != 10 {
		t.Errorf("depths %d and %d, want 5 and 10", r.Table[0].Work, r.Table[1].Work)
	}
	for i, want := range []struct {
		n                                     int
		seconds, speedup, ceiling, to, co, so float64
		solved                                int
		nodes                                 int64
	}{
		{1, 2.2, 1 / 1.1, 1, 0.1, 0, 0.1, 1, 16500},
		{2, 1.2, 1 / 0.6, 1, 0.2, 0.02, 0.15, 0, 17250}, // 20 messages at 2 ms of 2 s
	} {
		g := r.Runs[i]
		if g.Threads != want.n || !near(g.Seconds, want.seconds, 1e-9) || !near(g.Speedup, want.speedup, 1e-9) ||
			g.Nodes != want.nodes ||
			!near(g.Geomean, want.speedup, 1e-9) || !near(g.Ceiling, want.ceiling, 1e-9) || !near(g.TO, want.to, 1e-9) ||
			!near(g.CO, want.co, 1e-9) || !near(g.SO, want.so, 1e-9) || !near(g.SY, want.to-want.co-want.so, 1e-9) ||
			g.Solved != want.solved {
			t.Errorf("%+v, want %+v", g, want)
		}
		if !near(g.Idle, 0.05, 1e-12) || g.Path != 11500 { // both positions, of 2 s
			t.Errorf("idle %g, path %d", g.Idle, g.Path)
		}
		if !near(g.TO, g.CO+g.SO+g.SY, 1e-12) {
			t.Errorf("TO %g is not CO %g + SO %g + SY %g", g.TO, g.CO, g.SO, g.SY)
		}
	}
}

// TestOrder checks that baseline and driver alternate, and that every lane is warmed up once, at its first use.
func TestOrder(t *testing.T) {
	l := &lab{unit: Evals}
	config := l.config(t, true, 2, 1, 2)
	var order []string
	l.outcome = func(base bool, threads int, _ string, _ int64) outcome {
		l.mu.Lock()
		defer l.mu.Unlock()
		order = append(order, map[bool]string{true: "b", false: ""}[base]+fmt.Sprint(threads))
		return outcome{took: time.Second, nodes: 1}
	}
	config.Repeat, config.Work = 2, 64
	if _, err := Run(context.Background(), config); err != nil {
		t.Fatal(err)
	}
	want := "b1 b1 1 1 2 2 b1 b1 b1 b1 1 2 b1 b1 b1 1 2 b1 b1 b1 1 2 b1 b1"
	if got := strings.Join(order, " "); got != want {
		t.Errorf("searches\n%s, want\n%s", got, want)
	}
}

func TestFindWork(t *testing.T) {
	for name, c := range map[string]struct {
		unit  Unit
		took  func(work int64) time.Duration
		most  int64 // reached
		limit time.Duration
		want  int64 // 0: an error
	}{
		"last depth": {Depth, func(w int64) time.Duration { return time.Millisecond << w }, 99, time.Second, 9},
		"just in time": {Depth, func(w int64) time.Duration { return time.Duration(w) * time.Second }, 99,
			3 * time.Second, 3},
		"power of two": {Evals, func(w int64) time.Duration { return time.Duration(w) * time.Millisecond }, 1 << 40,
			3 * time.Second, 2048},
		"nothing to search": {Evals, func(w int64) time.Duration { return time.Millisecond }, 100, time.Second, 128},
		"mate":              {Depth, func(w int64) time.Duration { return time.Millisecond }, 3, time.Second, 4},
		"deepest":           {Depth, func(w int64) time.Duration { return 0 }, 999, time.Second, mostDepth},
		"most":              {Evals, func(w int64) time.Duration { return 0 }, 1 << 40, time.Second, mostEvals},
		"too slow":          {Depth, func(w int64) time.Duration { return time.Hour }, 99, time.Second, 0},
	} {
		l := &lab{unit: c.unit}
		config := l.config(t, true, 1, 1)
		config.Limit = c.limit
		l.outcome = func(_ bool, _ int, _ string, work int64) outcome {
			return outcome{took: c.took(work), nodes: 1, reached: min(work, c.most)}
		}
		r, err := Run(context.Background(), config)
		if c.want == 0 {
			if err == nil || !strings.Contains(err.Error(), "more time is needed") || r != nil {
				t.Errorf("%s: %v, %v", name, r, err)
			}
		} else if err != nil || r.Table[0].Work != c.want {
			t.Errorf("%s: %v, %+v; want %d", name, err, r, c.want)
		}
		l.checkClosed(t)
	}
}

// TestShort counts the positions in which the driver did less than the baseline.
func TestShort(t *testing.T) {
	l := &lab{unit: Depth}
	config := l.config(t, true, 3, 1, 2)
	first := config.Positions[0].Board.FEN(false)
	l.outcome = func(base bool, threads int, fen string, work int64) outcome {
		o := outcome{took: time.Second, nodes: 5}
		if threads == 2 && fen == first {
			o.reached = work - 1
		}
		return o
	}
	config.Work = 8
	r, err := Run(context.Background(), config)
	if err != nil || r.Runs[0].Short != 0 || r.Runs[1].Short != 1 {
		t.Fatalf("%v, %+v", err, r)
	}
	var text strings.Builder
	if err := r.Print(&text); err != nil || !strings.Contains(text.String(), "with 2 threads 1 positions ended before") {
		t.Errorf("%v: %s", err, text.String())
	}
}

func TestFailures(t *testing.T) {
	quick := func(bool, int, string, int64) outcome { return outcome{took: time.Second, nodes: 1} }
	t.Run("search", func(t *testing.T) {
		l := &lab{unit: Depth, outcome: quick}
		config := l.config(t, true, 3, 1, 2)
		config.Work = 3
		l.before = func(n int) {
			if n == 12 { // of the second position
				l.mu.Lock()
				l.fail = errFake
				l.mu.Unlock()
			}
		}
		r, err := Run(context.Background(), config)
		if !errors.Is(err, errFake) || !strings.Contains(err.Error(), "position BK.02") || r == nil || r.Positions != 1 {
			t.Errorf("%v, %+v", err, r)
		}
		l.checkClosed(t)
	})
	t.Run("open", func(t *testing.T) {
		l := &lab{unit: Depth, outcome: quick}
		config := l.config(t, true, 3, 1, 2)
		config.Driver.Open = func(threads int) (search.Searcher, error) { return nil, errFake }
		if r, err := Run(context.Background(), config); !errors.Is(err, errFake) || r != nil ||
			!strings.Contains(err.Error(), "opening") {
			t.Errorf("%v, %+v", err, r)
		}
		l.checkClosed(t)
	})
}

func TestValidate(t *testing.T) {
	l := &lab{unit: Depth}
	for name, c := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"no thread":        {func(c *Config) { c.Threads = []int{0} }, "threads 0"},
		"negative thread":  {func(c *Config) { c.Threads = []int{-1, 2} }, "threads -1"},
		"too many threads": {func(c *Config) { c.Threads = []int{1, 4096} }, "threads 4096"},
		"none":             {func(c *Config) { c.Threads = nil }, "no threads"},
		"twice":            {func(c *Config) { c.Threads = []int{1, 2, 2} }, "2 twice"},
		"unsorted":         {func(c *Config) { c.Threads = []int{1, 4, 2} }, "2 after 4"},
		"repeat":           {func(c *Config) { c.Repeat = 0 }, "repeat 0"},
		"many repeats":     {func(c *Config) { c.Repeat = 1 << 20 }, "repeat 1048576"},
		"limit":            {func(c *Config) { c.Limit = 0 }, "time limit"},
		"work":             {func(c *Config) { c.Work = -1 }, "depth -1"},
		"too deep":         {func(c *Config) { c.Work = 128 }, "depth 128"},
		"hash":             {func(c *Config) { c.Hash = -1 }, "hash -1"},
		"resume":           {func(c *Config) { c.Journal.Resume = true }, "journal"},
		"no positions":     {func(c *Config) { c.Positions = nil }, "no positions"},
		"one twice":        {func(c *Config) { c.Positions = append(c.Positions, c.Positions[0]) }, "BK.01 twice"},
		"no driver":        {func(c *Config) { c.Driver = Driver{Name: "x"} }, `incomplete searcher "x"`},
		"no unit":          {func(c *Config) { c.Driver.Unit = "" }, "unit"},
	} {
		config := l.config(t, true, 2, 1, 2)
		if err := config.Validate(); err != nil {
			t.Fatal(err)
		}
		c.change(&config)
		if _, err := Run(context.Background(), config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if l.searches > 0 {
		t.Errorf("%d searches", l.searches)
	}
}

func TestFind(t *testing.T) {
	l := &lab{unit: Depth}
	drivers := []Driver{l.driver(true), {Name: "other"}}
	if d, err := Find(drivers, "fake"); err != nil || d.Name != "fake" {
		t.Errorf("%v, %v", d.Name, err)
	}
	if _, err := Find(drivers, "lazysmp"); err == nil || !strings.Contains(err.Error(), `"lazysmp"`) ||
		!strings.Contains(err.Error(), "fake, other") {
		t.Error(err)
	}
}
