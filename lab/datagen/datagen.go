// Package datagen makes games for training: players search every position of many games with a small limit, and their
// moves and scores are kept in a file of package games.
//
// A game depends on its number, the seed and its player alone. So a run that was killed is resumed with the games that
// are missing. An external engine keeps its table from game to game: its games are the same again only
// where one engine plays all of them in one run.
//
// Invariant: the file holds finished games of one configuration only, and one process at a time writes to it. When a
// search fails, no game in progress is kept.
package datagen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tesla/board"
	"tesla/lab/games"
	"tesla/lab/journal"
)

// Config says which games are made. All but Games is the header of the file.
type Config struct {
	Games       int     `json:"-"`
	Seed        uint64  `json:"seed"`
	Player      any     `json:"player"`                // who plays, with its limit
	Net         string  `json:"net,omitempty"`         // hash of the net of a player in process, or of an engine's program
	Commit      string  `json:"commit,omitempty"`      // of this program
	Random      [2]int  `json:"random"`                // least and most random moves before the first search
	From        string  `json:"from,omitempty"`        // games begin from positions of this file; empty: the initial one
	FromHash    string  `json:"from_hash,omitempty"`   // of that file, set by Open
	Plies       int     `json:"plies,omitempty"`       // searched moves of a game; 0: to its end
	Within      int     `json:"within,omitempty"`      // centipawns: games with a first score beyond are dropped; 0: none
	Choices     int     `json:"choices,omitempty"`     // moves that are kept with their scores; 0 or 1: the best one
	Temperature float64 `json:"temperature,omitempty"` // of the draw among these, in q; 0: the best is played
	Warm        int     `json:"warm,omitempty"`        // first moves of a game, which are drawn with Temperature
}

