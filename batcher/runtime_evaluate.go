//go:build cgo

package batcher

import (
	"errors"
	"fmt"
	"sync"

	ort "github.com/yalue/onnxruntime_go"

	"tesla/board"
	"tesla/models"
)

// laneStep is the granularity of a batch on the CPU. ONNX Runtime multiplies one or two rows with another kernel,
// whose sums differ in the last bit; in batches of four, eight, twelve.. a result does not depend on its company.
const laneStep = 4

// lane evaluates a part of a batch: the buffers of one thread. Threads that each run a part of the batch scale better
// than threads that share every operator: there is one point at which they wait for each other, not two hundred.
type lane struct {
	net     *models.Net
	session *ort.DynamicAdvancedSession
	thread  *osThread // of a GPU; nil: the caller's
	bucket  func(n int) int
	encoder *models.Encoder
	// ONNX Runtime holds pointers into the buffers: they are made once and live as long as the session.
	acc    []int32   // [rows][Row]
	wdl    []float32 // [rows][3]
	sigma  []float32 // [rows]
	policy []float32 // [rows][PolicySize]
	sizes  map[int]*binding
}

// binding is the buffers as tensors of one batch size.
type binding struct{ in, out []ort.Value }

// Info implements Backend.
func (b *ortBackend) Info() Info { return b.info }

// addLane makes the lane of a thread on the CPU, or of a GPU, one of count. The first run plans memory and, on a GPU, loads kernels
// for each size of batch: not in somebody's first move.
func (b *ortBackend) addLane(number, count int, path string) (err error) {
	l := &lane{net: b.net, encoder: models.NewEncoder(b.net), sizes: map[int]*binding{}}
	most := share(b.info.MaxBatch, count)
	first := []int{1}
	if b.info.Name == "cpu" {
		l.bucket = func(n int) int { return roundUp(n, laneStep) }
	} else {
		l.bucket, l.thread = powerOfTwo, newOSThread()
		for n := 2 * laneStep; n <= powerOfTwo(most); n *= 2 {
			first = append(first, min(n, most))
		}
	}
	b.lanes = append(b.lanes, l)
	l.allocate(l.bucket(most))
	l.thread.do(func() {
		if len(b.sessions) == 0 || l.thread != nil {
			var s *ort.DynamicAdvancedSession
			if s, err = b.newSession(path, number); err != nil {
				return
			}
			b.sessions = append(b.sessions, s)
		}
		l.session = b.sessions[len(b.sessions)-1]
		for _, n := range first {
			if err = keepSignals(func() error { return l.run(n) }); err != nil {
				err = fmt.Errorf("first run of %d positions: %w", n, err)
				return
			}
		}
	})
	return err
}

// share is how many of n items each of count lanes gets, the last perhaps fewer.
func share(n, count int) int { return roundUp((n+count-1)/count, laneStep) }

func roundUp(n, step int) int { return (n + step - 1) / step * step }

// powerOfTwo is the least power of two that holds n: a GPU plans each size anew.
func powerOfTwo(n int) int {
	size := laneStep
	for size < n {
		size *= 2
	}
	return size
}

// allocate makes the buffers and fills every row with a legal position, since rows beyond a batch are computed as
// padding.
func (l *lane) allocate(rows int) {
	l.acc = make([]int32, rows*l.net.Row())
	l.wdl = make([]float32, 3*rows)
	l.sigma = make([]float32, rows)
	l.policy = make([]float32, rows*models.PolicySize)
	start := board.StartPosition()
	for i := range rows {
		l.encoder.Encode(&start, l.row(i))
	}
}

func (l *lane) row(i int) []int32 { return l.acc[i*l.net.Row():][:l.net.Row()] }

// Evaluate implements Backend. Calls from several goroutines take turns.
func (b *ortBackend) Evaluate(items []*Item) error {
	if len(items) == 0 {
		return nil
	}
	if err := b.info.Admits(len(items)); err != nil {
		return err
	}
	if err := b.parallel(len(items), func(l *lane, from, to int) error { return l.evaluate(items[from:to]) }); err != nil {
		return fmt.Errorf("backend %s: batch of %d: %w", b.info.Name, len(items), err)
	}
	return nil
}

