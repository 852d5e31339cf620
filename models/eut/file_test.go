package eut

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// tinyHeader is the header of a small valid net.
func tinyHeader() Header {
	return Header{
		Name: "tiny", Arch: "eut", Features: Features, Width: 4, Policy: PolicySize,
		Segments:  map[string][2]int{"num": {0, 3}, "den": {3, 1}},
		ScaleBits: map[string]int{"num": 15, "den": 15},
	}
}

// tinyFile is a net file with header, a table of the header's size and graph.
func tinyFile(t testing.TB, header any, cells int, graph string) []byte {
	t.Helper()
	h, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	b := append([]byte(Magic), binary.LittleEndian.AppendUint32(nil, version)...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(h)))
	b = append(b, h...)
	for i := range cells {
		b = binary.LittleEndian.AppendUint32(b, uint32(i-1000))
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(len(graph)))
	return seal(append(b, graph...))
}

// seal appends the checksum.
func seal(b []byte) []byte {
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

func TestParse(t *testing.T) {
	data := tinyFile(t, tinyHeader(), Features*4, "graph")
	n, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if n.Name != "tiny" || string(n.Graph) != "graph" || len(n.ShortHash()) != 12 {
		t.Errorf("%+v", n.Header)
	}
	if lo, hi := unpack(n.row(2)[1]); lo != 10-1000 || hi != 11-1000 {
		t.Errorf("row 2 has %d, %d in columns 2 and 3", lo, hi)
	}
}

func TestParseRejects(t *testing.T) {
	good := tinyFile(t, tinyHeader(), Features*4, "graph")
	with := func(change func(h *Header)) []byte {
		h := tinyHeader()
		change(&h)
		return tinyFile(t, h, Features*4, "graph")
	}
	patch := func(at int, b ...byte) []byte {
		return append(append(bytes.Clone(good[:at]), b...), good[at+len(b):]...)
	}
	body := good[:len(good)-sha256.Size]
	for _, test := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "truncated: magic"},
		{"another file", []byte("PK\x03\x04 this is some other file"), `magic is "PK`},
		{"newer version", patch(8, 3), "version 3"},
		{"huge header", patch(12, 255, 255, 255, 255), "header length 4294967295"},
		{"header past the end", patch(12, 255, 255, 8, 0), "truncated: header at byte 16"},
		{"not JSON", patch(16, 'x'), "header at byte 16"},
		{"half a header", good[:40], "truncated: header"},
		{"header only", good[:16+int(binary.LittleEndian.Uint32(good[12:]))], "too short for a checksum"},
		{"cut in the table", good[:len(good)-1000], "SHA-256"},
		{"last byte lost", good[:len(good)-1], "SHA-256"},
		{"one byte more", append(bytes.Clone(good), 0), "SHA-256"},
		{"one bit of the table", patch(len(good)-500, good[len(good)-500]^4), "SHA-256"},
		{"sealed, table short", seal(bytes.Clone(good[:len(good)-2000])), "truncated: table"},
		{"sealed, graph short", seal(bytes.Clone(body[:len(body)-3])), "graph at byte"},
		{"sealed, bytes after", seal(append(bytes.Clone(body), 1, 2)), "follow the graph"},
		{"no graph", tinyFile(t, tinyHeader(), Features*4, ""), "graph is empty"},
		{"table too large", tinyFile(t, tinyHeader(), Features*4+1, "graph"), "graph at byte"},
		{"no name", with(func(h *Header) { h.Name = "" }), "no name"},
		{"arch", with(func(h *Header) { h.Arch = "mlp" }), `arch "mlp"`},
		{"features", with(func(h *Header) { h.Features = 768 }), "768 features"},
		{"odd width", with(func(h *Header) { h.Width = 5 }), "width 5"},
		{"negative width", with(func(h *Header) { h.Width = -4 }), "width -4"},
		{"large width", with(func(h *Header) { h.Width = 1 << 40 }), "width"},
		{"policy", with(func(h *Header) { h.Policy = 4096 }), "4096 policy logits"},
		{"no segments", with(func(h *Header) { h.Segments = nil }), "segments cover 0 of 4"},
		{"gap", with(func(h *Header) { h.Segments["den"] = [2]int{2, 2} }), `segment "den" is [2, 2]`},
		{"beyond", with(func(h *Header) { h.Segments["den"] = [2]int{3, 2} }), `segment "den"`},
		{"short", with(func(h *Header) { delete(h.Segments, "den") }), "segments cover 3 of 4"},
	} {
		_, err := Parse(test.data)
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want ErrFormat and %q", test.name, err, test.want)
		}
	}
	for size := range len(good) {
		if _, err := Parse(good[:size]); err == nil {
			t.Fatalf("the first %d of %d bytes are accepted", size, len(good))
		}
	}
}

func FuzzParse(f *testing.F) {
	good := tinyFile(f, tinyHeader(), Features*4, "graph")
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add([]byte(Magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, b := range [][]byte{data, seal(bytes.Clone(data))} {
			if n, err := Parse(b); err == nil && (n.Width <= 0 || len(n.table) != n.Features*n.Width/2) {
				t.Errorf("accepted with width %d and %d words", n.Width, len(n.table))
			} else if err != nil && !errors.Is(err, ErrFormat) {
				t.Errorf("%v is no ErrFormat", err)
			}
		}
	})
}
