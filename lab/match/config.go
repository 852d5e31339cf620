package match

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"tesla/lab/match/player"
	"tesla/lab/match/stats"
	"tesla/lab/watchdog"
	"tesla/lab/work"
)

// Config says what is played. Start from Default.
type Config struct {
	Plan
	Condition   player.Condition // limits the moves of players that have no condition of their own
	Machine     Machine
	Files       Files
	Output      Output
	InProcess   player.InProcess // any of its functions may block: the match waits for Patience.Start
	Distributor work.Distributor // plays the games in other processes; nil: this one plays them
	Without     []string         // workers whose games do not count and are played again; the fleet does not admit them

	SPRT *stats.SPRT // ends a match of two players when it decides; nil: none
}

// Plan is the part of a Config that every process has that plays games of the match.
type Plan struct {
	Players      []player.Player `json:"players"` // at least two; the first is A, the second B
	Format       string          `json:"format"`  // who meets whom among more than two: RoundRobin (also when empty) or Gauntlet
	Games        int             `json:"games"`   // of each pairing: of all where there are two players
	Ponder       bool            `json:"ponder"`  // players think in the time of their opponents, so that two of them compute at once
	Patience     Patience        `json:"patience"`
	Openings     Openings        `json:"openings"`
	Adjudication Adjudication    `json:"adjudication"`
	Commit       string          `json:"commit"` // of this program, for PGN and journal; empty: not known
}

// Patience is how long the runner waits for a player.
type Patience struct {
	Margin   time.Duration // a clock may be overdrawn by this before the game is lost
	Hang     time.Duration // longest move without a clock
	Grace    time.Duration // for an answer, after a player was told to stop
	Start    time.Duration // for a player to start, and to begin a new game
	Overhead time.Duration // what searchers in process keep in hand for each move
}

// Openings are the positions that games begin from.
type Openings struct {
	File     string // Balanced or Unbalanced, an EPD file, or PGN when the name ends in .pgn
	Order    string // RandomOrder or FileOrder
	Seed     uint64 // of the random order
	Plies    int    // plies of a PGN opening that are played; 0: all
	Chess960 bool   // Chess960 in the protocol and in FENs; an opening that needs it implies it
}

// The orders of openings.
const (
	RandomOrder = "random"
	FileOrder   = "file"
)

// Machine is what the games may use of the machine.
type Machine struct {
	Concurrency   int  // games at a time; fewer where cores or accelerators are too few
	Cores         int  // cores to play on; 0: all that this process may use
	Devices       int  // accelerators, each for one game at a time; 0: one
	Oversubscribe bool // play Concurrency games at a time even where cores or accelerators are too few
	Pin           bool // external engines run on the cores of their game alone (Linux)
}

// Files are what a match writes.
type Files struct {
	Journal   string // a line for each finished game, see the package comment; empty: none
	Resume    bool   // play the games that Journal lacks; where there is no such file, all are played
	PGN       string // games are appended to it; empty: none
	PGNStable bool   // leave out of the PGN what differs from run to run, and write games in their order
	Log       string // what passes between the runner and external engines, and their stderr, is appended; empty: none
}

// Output is where a match says how it goes. Each writer is used by one goroutine at a time; nil is none.
type Output struct {
	Out     io.Writer  // a line for each game, as it ends
	Live    io.Writer  // a terminal, for one line that is drawn again and again
	Columns func() int // of that terminal; nil: 80
	Warn    io.Writer  // what goes wrong without losing a game, a line each
}

// Default is a configuration of two default players, without games and condition.
func Default() Config {
	return Config{Machine: Machine{Concurrency: 1}, Plan: Plan{
		Players: make([]player.Player, 2),
		Patience: Patience{
			Margin: 20 * time.Millisecond, Hang: time.Minute, Grace: watchdog.Grace, Start: time.Minute,
			Overhead: 10 * time.Millisecond,
		},
		Openings:     Openings{File: Balanced, Order: RandomOrder, Seed: 1},
		Adjudication: Adjudication{MaxMoves: 300},
	}}
}

// condition is the player's own, else the match's.
func (c *Config) condition(p *player.Player) player.Condition {
	if p.Condition.Count() > 0 {
		return p.Condition
	}
	return c.Condition
}

// ponders reports whether a player may ponder.
func (c *Config) ponders(p *player.Player) bool {
	return c.Ponder && !strings.EqualFold(p.Option("Ponder"), "false")
}

// Searchers are the players in process without the options that the match obeys, as Config.InProcess gets them.
func (c *Config) Searchers() (searchers []player.Player) {
	for i := range c.Players {
		if c.Players[i].Cmd == "" {
			searchers = append(searchers, searcherOf(&c.Players[i]))
		}
	}
	return searchers
}

// searcherOf is a player in process without the options that the match obeys. Validate tells what is wrong with them.
func searcherOf(p *player.Player) player.Player {
	_, searcher, _ := p.Session()
	return searcher
}

// complaints collects what is wrong with a configuration.
type complaints []error

// when adds a complaint about a flag where the condition holds.
func (c *complaints) when(wrong bool, name, format string, args ...any) {
	if wrong {
		*c = append(*c, fmt.Errorf(name+": "+format, args...))
	}
}

