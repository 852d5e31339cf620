// Package bench searches fixed positions. The signature of the searches changes when play does, so two programs of one
// signature play the same moves; the time says which is faster.
package bench

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"time"

	"tesla/engine"
	"tesla/lab/speedup"
	"tesla/lab/sweep"
	"tesla/search"
)

const (
	// DefaultEvals is the limit for each position, evaluations: fewer say little of a search.
	DefaultEvals = 800
	// treeMemory is enough for the default limit, MiB, whatever the settings say: a full tree would change the
	// signature.
	treeMemory = 256
)

// Result is what a bench found.
type Result struct {
	Search       string  `json:"search"`
	Backend      string  `json:"backend"`
	Model        string  `json:"model"`
	Threads      int     `json:"threads"`
	Hash         int     `json:"hash"`
	Positions    int     `json:"positions"`
	Nodes        int64   `json:"nodes"`
	Evals        int64   `json:"evals"`
	Seconds      float64 `json:"seconds"`
	NPS          float64 `json:"nps"`
	EPS          float64 `json:"eps"`
	Signature    uint32  `json:"signature"`
	TreeNodes    int     `json:"tree_nodes"`
	BytesPerNode float64 `json:"bytes_per_node"`
	Commit       string  `json:"commit"` // of the program
}

// String is the signature and, on the last line, what scripts read.
func (r *Result) String() string {
	return fmt.Sprintf("signature %d\n%d nodes %.0f nps", r.Signature, r.Nodes, r.NPS)
}

// treeSearcher is a searcher that keeps a tree and can say how large it is.
type treeSearcher interface{ TreeSize() (nodes, bytes int) }

// Run searches the positions of Bratko and Kopec, each from nothing, and mixes best moves, scores and principal
// variations into the signature. each, where not nil, gets a line for every position. A search that fails or is
// cancelled ends it with the error.
func Run(ctx context.Context, set engine.Settings, lim search.Limits, each io.Writer) (r Result, err error) {
	set.TreeMemory, set.VerboseMoveStats, set.LimitStrength = treeMemory, false, false
	lim.MultiPV = 1
	positions, err := speedup.ParsePositions(speedup.BratkoKopec)
	if err != nil {
		return r, err
	}
	s, _, err := engine.Open(set)
	if err != nil {
		return r, err
	}
	info := s.Backend()
	r = Result{Search: s.Name(), Backend: info.Name, Model: info.Model, Threads: set.Threads, Hash: set.Hash, Commit: engine.Commit()}
	sum, start := fnv.New32a(), time.Now()
	var treeBytes int
	tree, hasTree := search.As[treeSearcher](s)
	all, by := &sweep.Sweep{Steps: len(positions)}, sweep.Searcher{Name: s.Name(), Open: func() (search.Searcher, error) { return s, nil }}
	err = all.With(ctx, by, func(ctx context.Context, s *sweep.Searcher, i int) error {
		pos := &positions[i].Board
		res, err := s.FromNothing(ctx, pos, lim, func(search.Info) {})
		if err != nil {
			return err
		}
		r.Positions++
		r.Nodes += res.Info.Nodes
		r.Evals += res.Info.Evals
		fmt.Fprint(sum, uint32(res.Best), res.Info.Score, res.Info.PV)
		if hasTree {
			n, b := tree.TreeSize()
			r.TreeNodes += n
			treeBytes += b
		}
		if each != nil {
			fmt.Fprintf(each, "%2d  %-6s cp %6d  nodes %d\n", r.Positions, pos.UCI(res.Best, false), res.Info.Score.CP, res.Info.Nodes)
		}
		return nil
	})
	if err != nil {
		return r, err
	}
	r.Seconds = time.Since(start).Seconds()
	r.NPS, r.EPS = float64(r.Nodes)/max(r.Seconds, 1e-9), float64(r.Evals)/max(r.Seconds, 1e-9)
	r.Signature = sum.Sum32()
	if r.TreeNodes > 0 {
		r.BytesPerNode = float64(treeBytes) / float64(r.TreeNodes)
	}
	return r, nil
}
