//go:build cgo

package batcher

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"tesla/eut"

	ort "github.com/yalue/onnxruntime_go"

	"tesla/board"
)

// device is what runs the net: a GPU, or the processor. OS threads of its own, as many as run batches at a time, take streams in
// turn: caches hold the weights, a GPU's driver keeps state for each thread, and between two batches nobody is waited for.
type device struct {
	session *ort.DynamicAdvancedSession
	jobs    chan *stream
	workers sync.WaitGroup
	busy    busyClock // a batch runs
}

// stream evaluates one batch at a time. It encodes into buffers of its own, has the device run them, and decodes.
type stream struct {
	net     *eut.Net
	device  *device
	bucket  func(n int) int // the size that so many rows are padded to
	encoder *eut.Encoder
	plan    plan
	onCPU   bool
	parts   []*lane // that run side by side
	used    int     // of these, by the batch
	done    chan struct{}
	// ONNX Runtime holds pointers into the buffers: they are made once and live as long as the session.
	in     []int32   // [rows][columns]
	wdl    []float32 // [rows][3]
	sigma  []float32 // [rows]
	policy []float32 // [rows][PolicySize]
}

// lane runs a part of a stream's batch. Threads that each run a part of the batch scale better than threads that share every
// operator: there is one point at which they wait for each other, not two hundred.
type lane struct {
	stream *stream
	call   func() // run, bound once: a function that is made for each batch would be an allocation
	from   int    // the rows to run
	count  int
	err    error
	sizes  map[[2]int]*binding // by first row and size
}

// binding is rows of the buffers as tensors.
type binding struct {
	in, out []ort.Value
	io      *ort.IoBinding // on the CPU, where it saves allocations; on a GPU it would copy the input when it is bound
}

// Info implements Backend.
func (b *ortBackend) Info() Info { return b.info }

func (b *ortBackend) setSizes(batch, free int) { b.info.Batch, b.info.Free = batch, free }

// netBusy is the longest time that a device ran.
func (b *ortBackend) netBusy() (most time.Duration) {
	for _, d := range b.devices {
		most = max(most, d.busy.total())
	}
	return most
}

