package web

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"tesla/board"
	"tesla/lab/match/pgn"
)

// Limits of what the page may send.
const (
	mostPlies = 1200 // of a game
	mostGames = 500  // of a file
)

// game is a game as the page has it.
type game struct {
	Start string   `json:"start"` // FEN; empty: the initial position
	Moves []string `json:"moves"` // UCI
}

// play reads the game. notes say what was repaired in the FEN.
func (g *game) play() (played *board.Game, notes []string, err error) {
	start := board.StartPosition()
	if strings.TrimSpace(g.Start) != "" {
		if start, notes, err = board.ReadFEN(g.Start); err != nil {
			return nil, nil, &problem{http.StatusBadRequest, err}
		}
	}
	if len(g.Moves) > mostPlies {
		return nil, nil, badRequest("a game of %d plies: at most %d are taken", len(g.Moves), mostPlies)
	}
	played = board.NewGame(start)
	for i, text := range g.Moves {
		m, err := played.Pos.ParseMove(text)
		if err != nil {
			return nil, nil, badRequest("ply %d: %w", i+1, err)
		}
		played.Play(m)
	}
	return played, notes, nil
}

// ply is a move of a game and the position after it.
type ply struct {
	UCI    string `json:"uci"`
	SAN    string `json:"san"`
	FEN    string `json:"fen"`
	Check  string `json:"check,omitempty"` // square of a king in check
	Number int    `json:"number"`          // of the move
	Black  bool   `json:"black,omitempty"` // Black made it
}

// ruling is what the rules say of a game.
type ruling struct {
	Start   string   `json:"start"` // FEN
	Plies   []ply    `json:"plies"`
	FEN     string   `json:"fen"` // of the last position, as the rest
	Black   bool     `json:"black"`
	Legal   []string `json:"legal"`             // UCI
	SANs    []string `json:"sans"`              // of these
	Check   string   `json:"check,omitempty"`   // square of a king in check
	Outcome string   `json:"outcome,omitempty"` // in words, where the game is over
	Result  string   `json:"result,omitempty"`  // 1-0, 0-1 or 1/2-1/2, where it is over
	Notes   []string `json:"notes,omitempty"`
}

// notation is whether a game is one of Chess960: its castling then needs the squares of king and rook.
func notation(start *board.Position) (chess960 bool) { return start.NeedsChess960() }

// rule says what the rules say of a game.
func rule(g *board.Game, notes []string) ruling {
	chess960 := notation(&g.Start)
	r := ruling{Start: g.Start.FEN(chess960), Plies: make([]ply, 0, len(g.Moves)), FEN: g.Pos.FEN(chess960), Black: g.Pos.Black,
		Legal: []string{}, SANs: []string{}, Check: checked(&g.Pos), Notes: notes}
	p := g.Start
	for _, m := range g.Moves {
		one := ply{UCI: p.UCI(m, chess960), SAN: pgn.SAN(&p, m), Number: int(p.Fullmove), Black: p.Black}
		var next board.Position
		p.Make(m, &next)
		p = next
		one.FEN, one.Check = p.FEN(chess960), checked(&p)
		r.Plies = append(r.Plies, one)
	}
	for _, m := range g.Pos.LegalMoves(nil) {
		r.Legal = append(r.Legal, g.Pos.UCI(m, chess960))
		r.SANs = append(r.SANs, pgn.SAN(&g.Pos, m))
	}
	if o := g.Outcome(); o != board.Ongoing {
		r.Outcome, r.Result = o.String(), "1/2-1/2"
		if o == board.Checkmate {
			if r.Result = "1-0"; !g.Pos.Black {
				r.Result = "0-1"
			}
		}
	}
	return r
}

// checked is the square of the king in check, empty where there is none.
func checked(p *board.Position) string {
	if !p.InCheck() {
		return ""
	}
	return p.Absolute(p.King()).String()
}

