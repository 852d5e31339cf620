package sweep

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tesla/board"
	"tesla/lab/journal"
	"tesla/lab/view"
	"tesla/lab/watchdog"
	"tesla/search"
)

var errDevice = errors.New("the device is gone")

// fake is a searcher that takes a minute, and does what before says at its searches, which are counted from 1.
type fake struct {
	lab    *lab
	before func(ctx context.Context, search int) error
	clean  bool
}

// lab counts what its fakes do.
type lab struct {
	mu                       sync.Mutex
	opened, closed, searches int
	dirty                    bool
}

func (f *fake) PonderHit() {}
func (f *fake) NewGame()   { f.clean = true }
func (f *fake) Close() error {
	f.lab.mu.Lock()
	defer f.lab.mu.Unlock()
	f.lab.closed++
	return nil
}

func (f *fake) Search(ctx context.Context, g *board.Game, l search.Limits, _ func(search.Info)) (r search.Result, err error) {
	f.lab.mu.Lock()
	f.lab.searches++
	n := f.lab.searches
	f.lab.dirty = f.lab.dirty || !f.clean
	f.lab.mu.Unlock()
	f.clean = false
	select {
	case <-time.After(time.Minute):
	case <-ctx.Done():
	}
	if f.before != nil {
		if err := f.before(ctx, n); err != nil {
			return r, err
		}
	}
	if l.Mate > 0 {
		return r, nil // no move
	}
	return search.Result{Best: g.Pos.LegalMoves(nil)[0], Info: search.Info{Nodes: int64(n)}}, nil
}

func (l *lab) searcher(name string, before func(ctx context.Context, search int) error) Searcher {
	return Searcher{Name: name, Open: func() (search.Searcher, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.opened++
		return &fake{lab: l, before: before}, nil
	}}
}

// found is a record of the tests.
type found struct {
	Search string `json:"search"`
	Step   int    `json:"step"`
	Move   string `json:"move"`
}

type question struct {
	search string
	step   int
}

func keyOf(r *found) (k question, err error) {
	if r.Move == "" {
		return k, errors.New("no move")
	}
	return question{r.Search, r.Step}, nil
}

const steps = 5

// run has two searchers search the initial position five times each.
func run(ctx context.Context, l *lab, f File, workers int, before func(ctx context.Context, search int) error) (moves [][]found, err error) {
	j, err := OpenJournal(f, map[string]int{"nodes": 7}, keyOf)
	if err != nil {
		return nil, err
	}
	defer func() { err = j.End(err) }()
	s := &Sweep{Steps: steps, Workers: workers, What: "positions", Resumed: j.Resumed}
	return Searches(ctx, s, []Searcher{l.searcher("a", before), l.searcher("b", before)}, func(ctx context.Context, s *Searcher, i int) (found, error) {
		return j.Do(question{s.Name, i}, func() (found, error) {
			p := board.StartPosition()
			r, err := s.FromNothing(ctx, &p, search.Limits{Nodes: 7}, nil)
			return found{s.Name, i, p.UCI(r.Best, false)}, err
		})
	})
}

// TestResume kills a sweep at each end of a line and within each: what follows is the same as without.
func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	var want [][]found
	synctest.Test(t, func(t *testing.T) {
		var err error
		if want, err = run(t.Context(), &lab{}, File{Path: path}, 1, nil); err != nil || len(want) != 2 || want[1][4] != (found{"b", 4, want[0][0].Move}) {
			t.Fatalf("%v, %v", want, err)
		}
	})
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range whole {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			l := &lab{}
			got, err := run(t.Context(), l, File{Path: path, Resume: true}, 1, nil)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("cut at byte %d: %v, %v", cut, got, err)
			}
			if kept := max(0, bytes.Count(whole[:cut], []byte("\n"))-1); l.searches != 2*steps-kept || l.opened != l.closed || l.opened > 2 || l.dirty {
				t.Errorf("cut at byte %d: %+v", cut, l)
			}
		})
		if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, whole) {
			t.Fatalf("cut at byte %d: the journal is %s, %v", cut, again, err)
		}
	}
}

