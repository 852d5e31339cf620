package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tesla/internal/beat"
	"tesla/lab/work"
)

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
		played := w.charge(e)
		lines := w.play(e, slot, m)
		played()
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

// order are the runs that have a board for the slot. The one that has had the least time for its weight comes first: stride
// scheduling (Waldspurger, Weihl 1995), but of time, since the units of one run may take far longer than those of another.
func (w *worker) order(slot int) []*engagement {
	var list []*engagement
	for _, id := range slices.Sorted(maps.Keys(w.runs)) {
		if e := w.runs[id]; e.boards != nil && slot < e.boards.Len() {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b *engagement) int { return cmp.Compare(a.had, b.had) })
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
			var got jetstream.MessageBatch
			var err error
			if i < len(list)-1 {
				got, err = candidate.units.FetchNoWait(1)
			} else {
				got, err = candidate.units.Fetch(1, jetstream.FetchMaxWait(min(idle, w.beat)))
			}
			if err == nil {
				m = <-got.Messages()
			}
			if err == nil && m == nil {
				err = got.Error()
			}
			w.note(candidate, err)
			if m != nil || i == len(list)-1 && err == nil {
				e = candidate
				continue
			}
		}
		candidate.using.Done()
	}
	return e, m
}

// note notes whether a unit could be asked for. Where that fails for longer than a beat, the run is not just ending, and the
// user reads why.
func (w *worker) note(e *engagement, err error) {
	w.mu.Lock()
	long := false
	switch {
	case err == nil || e.ctx.Err() != nil:
		if e.idle, e.said = (time.Time{}), false; e.boards != nil {
			w.enter(e, admitted)
		}
	case e.idle.IsZero():
		e.idle = time.Now()
	case !e.said && time.Since(e.idle) > w.beat:
		long, e.said = true, true
		w.enter(e, "admitted, but it gets no work: "+err.Error())
	}
	w.mu.Unlock()
	if long {
		w.say("run %s: it gives no work: %v", e.id, err)
	}
}

// charge charges a run for a unit, with the time of its last one. played corrects that when the unit has been played.
func (w *worker) charge(e *engagement) (played func()) {
	begun := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	weight, expected := float64(e.offer.Weight), e.each
	e.had += expected.Seconds() / weight
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		e.each = time.Since(begun)
		e.had += (e.each - expected).Seconds() / weight
	}
}

// least is what the run has had that has had least, so that a new one gets its share and no more.
func (w *worker) least() float64 {
	least, any := 0.0, false
	for _, e := range w.runs {
		if e.boards != nil && (!any || e.had < least) {
			least, any = e.had, true
		}
	}
	return least
}

// lease says each beat that a unit is in progress, until the run ends or stop is called.
func (w *worker) lease(e *engagement, m jetstream.Msg) (stop func()) {
	return beat.Every(w.beat, func() {
		if e.ctx.Err() == nil {
			_ = m.InProgress() // where the server is away, the unit is lent anew
		}
	})
}

// play plays a unit, and returns a line for each game. Where that goes wrong, the unit goes back.
func (w *worker) play(e *engagement, slot int, m jetstream.Msg) []json.RawMessage {
	var unit work.Unit
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
	_, _ = w.greet(e.ctx, e.id, why.Error()) // the next beat tells those who watch
	w.drop(e, "refused: "+why.Error())
}

// drop ends the worker's part in a run, until it may ask again.
func (w *worker) drop(e *engagement, why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.runs[e.id] != e {
		return
	}
	fresh := &engagement{id: e.id, offer: e.offer, again: time.Now().Add(leaseBeats * w.beat)}
	w.enter(fresh, why)
	fresh.ctx, fresh.cancel = context.WithCancel(w.ctx)
	w.runs[e.id] = fresh
	e.cancel()
	go w.close(e) // which waits for this slot
}

// refused tells that the host refuses the worker, and drops the run.
func (w *worker) refused(e *engagement, why string) {
	w.say("run %s: refused: %s", e.id, why)
	w.drop(e, "refused: "+why)
}

// deliver hands the games of a unit to the host, and reports whether the unit is done with. It asks again until the host
// answers, for as long as a lease lasts: then the host is gone, and the games with it.
func (w *worker) deliver(e *engagement, lines []json.RawMessage) bool {
	since := time.Now()
	for e.ctx.Err() == nil {
		var answer receipt
		err := w.ask(e.ctx, askTime, e.id, "result", result{Worker: w.Name, Identity: w.hello.Identity, Clock: w.Clock(), Lines: lines}, &answer)
		switch {
		case err == nil && answer.Join:
			if !w.rejoin(e) {
				return false
			}
		case err == nil && answer.Refused != "":
			w.refused(e, answer.Refused)
			return false
		case err == nil:
			return true
		case time.Since(since) > leaseBeats*w.beat:
			w.drop(e, "its host cannot be asked: "+err.Error())
			return false
		case errors.Is(err, nats.ErrMaxPayload):
			w.giveUp(e, fmt.Errorf("games of a unit longer than the %d bytes that the server takes in a message", w.conn.MaxPayload()))
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
	answer, err := w.greet(e.ctx, e.id, "")
	if err != nil || answer.Refused == "" {
		return true // after an error it is asked again
	}
	w.refused(e, answer.Refused)
	return false
}
