package match

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"tesla/search"
)

// Factory makes the searcher of a player in process. Closing the searcher frees all that was made with it. It is called
// once for each game that runs at a time, and again after a crash or a hang.
type Factory func(Player) (search.Searcher, error)

// Config says what is played. Start from Default. Exactly one of Clock, Nodes, Evals and MoveTime is set; a player's
// own condition replaces it.
type Config struct {
	A, B   Player
	More   []Player // beyond A and B
	Format string   // with more than two players: RoundRobin (also when empty) or Gauntlet
	Games  int      // of each pairing: of all where there are two players

	Clock     Clock
	Nodes     int64
	Evals     int64 // players in process only
	MoveTime  time.Duration
	Margin    time.Duration // what a clock may be overdrawn by before the game is lost
	Hang      time.Duration // longest move without a clock
	Grace     time.Duration // what a player is given to answer after it was told to stop
	StartTime time.Duration // what a player is given to start and to begin a new game; 0: a minute
	Overhead  time.Duration // what searchers in process keep in hand for each move
	MaxMoves  int           // full moves until the game counts as drawn; 0: no limit

	Openings    string // Balanced or Unbalanced, an EPD file, or PGN when the name ends in .pgn
	Order       string // of the openings: "random" or "file"
	Seed        uint64 // of the random order
	Plies       int    // plies of a PGN opening that are played; 0: all
	Chess960    bool   // Chess960 in the protocol and in FENs; implied by an opening that needs it
	Concurrency int    // games at a time; fewer where cores or accelerators are too few, see Oversubscribe

	Cores         int               // cores of the machine to play on; 0: all that this process may use
	Devices       int               // accelerators, each for one game at a time; 0: one
	OnDevice      func(Player) bool // tells whether a player in process needs one; nil: by the name of its backend
	Oversubscribe bool              // play Concurrency games at a time whatever there is
	Pin           bool              // external engines run on the cores of their game alone (Linux)

	Resign Resign
	Draw   Draw

	Journal   string // file with a line for each finished game, see the package comment; empty: none
	Resume    bool   // play the games that Journal lacks; where there is no such file all are played
	PGN       string // file that games are appended to; empty: none
	PGNStable bool   // leave out of the PGN what differs from run to run, and write games in their order
	SPRT      *SPRT  // ends a match of two players when it decides; nil: none
	Report    string // folder that plots and a page with all numbers are written to; empty: none
	Judge     Judge  // set for SPRT where it is nil; may end a match of two players early; nil: all games are played

	Out     io.Writer  // a line for each game, as it ends; nil: none
	Live    io.Writer  // a terminal, for one line that is drawn again and again; nil: none
	Columns func() int // of that terminal; nil: 80
	Log     io.Writer  // what is said between the runner and external engines, and their stderr; nil: none
	Warn    io.Writer  // what goes wrong without losing a game, a line each; nil: none

	Commit   string                       // of this program, for PGN and journal; empty: not known
	Net      func(Player) (string, error) // hash of the net of a player in process, likewise; nil: not known
	Searcher Factory
}

// Judge ends a match early, as a sequential test does. It is called from one goroutine at a time.
type Judge interface {
	// Stop is told A's half points (0, 1, 2) in the games from the first on, in game order and without gaps, once for
	// each game more. So what it says depends on the games alone, not on which of them end first; when it says true the
	// games that it was told are those that count.
	Stop(points []int) bool
	// String says in a few words how the test stands, such as "LLR 1.20 (-2.94, 2.94)".
	String() string
}

// players are A, B and those beyond.
func (c *Config) players() []*Player {
	all := []*Player{&c.A, &c.B}
	for i := range c.More {
		all = append(all, &c.More[i])
	}
	return all
}

// Default is a configuration without players, games and condition.
func Default() Config {
	return Config{
		Margin: 20 * time.Millisecond, Hang: time.Minute, Grace: 2 * time.Second, Overhead: 10 * time.Millisecond,
		MaxMoves: 300, Openings: Balanced, Order: "random", Seed: 1, Concurrency: 1,
	}
}

