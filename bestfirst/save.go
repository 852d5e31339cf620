package bestfirst

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"tesla/board"
	"tesla/internal/output"
)

// The file of a tree, all numbers little-endian:
//
//	magic 8, version 4, length of the header 4, header in JSON
//	the corrections, float32
//	the nodes below the root, each before its children, which follow in the order of the edges
//	the number of draws by repetition 4, and the draws
//	CRC-32C of all before it 4
//
// A node is followed by its edges, each a move and a prior, and these by what the edges with an evaluation have beside
// it. Such an edge has no child, one that follows, or one that came before. Edges that are not made yet are not in the file:
// all of a node's, or the last of them. What can be computed, the lists of parents and the index, is not in the
// file.
const (
	treeMagic   = "TESLTREE"
	treeVersion = 5
	nodeBytes   = 54
	edgeBytes   = 4
	triedBytes  = 13
	drawBytes   = 17

	prefixBytes = len(treeMagic) + 8
	sumBytes    = 4
	blockBytes  = 1 << 18 // of the file that are read or written at a time
	mostHeader  = blockBytes

	fileFlags = edgeValued | edgeProven
	fileNode  = nodeProven | allMade
	flagShift = 26
	castles   = 1 << 15 // of a move in the file: its target is a king
)

// packed is a move in 16 bits: without its target, which the position tells.
func packed(m board.Move) uint16 {
	if m.IsCastling() {
		return uint16(m&(castles-1)) | castles
	}
	return uint16(m & (castles - 1))
}

// unpacked is the move of a position that packed made w of. Where w is no move of the position the result is not legal.
func unpacked(p *board.Position, w uint16) board.Move {
	m := board.Move(w &^ castles)
	target, _ := p.PieceAt(m.To())
	switch {
	case w&castles != 0:
		target = board.King
	case m.Moved() == board.Pawn && m.To() == p.EnPassant:
		target = board.Pawn
	}
	return board.NewMove(m.From(), m.To(), m.Moved(), target)
}

// Whether an edge of the file has a child.
const (
	noChild = iota
	childFollows
	childCame // its number follows
)

