package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tesla/board"
	"tesla/lab/speedup"
	"tesla/search"
	"tesla/uci"
)

// benchEvals is the default limit for each position: below 800 evaluations a search says little.
const benchEvals = 800

// benchMemory is the tree of a bench, MiB: the default of the searcher, and plenty for the default limit.
const benchMemory = 256

type benchResult struct {
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
	Commit       string  `json:"commit"`
}

// last is the line that scripts read.
func (r *benchResult) last() string { return fmt.Sprintf("%d nodes %.0f nps", r.Nodes, r.NPS) }

func benchLimits(depth int, nodes, evals int64) search.Limits {
	return search.Limits{Depth: depth, Nodes: nodes, Evals: evals, MultiPV: 1}
}

func benchCommand() *cobra.Command {
	c := &cobra.Command{Use: "bench", Short: "search 24 fixed positions; the signature changes when play does", Args: cobra.NoArgs}
	set := settingsFlags(c, "search", "search-options", "backend", "weights", "threads", "hash")
	depth := c.Flags().Int("depth", 0, "limit for each position, plies")
	nodes := c.Flags().Int64("nodes", 0, "limit for each position, nodes")
	evals := c.Flags().Int64("evals", 0, fmt.Sprintf("limit for each position, evaluations (default %d)", benchEvals))
	asJSON := c.Flags().Bool("json", false, "print one JSON object")
	profile := c.Flags().String("cpuprofile", "", "write a CPU profile here")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := checkSettings(set); err != nil {
			return err
		}
		given := 0
		for _, name := range []string{"depth", "nodes", "evals"} {
			f := c.Flags().Lookup(name)
			if !f.Changed {
				continue
			}
			given++
			if text := f.Value.String(); text == "0" || text[0] == '-' {
				return usage("--%s %s: at least 1 is needed", name, text)
			}
		}
		if given > 1 {
			return usage("bench: --depth, --nodes and --evals exclude each other")
		}
		if *depth == 0 && *nodes == 0 && *evals == 0 {
			*evals = benchEvals
		}
		var each io.Writer
		if !*asJSON {
			each = c.OutOrStdout()
		}
		if *profile != "" {
			f, err := os.Create(*profile)
			if err != nil {
				return fmt.Errorf("--cpuprofile: %w", err)
			}
			defer f.Close()
			if err := pprof.StartCPUProfile(f); err != nil {
				return fmt.Errorf("--cpuprofile: %w", err)
			}
			defer pprof.StopCPUProfile()
		}
		r, err := bench(c.Context(), *set, benchLimits(*depth, *nodes, *evals), each)
		if err != nil {
			return err
		}
		if *asJSON {
			return printJSON(c.OutOrStdout(), r)
		}
		fmt.Fprintf(c.OutOrStdout(), "backend %s net %s threads %d hash %d\nsignature %d\n%s\n", r.Backend, r.Model, r.Threads, r.Hash,
			r.Signature, r.last())
		return nil
	}
	return c
}

// sized is a searcher that keeps a tree and can say how large it is.
type sized interface{ TreeSize() (nodes, bytes int) }

// bench searches the positions, each from nothing, and mixes best moves, scores and principal variations into the
// signature. each, where not nil, gets a line a position.
func bench(ctx context.Context, set uci.Settings, lim search.Limits, each io.Writer) (r benchResult, err error) {
	set.TreeMemory, set.VerboseMoveStats = benchMemory, false
	e := &engine{}
	defer func() { err = errors.Join(err, e.Close()) }()
	searcher, _, err := e.open(set)
	if err != nil {
		return r, err
	}
	info := e.backend.Info()
	r = benchResult{Search: set.Search, Backend: info.Name, Model: info.Model, Threads: set.Threads, Hash: set.Hash, Commit: commit()}
	sum, start := fnv.New32a(), time.Now()
	var treeBytes int
	for i, text := range strings.Split(strings.TrimSpace(speedup.BratkoKopec), "\n") {
		if strings.HasPrefix(text, "#") {
			continue
		}
		pos, err := board.ParseEPD(text)
		if err != nil {
			return r, fmt.Errorf("bench position on line %d: %w", i+1, err)
		}
		searcher.NewGame()
		res, err := searcher.Search(ctx, board.NewGame(pos), lim, func(search.Info) {})
		if err := errors.Join(err, ctx.Err()); err != nil {
			return r, err
		}
		r.Positions++
		r.Nodes += res.Info.Nodes
		r.Evals += res.Info.Evals
		fmt.Fprint(sum, uint32(res.Best), res.Info.Score, res.Info.PV)
		if t, ok := searcher.(sized); ok {
			n, b := t.TreeSize()
			r.TreeNodes += n
			treeBytes += b
		}
		if each != nil {
			fmt.Fprintf(each, "%2d  %-6s cp %6d  nodes %d\n", r.Positions, pos.UCI(res.Best, false), res.Info.Score.CP, res.Info.Nodes)
		}
	}
	r.Seconds = time.Since(start).Seconds()
	r.NPS, r.EPS = float64(r.Nodes)/max(r.Seconds, 1e-9), float64(r.Evals)/max(r.Seconds, 1e-9)
	r.Signature = sum.Sum32()
	if r.TreeNodes > 0 {
		r.BytesPerNode = float64(treeBytes) / float64(r.TreeNodes)
	}
	return r, nil
}