// TestInterrupt ends a sweep within each search: nothing is returned, and the journal has what was finished and no more.
func TestInterrupt(t *testing.T) {
	for at := 1; at <= 2*steps; at++ {
		path := filepath.Join(t.TempDir(), "journal")
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			l := &lab{}
			got, err := run(ctx, l, File{Path: path}, 1, func(_ context.Context, n int) error {
				if n == at {
					stop()
				}
				return nil // with a move, as a search that was cut short has one
			})
			if got != nil || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), path+", --resume goes on") || l.opened != l.closed {
				t.Errorf("search %d: %v, %v, %+v", at, got, err, l)
			}
			if text, err := os.ReadFile(path); err != nil || bytes.Count(text, []byte("\n")) != at {
				t.Errorf("search %d: %v, the journal is %s", at, err, text)
			}
		})
	}
}

// TestFailures are searches of which nothing may be kept: one that fails, panics, or is stuck.
func TestFailures(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(ctx context.Context, release chan struct{}) error
		want string
	}{
		"fails":              {func(context.Context, chan struct{}) error { return errDevice }, "b: the device is gone"},
		"panics":             {func(context.Context, chan struct{}) error { panic("at the board") }, "b: panic: at the board"},
		"never ends":         {func(_ context.Context, release chan struct{}) error { <-release; return nil }, "b: no answer within 1m0.14s"},
		"ends when told":     {func(ctx context.Context, _ chan struct{}) error { <-ctx.Done(); return nil }, "b: no answer within 1m0.14s"},
		"fails when told to": {func(ctx context.Context, _ chan struct{}) error { <-ctx.Done(); return errDevice }, "b: no answer within 1m0.14s"},
	} {
		for _, workers := range []int{1, 3} {
			path := filepath.Join(t.TempDir(), "journal")
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				begun := time.Now()
				got, err := run(t.Context(), &lab{}, File{Path: path}, workers, func(ctx context.Context, n int) error {
					if n == steps+2 {
						return c.do(ctx, release)
					}
					return nil
				})
				if got != nil || err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s, %d workers: %v, %v; want %q", name, workers, got, err, c.want)
				}
				if took := time.Since(begun); took > (steps+3)*time.Minute+2*watchdog.Grace {
					t.Errorf("%s: it took %v", name, took)
				}
				close(release)
				if text, err := os.ReadFile(path); err != nil || bytes.Count(text, []byte("\n")) > 1+steps+workers || bytes.Contains(text, []byte("0000")) {
					t.Errorf("%s: %v, the journal is %s", name, err, text)
				}
			})
		}
	}
}

// TestOpening ends a sweep whose searcher cannot be opened, and one that finds no move.
func TestOpening(t *testing.T) {
	s := Searcher{Name: "a", Open: func() (search.Searcher, error) { return nil, errDevice }}
	p := board.StartPosition()
	if _, err := s.FromNothing(t.Context(), &p, search.Limits{}, nil); !errors.Is(err, errDevice) || s.Close() != nil || s.Unwrap() != nil {
		t.Error(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s := (&lab{}).searcher("a", nil)
		if _, err := s.FromNothing(t.Context(), &p, search.Limits{Mate: 1}, nil); !errors.Is(err, ErrNoMove) || !strings.Contains(err.Error(), p.FEN(true)) {
			t.Error(err)
		}
		limited, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if _, err := s.FromNothing(limited, &p, search.Limits{}, nil); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, watchdog.ErrHang) {
			t.Error(err)
		}
		if _, ok := search.As[*fake](&s); !ok || s.Close() != nil {
			t.Error("the fake was not found, or not closed")
		}
	})
}

// TestStuck checks that a searcher that is stuck after a limit of its caller's is not called again.
func TestStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		l := &lab{}
		s := l.searcher("a", func(context.Context, int) error { <-release; return nil })
		p := board.StartPosition()
		limited, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if _, err := s.FromNothing(limited, &p, search.Limits{}, nil); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, watchdog.ErrHang) {
			t.Error(err)
		}
		if _, err := s.FromNothing(t.Context(), &p, search.Limits{}, nil); !errors.Is(err, watchdog.ErrHang) {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		close(release)
		synctest.Wait()
		if l.searches != 1 || l.closed != 0 {
			t.Errorf("called again: %+v", l)
		}
	})
}

