package gaviota

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"tesla/internal/slow"
)

// blocksToPack are blocks of several kinds: of one value, of noise, of runs, and of few values.
func blocksToPack() (blocks [][]byte) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 3, 100, blockValues} {
		constant, noise, runs, few := make([]byte, n), make([]byte, n), make([]byte, n), make([]byte, n)
		for i := range n {
			noise[i] = byte(random.Uint32())
			few[i] = byte(random.IntN(3) * random.IntN(20))
			if runs[i] = runs[max(i-1, 0)]; random.IntN(300) == 0 {
				runs[i] = byte(random.Uint32())
			}
		}
		blocks = append(blocks, constant, noise, runs, few)
	}
	return blocks
}

func TestCodecs(t *testing.T) {
	slow.Test(t)
	for codec := Huffman; codec <= LZMA; codec++ {
		for _, block := range blocksToPack() {
			packed, err := codec.compress(block)
			if err != nil {
				t.Fatal(err)
			}
			got, err := codec.decompress(packed, len(block))
			if err != nil || !bytes.Equal(got, block) {
				t.Fatalf("codec %d: a block of %d values is not what it was: %v", codec, len(block), err)
			}
			for _, n := range []int{len(block) - 1, len(block) + 1} {
				if _, err := codec.decompress(packed, n); err == nil {
					t.Errorf("codec %d: a block of %d values is taken for one of %d", codec, len(block), n)
				}
			}
			for cut := range min(len(packed), 40) {
				if _, err := codec.decompress(packed[:cut], len(block)); err == nil {
					t.Fatalf("codec %d: %d of %d bytes are taken for the block", codec, cut, len(packed))
				}
			}
		}
	}
}

// Streams that were written down by hand from the descriptions of the formats.
func TestStreams(t *testing.T) {
	for _, c := range []struct {
		name  string
		codec Codec
		in    string
		n     int
		want  string // empty: an error
	}{
		{"a run", LZF, "\x02abc", 3, "abc"},
		{"a reference that overlaps what it writes", LZF, "\x00a\x80\x00", 7, "aaaaaaa"},
		{"a long reference", LZF, "\x01ab\xe0\x03\x01", 14, strings.Repeat("ab", 7)},
		{"a reference before the start", LZF, "\x00a\x80\x01", 7, ""},
		{"a run behind the end", LZF, "\x05abc", 6, ""},
		{"a reference behind the size", LZF, "\x00a\x80\x00", 6, ""},
		// The tree: a node (0) of a leaf (1) with 01100001 and one with 01100010, the lowest bits first.
		{"two leaves", Huffman, "\x04\x00\x00\x00" + bitString("0"+"1"+"10000110"+"1"+"01000110"+"0110"), 4, "abba"},
		{"one leaf", Huffman, "\x03\x00\x00\x00" + bitString("1"+"10000110"+"000"), 3, "aaa"},
		{"a tree without an end", Huffman, "\x04\x00\x00\x00" + strings.Repeat("\x00", 200), 4, ""},
		{"another number of values", Huffman, "\x03\x00\x00\x00" + bitString("1"+"10000110"+"000"), 4, ""},
		{"a filter for x86 code", LZMA, "\x01\x5d\x00\x10\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00", 4, ""},
		{"a size of 2^62", LZMA, "\x00\x5d\x00\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00\x40", 4, ""},
	} {
		got, err := c.codec.decompress([]byte(c.in), c.n)
		if c.want == "" && err == nil || c.want != "" && (err != nil || string(got) != c.want) {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

// bitString packs bits, the first as the lowest of a byte.
func bitString(bits string) string {
	w := &bitWriter{}
	for _, b := range bits {
		w.bits(uint64(b-'0'), 1)
	}
	return string(w.data)
}

// Codes of the format's description: "moves" of the side to move that mates are one less than its moves.
func TestDecode(t *testing.T) {
	for _, c := range []struct {
		code byte
		side int
		want Value
		ok   bool
	}{
		{0, 0, Value{}, true}, {0, 1, Value{}, true}, {3, 0, Value{}, false}, {3, 1, Value{}, false},
		{1, 0, Value{Win, 1}, true}, {2, 1, Value{Win, 1}, true},
		{2, 0, Value{Loss, 0}, true}, {1, 1, Value{Loss, 0}, true},
		{63<<2 | 1, 0, Value{Win, 127}, true}, {63<<2 | 2, 0, Value{Loss, 126}, true},
		{1 << 2, 0, Value{Win, 129}, true}, {1<<2 | 3, 0, Value{Loss, 128}, true},
		{62 << 2, 1, Value{Win, 251}, true}, {63 << 2, 0, Value{Win, 253}, true}, {63 << 2, 1, Value{Loss, 254}, true},
		{63<<2 | 3, 1, Value{Loss, 252}, true},
	} {
		if got, ok := decode(c.code, c.side); got != c.want || ok != c.ok {
			t.Errorf("code %d of side %d: %v, %t, want %v, %t", c.code, c.side, got, ok, c.want, c.ok)
		}
		if back, err := Code(c.want, c.side); c.ok && c.want.Plies < 128 && (back != c.code || err != nil) {
			t.Errorf("%v of side %d has code %d, %v, want %d", c.want, c.side, back, err, c.code)
		}
	}
}