// rules answers POST /api/rules: a game, and what the rules say of it.
func (s *Server) rules(w http.ResponseWriter, r *http.Request) {
	var g game
	if err := read(r, &g); err != nil {
		fail(w, err)
		return
	}
	played, notes, err := g.play()
	if err != nil {
		fail(w, err)
		return
	}
	answer(w, rule(played, notes))
}

// record is a game of a file.
type record struct {
	Title  string   `json:"title"`
	Start  string   `json:"start"`
	Moves  []string `json:"moves"`
	Result string   `json:"result"`
	Notes  []string `json:"notes,omitempty"`
}

// readPGN answers POST /api/pgn/read: the games of a PGN text.
func (s *Server) readPGN(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Text string `json:"text"`
	}
	if err := read(r, &asked); err != nil {
		fail(w, err)
		return
	}
	found, more := pgn.ReadRecords(asked.Text, mostGames)
	if len(found) == 0 {
		fail(w, badRequest("there is no game in this text"))
		return
	}
	games := make([]record, len(found))
	for i := range found {
		games[i] = recordOf(&found[i])
	}
	answer(w, struct {
		Games []record `json:"games"`
		More  bool     `json:"more"`
	}{games, more})
}

func recordOf(found *pgn.Record) record {
	chess960 := notation(&found.Start)
	g := record{Title: title(found.Tags), Start: found.Start.FEN(chess960), Moves: []string{}, Result: found.Result, Notes: found.Notes}
	p := found.Start
	for _, m := range found.Moves[:min(len(found.Moves), mostPlies)] {
		g.Moves = append(g.Moves, p.UCI(m, chess960))
		var next board.Position
		p.Make(m, &next)
		p = next
	}
	return g
}

// title names a game by its tags: players, event and date.
func title(tags map[string]string) string {
	tag := func(name string) string { return strings.Trim(tags[name], "? .") }
	words := []string{cmp.Or(tag("White"), "White") + " – " + cmp.Or(tag("Black"), "Black"), tag("Event"), tag("Round"), tag("Date")}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), ", ")
}

// writePGN answers POST /api/pgn/write: a game as PGN.
func (s *Server) writePGN(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		game
		White    string   `json:"white"`
		Black    string   `json:"black"`
		Result   string   `json:"result"`
		Ending   string   `json:"ending"`
		Clock    string   `json:"clock"`    // TimeControl
		Comments []string `json:"comments"` // of the moves
	}
	if err := read(r, &asked); err != nil {
		fail(w, err)
		return
	}
	played, _, err := asked.play()
	if err != nil {
		fail(w, err)
		return
	}
	if !slices.Contains([]string{"1-0", "0-1", "1/2-1/2", "*"}, asked.Result) {
		fail(w, badRequest("result %q: want 1-0, 0-1, 1/2-1/2 or *", clean(asked.Result)))
		return
	}
	tags := []pgn.Tag{{Name: "Event", Value: "game against Tesla"}, {Name: "Site", Value: "tesla web"}, {Name: "Date", Value: time.Now().Format("2006.01.02")},
		{Name: "Round", Value: "-"}, {Name: "White", Value: cmp.Or(asked.White, "?")}, {Name: "Black", Value: cmp.Or(asked.Black, "?")},
		{Name: "Result", Value: asked.Result}}
	if asked.Clock != "" {
		tags = append(tags, pgn.Tag{Name: "TimeControl", Value: asked.Clock})
	}
	if start := board.StartPosition(); played.Start != start {
		tags = append(tags, pgn.Tag{Name: "SetUp", Value: "1"}, pgn.Tag{Name: "FEN", Value: played.Start.FEN(notation(&played.Start))})
	}
	comments := slices.Clone(asked.Comments[:min(len(asked.Comments), len(played.Moves))])
	comments = append(comments, make([]string, len(played.Moves)-len(comments))...)
	text := pgn.Game{Tags: tags, Line: pgn.Line{Start: played.Start, Moves: played.Moves}, Comments: comments, Ending: asked.Ending, Result: asked.Result}
	answer(w, struct {
		PGN string `json:"pgn"`
	}{fmt.Sprint(text.Text())})
}
