package nnue

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"unsafe"

	"tesla/models/netfile"
)

const (
	// Magic begins every net file of this package.
	Magic   = "TESLANNU"
	version = 2

	maxColumns = 2048 // H and P
	maxBuckets = 64   // K
)

// ErrFormat is wrapped by every error about the contents of a net file, as opposed to reading it.
var ErrFormat = errors.New("not a usable nnue net file")

// section is one array of a file.
type section struct {
	name  string
	count int // elements
	size  int // bytes of an element
}

// sections are the arrays of a file with header h, in order.
func (h *Header) sections() []section {
	all := []section{
		{"value ft", h.K * pieceFeatures * h.H, 2}, {"value bias", h.H, 2}, {"value layer1", outBuckets * layer1 * 2 * h.H, 1},
		{"value step1", outBuckets * layer1, 4}, {"value bias1", outBuckets * layer1, 4},
		{"value layer2", outBuckets * layer2 * 2 * layer1, 4}, {"value bias2", outBuckets * layer2, 4},
		{"value layer3", outBuckets * heads * layer2, 4}, {"value bias3", outBuckets * heads, 4},
		{"policy ft", policyFeatures * h.P, 1}, {"policy bias", h.P, 2}, {"rows1", rows1 * h.P, 1}, {"rows2", rows2 * h.P, 1},
		{"step1", rows1, 4}, {"step2", rows2, 4}, {"bias1", rows1, 4}, {"bias2", rows2, 4}, {"bias3", scalars, 4},
	}
	if h.Float {
		for i := range all {
			all[i].size = 4
		}
	}
	return all
}

func (h *Header) validate() error {
	switch {
	case h.Name == "":
		return errors.New("header: no name")
	case h.H < 64 || h.H > maxColumns || h.H%64 != 0:
		return fmt.Errorf("header: H %d, want a multiple of 64 up to %d", h.H, maxColumns)
	case h.P < 64 || h.P > maxColumns || h.P%64 != 0:
		return fmt.Errorf("header: P %d, want a multiple of 64 up to %d", h.P, maxColumns)
	case h.K < 1 || h.K > maxBuckets:
		return fmt.Errorf("header: K %d, want 1 to %d", h.K, maxBuckets)
	case len(h.Buckets) != 64:
		return fmt.Errorf("header: buckets of %d squares, want 64", len(h.Buckets))
	}
	for s, b := range h.Buckets {
		if b < 0 || b >= h.K {
			return fmt.Errorf("header: bucket %d of square %d, want 0 to %d", b, s, h.K-1)
		}
	}
	return nil
}

// Read reads a net file. The net does not refer to data. Errors wrap ErrFormat and name the byte or field at fault.
func Read(data []byte) (*Net, error) {
	n := &Net{}
	err := n.read(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return n, nil
}

func (n *Net) read(data []byte) error {
	h, arrays, err := parse(data)
	if err != nil {
		return err
	}
	if h.Float {
		return errors.New("header: float: net not rounded")
	}
	n.Header, n.Hash = h, hex.EncodeToString(data[len(data)-sha256.Size:]) // which parse has checked
	v, p := &n.value, &n.policy
	v.ft, v.bias, v.layer1 = decode[int16](arrays[0]), decode[int16](arrays[1]), decode[int8](arrays[2])
	v.step1, v.bias1, v.layer2 = decode[float32](arrays[3]), decode[float32](arrays[4]), decode[float32](arrays[5])
	v.bias2, v.layer3, v.bias3 = decode[float32](arrays[6]), decode[float32](arrays[7]), decode[float32](arrays[8])
	p.ft, p.bias, p.rows1, p.rows2 = decode[int8](arrays[9]), decode[int16](arrays[10]), decode[int8](arrays[11]), decode[int8](arrays[12])
	p.step1, p.step2 = decode[float32](arrays[13]), decode[float32](arrays[14])
	p.bias1, p.bias2, p.bias3 = decode[float32](arrays[15]), decode[float32](arrays[16]), decode[float32](arrays[17])
	n.setViews()
	n.setTails()
	return n.check()
}

// decode is an array of a file, in memory that begins on a cache line.
func decode[T int8 | int16 | float32](b []byte) []T {
	var of T
	out := aligned[T](len(b) / int(unsafe.Sizeof(of)))
	_, _ = binary.Decode(b, binary.LittleEndian, out) // there are as many bytes
	return out
}

// parse checks everything but the values of the arrays, and returns the header and the bytes of each array. It
// allocates no more than the header.
func parse(data []byte) (h Header, arrays [][]byte, err error) {
	at, err := netfile.ReadHeader(data, Magic, version, &h)
	if err == nil {
		err = h.validate()
	}
	if err != nil {
		return h, nil, err
	}
	if _, err := netfile.Verify(data, at); err != nil {
		return h, nil, err
	}
	begin := at
	end := len(data) - sha256.Size
	for _, s := range h.sections() {
		begin := padded(at)
		size := s.count * s.size
		if begin > end || size > end-begin {
			return h, nil, fmt.Errorf("truncated: %s at byte %d takes %d bytes, %d are left", s.name, begin, size, max(0, end-begin))
		}
		at = begin + size
		arrays = append(arrays, data[begin:at])
	}
	if at != end {
		return h, nil, fmt.Errorf("%d bytes follow the arrays at byte %d, want a SHA-256 of %d", len(data)-at, at, sha256.Size)
	}
	for i, array := range arrays {
		for ; begin%cacheLine != 0; begin++ {
			if data[begin] != 0 {
				return h, nil, fmt.Errorf("byte %d before %s is %d, want 0", begin, h.sections()[i].name, data[begin])
			}
		}
		begin += len(array)
	}
	return h, arrays, nil
}

// padded is the offset at which the array after byte at begins.
func padded(at int) int { return (at + cacheLine - 1) &^ (cacheLine - 1) }

func (n *Net) check() error {
	v, p := &n.value, &n.policy
	for _, f := range []struct {
		name   string
		values []float32
	}{{"value step1", v.step1}, {"value bias1", v.bias1}, {"value layer2", v.layer2}, {"value bias2", v.bias2}, {"value layer3", v.layer3},
		{"value bias3", v.bias3}, {"step1", p.step1}, {"step2", p.step2}, {"bias1", p.bias1}, {"bias2", p.bias2}, {"bias3", p.bias3}} {
		for i, x := range f.values {
			if !(x >= -maxFloat && x <= maxFloat) {
				return fmt.Errorf("%s: element %d is %v, want -%v to %[4]v", f.name, i, x, float32(maxFloat))
			}
		}
	}
	for _, f := range []struct {
		name  string
		bytes []int8
	}{{"value layer1", v.layer1}, {"rows1", p.rows1}, {"rows2", p.rows2}} {
		for i := 0; i < len(f.bytes); i += 2 {
			a, b := int(f.bytes[i]), int(f.bytes[i+1])
			if sum := max(a, -a) + max(b, -b); sum > pairLimit {
				return fmt.Errorf("%s: elements %d and %d are %d and %d, want at most %d together without signs",
					f.name, i, i+1, a, b, pairLimit)
			}
		}
	}
	return nil
}
