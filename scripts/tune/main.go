// Command tune moves numbers of a search towards those that win games: simultaneous perturbation stochastic
// approximation (Spall 1992). Each step plays two players against each other, with all numbers off the mean by their
// steps in random directions, and moves the mean towards the winner.
//
//	tune -limit evals=800 -player search=puct,backend=nnue,option.LeafDepth=0 cpuct fpu=0.3:0.1 choice=0.4
//	tune -limit nodes=10000 -end 2h -player option.Search=lazysmp,option.Threads=1 -folder alphabeta nullMargin:40 reverseMargin:10
//	tune -list
//
// A number is a tunable of the player's search, or a constant of the program. Tunables are declared with their
// defaults, ranges and steps, see -list; start and step of name=start:step take the place of those, and either may be
// left out. A name=value without a colon stays. A constant is name:step, where a line "name = number" of the folder's
// sources declares it.
//
// With constants the program is built twice a step, and the player is the options of an external engine; with tunables
// alone it is as in tesla match. With -positions no games are played: what the players' moves lose (tesla regret) in 60
// positions of a file of games counts for one game. With -fleet the games are played by the workers of a fleet, which must
// be of the same commit. A run that was stopped goes on from its state. Run it where the module's root is.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"tesla/internal/output"
	"tesla/search/treesearch"
)

// number is what is tuned: a word of SearchOptions, or a constant of a source file.
type number struct {
	Name       string
	Step, Mean float64

	most     float64        // of a word, whose least is 0
	file     string         // of a constant; empty for a word
	line     *regexp.Regexp // that declares it: its groups are what stands before the number, and the number
	decimals int
}

// state is what a run goes on from.
type state struct {
	Steps, Games int
	Numbers      []*number
}

func main() {
	games := flag.Int("games", 64, "games of a step")
	limit := flag.String("limit", "nodes=10000", "nodes=N or evals=N for a move, or tc=2+0.02 for a game")
	player := flag.String("player", "option.Search=lazysmp,option.Backend=nnue,option.Threads=1", "the player, as for tesla match --a")
	regime := flag.String("regime", string(treesearch.Plain), "whose defaults tunables start at: plain or deepened leaves")
	folder := flag.String("folder", "alphabeta", "folder of the constants")
	rate := flag.Float64("rate", 0.02, "steps that the mean moves for each game won, at first")
	half := flag.Float64("half", 4000, "games after which the rate has halved")
	end := flag.Duration("end", time.Hour, "time to stop after")
	seed := flag.Uint64("seed", 1, "seed of directions and openings")
	path := flag.String("state", "tune.json", "file of the state")
	positions := flag.String("positions", "", "file of games to compare the players on, instead of matches")
	fleet := flag.String("fleet", "", "have the games played by the workers of this fleet, HOST:PORT")
	token := flag.String("token", "", "token of the fleet's server")
	ca := flag.String("ca", "", "PEM file of the certificates that are trusted, for a fleet with TLS")
	show := flag.Bool("list", false, "list the tunables and end")
	flag.Parse()
	if *show {
		list(os.Stdout)
		return
	}
	t := tuner{games: *games, limit: *limit, player: *player, regime: treesearch.Regime(*regime), folder: *folder, rate: *rate, half: *half, seed: *seed, path: *path,
		positions: *positions}
	if *fleet != "" {
		t.fleet = []string{"--fleet", *fleet, "--token", *token, "--ca", *ca}
	}
	if err := t.run(flag.Args(), time.Now().Add(*end)); err != nil {
		fmt.Fprintln(os.Stderr, "tune:", err)
		os.Exit(1)
	}
}

type tuner struct {
	state
	games                 int
	limit, player, folder string
	regime                treesearch.Regime
	rate, half            float64
	seed                  uint64
	path, work, positions string
	fleet                 []string // flags of the fleet that plays; none: this machine does
	words                 []string // options that stay
	sources               map[string][]byte
}

func (t *tuner) run(args []string, end time.Time) (err error) {
	if t.work, err = os.MkdirTemp("", "tune"); err != nil {
		return err
	}
	defer os.RemoveAll(t.work)
	if err := t.find(args); err != nil {
		return err
	}
	if err := output.Check(t.path, isState); err != nil {
		return err
	}
	release, err := output.Hold(t.path)
	if err != nil {
		return err
	}
	defer release()
	if err := t.load(); err != nil {
		return err
	}
	for time.Now().Before(end) {
		if err := t.step(); err != nil {
			return err
		}
	}
	return nil
}

