package web

import (
	"cmp"
	"math"
	"sync"

	"tesla/board"
	"tesla/lab/match/pgn"
	"tesla/search"
	"tesla/search/sure"
)

// Bounds of what is shown of a search.
const (
	treeNodes = 200
	linePlies = 24 // of a PV
	rootPlies = 10 // of the line of a root move
)

// move is a move as the page shows it.
type move struct {
	UCI string `json:"uci"`
	SAN string `json:"san"`
}

func moveOf(p *board.Position, m board.Move, chess960 bool) move {
	return move{p.UCI(m, chess960), pgn.SAN(p, m)}
}

// score is a score for the side to move.
type score struct {
	CP   int `json:"cp"`
	Mate int `json:"mate,omitempty"`
}

func scoreOf(s search.Score) *score { return &score{s.CP, s.Mate} }

// snapshot is a search at one moment, as the page shows it. All values are for the side to move.
type snapshot struct {
	Serial   int64      `json:"serial"`
	Black    bool       `json:"black"`
	MS       int64      `json:"ms"`
	Evals    int64      `json:"evals"` // nodes of alpha-beta
	Rate     float64    `json:"rate"`  // a second
	Nodes    int        `json:"nodes"` // in memory
	Depth    int        `json:"depth"`
	SelDepth int        `json:"selDepth"`
	Hashfull int        `json:"hashfull"`
	End      string     `json:"end,omitempty"`
	Lines    []line     `json:"lines"`
	Roots    []rootMove `json:"roots,omitempty"`
	Tree     []treeNode `json:"tree,omitempty"`
	Batches  *batches   `json:"batches,omitempty"`
}

// line is a PV.
type line struct {
	Score *score    `json:"score"`
	WDL   [3]int    `json:"wdl"` // per mille
	Moves []move    `json:"moves"`
	Sure  *sureness `json:"sure,omitempty"`
}

// sureness is what is stated of the first line, for the side to move; see sure.Watch. A field that is 0 states nothing.
type sureness struct {
	Best  float64 `json:"best,omitempty"`
	At    int64   `json:"at,omitempty"` // evaluations, or nodes, at which Best was stated
	Stays float64 `json:"stays,omitempty"`
	Low   float64 `json:"low,omitempty"` // expected points
	High  float64 `json:"high,omitempty"`
	Held  bool    `json:"held,omitempty"` // the interval has the width of one that was stated before
}

// sureOf is what is stated with a report of the first line, which the watch has seen.
func sureOf(in *search.Info, w *sure.Watch) *sureness {
	s, at := w.Held(in)
	if s == (search.Sureness{}) {
		return nil
	}
	return &sureness{s.Best, at, s.Stays, s.Low, s.High, s.High > 0 && in.Sure.High == 0}
}

// rootMove is a root move.
type rootMove struct {
	move
	N      int64    `json:"n"`
	Prior  float64  `json:"prior"`
	Q      float64  `json:"q"`
	Net    *float64 `json:"net,omitempty"`
	Sigma  float64  `json:"sigma"`
	Gain   float64  `json:"gain"`
	Proven bool     `json:"proven,omitempty"`
	Behind float64  `json:"behind,omitempty"` // probability that the first move is better; 0: not stated
	Line   []move   `json:"line"`
}

// treeNode is a node of the picture of the tree; the first is the root.
type treeNode struct {
	Parent  int32    `json:"parent"`
	UCI     string   `json:"uci,omitempty"`
	SAN     string   `json:"san,omitempty"`
	N       uint32   `json:"n"`
	Pending uint32   `json:"pending,omitempty"`
	Q       *float32 `json:"q,omitempty"` // for the side that makes the move; absent while it is not known
	Net     *float32 `json:"net,omitempty"`
	Prior   float32  `json:"prior"`
	Sigma   float32  `json:"sigma"`
	Gap     float32  `json:"gap,omitempty"`
	Waits   string   `json:"waits,omitempty"`
	Best    bool     `json:"best,omitempty"`
	Proven  bool     `json:"proven,omitempty"`
	Again   bool     `json:"again,omitempty"`
	Black   bool     `json:"black,omitempty"` // Black makes the move
}

// batches is the evaluation side.
type batches struct {
	Count      int64   `json:"count"`
	Size       int     `json:"size"`
	Mean       float64 `json:"mean"`
	Prefetched float64 `json:"prefetched"`
	Net        float64 `json:"net"`
	Idle       float64 `json:"idle"`
	Promoting  float64 `json:"promoting"`
	QueueMS    float64 `json:"queueMS"`
}

