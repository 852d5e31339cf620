package syzygy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"tesla/tablebase/tablefile"
)

// magic begins the files of a kind.
var magic = map[bool][4]byte{false: {0x71, 0xe8, 0x23, 0x5d}, true: {0xd7, 0x66, 0x0c, 0xa5}} // by dtz

// Flags of a table, the low half of its first byte.
const (
	tableSplit = 1 // the sides have different material, so both sides to move are stored
	tablePawns = 2
)

// headerBytes bounds what is read of a file at its opening: the codes of eight parts, and the maps of four.
const headerBytes = 1 << 20

// table is an open file.
type table struct {
	dtz    bool
	pieces int    // kings included
	unique bool   // some piece is the only one of its kind
	pawns  [2]int // of the side with fewer that has any, then of the other
	parts  [4][2]pairs
	files  int  // parts used: 4 with pawns, else 1
	sides  int  // 2 where both sides to move are stored
	equal  bool // both sides have the same material
}

// reader reads a header from the front and keeps the first error.
type reader struct {
	data []byte
	at   int
	err  error
}

func (r *reader) failf(format string, args ...any) error {
	if r.err == nil {
		r.err = fmt.Errorf("byte %d: "+format, append([]any{r.at}, args...)...)
	}
	return r.err
}

func (r *reader) bytes(n int) []byte {
	if r.err == nil && n > len(r.data)-r.at {
		r.failf("the header ends early")
	}
	if r.err != nil {
		return make([]byte, n)
	}
	r.at += n
	return r.data[r.at-n : r.at]
}

func (r *reader) byte() byte     { return r.bytes(1)[0] }
func (r *reader) uint16() uint16 { return binary.LittleEndian.Uint16(r.bytes(2)) }

// align goes on at the next multiple of n, a power of two.
func (r *reader) align(n int) { r.bytes(-r.at & (n - 1)) }

