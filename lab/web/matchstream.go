package web

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"tesla/board"
	"tesla/internal/beat"
	"tesla/lab/match"
	"tesla/lab/match/pgn"
	"tesla/lab/match/stats"
)

// How a match is followed.
const (
	followEvery = 400 * time.Millisecond // the journal is looked at
	mostRows    = 1000                   // games in one event
	paceGames   = 50                     // the last ones, of which the pace is taken
)

// row is a finished game, with the state of its pairing after it.
type row struct {
	Number   int     `json:"number"`
	Pairing  int     `json:"pairing"`
	White    int     `json:"white"` // indices of the players
	Black    int     `json:"black"`
	Result   string  `json:"result"`
	Reason   string  `json:"reason"`
	Failure  string  `json:"failure,omitempty"`
	Plies    int     `json:"plies"`
	Points   int     `json:"points"` // half points of the pairing's first player
	Elo      float64 `json:"elo"`
	EloError float64 `json:"elo_error"`
	LLR      float64 `json:"llr"`
}

// state is how a match stands.
type state struct {
	Players  []stats.Entrant `json:"players"`
	Head     string          `json:"head"` // who plays, and how
	Ratings  []stats.Rating  `json:"ratings"`
	Pairings []stats.Pairing `json:"pairings"`
	Played   int             `json:"played"`
	Total    int             `json:"total"`
	Test     string          `json:"test"`  // in the words of --sprt; empty: none
	Own      bool            `json:"own"`   // the test is that of the journal
	Pace     float64         `json:"pace"`  // games a second, of late; 0: not known
	Quiet    float64         `json:"quiet"` // seconds since the last game ended; below 0: not known
	Reading  bool            `json:"reading"`
	Error    string          `json:"error,omitempty"`
}

// watch follows a match for a tab.
type watch struct {
	server *Server
	name   string
	asked  string // the test that the tab wants, in the words of --sprt; empty: that of the journal
	standing
	played int    // games that the tab knows of
	shown  string // what the last state said beside the games
	live   string // the games in progress that the tab knows of
}

// matchEvents answers GET /api/matches/{name}/events: rows of finished games, and the state of the match after them. The
// parameter sprt sets a test.
func (s *Server) matchEvents(w http.ResponseWriter, r *http.Request) error {
	x := &watch{server: s, name: r.PathValue("name"), asked: r.URL.Query().Get("sprt"), played: -1}
	if file, err := s.openMatch(x.name); err != nil {
		return err
	} else if err := file.Close(); err != nil {
		return err
	}
	wake := make(chan struct{}, 1)
	defer beat.Every(followEvery, func() { rouse(wake) })()
	return s.stream(w, r, wake, func() ([]event, bool) {
		events, more := x.next()
		if more {
			rouse(wake)
		}
		return events, true
	})
}

// next reads on in the journal and returns what the tab does not know; more tells that there is more already.
func (x *watch) next() (events []event, more bool) {
	f := x.server.matches.follow(x.name)
	f.mu.Lock()
	defer f.mu.Unlock()
	file, err := x.server.openMatch(x.name)
	if err != nil {
		f.err = err.Error()
	} else {
		more = f.read(file, readBytes)
		_ = file.Close() // nothing was written
	}
	test, trouble := f.journal.Header.Test, f.err
	if x.asked != "" {
		if test, err = stats.ParseSPRT(x.asked); err != nil {
			trouble = err.Error()
		}
	}
	if x.anew != f.journal.Anew {
		events = append(events, event{"anew", func() any { return struct{}{} }})
		x.played = -1
	}
	rows := x.rows(&f.journal, test, mostRows)
	if len(rows) > 0 {
		events = append(events, event{"games", func() any { return rows }})
	}
	if e := x.inProgress(&f.journal); e != nil {
		events = append(events, *e)
	}
	if x.seen == x.played && x.shown == trouble && !more {
		return events, false
	}
	x.played, x.shown = x.seen, trouble
	more = more || x.seen < len(f.journal.Games)
	st := x.state(&f.journal, test)
	st.Reading, st.Error = more, trouble
	return append(events, event{"state", func() any { return st }}), more
}

// state is how the match stands after the games that are counted.
func (x *watch) state(f *match.Follower, test *stats.SPRT) state {
	head, table := &f.Header.Head, x.table(f)
	s := state{Players: slices.Clone(head.Players), Total: head.Total, Played: x.seen, Ratings: table.Players, Pairings: table.Pairings}
	if len(head.Players) > 0 {
		s.Head = strings.TrimSpace(head.String())
	}
	s.Own = f.Header.Test != nil && x.asked == ""
	if test != nil && len(x.tallies) == 1 {
		s.Test = test.String()
	}
	s.Pace, s.Quiet = pace(f, time.Now())
	return s
}

