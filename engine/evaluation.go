package engine

import (
	"fmt"
	"sort"
	"strings"

	"tesla/batcher"
	"tesla/board"
	"tesla/search"
)

// Evaluation is what a net says of one position, for the side to move.
type Evaluation struct {
	FEN     string      `json:"fen"`
	CP      int         `json:"cp"`
	Q       float32     `json:"q"`
	WDL     [3]float32  `json:"wdl"`
	Sigma   float32     `json:"sigma"`
	Policy  []MovePrior `json:"policy"` // most probable first
	Backend string      `json:"backend"`
	Model   string      `json:"model"`
}

// MovePrior is a move and its probability.
type MovePrior struct {
	Move string  `json:"move"` // UCI
	P    float32 `json:"p"`
}

// Evaluate asks a backend for positions, in batches, and keeps their order.
func Evaluate(b batcher.Backend, positions []board.Position, chess960 bool) ([]Evaluation, error) {
	info := b.Info()
	all := make([]Evaluation, 0, len(positions))
	for at := 0; at < len(positions); at += info.MaxBatch {
		part := positions[at:min(len(positions), at+info.MaxBatch)]
		items := make([]*batcher.Item, len(part))
		for i := range part {
			items[i] = &batcher.Item{Position: part[i], Moves: part[i].LegalMoves(nil)}
		}
		if err := b.Evaluate(items); err != nil {
			return nil, fmt.Errorf("evaluating positions %d to %d: %w", at+1, at+len(part), err)
		}
		for _, it := range items {
			all = append(all, evaluation(it, info, chess960))
		}
	}
	return all, nil
}

func evaluation(it *batcher.Item, info batcher.Info, chess960 bool) Evaluation {
	e := &it.Eval
	r := Evaluation{FEN: it.Position.FEN(chess960), CP: search.QToCP(float64(e.Q)), Q: e.Q, WDL: [3]float32{e.W, e.D, e.L},
		Sigma: e.Sigma, Policy: []MovePrior{}, Backend: info.Name, Model: info.Model}
	for i, m := range it.Moves {
		r.Policy = append(r.Policy, MovePrior{it.Position.UCI(m, chess960), it.Policy[i]})
	}
	sort.SliceStable(r.Policy, func(i, k int) bool { return r.Policy[i].P > r.Policy[k].P })
	return r
}

// String is the position, the values, and the most probable moves, a line each.
func (r *Evaluation) String() string {
	const most = 8
	var moves []string
	for _, m := range r.Policy[:min(most, len(r.Policy))] {
		moves = append(moves, fmt.Sprintf("%s %.1f%%", m.Move, 100*m.P))
	}
	return fmt.Sprintf("%s\n  cp %d q %.4f wdl %.3f %.3f %.3f sigma %.4f (%s, net %s)\n  %s", r.FEN, r.CP, r.Q, r.WDL[0], r.WDL[1],
		r.WDL[2], r.Sigma, r.Backend, r.Model, strings.Join(moves, "  "))
}
