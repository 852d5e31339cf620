package memory

import (
	"math"
	"testing"
	"unsafe"
)

// line is an element of a cache line's size.
type line [64]byte

// A slice has the length that was asked for, begins on a cache line, is zeroed and can be written from end to end.
func TestMap(t *testing.T) {
	for _, n := range []int64{1, 2, 63, 1000, 100_000} {
		m, s, err := Map[line](n)
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(s)) != n || cap(s) != len(s) {
			t.Errorf("%d elements: length %d, capacity %d", n, len(s), cap(s))
		}
		if at := uintptr(unsafe.Pointer(&s[0])); at%64 != 0 {
			t.Errorf("%d elements begin at %#x, not on a cache line", n, at)
		}
		for i := range s {
			if s[i] != (line{}) {
				t.Fatalf("element %d of %d is not zero", i, n)
			}
			s[i][0], s[i][63] = 1, 2
		}
		if err := m.Free(); err != nil {
			t.Error(err)
		}
	}
}

// Elements smaller and larger than a cache line do not overlap.
func TestMapSizes(t *testing.T) {
	a, bytes, err := Map[byte](100)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Free()
	b, words, err := Map[[24]uint64](100)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Free()
	for i := range 100 {
		bytes[i] = byte(i)
		for k := range words[i] {
			words[i][k] = uint64(100*i + k)
		}
	}
	for i := range 100 {
		for k := range words[i] {
			if bytes[i] != byte(i) || words[i][k] != uint64(100*i+k) {
				t.Fatalf("element %d was overwritten: %d, %d", i, bytes[i], words[i])
			}
		}
	}
}

// A slice that no address space holds, or that has no elements, is an error.
func TestMapRefuses(t *testing.T) {
	for _, n := range []int64{0, -1, math.MinInt64, math.MaxInt64, math.MaxInt64 / 8} {
		if m, s, err := Map[uint64](n); err == nil || s != nil {
			t.Errorf("%d elements: %d were made, %v", n, len(s), err)
			m.Free()
		}
	}
}

// The zero Mapping holds nothing, so freeing it is no error.
func TestZeroMapping(t *testing.T) {
	var m Mapping
	if err := m.Free(); err != nil || m.Resident() != 0 {
		t.Errorf("%v, %d bytes resident", err, m.Resident())
	}
}

// Prefetch changes nothing and bears any address.
func TestPrefetch(t *testing.T) {
	x := line{7}
	Prefetch(unsafe.Pointer(&x))
	Prefetch(nil)
	if x != (line{7}) {
		t.Errorf("%v after a prefetch", x)
	}
}

// The memory of this machine, where it is known, holds at least this test.
func TestAvailable(t *testing.T) {
	if available, known := Available(); known && available < 1<<20 || !known && available != 0 {
		t.Errorf("%d bytes, known: %v", available, known)
	}
}