// liveGame is a game that is being played, as the page shows it.
type liveGame struct {
	Number  int    `json:"number"`
	Pairing int    `json:"pairing"`
	White   int    `json:"white"` // indices of the players
	Black   int    `json:"black"`
	FEN     string `json:"fen"`
	Last    string `json:"last,omitempty"` // UCI
	Check   string `json:"check,omitempty"`
	Plies   int    `json:"plies"`
}

// inProgress is an event with the games that are being played, where they are others than before.
func (x *watch) inProgress(f *match.Follower) *event {
	root, _, err := x.server.folder()
	if err != nil {
		return nil
	}
	defer root.Close()
	list := []liveGame{}
	for _, g := range match.ReadProgress(root, x.name) {
		line, _, err := (&game{g.Start, g.Moves}).line()
		pairing := slices.IndexFunc(f.Header.Pairings, func(p [2]int) bool { return p == g.Sides || p == [2]int{g.Sides[1], g.Sides[0]} })
		if err != nil || pairing < 0 || f.Has(g.Number) != nil {
			continue
		}
		p := line.Game().Pos
		shown := liveGame{Number: g.Number, Pairing: pairing, White: g.Sides[0], Black: g.Sides[1], FEN: p.FEN(notation(&line.Start)), Check: checked(&p), Plies: len(g.Moves)}
		if n := len(g.Moves); n > 0 {
			shown.Last = g.Moves[n-1]
		}
		list = append(list, shown)
	}
	text, err := json.Marshal(list)
	if err != nil || string(text) == x.live || len(list) == 0 && x.live == "" {
		return nil
	}
	x.live = string(text)
	return &event{"live", func() any { return list }}
}

// rows counts the games that the tab does not know of, at most the given number.
func (x *watch) rows(f *match.Follower, test *stats.SPRT, most int) (rows []row) {
	x.count(f, test, most, func(g *match.Finished, t *stats.Tally) {
		r := t.Result()
		rows = append(rows, row{Number: g.Number, Pairing: g.Pairing, White: g.Sides[0], Black: g.Sides[1], Result: g.Result, Reason: g.Reason,
			Failure: string(g.Fact.Failure), Plies: g.Plies, Points: g.Fact.Points, Elo: r.Elo, EloError: r.EloError, LLR: r.LLR})
	})
	return rows
}

// pace is how many games a second ended of late, and the seconds since the last one did. The times in a journal are
// whole seconds.
func pace(f *match.Follower, now time.Time) (rate, quiet float64) {
	n := len(f.Games)
	if n == 0 {
		return 0, -1
	}
	last := f.Games[n-1].Ended()
	from, games := f.Header.Started, n
	if n > paceGames {
		from, games = f.Games[n-1-paceGames].Ended(), paceGames
	}
	if spent := last.Sub(from).Seconds(); spent > 0 && !from.IsZero() {
		rate = float64(games) / spent
	}
	return rate, max(0, now.Sub(last).Seconds())
}

// said is a move of a replayed game, with what its player said of it.
type said struct {
	ply
	Book  bool   `json:"book,omitempty"` // nobody chose it
	Score *score `json:"score,omitempty"`
	Depth int    `json:"depth,omitempty"`
	Nodes int64  `json:"nodes,omitempty"`
	Evals int64  `json:"evals,omitempty"`
	MS    int64  `json:"ms"` // as the runner measured it
}

// replayed is a game for the page.
type replayed struct {
	Number int    `json:"number"`
	White  string `json:"white"`
	Black  string `json:"black"`
	Result string `json:"result"`
	Reason string `json:"reason"`
	Start  string `json:"start"` // FEN
	Check  string `json:"check,omitempty"`
	Plies  []said `json:"plies"`
}

func shownGame(g *match.Finished, played *board.Game, moves []match.Move) replayed {
	ruled := rule(&pgn.Line{Start: played.Start, Moves: played.Moves}, nil)
	all := replayed{Number: g.Number, White: g.White, Black: g.Black, Result: g.Result, Reason: g.Reason, Start: ruled.Start,
		Check: checked(&played.Start), Plies: make([]said, len(ruled.Plies))}
	for i, p := range ruled.Plies {
		m := &moves[i]
		all.Plies[i] = said{ply: p, Book: m.Book, Depth: m.Depth, Nodes: m.Nodes, Evals: m.Evals, MS: time.Duration(m.Took).Milliseconds()}
		if m.Scored {
			all.Plies[i].Score = &score{m.CP, m.Mate}
		}
	}
	return all
}
