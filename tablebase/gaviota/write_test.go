package gaviota

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/ulikunitz/xz/lzma"
)

// Illegal is the code of a position that is not legal, and of an index that stands for none.
const Illegal byte = codeIllegal

// Code is the code of a value with a side to move, 0 white, 1 black. Values of more than 63 moves are not needed for
// three pieces and have none here.
func Code(v Value, side int) (byte, error) {
	moves := v.Plies / 2
	switch {
	case v.Result == Draw:
		return codeDraw, nil
	case moves > codeFar || v.Result == Win && v.Plies%2 == 0 || v.Result == Loss && v.Plies%2 == 1:
		return 0, fmt.Errorf("no code for %d plies", v.Plies)
	case v.Result == Win:
		return byte(moves<<2 | 1 + side), nil
	}
	return byte(moves<<2 | 2 - side), nil
}

// Size is the number of indices of each side to move.
func (l *Layout) Size() int64 { return l.size }

// Encode makes a file of the codes of each side to move by index.
func (l *Layout) Encode(codes [2][]byte, codec Codec) ([]byte, error) {
	var blocks [][]byte
	for _, side := range codes {
		if int64(len(side)) != l.size {
			return nil, fmt.Errorf("%d codes, want %d", len(side), l.size)
		}
		for at := 0; at < len(side); at += blockValues {
			packed, err := codec.compress(side[at:min(at+blockValues, len(side))])
			if err != nil {
				return nil, err
			}
			blocks = append(blocks, packed)
		}
	}
	return l.assemble(blocks), nil
}

// assemble makes a file of blocks that are compressed, those of each side to move one after another.
func (l *Layout) assemble(blocks [][]byte) []byte {
	file := make([]byte, headerBytes)
	at := uint32(headerBytes + (len(blocks)+1)*offsetBytes)
	tail := uint32(l.size % blockValues)
	binary.LittleEndian.PutUint32(file[blockSizeAt:], blockValues)
	binary.LittleEndian.PutUint32(file[tailAt:], tail)
	binary.LittleEndian.PutUint32(file[tailAt+8:], tail)
	binary.LittleEndian.PutUint32(file[firstAt:], at)
	for _, b := range blocks {
		file = binary.LittleEndian.AppendUint32(file, at)
		at += uint32(len(b)) + 1
	}
	file = binary.LittleEndian.AppendUint32(file, at)
	for _, b := range blocks {
		file = append(append(file, 0), b...) // the byte that means nothing
	}
	return file
}

// compress is the inverse of decompress.
func (c Codec) compress(codes []byte) ([]byte, error) {
	var b bytes.Buffer
	switch c {
	case Huffman:
		return packHuffman(codes), nil
	case LZF:
		return packLZF(codes), nil
	case Zlib:
		w := zlib.NewWriter(&b)
		_, err := w.Write(codes)
		err = errors.Join(err, w.Close())
		return b.Bytes(), err
	case LZMA:
		b.WriteByte(0)
		w, err := lzma.WriterConfig{DictCap: lzma.MinDictCap, Size: int64(len(codes)), SizeInHeader: true}.NewWriter(&b)
		if err != nil {
			return nil, err
		}
		_, err = w.Write(codes)
		err = errors.Join(err, w.Close())
		return b.Bytes(), err
	}
	return nil, fmt.Errorf("no codec %d", c)
}

// packLZF refers back to the last place where the next three bytes were seen.
func packLZF(codes []byte) (out []byte) {
	const longest, farthest = 264, 8192
	seen := map[[3]byte]int{}
	literals := 0 // bytes before at that are not written yet
	flush := func(at int) {
		for ; literals > 0; literals -= min(literals, 32) {
			out = append(out, byte(min(literals, 32)-1))
			out = append(out, codes[at-literals:][:min(literals, 32)]...)
		}
	}
	at := 0
	for at < len(codes) {
		length, distance := 0, 0
		if at+3 <= len(codes) {
			key := [3]byte(codes[at:])
			if from, ok := seen[key]; ok && at-from <= farthest {
				distance = at - from - 1
				for length < longest && at+length < len(codes) && codes[from+length] == codes[at+length] {
					length++
				}
			}
			seen[key] = at
		}
		if length == 0 {
			literals++
			at++
			continue
		}
		flush(at)
		if length < 9 {
			out = append(out, byte((length-2)<<5|distance>>8))
		} else {
			out = append(out, byte(7<<5|distance>>8), byte(length-9))
		}
		out = append(out, byte(distance))
		at += length
	}
	flush(at)
	return out
}

// bitWriter writes bits, the lowest of each byte first.
type bitWriter struct {
	data []byte
	free int // bits of the last byte
}

func (w *bitWriter) bits(x uint64, n int) {
	for i := range n {
		if w.free == 0 {
			w.data, w.free = append(w.data, 0), 8
		}
		w.data[len(w.data)-1] |= byte(x>>i&1) << (8 - w.free)
		w.free--
	}
}

// packHuffman joins the two rarest trees until one is left (Huffman 1952).
func packHuffman(codes []byte) []byte {
	type tree struct {
		count       int
		value       byte
		left, right *tree
	}
	var trees []*tree
	var counts [256]int
	for _, c := range codes {
		counts[c]++
	}
	for value, n := range counts {
		if n > 0 {
			trees = append(trees, &tree{count: n, value: byte(value)})
		}
	}
	take := func() *tree {
		rarest, at := &tree{count: math.MaxInt}, 0
		for i, t := range trees {
			if t.count < rarest.count {
				rarest, at = t, i
			}
		}
		trees = append(trees[:at], trees[at+1:]...)
		return rarest
	}
	for len(trees) > 1 {
		a, b := take(), take()
		trees = append(trees, &tree{count: a.count + b.count, left: a, right: b})
	}
	w := &bitWriter{data: binary.LittleEndian.AppendUint32(nil, uint32(len(codes)))}
	var code [256]struct {
		bits   uint64
		length int
	}
	var put func(t *tree, bits uint64, length int)
	put = func(t *tree, bits uint64, length int) {
		if t.left == nil {
			w.bits(1, 1)
			w.bits(uint64(t.value), 8)
			code[t.value].bits, code[t.value].length = bits, max(length, 1) // one value alone has a bit, too
			return
		}
		w.bits(0, 1)
		put(t.left, bits, length+1)
		put(t.right, bits|1<<length, length+1)
	}
	put(trees[0], 0, 0)
	for _, c := range codes {
		w.bits(code[c].bits, code[c].length)
	}
	return w.data
}
