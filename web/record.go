package web

import (
	"cmp"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"tesla/board"
	"tesla/lab/match/pgn"
)

// record is a game of a file.
type record struct {
	Title   string   `json:"title"`
	Start   string   `json:"start"`
	Moves   []string `json:"moves"`
	Result  string   `json:"result"`
	Remarks []remark `json:"remarks,omitempty"`
	Notes   []string `json:"notes,omitempty"`
}

// remark is what a file says behind some plies of a game: a comment with the marks of the move, or a variation, which replaces the
// last of these plies.
type remark struct {
	Plies int      `json:"plies"`
	Text  string   `json:"text"`
	Moves []string `json:"moves,omitempty"` // of a variation, UCI
}

// pgnType is the media type of a file of games, which is sent as it is: its encoding is found out here.
const pgnType = "application/x-chess-pgn"

// readPGN answers POST /api/pgn/read: the games of a PGN text, or of a file.
func (s *Server) readPGN(w http.ResponseWriter, r *http.Request) {
	text, err := sentPGN(r)
	if err != nil {
		fail(w, err)
		return
	}
	found, more := pgn.ReadSome(text, mostGames)
	if len(found) == 0 {
		fail(w, badRequest("there is no game in this text"))
		return
	}
	games := make([]record, len(found))
	for i := range found {
		games[i] = recordOf(found[i])
	}
	answer(w, struct {
		Games []record `json:"games"`
		More  bool     `json:"more"`
	}{games, more})
}

// sentPGN is the text that was sent, in JSON or as a file.
func sentPGN(r *http.Request) (string, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err == nil && kind == pgnType {
		data, err := io.ReadAll(r.Body)
		if err != nil {
			return "", &problem{http.StatusBadRequest, fmt.Errorf("the file cannot be read: %w", err)}
		}
		return string(data), nil
	}
	var asked struct {
		Text string `json:"text"`
	}
	err := read(r, &asked)
	return asked.Text, err
}

func recordOf(a *pgn.Annotated) record {
	chess960 := notation(&a.Start)
	g := record{Title: title(a), Start: a.Start.FEN(chess960), Result: a.Result, Moves: uciOf(a.Start, a.Moves[:min(len(a.Moves), mostPlies)], chess960)}
	note := func(text string) { g.Notes = append(g.Notes, fmt.Sprintf("game %d, %s", a.Number, text)) }
	for _, n := range a.Notes {
		note(n)
	}
	if a.Err != nil {
		note(a.Err.Error())
	}
	if left := len(a.Moves) - mostPlies; left > 0 {
		note(fmt.Sprintf("the last %d of %d plies are left out: at most %d are taken", left, len(a.Moves), mostPlies))
	}
	g.Remarks = remarksOf(a, chess960)
	return g
}

// uciOf are moves in UCI form.
func uciOf(p board.Position, moves []board.Move, chess960 bool) []string {
	words := []string{}
	for _, m := range moves {
		words = append(words, p.UCI(m, chess960))
		p = pgn.After(&p, m)
	}
	return words
}

// remarksOf are the comments, marks and variations of a game. What stands inside a variation is in its text.
func remarksOf(a *pgn.Annotated, chess960 bool) (all []remark) {
	plies, marks := 0, ""
	say := func(text string, moves []string) {
		if text = strings.TrimSpace(text); text != "" && plies <= mostPlies {
			all = append(all, remark{plies, text, moves})
		}
	}
	for i := 0; i < len(a.Elements); i++ {
		switch e := &a.Elements[i]; e.Kind {
		case pgn.Played:
			say(marks, nil)
			plies, marks = plies+1, ""
		case pgn.Glyph:
			marks += pgn.Sign(e.Glyph) + " "
		case pgn.Comment:
			say(marks+e.Text, nil)
			marks = ""
		case pgn.Open:
			say(marks, nil)
			marks = ""
			end := i + pgn.Extent(a.Elements[i:])
			inner := a.Elements[i+1 : end]
			moves, start := pgn.MainLine(inner)
			say(pgn.MoveText(inner), uciOf(start, moves, chess960))
			i = end
		}
	}
	say(marks, nil)
	return all
}

// title names a game by its tags: players, event and date.
func title(a *pgn.Annotated) string {
	tag := func(name string) string { return strings.Trim(a.Tag(name), "? .") }
	words := []string{cmp.Or(tag("White"), "White") + " – " + cmp.Or(tag("Black"), "Black"), tag("Event"), tag("Round"), tag("Date")}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), ", ")
}
