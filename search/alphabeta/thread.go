package alphabeta

import (
	"unsafe"

	"tesla/board"
	"tesla/internal/memory"
	"tesla/nnue"
	"tesla/tablebase"
	"tesla/tt128"
)

const (
	// maxPly bounds the plies of a line, quiescence included.
	maxPly = 128
	// infinite is beyond every score.
	infinite = tt128.Infinity
	// drawHalfmoves is the halfmove clock at which the game is drawn: fifty moves.
	drawHalfmoves = 100
)

// Thread searches one line at a time. It is the core that all drivers share.
type Thread struct {
	mode    Mode
	table   *tt128.Table
	tables  *tablebase.Prober // of endgames; nil: none
	stack   *nnue.Stack
	history *history
	values  *[1 << 16]uint64 // cache of the net's values: an entry is a value and, above its 16 bits, the other bits of the key
	hooks
	root
	ending

	pos    [maxPly + 2]board.Position
	frames [maxPly + 2]frame
	// landings are those of the frames' moves, from index furthest on; 0 where there is none. The histories by landing 0
	// are zero.
	landings [furthest + maxPly + 2]uint16
	keys     []uint64     // of the positions up to the root, which is last
	game     int          // the first of keys, which were played: they count at the third occurrence, the others at the second
	moves    []board.Move // of all plies of the line, one list after the other
	ranked   []ranked     // the lists of pickers, at the same indices
	line     []board.Move // the principal variation that deepen returns

	nodes    int64
	selDepth int // the longest line, in plies
	nullFrom int // the ply below which no null move is made, because one is being verified; 0: none
}

// frame is what a Thread keeps of a node of its line.
type frame struct {
	move     board.Move // the move that is being searched
	tried    int        // the moves before it that were searched
	static   int        // the corrected static value; infinite in check
	killers  [2]board.Move
	excluded board.Move // the move that a singular search leaves out
	pv       [maxPly]board.Move
	length   int // of pv
}

// hooks are what a driver adds to the search. The zero value is a thread that searches alone; then a node costs a
// comparison with nil and no call.
type hooks struct {
	member  *member                        // shares out moves (pvsplit, jamboree)
	away    *away                          // has moves searched by other processes (treemachine)
	useless func() bool                    // reports that the value being searched is not needed any more; asked every uselessNodes
	noise   func(key uint64) int           // is added to the static value of the position with the key (lazysmp)
	current func(m board.Move, number int) // is told of each root move that begins; nil: nobody is
	widen   int                            // is added to each side of the first aspiration window, in centipawns (lazysmp)
}

// root is what a Thread keeps of the root of its search.
type root struct {
	roots     []board.Move // the moves that are searched; nil: all
	rootDepth int
	rootScore int                  // of the last best move
	rootLine  []board.Move         // begins with the last best move
	effort    map[board.Move]int64 // nodes spent on each move
}

// ending is when and how a search stops.
type ending struct {
	limit     int64       // nodes; 0: none
	evalLimit int64       // values of the net; 0: none
	stop      func() bool // may be nil
	every     int64       // nodes between two calls of stop
	due       int64       // the count of nodes at which stop is called next
	told      work        // the part of the thread's work that is in the common count, see running.count
	stopped   bool        // the search unwinds: the values that it returns mean nothing
	ended     bool        // it unwinds to its end; else only as far as the value is useless
}

// work is what threads have done.
type work struct{ nodes, evals int64 }

const (
	stopNodes    = 1024 // the most nodes between two calls of stop
	uselessNodes = 16   // nodes between two calls of useless: a power of two
)

// NewThread returns a Thread on a net and a table, which other threads may share.
func NewThread(net *nnue.Net, table *tt128.Table, mode Mode) *Thread {
	return &Thread{
		mode: mode, table: table, stack: nnue.NewStack(net, maxPly+2), history: new(history), values: new([1 << 16]uint64),
		root:   root{effort: make(map[board.Move]int64, board.MaxMoves)},
		moves:  make([]board.Move, 0, maxPly*64+board.MaxMoves),
		ranked: make([]ranked, maxPly*64+board.MaxMoves),
	}
}

