package syzygy

import (
	"bytes"
	"cmp"
	"container/heap"
	"encoding/binary"
	"fmt"
	"slices"

	"tesla/board"
	"tesla/tablebase/tablefile"
)

// How files are written. A block is a cache line.
const (
	writtenBlockBits = 6
	writtenSpanBits  = 6
)

// Layout is how the positions of one material are numbered in its files.
type Layout struct {
	material tablefile.Material
	table    *table
}

// NewLayout returns the layout of the files called name (such as KQvKR), whose pieces stand in an order of our own: first
// those that the format numbers as a whole, then the others by kind.
func NewLayout(name string) (*Layout, error) {
	m, err := parseName(name)
	if err != nil {
		return nil, err
	}
	t := newTable(m, false)
	pieces := t.ownOrder(m)
	for f := range t.files {
		for side := range t.sides {
			d := &t.parts[f][side]
			d.pieces = pieces
			if err := t.numberGroups(d, ownGroupOrder, f); err != nil {
				return nil, err
			}
		}
	}
	return &Layout{m, t}, nil
}

// ownGroupOrder says that the leading group comes first in the product, then the pawns of the other side.
var ownGroupOrder = [2]int{0, 1}

// ownOrder lists the codes of the pieces: the leading ones first.
func (t *table) ownOrder(m tablefile.Material) (codes []byte) {
	add := func(side, kind, n int) {
		for range n {
			codes = append(codes, byte(side*blackCode+kind))
		}
	}
	if t.pawns[0] > 0 {
		lead := 0
		if m[0][0] != t.pawns[0] || m[0][0] == 0 {
			lead = 1
		}
		add(lead, pawnCode, m[lead][0])
		add(1-lead, pawnCode, m[1-lead][0])
	}
	add(0, kingCode, 1)
	add(1, kingCode, 1)
	for _, single := range []bool{true, false} { // the third piece of the leading group is the only one of its kind
		for side := range m {
			for i := 1; i < len(m[side]); i++ {
				if n := m[side][i]; n > 0 && (n == 1) == single {
					add(side, pawnCode+i, n)
				}
			}
		}
	}
	return codes
}

// Sides is the number of sides to move that the WDL file has: 1 where both sides have the same pieces.
func (l *Layout) Sides() int { return l.table.sides }

// Files is the number of parts by the file of the leading pawn.
func (l *Layout) Files() int { return l.table.files }

// Size is the number of positions of a part.
func (l *Layout) Size(file int) int64 { return l.table.parts[file][0].size }

// Locate returns the part that holds p, by the file of the leading pawn and the side to move, and the index in it. p must
// have the material of the layout, either side to move.
func (l *Layout) Locate(p *board.Position) (file, side int, index int64) {
	return l.table.locate(p, tablefile.MaterialOf(p) != l.material)
}

// EncodeWDL returns the contents of a WDL file. values[file][side] has Size values, each a WDL plus 2.
func (l *Layout) EncodeWDL(values [][][]uint8) ([]byte, error) {
	return l.encode(values, false, 0)
}

// EncodeDTZ returns the contents of a DTZ file. values[file][0] has Size values, each the distance in plies less one with
// the first side to move.
func (l *Layout) EncodeDTZ(values [][][]uint8) ([]byte, error) {
	return l.encode(values, true, flagWin|flagLoss)
}

// encode writes a file. Its parts hold values as they are, without pairs of symbols.
func (l *Layout) encode(values [][][]uint8, dtz bool, flags byte) ([]byte, error) {
	t := l.table
	sides := t.sides
	if dtz {
		sides = 1
	}
	first := magic[dtz]
	out := append(first[:], t.flags()|byte(t.pieces)<<4)
	both := t.pawns[0] > 0 && t.pawns[1] > 0
	for range t.files {
		out = append(out, twice(byte(ownGroupOrder[0])))
		if both {
			out = append(out, twice(byte(ownGroupOrder[1])))
		}
		for _, code := range t.parts[0][0].pieces {
			out = append(out, twice(code))
		}
	}
	out = padTo(out, 2)
	var parts []encoded
	for f := range t.files {
		for side := range sides {
			part, err := encodePart(values[f][side], flags)
			if err != nil {
				return nil, err
			}
			out = append(out, part.header...)
			parts = append(parts, part)
		}
	}
	for _, p := range parts {
		out = append(out, p.sparse...)
	}
	for _, p := range parts {
		out = append(out, p.lengths...)
	}
	for _, p := range parts {
		out = append(padTo(out, 64), p.blocks...)
	}
	out = padTo(out, 64)
	sum, err := checksum(bytes.NewReader(out), int64(len(out)))
	return append(out, sum[:]...), err
}

// twice writes a half byte for both sides to move.
func twice(half byte) byte { return half | half<<4 }

func padTo(b []byte, n int) []byte { return append(b, make([]byte, -len(b)&(n-1))...) }

// encoded is a part of a file.
type encoded struct{ header, sparse, lengths, blocks []byte }

