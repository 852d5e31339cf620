package bestfirst

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"

	"tesla/board"
	"tesla/treesearch"
)

// mostTree is the largest file of a tree that is read.
const mostTree = 64 << 30

// LoadTree reads the tree of a file in place of the present one, and returns the number of its nodes and the FEN of its
// root. The next search uses it where its game is the one that was searched, or goes on from there. After an error there
// is no tree. The file may hold anything: each move of the tree is checked to be legal.
func (s *Searcher) LoadTree(path string) (nodes int, root string, err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = errors.New("it is not a regular file")
	case info.Size() > mostTree:
		err = fmt.Errorf("%d bytes, at most %d are read", info.Size(), int64(mostTree))
	default:
		var data []byte
		if data, err = os.ReadFile(path); err == nil {
			nodes, root, err = s.promoter.read(data)
		}
	}
	if err != nil {
		return 0, "", fmt.Errorf("bestfirst: tree %s: %w", path, err)
	}
	return nodes, root, nil
}

// errTooSmall is the reason where the memory for the tree is full.
var errTooSmall = errors.New("TreeMemory is too small for it")

// loadSeed is drawn anew by each process, so that no file can be made whose moves pass for others.
var loadSeed = rand.Uint64()

// errDamaged is the reason where the contents of a file with a good checksum make no tree.
var errDamaged = errors.New("the contents are no tree")

// treeReader reads nodes. The first error is kept, and ends all reading.
type treeReader struct {
	pr    *promoter
	data  []byte // that is left
	nodes uint32 // of the file
	count uint32 // that were read; a node's index in memory is its number in the file
	err   error
}