// newStream makes a stream on a device. The first run plans memory and, on a GPU, loads kernels for
// each size of batch: not in somebody's first move.
func (b *ortBackend) newStream(d *device) error {
	s := &stream{net: b.net, device: d, bucket: powerOfTwo, encoder: eut.NewEncoder(b.net), plan: b.plan, onCPU: b.info.Name == "cpu",
		done: make(chan struct{}, 1)}
	most, first := share(b.info.MaxBatch, b.plan.Parts), []int{1}
	if s.onCPU {
		s.bucket = func(n int) int { return roundUp(n, laneStep) }
	} else {
		for n := 2 * laneStep; n <= powerOfTwo(most); n *= 2 {
			first = append(first, min(n, most))
		}
	}
	for range b.plan.Parts {
		l := &lane{stream: s, sizes: map[[2]int]*binding{}}
		l.call = l.run
		s.parts = append(s.parts, l)
	}
	b.streams = append(b.streams, s)
	s.allocate(b.plan.Parts * s.bucket(most))
	for _, n := range first {
		if err := keepSignals(func() error { return s.run(n) }); err != nil {
			return fmt.Errorf("first run of %d positions: %w", n, err)
		}
	}
	b.free <- s
	return nil
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
func (s *stream) allocate(rows int) {
	s.in = make([]int32, rows*s.columns())
	s.wdl = make([]float32, 3*rows)
	s.sigma = make([]float32, rows)
	s.policy = make([]float32, rows*eut.PolicySize)
	start := board.StartPosition()
	for i := range rows {
		s.encode(i, &start)
	}
}

// columns is the length of a row of the session's input.
func (s *stream) columns() int {
	if s.plan.Listed {
		return eut.ListRow
	}
	return s.net.Row()
}

func (s *stream) encode(i int, p *board.Position) {
	row := s.in[i*s.columns():][:s.columns()]
	if s.plan.Listed {
		s.encoder.List(p, row)
	} else {
		s.encoder.Encode(p, row)
	}
}

// Evaluate implements Backend. Calls beyond Info().Streams take turns.
func (b *ortBackend) Evaluate(items []*Item) error {
	if len(items) == 0 {
		return nil
	}
	if err := b.info.Admits(len(items)); err != nil {
		return err
	}
	s := <-b.free
	defer func() { b.free <- s }()
	for i, it := range items {
		s.encode(i, &it.Position)
	}
	if err := s.run(len(items)); err != nil {
		return fmt.Errorf("backend %s: batch of %d: %w", b.info.Name, len(items), err)
	}
	for i, it := range items {
		it.Answer(s.wdl[3*i:][:3], s.sigma[i:], s.policy[i*eut.PolicySize:][:eut.PolicySize])
	}
	return nil
}

// runRaw runs the session alone on what the buffers hold.
func (b *ortBackend) runRaw(items []*Item) error {
	s := <-b.free
	defer func() { b.free <- s }()
	return s.run(len(items))
}

// Row implements Inferer.
func (b *ortBackend) Row() int { return b.streams[0].columns() }

// Infer implements Inferer.
func (b *ortBackend) Infer(n int, in []int32, out [len(GraphOutputs)][]float32) error {
	s := <-b.free
	defer func() { b.free <- s }()
	row := s.columns()
	for from := 0; from < n; from += b.info.MaxBatch {
		part := min(b.info.MaxBatch, n-from)
		copy(s.in, in[from*row:(from+part)*row])
		if err := s.run(part); err != nil {
			return fmt.Errorf("backend %s: batch of %d: %w", b.info.Name, part, err)
		}
		for i, have := range [len(GraphOutputs)][]float32{s.wdl, s.sigma, s.policy} {
			columns := GraphOutputs[i].Columns
			copy(out[i][from*columns:(from+part)*columns], have)
		}
	}
	return nil
}

// work runs what streams ask for, the first part of a batch on its own thread, until no more is to come.
func (d *device) work(parts int) {
	runtime.LockOSThread()
	others := make([]*osThread, parts-1)
	for k := range others {
		others[k] = newOSThread()
		defer others[k].close()
	}
	for s := range d.jobs {
		d.busy.begin()
		for k := range s.used - 1 {
			others[k].start(s.parts[k+1].call)
		}
		s.parts[0].run()
		for k := range s.used - 1 {
			others[k].wait()
		}
		d.busy.end()
		s.done <- struct{}{}
	}
}

// run has the first n rows computed.
func (s *stream) run(n int) (err error) {
	part := share(n, len(s.parts))
	s.used = (n + part - 1) / part
	for k, l := range s.parts[:s.used] {
		l.from, l.count = k*part, min(part, n-k*part)
	}
	s.device.jobs <- s
	<-s.done
	for _, l := range s.parts[:s.used] {
		err = errors.Join(err, l.err)
	}
	return err
}

// run computes the lane's rows, padded to the size of a bucket.
func (l *lane) run() {
	var t *binding
	if t, l.err = l.bind(l.from, l.stream.bucket(l.count)); l.err != nil {
		return
	}
	session := l.stream.device.session
	if t.io != nil {
		l.err = session.RunWithBinding(t.io)
	} else {
		l.err = session.Run(t.in, t.out)
	}
}

// bind returns rows of the buffers as tensors, made at their first use.
func (l *lane) bind(from, size int) (*binding, error) {
	key := [2]int{from, size}
	if t := l.sizes[key]; t != nil {
		return t, nil
	}
	t := &binding{}
	if err := t.make(l.stream, from, size); err != nil {
		return nil, errors.Join(err, t.destroy())
	}
	l.sizes[key] = t
	return t, nil
}

func (t *binding) make(s *stream, from, size int) error {
	n, columns := int64(size), s.columns()
	in, err := ort.NewTensor(ort.NewShape(n, int64(columns)), s.in[from*columns:])
	if err != nil {
		return fmt.Errorf("input tensor: %w", err)
	}
	t.in = []ort.Value{in}
	for i, data := range [][]float32{s.wdl, s.sigma, s.policy} {
		columns := GraphOutputs[i].Columns
		out, err := ort.NewTensor(ort.NewShape(n, int64(columns)), data[from*columns:])
		if err != nil {
			return fmt.Errorf("output tensor %s: %w", GraphOutputs[i].Name, err)
		}
		t.out = append(t.out, out)
	}
	if !s.onCPU {
		return nil
	}
	if t.io, err = s.device.session.CreateIoBinding(); err != nil {
		return err
	}
	err = t.io.BindInput(s.plan.input(), in)
	for i, out := range t.out {
		err = errors.Join(err, t.io.BindOutput(GraphOutputs[i].Name, out))
	}
	return err
}

func (t *binding) destroy() error {
	var errs []error
	if t.io != nil {
		errs = append(errs, t.io.Destroy())
	}
	for _, v := range append(t.in, t.out...) {
		errs = append(errs, v.Destroy())
	}
	return errors.Join(errs...)
}

// Close implements Backend.
func (b *ortBackend) Close() error {
	var errs []error
	for _, s := range b.streams {
		for _, l := range s.parts {
			for _, t := range l.sizes {
				errs = append(errs, t.destroy())
			}
		}
	}
	for _, d := range b.devices {
		close(d.jobs)
		d.workers.Wait()
		errs = append(errs, d.session.Destroy())
	}
	b.streams, b.devices = nil, nil
	return errors.Join(errs...)
}
