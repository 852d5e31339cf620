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
	counts []uint16 // of each symbol: values less one

	sparse, lengths, blocks section // one entry for each span of positions; positions of a block less one; blocks
	valueMap                [4][]uint16
}

// symbol is a value, or a pair of symbols that stands for count values.
type symbol struct {
	left, right uint16
	count       int32 // values; 1: a value, which is left
}

const longestCode = 32 // bits

// huffman is a canonical code: symbols of one length are consecutive, longer codes are smaller numbers.
type huffman struct {
	min   int                 // bits of the shortest code
	first [longestCode]uint64 // of each length from min on: its smallest code, left-aligned; that of the longest is 0
	less  [longestCode]uint64 // that code as a number, less its symbol
	start [256]uint8          // by the first eight bits: the shortest length that a code of these may have, less min
}

// quicken sets start.
func (c *huffman) quicken() {
	for b := range c.start {
		for last := uint64(b)<<56 | (1<<56 - 1); last < c.first[c.start[b]]; {
			c.start[b]++
		}
	}
}

var errCorrupt = errors.New("the contents are corrupt")

// value decodes the value of position i.
func (d *pairs) value(i int64, probe Probe) (int, error) {
	if d.flags&flagSingle != 0 {
		return d.single, nil
	}
	if i < 0 || i >= d.size {
		return 0, errCorrupt
	}
	block, offset, err := d.locate(i, probe)
	if err != nil {
		return 0, err
	}
	data, err := d.blocks.at(block, probe)
	if err != nil {
		return 0, err
	}
	s, offset, err := d.symbolAt(data, offset)
	if err != nil {
		return 0, err
	}
	x := d.tree[s]
	for x.count > 1 {
		left := d.tree[x.left]
		if offset < left.count {
			x = left
		} else {
			x, offset = d.tree[x.right], offset-left.count
		}
	}
	return int(x.left), nil
}

// locate finds the block that holds position i, and where in it. The nearest entry of the sparse index is the start; from
// there blocks are counted off either way.
func (d *pairs) locate(i int64, probe Probe) (block int64, offset int32, err error) {
	k := i / d.span
	entry, err := d.sparse.at(k, probe)
	if err != nil {
		return 0, 0, err
	}
	block = int64(binary.LittleEndian.Uint32(entry))
	at := int64(binary.LittleEndian.Uint16(entry[4:])) + i%d.span - d.span/2
	back := at < 0
	if back {
		block--
	}
	for block >= 0 && block < d.lengths.count {
		page, first, err := d.lengths.page(block, probe)
		if err != nil {
			return 0, 0, err
		}
		for i := 2 * (block - first); i >= 0 && i+2 <= int64(len(page)); {
			n := int64(binary.LittleEndian.Uint16(page[i:])) + 1
			switch {
			case back && at+n < 0:
				at, block, i = at+n, block-1, i-2
			case back && block < d.blocks.count:
				return block, int32(at + n), nil
			case !back && at >= n:
				at, block, i = at-n, block+1, i+2
			case !back && block < d.blocks.count:
				return block, int32(at), nil
			default:
				return 0, 0, errCorrupt
			}
		}
	}
	return 0, 0, errCorrupt
}

// symbolAt reads the codes of a block up to the symbol that holds the offset-th value, and returns it and the offset in it.
func (d *pairs) symbolAt(block []byte, offset int32) (uint16, int32, error) {
	var bits uint64 // the next ones, left-aligned
	have, beyond := 0, 0
	code, counts := &d.code, d.counts
	for {
		if have < longestCode {
			if len(block) >= 4 {
				bits |= uint64(binary.BigEndian.Uint32(block)) << (32 - have)
				block = block[4:]
			} else if beyond++; beyond > 3 {
				return 0, 0, errCorrupt
			}
			have += 32
		}
		k := code.start[bits>>56]
		for bits < code.first[k&31] {
			k++
		}
		length := code.min + int(k)
		s := bits>>((64-length)&63) - code.less[k&31]
		if s >= uint64(len(counts)) {
			return 0, 0, errCorrupt
		}
		n := int32(counts[s])
		if offset <= n {
			return uint16(s), offset, nil
		}
		offset -= n + 1
		bits <<= length & 63
		have -= length
	}
}

// readCode reads the code and the symbols of a header.
func (r *reader) readCode(d *pairs) error {
	longest, shortest := int(r.byte()), int(r.byte())
	if r.err != nil {
		return r.err
	}
	if shortest < 1 || longest < shortest || longest > longestCode {
		return r.failf("codes of %d to %d bits, want 1 to %d", shortest, longest, longestCode)
	}
	n := longest - shortest + 1
	d.code.min = shortest
	var base [longestCode]uint64 // the symbols of the smallest codes
	for k := range n {
		base[k] = uint64(r.uint16())
	}
	first := d.code.first[:n]
	for k := n - 2; k >= 0; k-- {
		first[k] = (first[k+1] + base[k] - base[k+1]) / 2
	}
	for k := range n {
		d.code.less[k] = first[k] - base[k]
		first[k] <<= 64 - shortest - k
	}
	d.code.quicken()
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
	d.counts = make([]uint16, len(d.tree))
	for s := range d.tree {
		n, err := count(s)
		if err != nil {
			return err
		}
		d.counts[s] = uint16(n - 1)
	}
	return nil
}
