package fleet

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tesla/internal/bus"
	"tesla/lab/match/player"
	"tesla/lab/work"
)

// Worker plays games for all runs of a fleet, until its context ends.
type Worker struct {
	Address   bus.Address
	Name      string // empty: that of the machine and the process
	Slots     int    // games at a time
	Dir       string // folder for files that are fetched; empty: that of the user's caches
	Commit    string // of this program
	Kernel    string // of the CPU nets, for those who watch
	InProcess player.InProcess
	Prove     Prover
	Out       io.Writer            // a line when something happens; nil: none
	Beat      time.Duration        // 0: Beat
	Clock     func() time.Duration // since the worker began; nil: the system's monotonic clock
}

// idle is how long a slot waits for a unit before it looks for other runs.
const idle = time.Second

// worker is a worker at work.
type worker struct {
	*Worker
	*store
	ctx   context.Context // ends all that the worker does
	hello hello

	opening sync.Mutex // held while players are prepared

	mu    sync.Mutex // guards what follows, and Out
	runs  map[string]*engagement
	games int
	news  bool // the state of an engagement has changed since the last beat
}

// engagement is a worker's part in a run.
type engagement struct {
	id     string
	offer  offer
	ctx    context.Context // ends when the run is withdrawn
	cancel context.CancelFunc
	boards work.Boards // nil: not admitted
	units  jetstream.Consumer
	using  sync.WaitGroup // units in play, and the preparation of the players
	had    float64        // seconds of slots, over the run's weight: who has the least is next
	each   time.Duration  // that the last unit took
	state  string         // for those who watch
	joins  bool           // it prepares its players
	again  time.Time      // when it may ask again
	idle   time.Time      // since when no unit could be fetched, for a reason; zero: they could, or there is none
	said   bool           // the user has read why
}

// What those who watch read of an engagement.
const (
	admitted = "admitted"
	joining  = "its players are prepared"
)

// enter sets the state of an engagement for those who watch. It is called with the lock.
func (w *worker) enter(e *engagement, state string) {
	w.news = w.news || e.state != state
	e.state = state
}

// Run proves the worker, and plays until ctx ends. It fails only where it cannot begin.
func (w *Worker) Run(ctx context.Context) error {
	at := &worker{Worker: w, ctx: ctx, runs: map[string]*engagement{}}
	if w.Clock == nil {
		began := time.Now()
		w.Clock = func() time.Duration { return time.Since(began) }
	}
	if w.Name == "" {
		host, err := os.Hostname()
		if err != nil {
			return err
		}
		w.Name = fmt.Sprintf("%s-%d", host, os.Getpid())
	}
	if err := checkName(w.Name); err != nil {
		return err
	}
	if w.Dir == "" {
		caches, err := os.UserCacheDir()
		if err != nil {
			return err
		}
		w.Dir = filepath.Join(caches, "tesla", "fleet")
	}
	conn, err := w.Address.Connect("worker "+w.Name, nil)
	if err != nil {
		return err
	}
	defer conn.Close()
	if at.store, err = openStore(ctx, conn, cmp.Or(w.Beat, Beat)); err != nil {
		return err
	}
	proof, err := w.Prove(ctx, w.Slots)
	if err != nil {
		return err
	}
	at.hello = hello{Worker: w.Name, Commit: w.Commit, Proof: proof, Identity: rand.Text()}
	at.say("worker %s: %d slots, bench signature %d, %.0f nodes a second each", w.Name, w.Slots, proof.Signatures[0], proof.NPS)
	var slots sync.WaitGroup
	for slot := range w.Slots {
		slots.Go(func() { at.work(ctx, slot) })
	}
	at.attend(ctx)
	slots.Wait()
	at.leave()
	return nil
}

// checkName is an error where a name cannot be the key of an entry.
func checkName(name string) error {
	for _, c := range name {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			return fmt.Errorf("worker %q: a name has letters, digits, - and _", name)
		}
	}
	return nil
}

func (w *worker) say(format string, v ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.Out != nil {
		fmt.Fprintf(w.Out, format+"\n", v...)
	}
}

