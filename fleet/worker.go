package fleet

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tesla/fleet/bus"
	"tesla/lab/match"
)

// Worker plays games for all runs of a fleet, until its context ends.
type Worker struct {
	Address   bus.Address
	Name      string // empty: that of the machine and the process
	Slots     int    // games at a time
	Dir       string // folder for files that are fetched; empty: that of the user's caches
	Commit    string // of this program
	Kernel    string // of the CPU nets, for those who watch
	InProcess match.InProcess
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

	mu    sync.Mutex // guards what follows, and Out
	runs  map[string]*engagement
	games int
}

// engagement is a worker's part in a run.
type engagement struct {
	id     string
	offer  offer
	ctx    context.Context // ends when the run is withdrawn
	cancel context.CancelFunc
	boards *match.Boards // nil: not admitted
	units  jetstream.Consumer
	using  sync.WaitGroup // units in play
	taken  int            // units, over the run's weight: who has the least is next
	why    string         // it was refused
	again  time.Time      // when it may ask again
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
	at.hello = hello{Worker: w.Name, Commit: w.Commit, Kernel: w.Kernel, Slots: w.Slots, Proof: proof, Identity: rand.Text()}
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
		if err == nil && time.Since(last) >= w.beat {
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
			_ = w.ensure(ctx) // the server may have lost its disk
		}
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
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
		if e.offer = o; e.boards == nil && time.Now().After(e.again) {
			outside = append(outside, e)
		}
	}
	w.mu.Unlock()
	for _, e := range gone {
		w.say("run %s is over", e.id)
		w.close(e)
	}
	for _, e := range outside {
		w.join(ctx, e)
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
func (w *worker) join(ctx context.Context, e *engagement) {
	h := w.hello
	var boards *match.Boards
	var err error
	if e.offer.Order.Commit == w.Commit { // otherwise the host refuses in any case
		if boards, err = w.open(ctx, e.offer.Order); err != nil {
			h.Problem = err.Error()
		}
	}
	h.Clock = w.Clock()
	var answer admission
	asked := w.ask(ctx, e.id, "join", h, &answer)
	var units jetstream.Consumer
	if asked == nil && answer.Refused == "" {
		asking, cancel := context.WithTimeout(ctx, askTime)
		defer cancel()
		units, asked = w.units.Consumer(asking, e.id)
	}
	w.mu.Lock()
	if asked == nil && answer.Refused == "" && boards != nil {
		boards.Scale(answer.Factor)
		e.boards, e.units, e.why = boards, units, ""
		w.mu.Unlock()
		w.say("run %s: admitted, %d games at a time, clocks times %.3g", e.id, boards.Len(), answer.Factor)
		return
	}
	e.again = time.Now().Add(w.beat)
	if asked == nil {
		e.why, e.again = answer.Refused, time.Now().Add(leaseBeats*w.beat)
	}
	w.mu.Unlock()
	if boards != nil {
		if err := boards.Close(); err != nil {
			w.say("run %s: %v", e.id, err)
		}
	}
	if asked == nil {
		w.say("run %s: refused: %s", e.id, answer.Refused)
	}
}

// open fetches the files of an order and prepares its players.
func (w *worker) open(ctx context.Context, o match.Order) (*match.Boards, error) {
	o.Players = slices.Clone(o.Players)
	for i := range o.Players {
		o.Players[i].Options = slices.Clone(o.Players[i].Options)
	}
	if err := w.receive(ctx, w.Dir, &o); err != nil {
		return nil, err
	}
	return match.OpenBoards(ctx, &o, w.Slots, w.InProcess)
}

// ask asks the host of a run.
func (w *worker) ask(ctx context.Context, id, what string, question, answer any) error {
	text, err := json.Marshal(question)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
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
		switch {
		case e.boards != nil:
			p.Runs[id] = "admitted"
		case e.why != "":
			p.Runs[id] = "refused: " + e.why
		default:
			p.Runs[id] = "its host does not answer"
		}
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

// work plays units in a slot until ctx ends. The games of a unit travel while the next one is played.
func (w *worker) work(ctx context.Context, slot int) {
	var travelling sync.WaitGroup
	defer travelling.Wait()
	for ctx.Err() == nil {
		e, m := w.next(ctx, slot)
		if e == nil {
			select {
			case <-ctx.Done():
			case <-time.After(min(idle, w.beat)):
			}
			continue
		}
		if m == nil {
			e.using.Done()
			continue
		}
		still := w.lease(e, m)
		lines := w.play(e, slot, m)
		travelling.Wait()
		if lines == nil {
			still()
			e.using.Done()
			continue
		}
		travelling.Go(func() {
			defer e.using.Done()
			defer still()
			w.settle(e, m, lines)
		})
	}
}

// order are the runs that have a board for the slot. The one that has had the fewest units for its weight comes first:
// stride scheduling (Waldspurger, Weihl 1995).
func (w *worker) order(slot int) []*engagement {
	var list []*engagement
	for _, id := range slices.Sorted(maps.Keys(w.runs)) {
		if e := w.runs[id]; e.boards != nil && slot < e.boards.Len() {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b *engagement) int { return cmp.Compare(a.taken*b.offer.Weight, b.taken*a.offer.Weight) })
	return list
}

// next takes a unit of the run whose turn it is, or of another one that has any. The engagement is in use until the caller
// says Done. It is nil where the worker plays for no run, and m is nil where no run has a unit.
func (w *worker) next(ctx context.Context, slot int) (e *engagement, m jetstream.Msg) {
	w.mu.Lock()
	list := w.order(slot)
	for _, e := range list {
		e.using.Add(1)
	}
	w.mu.Unlock()
	for i, candidate := range list {
		if m == nil && ctx.Err() == nil {
			wait := jetstream.FetchMaxWait(min(idle, w.beat))
			var got jetstream.MessageBatch
			var err error
			if i < len(list)-1 {
				got, err = candidate.units.FetchNoWait(1)
			} else {
				got, err = candidate.units.Fetch(1, wait)
			}
			if err == nil {
				m = <-got.Messages()
			}
			if err == nil && m == nil {
				err = got.Error()
			}
			if m != nil || i == len(list)-1 && err == nil {
				e = candidate
				continue
			}
		}
		candidate.using.Done()
	}
	if m != nil {
		w.mu.Lock()
		e.taken++
		w.mu.Unlock()
	}
	return e, m
}

// lease says each beat that a unit is in progress, until the run ends or stop is called.
func (w *worker) lease(e *engagement, m jetstream.Msg) (stop func()) {
	ctx, stop := context.WithCancel(e.ctx)
	go func() {
		beat := time.NewTicker(w.beat)
		defer beat.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-beat.C:
				_ = m.InProgress() // where the server is away, the unit is lent anew
			}
		}
	}()
	return stop
}