// openTable reads the header of a file of size bytes, which has the material m. A file that fits into what is read of it
// anyway is compared with its checksum.
func openTable(c *tablefile.Cache, file io.ReaderAt, size int64, m tablefile.Material, dtz bool) (*table, error) {
	if size%64 != checksumBytes {
		return nil, fmt.Errorf("%d bytes: %w", size, errSize)
	}
	head := make([]byte, min(size, headerBytes))
	if _, err := file.ReadAt(head, 0); err != nil {
		return nil, err
	}
	if size <= headerBytes {
		if err := verify(bytes.NewReader(head), size); err != nil {
			return nil, err
		}
	}
	r := &reader{data: head}
	if got := [4]byte(r.bytes(4)); r.err == nil && got != magic[dtz] {
		return nil, fmt.Errorf("byte 0: magic %x, want %x", got, magic[dtz])
	}
	t := newTable(m, dtz)
	flags := r.byte()
	if want := t.flags(); r.err == nil && flags&15 != want {
		return nil, fmt.Errorf("byte 4: flags %d, want %d for the material of the name", flags&15, want)
	}
	if err := t.readOrders(r, m); err != nil {
		return nil, err
	}
	r.align(2)
	counts := make([][3]int64, 0, 8)
	for f := range t.files {
		for i := range t.sides {
			n, err := t.parts[f][i].readSizes(r)
			if err != nil {
				return nil, err
			}
			counts = append(counts, n)
		}
	}
	if dtz {
		if err := t.readMaps(r); err != nil {
			return nil, err
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	return t, t.place(c, file, size, int64(r.at), counts)
}

// flags is the low half of the byte after the magic.
func (t *table) flags() (flags byte) {
	if !t.equal {
		flags |= tableSplit
	}
	if t.pawns[0] > 0 {
		flags |= tablePawns
	}
	return flags
}

func newTable(m tablefile.Material, dtz bool) *table {
	t := &table{dtz: dtz, files: 1, sides: 1, equal: m[0] == m[1]}
	for side := range m {
		t.pieces++ // the king
		for _, n := range m[side] {
			t.pieces += n
			t.unique = t.unique || n == 1
		}
	}
	white, black := m[0][0], m[1][0]
	if t.pawns = [2]int{white, black}; white == 0 || black > 0 && black < white {
		t.pawns = [2]int{black, white}
	}
	if white+black > 0 {
		t.files = 4
	}
	if !dtz && !t.equal {
		t.sides = 2
	}
	return t
}

// readOrders reads the order of the pieces of each part, and numbers their groups.
func (t *table) readOrders(r *reader, m tablefile.Material) error {
	both := t.pawns[0] > 0 && t.pawns[1] > 0
	for f := range t.files {
		first, second := r.byte(), byte(0xff)
		if both {
			second = r.byte()
		}
		codes := r.bytes(t.pieces)
		for i := range t.sides {
			d := &t.parts[f][i]
			shift := 4 * i
			for _, b := range codes {
				d.pieces = append(d.pieces, b>>shift&15)
			}
			if r.err == nil && !consistsOf(m, d.pieces) {
				return r.failf("pieces %x are not those of the name", d.pieces)
			}
			order := [2]int{int(first >> shift & 15), int(second >> shift & 15)}
			if r.err == nil && scattered(d.pieces) {
				return r.failf("equal pieces apart in %x", d.pieces)
			}
			if err := t.numberGroups(d, order, f); r.err == nil && err != nil {
				return r.failf("%w", err)
			}
		}
	}
	return r.err
}

// scattered reports whether another piece stands between two equal ones.
func scattered(codes []byte) bool {
	for i, c := range codes {
		if i > 0 && c != codes[i-1] && slices.Contains(codes[:i], c) {
			return true
		}
	}
	return false
}

// numberGroups splits the pieces into groups and computes their factors. order says at which place in the product the
// leading group and, where both sides have pawns, the other side's pawns come.
func (t *table) numberGroups(d *pairs, order [2]int, file int) error {
	leading := 2
	switch {
	case t.pawns[0] > 0:
		leading = t.pawns[0]
	case t.unique:
		leading = 3
	}
	for i, p := range d.pieces {
		if last := len(d.groups) - 1; i > 0 && (i < leading || i > leading && p == d.pieces[i-1]) {
			d.groups[last].pieces++
		} else {
			d.groups = append(d.groups, group{pieces: 1})
		}
	}
	pawns := t.pawns[0] > 0
	both := pawns && t.pawns[1] > 0
	if pawns && (d.groups[0].pieces != t.pawns[0] || d.pieces[0]&7 != pawnCode || both && d.groups[1].pieces != t.pawns[1]) {
		return fmt.Errorf("pieces %x with pawns that are not first", d.pieces)
	}
	next, free := 1, 64-d.groups[0].pieces
	if both {
		next, free = 2, free-d.groups[1].pieces
	}
	product := int64(1)
	for k := 0; next < len(d.groups) || k <= order[0] || both && k <= order[1]; k++ {
		var g *group
		var placements int
		switch {
		case k == order[0]:
			g = &d.groups[0]
			placements = t.leading(g.pieces, file)
		case both && k == order[1]:
			g = &d.groups[1]
			placements = choose[g.pieces][48-d.groups[0].pieces]
		case next < len(d.groups):
			g = &d.groups[next]
			placements = choose[g.pieces][free]
			free -= g.pieces
			next++
		default:
			return fmt.Errorf("groups in the order %v of %d", order, len(d.groups))
		}
		g.factor = product
		if high, low := bits.Mul64(uint64(product), uint64(placements)); high != 0 || low>>62 != 0 {
			return fmt.Errorf("too many positions")
		}
		product *= int64(placements)
	}
	d.size = product
	return nil
}

// leading is the number of placements of the leading group.
func (t *table) leading(pieces, file int) int {
	switch {
	case t.pawns[0] > 0:
		return leadCounts[pieces][file]
	case t.unique:
		return uniqueCounts
	}
	return kingsCounts
}

// readSizes reads the sizes of a part and its code, and returns the numbers of sparse entries, block lengths and blocks.
func (d *pairs) readSizes(r *reader) (n [3]int64, err error) {
	d.flags = r.byte()
	if d.flags&flagSingle != 0 {
		d.single = int(r.byte())
		return n, r.err
	}
	blockBits, spanBits, padding := r.byte(), r.byte(), r.byte()
	blocks := binary.LittleEndian.Uint32(r.bytes(4))
	if r.err != nil {
		return n, r.err
	}
	if blockBits < 2 || blockBits > 20 || spanBits < 1 || spanBits > 30 || blocks == 0 {
		return n, r.failf("%d blocks of 2^%d bytes, a span of 2^%d positions", blocks, blockBits, spanBits)
	}
	d.span = 1 << spanBits
	n = [3]int64{(d.size + d.span - 1) / d.span, int64(blocks) + int64(padding), int64(blocks)}
	d.blocks.item = 1 << blockBits
	return n, r.readCode(d)
}

// readMaps reads the maps of a DTZ table.
func (t *table) readMaps(r *reader) error {
	for f := range t.files {
		d := &t.parts[f][0]
		if d.flags&flagMapped == 0 {
			continue
		}
		if d.flags&flagWide != 0 {
			r.align(2)
		}
		for k := range d.valueMap {
			n := 0
			if d.flags&flagWide != 0 {
				n = int(r.uint16())
			} else {
				n = int(r.byte())
			}
			d.valueMap[k] = make([]uint16, n)
			for i := range d.valueMap[k] {
				if d.flags&flagWide != 0 {
					d.valueMap[k][i] = r.uint16()
				} else {
					d.valueMap[k][i] = uint16(r.byte())
				}
			}
		}
	}
	r.align(2)
	return r.err
}

// place says where the sections of the parts lie, from byte at on. They must end within the file.
func (t *table) place(c *tablefile.Cache, file io.ReaderAt, size, at int64, counts [][3]int64) error {
	each := func(f func(d *pairs, n [3]int64)) {
		for i, n := range counts {
			f(&t.parts[i/t.sides][i%t.sides], n)
		}
	}
	each(func(d *pairs, n [3]int64) {
		d.sparse = newSection(c, file, at, n[0], 6)
		at += d.sparse.bytes()
	})
	each(func(d *pairs, n [3]int64) {
		d.lengths = newSection(c, file, at, n[1], 2)
		at += d.lengths.bytes()
	})
	each(func(d *pairs, n [3]int64) {
		at = (at + 63) &^ 63
		d.blocks = newSection(c, file, at, n[2], max(1, d.blocks.item))
		at += d.blocks.bytes()
	})
	if at > size {
		return fmt.Errorf("the contents end at byte %d, the file at %d", at, size)
	}
	return nil
}
