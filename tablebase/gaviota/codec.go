package gaviota

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/ulikunitz/xz/lzma"
)

// Codec is how the blocks of a file are compressed. Its value is the last digit of the file's name.
type Codec int

// The codecs.
const (
	Huffman Codec = iota + 1
	LZF
	Zlib
	LZMA
)

var errCorrupt = errors.New("corrupt")

// decompress returns the values of a block, of which there must be n. Nothing longer is made of it.
func (c Codec) decompress(in []byte, n int) (values []byte, err error) {
	switch c {
	case Huffman:
		values, err = unpackHuffman(in, n)
	case LZF:
		values, err = unpackLZF(in, n)
	case Zlib:
		values, err = unpackZlib(in, n)
	case LZMA:
		values, err = unpackLZMA(in, n)
	}
	if err == nil && len(values) != n {
		err = fmt.Errorf("%w: %d values, want %d", errCorrupt, len(values), n)
	}
	return values, err
}

// unpackZlib reads the format of RFC 1950. Its checksum is compared.
func unpackZlib(in []byte, n int) ([]byte, error) {
	source := bytes.NewReader(in)
	r, err := zlib.NewReader(source)
	if err != nil {
		return nil, err
	}
	return readWhole(r, source, n)
}

// readWhole reads n values and the end of the stream, where the decoder compares what it can. Nothing may follow in the
// source.
func readWhole(r io.Reader, source *bytes.Reader, n int) ([]byte, error) {
	values, err := io.ReadAll(io.LimitReader(r, int64(n)+1))
	if err == nil && source.Len() > 0 {
		err = fmt.Errorf("%w: %d bytes follow the contents", errCorrupt, source.Len())
	}
	return values, err
}

// The header of LZMA86 (Igor Pavlov, 2008): the byte of a filter for x86 code, which tables never use, and then the
// header of a .lzma file: 1 byte of properties, 4 of the dictionary's size, 8 of the contents' size.
const (
	lzmaSizeAt     = 1 + 1 + 4
	lzmaHeaderSize = lzmaSizeAt + 8
)

func unpackLZMA(in []byte, n int) ([]byte, error) {
	if len(in) < lzmaHeaderSize || in[0] != 0 || binary.LittleEndian.Uint64(in[lzmaSizeAt:]) != uint64(n) {
		return nil, fmt.Errorf("%w: the header of LZMA", errCorrupt)
	}
	source := bytes.NewReader(in[1:])
	r, err := lzma.NewReader(source)
	if err != nil {
		return nil, err
	}
	return readWhole(r, source, n) // the range coder ends with 0, which few damaged streams do
}

// unpackLZF reads the format of LibLZF (Marc Lehmann, 2000): runs of at most 32 bytes, and references to at most 8,192
// bytes back.
func unpackLZF(in []byte, n int) ([]byte, error) {
	out := make([]byte, 0, n)
	for len(in) > 0 {
		control := int(in[0])
		in = in[1:]
		if control < 32 {
			run := control + 1
			if run > len(in) || run > n-len(out) {
				return nil, fmt.Errorf("%w: a run of %d bytes", errCorrupt, run)
			}
			out = append(out, in[:run]...)
			in = in[run:]
			continue
		}
		length, need := control>>5+2, 1
		if length == 9 {
			need = 2
		}
		if len(in) < need {
			return nil, fmt.Errorf("%w: reference at its end", errCorrupt)
		}
		if need == 2 {
			length += int(in[0])
		}
		from := len(out) - control&31<<8 - int(in[need-1]) - 1
		in = in[need:]
		if from < 0 || length > n-len(out) {
			return nil, fmt.Errorf("%w: a reference to byte %d of %d bytes", errCorrupt, from, length)
		}
		for i := range length { // what is copied may reach into what is written
			out = append(out, out[from+i])
		}
	}
	return out, nil
}

// huffmanNodes bounds the nodes of a code's tree: 256 leaves.
const huffmanNodes = 511

// node is a node of a Huffman tree (Huffman 1952): the places of its children, or a leaf's value.
type node struct {
	children [2]int16 // 0: this is a leaf
	value    byte
}

// bitReader reads bits, the lowest of each byte first.
type bitReader struct {
	data []byte
	at   int
}

// bits returns the next n bits, the first as the lowest. Behind the end they are zero; see overrun.
func (r *bitReader) bits(n int) (x int) {
	for i := range n {
		if r.at>>3 < len(r.data) {
			x |= int(r.data[r.at>>3]>>(r.at&7)&1) << i
		}
		r.at++
	}
	return x
}

func (r *bitReader) overrun() bool { return r.at > 8*len(r.data) }

// unpackHuffman reads 4 bytes with the number of values, then bits: the tree in preorder, 1 and 8 bits for a leaf, 0
// for an inner node; then the code of each value, 0 for a left child.
func unpackHuffman(in []byte, n int) ([]byte, error) {
	if len(in) < 4 || binary.LittleEndian.Uint32(in) != uint32(n) {
		return nil, fmt.Errorf("%w: the number of values", errCorrupt)
	}
	r := &bitReader{data: in[4:]}
	tree := make([]node, 0, huffmanNodes)
	if err := readTree(r, &tree); err != nil {
		return nil, err
	}
	values := make([]byte, n)
	for i := range values {
		at := int16(0)
		for {
			at = tree[at].children[r.bits(1)]
			if tree[at].children[0] == 0 { // a tree of one leaf has a bit for each value, too
				break
			}
		}
		values[i] = tree[at].value
		if r.overrun() {
			return nil, fmt.Errorf("%w: early end of the code", errCorrupt)
		}
	}
	if rest := len(r.data) - r.at>>3; rest > 1 { // the encoder of the format writes a whole byte of zeros behind some
		return nil, fmt.Errorf("%w: %d bytes follow the contents", errCorrupt, rest)
	}
	return values, nil
}

// readTree reads a node with all below it.
func readTree(r *bitReader, tree *[]node) error {
	if len(*tree) == huffmanNodes || r.overrun() {
		return fmt.Errorf("%w: the tree of the code", errCorrupt)
	}
	at := len(*tree)
	if r.bits(1) == 1 {
		*tree = append(*tree, node{value: byte(r.bits(8))})
		return nil
	}
	*tree = append(*tree, node{})
	for side := range 2 {
		(*tree)[at].children[side] = int16(len(*tree))
		if err := readTree(r, tree); err != nil {
			return err
		}
	}
	return nil
}