// Clock is a time control. The zero value is none.
type Clock struct {
	Moves           int // moves that Base is for; 0: the whole game
	Base, Increment time.Duration
}

// ParseClock reads "10+0.1", "60", or "40/60+0.6" for 40 moves in each 60 s; seconds.
func ParseClock(s string) (Clock, error) {
	var c Clock
	rest := s
	if moves, after, ok := strings.Cut(rest, "/"); ok {
		n, err := strconv.Atoi(moves)
		if err != nil || n < 1 {
			return c, fmt.Errorf("time control %q: %q is not a number of moves", s, moves)
		}
		c.Moves, rest = n, after
	}
	base, increment, _ := strings.Cut(rest, "+")
	for _, part := range []struct {
		text string
		to   *time.Duration
	}{{base, &c.Base}, {increment, &c.Increment}} {
		if part.text == "" && part.to == &c.Increment && !strings.HasSuffix(s, "+") {
			continue
		}
		v, err := strconv.ParseFloat(part.text, 64)
		if err != nil || !(v >= 0 && v < 1e6) {
			return Clock{}, fmt.Errorf("time control %q: %q is not a number of seconds", s, part.text)
		}
		*part.to = time.Duration(v * float64(time.Second))
	}
	if c.Base+c.Increment == 0 {
		return Clock{}, fmt.Errorf("time control %q: no time at all", s)
	}
	return c, nil
}

// String is what ParseClock reads.
func (c Clock) String() string {
	s := strconv.FormatFloat(c.Base.Seconds(), 'g', -1, 64)
	if c.Moves > 0 {
		s = fmt.Sprintf("%d/%s", c.Moves, s)
	}
	if c.Increment > 0 {
		s += "+" + strconv.FormatFloat(c.Increment.Seconds(), 'g', -1, 64)
	}
	return s
}

// Resign ends a game that both players have scored as won for the same side by at least Score centipawns in their last
// Moves moves each. Moves 0 is never.
type Resign struct{ Moves, Score int }

// Draw ends a game that both players have scored within Score centipawns of 0 in their last Moves moves each, from full
// move From on. Moves 0 is never.
type Draw struct{ From, Moves, Score int }

// ParseResign reads "moves=4,score=800".
func ParseResign(s string) (Resign, error) {
	var r Resign
	err := parseNumbers(s, map[string]*int{"moves": &r.Moves, "score": &r.Score})
	if err != nil || r.Moves < 1 || r.Score < 1 {
		return Resign{}, fmt.Errorf("resign %q: want moves=4,score=800 in moves and centipawns", s)
	}
	return r, nil
}

// ParseDraw reads "from=40,moves=8,score=10".
func ParseDraw(s string) (Draw, error) {
	var d Draw
	err := parseNumbers(s, map[string]*int{"from": &d.From, "moves": &d.Moves, "score": &d.Score})
	if err != nil || d.Moves < 1 || d.Score < 0 || d.From < 0 {
		return Draw{}, fmt.Errorf("draw %q: want from=40,moves=8,score=10 in moves and centipawns", s)
	}
	return d, nil
}

