package alphabeta

import (
	"sync/atomic"
	"time"

	"tesla/board"
	"tesla/nnue"
	"tesla/search"
	"tesla/tt128"
)

const (
	// maxPly bounds a line, quiescence included.
	maxPly = 128
	// infinite is beyond every score.
	infinite = 32767
	// decided is what mates lie beyond.
	decided = search.Proven - 1
)

// frame is what a Thread knows of a node of its line.
type frame struct {
	move     board.Move // made here
	static   int        // corrected static value; infinite: in check
	killers  [2]board.Move
	excluded board.Move // left out by a singular search
	pv       [maxPly]board.Move
	length   int
}

// Thread searches one line at a time.
type Thread struct {
	parts   Parts
	table   *tt128.Table
	stack   *nnue.Stack
	history *history

	pos    [maxPly + 2]board.Position
	frames [maxPly + 2]frame
	keys   []uint64 // of the game before the root, the root's last
	moves  []board.Move
	scores []int32 // beside moves

	roots []board.Move // moves of the root that are searched; nil: all
	line  []board.Move // of Deepen

	nodes     int64
	limit     int64       // nodes at which the search stops; 0: none
	evalLimit int64       // values of the net at which it stops; 0: none
	stop      func() bool // asked now and then
	stopped   bool        // the search unwinds: scores mean nothing
	ended     bool        // to its end, not only to a split that was cut off
	selDepth  int
	rootDepth int
	rootScore int                   // of the move that was last found best at the root
	rootLine  []board.Move          // which begins with it
	effort    map[board.Move]int64  // nodes spent on each move of the root
	team      *team                 // with which moves are shared; nil: with none
	at        *split                // the innermost that the thread works at
	waits     atomic.Pointer[split] // below which it waits for work; nil: it does not
	mail      chan *split           // the work
	splits    []*split              // for use again
	central   *central              // of mtdf
	iteration int64                 // that the thread works at; 0: none
	beta      int
	nullFrom  int // ply below which null moves are verified and not made

	widen, noise int // of lazysmp: see Options
	seed         uint64

	messages int64         // parts of splits that were given away
	idled    time.Duration // spent waiting
	path     int64         // see Searcher.Path
}

// NewThread returns a thread for a net and a table, which may be shared.
func NewThread(net *nnue.Net, table *tt128.Table, parts Parts) *Thread {
	return &Thread{
		parts: parts, table: table, stack: nnue.NewStack(net, maxPly+2), history: new(history), mail: make(chan *split, 1), effort: make(map[board.Move]int64, board.MaxMoves),
		moves:  make([]board.Move, 0, maxPly*64+board.MaxMoves),
		scores: make([]int32, maxPly*64+board.MaxMoves),
	}
}

// Forget clears the histories.
func (t *Thread) Forget() { *t.history = history{} }

// begin makes p the root; keys are those of the game's positions, p's last.
func (t *Thread) begin(p *board.Position, keys []uint64) {
	t.pos[0] = *p
	t.stack.Reset(p)
	t.keys = keys
	t.moves = t.moves[:0]
	t.nodes, t.selDepth, t.nullFrom, t.stopped, t.ended, t.at = 0, 0, 0, false, false, nil
	t.messages, t.idled, t.path, t.iteration = 0, 0, 0, 0
	t.stack.ResetEvals()
	clear(t.effort)
	t.frames[0].killers = [2]board.Move{}
}

// push makes a move, or passes, at ply.
func (t *Thread) push(ply int, m board.Move) {
	p, next := &t.pos[ply], &t.pos[ply+1]
	if m == board.NullMove {
		p.MakeNull(next)
	} else {
		p.Make(m, next)
	}
	t.table.Prefetch(next.Key)
	t.stack.Push(p, m)
	t.frames[ply].move = m
	t.nodes++
	t.path++
}

// drawn tells whether the position at ply is a draw by fifty moves or material, or repeats one of the line or two of the
// game before it.
func (t *Thread) drawn(ply int) bool {
	p := &t.pos[ply]
	if p.Halfmove >= 100 && (!p.InCheck() || p.HasLegalMove()) || p.InsufficientMaterial() {
		return true
	}
	seen := false
	for i := 4; i <= int(p.Halfmove); i += 2 {
		if at := ply - i; at >= 0 {
			if t.pos[at].Key == p.Key {
				return true
			}
		} else if at += len(t.keys) - 1; at >= 0 {
			if t.keys[at] == p.Key {
				if seen {
					return true
				}
				seen = true
			}
		} else {
			break
		}
	}
	return false
}

// over tells whether the search must unwind.
func (t *Thread) over() bool {
	if t.stopped {
		return true
	}
	if t.limit > 0 && t.nodes >= t.limit || t.evalLimit > 0 && t.stack.Evals() >= t.evalLimit || t.nodes&1023 == 0 && t.stop != nil && t.stop() {
		t.stopped, t.ended = true, true
	}
	if t.nodes&15 == 0 && (t.at != nil && t.cutOff() || t.iteration != 0 && t.central.stale(t)) {
		t.stopped = true
	}
	return t.stopped
}