// TestEach gives each step to one of several workers, and shows the progress without what a journal had.
func TestEach(t *testing.T) {
	for _, workers := range []int{1, 3} {
		synctest.Test(t, func(t *testing.T) {
			var out strings.Builder
			var mu sync.Mutex
			var did []int
			s := &Sweep{Steps: 9, Workers: workers, What: "positions", Progress: view.NewProgress(&view.Line{To: &out}), More: func() string { return "some solved" }}
			s.Resumed = func() bool { return workers == 1 && len(did) <= 5 }
			if err := s.Each(t.Context(), func(_ context.Context, steps iter.Seq[int]) error {
				for i := range steps {
					if workers > 1 || i >= 5 {
						time.Sleep(time.Minute)
					}
					mu.Lock()
					did = append(did, i)
					mu.Unlock()
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			slices.Sort(did)
			if !slices.Equal(did, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}) {
				t.Errorf("done: %v", did)
			}
			want := map[int]string{1: "5 of 9 positions, some solved\r\x1b[K[#############-------] 6 of 9 positions, 3:00 left, some", 3: "3 of 9 positions, 2:00 left"}
			if text := out.String(); !strings.Contains(text, want[workers]) || !strings.HasSuffix(text, "9 of 9 positions, 0:00 left, some solved\n") {
				t.Errorf("%q, want %q", text, want[workers])
			}
		})
	}
}

// TestJournal refuses what is not of this run, and leaves it as it is.
func TestJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	const head, line = "{\"nodes\":7}\n", "{\"search\":\"a\",\"step\":0,\"move\":\"e2e4\"}\n"
	for text, want := range map[string]error{
		head + line:                   nil,
		head + line + line[:9]:        nil,
		"{\"nodes\":8}\n" + line:      journal.ErrRefused,
		"{\"evals\":7}\n" + line:      journal.ErrRefused,
		"my notes\n":                  journal.ErrHeader,
		"my notes":                    journal.ErrHeader,
		head + "{\"search\":\"a\"}\n": errNoRecord,
		head + "x\n" + line:           journal.ErrDamaged,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		told := ""
		j, err := OpenJournal(File{Path: path, Resume: true, Tell: func(text string) { told = text }}, map[string]int{"nodes": 7}, keyOf)
		if want == nil {
			r, _ := j.Do(question{"a", 0}, func() (found, error) { return found{}, errDevice })
			if err != nil || r.Move != "e2e4" || !j.Resumed() || j.Close() != nil || (told != "") != (len(text) > len(head+line)) {
				t.Errorf("%q: %v, %v, told %q", text, r, err, told)
			}
			continue
		}
		if !errors.Is(err, want) && !(errors.Is(want, errNoRecord) && err != nil && strings.Contains(err.Error(), "line 2: not a record: no move")) {
			t.Errorf("%q: %v, want %v", text, err, want)
		} else if strings.Contains(err.Error(), "json") {
			t.Errorf("%q: %v, which is about the program", text, err)
		}
		if kept, err := os.ReadFile(path); err != nil || string(kept) != text {
			t.Errorf("%q became %q, %v", text, kept, err)
		}
	}
	if _, err := OpenJournal(File{Path: path}, map[string]int{"nodes": 7}, keyOf); !errors.Is(err, journal.ErrRefused) || !strings.Contains(err.Error(), "--resume") {
		t.Error(err)
	}
	if err := (&File{Resume: true}).Check(); err == nil {
		t.Error("resuming without a journal is no error")
	}
	none, err := OpenJournal(File{}, 0, keyOf)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := none.Do(question{}, func() (found, error) { return found{Move: "x"}, nil }); r.Move != "x" || err != nil || none.Resumed() || none.End(nil) != nil {
		t.Error("a journal without a file keeps something")
	}
}

var errNoRecord = errors.New("no record")

// TestPatience is longer than what the limits allow.
func TestPatience(t *testing.T) {
	for want, l := range map[time.Duration]search.Limits{0: {Depth: 9}, time.Minute + time.Second: {MoveTime: time.Second}, 80 * time.Second: {Evals: 1000},
		time.Minute + 1e9*20*time.Millisecond: {Nodes: 1 << 62}} {
		if got := patience(&l); got != want {
			t.Errorf("%+v: %v, want %v", l, got, want)
		}
	}
}