// treeHeader says what a tree belongs to.
type treeHeader struct {
	Search string   `json:"search"` // that made it
	Net    string   `json:"net"`    // hash of the net
	Start  string   `json:"start"`  // FEN of the game's first position
	Moves  []string `json:"moves"`  // of the game, up to the root; castling as king takes rook
	Nodes  int      `json:"nodes"`
	Root   string   `json:"root"` // FEN, for readers
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// SaveTree writes the tree below the root of the last search to a file. It replaces the file as a whole, or not at all; a
// file that is no tree stays.
func (s *Searcher) SaveTree(path string) (nodes int, err error) {
	pr := s.promoter
	if pr.tree.root == none || pr.loop.Game() == nil {
		return 0, fmt.Errorf("%s: no tree", pr.name)
	}
	err = output.Write(path, output.Begins(treeMagic), func(w io.Writer) (err error) {
		nodes, err = pr.write(w)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("%s: saving the tree: %w", pr.name, err)
	}
	return nodes, nil
}

// treeWriter writes nodes. It collects bytes in a block.
type treeWriter struct {
	tree    *tree
	to      io.Writer
	block   []byte
	sum     uint32   // of what was written
	err     error    // the first of writing
	numbers []uint32 // of nodes in the file, by index; 0: not written
	written uint32
	follow  []uint32 // the children that follow, of all nodes on the line
}

// flush writes the block.
func (w *treeWriter) flush() {
	w.sum = crc32.Update(w.sum, castagnoli, w.block)
	if w.err == nil {
		_, w.err = w.to.Write(w.block)
	}
	w.block = w.block[:0]
}

// close writes what is left, and the checksum.
func (w *treeWriter) close() error {
	w.flush()
	w.block = binary.LittleEndian.AppendUint32(w.block, w.sum)
	w.flush()
	return w.err
}

// write writes the tree.
func (pr *promoter) write(to io.Writer) (nodes int, err error) {
	t, g := pr.tree, pr.loop.Game()
	h := treeHeader{Search: pr.name, Net: pr.net, Start: g.Start.FEN(true), Moves: []string{}, Nodes: t.below(), Root: g.Pos.FEN(true)}
	p := g.Start
	for _, m := range g.Moves {
		h.Moves = append(h.Moves, p.UCI(m, true))
		p = p.After(m)
	}
	text, err := json.Marshal(h)
	if err != nil {
		return 0, err
	}
	if len(text) > mostHeader {
		return 0, fmt.Errorf("its game is too long: %d bytes", len(text))
	}
	w := &treeWriter{tree: t, to: to, numbers: make([]uint32, t.Nodes.Top())}
	w.block = binary.LittleEndian.AppendUint32(append(w.block, treeMagic...), treeVersion)
	w.block = binary.LittleEndian.AppendUint32(w.block, uint32(len(text)))
	w.block = append(w.block, text...)
	for k := range pr.corrections {
		for _, c := range pr.corrections[k] {
			w.block = binary.LittleEndian.AppendUint32(w.block, math.Float32bits(c))
		}
		w.flush()
	}
	w.node(t.root)
	w.draws()
	return int(w.written), w.close()
}

// below is the number of nodes below the root, the root included.
func (t *tree) below() (count int) {
	seen := make([]bool, t.Nodes.Top())
	for open := []uint32{t.root}; len(open) > 0; {
		i := open[len(open)-1]
		open = open[:len(open)-1]
		if seen[i] {
			continue
		}
		seen[i] = true
		count++
		n := &t.Nodes.Items[i]
		for slot := range int(n.tried) {
			if e := t.edge(n, slot); e.child != none && !seen[e.child] {
				open = append(open, e.child)
			}
		}
	}
	return count
}

// node writes a node and those below it that are not written yet. A node's children are a ply deeper, so none of them
// is written by what follows for another.
func (w *treeWriter) node(i uint32) {
	t, le := w.tree, binary.LittleEndian
	n := &t.Nodes.Items[i]
	w.written++
	w.numbers[i] = w.written
	b := le.AppendUint64(w.block, n.key)
	b = le.AppendUint32(b, n.n-uint32(n.pend))
	b = append(b, n.moves, n.tried, n.best, n.sigma, n.level, n.flags&fileNode, n.plies, n.clock)
	b = le.AppendUint16(b, uint16(n.value))
	b = le.AppendUint16(b, uint16(n.raw))
	b = le.AppendUint16(b, n.draw)
	for _, x := range []float32{n.q, n.base, n.rest, n.first, n.second} {
		b = le.AppendUint32(b, math.Float32bits(x))
	}
	for _, x := range t.indices[i] {
		b = le.AppendUint16(b, x)
	}
	for slot := range n.made() {
		e := t.edge(n, slot)
		b = le.AppendUint32(b, uint32(packed(e.move()))|uint32(e.prior)<<16)
	}
	first := len(w.follow)
	for slot := range int(n.tried) {
		e := t.edge(n, slot)
		b = append(b, e.sigmaCode(), uint8(e.bits&fileFlags>>flagShift))
		b = le.AppendUint32(b, e.n)
		b = le.AppendUint16(b, uint16(e.value))
		switch {
		case e.child == none:
			b = append(b, noChild, 0, 0, 0, 0)
		case w.numbers[e.child] == 0:
			b = append(b, childFollows, 0, 0, 0, 0)
			w.follow = append(w.follow, e.child)
			t.Prefetch(e.child)
		default:
			b = le.AppendUint32(append(b, childCame), w.numbers[e.child])
		}
	}
	if w.block = b; len(b) > blockBytes {
		w.flush()
	}
	for k := first; k < len(w.follow); k++ {
		w.node(w.follow[k])
	}
	w.follow = w.follow[:first]
}

// draws writes the draws by repetition.
func (w *treeWriter) draws() {
	le, count := binary.LittleEndian, uint32(0)
	var b []byte
	for at, d := range w.tree.draws {
		if number := w.numbers[at.node]; number > 0 {
			count++
			b = append(le.AppendUint32(b, number), at.slot)
			b = le.AppendUint64(b, d.key)
			b = le.AppendUint32(b, uint32(int32(d.since)))
		}
	}
	w.block = append(le.AppendUint32(w.block, count), b...)
}
