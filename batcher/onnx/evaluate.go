//go:build cgo

package onnx

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	ort "github.com/yalue/onnxruntime_go"

	"tesla/batcher"
	"tesla/board"
	"tesla/models/eut"
)

// device runs the net: it is a GPU, or the processor. It has one OS thread of its own for each batch that runs at a
// time, and these take streams in turn. So caches keep the weights, the driver of a GPU finds its state for the thread,
// and there is no wait between two batches.
type device struct {
	session *ort.DynamicAdvancedSession
	jobs    chan *stream
	workers sync.WaitGroup
	busy    batcher.BusyClock // while a batch runs
}

// stream evaluates one batch at a time: it encodes the batch into its own buffers, lets the device run them, and
// decodes.
type stream struct {
	net     *eut.Net
	device  *device
	bucket  func(n int) int // the size to which n rows are padded
	encoder *eut.Encoder
	plan    plan
	onCPU   bool
	parts   []*lane       // they run concurrently
	used    int           // the number of parts that the batch uses
	done    chan struct{} // the device has run the batch
	// ONNX Runtime holds pointers into the buffers, so they are made once and live as long as the session.
	in     []int32   // [rows][columns]
	wdl    []float32 // [rows][3]
	sigma  []float32 // [rows]
	policy []float32 // [rows][PolicySize]
}

// lane runs a part of a stream's batch. Threads that each run a part of the batch scale better than threads that share
// every operator, since they wait for each other once and not two hundred times.
type lane struct {
	stream *stream
	call   func() // run, bound once: a method value that is made for each batch would be an allocation
	from   int    // the first row to run
	count  int    // of rows
	err    error
	sizes  map[[2]int]*binding // by first row and size
}

// binding is rows of the buffers as tensors.
type binding struct {
	in, out []ort.Value
	io      *ort.IoBinding // on the CPU, where it saves allocations; on a GPU it would copy the input when it is bound
}

func (b *backend) Info() batcher.Info { return b.info }

// NetBusy is the longest time that a device ran; see batcher.NetBusy.
func (b *backend) NetBusy() (most time.Duration) {
	for _, d := range b.devices {
		most = max(most, d.busy.Total())
	}
	return most
}

// newStream makes a stream on a device and runs it once. The first run plans memory and, on a GPU, loads kernels for
// each size of batch; that must not happen during the first move of a game.
func (b *backend) newStream(d *device) error {
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

// share is the number of rows that each of count lanes gets of a batch of n; the last may get fewer.
func share(n, count int) int { return roundUp((n+count-1)/count, laneStep) }

// roundUp is the least multiple of step that holds n.
func roundUp(n, step int) int { return (n + step - 1) / step * step }

// powerOfTwo is the least power of two that holds n. A GPU plans each size of batch anew, so there should be few of
// them.
func powerOfTwo(n int) int {
	size := laneStep
	for size < n {
		size *= 2
	}
	return size
}

// allocate makes the buffers and fills every row with a legal position: the device computes rows beyond a batch as padding.
func (s *stream) allocate(rows int) {
	s.in, s.wdl = make([]int32, rows*s.plan.columns(s.net)), make([]float32, 3*rows)
	s.sigma, s.policy = make([]float32, rows), make([]float32, rows*eut.PolicySize)
	s.fill(rows)
}

// fill makes the first rows those of a legal position.
func (s *stream) fill(rows int) {
	start := board.StartPosition()
	for i := range rows {
		s.encode(i, &start)
	}
}

// encode writes a position to row i of the input.
func (s *stream) encode(i int, p *board.Position) {
	columns := s.plan.columns(s.net)
	row := s.in[i*columns:][:columns]
	if s.plan.Listed {
		s.encoder.List(p, row)
	} else {
		s.encoder.Encode(p, row)
	}
}

// Evaluate implements batcher.Backend. Calls beyond Info().Streams wait for the others.
func (b *backend) Evaluate(items []*batcher.Item) error {
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
		if err := it.Answer(s.wdl[3*i:][:3], s.sigma[i:], s.policy[i*eut.PolicySize:][:eut.PolicySize]); err != nil {
			return fmt.Errorf("backend %s: net %s: %w", b.info.Name, b.info.ModelName, err)
		}
	}
	return nil
}

// RunRaw implements batcher.RawRunner.
func (b *backend) RunRaw(items []*batcher.Item) error {
	s := <-b.free
	defer func() { b.free <- s }()
	return s.run(len(items))
}

func (b *backend) Row() int { return b.plan.columns(b.net) }

// Infer implements batcher.Inferer.
func (b *backend) Infer(n int, in []int32, out [len(batcher.GraphOutputs)][]float32) error {
	s := <-b.free
	defer func() { b.free <- s }()
	row := b.Row()
	for from := 0; from < n; from += b.info.MaxBatch {
		part := min(b.info.MaxBatch, n-from)
		copy(s.in, in[from*row:(from+part)*row])
		if err := s.run(part); err != nil {
			s.fill(part) // a later batch would compute these rows as padding, and fail as well
			return fmt.Errorf("backend %s: batch of %d: %w", b.info.Name, part, err)
		}
		for i, have := range [len(batcher.GraphOutputs)][]float32{s.wdl, s.sigma, s.policy} {
			columns := batcher.GraphOutputs[i].Columns
			copy(out[i][from*columns:(from+part)*columns], have)
		}
	}
	return nil
}

// work runs the batches of streams until jobs is closed. It runs the first part of a batch on its own thread.
func (d *device) work(parts int) {
	runtime.LockOSThread()
	others := make([]*osThread, parts-1)
	for k := range others {
		others[k] = newOSThread()
		defer others[k].close()
	}
	for s := range d.jobs {
		d.busy.Begin()
		for k := range s.used - 1 {
			others[k].start(s.parts[k+1].call)
		}
		s.parts[0].run()
		for k := range s.used - 1 {
			others[k].wait()
		}
		d.busy.End()
		s.done <- struct{}{}
	}
}

// run lets the device compute the first n rows, and blocks until it has.
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

// run computes the rows of the lane, padded to the size of a bucket.
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

// bind returns rows of the buffers as tensors. It makes them at their first use.
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

// make makes the tensors of size rows from row from on.
func (t *binding) make(s *stream, from, size int) error {
	columns := s.plan.columns(s.net)
	in, err := tensor(s.in[from*columns:], size, columns)
	if err != nil {
		return fmt.Errorf("input tensor: %w", err)
	}
	t.in = []ort.Value{in}
	for i, data := range [][]float32{s.wdl, s.sigma, s.policy} {
		columns := batcher.GraphOutputs[i].Columns
		out, err := tensor(data[from*columns:], size, columns)
		if err != nil {
			return fmt.Errorf("output tensor %s: %w", batcher.GraphOutputs[i].Name, err)
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
		err = errors.Join(err, t.io.BindOutput(batcher.GraphOutputs[i].Name, out))
	}
	return err
}

// tensor is the beginning of one of the stream's buffers as a tensor [rows, columns].
func tensor[T int32 | float32](data []T, rows, columns int) (ort.Value, error) {
	return ort.NewTensor(ort.NewShape(int64(rows), int64(columns)), data)
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

func (b *backend) Close() error {
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
	trim()
	return errors.Join(errs...)
}
