package web

import (
	"net/http"
	"strings"

	"tesla/board"
	"tesla/lab/match/pgn"
)

// Limits of what the page may send.
const (
	mostPlies = 1200 // of a game
	mostGames = 2000 // of a file
)

// game is a game as the page has it.
type game struct {
	Start string   `json:"start"` // FEN; empty: the initial position
	Moves []string `json:"moves"` // UCI
}

// passed is a null move as the page has it.
var passed = new(board.Position).UCI(board.NullMove, false)

// line reads the game, which may have null moves. notes say what was repaired in the FEN.
func (g *game) line() (line *pgn.Line, notes []string, err error) {
	start := board.StartPosition()
	if strings.TrimSpace(g.Start) != "" {
		if start, notes, err = board.ReadFEN(g.Start); err != nil {
			return nil, nil, &problem{http.StatusBadRequest, err}
		}
	}
	if len(g.Moves) > mostPlies {
		return nil, nil, badRequest("a game of %d plies: at most %d are taken", len(g.Moves), mostPlies)
	}
	line = &pgn.Line{Start: start}
	p := start
	for i, text := range g.Moves {
		m, err := readMove(&p, text)
		if err != nil {
			return nil, nil, badRequest("ply %d: %w", i+1, err)
		}
		line.Moves = append(line.Moves, m)
		p = p.After(m)
	}
	return line, notes, nil
}

// readMove reads a move in UCI, which may be a null move.
func readMove(p *board.Position, text string) (board.Move, error) {
	if text == passed && !p.InCheck() {
		return board.NullMove, nil
	}
	return p.ParseMove(text)
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

func plyOf(p *board.Position, m board.Move, chess960 bool) ply {
	after := p.After(m)
	return ply{UCI: p.UCI(m, chess960), SAN: pgn.SAN(p, m), FEN: after.FEN(chess960), Check: checked(&after), Number: int(p.Fullmove), Black: p.Black}
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
func rule(line *pgn.Line, notes []string) ruling {
	chess960, g := notation(&line.Start), line.Game()
	r := ruling{Start: line.Start.FEN(chess960), Plies: make([]ply, 0, len(line.Moves)), FEN: g.Pos.FEN(chess960), Black: g.Pos.Black,
		Legal: []string{}, SANs: []string{}, Check: checked(&g.Pos), Notes: notes}
	p := line.Start
	for _, m := range line.Moves {
		r.Plies = append(r.Plies, plyOf(&p, m, chess960))
		p = p.After(m)
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
func (s *Server) rules(w http.ResponseWriter, r *http.Request) error {
	var g game
	if err := read(r, &g); err != nil {
		return err
	}
	line, notes, err := g.line()
	if err != nil {
		return err
	}
	return answer(w, rule(line, notes))
}