// play plays a unit, and returns a line of the journal for each game. Where that goes wrong, the unit goes back.
func (w *worker) play(e *engagement, slot int, m jetstream.Msg) []json.RawMessage {
	var unit match.Unit
	err := json.Unmarshal(m.Data(), &unit)
	var lines []json.RawMessage
	if err == nil {
		lines, err = e.boards.Play(e.ctx, slot, unit.Games)
	}
	switch {
	case e.ctx.Err() != nil:
		_ = m.Nak() // without it the unit is lent anew after the lease
		return nil
	case err != nil:
		_ = m.NakWithDelay(w.beat)
		w.giveUp(e, err)
		return nil
	}
	return lines
}

// settle hands the games of a unit to the host, and acknowledges the unit after that.
func (w *worker) settle(e *engagement, m jetstream.Msg, lines []json.RawMessage) {
	if !w.deliver(e, lines) {
		_ = m.Nak()
		return
	}
	_ = m.Ack() // where it is lost, the unit is played again and passed over
	w.mu.Lock()
	w.games += len(lines)
	w.mu.Unlock()
}

// giveUp tells the host that its games cannot be played here.
func (w *worker) giveUp(e *engagement, why error) {
	h := w.hello
	h.Clock, h.Problem = w.Clock(), why.Error()
	var answer admission
	_ = w.ask(e.ctx, e.id, "join", h, &answer) // the next beat tells those who watch
	w.drop(e, why.Error())
}

// drop ends the worker's part in a run, until it may ask again.
func (w *worker) drop(e *engagement, why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.runs[e.id] != e {
		return
	}
	fresh := &engagement{id: e.id, offer: e.offer, why: why, again: time.Now().Add(leaseBeats * w.beat)}
	fresh.ctx, fresh.cancel = context.WithCancel(w.ctx)
	w.runs[e.id] = fresh
	e.cancel()
	go w.close(e) // which waits for this slot
}

// deliver hands the games of a unit to the host, and tells whether the unit is done with. It asks again until the host
// answers, for as long as a lease lasts: then the host is gone, and the games with it.
func (w *worker) deliver(e *engagement, lines []json.RawMessage) bool {
	since := time.Now()
	for e.ctx.Err() == nil {
		var answer receipt
		err := w.ask(e.ctx, e.id, "result", result{Worker: w.Name, Identity: w.hello.Identity, Clock: w.Clock(), Lines: lines}, &answer)
		switch {
		case err == nil && answer.Join:
			if !w.rejoin(e) {
				return false
			}
		case err == nil && answer.Refused != "":
			w.say("run %s: refused: %s", e.id, answer.Refused)
			w.drop(e, answer.Refused)
			return false
		case err == nil:
			return true
		case time.Since(since) > leaseBeats*w.beat:
			w.drop(e, "")
			return false
		case !errors.Is(err, nats.ErrNoResponders) && !errors.Is(err, context.DeadlineExceeded) && e.ctx.Err() == nil && !w.conn.IsReconnecting():
			w.say("run %s: a result cannot be sent, it is tried again: %v", e.id, err)
		}
		select {
		case <-e.ctx.Done():
		case <-time.After(min(idle, w.beat)):
		}
	}
	return false
}

// rejoin asks a host that was started again to be admitted, with the players as they are.
func (w *worker) rejoin(e *engagement) bool {
	h := w.hello
	h.Clock = w.Clock()
	var answer admission
	if err := w.ask(e.ctx, e.id, "join", h, &answer); err != nil {
		return true // it is asked again
	}
	if answer.Refused != "" {
		w.say("run %s: refused: %s", e.id, answer.Refused)
		w.drop(e, answer.Refused)
		return false
	}
	return true
}
