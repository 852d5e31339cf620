package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tesla/internal/bus"
	"tesla/lab/work"
)

// Host has the games of a run played by the workers of a fleet. It implements work.Distributor.
type Host struct {
	Address bus.Address
	Weight  int           // share of the fleet among the runs; 0: 1
	Without []string      // workers that may not play
	Prove   Prover        // the bench of this program
	Beat    time.Duration // 0: Beat

	clockSlack time.Duration // by which a worker's clock may differ beside clockTolerance; 0: Beat
}

// Prover runs the bench in all slots at once, as Bench does.
type Prover func(ctx context.Context, slots int) (Proof, error)

const (
	// window is the number of units that are on the server or in play at a time. A machine that takes more slots than
	// this has the others idle.
	window = 512
	// clockTolerance is the share by which a worker's clock may differ from the host's, beside clockSlack.
	clockTolerance = 0.1
)

// run is a run in progress at its host.
type run struct {
	*store
	host   *Host
	of     *work.Run
	offer  offer
	files  map[string]*os.File // by their names in the order
	proof  Proof               // of this program; its speed is that of clocks as the run says
	news   chan struct{}       // has an element when there is something to do before the next beat
	failed chan error

	mu       sync.Mutex  // guards what follows
	left     []work.Unit // without those at the front that are done
	supplied int         // units on the server or in play
	wanted   bool        // units are to be published before the next beat
	admitted map[string]*guest
	refused  map[string]string // workers that may not play, and why
	told     map[string]bool   // lines that the user has read
	begun    bool              // games have come
	watched  string            // what the user has read last of what the workers do
}

// guest is a worker that was admitted.
type guest struct {
	hello
	factor float64
	since  time.Time // by the host's clock, when it said hello
}

// Play implements work.Distributor.
func (h *Host) Play(ctx context.Context, of *work.Run) error {
	proof, err := h.Prove(ctx, 1)
	if err != nil {
		return err
	}
	r := &run{host: h, of: of, proof: proof, left: of.Units, wanted: true, news: make(chan struct{}, 1), failed: make(chan error, 1),
		admitted: map[string]*guest{}, refused: map[string]string{}, told: map[string]bool{}}
	if _, speed := of.Clock(); speed > 0 {
		r.proof.NPS = speed // the run was begun on a machine of this speed
	}
	conn, err := h.Address.Connect("host "+of.ID, r.resupply)
	if err != nil {
		return err
	}
	defer conn.Close()
	if r.store, err = openStore(ctx, conn, cmp.Or(h.Beat, Beat)); err != nil {
		return err
	}
	r.offer = offer{Kind: of.Kind, Commit: of.Commit, Weight: max(h.Weight, 1)}
	order := of.Order()
	r.files, err = hashFiles(order)
	defer func() {
		for _, f := range r.files {
			_ = f.Close() // it was only read
		}
	}()
	if err == nil {
		r.offer.Order, err = json.Marshal(order)
	}
	if err == nil {
		err = r.restore(ctx)
	}
	if err != nil {
		return fmt.Errorf("fleet: %w", err)
	}
	for what, answer := range map[string]func([]byte) any{".join": r.join, ".result": r.take, ".file": r.give} {
		if _, err := conn.Subscribe(runsOf+of.ID+what, func(q *nats.Msg) { reply(q, answer(q.Data)) }); err != nil {
			return fmt.Errorf("fleet: %w", err)
		}
	}
	defer r.end()
	return r.loop(ctx)
}

// reply answers a request. Where the server is away, the worker asks again.
func reply(q *nats.Msg, v any) {
	text, err := json.Marshal(v)
	if err == nil {
		_ = q.Respond(text)
	}
}

// resupply has units published before the next beat: the server may have lost them.
func (r *run) resupply() {
	r.mu.Lock()
	r.wanted = true
	r.mu.Unlock()
	r.wake()
}

// wake has the loop look around before the next beat.
func (r *run) wake() {
	select {
	case r.news <- struct{}{}:
	default:
	}
}

