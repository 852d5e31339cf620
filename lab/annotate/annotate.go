package annotate

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"tesla/internal/output"
	"tesla/lab/match/pgn"
	"tesla/lab/suite"
	"tesla/lab/view"
	"tesla/search"
)

// annotator is this program in the tag Annotator.
const annotator = "Tesla"

// Config says what is annotated, and where it goes.
type Config struct {
	In, Out  string
	Graphs   string // folder for a graph of each game; empty: none
	Limits   search.Limits
	From, To int    // numbers of the first and the last move that is judged; To 0: to the end
	Player   string // part of a player's name, whose moves are judged; empty: both sides
	SkipBad  bool   // games that cannot be read go to BadFile
	JSON     bool   // of what is printed

	Print    io.Writer      // gets a line for each game, or one JSON object
	Err      io.Writer      // gets what the user should know while the run goes on
	Progress *view.Progress // nil: none
}

// BadFile is the file of the games that cannot be read.
func (c *Config) BadFile() string { return c.Out + ".bad" }

// Journal is the file that keeps what was found until Out is written.
func (c *Config) Journal() string { return c.Out + ".journal" }

// Validate reports what is wrong with the configuration.
func (c *Config) Validate() error {
	var errs []error
	if c.Out == "" {
		errs = append(errs, errors.New("no --out, the file of the annotated games"))
	}
	if c.To != 0 && c.To < c.From {
		errs = append(errs, fmt.Errorf("--to %d is before --from %d", c.To, c.From))
	}
	errs = append(errs, suite.OneLimit(&c.Limits))
	if c.Out != "" && filepath.Clean(c.In) == filepath.Clean(c.Out) {
		errs = append(errs, errors.New("--out is the file that is read"))
	}
	return errors.Join(errs...)
}

// Label is what the evaluations depend on beside the limits. A journal belongs to one label.
type Label struct {
	Search  string `json:"search"`
	Options string `json:"search_options,omitempty"`
	Backend string `json:"backend"`
	Net     string `json:"net"`
	Threads int    `json:"threads"`
	Hash    int    `json:"hash"`
	Leaf    int    `json:"leaf_depth"`
	Tables  string `json:"tables,omitempty"`
	Commit  string `json:"commit"`
}

// File is a file of games that was read.
type File struct {
	cfg   Config
	label Label
	games []*game
	bad   []*pgn.Annotated
}

// ErrBroken is wrapped by the error about games that cannot be read.
var ErrBroken = errors.New("unreadable games, and nothing written; --skip-bad leaves them out")

// isOurs recognizes a file of annotated games.
var isOurs = regexp.MustCompile(`(?m)^\[Annotator "[^"\n]*` + annotator).Match

// Open reads the games and checks all files that the run will write. Games that cannot be read are an error that names
// them, unless they are to be skipped.
func Open(cfg Config) (*File, error) {
	data, err := output.ReadRegular(cfg.In)
	if err != nil {
		return nil, err
	}
	f := &File{cfg: cfg}
	for _, a := range pgn.ReadAnnotated(string(data)) {
		if a.Err != nil {
			f.bad = append(f.bad, a)
			continue
		}
		for _, note := range a.Notes {
			fmt.Fprintf(cfg.Err, "tesla: %s: %s, %s\n", cfg.In, a.Name(), note)
		}
		g, err := newGame(a, &f.cfg)
		if err != nil {
			return nil, err
		}
		f.games = append(f.games, g)
	}
	return f, f.check()
}

// check reports games that cannot be read, a file without games or without judged moves, and files that cannot be written.
func (f *File) check() error {
	var errs []error
	for _, a := range f.bad {
		errs = append(errs, fmt.Errorf("%s: %s, %w", f.cfg.In, a.Name(), a.Err))
	}
	if len(errs) > 0 && !f.cfg.SkipBad {
		return errors.Join(append(errs, fmt.Errorf("%d of %d %w", len(f.bad), len(f.bad)+len(f.games), ErrBroken))...)
	}
	for _, err := range errs {
		fmt.Fprintf(f.cfg.Err, "tesla: %v; it goes to %s\n", err, f.cfg.BadFile())
	}
	if len(f.games)+len(f.bad) == 0 {
		return fmt.Errorf("%s: no game", f.cfg.In)
	}
	if f.searches() == 0 && len(f.games) > 0 {
		return fmt.Errorf("%s: no move to judge: no game has one that fits --player, --from and --to", f.cfg.In)
	}
	err := output.Check(f.cfg.Out, isOurs)
	if err == nil && len(f.bad) > 0 {
		err = output.Check(f.cfg.BadFile(), output.Same(f.badText()))
	}
	if err == nil && f.cfg.Graphs != "" {
		err = output.Folder(f.cfg.Graphs, f.pictures()...)
	}
	return err
}

func (f *File) badText() (text []byte) {
	for _, a := range f.bad {
		text = fmt.Appendf(text, "%s\n\n", strings.TrimSpace(a.Source))
	}
	return text
}

func (f *File) searches() (n int) {
	for _, g := range f.games {
		n += g.searches()
	}
	return n
}

// write writes the files that are the result, and removes the journal.
func (f *File) write() error {
	by := f.by()
	err := output.Write(f.cfg.Out, isOurs, func(w io.Writer) error {
		for _, g := range f.games {
			a := g.Annotated
			if g.searches() > 0 {
				a = g.annotated(by)
			}
			if _, err := io.WriteString(w, a.Text()); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && len(f.bad) > 0 {
		err = output.WriteBytes(f.cfg.BadFile(), output.Same(f.badText()), f.badText())
	}
	if err == nil {
		err = os.Remove(f.cfg.Journal())
	}
	return err
}
