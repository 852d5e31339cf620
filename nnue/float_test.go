package nnue

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"tesla/board"
	"tesla/models/netfile"
)

// arrays are the net's arrays in the order of the file, with steps of one: the weights are real.
func (f *FloatNet) arrays() []*[]float32 {
	steps := [3][]float32{ones(outBuckets * layer1), ones(rows1), ones(rows2)}
	return []*[]float32{&f.ValueFT, &f.ValueBias, &f.Layer1, &steps[0], &f.ValueBias1, &f.Layer2, &f.ValueBias2, &f.Layer3,
		&f.ValueBias3, &f.PolicyFT, &f.PolicyBias, &f.Rows1, &f.Rows2, &steps[1], &steps[2], &f.Bias1, &f.Bias2, &f.Bias3}
}

func ones(n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

// ReadFloat reads the file that training writes beside the rounded net, whose header says "float". Its errors are those of Read.
func ReadFloat(data []byte) (*FloatNet, error) {
	h, arrays, err := parse(data)
	if err == nil && !h.Float {
		err = errors.New("header: not float")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	f := &FloatNet{Header: h}
	for i, dst := range f.arrays() {
		*dst = decode[float32](arrays[i])
		for k, x := range *dst {
			if x-x != 0 {
				return nil, fmt.Errorf("%w: %s: element %d is %v", ErrFormat, h.sections()[i].name, k, x)
			}
		}
	}
	return f, nil
}

// Write writes the net as a file.
func (f *FloatNet) Write(w io.Writer) error {
	f.Float = true
	var arrays []any
	for _, a := range f.arrays() {
		arrays = append(arrays, *a)
	}
	data, err := encode(&f.Header, arrays...)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return fmt.Errorf("writing net: %w", err)
	}
	return nil
}

// Round returns the net in integers. It rounds each weight to the nearest integer and clamps it to its range.
func (f *FloatNet) Round() *Net {
	n := &Net{Header: f.Header}
	n.Header.Float = false
	v, p := &n.value, &n.policy
	const word, octet = 1<<15 - 1, 1<<7 - 1
	v.ft, v.bias = scale[int16](f.ValueFT, accScale, word), scale[int16](f.ValueBias, accScale, word)
	v.layer1, v.step1 = step(f.Layer1, outBuckets*layer1)
	v.bias1, v.layer2, v.bias2, v.layer3, v.bias3 = f.ValueBias1, f.Layer2, f.ValueBias2, f.Layer3, f.ValueBias3
	p.ft, p.bias = scale[int8](f.PolicyFT, accScale, octet), scale[int16](f.PolicyBias, accScale, word)
	p.rows1, p.step1 = step(f.Rows1, rows1)
	p.rows2, p.step2 = step(f.Rows2, rows2)
	p.bias1, p.bias2, p.bias3 = f.Bias1, f.Bias2, f.Bias3
	n.setViews()
	n.setTails()
	return n
}

// scale multiplies weights by their scale, rounds them and clamps them to -most..most.
func scale[T int8 | int16](a []float32, by float32, most float64) []T {
	out := aligned[T](len(a))
	for i, v := range a {
		out[i] = T(max(-most, min(most, math.RoundToEven(float64(v*by)))))
	}
	return out
}

// step rounds count rows of weights to bytes within pairLimit. Each row has a step of its own; the step of a row of zeros
// is 1.
func step(a []float32, count int) ([]int8, []float32) {
	out, steps := aligned[int8](len(a)), ones(count)
	width := len(a) / count
	for r := range steps {
		row, most := a[r*width:][:width], float32(0)
		for i := 0; i < width; i += 2 {
			a, b := max(row[i], -row[i]), max(row[i+1], -row[i+1])
			most = max(most, a/127, b/127, (a+b)/(pairLimit-1)) // rounding may add one to a pair
		}
		if most > 0 {
			steps[r] = most
		}
		for i, v := range row {
			out[r*width+i] = int8(math.RoundToEven(float64(v / steps[r])))
		}
	}
	return out, steps
}

// Write writes the net as a file and sets Hash.
func (n *Net) Write(w io.Writer) error {
	v, p := &n.value, &n.policy
	data, err := encode(&n.Header, v.ft, v.bias, v.layer1, v.step1, v.bias1, v.layer2, v.bias2, v.layer3, v.bias3,
		p.ft, p.bias, p.rows1, p.rows2, p.step1, p.step2, p.bias1, p.bias2, p.bias3)
	if err != nil {
		return err
	}
	n.Hash = hex.EncodeToString(netfile.Sum(data))
	if _, err := w.Write(data); err != nil {
		return fmt.Errorf("writing net: %w", err)
	}
	return nil
}

// encode returns the file of a header and its arrays.
func encode(h *Header, arrays ...any) ([]byte, error) {
	if err := h.validate(); err != nil {
		return nil, err
	}
	header, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	b := binary.LittleEndian.AppendUint32([]byte(Magic), version)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	b = append(b, header...)
	for _, a := range arrays {
		b = append(b, make([]byte, padded(len(b))-len(b))...)
		if b, err = binary.Append(b, binary.LittleEndian, a); err != nil {
			return nil, fmt.Errorf("encoding net: %w", err)
		}
	}
	sum := sha256.Sum256(b)
	return append(b, sum[:]...), nil
}

// Logits writes the policy's logits of moves to logits[:len(moves)]. The moves are legal in p.
func (w *Worker) Logits(p *board.Position, moves []board.Move, logits []float32) {
	if len(moves) > 0 {
		w.policy.logits(p, moves, logits[:len(moves)])
	}
}
