package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tesla/board"
	"tesla/search"
	"tesla/uci/client/clienttest"
)

func TestMain(m *testing.M) {
	if clienttest.Main() {
		return
	}
	os.Exit(m.Run())
}

// observed is what a test learns of an engine.
type observed struct {
	mu     sync.Mutex
	faults [BadQuit + 1]int
	log    bytes.Buffer // the log, and the faults in words
}

func (o *observed) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.log.Write(b)
}

// config starts the engine of package clienttest in a mode.
func (o *observed) config(t *testing.T, mode string) Config {
	return Config{Path: clienttest.Script(t, mode), Options: []Option{{"Hash", "2"}}, StartTime: 20 * time.Second,
		OnFault: func(f Fault, n int, text string) {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.faults[f] += n
			o.log.WriteString(text + "\n")
		}}
}

// play plays two games of five moves and closes the engine. It ends at the first error.
func play(t *testing.T, c Config, allowance, grace time.Duration) (moves int, err error) {
	t.Helper()
	e, err := Start(t.Context(), c)
	if err != nil {
		return 0, err
	}
	defer e.Close()
	for range 2 {
		if err := e.NewGame(t.Context()); err != nil {
			return moves, err
		}
		g := board.NewGame(board.StartPosition())
		for range 5 {
			a, err := e.Search(t.Context(), g, search.Limits{MoveTime: 20 * time.Millisecond}, allowance, grace)
			if err != nil {
				return moves, err
			}
			if !g.Pos.IsLegal(a.Move) || !a.Scored || a.Took() < 0 {
				t.Errorf("move %d: %+v", moves, a)
			}
			moves++
			g.Play(a.Move)
		}
	}
	return moves, nil
}

