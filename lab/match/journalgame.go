package match

import (
	"errors"
	"fmt"
	"time"

	"tesla/board"
	"tesla/lab/match/stats"
	"tesla/lab/work"
	"tesla/search"
)

// gameLine is a finished game in a journal. The game's PGN can be made from it and the header.
type gameLine struct {
	Game        int            `json:"game"` // from 0, in the order of the schedule
	White       string         `json:"white"`
	Black       string         `json:"black"`
	Result      string         `json:"result"`  // 1-0, 0-1, 1/2-1/2
	AWhite      bool           `json:"a_white"` // the first player of the pairing has White
	Failure     string         `json:"failure"` // of the loser: crash, time, illegal or hang; empty: none
	Reason      string         `json:"reason"`  // in words
	Termination string         `json:"termination"`
	Tables      bool           `json:"tables,omitempty"` // endgame tables ended it
	Plies       int            `json:"plies"`            // those of the opening included
	Opening     int            `json:"opening"`          // index in the openings, from 0
	Date        string         `json:"date"`             // when it ended, RFC 3339
	Commit      string         `json:"commit,omitempty"` // of the program that played it; empty: that of the header
	Start       string         `json:"start"`            // FEN
	Plays       []string       `json:"plays,omitempty"`  // backend and net of White and Black, where a player tells them
	Incidents   []incidentLine `json:"incidents,omitempty"`

	Ponder [2]stats.Pondering `json:"ponder_hits,omitzero"` // of White and Black
	work.Origin
	Moves []moveLine `json:"moves"`
}

// moveLine is a move in a journal. Scores are from the mover's side.
type moveLine struct {
	Move    string  `json:"m"`                 // UCI
	Book    bool    `json:"book,omitempty"`    // a move of the opening: no other field is set
	Scored  bool    `json:"scored,omitempty"`  // cp and mate are set
	CP      int     `json:"cp,omitempty"`      // centipawns
	Mate    int     `json:"mate,omitempty"`    // moves to mate, negative when mated; 0: cp counts
	Depth   int     `json:"depth,omitempty"`   // plies
	Nodes   int64   `json:"nodes,omitempty"`   //
	Evals   int64   `json:"evals,omitempty"`   //
	NPS     int64   `json:"nps,omitempty"`     // nodes a second, as the player reported
	Fill    float64 `json:"fill,omitempty"`    // mean share of a batch that was filled, 0..1
	Took    int64   `json:"time_ns,omitempty"` // ns, as the runner measured it
	Thought int64   `json:"said_ns,omitempty"` // ns, as the player reported
}

// failures are the names of the failures in a journal.
var failures = []struct {
	name string
	err  error
}{{"", nil}, {"crash", errCrash}, {"time", errTime}, {"illegal", errIllegal}, {"hang", errHang}}

// line is the game as a line of the journal.
func (r *record) line(chess960 bool) *gameLine {
	l := &gameLine{
		Game: r.number, White: r.names[0], Black: r.names[1], Result: r.score.text(), AWhite: r.aWhite, Reason: r.reason,
		Termination: r.termination, Tables: r.tables, Plies: len(r.game.Moves), Opening: r.opening, Date: r.date.Format(time.RFC3339),
		Commit: r.commit, Plays: r.plays, Origin: r.origin, Incidents: r.incidents, Ponder: r.ponder, Start: r.game.Start.FEN(chess960), Moves: make([]moveLine, len(r.game.Moves)),
	}
	for _, f := range failures {
		if errors.Is(r.failure, f.err) {
			l.Failure = f.name
		}
	}
	p := r.game.Start
	for i, m := range r.game.Moves {
		l.Moves[i] = moveLine{Move: p.UCI(m, chess960), Book: i < r.book}
		if i >= r.book {
			l.Moves[i].set(&r.moves[i-r.book])
		}
		var next board.Position
		p.Make(m, &next)
		p = next
	}
	return l
}

func (l *moveLine) set(a *reply) {
	l.Scored, l.CP, l.Mate, l.Depth = a.scored, a.info.Score.CP, a.info.Score.Mate, a.info.Depth
	l.Nodes, l.Evals, l.NPS, l.Fill = a.info.Nodes, a.info.Evals, a.info.NPS, a.info.Fill
	l.Took, l.Thought = int64(a.took), int64(a.info.Time)
}

func (l *moveLine) reply(m board.Move) reply {
	return reply{move: m, scored: l.Scored, took: time.Duration(l.Took), info: search.Info{
		Score: search.Score{CP: l.CP, Mate: l.Mate}, Depth: l.Depth, Nodes: l.Nodes, Evals: l.Evals, NPS: l.NPS, Fill: l.Fill,
		Time: time.Duration(l.Thought),
	}}
}

// restore fills a record from a line. The record is that of the game before its first move, and the line must have the
// same players and opening.
func (l *gameLine) restore(r *record, chess960 bool) error {
	if l.White != r.names[0] || l.Black != r.names[1] || l.AWhite != r.aWhite || l.Opening != r.opening {
		return fmt.Errorf("game %d is %s - %s with opening %d, not %s - %s with opening %d", l.Game, r.names[0], r.names[1],
			r.opening, l.White, l.Black, l.Opening)
	}
	if start := r.game.Start.FEN(chess960); start != l.Start || len(l.Moves) < r.book || len(l.Moves) != l.Plies {
		return fmt.Errorf("game %d starts from %s and has %d moves; the opening starts from %s and has %d, plies is %d",
			l.Game, l.Start, len(l.Moves), start, r.book, l.Plies)
	}
	for i := r.book; i < len(l.Moves); i++ {
		m, err := r.game.Pos.ParseMove(l.Moves[i].Move)
		if err != nil {
			return fmt.Errorf("game %d: move %d: %w", l.Game, i+1, err)
		}
		r.game.Play(m)
		r.moves = append(r.moves, l.Moves[i].reply(m))
	}
	return l.restoreEnd(r)
}

func (l *gameLine) restoreEnd(r *record) (err error) {
	found := false
	for _, s := range []score{blackWins, drawn, whiteWins} {
		if s.text() == l.Result {
			r.score, found = s, true
		}
	}
	if !found {
		return fmt.Errorf("game %d: result %q", l.Game, l.Result)
	}
	found = false
	for _, f := range failures {
		if f.name == l.Failure {
			r.failure, found = f.err, true
		}
	}
	if !found {
		return fmt.Errorf("game %d: failure %q", l.Game, l.Failure)
	}
	if r.failure != nil {
		if r.score == drawn {
			return errors.New("a failure in a drawn game")
		}
		r.failed = (1 + int(r.score)) / 2 // the loser: Black (1) when White won
	}
	r.tables = l.Tables
	r.origin, r.ponder = l.Origin, l.Ponder
	r.reason, r.termination, r.incidents, r.plays = l.Reason, l.Termination, l.Incidents, l.Plays
	if l.Commit != "" {
		r.commit = l.Commit
	}
	if r.date, err = time.Parse(time.RFC3339, l.Date); err != nil {
		return fmt.Errorf("game %d: date: %w", l.Game, err)
	}
	return nil
}
