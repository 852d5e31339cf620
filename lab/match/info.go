package match

import (
	"bytes"

	"tesla/board"
	"tesla/search"
)

// maxPVs is how many of a search's variations are checked: a flood of them must not cost more than a few milliseconds.
const maxPVs = 1000

// pvWatch checks the variations that a player reports in one search. It is used by one goroutine at a time.
type pvWatch struct {
	chess960 bool
	pos      board.Position
	checked  int
	illegal  int        // lines with an illegal move
	example  string     // the first of them
	first    board.Move // first move of the last exact variation of the first line; NullMove: none
	last     []byte     // the last variation checked as text: engines repeat themselves
	lastOK   bool       // it was legal
	head     board.Move // its first move
}

// reset begins a search.
func (w *pvWatch) reset(p *board.Position, chess960 bool) {
	*w = pvWatch{chess960: chess960, pos: *p, last: w.last[:0]}
}

// text checks the moves behind the word pv. leading says that it is an exact report of the first line.
func (w *pvWatch) text(pv []byte, leading bool) {
	if len(pv) == 0 {
		return
	}
	if !bytes.Equal(pv, w.last) {
		if w.checked == maxPVs {
			if leading { // what is not checked says nothing of the move
				w.first = board.NullMove
			}
			return
		}
		w.checked++
		w.last = append(w.last[:0], pv...)
		w.lastOK, w.head = w.walk(pv)
	}
	if !w.lastOK {
		if w.illegal++; w.illegal == 1 {
			w.example = string(appendPrintable(nil, pv, 120))
		}
	}
	if leading {
		w.first = w.head
	}
}

// walk tells whether all moves are legal one after the other, and the first move, NullMove when that is illegal.
func (w *pvWatch) walk(pv []byte) (legal bool, head board.Move) {
	p := w.pos
	for rest := pv; ; {
		word, after := cutWord(rest)
		if len(word) == 0 {
			return true, head
		}
		m, err := p.ParseMove(string(word), w.chess960)
		if err != nil {
			return false, head
		}
		if head == board.NullMove {
			head = m
		}
		var next board.Position
		p.Make(m, &next)
		p, rest = next, after
	}
}

// moves is text for a searcher in process.
func (w *pvWatch) moves(pv []board.Move, leading bool) {
	if len(pv) == 0 {
		return
	}
	if w.checked == maxPVs {
		if leading {
			w.first = board.NullMove
		}
		return
	}
	w.checked++
	p := w.pos
	for i, m := range pv {
		if !p.IsLegal(m) {
			if w.illegal++; w.illegal == 1 {
				w.example = w.name(pv[:i+1])
			}
			if i == 0 {
				pv = []board.Move{board.NullMove}
			}
			break
		}
		var next board.Position
		p.Make(m, &next)
		p = next
	}
	if leading {
		w.first = pv[0]
	}
}

// name writes moves of which all but the last are legal.
func (w *pvWatch) name(pv []board.Move) string {
	var text []byte
	p := w.pos
	for i, m := range pv {
		text = append(append(text, p.UCI(m, w.chess960)...), ' ')
		if i < len(pv)-1 {
			var next board.Position
			p.Make(m, &next)
			p = next
		}
	}
	return string(bytes.TrimSpace(text))
}

// heard is what an engine has said since it was told to go.
type heard struct {
	pv    pvWatch
	reply reply
}

// info takes what matters from an info line: depth, nodes and score of the first line, and the variation.
func (h *heard) info(line []byte) {
	pv, leading := readInfo(line, &h.reply)
	h.pv.text(pv, leading)
}

// cutWord returns the first word of the text and what follows it; an empty word at the end.
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

// number reads an integer; what is none is 0, what is too large the largest that fits.
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

// readInfo takes depth, nodes and score of the first line from an info line. Bounds count only as long as there is no
// exact score. It returns the moves of the variation, and whether they are an exact report of the first line. It
// allocates nothing: engines may say a million lines a second.
func readInfo(line []byte, r *reply) (pv []byte, leading bool) {
	word, rest := cutWord(line)
	if string(word) != "info" {
		return nil, false
	}
	info, scored, first := r.info, false, true
	info.Bound = search.Exact
	for {
		if word, rest = cutWord(rest); len(word) == 0 || string(word) == "string" {
			break
		}
		if string(word) == "pv" {
			pv = bytes.TrimSpace(rest)
			break
		}
		next, after := cutWord(rest)
		n, taken := number(next), true
		switch string(word) {
		case "multipv":
			first = n <= 1
		case "depth":
			info.Depth = n
		case "nodes":
			info.Nodes = int64(n)
		case "cp":
			info.Score, scored = search.Score{CP: n}, true
		case "mate":
			info.Score, scored = search.Score{Mate: n}, true
		case "lowerbound":
			info.Bound, taken = search.Lower, false
		case "upperbound":
			info.Bound, taken = search.Upper, false
		default:
			taken = false
		}
		if taken {
			rest = after
		}
	}
	leading = first && info.Bound == search.Exact
	if !first || !scored || info.Bound != search.Exact && r.scored && r.info.Bound == search.Exact {
		return pv, leading
	}
	r.info, r.scored = info, true
	return pv, leading
}

// maxLine is how many bytes of a line are kept; the rest up to its end is dropped.
const maxLine = 64 << 10

// splitter makes lines of what comes in pieces. It holds at most one line.
type splitter struct {
	part []byte // of a line without its end
	cut  bool   // some of it was dropped
	cuts int    // lines that lost their ends
}

// feed calls line for each line that the chunk ends; an empty chunk ends the last. The line is good until the call
// returns.
func (s *splitter) feed(chunk []byte, line func([]byte)) {
	if len(chunk) == 0 {
		s.flush(line)
	}
	for {
		end := bytes.IndexByte(chunk, '\n')
		if end < 0 {
			s.keep(chunk)
			return
		}
		if len(s.part) == 0 && end <= maxLine {
			line(chunk[:end])
		} else {
			s.keep(chunk[:end])
			s.flush(line)
		}
		chunk = chunk[end+1:]
	}
}

func (s *splitter) keep(b []byte) {
	if room := maxLine - len(s.part); len(b) > room {
		b = b[:room]
		if !s.cut {
			s.cut = true
			s.cuts++
		}
	}
	s.part = append(s.part, b...)
}

// flush ends the line.
func (s *splitter) flush(line func([]byte)) {
	if len(s.part) > 0 {
		line(s.part)
	}
	s.part, s.cut = s.part[:0], false
}
