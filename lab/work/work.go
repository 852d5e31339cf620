// Package work is the interface between a run and a fleet of other processes that make its games (package fleet). A run is a
// match, or the making of a file of games for training.
//
// A run numbers its games. A unit of work is some of them, by their numbers. A worker makes them, and returns a line of text
// for each, which the run alone reads.
//
// Invariant: what a worker makes of a unit depends on the unit and on the order of its run.
package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"tesla/lab/match/player"
	"tesla/lab/match/stats"
)

// The kinds of runs.
const (
	Match = "match"
	Data  = "data" // games for training
)

// Distributor has the games of a run made by other processes.
type Distributor interface {
	// Play has the games made that the run lacks, and hands them to Take. It returns nil when all of them are there.
	Play(ctx context.Context, r *Run) error
}

// Run is a run, for those who have its games made elsewhere. Its functions may be called by several goroutines.
type Run struct {
	ID     string       // the same when the run is resumed
	Kind   string       // of its order
	Commit string       // of the program
	Order  func() Order // a copy: its files may be replaced
	Units  []Unit       // of the games that are missing, in the order in which they are to be made
	Unit   func(game int) int
	Has    func(game int) bool
	// Read reads a line, and checks the game. keep writes the game into the file of the run; an error of it ends the run.
	Read func(line json.RawMessage) (game int, keep func(from Origin) error, err error)
	Sync func() error // puts the games that were kept on the disk
	// Clock reports whether any time is limited, and the speed in nodes a second at which clocks run as the run says; 0: this
	// machine's.
	Clock    func() (limited bool, speed float64)
	Say      func(text string) // tells the user
	Progress func() Progress

	taking sync.Mutex // held while a unit is taken
}

// Units puts games into units. Games of one unit follow each other, and units have the order of their numbers.
func Units(games []int, unit func(game int) int) (units []Unit) {
	for _, n := range games {
		if last := len(units) - 1; last < 0 || units[last].ID != unit(n) {
			units = append(units, Unit{ID: unit(n)})
		}
		last := &units[len(units)-1]
		last.Games = append(last.Games, n)
	}
	return units
}

// Done reports whether all games of a unit are there.
func (r *Run) Done(u Unit) bool {
	return !slices.ContainsFunc(u.Games, func(n int) bool { return !r.Has(n) })
}

// Take takes the lines of a unit: all games that the run lacks among its own. Games that are there already are passed over.
// When it returns nil, all others are on the disk. An error that wraps ErrResult is about the lines, and nothing is taken;
// any other ends the run.
func (r *Run) Take(from Origin, lines []json.RawMessage) error {
	r.taking.Lock()
	defer r.taking.Unlock()
	games, err := r.read(lines)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrResult, err)
	}
	for _, keep := range games {
		if err := keep(from); err != nil {
			return err
		}
	}
	return r.Sync()
}

// read reads the games of a unit, and returns what keeps those that the run lacks.
func (r *Run) read(lines []json.RawMessage) (games []func(Origin) error, err error) {
	if len(lines) == 0 {
		return nil, errors.New("no game")
	}
	there, unit := map[int]bool{}, 0
	for i, line := range lines {
		game, keep, err := r.Read(line)
		if err != nil {
			return nil, err
		}
		switch {
		case i == 0:
			unit = r.Unit(game)
		case there[game]:
			return nil, fmt.Errorf("game %d twice", game)
		case r.Unit(game) != unit:
			return nil, fmt.Errorf("game %d is of another unit", game)
		}
		if there[game] = true; !r.Has(game) {
			games = append(games, keep)
		}
	}
	at, found := slices.BinarySearchFunc(r.Units, unit, func(u Unit, id int) int { return u.ID - id })
	for i := 0; found && i < len(r.Units[at].Games); i++ {
		if n := r.Units[at].Games[i]; !there[n] && !r.Has(n) {
			return nil, fmt.Errorf("%d games, game %d is not among them", len(lines), n)
		}
	}
	return games, nil
}

// ErrResult is wrapped by the error of Take about a result that cannot be right.
var ErrResult = errors.New("impossible result")

// Unit is what one worker makes in one piece.
type Unit struct {
	ID    int   `json:"id"`    // unique in the run
	Games []int `json:"games"` // numbers
}

// Origin says who made a game, and how its clocks were set.
type Origin struct {
	Worker string  `json:"worker,omitempty"`       // empty: this process
	NPS    float64 `json:"worker_nps,omitempty"`   // of the worker's bench, nodes a second on each core
	Factor float64 `json:"clock_factor,omitempty"` // by which its clocks were multiplied
}

// Progress is how far a run is, for those who watch it from elsewhere.
type Progress struct {
	Players []string       `json:"players"`
	Games   int            `json:"games"`
	Total   int            `json:"total"`
	Text    string         `json:"text"` // of the live line
	Speed   float64        `json:"games_a_minute"`
	Workers []stats.Worker `json:"workers"`
}

// Order is all that another process needs to know to make games of a run. It travels as JSON.
type Order interface {
	// Files are the paths in the order that must lead to the same files wherever games are made. Whoever sends the order
	// replaces them.
	Files() []*string
	// Open prepares at most the given number of boards; there are fewer where cores or accelerators are too few. An error means
	// that the games cannot be made here: a player is not what it is where the order comes from, for example. tell is told what
	// goes wrong later without ending anything.
	Open(ctx context.Context, boards int, in player.InProcess, tell func(text string)) (Boards, error)
}

// Boards make games of a run of another process. Each board has players of its own and makes one game at a time.
type Boards interface {
	Len() int
	// Scale multiplies all clocks, for a machine that takes the given number of times as long. It is called before Play.
	Scale(factor float64)
	// Play makes games on a board, by their numbers, and returns a line for each. Calls for different boards may run at once.
	// With an error no game is returned: ctx has ended, or a game cannot be made here.
	Play(ctx context.Context, board int, numbers []int) ([]json.RawMessage, error)
	Close() error // ends the players, at once
}