func parseNumbers(s string, to map[string]*int) error {
	pairs, err := parsePairs(s)
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

// condition is what limits the moves of one player.
type condition struct {
	Clock        Clock
	Nodes, Evals int64
	MoveTime     time.Duration
}

func (c condition) count() int {
	n := 0
	for _, set := range []bool{c.Clock != Clock{}, c.Nodes != 0, c.Evals != 0, c.MoveTime != 0} {
		if set {
			n++
		}
	}
	return n
}

// String is the value of a PGN TimeControl tag.
func (c condition) String() string {
	switch {
	case c.Clock != Clock{}:
		return c.Clock.String()
	case c.MoveTime != 0:
		return fmt.Sprintf("%g per move", c.MoveTime.Seconds())
	case c.Nodes != 0:
		return fmt.Sprintf("%d nodes per move", c.Nodes)
	}
	return fmt.Sprintf("%d evals per move", c.Evals)
}

// condition is the player's own, else the match's.
func (c *Config) condition(p *Player) condition {
	own := condition{Clock: p.Clock, Nodes: p.Nodes, Evals: p.Evals}
	if own.count() > 0 {
		return own
	}
	return condition{Clock: c.Clock, Nodes: c.Nodes, Evals: c.Evals, MoveTime: c.MoveTime}
}

// Validate reports all that is wrong with the configuration, joined.
func (c *Config) Validate() error {
	var errs []error
	bad := func(when bool, format string, args ...any) {
		if when {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	bad(c.Games < 1, "games: %d, want at least 1", c.Games)
	bad(c.Concurrency < 1, "concurrency: %d, want at least 1", c.Concurrency)
	bad(c.Cores < 0, "cores: %d is negative", c.Cores)
	bad(c.Devices < 0, "devices: %d is negative", c.Devices)
	bad(c.StartTime < 0, "starttime: %v is negative", c.StartTime)
	bad(c.Order != "random" && c.Order != "file", "order: %q, want random or file", c.Order)
	bad(c.Plies < 0, "plies: %d is negative", c.Plies)
	bad(c.MaxMoves < 0, "maxmoves: %d is negative", c.MaxMoves)
	bad(c.Margin < 0, "timemargin: %v is negative", c.Margin)
	bad(c.Overhead < 0, "overhead: %v is negative", c.Overhead)
	bad(c.Grace <= 0, "grace: %v, want more than nothing", c.Grace)
	bad(c.Hang <= 0, "hang: %v, want more than nothing", c.Hang)
	bad(c.Nodes < 0, "nodes: %d is negative", c.Nodes)
	bad(c.Evals < 0, "evals: %d is negative", c.Evals)
	bad(c.MoveTime < 0, "movetime: %v is negative", c.MoveTime)
	bad(c.Resign.Moves < 0 || c.Resign.Score < 0, "resign: negative numbers")
	bad(c.Draw.Moves < 0 || c.Draw.Score < 0 || c.Draw.From < 0, "draw: negative numbers")
	if c.SPRT != nil {
		if err := c.SPRT.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("sprt: %w", err))
		}
	}
	whole := condition{Clock: c.Clock, Nodes: c.Nodes, Evals: c.Evals, MoveTime: c.MoveTime}
	bad(whole.count() > 1, "tc, nodes, evals and movetime exclude each other")
	if _, err := readOpenings(c.Openings); err != nil {
		errs = append(errs, err)
	}
	bad(c.Format != "" && c.Format != RoundRobin && c.Format != Gauntlet, "format: %q, want %s or %s", c.Format, RoundRobin, Gauntlet)
	bad(c.Judge != nil && len(c.More) > 0, "a test that ends the match early needs two players, not %d", 2+len(c.More))
	bad(c.SPRT != nil && len(c.More) > 0, "an SPRT needs two players, not %d", 2+len(c.More))
	bad(c.Report != "" && len(c.More) > 0, "a report needs two players, not %d", 2+len(c.More))
	bad(c.Resume && c.Journal == "", "resume: there is no journal to resume from")
	for i, p := range c.players() {
		side := letter(i) + ": "
		own := condition{Clock: p.Clock, Nodes: p.Nodes, Evals: p.Evals}
		bad(own.count() > 1, "%stc, nodes and evals exclude each other", side)
		bad(own.count() == 0 && whole.count() == 0, "%sone of tc, nodes, evals and movetime is needed", side)
		if p.Cmd == "" {
			bad(c.Searcher == nil, "%sno cmd, and nothing makes searchers in process", side)
			continue
		}
		bad(c.condition(p).Evals != 0, "%san external engine cannot be limited by evals", side)
		if _, err := exec.LookPath(p.Cmd); err != nil {
			errs = append(errs, fmt.Errorf("%scmd: %w", side, err))
		}
	}
	return errors.Join(errs...)
}
