package oracle

import (
	"fmt"
	"strings"

	"github.com/notnil/chess"

	"tesla/board"
	"tesla/lab/match/pgn"
)

// Known is what the library is known to read otherwise. A run asks both again: an answer that is not that of the row is a difference.
type Known struct {
	What   string `json:"what"`
	Asked  string `json:"asked"` // a FEN, or the text of a game
	Ours   string `json:"ours"`
	Theirs string `json:"theirs"`
	Met    int    `json:"met,omitempty"` // in the games of a run

	ask func(asked string) (ours, theirs string)
}

// passingRepeats is the row that games of a run meet.
const passingRepeats = 0

func known() []Known {
	const afterE4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
	return []Known{
		{What: "a position behind a pawn's double step is not the same one when it comes again, also where nothing can capture in passing",
			Asked: "1. e4 Nf6 2. Nf3 Ng8 3. Ng1 Nf6 4. Nf3 Ng8 5. Ng1 *", Ours: "repetition", Theirs: "ongoing", ask: ends},
		{What: "each double step leaves a square of en passant, also where nothing can capture there",
			Asked: "1. e4 *", Ours: afterE4, Theirs: strings.Replace(afterE4, " - ", " e3 ", 1), ask: positions},
		{What: "a game from a set-up position with Black to move is numbered as White's",
			Asked: afterE4, Ours: "1... e5 2. Nf3 *", Theirs: "1. e5 Nf3  *", ask: numbers},
		{What: "castling written with zeros vanishes without an error",
			Asked: "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. 0-0 *", Ours: "7 moves", Theirs: "6 moves", ask: counts},
		{What: "a comment before the first move ends the program",
			Asked: "{ a comment } 1. e4 *", Ours: "1 moves", Theirs: "panic: runtime error: index out of range [-1]", ask: counts},
		{What: "Chess960 is refused",
			Asked: "nrbbqknr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKNR w HBhb - 0 1", Ours: "19 moves", Theirs: "chess: fen invalid castle rights HBhb", ask: reads},
	}
}

func (k *Known) check() []Difference {
	if ours, theirs := k.ask(k.Asked); ours != k.Ours || theirs != k.Theirs {
		return []Difference{{"known, and no longer as it was: " + k.What, k.Asked, ours, theirs}}
	}
	return nil
}

// afterDoubleStep reports whether the position of a game was first there behind a pawn's double step.
func afterDoubleStep(g *board.Game) bool {
	first := len(g.Moves) - int(g.Pos.Halfmove)
	if first < 1 || g.Keys()[first] != g.Pos.Key {
		return false
	}
	m := g.Moves[first-1]
	return m.Moved() == board.Pawn && m.To()-m.From() == 16
}

// asks has both read a game, and says what each finds in it. Where the library panics or fails, that is what it finds.
func asks(here func(*board.Game) string, there func(*chess.Game) string) func(text string) (ours, theirs string) {
	return func(text string) (ours, theirs string) {
		ours = here(pgn.ReadAnnotated(text)[0].Game())
		defer func() {
			if p := recover(); p != nil {
				theirs = fmt.Sprintf("panic: %v", p)
			}
		}()
		read, err := chess.PGN(strings.NewReader(text))
		if err != nil {
			return ours, err.Error()
		}
		return ours, there(chess.NewGame(read))
	}
}

var (
	ends      = asks(func(g *board.Game) string { return g.Outcome().String() }, func(g *chess.Game) string { return endOf(g).String() })
	positions = asks(func(g *board.Game) string { return g.Pos.FEN(false) }, (*chess.Game).FEN)
	counts    = asks(func(g *board.Game) string { return moveCount(len(g.Moves)) }, func(g *chess.Game) string { return moveCount(len(g.Moves())) })
)

func moveCount(n int) string { return fmt.Sprintf("%d moves", n) }

// numbers has both write 1... e5 2. Nf3 behind a position.
func numbers(fen string) (ours, theirs string) {
	start, err := board.ParseFEN(fen)
	if err != nil {
		return err.Error(), ""
	}
	written := pgn.Game{Line: pgn.Line{Start: start}, Comments: make([]string, 2), Result: "*"}
	other, err := chess.FEN(fen)
	if err != nil {
		return "", err.Error()
	}
	game, p := chess.NewGame(other), start
	for _, san := range []string{"e5", "Nf3"} {
		m, err := pgn.ParseSAN(&p, san)
		if err != nil {
			return err.Error(), ""
		}
		if err := game.MoveStr(san); err != nil {
			return "", err.Error()
		}
		written.Moves, p = append(written.Moves, m), p.After(m)
	}
	return strings.TrimSpace(written.Text()), strings.TrimSpace(game.String())
}

func reads(fen string) (ours, theirs string) {
	p, err := board.ParseFEN(fen)
	if err != nil {
		return err.Error(), ""
	}
	ours = moveCount(p.CountLegal())
	if _, err := chess.FEN(fen); err != nil {
		return ours, err.Error()
	}
	return ours, "read"
}
