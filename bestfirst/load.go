package bestfirst

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"

	"tesla/board"
	"tesla/internal/output"
	"tesla/search/treesearch"
)

// LoadTree reads the tree of a file in place of the present one, and returns the number of its nodes and the FEN of its
// root. The next search uses it where its game is the one that was searched, or goes on from there. After an error there
// is no tree. The file may hold anything: each move of the tree is checked to be legal.
func (s *Searcher) LoadTree(path string) (nodes int, root string, err error) {
	f, err := output.OpenRegular(path)
	if err == nil {
		defer f.Close()
		var info os.FileInfo
		if info, err = f.Stat(); err == nil {
			nodes, root, err = s.promoter.read(f, info.Size())
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

// treeReader reads a file. The first error is kept, and ends all reading.
type treeReader struct {
	pr    *promoter
	in    *bufio.Reader // all but the checksum
	left  int64         // bytes of in that were not taken
	nodes uint32        // of the file
	count uint32        // that were read; a node's index in memory is its number in the file
	err   error

	line  [maxPly + 2]board.Position // from the root to the node that is read, and a child
	moves [board.MaxMoves]board.Move // the legal ones of a position
}

// take is the next bytes, at most blockBytes; nil after an error. They are good until the next call.
func (r *treeReader) take(n int) []byte {
	if r.err != nil {
		return nil
	}
	b, err := r.in.Peek(n)
	if err != nil {
		r.err = fmt.Errorf("%w: it ends within a record: %w", errDamaged, err)
		return nil
	}
	_, _ = r.in.Discard(n) // it has them
	r.left -= int64(n)
	return b
}

// seal reads the rest of a file, and compares the sum of all that was read with the checksum that follows.
func (r *treeReader) seal(from io.Reader, got hash.Hash32) error {
	if _, err := io.Copy(io.Discard, r.in); err != nil {
		return err
	}
	var want [sumBytes]byte
	if _, err := io.ReadFull(from, want[:]); err != nil {
		return err
	}
	if sum := binary.LittleEndian.Uint32(want[:]); got.Sum32() != sum {
		return fmt.Errorf("checksum %08x, want %08x: truncated or damaged", got.Sum32(), sum)
	}
	return nil
}

func (r *treeReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: node %d: %s", errDamaged, r.count, fmt.Sprintf(format, args...))
	}
}

// header reads the header, whose size is given.
func (r *treeReader) header(size uint32) (h treeHeader, err error) {
	if size > mostHeader {
		return h, fmt.Errorf("%w: the header has %d bytes", errDamaged, size)
	}
	text := r.take(int(size))
	if r.err != nil {
		return h, r.err
	}
	if err := json.Unmarshal(text, &h); err != nil {
		return h, fmt.Errorf("header: %w", err)
	}
	switch {
	case h.Search != r.pr.name:
		return h, fmt.Errorf("made by %.16q, this is %s", h.Search, r.pr.name)
	case h.Net != r.pr.net:
		return h, fmt.Errorf("made with net %.16s, this one is %.16s", h.Net, r.pr.net)
	case h.Nodes < 1 || int64(h.Nodes) > r.left/nodeBytes:
		return h, fmt.Errorf("%w: %d nodes in %d bytes", errDamaged, h.Nodes, r.left)
	case h.Nodes >= len(r.pr.tree.Nodes.Items):
		return h, fmt.Errorf("%d nodes, room for %d: increase TreeMemory", h.Nodes, len(r.pr.tree.Nodes.Items)-1)
	}
	return h, nil
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

// read makes the tree of a file of some bytes the present one. That a file is damaged is known at its end, and said
// before what else was found wrong in it.
func (pr *promoter) read(from io.Reader, size int64) (nodes int, root string, err error) {
	sum := crc32.New(castagnoli)
	r := &treeReader{pr: pr, left: size - sumBytes}
	r.in = bufio.NewReaderSize(io.TeeReader(io.LimitReader(from, r.left), sum), blockBytes)
	prefix := r.take(prefixBytes)
	if prefix == nil || string(prefix[:len(treeMagic)]) != treeMagic {
		return 0, "", errors.New("not the file of a tree")
	}
	if v := binary.LittleEndian.Uint32(prefix[len(treeMagic):]); v != treeVersion {
		return 0, "", fmt.Errorf("version %d, but this program reads version %d", v, treeVersion)
	}
	h, err := r.header(binary.LittleEndian.Uint32(prefix[len(treeMagic)+4:]))
	var g *board.Game
	if err == nil {
		if g, err = h.game(); err != nil {
			err = fmt.Errorf("game: %w", err)
		}
	}
	if err == nil {
		err = r.tree(&h, g)
	}
	if bad := r.seal(from, sum); bad != nil {
		err = bad
	}
	if err != nil {
		if r.count > 0 { // the tree before is gone
			pr.tree.clear()
			pr.corrections = treesearch.Corrections{}
		}
		return 0, "", err
	}
	pr.tree.root = 1
	pr.loop.Resume(g)
	return h.Nodes, g.Pos.FEN(true), nil
}

// tree reads what follows the header in place of the present tree.
func (r *treeReader) tree(h *treeHeader, g *board.Game) error {
	pr := r.pr
	pr.tree.clear()
	pr.corrections, pr.plies = treesearch.Corrections{}, uint16(len(g.Moves))
	r.nodes, r.line[0] = uint32(h.Nodes), g.Pos
	r.corrections()
	r.node(0)
	r.draws()
	if r.err == nil && (r.count != r.nodes || r.left > 0) {
		r.fail("%d were expected, and %d bytes are left", r.nodes, r.left)
	}
	return r.err
}

func (r *treeReader) corrections() {
	all := &r.pr.corrections
	for k := range all {
		b := r.take(4 * len(all[k]))
		for i := range len(b) / 4 {
			c := math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
			if !(c >= -treesearch.CorrectionMost && c <= treesearch.CorrectionMost) {
				r.fail("a correction of %v", c)
				return
			}
			all[k][i] = c
		}
	}
}

// node reads the node of the position of the line at ply, and those that follow below it.
func (r *treeReader) node(ply int) {
	p, head := &r.line[ply], r.take(nodeBytes)
	if head == nil {
		return
	}
	t, moves := r.pr.tree, int(head[12])
	if r.count++; r.count > r.nodes || ply > maxPly || moves > board.MaxMoves {
		r.fail("%d moves at ply %d", moves, ply)
		return
	}
	i := t.Nodes.Take()
	if i != r.count {
		r.err = errTooSmall
		return
	}
	n := &t.Nodes.Items[i]
	*n = node{moves: uint8(moves), best: noSlot, flags: nodeUsed | nodeTouched | head[17]&fileNode}
	r.head(n, head, p, ply)
	if r.err != nil {
		return
	}
	if !t.Extend(&n.chunk, n.made()) {
		r.err = errTooSmall
		return
	}
	t.index.Enter(i)
	var follow [board.MaxMoves]uint8
	count := r.edges(n, p, ply, &follow)
	for _, slot := range follow[:count] {
		if r.err != nil {
			return
		}
		e := t.edge(n, int(slot))
		p.Make(e.move(), &r.line[ply+1])
		child := r.count + 1
		if r.node(ply + 1); r.err == nil && !t.attach(i, slot, child) {
			r.err = errTooSmall
		}
	}
}

// edges reads the edges of a node, and what follows them. It returns the slots of the children that come next.
func (r *treeReader) edges(n *node, p *board.Position, ply int, follow *[board.MaxMoves]uint8) (count int) {
	b := r.take(edgeBytes * n.made())
	if b == nil {
		return 0
	}
	t, le := r.pr.tree, binary.LittleEndian
	fresh, played := r.pr.fresh, uint64(0)
	for slot := range n.made() {
		m := unpacked(p, le.Uint16(b[edgeBytes*slot:]))
		*t.edge(n, slot) = edge{bits: uint32(m) | fresh, prior: max(1, le.Uint16(b[edgeBytes*slot+2:]))}
		played += mixed(m)
	}
	if r.legal(p, n, played); r.err != nil || n.moves == 0 {
		return 0
	}
	if b = r.take(triedBytes * int(n.tried)); b == nil {
		return 0
	}
	for slot := range int(n.tried) {
		b := b[triedBytes*slot:][:triedBytes]
		e := t.edge(n, slot)
		e.setSigma(b[0])
		e.bits |= uint32(b[1]) << flagShift & fileFlags
		e.n, e.value = le.Uint32(b[2:]), int16(le.Uint16(b[6:]))
		switch b[8] {
		case noChild:
		case childFollows:
			follow[count] = uint8(slot)
			count++
		case childCame:
			r.join(ply, e, r.count, uint8(slot), le.Uint32(b[9:]))
		default:
			r.fail("a child of kind %d", b[8])
		}
	}
	return count
}

// head reads what a node has beside its edges.
func (r *treeReader) head(n *node, b []byte, p *board.Position, ply int) {
	le := binary.LittleEndian
	n.key, n.n = le.Uint64(b), le.Uint32(b[8:])
	n.tried, n.best, n.sigma, n.level = b[13], b[14], b[15], b[16]
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
	if n.key != p.Key || int(n.tried) > n.made() || n.made() > int(n.moves) || n.best != noSlot && n.best >= n.tried || n.level > 32 {
		r.fail("its position, best move or count is wrong")
	}
}

// join hangs a node that came before below an edge of node i, whose position is that of the line at ply.
func (r *treeReader) join(ply int, e *edge, i uint32, slot uint8, number uint32) {
	t, p, next := r.pr.tree, &r.line[ply], &r.line[ply+1]
	if number == 0 || number >= r.count || t.Nodes.Items[number].ply != t.Nodes.Items[i].ply+1 {
		r.fail("child %d", number)
		return
	}
	if p.Make(e.move(), next); next.Key != t.Nodes.Items[number].key {
		r.fail("child %d has another position", number)
		return
	}
	if !t.attach(i, slot, number) {
		r.err = errTooSmall
	}
}

// legal checks the moves of a node: they are the legal ones, a single one that is, or the first of those that are made when
// a descent needs them. played is the sum of their mixed values, which no other moves have by chance.
func (r *treeReader) legal(p *board.Position, n *node, played uint64) {
	if n.moves == 1 && p.IsLegal(r.pr.tree.edge(n, 0).move()) {
		return
	}
	moves, want := p.LegalMoves(r.moves[:0]), uint64(0)
	made := n.made()
	for _, m := range moves {
		want += mixed(m)
	}
	switch {
	case made > 0 && made == int(n.moves):
		if len(moves) != made || want != played {
			r.fail("its moves are not the legal ones")
		}
	case !r.pr.loop.Orders() || len(moves) == 0 || made > 0 && len(moves) != int(n.moves):
		r.fail("no moves")
	}
	for k := 0; made < int(n.moves) && k < made; k++ {
		i := slices.Index(moves, r.pr.tree.edge(n, k).move())
		if i < 0 {
			r.fail("its first moves are not legal, or one comes twice")
			return
		}
		moves = slices.Delete(moves, i, i+1)
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
