package uci

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tesla/board"
	"tesla/search"
)

// unclear is the time for a move where the limits cannot be read: the clock may be short.
const unclear = 100 * time.Millisecond

// limitWords are the words of go. The moves of searchmoves end at the next of them.
var limitWords = map[string]bool{"searchmoves": true, "ponder": true, "infinite": true, "wtime": true, "btime": true,
	"winc": true, "binc": true, "movestogo": true, "depth": true, "nodes": true, "evals": true, "mate": true,
	"movetime": true, "sure": true}

// goReader reads the words of a go.
type goReader struct {
	words   []string // those that are left
	lim     search.Limits
	clocked bool // there was a word of the clock
	skipped []string
	errs    []error
}

// parseGo reads the limits of a go. It leaves out what it cannot read. If no other limit is left the search is short,
// because every go must be answered in time. Without any word that limits it the search is infinite, unless the game is
// over: then it is answered at once.
func parseGo(words []string, pos *board.Position) (search.Limits, []error) {
	r := goReader{words: words}
	for len(r.words) > 0 {
		w := r.words[0]
		r.words = r.words[1:]
		switch {
		case w == "infinite":
			r.lim.Infinite = true
		case w == "ponder":
			r.lim.Ponder = true
		case w == "searchmoves":
			r.searchMoves(pos)
		case w == "sure":
			r.sure()
		case limitWords[w]:
			r.limit(w, pos.Black)
		default:
			r.skipped = append(r.skipped, w)
		}
	}
	if r.skipped != nil {
		r.errs = append(r.errs, fmt.Errorf("skipped %q", strings.Join(r.skipped, " ")))
	}
	r.complete(pos)
	return r.lim, r.errs
}

// searchMoves reads the moves after searchmoves.
func (r *goReader) searchMoves(pos *board.Position) {
	if len(r.words) == 0 || limitWords[r.words[0]] {
		r.errs = append(r.errs, errors.New("searchmoves: no move given"))
	}
	for ; len(r.words) > 0 && !limitWords[r.words[0]]; r.words = r.words[1:] {
		m, err := parseMove(pos, r.words[0])
		if err != nil {
			r.errs = append(r.errs, fmt.Errorf("searchmoves: %w", err))
		} else if !slices.Contains(r.lim.SearchMoves, m) {
			r.lim.SearchMoves = append(r.lim.SearchMoves, m)
		}
	}
}

// value takes the value of a limit. Another word of go is no value: the next limit begins there.
func (r *goReader) value(word string) (text string, ok bool) {
	if len(r.words) == 0 || limitWords[r.words[0]] {
		r.errs = append(r.errs, fmt.Errorf("%s: no value given", word))
		return "", false
	}
	text, r.words = r.words[0], r.words[1:]
	return text, true
}

// limit reads a limit that is a number.
func (r *goReader) limit(word string, black bool) {
	text, ok := r.value(word)
	if !ok {
		return
	}
	n, err := wholeNumber(text)
	if err != nil {
		r.errs = append(r.errs, fmt.Errorf("%s: %q is not a valid value", word, text))
		return
	}
	r.clocked = setLimit(&r.lim, word, n, black) || r.clocked
}

// sure reads the value after sure, a probability.
func (r *goReader) sure() {
	text, ok := r.value("sure")
	if !ok {
		return
	}
	p, err := strconv.ParseFloat(text, 64)
	if err != nil || !(p > 0 && p < 1) {
		r.errs = append(r.errs, fmt.Errorf("sure: %q is not a probability between 0 and 1", text))
		return
	}
	r.lim.Sure = p
}

// complete adds what the words leave open.
func (r *goReader) complete(pos *board.Position) {
	lim := &r.lim
	if !lim.HasClock && lim.Time[1] > 0 { // clocks are mostly about equal
		lim.Time[0], lim.HasClock = lim.Time[1], true
	}
	limited := lim.Depth > 0 || lim.Nodes > 0 || lim.Evals > 0 || lim.Mate > 0 || lim.MoveTime > 0 || lim.HasClock || lim.Sure > 0
	switch {
	case limited || lim.Infinite:
	case r.clocked || r.errs != nil:
		lim.MoveTime = unclear
	case lim.Ponder: // ponderhit asks for a move
		lim.MoveTime = search.DefaultThink
	case pos.HasLegalMove():
		lim.Infinite = true
	}
}

// wholeNumber reads a number. A fraction is cut off, and a number beyond the range of int64 becomes the nearest one
// within it.
func wholeNumber(text string) (int64, error) {
	whole, fraction, _ := strings.Cut(strings.Replace(text, ",", ".", 1), ".")
	if strings.Trim(fraction, "0123456789") != "" {
		return 0, strconv.ErrSyntax
	}
	if fraction != "" && strings.Trim(whole, "+-") == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		err = nil
	}
	return n, err
}

// setLimit stores one numeric limit and reports whether it belongs to the clock. A limit of zero or below counts as the
// smallest limit, but an increment as none, and movestogo as no further time control.
func setLimit(lim *search.Limits, word string, n int64, black bool) (clock bool) {
	const maxMS = 1 << 40
	ms := time.Duration(max(-maxMS, min(maxMS, n))) * time.Millisecond
	small := int(max(1, min(1<<30, n)))
	opponent := 0
	if (word[0] == 'b') != black {
		opponent = 1
	}
	switch word {
	case "wtime", "btime":
		lim.Time[opponent] = ms
		lim.HasClock = lim.HasClock || opponent == 0
		return true
	case "winc", "binc":
		lim.Inc[opponent] = max(0, ms)
		return true
	case "movestogo":
		lim.MovesToGo = int(max(0, min(1<<30, n)))
		return true
	case "depth":
		lim.Depth = small
	case "mate":
		lim.Mate = small
	case "nodes":
		lim.Nodes = max(1, n)
	case "evals":
		lim.Evals = max(1, n)
	case "movetime":
		lim.MoveTime = max(time.Millisecond, ms)
	}
	return false
}