// take is the next bytes; nil after an error.
func (r *treeReader) take(n int) []byte {
	if r.err == nil && n > len(r.data) {
		r.err = fmt.Errorf("%w: it ends within a record", errDamaged)
	}
	if r.err != nil {
		return nil
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

func (r *treeReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: node %d: %s", errDamaged, r.count, fmt.Sprintf(format, args...))
	}
}

// header checks what surrounds the contents, and reads the header.
func (pr *promoter) header(data []byte) (h treeHeader, contents []byte, err error) {
	const prefix = len(treeMagic) + 8
	if len(data) < prefix+4 || string(data[:len(treeMagic)]) != treeMagic {
		return h, nil, errors.New("it is not the file of a tree")
	}
	if v := binary.LittleEndian.Uint32(data[len(treeMagic):]); v != treeVersion {
		return h, nil, fmt.Errorf("version %d, but this program reads version %d", v, treeVersion)
	}
	body, sum := data[:len(data)-4], binary.LittleEndian.Uint32(data[len(data)-4:])
	if got := crc32.Checksum(body, castagnoli); got != sum {
		return h, nil, fmt.Errorf("its checksum is %08x, but the file says %08x: it is truncated or damaged", got, sum)
	}
	size := int64(binary.LittleEndian.Uint32(data[len(treeMagic)+4:]))
	if size > int64(len(body)-prefix) {
		return h, nil, fmt.Errorf("%w: the header has %d bytes", errDamaged, size)
	}
	if err := json.Unmarshal(body[prefix:prefix+int(size)], &h); err != nil {
		return h, nil, fmt.Errorf("header: %w", err)
	}
	contents = body[prefix+int(size):]
	switch {
	case h.Net != pr.net:
		return h, nil, fmt.Errorf("it was made with net %.16s, this one is %.16s", h.Net, pr.net)
	case h.Nodes < 1 || h.Nodes > len(contents)/nodeBytes:
		return h, nil, fmt.Errorf("%w: %d nodes in %d bytes", errDamaged, h.Nodes, len(contents))
	case h.Nodes >= len(pr.tree.Nodes.Items):
		return h, nil, fmt.Errorf("it has %d nodes, there is room for %d: increase TreeMemory", h.Nodes, len(pr.tree.Nodes.Items)-1)
	}
	return h, contents, nil
}

// game is the game of the header.
func (h *treeHeader) game() (*board.Game, error) {
	p, err := board.ParseFEN(h.Start)
	if err != nil {
		return nil, err
	}
	g := board.NewGame(p)
	for _, text := range h.Moves {
		m, err := g.Pos.ParseMove(text)
		if err != nil {
			return nil, err
		}
		g.Play(m)
	}
	return g, nil
}

// read makes the tree of a file's bytes the present one.
func (pr *promoter) read(data []byte) (nodes int, root string, err error) {
	h, contents, err := pr.header(data)
	if err != nil {
		return 0, "", err
	}
	g, err := h.game()
	if err != nil {
		return 0, "", fmt.Errorf("game: %w", err)
	}
	t := pr.tree
	t.clear()
	pr.corrections, pr.plies = corrections{}, uint16(len(g.Moves))
	r := &treeReader{pr: pr, data: contents, nodes: uint32(h.Nodes)}
	r.corrections()
	r.node(&g.Pos, 0)
	r.draws()
	if r.err == nil && (r.count != r.nodes || len(r.data) > 0) {
		r.fail("%d were expected, and %d bytes are left", r.nodes, len(r.data))
	}
	if r.err != nil {
		t.clear()
		pr.corrections = corrections{}
		return 0, "", r.err
	}
	t.root = 1
	pr.loop.Resume(g)
	return h.Nodes, g.Pos.FEN(true), nil
}

func (r *treeReader) corrections() {
	all := &r.pr.corrections
	for k := range all {
		b := r.take(4 * len(all[k]))
		for i := range len(b) / 4 {
			c := math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
			if !(c >= -correctionMost && c <= correctionMost) {
				r.fail("a correction of %v", c)
				return
			}
			all[k][i] = c
		}
	}
}

// node reads the node of a position some plies below the root, and those that follow below it.
func (r *treeReader) node(p *board.Position, ply int) {
	head := r.take(nodeBytes)
	if head == nil {
		return
	}
	t, moves := r.pr.tree, int(head[12])
	if r.count++; r.count > r.nodes || ply > maxPly || moves == 0 || moves > board.MaxMoves || int(head[13]) > moves {
		r.fail("%d moves at ply %d", moves, ply)
		return
	}
	i := t.Take(moves)
	if i != r.count {
		r.err = errTooSmall
		return
	}
	t.Nodes.Items[i] = node{chunk: i, moves: uint8(moves), best: noSlot, flags: nodeUsed | nodeTouched}
	n := &t.Nodes.Items[i]
	r.head(n, head, p, ply)
	if r.err != nil {
		return
	}
	t.enter(i)
	var played uint64
	var follow [board.MaxMoves]uint8
	count := 0
	for slot, c := 0, i; slot < moves; slot++ {
		if slot&(treesearch.ChunkSize-1) == 0 && slot > 0 {
			c = t.Chunks.Next[c]
		}
		e := &t.Chunks.Items[c][slot&(treesearch.ChunkSize-1)]
		switch kind, number := r.edge(e, slot < int(n.tried)); kind {
		case childFollows:
			follow[count] = uint8(slot)
			count++
		case childCame:
			r.join(p, e, i, uint8(slot), number)
		}
		played += mixed(e.move())
	}
	if r.err == nil {
		r.legal(p, n, played)
	}
	for _, slot := range follow[:count] {
		if r.err != nil {
			return
		}
		e := t.edge(n, int(slot))
		var next board.Position
		p.Make(e.move(), &next)
		child := r.count + 1
		if r.node(&next, ply+1); r.err == nil && !t.attach(i, slot, child) {
			r.err = errTooSmall
		}
	}
}

// head reads what a node has beside its edges.
func (r *treeReader) head(n *node, b []byte, p *board.Position, ply int) {
	le := binary.LittleEndian
	n.key, n.n = le.Uint64(b), le.Uint32(b[8:])
	n.tried, n.best, n.sigma, n.level = b[13], b[14], b[15], b[16]
	n.flags |= b[17] & nodeProven
	n.plies, n.clock = b[18], b[19]
	n.value, n.raw, n.draw = int16(le.Uint16(b[20:])), int16(le.Uint16(b[22:])), le.Uint16(b[24:])
	for k, to := range []*float32{&n.q, &n.base, &n.rest, &n.first, &n.second} {
		if *to = math.Float32frombits(le.Uint32(b[26+4*k:])); *to != *to || *to > 2 {
			r.fail("a value of %v", *to)
		}
	}
	index := &r.pr.tree.indices[r.count]
	for k := range index {
		if index[k] = le.Uint16(b[46+2*k:]); int(index[k]) >= 2*board.KeySlots {
			r.fail("correction %d", index[k])
		}
	}
	n.ply = r.pr.plies + uint16(ply)
	if n.key != p.Key || n.best != noSlot && n.best >= n.tried || n.level > 32 {
		r.fail("its position, best move or count is wrong")
	}
}

// edge reads an edge, and tells whether it has a child, and the number of one that came before.
func (r *treeReader) edge(e *edge, tried bool) (child uint8, number uint32) {
	b := r.take(untried)
	if b == nil {
		return noChild, 0
	}
	le := binary.LittleEndian
	*e = edge{bits: le.Uint32(b), prior: max(1, le.Uint16(b[4:]))}
	if !tried {
		e.bits &^= edgeValued | edgePending | edgeProven | edgePrefetched
		return noChild, 0
	}
	if b = r.take(triedBytes - untried); b == nil {
		return noChild, 0
	}
	e.bits &^= edgePending | edgePrefetched
	e.n, e.value = le.Uint32(b), int16(le.Uint16(b[4:]))
	if b[6] > childCame {
		r.fail("a child of kind %d", b[6])
	}
	return b[6], le.Uint32(b[7:])
}

// join hangs a node that came before below an edge of node i, whose position is p.
func (r *treeReader) join(p *board.Position, e *edge, i uint32, slot uint8, number uint32) {
	t := r.pr.tree
	if number == 0 || number >= r.count || t.Nodes.Items[number].ply != t.Nodes.Items[i].ply+1 || !p.IsLegal(e.move()) {
		r.fail("child %d", number)
		return
	}
	var next board.Position
	if p.Make(e.move(), &next); next.Key != t.Nodes.Items[number].key {
		r.fail("child %d has another position", number)
		return
	}
	if !t.attach(i, slot, number) {
		r.err = errTooSmall
	}
}

// legal checks the moves of a node: they are the legal ones, or a single one that is. played is the sum of their mixed
// values, which no other moves have by chance.
func (r *treeReader) legal(p *board.Position, n *node, played uint64) {
	if n.moves == 1 && p.IsLegal(r.pr.tree.edge(n, 0).move()) {
		return
	}
	var buffer [board.MaxMoves]board.Move
	moves, want := p.LegalMoves(buffer[:0]), uint64(0)
	for _, m := range moves {
		want += mixed(m)
	}
	if len(moves) != int(n.moves) || want != played {
		r.fail("its moves are not the legal ones")
	}
}

// mixed is a number of 64 bits for a move (SplitMix64, Steele, Lea and Flood 2014).
func mixed(m board.Move) uint64 {
	z := (uint64(m) + loadSeed) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// draws reads the draws by repetition.
func (r *treeReader) draws() {
	b := r.take(4)
	if b == nil {
		return
	}
	le := binary.LittleEndian
	for range le.Uint32(b) {
		if b = r.take(drawBytes); b == nil {
			return
		}
		at, since := parent{le.Uint32(b), b[4]}, int32(le.Uint32(b[13:]))
		if at.node == 0 || at.node > r.count || at.slot >= r.pr.tree.Nodes.Items[at.node].tried || since < played {
			r.fail("a draw of node %d", at.node)
			return
		}
		r.pr.tree.draws[at] = draw{le.Uint64(b[5:]), int(since)}
	}
}