// viewOf is a snapshot for the page, and what is stated with it.
func viewOf(in *search.Snapshot, o *order, stated *sureness) *snapshot {
	p, chess960 := &o.game.Pos, notation(&o.game.Start)
	v := &snapshot{Serial: o.serial, Black: p.Black, Nodes: in.Nodes, Rate: in.Batches.Rate}
	if in.End != search.EndUnknown {
		v.End = in.End.String()
	}
	for i := range in.Lines {
		v.addLine(&in.Lines[i], p, chess960)
	}
	v.state(stated)
	for i := range in.Roots {
		r := &in.Roots[i]
		m := rootMove{N: r.N, Prior: r.Policy, Q: r.Q, Sigma: r.Sigma, Gain: r.Gain, Proven: r.Proven, Behind: r.Behind,
			Line: movesOf(p, r.PV, rootPlies, chess960)}
		m.move = m.Line[0]
		if !math.IsNaN(r.V) {
			m.Net = &r.V
		}
		v.Roots = append(v.Roots, m)
	}
	v.Tree = treeOf(in.Tree, p, chess960)
	b := &in.Batches
	v.Batches = &batches{Count: b.Count, Size: b.Size, Mean: b.Mean, Prefetched: b.Prefetched, Net: b.Net, Idle: b.Idle, Promoting: b.Promoting,
		QueueMS: b.Queue.Seconds() * 1000}
	return v
}

// addLine adds a PV. The first one also tells how far the search is.
func (v *snapshot) addLine(in *search.Info, p *board.Position, chess960 bool) {
	if len(v.Lines) == 0 {
		v.MS, v.Evals, v.Depth, v.SelDepth, v.Hashfull = in.Time.Milliseconds(), cmp.Or(in.Evals, in.Nodes), in.Depth, in.SelDepth, in.Hashfull
	}
	v.Lines = append(v.Lines, line{Score: scoreOf(in.Shown()), WDL: in.WDL, Moves: movesOf(p, in.PV, linePlies, chess960)})
}

// state adds to the first line what is stated of it.
func (v *snapshot) state(stated *sureness) {
	if len(v.Lines) > 0 {
		v.Lines[0].Sure = stated
	}
}

// movesOf are at most a number of moves from a position, as far as they are legal.
func movesOf(p *board.Position, moves []board.Move, most int, chess960 bool) []move {
	all := make([]move, 0, min(most, len(moves)))
	for at, m := range p.Along(moves[:min(most, len(moves))]) {
		all = append(all, moveOf(at, m, chess960))
	}
	return all
}

func treeOf(tree []search.TreeNode, root *board.Position, chess960 bool) []treeNode {
	all, at := make([]treeNode, len(tree)), make([]board.Position, len(tree))
	for i := range tree {
		n, to := &tree[i], &all[i]
		*to = treeNode{Parent: n.Parent, N: n.N, Pending: n.Pending, Prior: n.Prior, Sigma: n.Sigma, Gap: n.Gap, Waits: n.Waiting.String(), Best: n.Best,
			Proven: n.Proven, Again: n.Again}
		if n.Valued {
			to.Q = &n.Q
		}
		if n.Net == n.Net { // no NaN
			to.Net = &n.Net
		}
		if i == 0 {
			at[0] = *root
			continue
		}
		p := &at[n.Parent]
		m := moveOf(p, n.Move, chess960)
		to.UCI, to.SAN, to.Black = m.UCI, m.SAN, p.Black
		p.Make(n.Move, &at[i])
	}
	return all
}

// lineView shows a search that makes no snapshots, an alpha-beta search, by the lines that it reports.
type lineView struct {
	session *session
	order   *order

	mu     sync.Mutex
	lines  []search.Info // by rank
	watch  sure.Watch
	stated *sureness // of the first line
}

func (v *lineView) report(in search.Info) {
	if in.Text != "" || len(in.Roots) > 0 || len(in.PV) == 0 {
		return
	}
	in.PV = append([]board.Move(nil), in.PV...)
	rank := max(1, in.MultiPV)
	v.mu.Lock()
	if rank == 1 {
		v.lines = v.lines[:0:0]
		v.watch.See(&in)
		v.stated = sureOf(&in, &v.watch)
	}
	if rank == len(v.lines)+1 {
		v.lines = append(v.lines, in)
	}
	v.mu.Unlock()
	v.session.publish("snapshot", func() any { return v.view() })
}

func (v *lineView) view() *snapshot {
	v.mu.Lock()
	defer v.mu.Unlock()
	p := &v.order.game.Pos
	s := &snapshot{Serial: v.order.serial, Black: p.Black}
	for i := range v.lines {
		s.addLine(&v.lines[i], p, notation(&v.order.game.Start))
		s.Rate = float64(v.lines[i].NPS)
	}
	s.state(v.stated)
	return s
}