// find reads the arguments, and locates their constants in the sources.
func (t *tuner) find(args []string) error {
	files, err := filepath.Glob(t.folder + "/*.go")
	if err != nil {
		return err
	}
	t.sources = map[string][]byte{}
	for _, file := range files {
		if t.sources[file], err = os.ReadFile(file); err != nil {
			return err
		}
	}
	for _, arg := range args {
		if _, _, fixed := strings.Cut(arg, "="); fixed && !strings.Contains(arg, ":") {
			t.words = append(t.words, arg)
			continue
		}
		n, err := t.parse(arg)
		if err != nil {
			return err
		}
		t.Numbers = append(t.Numbers, n)
	}
	switch {
	case len(t.Numbers) == 0:
		return errors.New("name numbers: see -help, and -list for tunables")
	case t.fleet != nil && t.constants():
		return errors.New("-fleet: a constant needs programs of its own, which workers do not have; tune tunables, or play here")
	case t.fleet != nil && t.positions != "":
		return errors.New("-fleet: with -positions no games are played")
	}
	return nil
}

// parse reads an argument name[=start][:step].
func (t *tuner) parse(arg string) (n *number, err error) {
	name, step, _ := strings.Cut(arg, ":")
	name, start, _ := strings.Cut(name, "=")
	n = &number{Name: name, decimals: 4}
	if u := tunable(t.player, name); u != nil {
		start, n.Step, n.most = cmp.Or(start, u.Defaults[t.regime]), u.Step, u.Max
	} else if start, err = n.locate(t.sources); err != nil {
		return nil, fmt.Errorf("%s: no tunable %s of the player's search, and no constant in %s", arg, name, t.folder)
	}
	if step != "" {
		if n.Step, err = strconv.ParseFloat(step, 64); err != nil {
			return nil, fmt.Errorf("%s: step: %w", arg, err)
		}
	}
	if n.Step <= 0 {
		return nil, fmt.Errorf("%s: want a step above 0", arg)
	}
	if n.Mean, err = strconv.ParseFloat(start, 64); err != nil {
		return nil, fmt.Errorf("%s: start: %w", arg, err)
	}
	return n, nil
}

// clamp keeps the value of a word within its range.
func (n *number) clamp(v float64) float64 {
	if n.file != "" {
		return v
	}
	return max(0, min(n.most, v))
}

// locate finds the line that declares a constant, and its value.
func (n *number) locate(sources map[string][]byte) (value string, err error) {
	n.line = regexp.MustCompile(`(?m)^(\t` + regexp.QuoteMeta(n.Name) + `\s+= )(-?[0-9.]+)\b`)
	for file, text := range sources {
		if m := n.line.FindSubmatch(text); m != nil {
			n.file, value = file, string(m[2])
		}
	}
	if n.file == "" {
		return "", fmt.Errorf("no constant %s", n.Name)
	}
	n.decimals = 0
	if _, fraction, ok := strings.Cut(value, "."); ok {
		n.decimals = max(3, len(fraction))
	}
	return value, nil
}

