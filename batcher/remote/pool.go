package remote

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"tesla/batcher"
	"tesla/models/eut"
)

const (
	// firstRest is how long a server that failed is left alone; each further failure doubles it, up to longestRest.
	firstRest   = 250 * time.Millisecond
	longestRest = 10 * time.Second
	// paceShare is the weight of a new measurement in a server's pace.
	paceShare = 0.2
	// mostBatches is the most batches in flight at a server: those that a slow one does not take go to the others.
	mostBatches = 2 * inFlight
)

// pool lets several servers compute. A batch goes to the server that will have it done first, by the rates that were
// measured: so slow ones get less. A server that fails gets nothing until it has described its model again, and what it
// was asked for goes to the others. A batch fails only where no server is left.
type pool struct {
	info batcher.Info

	mu      sync.Mutex // guards the members
	free    *sync.Cond // a batch has come back, or a server
	members []*member
	probes  sync.WaitGroup
	closed  bool
}

// member is a server of a pool.
type member struct {
	*client
	name    string
	batches int           // in flight
	rows    int           // of those batches
	pace    float64       // seconds a row; 0: not measured yet
	last    time.Time     // when the last batch came back
	rest    time.Duration // how long it is left alone after its next failure
	away    bool          // it has failed, and gets nothing
	until   time.Time     // it is not asked whether it is back before this
	probing bool
	err     error // of its last failure
}

// openPool opens the servers. One that does not answer is asked again later; one whose model does not fit is an error, and
// so is it if none answers.
func openPool(at Address, names []string, net *eut.Net, opts batcher.Options) (batcher.Backend, error) {
	p := &pool{}
	p.free = sync.NewCond(&p.mu)
	for _, name := range names {
		one := at
		if one.Server = strings.TrimSpace(name); !strings.HasPrefix(one.Server, encrypted) {
			one.CA = "" // it is for those that are encrypted
		}
		c, err := newClient(one, net, opts, noRetry)
		if err != nil {
			return nil, errors.Join(err, p.Close())
		}
		p.members = append(p.members, &member{client: c, name: one.Server, rest: firstRest})
	}
	errs, answers := make([]error, len(p.members)), 0
	var greeting sync.WaitGroup
	for i, m := range p.members {
		greeting.Go(func() { errs[i] = m.greet() })
	}
	greeting.Wait()
	for i, m := range p.members {
		if errs[i] == nil {
			answers++
			continue
		}
		errs[i] = fmt.Errorf("server %s: %w", m.name, errs[i])
		if !unreachable(errs[i]) {
			return nil, errors.Join(errs[i], p.Close())
		}
		p.fail(m, errs[i])
	}
	if answers == 0 {
		return nil, errors.Join(errors.Join(errs...), p.Close())
	}
	p.info = p.members[0].Info()
	p.info.Library, p.info.Streams = "KServe v2 at "+at.Server, inFlight*len(p.members)
	var err error
	if p.info.Batch, p.info.Free, err = batcher.Sizes(p); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (p *pool) Info() batcher.Info { return p.info }

func (p *pool) Evaluate(items []*batcher.Item) error {
	if err := p.info.Admits(len(items)); err != nil {
		return err
	}
	tried := map[*member]bool{}
	for {
		m, err := p.take(len(items), tried)
		if err != nil {
			return err
		}
		err = m.Evaluate(items)
		p.giveBack(m, len(items), err)
		if err == nil {
			return nil
		}
		tried[m] = true
	}
}

// take finds the server for a batch and waits until it has room. Where all have failed, it is their errors.
func (p *pool) take(rows int, tried map[*member]bool) (*member, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		var best *member
		var errs []error
		full, soonest := false, 0.0
		for _, m := range p.members {
			p.probe(m)
			if m.away || tried[m] {
				errs = append(errs, m.err)
				continue
			}
			if m.batches >= mostBatches {
				full = true
				continue
			}
			if takes := m.pace * float64(m.rows+rows); best == nil || takes < soonest {
				best, soonest = m, takes
			}
		}
		if best != nil {
			if best.batches == 0 {
				best.last = time.Now()
			}
			best.batches++
			best.rows += rows
			return best, nil
		}
		if !full {
			return nil, errors.Join(errs...)
		}
		p.free.Wait()
	}
}

// giveBack measures the server's pace: the time since its last batch came back, or since it began where it was idle, for
// each row. So what travels while another batch is computed is not counted twice.
func (p *pool) giveBack(m *member, rows int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.free.Broadcast()
	m.batches--
	m.rows -= rows
	if err != nil {
		p.fail(m, err)
		return
	}
	now := time.Now()
	if rows > 0 {
		pace := now.Sub(m.last).Seconds() / float64(rows)
		if m.pace == 0 {
			m.pace = pace
		}
		m.pace += paceShare * (pace - m.pace)
	}
	m.last, m.rest = now, firstRest
}

// fail leaves a server alone for a while. It is called with the lock, or before the pool is used.
func (p *pool) fail(m *member, err error) {
	if m.err = err; m.away {
		return // another batch has told
	}
	m.away, m.until = true, time.Now().Add(m.rest)
	m.rest = min(2*m.rest, longestRest)
}

// probe asks a server that has rested whether it is back. Nothing waits for the answer. It is called with the lock.
func (p *pool) probe(m *member) {
	if !m.away || m.probing || p.closed || time.Now().Before(m.until) {
		return
	}
	m.probing = true
	p.probes.Go(func() {
		err := m.greet()
		p.mu.Lock()
		defer p.mu.Unlock()
		m.probing, m.away, m.pace = false, false, 0
		if err != nil {
			p.fail(m, fmt.Errorf("server %s: %w", m.name, err))
		}
		p.free.Broadcast()
	})
}

func (p *pool) Close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	var errs []error
	for _, m := range p.members {
		errs = append(errs, m.Close())
	}
	p.probes.Wait()
	return errors.Join(errs...)
}
