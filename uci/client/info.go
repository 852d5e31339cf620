package client

import (
	"bytes"
	"time"

	"tesla/board"
	"tesla/search"
)

// heard is what an engine has reported since it was told to go.
type heard struct {
	pv     PVChecker
	last   search.Info // of the first line
	scored bool        // last has a score
	ranks  []Line      // by rank
}

func (h *heard) reset(p *board.Position, chess960, whole bool, ranks int) {
	h.pv.reset(p, chess960, whole, ranks)
	h.last, h.scored, h.ranks = search.Info{}, false, h.ranks[:0]
}

// info takes an info line. A bound counts only as long as there is no exact score.
func (h *heard) info(line []byte) {
	i := h.last
	r, ok := parseInfo(line, &i)
	if !ok {
		return
	}
	rank, exact := max(1, i.MultiPV), i.Bound == search.Exact
	head := h.pv.checkText(r.pv, rank == 1 && i.Bound != search.Upper)
	if !r.scored {
		return
	}
	if exact && len(r.pv) > 0 && rank <= len(h.ranks)+1 {
		if rank > len(h.ranks) {
			h.ranks = append(h.ranks, Line{})
		}
		h.ranks[rank-1] = Line{i.Score, head}
	}
	if rank == 1 && (exact || !h.scored || h.last.Bound != search.Exact) {
		h.last, h.scored = i, true
	}
}

// Report is one info line of a search. What the line does not name is zero.
type Report struct {
	search.Info      // of PV, the moves before the first that is illegal
	Scored      bool // the line has a score
}

func (h *heard) report(line []byte) Report {
	var i search.Info
	r, _ := parseInfo(line, &i)
	p := h.pv.pos
	walk(p, r.pv, func(m board.Move) bool {
		i.PV = append(i.PV, m)
		return true
	})
	if m, err := p.ParseMove(string(r.current)); err == nil {
		i.Current = m
	}
	return Report{i, r.scored}
}

// parsed is what parseInfo finds beside numbers.
type parsed struct {
	scored  bool
	current []byte // the root move that is searched
	pv      []byte // the moves of the variation
}

// parseInfo reads an info line into i, whose fields stay as they are where the line does not name them, but for the
// rank and the bound; ok reports whether it is one. It allocates nothing: engines may write a million lines a second.
func parseInfo(line []byte, i *search.Info) (r parsed, ok bool) {
	word, rest := cutWord(line)
	if string(word) != "info" {
		return r, false
	}
	i.Bound, i.MultiPV = search.Exact, 1
	for {
		if word, rest = cutWord(rest); len(word) == 0 || string(word) == "string" {
			return r, true
		}
		if string(word) == "pv" {
			r.pv = bytes.TrimSpace(rest)
			return r, true
		}
		next, after := cutWord(rest)
		n := number(next)
		switch string(word) {
		case "multipv":
			i.MultiPV = n
		case "depth":
			i.Depth = n
		case "seldepth":
			i.SelDepth = n
		case "time":
			i.Time = time.Duration(n) * time.Millisecond
		case "hashfull":
			i.Hashfull = n
		case "tbhits":
			i.TBHits = int64(n)
		case "currmove":
			r.current = next
		case "currmovenumber":
			i.Number = n
		case "wdl":
			i.WDL[0] = n
			for k := range i.WDL[1:] {
				next, after = cutWord(after)
				i.WDL[k+1] = number(next)
			}
		case "nodes":
			i.Nodes = int64(n)
		case "nps":
			i.NPS = int64(n)
		case "cp":
			i.Score, r.scored = search.Score{CP: n}, true
		case "mate":
			i.Score, r.scored = search.Score{Mate: n}, true
		case "lowerbound":
			i.Bound, after = search.Lower, rest
		case "upperbound":
			i.Bound, after = search.Upper, rest
		default:
			after = rest
		}
		rest = after
	}
}

// cutWord returns the first word of the text and what follows it. At the end the word is empty.
func cutWord(text []byte) (word, rest []byte) {
	i := 0
	for i < len(text) && blank(text[i]) {
		i++
	}
	text = text[i:]
	for i = 0; i < len(text) && !blank(text[i]); {
		i++
	}
	return text[:i], text[i:]
}

func blank(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// number reads an integer. Other text is 0, and a number that is too large stays large.
func number(word []byte) int {
	negative := len(word) > 0 && word[0] == '-'
	if negative {
		word = word[1:]
	}
	n := 0
	for _, c := range word {
		if c < '0' || c > '9' {
			return 0
		}
		if n < 1<<59 {
			n = 10*n + int(c-'0')
		}
	}
	if negative {
		return -n
	}
	return n
}