// load takes the means, and what was played, from the file of the state, if there is one.
func (t *tuner) load() error {
	text, err := os.ReadFile(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var old state
	if err := json.Unmarshal(text, &old); err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	t.Steps, t.Games = old.Steps, old.Games
	for _, n := range t.Numbers {
		for _, o := range old.Numbers {
			if o.Name == n.Name {
				n.Mean = o.Mean
			}
		}
	}
	return nil
}

// step plays the games of one pair of players and moves the means.
func (t *tuner) step() error {
	random := rand.New(rand.NewPCG(t.seed, uint64(t.Steps)))
	signs := make([]float64, len(t.Numbers))
	for i := range signs {
		signs[i] = float64(1 - 2*random.IntN(2))
	}
	var sides [2]string
	for k, side := range []struct {
		name string
		sign float64
	}{{"plus", 1}, {"minus", -1}} {
		values := make([]string, len(signs))
		for i, n := range t.Numbers {
			v := n.clamp(n.Mean + side.sign*signs[i]*n.Step)
			if n.decimals == 0 { // rounded at random
				v = math.Floor(v + random.Float64())
			}
			values[i] = strconv.FormatFloat(v, 'f', n.decimals, 64)
		}
		if err := t.build(side.name, values); err != nil {
			return err
		}
		sides[k] = t.side(side.name, values)
	}
	won, err := t.play(sides)
	if err != nil {
		return err
	}
	step := t.rate / (1 + float64(t.Games)/t.half) * won
	for i, n := range t.Numbers {
		n.Mean = n.clamp(n.Mean + step*signs[i]*n.Step)
	}
	t.Steps++
	t.Games += t.games
	fmt.Printf("step %d games %d won %+.1f:", t.Steps, t.Games, won)
	for _, n := range t.Numbers {
		fmt.Printf(" %s %.4g", n.Name, n.Mean)
	}
	fmt.Println()
	text, err := json.MarshalIndent(t.state, "", "\t")
	if err != nil {
		return err
	}
	return output.WriteBytes(t.path, isState, append(text, '\n'))
}

// isState recognizes the file of a state.
var isState = output.Begins("{\n\t\"Steps\":")

func (t *tuner) build(name string, values []string) error {
	edited := map[string][]byte{}
	for i, n := range t.Numbers {
		if n.file == "" {
			continue
		}
		text, ok := edited[n.file]
		if !ok {
			text = t.sources[n.file]
		}
		edited[n.file] = n.line.ReplaceAll(text, []byte("${1}"+values[i]))
	}
	program := filepath.Join(t.work, name)
	if _, err := os.Stat(program); err == nil && len(edited) == 0 {
		return nil
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for file, text := range edited {
		copied := filepath.Join(t.work, name+"-"+filepath.Base(file))
		if err := os.WriteFile(copied, text, 0o644); err != nil {
			return err
		}
		overlay.Replace[file] = copied
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return err
	}
	listed := filepath.Join(t.work, name+".json")
	if err := os.WriteFile(listed, text, 0o644); err != nil {
		return err
	}
	out, err := exec.Command("go", "build", "-overlay", listed, "-o", program, "./cmd/tesla").CombinedOutput()
	if err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	return nil
}

// side is the text of a player with values of the words.
func (t *tuner) side(name string, values []string) string {
	player := "name=" + name + "," + t.player
	words := slices.Clone(t.words)
	for i, n := range t.Numbers {
		if n.file == "" {
			words = append(words, n.Name+"="+values[i])
		}
	}
	if t.constants() {
		player += ",cmd=" + filepath.Join(t.work, name)
	}
	if len(words) > 0 {
		player += ",option.SearchOptions=" + strings.Join(words, " ")
	}
	return player
}

// constants reports whether any are tuned.
func (t *tuner) constants() bool {
	return slices.ContainsFunc(t.Numbers, func(n *number) bool { return n.file != "" })
}

// perGame is how many positions count for one game.
const perGame = 60

// compare is play, but measured by the regret of moves instead of games.
func (t *tuner) compare(sides [2]string) (float64, error) {
	name, count, _ := strings.Cut(t.limit, "=")
	out, err := exec.Command(filepath.Join(t.work, "plus"), "regret", "--json", "--"+name, count, "--from", t.positions,
		"--positions", strconv.Itoa(perGame*t.games), "--seed", strconv.FormatUint(t.seed+uint64(t.Steps), 10),
		"--verdicts", t.path+".verdicts", "--player", sides[0], "--player", sides[1]).Output()
	if err != nil {
		return 0, fmt.Errorf("regret: %w", err)
	}
	var result struct {
		Positions int
		Players   []struct{ Diff float64 }
	}
	if err := json.Unmarshal(out, &result); err != nil || len(result.Players) != 2 {
		return 0, fmt.Errorf("regret: %w: %s", err, out)
	}
	return 2 * float64(result.Positions) * result.Players[1].Diff, nil // a win and a loss are two points apart
}

// match are the arguments of the match of a step.
func (t *tuner) match(sides [2]string) []string {
	args := []string{"match", "--json", "--games", strconv.Itoa(t.games), "--" + t.limit,
		"--concurrency", strconv.Itoa(runtime.NumCPU()), "--seed", strconv.FormatUint(t.seed+uint64(t.Steps), 10),
		"--resign", "moves=3,score=800", "--draw", "moves=6,score=10", "--a", sides[0], "--b", sides[1]}
	if t.fleet != nil {
		args = append(append(args, t.fleet...), "--journal", filepath.Join(t.work, fmt.Sprintf("step-%d.jsonl", t.Steps)))
	}
	return args
}

// play is the games that plus won less the games that it lost.
func (t *tuner) play(sides [2]string) (float64, error) {
	if t.positions != "" {
		return t.compare(sides)
	}
	match := exec.Command(filepath.Join(t.work, "plus"), t.match(sides)...)
	match.Stderr = os.Stderr // which workers are refused, for example
	out, err := match.Output()
	if err != nil {
		return 0, fmt.Errorf("match: %w", err)
	}
	var result struct{ Games, Wins, Losses int }
	if err := json.Unmarshal(out, &result); err != nil {
		return 0, fmt.Errorf("match: %w: %s", err, out)
	}
	if result.Games != t.games {
		return 0, fmt.Errorf("match: %d games of %d", result.Games, t.games)
	}
	return float64(result.Wins - result.Losses), nil
}