// attend keeps the list of runs, and says that the worker is alive.
func (w *worker) attend(ctx context.Context) {
	look := time.NewTicker(min(idle/4, w.beat))
	defer look.Stop()
	var last time.Time
	lost := false
	for {
		err := w.look(ctx)
		if err == nil && (w.changed() || time.Since(last) >= w.beat) {
			if err = w.put(ctx, workerKey+w.Name, w.presence()); err == nil {
				last = time.Now()
			}
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil && !lost {
			w.say("the server does not answer, it is asked again: %v", err)
		} else if err == nil && lost {
			w.say("the server is there again")
		}
		if lost = err != nil; lost {
			_ = w.ensure(ctx) // the server may have been started again
		}
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}

// changed tells, once, that the state of an engagement has changed.
func (w *worker) changed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	news := w.news
	w.news = false
	return news
}

// look takes notice of runs that are new or gone, and asks to be admitted.
func (w *worker) look(ctx context.Context) error {
	there := map[string]offer{}
	err := w.entries(ctx, runKey, func(id string, text []byte) error {
		var o offer
		if err := json.Unmarshal(text, &o); err != nil {
			return err
		}
		there[id] = o
		return nil
	})
	if err != nil {
		return err
	}
	w.mu.Lock()
	var gone, outside []*engagement
	for id, e := range w.runs {
		if _, ok := there[id]; !ok {
			gone = append(gone, e)
			delete(w.runs, id)
		}
	}
	for id, o := range there {
		e := w.runs[id]
		if e == nil {
			e = &engagement{id: id}
			e.ctx, e.cancel = context.WithCancel(ctx)
			w.runs[id] = e
		}
		if e.offer = o; e.boards == nil && !e.joins && time.Now().After(e.again) {
			if e.joins = true; e.state == "" {
				w.enter(e, joining)
			}
			e.using.Add(1)
			outside = append(outside, e)
		}
	}
	w.mu.Unlock()
	for _, e := range gone {
		w.say("run %s is over", e.id)
		w.close(e)
	}
	for _, e := range outside {
		go w.join(e) // which may take long: other runs do not wait for it
	}
	return nil
}

// close ends the games of a run that are in progress, and its players.
func (w *worker) close(e *engagement) {
	e.cancel()
	e.using.Wait()
	if e.boards != nil {
		if err := e.boards.Close(); err != nil {
			w.say("run %s: %v", e.id, err)
		}
	}
}

// join prepares the players of a run, and asks its host to be admitted. Without an answer it asks again later.
func (w *worker) join(e *engagement) {
	defer e.using.Done()
	w.mu.Lock()
	offer := e.offer
	w.mu.Unlock()
	var boards work.Boards
	problem := ""
	if offer.Commit == w.Commit { // otherwise the host refuses in any case
		var err error
		if boards, err = w.open(e.ctx, e.id, offer); err != nil {
			problem = err.Error()
		}
	}
	answer, asked := w.greet(e.ctx, e.id, problem)
	var units jetstream.Consumer
	if asked == nil && answer.Refused == "" {
		asking, cancel := context.WithTimeout(e.ctx, askTime)
		defer cancel()
		units, asked = w.units.Consumer(asking, e.id)
	}
	w.mu.Lock()
	e.joins = false
	if asked == nil && answer.Refused == "" && boards != nil && e.ctx.Err() == nil {
		boards.Scale(answer.Factor)
		e.had, e.each = w.least(), time.Second
		e.boards, e.units = boards, units
		w.enter(e, admitted)
		w.mu.Unlock()
		w.say("run %s: admitted, %d games at a time, clocks times %.3g", e.id, boards.Len(), answer.Factor)
		return
	}
	if asked != nil {
		e.again = time.Now().Add(w.beat)
		w.enter(e, "its host cannot be asked: "+asked.Error())
	} else {
		e.again = time.Now().Add(leaseBeats * w.beat)
		w.enter(e, "refused: "+answer.Refused)
	}
	w.mu.Unlock()
	if boards != nil {
		if err := boards.Close(); err != nil {
			w.say("run %s: %v", e.id, err)
		}
	}
	if asked == nil && e.ctx.Err() == nil {
		w.say("run %s: refused: %s", e.id, answer.Refused)
	}
}

// open fetches the files of a run and prepares its players.
func (w *worker) open(ctx context.Context, id string, offer offer) (work.Boards, error) {
	o, err := offer.read()
	if err == nil {
		err = receive(w.Dir, o, func(asked wish) (p piece, err error) { return p, w.ask(ctx, pieceTime, id, "file", asked, &p) })
	}
	if err != nil {
		return nil, err
	}
	w.opening.Lock()
	defer w.opening.Unlock()
	return o.Open(ctx, w.Slots, w.InProcess, func(text string) { w.say("run %s: %s", id, text) })
}

// greet asks the host of a run for admission. problem is why the worker cannot play; empty: it can.
func (w *worker) greet(ctx context.Context, id, problem string) (answer receipt, err error) {
	h := w.hello
	h.Clock, h.Problem = w.Clock(), problem
	err = w.ask(ctx, askTime, id, "join", h, &answer)
	return answer, err
}

// ask asks the host of a run, and waits for the answer no longer than most.
func (w *worker) ask(ctx context.Context, most time.Duration, id, what string, question, answer any) error {
	text, err := json.Marshal(question)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	m, err := w.conn.RequestWithContext(ctx, runsOf+id+"."+what, text)
	if err != nil {
		return err
	}
	return json.Unmarshal(m.Data, answer)
}

// presence is what the worker says of itself.
func (w *worker) presence() Presence {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := Presence{Name: w.Name, Commit: w.Commit, Kernel: w.Kernel, Slots: w.Slots, NPS: w.hello.Proof.NPS, Signature: w.hello.Proof.Signatures[0],
		Games: w.games, Seconds: w.Clock().Seconds(), Runs: map[string]string{}}
	for id, e := range w.runs {
		p.Runs[id] = e.state
	}
	return p
}

// leave ends the worker: its entry is removed, so that nobody waits for it.
func (w *worker) leave() {
	for _, e := range w.runs {
		w.close(e)
	}
	if !w.conn.IsConnected() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	_ = w.beats.Purge(ctx, workerKey+w.Name)
	_ = w.conn.FlushWithContext(ctx) // the last acknowledgements; without them a unit is lent anew
}
