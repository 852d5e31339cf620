package main

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"tesla/board"
	"tesla/engine"
	"tesla/lab/sweep"
	"tesla/search"
	"tesla/uci/option"
)

// defaultSettings are the engine's, with a thread for each processor.
func defaultSettings() engine.Settings {
	set := engine.Default()
	set.Threads = runtime.NumCPU()
	return set
}

// sureSettings are the default settings of commands that say how sure a search is.
func sureSettings() engine.Settings {
	set := defaultSettings()
	set.Threads = min(set.Threads, engine.MostJudged)
	return set
}

// treeSettings are the default settings of commands that show or measure a search by its tree, unless they are told otherwise.
func treeSettings() engine.Settings {
	set := defaultSettings()
	set.Search = "bestfirst"
	return set
}

// settingsFlags adds flags that set what a searcher is made from, by the names that engine.Settings.Options gives them.
// --backend brings those of the server with it, --search-options those of endgame tables.
func settingsFlags(f *pflag.FlagSet, set *engine.Settings, names ...string) {
	if slices.Contains(names, "backend") {
		names = append(names, "server", "server-token", "server-ca")
	}
	if slices.Contains(names, "search-options") {
		names = append(names, "syzygy", "gaviota")
	}
	for _, o := range set.Options() {
		if o.Flag != "" && slices.Contains(names, o.Flag) {
			f.Var(o.Value, o.Flag, o.Help)
		}
	}
}

// numberFlag adds a flag for a whole number that is at least min. The value before it is set may be less: that is none.
func numberFlag[T int | int64](f *pflag.FlagSet, to *T, name string, min T, help string) {
	f.Var(option.Number[T]{To: to, Min: min, Max: T(math.MaxInt)}, name, help)
}

// timeFlag adds a flag for a time above zero. Without the flag there is none.
func timeFlag(f *pflag.FlagSet, to *time.Duration, name, help string) {
	f.Var((*duration)(to), name, help)
}

// sureFlag adds --sure: a limit of a search by how sure it is.
func sureFlag(f *pflag.FlagSet, to *float64, help string) { f.Var((*probability)(to), "sure", help) }

// probability is one that is neither 0 nor 1. Before it is set it is 0: none.
type probability float64

func (p *probability) Set(text string) error {
	x, err := strconv.ParseFloat(text, 64)
	if err == nil && !(x > 0 && x < 1) {
		err = fmt.Errorf("%v, want more than 0 and less than 1", x)
	}
	if err != nil {
		return err
	}
	*p = probability(x)
	return nil
}

func (p *probability) String() string {
	if *p == 0 {
		return "" // help shows no default
	}
	return strconv.FormatFloat(float64(*p), 'g', -1, 64)
}

func (*probability) Type() string { return "probability" }

// limitFlags adds --nodes, --evals and --movetime, one of which limits each search. Help says that it is the time t without
// any of them; limitedBy sets it.
func limitFlags(f *pflag.FlagSet, l *search.Limits, each string, t time.Duration) {
	numberFlag(f, &l.Nodes, "nodes", 1, "nodes for each "+each)
	numberFlag(f, &l.Evals, "evals", 1, "evaluations for each "+each)
	timeFlag(f, &l.MoveTime, "movetime", fmt.Sprintf("time for each %s (default %v, without --nodes and --evals)", each, t))
}

// limitedBy gives a search a time where it has no limit: neither nodes, nor evaluations, nor a time of its own.
func limitedBy(l *search.Limits, t time.Duration) {
	if l.Nodes == 0 && l.Evals == 0 && l.MoveTime == 0 {
		l.MoveTime = t
	}
}

// duration is a time above zero.
type duration time.Duration

func (d *duration) Set(text string) error {
	t, err := time.ParseDuration(text)
	if err == nil && t <= 0 {
		err = fmt.Errorf("%v, want more than zero", t)
	}
	if err != nil {
		return err
	}
	*d = duration(t)
	return nil
}

func (d *duration) String() string {
	if *d == 0 {
		return "" // help shows no default
	}
	return time.Duration(*d).String()
}

func (*duration) Type() string { return "duration" }

func jsonFlag(f *pflag.FlagSet, to *bool) { f.BoolVar(to, "json", false, "print one JSON object") }

func journalFlags(f *pflag.FlagSet, to *sweep.File) {
	f.StringVar(&to.Path, "journal", "", "file that keeps each finished search")
	f.BoolVar(&to.Resume, "resume", false, "continue the journal where it ends")
}

// positionFlags are the flags of commands that look at one position.
type positionFlags struct {
	fen      string
	chess960 bool
	position board.Position // set by parse
	source   string         // what gave it, for errors; set by parse
	repairs  []string       // of the position, for standard error
}

func (p *positionFlags) add(f *pflag.FlagSet) {
	f.StringVar(&p.fen, "fen", "", `position, FEN or EPD (default: the initial position)`)
	f.BoolVar(&p.chess960, "chess960", false, "write castling as king takes rook")
}

// parse reads the position of --fen or, without it, of the arguments: a FEN in quotation marks or, word by word, without.
func (p *positionFlags) parse(args []string) (err error) {
	p.position = board.StartPosition()
	text := p.fen
	p.source = "--fen"
	if len(args) > 0 {
		if text != "" {
			return fmt.Errorf("--fen and %q: two positions, want one", strings.Join(args, " "))
		}
		text = strings.Join(args, " ")
		p.source = strconv.Quote(text)
	}
	if text == "" {
		return nil
	}
	if p.position, p.repairs, err = board.ParseEPD(text); err != nil {
		return fmt.Errorf("%s: %w", p.source, err)
	}
	return nil
}
