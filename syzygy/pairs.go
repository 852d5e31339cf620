package syzygy

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Flags of pairs. Those but single are of DTZ tables.
const (
	flagBlack  = 1   // the distances are those of black to move
	flagMapped = 2   // values go through a map, one for each WDL value
	flagWin    = 4   // wins are counted in plies, not moves
	flagLoss   = 8   // losses are
	flagWide   = 16  // the map holds 16-bit values
	flagSingle = 128 // all positions have the same value
)

// maxSymbols is the number of symbols that 12 bits name; the last marks a symbol that is a value.
const (
	maxSymbols = 4095
	leafMark   = 0xfff
)

// group is a set of like pieces that is numbered as a whole.
type group struct {
	pieces int
	factor int64 // by which its number is multiplied in the index
}

// pairs holds the values of one side to move, and one file of the leading pawn, compressed by recursive pairing (Larsson and
// Moffat, 1999): blocks of bits that a canonical Huffman code turns into symbols, each a value or a pair of symbols.
type pairs struct {
	pieces []byte // codes, in the order of the index
	groups []group
	size   int64 // positions

	flags  byte
	single int // the value where flagSingle
	span   int64
	code   huffman
	tree   []symbol

	sparse, lengths, blocks section // one entry for each span of positions; positions of a block less one; blocks
	valueMap                [4][]uint16
}

// symbol is a value, or a pair of symbols that stands for count values.
type symbol struct {
	left, right uint16
	count       int32 // values; 1: a value, which is left
}

// huffman is a canonical code: symbols of one length are consecutive, longer codes are smaller numbers.
type huffman struct {
	min   int      // bits of the shortest code
	first []uint64 // of each length: its smallest code, left-aligned
	base  []uint16 // and that code's symbol
}

var errCorrupt = errors.New("the contents are corrupt")

// value decodes the value of position i.
func (d *pairs) value(i int64, hard bool) (int, error) {
	if d.flags&flagSingle != 0 {
		return d.single, nil
	}
	if i < 0 || i >= d.size {
		return 0, errCorrupt
	}
	block, offset, err := d.locate(i, hard)
	if err != nil {
		return 0, err
	}
	data, err := d.blocks.at(block, hard)
	if err != nil {
		return 0, err
	}
	s, offset, err := d.symbolAt(data, offset)
	if err != nil {
		return 0, err
	}
	for d.tree[s].count > 1 {
		left := d.tree[s].left
		if n := d.tree[left].count; offset < n {
			s = left
		} else {
			s, offset = d.tree[s].right, offset-n
		}
	}
	return int(d.tree[s].left), nil
}

// locate finds the block that holds position i, and where in it. The nearest entry of the sparse index is the start; from
// there blocks are counted off either way.
func (d *pairs) locate(i int64, hard bool) (block int64, offset int32, err error) {
	k := i / d.span
	entry, err := d.sparse.at(k, hard)
	if err != nil {
		return 0, 0, err
	}
	block = int64(binary.LittleEndian.Uint32(entry))
	at := int64(binary.LittleEndian.Uint16(entry[4:])) + i%d.span - d.span/2
	length := func() (n int64, err error) {
		if block < 0 || block >= d.lengths.count {
			return 0, errCorrupt
		}
		b, err := d.lengths.at(block, hard)
		if err != nil {
			return 0, err
		}
		return int64(binary.LittleEndian.Uint16(b)) + 1, nil
	}
	for at < 0 {
		block--
		n, err := length()
		if err != nil {
			return 0, 0, err
		}
		at += n
	}
	for {
		n, err := length()
		if err != nil {
			return 0, 0, err
		}
		if at < n {
			break
		}
		at -= n
		block++
	}
	if block >= d.blocks.count {
		return 0, 0, errCorrupt
	}
	return block, int32(at), nil
}

// symbolAt reads the codes of a block up to the symbol that holds the offset-th value, and returns it and the offset in it.
func (d *pairs) symbolAt(block []byte, offset int32) (uint16, int32, error) {
	var bits uint64 // the next ones, left-aligned
	have, at := 0, 0
	for {
		for have <= 32 { // a code has at most 32 bits
			var word uint64
			if at+4 <= len(block) {
				word = uint64(binary.BigEndian.Uint32(block[at:]))
			}
			bits |= word << (32 - have)
			have, at = have+32, at+4
		}
		if at > len(block)+8 {
			return 0, 0, errCorrupt
		}
		k := 0
		for k < len(d.code.first)-1 && bits < d.code.first[k] {
			k++
		}
		length := d.code.min + k
		s := (bits-d.code.first[k])>>(64-length) + uint64(d.code.base[k])
		if s >= uint64(len(d.tree)) {
			return 0, 0, errCorrupt
		}
		n := d.tree[s].count
		if offset < n {
			return uint16(s), offset, nil
		}
		offset -= n
		bits <<= length
		have -= length
	}
}

// readCode reads the code and the symbols of a header.
func (r *reader) readCode(d *pairs) error {
	longest, shortest := int(r.byte()), int(r.byte())
	if r.err != nil {
		return r.err
	}
	if shortest < 1 || longest < shortest || longest > 32 {
		return r.failf("codes of %d to %d bits, want 1 to 32", shortest, longest)
	}
	n := longest - shortest + 1
	d.code = huffman{min: shortest, first: make([]uint64, n), base: make([]uint16, n)}
	for k := range n {
		d.code.base[k] = r.uint16()
	}
	for k := n - 2; k >= 0; k-- {
		d.code.first[k] = (d.code.first[k+1] + uint64(d.code.base[k]) - uint64(d.code.base[k+1])) / 2
	}
	for k := range n {
		d.code.first[k] <<= 64 - shortest - k
	}
	symbols := int(r.uint16())
	if r.err == nil && symbols > maxSymbols {
		return r.failf("%d symbols, at most %d", symbols, maxSymbols)
	}
	d.tree = make([]symbol, symbols)
	for i := range d.tree {
		b := r.bytes(3)
		if r.err != nil {
			return r.err
		}
		d.tree[i] = symbol{left: uint16(b[0]) | uint16(b[1]&15)<<8, right: uint16(b[1])>>4 | uint16(b[2])<<4}
	}
	if symbols&1 != 0 {
		r.byte()
	}
	if err := d.countValues(); err != nil {
		return r.failf("%w", err)
	}
	return r.err
}

// countValues sets the count of each symbol. It fails where a symbol contains itself or one that is not there.
func (d *pairs) countValues() error {
	const open = -1 // under way
	var count func(s int) (int32, error)
	count = func(s int) (int32, error) {
		if s >= len(d.tree) {
			return 0, fmt.Errorf("symbol %d of %d", s, len(d.tree))
		}
		x := &d.tree[s]
		if x.count > 0 {
			return x.count, nil
		}
		if x.count == open {
			return 0, fmt.Errorf("symbol %d contains itself", s)
		}
		if x.right == leafMark {
			x.count = 1
			return 1, nil
		}
		x.count = open
		left, err := count(int(x.left))
		if err != nil {
			return 0, err
		}
		right, err := count(int(x.right))
		if err != nil {
			return 0, err
		}
		if left+right > 1<<16 {
			return 0, fmt.Errorf("symbol %d stands for more than 65536 values", s)
		}
		x.count = left + right
		return x.count, nil
	}
	for s := range d.tree {
		if _, err := count(s); err != nil {
			return err
		}
	}
	return nil
}
