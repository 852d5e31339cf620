package pgn

import (
	"fmt"

	"tesla/board"
)

// Record is a game as a file has it, for a reader who wants to see it.
type Record struct {
	Tags   map[string]string
	Line          // as far as it can be read, the move that ends the game included
	Result string // 1-0, 0-1, 1/2-1/2 or *; empty: the game has none
	Notes  []string
}

// ReadRecords reads the main lines of at most the given number of games of a PGN text; more tells that there are others.
// A game that cannot be read to its end is kept up to there, and its notes say why.
func ReadRecords(data string, most int) (records []Record, more bool) {
	readTexts(data, func(t *text) {
		switch {
		case len(t.tags) == 0 && len(t.words) == 0 && t.problem == "": // a result alone
		case len(records) == most:
			more = true
		default:
			records = append(records, t.record())
		}
	})
	return records, more
}

// record plays the game of a text as far as it goes.
func (t *text) record() Record {
	r := Record{Tags: t.tags, Line: Line{Start: board.StartPosition()}, Result: t.result}
	note := func(line int, what any) {
		r.Notes = append(r.Notes, fmt.Sprintf("game %d, line %d: %v", t.number, line, what))
	}
	if fen := t.tags["FEN"]; fen != "" && fen != "?" {
		start, repairs, err := board.ReadFEN(fen)
		if err != nil {
			note(t.line, fmt.Errorf("FEN tag: %w", err))
			return r
		}
		for _, repair := range repairs {
			note(t.line, "FEN tag: "+repair)
		}
		r.Start = start
	}
	p := r.Start
	for _, w := range t.words {
		m, err := ParseSAN(&p, w.text)
		if err != nil {
			note(w.line, err)
			return r
		}
		r.Moves = append(r.Moves, m)
		var next board.Position
		p.Make(m, &next)
		p = next
	}
	if t.problem != "" {
		note(t.problemLine, t.problem)
	}
	return r
}
