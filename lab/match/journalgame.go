package match

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"tesla/board"
	"tesla/lab/match/stats"
	"tesla/lab/work"
)

// Game is a finished game as its line in the journal has it, without its moves. The line is the only record of a game:
// statistics, PGN and pages are made of it.
type Game struct {
	Number      int            `json:"game"` // from 0, in the order of the schedule
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
}

// Move is a move in a journal. Scores are from the mover's side.
type Move struct {
	UCI     string  `json:"m"`
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

// gameLine is a line of a journal.
type gameLine struct {
	Game
	Moves []Move `json:"moves"`
}

// line is a reply as the journal has it.
func (a *reply) line(uci string) Move {
	return Move{UCI: uci, Scored: a.scored, CP: a.info.Score.CP, Mate: a.info.Score.Mate, Depth: a.info.Depth, Nodes: a.info.Nodes,
		Evals: a.info.Evals, NPS: a.info.NPS, Fill: a.info.Fill, Took: int64(a.took), Thought: int64(a.info.Time)}
}

// play plays the moves of the line that a game lacks.
func (l *gameLine) play(g *board.Game) error {
	for i := len(g.Moves); i < len(l.Moves); i++ {
		m, err := g.Pos.ParseMove(l.Moves[i].UCI)
		if err != nil {
			return fmt.Errorf("game %d: move %d: %w", l.Number, i+1, err)
		}
		g.Play(m)
	}
	return nil
}

func (g *Game) self() *Game { return g }

// Ended is when the game ended.
func (g *Game) Ended() time.Time {
	t, _ := time.Parse(time.RFC3339, g.Date) // which the ledger has checked
	return t
}

// fact is the game as the statistics see it: its number within its pairing, and whether A has White.
func (g *Game) fact(number int, aWhite bool) stats.GameFact {
	f := stats.GameFact{Game: number, AWhite: aWhite, Plies: g.Plies, Failure: failureOf(g.Failure).counts, Tables: g.Tables, Ponder: g.Ponder}
	if !aWhite {
		f.Ponder = [2]stats.Pondering{g.Ponder[1], g.Ponder[0]}
	}
	switch g.Result {
	case drawn:
		f.Points = 1
	case wins[side(!aWhite)]:
		f.Points = 2
	}
	return f
}

// leftOut is a line that takes back the games of some workers before it: they do not count, and are played again.
type leftOut struct {
	Workers []string `json:"without"`
}

const leftOutMark = `{"without":`

// leaves returns the workers that a line leaves out; nil: it is a game.
func leaves(line []byte) []string {
	var l leftOut
	if !bytes.HasPrefix(line, []byte(leftOutMark)) || json.Unmarshal(line, &l) != nil {
		return nil
	}
	return l.Workers
}

// ledger is which games of a match are there. Whoever reads a journal asks it.
type ledger struct {
	schedule
	names []string
	there map[int]int // the index of each game, in the order in which they came, by number
}

// read reads a line of a journal into a Game, or a gameLine. It is an error if it is not one of the match.
func (l *ledger) read(line []byte, to interface{ self() *Game }) (at fixture, err error) {
	if err := json.Unmarshal(line, to); err != nil {
		return at, err
	}
	g := to.self()
	if g.Number < 0 || g.Number >= l.total() {
		return at, fmt.Errorf("game %d of a match of %d games", g.Number, l.total())
	}
	at = l.at(g.Number)
	white, black := l.names[at.sides[0]], l.names[at.sides[1]]
	_, dated := time.Parse(time.RFC3339, g.Date)
	switch {
	case g.White != white || g.Black != black || g.AWhite != (at.leg == 0):
		err = fmt.Errorf("players %s - %s, want %s - %s", g.White, g.Black, white, black)
	case verdicts[g.Result] == "":
		err = fmt.Errorf("result %q", g.Result)
	case g.Failure != "" && (failureOf(g.Failure).err == nil || g.Result == drawn):
		err = fmt.Errorf("failure %q in a game that ended %s", g.Failure, g.Result)
	case dated != nil:
		err = fmt.Errorf("date: %w", dated)
	}
	if err != nil {
		err = fmt.Errorf("game %d: %w", g.Number, err)
	}
	return at, err
}

// enter notes that a game is there.
func (l *ledger) enter(number int) error {
	if _, there := l.there[number]; there {
		return fmt.Errorf("game %d twice", number)
	}
	l.there[number] = len(l.there)
	return nil
}
