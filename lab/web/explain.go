package web

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"tesla/board"
	"tesla/engine"
	"tesla/lab/explain"
	"tesla/search"
)

// question is a move of a position that the page asks about.
type question struct {
	Game    game              `json:"game"` // that leads to the position
	Move    string            `json:"move"` // UCI
	Options map[string]string `json:"options"`
}

// explanation is the answer: the facts, and the same in words.
type explanation struct {
	*explain.Answer
	Text string `json:"text"`
}

// explainTime is how long an explanation may take.
const explainTime = 2 * time.Minute

// explain answers POST /api/explain: why a move is not played. It searches beside the sessions, one explanation at a time, each of two
// positions to the end of the efforts at which something is stated, or for a second where nothing is.
func (s *Server) explain(w http.ResponseWriter, r *http.Request) error {
	var q question
	if err := read(r, &q); err != nil {
		return err
	}
	select {
	case s.explains <- struct{}{}:
		defer func() { <-s.explains }()
	default:
		return &problem{http.StatusServiceUnavailable, errors.New("another move is being explained: ask again in a moment")}
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // it would end the request's context
	_ = control.SetWriteDeadline(time.Now().Add(explainTime + answerTime))
	found, err := q.answer(r, s.cfg.Settings)
	if err != nil {
		return err
	}
	return answer(w, found)
}

// answer searches with the server's settings and the options of the page.
func (q *question) answer(r *http.Request, set engine.Settings) (found explanation, err error) {
	defer recovered(&err)
	line, _, err := q.Game.line()
	if err != nil {
		return found, err
	}
	g := line.Game()
	if !g.Pos.HasLegalMove() {
		return found, badRequest("the game is over: %s", g.Outcome())
	}
	m, err := g.Pos.ParseMove(q.Move)
	if err != nil {
		return found, &problem{http.StatusBadRequest, err}
	}
	if err := choose(&set, q.Options); err != nil {
		return found, err
	}
	set.Threads, set.VerboseMoveStats = min(set.Threads, engine.MostJudged), true
	searcher, _, err := engine.Open(set)
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, searcher.Close()) }()
	return explained(r, searcher, g, m)
}

// explained has a searcher explain a move.
func explained(r *http.Request, searcher *engine.Searcher, g *board.Game, m board.Move) (found explanation, err error) {
	ctx, cancel := context.WithTimeout(r.Context(), explainTime)
	defer cancel()
	found.Answer, err = explain.Ask(ctx, searcher, searcher.Name(), g, m, search.Limits{Sure: 1, MultiPV: 1})
	if err != nil {
		return found, err
	}
	var text strings.Builder
	err = found.Answer.Text(&text)
	found.Text = text.String()
	return found, err
}
