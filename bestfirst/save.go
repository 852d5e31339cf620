package bestfirst

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"

	"tesla/board"
	"tesla/treesearch"
)

// The file of a tree, all numbers little-endian:
//
//	magic 8, version 4, length of the header 4, header in JSON
//	the corrections, float32
//	the nodes below the root, each before its children, which follow in the order of the edges
//	the number of draws by repetition 4, and the draws
//	CRC-32C of all before it 4
//
// An edge has no child, one that follows, or one that came before. Edges without an evaluation have a move and a prior
// alone. What can be computed, the lists of parents and the index, is not in the file.
const (
	treeMagic   = "TESLTREE"
	treeVersion = 1
	nodeBytes   = 54
	triedBytes  = 17
	untried     = 6
	drawBytes   = 17
)

// Whether an edge of the file has a child.
const (
	noChild = iota
	childFollows
	childCame // its number follows
)

// treeHeader says what a tree belongs to.
type treeHeader struct {
	Net   string   `json:"net"`   // hash of the net that made it
	Start string   `json:"start"` // FEN of the game's first position
	Moves []string `json:"moves"` // of the game, up to the root; castling as king takes rook
	Nodes int      `json:"nodes"`
	Root  string   `json:"root"` // FEN, for readers
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// SaveTree writes the tree below the root of the last search to a file. It replaces the file as a whole, or not at all.
func (s *Searcher) SaveTree(path string) (nodes int, err error) {
	pr := s.promoter
	if pr.tree.root == none || pr.loop.Game() == nil {
		return 0, errors.New("bestfirst: there is no tree")
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return 0, fmt.Errorf("bestfirst: saving the tree: %w", err)
	}
	nodes, err = pr.write(f)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return 0, fmt.Errorf("bestfirst: saving the tree: %w", err)
	}
	return nodes, nil
}

// treeWriter writes nodes. It collects bytes in a buffer, and adds them to the checksum when it is flushed.
type treeWriter struct {
	tree    *tree
	to      *bufio.Writer
	sum     uint32
	buffer  []byte
	numbers []uint32 // of nodes in the file, by index; 0: not written
	written uint32
	err     error
}

func (w *treeWriter) flush() {
	w.sum = crc32.Update(w.sum, castagnoli, w.buffer)
	if w.err == nil {
		_, w.err = w.to.Write(w.buffer)
	}
	w.buffer = w.buffer[:0]
}

// write writes the tree.
func (pr *promoter) write(to io.Writer) (nodes int, err error) {
	t, g := pr.tree, pr.loop.Game()
	w := &treeWriter{tree: t, to: bufio.NewWriterSize(to, 1<<20), numbers: make([]uint32, t.Nodes.Top())}
	h := treeHeader{Net: pr.net, Start: g.Start.FEN(true), Moves: []string{}, Nodes: t.below(), Root: g.Pos.FEN(true)}
	p := g.Start
	for _, m := range g.Moves {
		h.Moves = append(h.Moves, p.UCI(m, true))
		var next board.Position
		p.Make(m, &next)
		p = next
	}
	text, err := json.Marshal(h)
	if err != nil {
		return 0, err
	}
	w.buffer = binary.LittleEndian.AppendUint32([]byte(treeMagic), treeVersion)
	w.buffer = binary.LittleEndian.AppendUint32(w.buffer, uint32(len(text)))
	w.buffer = append(w.buffer, text...)
	for k := range pr.corrections {
		for _, c := range pr.corrections[k] {
			w.buffer = binary.LittleEndian.AppendUint32(w.buffer, math.Float32bits(c))
		}
	}
	w.node(t.root)
	w.draws()
	w.flush()
	if w.err != nil {
		return 0, w.err
	}
	if _, err := w.to.Write(binary.LittleEndian.AppendUint32(nil, w.sum)); err != nil {
		return 0, err
	}
	return int(w.written), w.to.Flush()
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
	b := le.AppendUint64(w.buffer, n.key)
	b = le.AppendUint32(b, n.n-uint32(n.pend))
	b = append(b, n.moves, n.tried, n.best, n.sigma, n.level, n.flags&nodeProven, n.plies, n.clock)
	b = le.AppendUint16(b, uint16(n.value))
	b = le.AppendUint16(b, uint16(n.raw))
	b = le.AppendUint16(b, n.draw)
	for _, x := range []float32{n.q, n.base, n.rest, n.first, n.second} {
		b = le.AppendUint32(b, math.Float32bits(x))
	}
	for _, x := range t.indices[i] {
		b = le.AppendUint16(b, x)
	}
	var follow []uint32
	for slot, c := 0, n.chunk; slot < int(n.moves); slot++ {
		if slot&(treesearch.ChunkSize-1) == 0 && slot > 0 {
			c = t.Chunks.Next[c]
		}
		e := &t.Chunks.Items[c][slot&(treesearch.ChunkSize-1)]
		b = le.AppendUint32(b, e.bits&^(edgePending|edgePrefetched))
		b = le.AppendUint16(b, e.prior)
		if slot >= int(n.tried) {
			continue
		}
		b = le.AppendUint32(b, e.n)
		b = le.AppendUint16(b, uint16(e.value))
		switch {
		case e.child == none:
			b = append(b, noChild, 0, 0, 0, 0)
		case w.numbers[e.child] == 0:
			b = append(b, childFollows, 0, 0, 0, 0)
			follow = append(follow, e.child)
		default:
			b = le.AppendUint32(append(b, childCame), w.numbers[e.child])
		}
	}
	if w.buffer = b; len(b) > 1<<16 {
		w.flush()
	}
	for _, child := range follow {
		w.node(child)
	}
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
	w.buffer = append(le.AppendUint32(w.buffer, count), b...)
}