// TestManners drives engines with bad manners: how many moves they get to, the error, and the faults.
func TestManners(t *testing.T) {
	t.Parallel()
	const patient = 20 * time.Second
	for _, c := range []struct {
		mode      string
		moves     int
		err       error
		fault     Fault
		least     int // of the fault; 0: no fault at all
		says      string
		allowance time.Duration // 0: patient
	}{
		{mode: "sound", moves: 10},
		{mode: "half", moves: 10},
		{mode: "late", moves: 10},
		{mode: "asynchronous", moves: 10},
		{mode: "crash", moves: 2, err: ErrCrash,
			says: "exit status 3 before bestmove; its last output: the test engine crashes"},
		{mode: "gasp", moves: 3, err: ErrCrash, says: "exit status 0"},
		{mode: "children", moves: 2, err: ErrCrash, says: "exit status 0"},
		{mode: "close", moves: 2, err: ErrCrash, says: "signal: killed"},
		{mode: "hang", moves: 2, err: ErrHang, allowance: 500 * time.Millisecond,
			says: "bestmove did not come within 100ms of stop"},
		{mode: "nonewline", moves: 2, err: ErrHang, says: "bestmove did not come", allowance: 500 * time.Millisecond},
		{mode: "illegal", moves: 2, err: ErrIllegal, says: "e1e5"},
		{mode: "none", moves: 2, err: ErrIllegal, says: "(none)"},
		{mode: "null", moves: 2, err: ErrIllegal, says: "0000"},
		{mode: "empty", moves: 2, err: ErrIllegal, says: "bestmove without a move"},
		{mode: "braces", moves: 2, err: ErrIllegal, says: `)(`},
		{mode: "twice", moves: 10, fault: Unasked, least: 9, says: "no search was running"},
		{mode: "garbage", moves: 10, fault: Overlong, least: 3},
		{mode: "badpv", moves: 10, fault: IllegalPV, least: 10, says: "a1a1"},
		{mode: "badhead", moves: 10, fault: IllegalPV, least: 10, says: "a1a1"},
		{mode: "otherpv", moves: 10, fault: OtherMove, least: 10, says: "but its variation begins with"},
		{mode: "flood", moves: 10},
		{mode: "complain", moves: 10},
		{mode: "crashgame", moves: 5, err: ErrCrash, says: "exit status 1 before readyok"},
		{mode: "hanggame", moves: 5, err: ErrHang, says: "readyok did not come within 3s"},
		{mode: "crashquit", moves: 10, fault: BadQuit, least: 1, says: "after quit it ended with exit status 4"},
		{mode: "hangquit", moves: 10, fault: BadQuit, least: 1, says: "only at SIGTERM"},
		{mode: "deaf", moves: 10, fault: BadQuit, least: 1, says: "was killed"},
		{mode: "dies", err: ErrCrash, says: "exit status 5 before uciok; its last output: no net file | no (hope)"},
		{mode: "saysno", err: ErrCrash, says: "exit status 0 before uciok; its last output: Error: no licence"},
		{mode: "hanguci", err: ErrHang, says: "uciok did not come within 3s; its last output: thinking hard"},
		{mode: "hangready", err: ErrHang, says: "readyok did not come within 3s; its last output: thinking hard"},
		{mode: "refuses", err: ErrOption, says: "the engine says: No such option: Hash"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			if testing.Short() && (c.mode == "flood" || c.mode == "complain") {
				t.Skip("a flood")
			}
			t.Parallel()
			var o observed
			config := o.config(t, c.mode)
			if strings.HasPrefix(c.mode, "hang") {
				config.StartTime = 3 * time.Second
			}
			allowance, grace := c.allowance, 100*time.Millisecond
			if allowance == 0 {
				allowance, grace = patient, patient
			}
			moves, err := play(t, config, allowance, grace)
			if moves != c.moves || !errors.Is(err, c.err) {
				t.Errorf("%d moves, %v; want %d, %v", moves, err, c.moves, c.err)
			}
			for f, n := range o.faults {
				if least := c.least; Fault(f) == c.fault && n < least || (Fault(f) != c.fault || least == 0) && n > 0 {
					t.Errorf("%d of fault %d: %s", n, f, o.log.String())
				}
			}
			if text := fmt.Sprint(err) + o.log.String(); !strings.Contains(text, c.says) {
				t.Errorf("%q is not in %s", c.says, text)
			}
			if left := clienttest.LeftOver(t, config.Path); left != nil {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestStartFails(t *testing.T) {
	t.Parallel()
	var o observed
	for _, c := range []struct {
		option Option
		want   string
	}{
		{Option{"Contempt", "3"}, `no option "Contempt" of the engine`},
		{Option{"Hash", "65"}, "option Hash: 65 is above the maximum 64"},
		{Option{"Style", "mild"}, `option Style: "mild" is not among A bit, Wild`},
	} {
		config := o.config(t, "sound")
		config.Options = []Option{c.option}
		if _, err := Start(t.Context(), config); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
		if left := clienttest.LeftOver(t, config.Path); left != nil {
			t.Errorf("left behind: %v", left)
		}
	}
	if _, err := Start(t.Context(), Config{Path: filepath.Join(t.TempDir(), "nothing")}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestGoStopWait stops a search, and asks for several lines.
func TestGoStopWait(t *testing.T) {
	t.Parallel()
	var o observed
	config := o.config(t, "asynchronous")
	config.Options = []Option{{"MultiPV", "2"}}
	var log bytes.Buffer
	config.Log, config.Name = append(config.Log, &log), "test"
	e, err := Start(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	g := board.NewGame(board.StartPosition())
	if err := e.Go(g, search.Limits{Infinite: true, MultiPV: 2}); err != nil {
		t.Fatal(err)
	}
	if err := e.Stop(); err != nil {
		t.Fatal(err)
	}
	a, err := e.Wait(t.Context(), 20*time.Second)
	if err != nil || len(a.Lines) != 2 || a.Lines[0] != (Line{search.Score{CP: 12}, a.Move}) ||
		a.Lines[1].Score.CP != -50 || a.Info.Nodes != 99 || a.Info.NPS != 700 || a.Info.Depth != 3 {
		t.Errorf("%+v, %v", a, err)
	}
	e.Close()
	for _, want := range []string{
		" test > uci\n", " test < uciok\n", " test > go infinite\n", " test > stop\n", " test < bestmove ",
		" test # ended: exit status 0\n",
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, log.String())
		}
	}
}

// TestCancel cancels a start and a search. Nothing stays behind.
func TestCancel(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"hanguci", "hang", "nonewline"} {
		var o observed
		config := o.config(t, mode)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		e, err := Start(ctx, config)
		if err == nil {
			g := board.NewGame(board.StartPosition())
			for err == nil {
				_, err = e.Search(ctx, g, search.Limits{Nodes: 1}, time.Minute, time.Minute)
			}
			e.Close()
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", mode, err)
		}
		if left := clienttest.LeftOver(t, config.Path); left != nil {
			t.Errorf("%s: left behind: %v", mode, left)
		}
	}
}

// TestDeaf writes to an engine that does not read, until the pipe is full.
func TestDeaf(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for the limit of a write")
	}
	t.Parallel()
	script := filepath.Join(t.TempDir(), "engine")
	text := "#!/bin/sh\nread a\necho uciok\nread b\necho readyok\nexec sleep 60\n"
	if err := clienttest.WriteScript(script, text); err != nil {
		t.Fatal(err)
	}
	e, err := Start(t.Context(), Config{Path: script})
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; err == nil && i < 100000; i++ {
		err = e.Go(board.NewGame(board.StartPosition()), search.Limits{Infinite: true})
	}
	if !errors.Is(err, ErrHang) || !strings.Contains(err.Error(), "input not read") {
		t.Error(err)
	}
	begin := time.Now()
	e.Close()
	if d := time.Since(begin); d > quitTime {
		t.Errorf("it took %v to kill an engine that is known to hang", d)
	}
}

// TestLateMove gives up on a search. The move that comes later is a fault, and the next search gets the same error.
func TestLateMove(t *testing.T) {
	t.Parallel()
	var o observed
	e, err := Start(t.Context(), o.config(t, "slow"))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	g := board.NewGame(board.StartPosition())
	short := func() error {
		_, err := e.Search(t.Context(), g, search.Limits{Nodes: 1}, time.Millisecond, time.Millisecond)
		return err
	}
	first := short()
	if !errors.Is(first, ErrHang) {
		t.Fatal(first)
	}
	if err := short(); !errors.Is(err, first) {
		t.Errorf("%v, at first %v", err, first)
	}
	unasked := func() int {
		o.mu.Lock()
		defer o.mu.Unlock()
		return o.faults[Unasked]
	}
	for begin := time.Now(); unasked() == 0; time.Sleep(time.Millisecond) {
		if time.Since(begin) > 20*time.Second {
			t.Fatal("the late move is not a fault")
		}
	}
	if err := e.NewGame(t.Context()); !errors.Is(err, first) {
		t.Errorf("%v, at first %v", err, first)
	}
}

// TestDeserter has a child of the engine leave its group with the pipes open. It cannot be ended, and must not hold
// up the caller.
func TestDeserter(t *testing.T) {
	setsid, err := exec.LookPath("setsid")
	if err != nil {
		t.Skip(err)
	}
	t.Parallel()
	script := filepath.Join(t.TempDir(), "engine")
	text := fmt.Sprintf("#!/bin/sh\n%s sleep 4 &\nread a\necho uciok\nread b\necho readyok\nread c\nexit 7\n", setsid)
	if err := clienttest.WriteScript(script, text); err != nil {
		t.Fatal(err)
	}
	e, err := Start(t.Context(), Config{Path: script})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	if err := e.NewGame(t.Context()); !errors.Is(err, ErrCrash) || !strings.Contains(err.Error(), "exit status 7") {
		t.Error(err)
	}
	e.Close()
	if d := time.Since(begin); d > 20*time.Second {
		t.Errorf("it took %v", d)
	}
}

// TestChess960 writes castling as the king takes the rook.
func TestChess960(t *testing.T) {
	t.Parallel()
	var o observed
	config := o.config(t, "sound")
	var log bytes.Buffer
	config.Chess960, config.Log = true, append(config.Log, &log)
	e, err := Start(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	p, err := board.ParseFEN("1r3k1r/8/8/8/8/8/8/1R3K1R w HBhb - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	g := board.NewGame(p)
	castle, err := p.ParseMove("f1h1")
	if err != nil {
		t.Fatal(err)
	}
	g.Play(castle)
	if _, err := e.Search(t.Context(), g, search.Limits{Nodes: 1}, time.Minute, time.Minute); err != nil {
		t.Error(err)
	}
	e.Close()
	for _, want := range []string{"setoption name UCI_Chess960 value true", "moves f1h1"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, log.String())
		}
	}
	if !slices.Equal(config.Options, []Option{{"Hash", "2"}}) {
		t.Errorf("the caller's options are %v now", config.Options)
	}
}