// encodePart encodes the values of a part by a canonical Huffman code.
func encodePart(values []uint8, flags byte) (e encoded, err error) {
	symbols, lengths := huffmanLengths(values)
	if len(symbols) == 1 {
		e.header = []byte{flags | flagSingle, symbols[0]}
		return e, nil
	}
	shortest, longest := lengths[len(lengths)-1], lengths[0]
	if longest > 32 {
		return e, fmt.Errorf("a code of %d bits", longest)
	}
	codes, base := canonical(lengths)
	e.pack(values, symbols, lengths, codes)
	blocks := len(e.lengths) / 2
	e.header = []byte{flags, writtenBlockBits, writtenSpanBits, 0}
	e.header = binary.LittleEndian.AppendUint32(e.header, uint32(blocks))
	e.header = append(e.header, byte(longest), byte(shortest))
	for k := shortest; k <= longest; k++ {
		e.header = binary.LittleEndian.AppendUint16(e.header, base[k])
	}
	e.header = binary.LittleEndian.AppendUint16(e.header, uint16(len(symbols)))
	for _, v := range symbols {
		e.header = append(e.header, v, 0xf0, 0xff) // 12 bits of the value, 12 of leafMark
	}
	if len(symbols)&1 != 0 {
		e.header = append(e.header, 0)
	}
	return e, nil
}

// canonical returns the codes of symbols whose lengths descend, and the first symbol of each length. Codes of one length
// ascend with the symbols; shorter codes, cut to equal length, are larger.
func canonical(lengths []int) (codes []uint32, base []uint16) {
	codes, base = make([]uint32, len(lengths)), make([]uint16, lengths[0]+1)
	next := uint32(0)
	for s, n := range lengths {
		if s > 0 {
			next = (next + 1) >> (lengths[s-1] - n)
		}
		codes[s] = next
		if s == 0 || n != lengths[s-1] {
			for k := n; k <= lengths[0] && (s == 0 || k < lengths[s-1]); k++ {
				base[k] = uint16(s)
			}
		}
	}
	return codes, base
}

// pack writes the blocks, how many values each has, and the sparse index.
func (e *encoded) pack(values []uint8, symbols []uint8, lengths []int, codes []uint32) {
	var of [256]int // symbol of a value
	for s, v := range symbols {
		of[v] = s
	}
	const blockBytes, span = 1 << writtenBlockBits, 1 << writtenSpanBits
	var starts []int // of the blocks
	block, used := make([]byte, blockBytes), 0
	flush := func(end int) {
		e.blocks = append(e.blocks, block...)
		e.lengths = binary.LittleEndian.AppendUint16(e.lengths, uint16(end-starts[len(starts)-1]-1))
		clear(block)
		used = 0
	}
	for i, v := range values {
		s := of[v]
		if len(starts) == 0 || used+lengths[s] > 8*blockBytes {
			if len(starts) > 0 {
				flush(i)
			}
			starts = append(starts, i)
		}
		for bit := lengths[s] - 1; bit >= 0; bit-- {
			block[used>>3] |= byte(codes[s]>>bit&1) << (7 - used&7)
			used++
		}
	}
	flush(len(values))
	at := 0
	for middle := span / 2; middle-span/2 < len(values); middle += span {
		for at+1 < len(starts) && starts[at+1] <= middle {
			at++
		}
		e.sparse = binary.LittleEndian.AppendUint32(e.sparse, uint32(at))
		e.sparse = binary.LittleEndian.AppendUint16(e.sparse, uint16(middle-starts[at]))
	}
}

// tree is a Huffman tree (Huffman 1952): a value, or two trees.
type tree struct {
	weight      int
	value       uint8
	left, right *tree
}

type forest []*tree

func (f forest) Len() int           { return len(f) }
func (f forest) Less(i, j int) bool { return f[i].weight < f[j].weight }
func (f forest) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *forest) Push(x any)        { *f = append(*f, x.(*tree)) }
func (f *forest) Pop() any {
	last := (*f)[len(*f)-1]
	*f = (*f)[:len(*f)-1]
	return last
}

// huffmanLengths returns the distinct values and the lengths of their codes, the longest first.
func huffmanLengths(values []uint8) (symbols []uint8, lengths []int) {
	var count [256]int
	for _, v := range values {
		count[v]++
	}
	var f forest
	for v, n := range count {
		if n > 0 {
			f = append(f, &tree{weight: n, value: uint8(v)})
		}
	}
	heap.Init(&f)
	for len(f) > 1 {
		a, b := heap.Pop(&f).(*tree), heap.Pop(&f).(*tree)
		heap.Push(&f, &tree{weight: a.weight + b.weight, left: a, right: b})
	}
	type leaf struct {
		value  uint8
		length int
	}
	var leaves []leaf
	var walk func(t *tree, depth int)
	walk = func(t *tree, depth int) {
		if t.left == nil {
			leaves = append(leaves, leaf{t.value, depth})
			return
		}
		walk(t.left, depth+1)
		walk(t.right, depth+1)
	}
	walk(f[0], 0)
	slices.SortFunc(leaves, func(a, b leaf) int { return cmp.Or(b.length-a.length, int(a.value)-int(b.value)) })
	for _, l := range leaves {
		symbols, lengths = append(symbols, l.value), append(lengths, l.length)
	}
	return symbols, lengths
}