// Validate reports all that is wrong, joined. Each error begins with the flag of tesla datagen.
func (c *Config) Validate() error {
	var errs []error
	bad := func(is bool, format string, args ...any) {
		if is {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	bad(c.Games < 1, "--games: %d, want at least 1", c.Games)
	bad(c.Random[0] < 0 || c.Random[1] < c.Random[0], "--random: from %d to %d moves", c.Random[0], c.Random[1])
	bad(c.Plies < 0, "--plies: %d is negative", c.Plies)
	bad(c.Within < 0, "--within: %d is negative", c.Within)
	bad(c.Choices < 0 || c.Choices > 100, "--choices: %d, want 0 to 100", c.Choices)
	bad(c.Temperature < 0, "--temperature: %g is negative", c.Temperature)
	bad(c.Temperature > 0 && c.Choices < 2, "--temperature: %g, want at least 2 choices with it", c.Temperature)
	bad(c.Warm < 0, "--warm: %d is negative", c.Warm)
	return errors.Join(errs...)
}

// ParseRange reads "from-to", as Config.Random.
func ParseRange(s string) (r [2]int, err error) {
	from, to, ok := strings.Cut(s, "-")
	if r[0], err = strconv.Atoi(from); err == nil && ok {
		r[1], err = strconv.Atoi(to)
	}
	if err != nil || !ok {
		return r, fmt.Errorf("%q: want from-to", s)
	}
	return r, nil
}

// Table is a game whose position waits for its player.
type Table struct {
	Game    *board.Game
	Choices []games.Choice // the player's answer, best first: Config.Choices moves, or all legal ones
	Fresh   bool           // the position is the first of its game that is searched
}

// Player finds moves.
type Player interface {
	// Choose fills the Choices of the table. It blocks until it has, or until ctx ends, and does not keep the table.
	Choose(ctx context.Context, t *Table) error
	Close() error
}

// Progress is what Run reports every ten seconds, and where it has a note.
type Progress struct {
	Games, Of int // with those of earlier runs
	Positions int // of this run
	Took      time.Duration
}

// Generator makes the games of one file.
type Generator struct {
	cfg    Config
	starts []*games.Game
	began  time.Time
	tell   func(Progress)

	mu        sync.Mutex
	writer    *games.Writer
	todo      []uint64 // numbers of games
	done      int
	positions int
	told      time.Time
}

// Open makes the file of a configuration or, where resume is set and the file exists, opens it. It refuses a file that
// another process writes to, and one of another configuration. notes tell what the file does not say of its own.
func Open(cfg Config, path string, resume bool) (g *Generator, notes []string, err error) {
	if err := cfg.Validate(); err != nil {
		return nil, nil, err
	}
	g = &Generator{cfg: cfg}
	if cfg.From != "" {
		if g.starts, err = games.ReadFile(cfg.From); err != nil {
			return nil, nil, err
		}
		if len(g.starts) == 0 {
			return nil, nil, fmt.Errorf("%s: the file has no games", cfg.From)
		}
		if g.cfg.FromHash, err = journal.FileHash(cfg.From); err != nil {
			return nil, nil, err
		}
	}
	made := map[uint64]bool{}
	if g.writer, notes, err = open(path, g.cfg, resume, made); err != nil {
		return nil, nil, err
	}
	if lost := g.writer.Lost(); lost > 0 {
		notes = append(notes, fmt.Sprintf("%s: the last %d bytes were no whole game and were cut off", path, lost))
	}
	for n := range uint64(cfg.Games) {
		if !made[n] {
			g.todo = append(g.todo, n)
		}
	}
	g.done = cfg.Games - len(g.todo)
	return g, notes, nil
}

// Close closes the file.
func (g *Generator) Close() error { return g.writer.Close() }

// Run makes the games that the file lacks. The players work at the same time. It ends early with an error when ctx ends or
// a player fails; finished games stay in the file. Run is called once.
func (g *Generator) Run(ctx context.Context, players []Player, tell func(Progress)) error {
	g.began, g.tell = time.Now(), tell
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wait sync.WaitGroup
	for _, p := range players {
		wait.Go(func() {
			if err := g.work(ctx, p); err != nil {
				cancel(err)
			}
		})
	}
	wait.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	g.report()
	return nil
}

// lateFields are fields of the header that files of earlier versions lack.
var lateFields = []string{"net", "commit", "from_hash"}

// open makes the file, or opens the one that exists to resume.
func open(path string, cfg Config, resume bool, made map[uint64]bool) (w *games.Writer, notes []string, err error) {
	if w, err = games.Create(path, cfg); !errors.Is(err, games.ErrExists) {
		return w, nil, err
	}
	if !resume {
		return nil, nil, fmt.Errorf("%w: resume it, or name another", err)
	}
	w, err = games.Resume(path, func(header json.RawMessage) error {
		different, err := journal.Differences(header, cfg)
		if err != nil {
			return err
		}
		for _, d := range different {
			if d.There != nil || !slices.Contains(lateFields, d.Field) {
				return fmt.Errorf("the games of the file were made with other settings: %s was %v, now %v", d.Field, d.There, d.Here)
			}
			notes = append(notes, fmt.Sprintf("%s is of an earlier version and does not say its %s; that of the new games is %v", path, d.Field, d.Here))
		}
		return nil
	}, func(g *games.Game) error {
		if made[g.Number] {
			return fmt.Errorf("game %d is in the file twice", g.Number)
		}
		made[g.Number] = true
		return nil
	})
	return w, notes, err
}

// next is the number of a game to make. It is false where none is left.
func (g *Generator) next() (uint64, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.todo) == 0 {
		return 0, false
	}
	n := g.todo[0]
	g.todo = g.todo[1:]
	return n, true
}

// keep writes a game.
func (g *Generator) keep(game *games.Game) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.writer.Write(game); err != nil {
		return err
	}
	g.done++
	g.positions += len(game.Plies)
	if time.Since(g.told) > 10*time.Second {
		g.report()
	}
	return nil
}

func (g *Generator) report() {
	g.told = time.Now()
	g.tell(Progress{Games: g.done, Of: g.cfg.Games, Positions: g.positions, Took: time.Since(g.began)})
}

// work makes games with one player until none is left.
func (g *Generator) work(ctx context.Context, p Player) error {
	for {
		n, ok := g.next()
		if !ok {
			return nil
		}
		l := g.begin(n)
		for on := true; on; {
			if err := p.Choose(ctx, &l.table); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return nil
			}
			var err error
			if on, err = g.step(l); err != nil {
				return err
			}
		}
	}
}

// random is the source of all random numbers of a game.
func (g *Generator) random(number uint64) *rand.Rand {
	return rand.New(rand.NewPCG(g.cfg.Seed, number))
}
