// Command tune moves constants of the package alphabeta towards those that win games: simultaneous perturbation
// stochastic approximation (Spall 1992). Each step builds the program twice, with all constants off the mean by their
// widths, in random directions, plays the two against each other at equal nodes, and moves the mean towards the winner.
//
//	tune -games 64 -nodes 10000 -end 2h -seed 1 -state tune.json nullMargin:40 reverseMargin:10 > tune.txt
//
// A constant is a line "name = number" of one of the package's files; behind its name is the width. The state is what a
// run that was stopped goes on from. Run it where the module's root is.
package main

import (
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
	"strconv"
	"strings"
	"time"
)

const folder = "alphabeta"

// constant is a number of a source file that is tuned.
type constant struct {
	Name        string
	Width, Mean float64

	file     string
	line     *regexp.Regexp // that declares it: what stands before the number, and the number
	decimals int
}

// state is what a run goes on from.
type state struct {
	Steps, Games int
	Constants    []*constant
}

func main() {
	games := flag.Int("games", 64, "of a step")
	nodes := flag.Int("nodes", 10000, "a move")
	rate := flag.Float64("rate", 0.02, "widths that the mean moves for each game won, at first")
	half := flag.Float64("half", 4000, "games after which the rate is half as much")
	end := flag.Duration("end", time.Hour, "when to stop")
	seed := flag.Uint64("seed", 1, "of directions and openings")
	path := flag.String("state", "tune.json", "file of the state")
	flag.Parse()
	t := tuner{games: *games, nodes: *nodes, rate: *rate, half: *half, seed: *seed, path: *path}
	if err := t.run(flag.Args(), time.Now().Add(*end)); err != nil {
		fmt.Fprintln(os.Stderr, "tune:", err)
		os.Exit(1)
	}
}

type tuner struct {
	state
	games, nodes int
	rate, half   float64
	seed         uint64
	path, work   string
	sources      map[string][]byte
}

func (t *tuner) run(args []string, end time.Time) (err error) {
	if t.work, err = os.MkdirTemp("", "tune"); err != nil {
		return err
	}
	defer os.RemoveAll(t.work)
	if err := t.find(args); err != nil {
		return err
	}
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

// find locates the constants of the arguments in the sources.
func (t *tuner) find(args []string) error {
	files, err := filepath.Glob(folder + "/*.go")
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
		name, width, _ := strings.Cut(arg, ":")
		c := &constant{Name: name}
		if c.Width, err = strconv.ParseFloat(width, 64); err != nil || c.Width <= 0 {
			return fmt.Errorf("%s: want name:width", arg)
		}
		c.line = regexp.MustCompile(`(?m)^(\t` + regexp.QuoteMeta(name) + `\s+= )(-?[0-9.]+)\b`)
		number := ""
		for file, text := range t.sources {
			if m := c.line.FindSubmatch(text); m != nil {
				c.file, number = file, string(m[2])
			}
		}
		if c.file == "" {
			return fmt.Errorf("%s: no such constant in %s", name, folder)
		}
		if _, fraction, ok := strings.Cut(number, "."); ok {
			c.decimals = max(3, len(fraction))
		}
		if c.Mean, err = strconv.ParseFloat(number, 64); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		t.Constants = append(t.Constants, c)
	}
	if len(t.Constants) == 0 {
		return errors.New("name constants, as name:width")
	}
	return nil
}

// load takes steps and means from the file of the state, where there is one.
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
	for _, c := range t.Constants {
		for _, o := range old.Constants {
			if o.Name == c.Name {
				c.Mean = o.Mean
			}
		}
	}
	return nil
}

// step plays the games of one pair of programs and moves the means.
func (t *tuner) step() error {
	random := rand.New(rand.NewPCG(t.seed, uint64(t.Steps)))
	signs := make([]float64, len(t.Constants))
	for i := range signs {
		signs[i] = float64(1 - 2*random.IntN(2))
	}
	for _, side := range []struct {
		name string
		sign float64
	}{{"plus", 1}, {"minus", -1}} {
		values := make([]float64, len(signs))
		for i, c := range t.Constants {
			values[i] = c.Mean + side.sign*signs[i]*c.Width
		}
		if err := t.build(side.name, values, random); err != nil {
			return err
		}
	}
	won, err := t.play()
	if err != nil {
		return err
	}
	step := t.rate / (1 + float64(t.Games)/t.half) * float64(won)
	for i, c := range t.Constants {
		c.Mean += step * signs[i] * c.Width
	}
	t.Steps++
	t.Games += t.games
	fmt.Printf("step %d games %d won %+d:", t.Steps, t.Games, won)
	for _, c := range t.Constants {
		fmt.Printf(" %s %.4g", c.Name, c.Mean)
	}
	fmt.Println()
	text, err := json.MarshalIndent(t.state, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(t.path, append(text, '\n'), 0o644)
}

// build compiles the program with values of the constants; those of whole numbers are rounded at random.
func (t *tuner) build(name string, values []float64, random *rand.Rand) error {
	edited := map[string][]byte{}
	for i, c := range t.Constants {
		v := values[i]
		if c.decimals == 0 {
			v = math.Floor(v + random.Float64())
		}
		text, ok := edited[c.file]
		if !ok {
			text = t.sources[c.file]
		}
		edited[c.file] = c.line.ReplaceAll(text, []byte("${1}"+strconv.FormatFloat(v, 'f', c.decimals, 64)))
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
	out, err := exec.Command("go", "build", "-overlay", listed, "-o", filepath.Join(t.work, name), "./cmd/tesla").CombinedOutput()
	if err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	return nil
}

// play is the games that plus won less those that it lost.
func (t *tuner) play() (int, error) {
	side := func(flag, name string) []string {
		return []string{flag, fmt.Sprintf("name=%s,cmd=%s,option.Search=lazysmp,option.Backend=nnue,option.Threads=1",
			name, filepath.Join(t.work, name))}
	}
	args := append([]string{"match", "--json", "--games", strconv.Itoa(t.games), "--nodes", strconv.Itoa(t.nodes),
		"--concurrency", strconv.Itoa(runtime.NumCPU()), "--seed", strconv.FormatUint(t.seed+uint64(t.Steps), 10),
		"--resign", "moves=3,score=800", "--draw", "moves=6,score=10"}, side("--a", "plus")...)
	out, err := exec.Command(filepath.Join(t.work, "plus"), append(args, side("--b", "minus")...)...).Output()
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
	return result.Wins - result.Losses, nil
}