// Validate reports all that is wrong with the configuration, joined. Each error begins with the flag of tesla match
// that sets the value, where there is one.
func (c *Config) Validate() error {
	var bad complaints
	bad.when(c.Games < 1, "--games", "%d, want at least 1", c.Games)
	bad.when(len(c.Players) < 2, "--player", "%d players, want at least two", len(c.Players))
	known := c.Format == "" || c.Format == RoundRobin || c.Format == Gauntlet
	bad.when(!known, "--format", "%q, want %s or %s", c.Format, RoundRobin, Gauntlet)
	if c.SPRT != nil {
		err := c.SPRT.Validate()
		bad.when(err != nil, "--sprt", "%w", err)
	}
	bad.when(c.SPRT != nil && len(c.Players) > 2, "--sprt", "a test that ends the match early needs two players, not %d", len(c.Players))
	bad.when(c.Files.Resume && c.Files.Journal == "", "--resume", "no journal to resume from")
	bad.when(c.Distributor != nil && c.Files.Journal == "", "--fleet", "no --journal, which a fleet needs")
	bad.when(len(c.Without) > 0 && c.Distributor == nil, "--without", "only a fleet has workers: give --fleet")
	c.validateFiles(&bad)
	c.Patience.validate(&bad)
	c.Openings.validate(&bad)
	c.Adjudication.validate(&bad)
	c.Machine.validate(&bad)
	bad.when(c.Condition.Nodes < 0, "--nodes", "%d is negative", c.Condition.Nodes)
	bad.when(c.Condition.Evals < 0, "--evals", "%d is negative", c.Condition.Evals)
	bad.when(c.Condition.MoveTime < 0, "--movetime", "%v is negative", c.Condition.MoveTime)
	bad.when(c.Condition.Count() > 1, "--tc", "tc, nodes, evals and movetime exclude each other")
	for i := range c.Players {
		c.validatePlayer(&c.Players[i], player.Letter(i), &bad)
	}
	return errors.Join(bad...)
}

func (p *Patience) validate(bad *complaints) {
	bad.when(p.Margin < 0, "--timemargin", "%v is negative", p.Margin)
	bad.when(p.Hang <= 0, "hang", "%v, want more than zero", p.Hang)
	bad.when(p.Grace <= 0, "grace", "%v, want more than zero", p.Grace)
	bad.when(p.Start <= 0, "--starttime", "%v, want more than zero", p.Start)
	bad.when(p.Overhead < 0, "overhead", "%v is negative", p.Overhead)
}

// validateFiles checks that no two files of the match are the same one.
func (c *Config) validateFiles(bad *complaints) {
	type use struct{ flag, path string }
	uses := []use{{"--openings", c.Openings.File}, {"--journal", c.Files.Journal}, {"--pgn", c.Files.PGN}, {"--log", c.Files.Log}}
	logs := map[string]bool{} // players may share one
	for i := range c.Players {
		p := &c.Players[i]
		uses = append(uses, use{"cmd", p.Cmd}, use{"weights", p.Weights})
		if !logs[p.Log] {
			uses = append(uses, use{"log", p.Log})
		}
		logs[p.Log] = true
	}
	output := func(u use) bool {
		return u.path != "" && (u.flag == "log" || u.flag == "--journal" || u.flag == "--pgn" || u.flag == "--log")
	}
	for i, a := range uses {
		for _, b := range uses[:i] {
			bad.when((output(a) || output(b)) && sameFile(a.path, b.path), a.flag, "%s is the file of %s as well", a.path, b.flag)
		}
	}
}

// sameFile reports whether two paths lead to the same regular file, or will when it is made.
func sameFile(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	there, err := os.Stat(a)
	other, err2 := os.Stat(b)
	if err == nil && err2 == nil {
		return there.Mode().IsRegular() && os.SameFile(there, other)
	}
	a, err = filepath.Abs(a)
	b, err2 = filepath.Abs(b)
	return err == nil && err2 == nil && a == b
}

func (o *Openings) validate(bad *complaints) {
	err := checkOpenings(o.File)
	bad.when(err != nil, "--openings", "%w", err)
	known := o.Order == RandomOrder || o.Order == FileOrder
	bad.when(!known, "--order", "%q, want %s or %s", o.Order, RandomOrder, FileOrder)
	bad.when(o.Plies < 0, "--plies", "%d is negative", o.Plies)
}

func (m *Machine) validate(bad *complaints) {
	bad.when(m.Concurrency < 1, "--concurrency", "%d, want at least 1", m.Concurrency)
	bad.when(m.Cores < 0, "--cores", "%d is negative", m.Cores)
	bad.when(m.Devices < 0, "--devices", "%d is negative", m.Devices)
}

// validatePlayer checks one player, which the letter names.
func (c *Config) validatePlayer(p *player.Player, letter string, bad *complaints) {
	name := "--player " + letter
	if len(c.Players) <= 2 {
		name = "--" + letter
	}
	bad.when(p.Condition.Count() > 1, name, "tc, nodes and evals exclude each other")
	bad.when(c.condition(p).Count() == 0, name, "want one of tc, nodes, evals and movetime")
	k := c.condition(p)
	bad.when(c.ponders(p) && (k.Nodes > 0 || k.Evals > 0), name, "a player that ponders (--ponder) needs tc or movetime, not %s", k)
	if p.Cmd == "" {
		bad.when(c.InProcess.Searcher == nil, name, "no cmd, and nothing makes searchers in process")
		_, _, err := p.Session()
		bad.when(err != nil, name, "%w", err)
		return
	}
	bad.when(c.condition(p).Evals != 0, name, "no limit by evals for an external engine")
	_, err := exec.LookPath(p.Cmd)
	bad.when(err != nil, name, "cmd: %w", err)
}