// runRaw runs the session alone on what the buffers hold.
func (b *ortBackend) runRaw(items []*Item) error {
	return b.parallel(len(items), func(l *lane, from, to int) error { return l.run(to - from) })
}

// parallel divides n items among the lanes, the first part on the caller's goroutine.
func (b *ortBackend) parallel(n int, f func(l *lane, from, to int) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	part := share(n, len(b.lanes))
	var wg sync.WaitGroup
	run := func(k int) {
		l, from, to := b.lanes[k], k*part, min((k+1)*part, n)
		if l.thread == nil {
			b.errs[k] = f(l, from, to)
			return
		}
		l.thread.do(func() { b.errs[k] = f(l, from, to) })
	}
	for k := 1; k*part < n; k++ {
		wg.Go(func() { run(k) })
	}
	run(0)
	wg.Wait()
	err := errors.Join(b.errs...)
	clear(b.errs)
	return err
}

// evaluate computes items, no more than the buffers hold.
func (l *lane) evaluate(items []*Item) error {
	for i, it := range items {
		l.encoder.Encode(&it.Position, l.row(i))
	}
	if err := l.run(len(items)); err != nil {
		return err
	}
	for i, it := range items {
		it.Answer(l.wdl[3*i:][:3], l.sigma[i:], l.policy[i*models.PolicySize:][:models.PolicySize])
	}
	return nil
}

// Row implements Inferer.
func (b *ortBackend) Row() int { return b.net.Row() }

// Infer implements Inferer.
func (b *ortBackend) Infer(n int, acc []int32, out [len(GraphOutputs)][]float32) error {
	row := b.Row()
	for from := 0; from < n; from += b.info.MaxBatch {
		part := min(b.info.MaxBatch, n-from)
		if err := b.parallel(part, func(l *lane, at, end int) error {
			copy(l.acc, acc[(from+at)*row:(from+end)*row])
			if err := l.run(end - at); err != nil {
				return err
			}
			for i, have := range [len(GraphOutputs)][]float32{l.wdl, l.sigma, l.policy} {
				columns := GraphOutputs[i].Columns
				copy(out[i][(from+at)*columns:(from+end)*columns], have)
			}
			return nil
		}); err != nil {
			return fmt.Errorf("backend %s: batch of %d: %w", b.info.Name, part, err)
		}
	}
	return nil
}

// run computes the first n rows, padded to the size of a bucket.
func (l *lane) run(n int) error {
	t, err := l.bind(l.bucket(n))
	if err != nil {
		return err
	}
	return l.session.Run(t.in, t.out)
}

// bind returns the buffers as tensors for a batch of size, made at the first use of that size.
func (l *lane) bind(size int) (*binding, error) {
	if t := l.sizes[size]; t != nil {
		return t, nil
	}
	t := &binding{}
	n := int64(size)
	acc, err := ort.NewTensor(ort.NewShape(n, int64(l.net.Row())), l.acc)
	if err != nil {
		return nil, fmt.Errorf("input tensor: %w", err)
	}
	t.in = []ort.Value{acc}
	for i, data := range [][]float32{l.wdl, l.sigma, l.policy} {
		out, err := ort.NewTensor(ort.NewShape(n, int64(GraphOutputs[i].Columns)), data)
		if err != nil {
			t.destroy()
			return nil, fmt.Errorf("output tensor %s: %w", GraphOutputs[i].Name, err)
		}
		t.out = append(t.out, out)
	}
	l.sizes[size] = t
	return t, nil
}

func (t *binding) destroy() {
	for _, v := range append(t.in, t.out...) {
		v.Destroy()
	}
}

// Close implements Backend.
func (b *ortBackend) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.lanes {
		for _, t := range l.sizes {
			t.destroy()
		}
		l.thread.close()
	}
	var errs []error
	for _, s := range b.sessions {
		errs = append(errs, s.Destroy())
	}
	b.lanes, b.sessions = nil, nil
	return errors.Join(errs...)
}
