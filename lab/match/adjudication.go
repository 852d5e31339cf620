package match

import (
	"fmt"
	"strconv"

	"tesla/board"
	"tesla/lab/match/player"
	"tesla/search"
)

// Adjudication ends games that the rules do not end yet.
type Adjudication struct {
	Resign   Resign
	Draw     Draw
	MaxMoves int    // full moves until the game counts as drawn; 0: no limit
	TB       string // folders of Syzygy tables that end a game whose value they know, separated as in PATH; empty: none

	tables *tables // of TB, from Validate to the end of the match; nil: none
}

func (a *Adjudication) validate(bad *complaints) {
	bad.when(a.Resign.Moves < 0 || a.Resign.Score < 0, "--resign", "negative numbers")
	bad.when(a.Draw.Moves < 0 || a.Draw.Score < 0 || a.Draw.From < 0, "--draw", "negative numbers")
	bad.when(a.MaxMoves < 0, "--maxmoves", "%d is negative", a.MaxMoves)
	err := a.openTables()
	bad.when(err != nil, "--syzygy", "%w", err)
}

// Resign ends a game when both players have scored each of their last Moves moves as won for the same side, by at least
// Score centipawns. Moves 0 turns it off.
type Resign struct{ Moves, Score int }

// Draw ends a game when both players have scored each of their last Moves moves within Score centipawns of 0. It holds
// from full move From on. Moves 0 turns it off.
type Draw struct{ From, Moves, Score int }

// ParseResign reads "moves=4,score=800".
func ParseResign(s string) (Resign, error) {
	var r Resign
	err := parseNumbers(s, map[string]*int{"moves": &r.Moves, "score": &r.Score})
	if err != nil || r.Moves < 1 || r.Score < 1 {
		return Resign{}, fmt.Errorf("resign %q: want moves and centipawns, as in moves=4,score=800", s)
	}
	return r, nil
}

// ParseDraw reads "from=40,moves=8,score=10".
func ParseDraw(s string) (Draw, error) {
	var d Draw
	err := parseNumbers(s, map[string]*int{"from": &d.From, "moves": &d.Moves, "score": &d.Score})
	if err != nil || d.Moves < 1 || d.Score < 0 || d.From < 0 {
		return Draw{}, fmt.Errorf("draw %q: want moves and centipawns, as in from=40,moves=8,score=10", s)
	}
	return d, nil
}

func parseNumbers(s string, to map[string]*int) error {
	pairs, err := player.Pairs(s)
	if err != nil {
		return err
	}
	for _, p := range pairs {
		n, err := strconv.Atoi(p.Value)
		if to[p.Name] == nil || err != nil {
			return fmt.Errorf("%s=%s", p.Name, p.Value)
		}
		*to[p.Name] = n
	}
	return nil
}

// over reports whether the game has ended, by the rules or by adjudication, and sets its result.
func (a *Adjudication) over(r *record) bool {
	r.Termination = "normal"
	switch outcome := r.game.Outcome(); outcome {
	case board.Ongoing:
	case board.Checkmate:
		winner := 1 - sideToMove(&r.game.Pos)
		return r.end(wins[winner], [...]string{"White mates", "Black mates"}[winner])
	default:
		return r.end(drawn, "Draw by "+drawName(outcome))
	}
	r.Termination = "adjudication"
	if result, ok := a.tables.result(&r.game.Pos); ok {
		r.Tables = true
		return r.end(result, verdicts[result]+" by endgame tables")
	}
	if result, ok := a.Resign.result(r); ok {
		return r.end(result, verdicts[result]+" by adjudication")
	}
	if a.Draw.agreed(r) {
		return r.end(drawn, "Draw by adjudication")
	}
	if a.MaxMoves > 0 && len(r.Moves)-r.book >= 2*a.MaxMoves {
		return r.end(drawn, fmt.Sprintf("Draw by the limit of %d moves", a.MaxMoves))
	}
	return false
}

func (r *record) end(result, reason string) bool {
	r.Result, r.Reason = result, reason
	return true
}

func drawName(o board.Outcome) string {
	return map[board.Outcome]string{
		board.Stalemate: "stalemate", board.Repetition: "threefold repetition", board.FiftyMoves: "the fifty-move rule",
		board.Material: "insufficient material",
	}[o]
}

// whiteScore is the score of move i for White, in centipawns. A mate is beyond all other scores.
func (r *record) whiteScore(i int) (int, bool) {
	m := &r.Moves[i]
	v := m.CP
	if m.Mate > 0 {
		v = search.MateScore
	} else if m.Mate < 0 {
		v = -search.MateScore
	}
	// The side to move now played the second last move.
	if (len(r.Moves)-i)%2 == 0 == r.game.Pos.Black {
		v = -v
	}
	return v, m.Scored
}

// lastScores reports whether each of the last 2*moves moves has a score, and one that passes the test.
func (r *record) lastScores(moves int, test func(white int) bool) bool {
	n := len(r.Moves) - 2*moves
	if moves < 1 || n < r.book {
		return false
	}
	for i := len(r.Moves) - 1; i >= n; i-- {
		if v, ok := r.whiteScore(i); !ok || !test(v) {
			return false
		}
	}
	return true
}

// result is the result of a game that both players have scored as decided.
func (a *Resign) result(r *record) (string, bool) {
	if r.lastScores(a.Moves, func(v int) bool { return v >= a.Score }) {
		return whiteWins, true
	}
	return blackWins, r.lastScores(a.Moves, func(v int) bool { return v <= -a.Score })
}

// agreed reports whether both players have scored the game as drawn.
func (a *Draw) agreed(r *record) bool {
	return int(r.game.Pos.Fullmove) >= a.From &&
		r.lastScores(a.Moves, func(v int) bool { return -a.Score <= v && v <= a.Score })
}