// UseTables has the thread probe endgame tables; nil is none. It is called between searches.
func (t *Thread) UseTables(tables *tablebase.Prober) { t.tables = tables }

// Forget clears the histories and the killers.
func (t *Thread) Forget() {
	*t.history = history{}
	for i := range t.frames {
		t.frames[i].killers = [2]board.Move{}
	}
}

// Evals is the number of values of the net that the last search computed.
func (t *Thread) Evals() int64 {
	if t.away != nil {
		return t.stack.Evals() + t.away.evals
	}
	return t.stack.Evals()
}

// begin makes p the root of a search. keys are those of the game's positions, of which p is the last, or none.
func (t *Thread) begin(p *board.Position, keys []uint64) {
	t.pos[0] = *p
	t.stack.Reset(p)
	t.keys, t.game = keys, len(keys)-1
	t.moves = t.moves[:0]
	t.nodes, t.selDepth, t.nullFrom, t.stopped, t.ended = 0, 0, 0, false, false
	t.every, t.due, t.told = stopNodes, 0, work{}
	t.stack.ResetEvals()
	clear(t.effort)
	t.frames[0].killers = [2]board.Move{}
	if t.member != nil {
		t.member.reset()
	}
	if t.away != nil {
		t.away.evals = 0
	}
}

func (t *Thread) push(ply int, m board.Move) {
	p, next := &t.pos[ply], &t.pos[ply+1]
	if m == board.NullMove {
		p.MakeNull(next)
	} else {
		p.Make(m, next)
	}
	t.table.Prefetch(next.Key)
	memory.Prefetch(unsafe.Pointer(t.cached(next.Key)))
	t.stack.Push(p, m)
	t.setMove(ply, m)
	t.nodes++
}

// setMove notes the move that is made at ply.
func (t *Thread) setMove(ply int, m board.Move) {
	t.frames[ply].move = m
	t.landings[furthest+ply] = uint16(m.Landing())
}

// drawn reports whether the position at ply is a draw by the fifty-move rule or by material, or repeats a position of
// the line or, the third time, of the game.
func (t *Thread) drawn(ply int) bool {
	return board.Drawn(t.pos[:], ply, t.keys, t.game)
}

// over reports whether the search must unwind.
func (t *Thread) over() bool {
	if t.stopped {
		return true
	}
	if t.limit > 0 && t.nodes >= t.limit || t.evalLimit > 0 && t.Evals() >= t.evalLimit ||
		t.nodes >= t.due && t.asked() {
		t.stopped, t.ended = true, true
	}
	if t.useless != nil && t.nodes%uselessNodes == 0 && t.useless() {
		t.stopped = true
	}
	return t.stopped
}

// asked calls stop, and says when to call it next.
func (t *Thread) asked() bool {
	t.due = t.nodes + t.every
	return t.stop != nil && t.stop()
}

// principal is a line from the root of at most a number of plies. It begins with known, which are legal moves, and goes
// on with the moves of the table. It ends where the game does: with mate, stalemate or a draw by rule. It also ends
// before a move that is illegal, because another position with the same key stored it. It uses the positions of the
// plies below the root.
func (t *Thread) principal(known []board.Move, plies int) (line []board.Move) {
	for ply := range min(plies, maxPly) {
		p := &t.pos[ply]
		if ply > 0 && t.drawn(ply) {
			break
		}
		m := board.NullMove
		if ply < len(known) {
			m = known[ply]
		} else {
			e, _ := t.table.Probe(p.Key, 0)
			m = e.Move()
		}
		if m == board.NullMove || !p.IsLegal(m) {
			break
		}
		line = append(line, m)
		p.Make(m, &t.pos[ply+1])
	}
	return line
}