// loop keeps the server supplied until all games are there.
func (r *run) loop(ctx context.Context) error {
	beat := time.NewTicker(r.beat)
	defer beat.Stop()
	progress := time.NewTicker(min(r.beat, time.Second))
	defer progress.Stop()
	r.wake()
	trouble := "" // why the server cannot be used; empty: it can
	for !r.finished() {
		beaten := false
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-r.failed:
			return err
		case <-progress.C:
			if trouble == "" {
				_ = r.put(ctx, stateKey+r.of.ID, r.state()) // the next one follows
			}
			continue
		case <-beat.C:
			beaten = true
		case <-r.news:
			if !r.wants() {
				continue
			}
		}
		err := r.supply(ctx)
		if err != nil && r.restore(ctx) == nil { // the server may have been started again
			err = r.supply(ctx)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case err != nil && trouble != err.Error():
			trouble = err.Error()
			r.of.Say("fleet: the server cannot be used, it is asked again: " + trouble)
		case err == nil && trouble != "":
			trouble = ""
			r.of.Say("fleet: the server is there again")
		case err == nil && beaten:
			r.watch(ctx)
		}
	}
	return nil
}

// finished drops the units at the front that are done, and reports whether there is none left.
func (r *run) finished() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.left) > 0 && r.of.Done(r.left[0]) {
		r.left = r.left[1:]
	}
	return len(r.left) == 0
}

// wants tells, once, whether units are to be published before the next beat.
func (r *run) wants() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	wanted := r.wanted || r.supplied < window/2 && len(r.left) > r.supplied
	r.wanted = false
	return wanted
}

// restore makes what the server lacks for the run.
func (r *run) restore(ctx context.Context) error {
	if err := r.ensure(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	_, err := r.units.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: r.of.ID, FilterSubject: unitsOf + r.of.ID + ".*",
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: leaseBeats * r.beat, MaxAckPending: -1})
	return err
}

// supply offers the run, and publishes the next units that are neither done nor on the server.
func (r *run) supply(ctx context.Context) error {
	subjects := unitsOf + r.of.ID + "."
	asking, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	if err := r.put(asking, runKey+r.of.ID, r.offer); err != nil {
		return err
	}
	if _, err := r.units.Consumer(asking, r.of.ID); err != nil {
		return err
	}
	info, err := r.units.Info(asking, jetstream.WithSubjectFilter(subjects+"*"))
	if err != nil {
		return err
	}
	there := len(info.State.Subjects)
	r.mu.Lock()
	left := slices.Clone(r.left)
	r.mu.Unlock()
	var sent []jetstream.PubAckFuture
	for _, unit := range left {
		subject := subjects + strconv.Itoa(unit.ID)
		if info.State.Subjects[subject] > 0 || r.of.Done(unit) {
			continue
		}
		if there >= window {
			break
		}
		there++
		text, err := json.Marshal(unit)
		if err != nil {
			return err
		}
		future, err := r.js.PublishAsync(subject, text)
		if err != nil {
			return err
		}
		sent = append(sent, future)
	}
	for _, future := range sent {
		select {
		case <-future.Ok():
		case err := <-future.Err():
			return fmt.Errorf("a unit of work is not taken: %w", err)
		case <-asking.Done():
			return fmt.Errorf("a unit of work is not taken: %w", asking.Err())
		}
	}
	r.mu.Lock()
	r.supplied = there
	r.mu.Unlock()
	return nil
}

// end withdraws the run. Where the server is away, or fails at that, the run and its units expire.
func (r *run) end() {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	if !r.conn.IsConnected() {
		return
	}
	_ = r.beats.Purge(ctx, runKey+r.of.ID)
	_ = r.beats.Purge(ctx, stateKey+r.of.ID)
	_ = r.units.DeleteConsumer(ctx, r.of.ID)
	_ = r.units.Purge(ctx, jetstream.WithPurgeSubject(unitsOf+r.of.ID+".*"))
}

