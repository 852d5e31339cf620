// Package datagen makes games for training: players search every position of many games with a small limit, and their
// moves and scores are kept in a file of package games.
//
// Games begin from positions that are drawn, or from leaves of searches of these positions.
//
// A game depends on its number, the seed, its player and its tree alone. So a run that was killed is resumed with the
// games that are missing. An external engine keeps its table from game to game: its games are the same again only where
// one engine plays all of them in one run.
//
// Invariant: the file holds finished games of one configuration only, and one process at a time writes to it. When a
// search fails, no game in progress is kept.
package datagen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tesla/board"
	"tesla/lab/games"
	"tesla/lab/journal"
	"tesla/lab/sweep"
	"tesla/lab/work"
)

// Config says which games are made. All but Games is the header of the file.
type Config struct {
	Games       int     `json:"-"`
	Seed        uint64  `json:"seed"`
	Player      Spec    `json:"player"`                // who plays
	Net         string  `json:"net,omitempty"`         // hash of the net of a player in process, or of an engine's program
	Commit      string  `json:"commit,omitempty"`      // of this program
	Random      [2]int  `json:"random"`                // least and most random moves before the first search
	Start       string  `json:"start,omitempty"`       // Chess960 or DoubleChess960; empty: the initial position, or From
	From        string  `json:"from,omitempty"`        // games begin from positions of this file; empty: Start
	FromHash    string  `json:"from_hash,omitempty"`   // of that file, set by Open
	Leaves      int     `json:"leaves,omitempty"`      // the number of games that begin from leaves of one tree; 0: from its root
	Tree        *Spec   `json:"tree,omitempty"`        // who searches the tree
	TreeNet     string  `json:"tree_net,omitempty"`    // hash of its net
	Tables      string  `json:"tables,omitempty"`      // folders of endgame tables that label what they know
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
	bad(c.Start != "" && c.Start != Chess960 && c.Start != DoubleChess960, "--start: %q, want %s or %s", c.Start, Chess960, DoubleChess960)
	bad(c.Start != "" && c.From != "", "--start and --from exclude each other")
	bad(c.Leaves < 0, "--leaves: %d is negative", c.Leaves)
	bad(c.Leaves > 0 && c.Tree == nil, "--leaves: no search of the trees")
	bad(c.Tree != nil && c.Tree.Cmd != "", "--tree: want a searcher in process")
	bad(c.Leaves > 0 && c.Within > 0, "--leaves and --within exclude each other")
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
	Known   bool           // the answer is that of endgame tables
	Result  int8           // where Known: of the side to move, with best play
}

// Player finds moves.
type Player interface {
	// Choose fills the Choices of the table. It blocks until it has, or until ctx ends, and does not keep the table.
	Choose(ctx context.Context, t *Table) error
	Close() error
}

// Progress is what Run reports each second, and at its end.
type Progress struct {
	Games, Of int // with those of earlier runs
	Before    int // games of earlier runs
	Positions int // of this run
	Took      time.Duration
	Trees     float64 // share of the players' time that was spent on trees
}

// String is the progress in one line.
func (p *Progress) String() string {
	s := fmt.Sprintf("games %d of %d, positions %d in %v, %.0f a second", p.Games, p.Of, p.Positions,
		p.Took.Round(time.Second), float64(p.Positions)/p.Took.Seconds())
	if here := p.Games - p.Before; here > 0 && p.Games < p.Of {
		s += fmt.Sprintf(", %v left", (p.Took / time.Duration(here) * time.Duration(p.Of-p.Games)).Round(time.Second))
	}
	if p.Trees > 0 {
		s += fmt.Sprintf(", trees %.1f %% of the time", 100*p.Trees)
	}
	return s
}

// maker makes games of a configuration by their numbers.
type maker struct {
	cfg    Config
	starts []*games.Game // of Config.From
}

func newMaker(cfg Config) (m maker, err error) {
	m.cfg = cfg
	if cfg.From == "" {
		return m, nil
	}
	if m.starts, err = games.ReadFile(cfg.From); err != nil {
		return m, err
	}
	if len(m.starts) == 0 {
		return m, fmt.Errorf("%s: no games in the file", cfg.From)
	}
	m.cfg.FromHash, err = journal.FileHash(cfg.From)
	return m, err
}

// Generator makes the games of one file.
type Generator struct {
	maker
	path  string
	began time.Time
	tell  func(Progress)

	mu        sync.Mutex
	writer    *games.Writer
	made      []bool // by number
	todo      []int  // numbers of games
	done, of  int    // games in the file, now and at the end
	positions int
	searched  time.Duration // spent on trees, the sum over all players
	players   int
	told      time.Time
	before    int  // games of earlier runs
	refused   bool // no game was begun
}

