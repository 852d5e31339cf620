// Command ruler shows what searches do with the same number of nodes: how their nodes end, how moves are ordered, reduced
// and extended. docs/alphabeta.md explains each line.
//
//	go build -tags ruler -o build/tesla-ruler ./cmd/tesla
//	go run ./scripts/alphabeta/ruler build/tesla-ruler:Search=lazysmp,Backend=nnue,Threads=1,VerboseMoveStats=true
//
// scripts/alphabeta/ruler.sh does both. Engines are UCI programs that say "info string ruler name=number .." after a
// search, with counts since their start: this program built with the tag ruler (alphabeta/counters_ruler.go), and a
// peer changed by peer.py.
package main

import (
	"bufio"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// positions are from games of lazysmp against itself, 20,000 nodes a move, from ply 16 to ply 107.
//
//go:embed positions.txt
var positions string

func main() {
	nodes := flag.Int("nodes", 100000, "nodes a position")
	flag.Parse()
	var names []string
	var all []counts
	for _, spec := range flag.Args() {
		path, options, _ := strings.Cut(spec, ":")
		c, err := measure(path, strings.FieldsFunc(options, func(r rune) bool { return r == ',' }), *nodes)
		if err != nil {
			fmt.Fprintf(os.Stderr, "ruler: %s: %v\n", path, err)
			os.Exit(1)
		}
		names, all = append(names, filepath.Base(path)), append(all, c)
	}
	write(os.Stdout, names, all)
}

// counts are what an engine counted over all positions, by name.
type counts map[string]float64

// measure has an engine search all positions, each from a cleared table.
func measure(path string, options []string, nodes int) (counts, error) {
	cmd := exec.Command(path)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	fmt.Fprintln(in, "uci")
	for _, o := range options {
		name, value, _ := strings.Cut(o, "=")
		fmt.Fprintf(in, "setoption name %s value %s\n", name, value)
	}
	total, lines := counts{}, bufio.NewScanner(out)
	for fen := range strings.Lines(positions) {
		fmt.Fprintf(in, "ucinewgame\nposition fen %sgo nodes %d\n", fen, nodes)
		if err := total.read(lines); err != nil {
			return nil, err
		}
	}
	fmt.Fprintln(in, "quit")
	if err := cmd.Wait(); err != nil {
		return nil, err
	}
	if total["nodes"] == 0 {
		return nil, fmt.Errorf("it says no line \"info string ruler\": see go doc ./scripts/alphabeta/ruler")
	}
	return total, nil
}

// read reads what an engine says up to its move. The depth and the nodes of the last whole iteration are added up.
func (c counts) read(lines *bufio.Scanner) error {
	depth, spent := 0.0, 0.0
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) > 2 && words[0] == "info" && words[2] == "ruler" {
			for _, w := range words[3:] {
				name, value, _ := strings.Cut(w, "=")
				c[name], _ = strconv.ParseFloat(value, 64)
			}
		} else if len(words) > 0 && words[0] == "info" && slices.Contains(words, "pv") && !strings.Contains(lines.Text(), "bound ") {
			for i, w := range words[:len(words)-1] {
				x, err := strconv.ParseFloat(words[i+1], 64)
				if w == "depth" && err == nil && x > depth {
					depth, spent = x, 0
				}
				if w == "nodes" && spent == 0 {
					spent = x
				}
			}
		} else if len(words) > 0 && words[0] == "bestmove" {
			c["positions"]++
			c["depth"] += depth
			c["branching"] += math.Pow(spent, 1/max(depth, 1))
			return nil
		}
	}
	return fmt.Errorf("it ended: %w", io.ErrUnexpectedEOF)
}

// row is a line of the table: a sum of counts in relation to another.
type row struct {
	text      string
	of, among []string
	format    string // of the quotient; empty: per cent
}

var ends = []string{"end-cut", "end-low", "end-exact", "end-static", "end-null", "end-table", "end-multicut", "end-probcut", "end-rule"}

var late = []string{"late-1", "late0", "late1", "late2", "late3", "late4", "late5", "late6"}

// rows are the lines of the table.
func rows() []row {
	one := func(text, of string, among ...string) row { return row{text, []string{of}, among, ""} }
	all := []row{
		{"nominal depth", []string{"depth"}, []string{"positions"}, "%.1f"},
		{"effective branching factor", []string{"branching"}, []string{"positions"}, "%.2f"},
		one("quiescence nodes, of all", "quiet", "quiet", "nodes"),
	}
	for _, e := range ends {
		all = append(all, one("nodes that end by "+map[string]string{
			"end-cut": "a cut of a move", "end-low": "all moves failing low", "end-exact": "an exact value",
			"end-static": "static value", "end-null": "null move", "end-table": "the table", "end-multicut": "multi-cut",
			"end-probcut": "ProbCut", "end-rule": "draw, mate distance, endgame table"}[e], e, ends...))
	}
	all = append(all,
		one("cut by the first move", "cut-first", "end-cut"),
		row{"moves tried at a cut", []string{"cut-moves"}, []string{"end-cut"}, "%.2f"},
		row{"moves tried where all fail low", []string{"low-moves"}, []string{"end-low"}, "%.2f"},
		one("table hits", "hits", "probes"),
		row{"mean reduction of late moves", []string{"late-plies"}, late, "%.2f"},
		one("late moves searched deeper", "late-1", late...))
	for by := range 7 {
		n := strconv.Itoa(by)
		all = append(all, one("late moves reduced by "+n, "late"+n, late...), one("  of these, failing high", "high"+n, "late"+n))
	}
	all = append(all, one("reduced moves failing high that hold", "held", "again"))
	for _, by := range []string{"+2", "+1", "-1", "-2"} {
		all = append(all, one("extensions by "+by+", of nodes whose moves are searched", "extended"+by, "end-cut", "end-low", "end-exact"))
	}
	return all
}

func (c counts) sum(names []string) (total float64) {
	for _, n := range names {
		total += c[n]
	}
	return total
}

// write writes the table, a column for each engine.
func write(to io.Writer, names []string, all []counts) {
	out := tabwriter.NewWriter(to, 0, 0, 1, ' ', 0)
	fmt.Fprintf(out, "|\t| %s\t|\n|---\t|%s\n", strings.Join(names, "\t| "), strings.Repeat("---\t|", len(names)))
	for _, r := range rows() {
		fmt.Fprintf(out, "| %s\t|", r.text)
		for _, c := range all {
			x, format := c.sum(r.of)/max(c.sum(r.among), 1), r.format
			if format == "" {
				x, format = 100*x, "%.1f %%"
			}
			fmt.Fprintf(out, " "+format+"\t|", x)
		}
		fmt.Fprintln(out)
	}
	out.Flush()
}
