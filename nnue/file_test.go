package nnue

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// quadrants is a table of four king buckets: two of the first rank, the second rank, and the rest of the board.
func quadrants() []int {
	buckets := make([]int, 64)
	for s := range buckets {
		file, rank := s&7, s>>3
		if rank > 1 {
			buckets[s] = 3
		} else if rank == 1 {
			buckets[s] = 2
		} else if file == 2 || file == 3 {
			buckets[s] = 1
		}
	}
	return buckets
}

func testHeader(width, buckets int) Header {
	h := Header{Name: "test", H: width, P: width, K: buckets, Buckets: make([]int, 64), Description: "random, for tests"}
	if buckets == 4 {
		h.Buckets = quadrants()
	}
	return h
}

// file returns the file of a small net, after change, unless that is nil.
func file(t testing.TB, change func(n *Net)) []byte {
	t.Helper()
	n := randomNet(t, testHeader(64, 1), 1)
	if change != nil {
		change(n)
	}
	var b bytes.Buffer
	if err := n.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// withHeader returns a file with another header and the right checksum.
func withHeader(t testing.TB, data []byte, change func(h map[string]any)) []byte {
	t.Helper()
	size := int(binary.LittleEndian.Uint32(data[12:]))
	var h map[string]any
	if err := json.Unmarshal(data[16:16+size], &h); err != nil {
		t.Fatal(err)
	}
	change(h)
	text, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	b := binary.LittleEndian.AppendUint32(bytes.Clone(data[:12]), uint32(len(text)))
	b = append(b, text...)
	b = append(b, make([]byte, -len(b)&63)...)
	return seal(append(b, data[(16+size+63)&^63:len(data)-sha256.Size]...))
}

// seal appends the checksum of b.
func seal(b []byte) []byte {
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

func TestReadWrite(t *testing.T) {
	data := file(t, nil)
	n, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := n.Write(&again); err != nil || !bytes.Equal(again.Bytes(), data) {
		t.Errorf("the net that was read is written with error %v, as %d bytes that differ from the %d read", err, again.Len(), len(data))
	}
	if n.Name != "test" || len(n.ShortHash()) != 12 {
		t.Errorf("%+v", n.Header)
	}
	var float bytes.Buffer
	if err := n.Float().Write(&float); err != nil {
		t.Fatal(err)
	}
	f, err := ReadFloat(float.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	rounded := f.Round().Float()
	for i, want := range f.arrays() {
		got, most := *rounded.arrays()[i], slices.Max(*want)-slices.Min(*want)
		for k, w := range *want {
			if d := got[k] - w; max(d, -d) > most/127 {
				t.Fatalf("%s: element %d is %v after rounding, %v before", f.sections()[i].name, k, got[k], w)
			}
		}
	}
	for what, err := range map[string]error{"float read as rounded": second(Read(float.Bytes())), "rounded read as float": second(ReadFloat(data))} {
		if !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestReadRejects(t *testing.T) {
	good := file(t, nil)
	header := func(key string, value any) []byte {
		return withHeader(t, good, func(h map[string]any) { h[key] = value })
	}
	patch := func(at int, b ...byte) []byte {
		return append(append(bytes.Clone(good[:at]), b...), good[at+len(b):]...)
	}
	body := good[:len(good)-sha256.Size]
	pad := 16 + int(binary.LittleEndian.Uint32(good[12:]))
	nan := float32(0)
	nan /= nan
	buckets := func(n, last int) []int {
		b := make([]int, n)
		b[n-1] = last
		return b
	}
	for _, test := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "truncated: magic"},
		{"another net", []byte("TESLANET this is some other file"), `magic is "TESLANET"`},
		{"newer version", patch(8, 9), "version 9"},
		{"huge header", patch(12, 255, 255, 255, 255), "header length 4294967295"},
		{"header past the end", patch(12, 255, 255, 15, 0)[:5000], "truncated: header at byte 16"},
		{"not JSON", patch(16, 'x'), "header at byte 16"},
		{"half a header", good[:40], "truncated: header"},
		{"header only", good[:pad], "too short for a checksum"},
		{"cut in an array", good[:len(good)-1000], "SHA-256"},
		{"last byte lost", good[:len(good)-1], "SHA-256"},
		{"one byte more", append(bytes.Clone(good), 0), "SHA-256"},
		{"one bit of an array", patch(len(good)-500, good[len(good)-500]^4), "SHA-256"},
		{"sealed, arrays short", seal(bytes.Clone(body[:len(body)-20])), "truncated: bias3"},
		{"sealed, no arrays", seal(bytes.Clone(good[:pad])), "truncated: value ft"},
		{"sealed, bytes after", seal(append(bytes.Clone(body), 1, 2)), "follow the arrays"},
		{"sealed, padding", seal(patch(pad, 1)[:len(body)]), "before value ft is 1"},
		{"no name", header("name", ""), "no name"},
		{"H zero", header("H", 0), "H 0"},
		{"H negative", header("H", -64), "H -64"},
		{"H odd", header("H", 65), "H 65"},
		{"H huge", header("H", 1<<40), "H 1099511627776"},
		{"H beyond int", header("H", 1e30), "header at byte 16"},
		{"H other", header("H", 128), "truncated: rows1"},
		{"H largest", header("H", 2048), "truncated: value ft"},
		{"P other", header("P", 128), "truncated: rows1"},
		{"P huge", header("P", 1<<30), "P 1073741824"},
		{"K zero", header("K", 0), "K 0"},
		{"K other", header("K", 2), "truncated"},
		{"K huge", header("K", 65), "K 65"},
		{"no buckets", header("buckets", nil), "buckets of 0"},
		{"few buckets", header("buckets", buckets(63, 0)), "buckets of 63"},
		{"many buckets", header("buckets", buckets(65, 0)), "buckets of 65"},
		{"bucket", header("buckets", buckets(64, 1)), "bucket 1 of square 63"},
		{"negative bucket", header("buckets", buckets(64, -1)), "bucket -1"},
		{"float", header("float", true), "truncated: policy ft"},
		{"weight", file(t, func(n *Net) { n.value.layer2[5] = 2e4 }), "value layer2: element 5 is 20000"},
		{"negative weight", file(t, func(n *Net) { n.value.layer3[9] = -2e4 }), "value layer3: element 9 is -20000"},
		{"bias", file(t, func(n *Net) { n.value.bias3[3] = nan }), "value bias3: element 3 is NaN"},
		{"neighbours", file(t, func(n *Net) { copy(n.policy.rows2[4:], []int8{-3, 127}) }), "rows2: elements 4 and 5 are -3 and 127"},
		{"policy bias", file(t, func(n *Net) { n.policy.bias2[4] = 1 / (nan - nan) }), "bias2: element 4"},
	} {
		_, err := Read(test.data)
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want ErrFormat and %q", test.name, err, test.want)
		}
	}
	for size := 0; size < len(good); size += 1 + size/50 {
		if _, err := Read(good[:size]); err == nil {
			t.Fatalf("the first %d of %d bytes are accepted", size, len(good))
		}
	}
}

// TestHostileHeader checks that a small file whose header claims gigabytes is rejected without allocating them.
func TestHostileHeader(t *testing.T) {
	data := withHeader(t, seal(file(t, nil)[:1024]), func(h map[string]any) { h["H"], h["P"], h["K"] = 2048, 2048, 64 })
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Read(data)
	runtime.ReadMemStats(&after)
	if size := after.TotalAlloc - before.TotalAlloc; err == nil || size > 1<<17 {
		t.Errorf("error %v after allocating %d bytes", err, size)
	}
}

func FuzzRead(f *testing.F) {
	good := file(f, nil)
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add(good[:900])
	f.Add([]byte(Magic))
	f.Add(withHeader(f, good[:2000], func(h map[string]any) { h["H"] = 2048 }))
	f.Add(withHeader(f, good[:2000], func(h map[string]any) { h["float"], h["K"] = true, 64 }))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, b := range [][]byte{data, seal(bytes.Clone(data))} {
			n, err := Read(b)
			if err != nil && !errors.Is(err, ErrFormat) {
				t.Errorf("%v is no ErrFormat", err)
			}
			if err == nil && (len(n.value.ft) != n.K*pieceFeatures*n.H || len(n.policy.rows1) != rows1*n.P) {
				t.Errorf("accepted with H %d, P %d and arrays of %d, %d", n.H, n.P, len(n.value.ft), len(n.policy.rows1))
			}
			if _, err := ReadFloat(b); err != nil && !errors.Is(err, ErrFormat) {
				t.Errorf("%v is no ErrFormat", err)
			}
		}
	})
}
