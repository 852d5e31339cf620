//go:build cgo

package batcher

import (
	"fmt"

	ort "github.com/yalue/onnxruntime_go"

	"tesla/board"
	"tesla/models"
)

func (b *ortBackend) Info() Info { return b.info }

// rows is how many rows the buffers have.
func (b *ortBackend) rows() int { return max(b.info.MaxBatch, leastBucket) }

// allocate makes the buffers.
func (b *ortBackend) allocate() {
	n := b.rows()
	b.acc = make([]int32, n*b.net.Width)
	b.wdl = make([]float32, 3*n)
	b.sigma = make([]float32, n)
	b.policy = make([]float32, n*models.PolicySize)
}

// warm fills every row with a legal position, since rows beyond a batch are computed as padding, and runs once.
func (b *ortBackend) warm() error {
	start := board.StartPosition()
	for i := range b.rows() {
		b.encoder.Encode(&start, b.row(i))
	}
	return b.run(1)
}

func (b *ortBackend) row(i int) []int32 { return b.acc[i*b.net.Width:][:b.net.Width] }

// Evaluate implements Backend. Calls from several goroutines take turns.
func (b *ortBackend) Evaluate(items []*Item) error {
	if len(items) == 0 {
		return nil
	}
	if len(items) > b.info.MaxBatch {
		return fmt.Errorf("backend %s: %d items in a batch of at most %d", b.info.Name, len(items), b.info.MaxBatch)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, it := range items {
		b.encoder.Encode(&it.Position, b.row(i))
	}
	if err := b.run(len(items)); err != nil {
		return fmt.Errorf("backend %s: batch of %d: %w", b.info.Name, len(items), err)
	}
	for i, it := range items {
		w := b.wdl[3*i:][:3]
		it.Eval = evalOf(w[0], w[1], w[2], b.sigma[i])
		softmax(&it.Position, it.Moves, b.policy[i*models.PolicySize:][:models.PolicySize], it.resizePolicy())
	}
	return nil
}

// run computes the first n rows, padded to the size of a bucket.
func (b *ortBackend) run(n int) error {
	t, err := b.bind(bucket(n, b.rows()))
	if err != nil {
		return err
	}
	return b.session.Run(t.in, t.out)
}

// leastBucket is the smallest batch that is run. ONNX Runtime multiplies one or two rows with another kernel, whose
// sums differ in the last bit; from four rows on a position's result does not depend on its company.
const leastBucket = 4

// bucket is the smallest batch size for which there are tensors that holds n items: a power of two, or most.
func bucket(n, most int) int {
	size := leastBucket
	for size < n {
		size *= 2
	}
	return min(size, most)
}

// bind returns the buffers as tensors for a batch of size, made at the first use of that size.
func (b *ortBackend) bind(size int) (*binding, error) {
	if t := b.sizes[size]; t != nil {
		return t, nil
	}
	t := &binding{}
	n := int64(size)
	acc, err := ort.NewTensor(ort.NewShape(n, int64(b.net.Width)), b.acc)
	if err != nil {
		return nil, fmt.Errorf("input tensor: %w", err)
	}
	t.in = []ort.Value{acc}
	for i, data := range [][]float32{b.wdl, b.sigma, b.policy} {
		out, err := ort.NewTensor(ort.NewShape(n, graphOutputs[i].columns), data)
		if err != nil {
			t.destroy()
			return nil, fmt.Errorf("output tensor %s: %w", graphOutputs[i].name, err)
		}
		t.out = append(t.out, out)
	}
	b.sizes[size] = t
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
	for size, t := range b.sizes {
		t.destroy()
		delete(b.sizes, size)
	}
	err := b.session.Destroy()
	return err
}

// runRaw runs the session alone on what its buffers hold.
func (b *ortBackend) runRaw(n int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.run(n)
}