// tell tells the user a line once.
func (r *run) tell(text string) {
	r.mu.Lock()
	told := r.told[text]
	r.told[text] = true
	r.mu.Unlock()
	if !told {
		r.of.Say(text)
	}
}

// join admits a worker, or refuses it and says why.
func (r *run) join(text []byte) any {
	var h hello
	if err := json.Unmarshal(text, &h); err != nil {
		return receipt{Refused: err.Error()}
	}
	if why := r.refuse(&h); why != "" {
		r.dismiss(h.Worker, why)
		return receipt{Refused: why}
	}
	factor := 1.0
	if limited, _ := r.of.Clock(); limited {
		factor = r.proof.NPS / h.Proof.NPS
	}
	r.mu.Lock()
	r.admitted[h.Worker] = &guest{h, factor, time.Now()}
	delete(r.refused, h.Worker)
	r.mu.Unlock()
	return receipt{Factor: factor}
}

// refuse is why a worker may not play; empty: it may.
func (r *run) refuse(h *hello) string {
	if slices.Contains(r.host.Without, h.Worker) {
		return "it was left out by --without"
	}
	if h.Commit != r.offer.Commit {
		return fmt.Sprintf("wrong commit: %s, want %s", h.Commit, r.offer.Commit)
	}
	if len(h.Proof.Signatures) == 0 || !(h.Proof.NPS > 0) {
		return "it shows no bench"
	}
	for i, signature := range h.Proof.Signatures {
		if want := r.proof.Signatures[0]; signature != want {
			return fmt.Sprintf("wrong bench signature: that of core %d is %d, want %d", i+1, signature, want)
		}
	}
	return h.Problem
}

// dismiss notes that a worker may not play, and tells the user why.
func (r *run) dismiss(worker, why string) {
	r.tell(fmt.Sprintf("worker %s is refused: %s", worker, why))
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.admitted, worker)
	r.refused[worker] = why
}

// state is the run's state for those who watch.
func (r *run) state() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := State{ID: r.of.ID, Kind: r.of.Kind, Progress: r.of.Progress(), Refused: maps.Clone(r.refused), Factors: map[string]float64{}}
	for name, from := range r.admitted {
		s.Factors[name] = from.factor
	}
	return s
}

// take takes the games of a unit. They are on the disk when the worker gets the receipt.
func (r *run) take(text []byte) any {
	var got result
	if err := json.Unmarshal(text, &got); err != nil {
		return receipt{Refused: err.Error()}
	}
	r.mu.Lock()
	from := r.admitted[got.Worker]
	r.mu.Unlock()
	if from == nil || from.Identity != got.Identity {
		return receipt{Join: true}
	}
	if why := r.slow(from, got.Clock); why != "" {
		r.dismiss(got.Worker, why)
		return receipt{Refused: why}
	}
	err := r.of.Take(work.Origin{Worker: got.Worker, NPS: from.Proof.NPS, Factor: from.factor}, got.Lines)
	if errors.Is(err, work.ErrResult) {
		r.dismiss(got.Worker, err.Error())
		return receipt{Refused: err.Error()}
	}
	if err != nil {
		select {
		case r.failed <- err:
		default:
		}
		return receipt{Refused: "the run has ended: " + err.Error()}
	}
	r.mu.Lock()
	r.supplied--
	r.begun = true
	r.mu.Unlock()
	r.wake()
	return receipt{}
}

// slow is what is wrong with a worker's clock. It must run as the host's does, or its players get more or less time than
// the run says.
func (r *run) slow(from *guest, clock time.Duration) string {
	theirs, ours := (clock - from.Clock).Seconds(), time.Since(from.since).Seconds()
	if difference := max(theirs-ours, ours-theirs); difference <= clockTolerance*ours+cmp.Or(r.host.clockSlack, Beat).Seconds() {
		return ""
	}
	return fmt.Sprintf("wrong clock: it runs %.2f times as fast as the host's", theirs/ours)
}
