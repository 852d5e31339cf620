package syzygy

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"tesla/tablebase/tablefile"
)

// randomTable is a file of random values, most of them low.
func randomTable(t testing.TB, name string, dtz bool) []byte {
	t.Helper()
	l, err := NewLayout(name)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	values := make([][][]uint8, l.Files())
	for file := range values {
		for range l.Sides() {
			v := make([]uint8, l.Size(file))
			for k := range v[:min(len(v), 1<<15)] { // the larger tables are nearly constant, and so small
				v[k] = uint8(random.IntN(5)) & uint8(random.IntN(8))
			}
			values[file] = append(values[file], v)
		}
	}
	encode := l.EncodeWDL
	if dtz {
		encode = l.EncodeDTZ
	}
	data, err := encode(values)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// FuzzTable reads any bytes as a table of each kind, and decodes positions all over it, without panic and without
// reading behind the end of the file.
func FuzzTable(f *testing.F) {
	materials := []string{"KQvK", "KPvK", "KRvKR"}
	for i, name := range materials {
		for _, dtz := range []bool{false, true} {
			data := randomTable(f, name, dtz)
			data = data[:len(data)-checksumBytes]
			f.Add(data, uint8(i), dtz)
			f.Add(data[:min(len(data), 300)], uint8(i), dtz)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, which uint8, dtz bool) {
		m, err := parseName(materials[int(which)%len(materials)])
		if err != nil {
			t.Fatal(err)
		}
		data = sealed(data) // so that what was changed is read
		x, err := openTable(tablefile.NewCache(1<<16), bytes.NewReader(data), int64(len(data)), m, dtz)
		if err != nil {
			return
		}
		for file := range x.files {
			for side := range x.sides {
				d := &x.parts[file][side]
				for k := range int64(8) {
					v, err := d.value(k*(d.size-1)/7, Hard)
					if err == nil && (v < 0 || v > leafMark) {
						t.Errorf("a value of %d", v)
					}
				}
			}
		}
	})
}
