//go:build cgo

package onnx

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"tesla/batcher"
	"tesla/models/eut"
)

const (
	// planBudget is the time that is spent on each plan, once on a machine. All of Tune takes about a second on a CPU:
	// somebody may be waiting for the engine to be ready.
	planBudget = 150 * time.Millisecond
	// planBatch is the size of batch that plans are compared with.
	planBatch = 32
	// planTolerance is how far the answers of a plan may be from those of the first, which is the net's own graph: float16 is
	// within 0.01.
	planTolerance = 0.03
	// planGain is the least factor by which a plan must be faster than the one before.
	planGain = 1.03
)

// unmeasured is what Tune needs of a backend that computes by the usual plan.
type unmeasured struct {
	key   string // of the plan that is to be found
	opts  batcher.Options
	open  func(plan) (*backend, error)
	notes []string        // why a plan that was kept is not taken
	want  []*batcher.Item // answers of the first plan
}

// Tune measures the plans of a backend that New opened by the usual plan, keeps the best for the next start on this
// machine, and returns the backend that computes by it. That is b, or another; then b is closed, as it is after an
// error. Any other backend is returned as it is. notes tell the user what was measured. b must not be in use.
func Tune(b batcher.Backend) (tuned batcher.Backend, notes []string, err error) {
	usual, ok := b.(*backend)
	if !ok || usual.unmeasured == nil {
		return b, nil, nil
	}
	u := usual.unmeasured
	best, why, err := u.compare(usual)
	if err != nil {
		return nil, u.notes, err
	}
	p := &best.plan
	if p.Batch, p.Free, err = batcher.Sizes(best); err != nil {
		return nil, u.notes, errors.Join(err, best.Close())
	}
	best.info.Batch, best.info.Free, best.unmeasured = p.Batch, p.Free, nil
	notes = append(u.notes, fmt.Sprintf("backend %s, measured once: batches of %d, the first %d at little cost, %v%s", best.info.Name, p.Batch, p.Free, *p, why))
	if err := rememberPlan(u.key, *p); err != nil {
		notes = append(notes, fmt.Sprintf("backend %s: the plan is not kept: %v", best.info.Name, err))
	}
	return best, notes, nil
}

// compare measures the plans, if there are several, beginning with that of the open backend, and returns the backend
// of the best. It closes the others. why tells the user what it found. The first plan must work.
func (u *unmeasured) compare(usual *backend) (best *backend, why string, err error) {
	plans := plansOf(usual.info.Name, u.opts)
	if len(plans) == 1 {
		return usual, "", nil
	}
	best = usual
	err = u.check(usual)
	most := 0.0
	if err == nil {
		most, err = usual.rate()
	}
	if err != nil {
		return nil, "", errors.Join(err, usual.Close())
	}
	found := []string{fmt.Sprintf("%v: %.0f", usual.plan, most)}
	for _, p := range plans {
		if p == usual.plan.unsized() {
			continue
		}
		b, rate, err := u.try(p)
		if err != nil {
			found = append(found, fmt.Sprintf("%v: %v", p, err))
			continue
		}
		found = append(found, fmt.Sprintf("%v: %.0f", p, rate))
		if rate > planGain*most {
			best, b, most = b, best, rate
		}
		if err := b.Close(); err != nil {
			return nil, "", errors.Join(err, best.Close())
		}
	}
	return best, "; evaluations a second: " + strings.Join(found, "; "), nil
}

// try opens the backend of a plan and measures it. A plan whose answers differ from those of the first is an error.
func (u *unmeasured) try(p plan) (b *backend, rate float64, err error) {
	if b, err = u.open(p); err != nil {
		return nil, 0, err
	}
	if err = u.check(b); err == nil {
		rate, err = b.rate()
	}
	if err != nil {
		return nil, 0, errors.Join(err, b.Close())
	}
	return b, rate, nil
}

// check evaluates in batches of several sizes. It is an error if the answers differ from those of the first backend that it is
// given.
func (u *unmeasured) check(b *backend) error {
	const n = 24
	items := batcher.Walk(n)
	for from, size := 0, 1; from < n; from, size = from+size, min(4*size, n-from-size) {
		if err := b.Evaluate(items[from : from+size]); err != nil {
			return err
		}
	}
	if u.want == nil {
		u.want = items
	}
	for i, it := range items {
		if d := it.Difference(u.want[i]); !(d <= planTolerance) {
			return fmt.Errorf("answer for %s differing by %v from that of the first plan", it.Position.FEN(false), d)
		}
	}
	return nil
}

// rate is the number of evaluations a second by which plans are compared.
func (b *backend) rate() (float64, error) {
	return batcher.Rate(b, min(planBatch, b.info.MaxBatch), planBudget)
}

// MeasurePlans measures each plan of the backend called name at each size of batch, for about budget each, and keeps the best for
// the next start on this machine, as Tune does. A plan that cannot be opened has an error in place of rows. yield is called after
// each plan.
func MeasurePlans(name string, net *eut.Net, opts batcher.Options, sizes []int, budget time.Duration, yield func(batcher.Plan)) error {
	opts = opts.WithDefaults()
	open, err := opener(name, net, opts)
	if err != nil {
		return err
	}
	u := &unmeasured{opts: opts, open: open}
	best, most := plan{}, 0.0
	for _, p := range plansOf(name, opts) {
		m, err := u.measure(p, sizes, budget)
		if err != nil {
			m.Error = err.Error()
		} else if m.Rate > planGain*most {
			best, most = p, m.Rate
		}
		yield(m)
	}
	if most == 0 {
		return errors.New("no plan works")
	}
	b, err := open(best)
	if err != nil {
		return err
	}
	best.Batch, best.Free, err = batcher.Sizes(b)
	if err = errors.Join(err, b.Close()); err != nil {
		return err
	}
	return rememberPlan(planKey(name, net, opts), best)
}

// measure measures a plan for MeasurePlans.
func (u *unmeasured) measure(p plan, sizes []int, budget time.Duration) (m batcher.Plan, err error) {
	m.Name = p.String()
	b, rate, err := u.try(p)
	if err != nil {
		return m, err
	}
	m.Rate = rate
	m.Rows, err = batcher.Measure(b, sizes, budget, nil)
	return m, errors.Join(err, b.Close())
}