// Open makes the file of a configuration or, where resume is set and the file exists, opens it. It refuses a file that
// another process writes to, and one of another configuration. notes tell what the file does not say of its own.
func Open(cfg Config, path string, resume bool) (g *Generator, notes []string, err error) {
	if err := cfg.Validate(); err != nil {
		return nil, nil, err
	}
	g = &Generator{path: path, made: make([]bool, cfg.Games)}
	if g.maker, err = newMaker(cfg); err != nil {
		return nil, nil, err
	}
	made := map[uint64]bool{}
	if g.writer, err = open(path, g.cfg, resume, made); err != nil {
		return nil, nil, err
	}
	if lost := g.writer.Lost(); lost > 0 {
		notes = append(notes, fmt.Sprintf("%s: the last %d bytes were no whole game and were cut off", path, lost))
	}
	for n := range cfg.Games {
		if g.made[n] = made[uint64(n)]; !g.made[n] {
			g.todo = append(g.todo, n)
		}
	}
	g.done, g.before = len(made), len(made)
	if g.of = len(made) + len(g.todo); g.of > cfg.Games {
		notes = append(notes, fmt.Sprintf("%s: its games have numbers beyond --games %d; they stay", path, cfg.Games))
	}
	return g, notes, nil
}

// Refuse notes that no game can be made, by players here or by a fleet.
func (g *Generator) Refuse() { g.refused = true }

// Close closes the file. After Refuse one without a game is removed: it would be in the way of another run.
func (g *Generator) Close() error {
	err := g.writer.Close()
	if g.refused && g.done == 0 {
		err = errors.Join(err, os.Remove(g.path))
	}
	return err
}

// Run makes the games that the file lacks. The players work at the same time. Where Config.Leaves is set, each has a
// tree of its own, otherwise there are none. Run ends early with an error when ctx ends or a player fails; finished
// games stay in the file. It is called once.
func (g *Generator) Run(ctx context.Context, players []Player, trees []*Tree, tell func(Progress)) error {
	g.began, g.tell, g.players = time.Now(), tell, len(players)
	each := max(1, g.cfg.Leaves)
	units := work.Units(g.todo, func(game int) int { return game / each })
	var workers atomic.Int32
	all := &sweep.Sweep{Steps: len(units), Workers: len(players)}
	err := all.Each(ctx, func(ctx context.Context, steps iter.Seq[int]) error {
		i := workers.Add(1) - 1
		var t *Tree
		if g.cfg.Leaves > 0 {
			t = trees[i]
		}
		for unit := range steps {
			searched, err := g.produce(ctx, players[i], t, units[unit].Games, g.keep)
			g.mu.Lock()
			g.searched += searched
			g.mu.Unlock()
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		g.report()
	}
	return err
}

// open makes the file, or opens the one that exists to resume.
func open(path string, cfg Config, resume bool, made map[uint64]bool) (*games.Writer, error) {
	w, err := games.Create(path, cfg)
	if !errors.Is(err, games.ErrExists) {
		return w, err
	}
	if !resume {
		return nil, fmt.Errorf("%w: resume it, or name another", err)
	}
	return games.Resume(path, func(header json.RawMessage) error {
		different, err := journal.Differences(header, cfg)
		if err != nil {
			return err
		}
		if len(different) > 0 {
			d := different[0]
			return fmt.Errorf("other settings than those of the file: %s was %v, now %v", d.Field, d.There, d.Here)
		}
		return nil
	}, func(g *games.Game) error {
		if made[g.Number] {
			return fmt.Errorf("game %d is in the file twice", g.Number)
		}
		made[g.Number] = true
		return nil
	})
}

func (g *Generator) keep(game *games.Game) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.writer.Write(game); err != nil {
		return err
	}
	g.made[game.Number] = true
	g.done++
	g.positions += len(game.Plies)
	if time.Since(g.told) > time.Second {
		g.report()
	}
	return nil
}

func (g *Generator) report() {
	g.told = time.Now()
	g.tell(g.progress())
}

func (g *Generator) progress() Progress {
	p := Progress{Games: g.done, Of: g.of, Before: g.before, Positions: g.positions, Took: time.Since(g.began)}
	if g.players > 0 {
		p.Trees = g.searched.Seconds() / (p.Took.Seconds() * float64(g.players))
	}
	return p
}

// produce makes games with a player, and hands each to keep. With a tree t they begin from its leaves and are all of one
// tree. It returns how long that was searched.
func (m *maker) produce(ctx context.Context, p Player, t *Tree, numbers []int, keep func(*games.Game) error) (searched time.Duration, err error) {
	var leaves []board.Position
	if t != nil {
		begun := time.Now()
		if leaves, err = m.leaves(ctx, t, uint64(numbers[0]/m.cfg.Leaves)); err != nil {
			return 0, err
		}
		searched = time.Since(begun)
	}
	for _, n := range numbers {
		l := m.begin(uint64(n), leaves)
		if err := m.play(ctx, p, l); err != nil {
			return searched, err
		}
		if err := keep(&l.game); err != nil {
			return searched, err
		}
	}
	return searched, nil
}

// play has a player play a game to its end. It fails when ctx ends.
func (m *maker) play(ctx context.Context, p Player, l *line) error {
	for on := true; on; {
		err := p.Choose(ctx, &l.table)
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			on, err = m.step(l)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// random is the source of all random numbers of a game.
func (m *maker) random(number uint64) *rand.Rand {
	return rand.New(rand.NewPCG(m.cfg.Seed, number))
}
