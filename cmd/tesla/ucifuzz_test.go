package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tesla/board"
	"tesla/internal/slow"
	"tesla/search"
)

// fuzzSeed is the variable for the seed of TestUCIFuzz. Without it the seed is 1, and a new one with TESLA_LONG.
const fuzzSeed = "TESLA_FUZZ_SEED"

// Limits of the answers. A processor that another process had is not counted, see runDelay.
const (
	promptly = 100 * time.Millisecond // after stop, isready during a search, and the end of the time
	atLast   = 60 * time.Second       // to any answer, after a net was loaded
)

// fuzzer drives the engine and checks what it says.
type fuzzer struct {
	t      *testing.T
	p      *program
	random *rand.Rand
	write  *fuzzWriter
	began  time.Time
	strict bool // the limits of time hold
	tree   bool // it is a tree search

	heard   time.Time // when the last line was read
	pending []*fuzzGo // not yet answered, the next first
	readies int       // isready lines not yet answered
	prompts bool      // there may be lines that are no part of the protocol
	latest  map[int]report
	rank    int    // of the last report
	evals   string // the last report of evaluations, which the tree searches limit by nodes

	log    []string // the last lines in both directions
	faults map[string]int
	gos    int
	stops  []time.Duration // how long the answers to stop took
}

// Every go of a session of valid and invalid commands is answered by one legal bestmove, soon after stop, and every
// isready by readyok; the reports are well-formed and fit the position. With TESLA_LONG it takes a minute a searcher.
func TestUCIFuzz(t *testing.T) {
	seed, length, long := uint64(1), 900*time.Millisecond, os.Getenv("TESLA_LONG") != ""
	if long {
		seed, length = uint64(time.Now().UnixNano()), time.Minute
	}
	if text := os.Getenv(fuzzSeed); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("%s: %v", fuzzSeed, err)
		}
	}
	for i, name := range searchers {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			f := &fuzzer{t: t, random: random, write: newFuzzWriter(random, name, long), faults: map[string]int{},
				strict: !slow.Race}
			for end := time.Now().Add(length); time.Now().Before(end) && !t.Failed(); {
				f.session(name, end)
			}
			f.summary(seed)
		})
	}
}

// summary says what was done and found.
func (f *fuzzer) summary(seed uint64) {
	slices.Sort(f.stops)
	var median, most time.Duration
	if n := len(f.stops); n > 0 {
		median, most = f.stops[n/2], f.stops[n-1]
	}
	f.t.Logf("seed %d: %d searches, %d of them stopped, answered in %v at the median and %v at most", seed, f.gos,
		len(f.stops), median.Round(time.Millisecond), most.Round(time.Millisecond))
	for kind, n := range f.faults {
		f.t.Errorf("%d times: %s", n, kind)
	}
}

// fault reports a fault with the lines before it, once for each format.
func (f *fuzzer) fault(format string, args ...any) {
	if f.faults[format]++; f.faults[format] == 1 {
		f.t.Logf("FAULT: "+format+"\n%s", append(args, strings.Join(f.log, "\n"))...)
	}
}

// fatal ends the test.
func (f *fuzzer) fatal(format string, args ...any) {
	f.t.Helper()
	f.t.Fatalf(format+"\n%s\nstandard error: %s", append(args, strings.Join(f.log, "\n"), &f.p.stderr)...)
}

// note keeps a line for the report of a fault.
func (f *fuzzer) note(direction, text string) {
	const most = 160
	if text = strings.ToValidUTF8(text, "?"); len(text) > most {
		text = fmt.Sprintf("%s.. (%d bytes)", strings.ToValidUTF8(text[:most], ""), len(text))
	}
	f.log = append(f.log, fmt.Sprintf("%9.3f %s %q", time.Since(f.began).Seconds(), direction, text))
	f.log = f.log[max(0, len(f.log)-60):]
}

// session starts the engine, runs some episodes, and ends it in one of several ways.
func (f *fuzzer) session(searcher string, end time.Time) {
	f.p, f.began, f.log = startProgram(f.t), time.Now(), nil
	f.pending, f.readies, f.prompts, f.latest = nil, 0, false, nil
	f.tree = searcher == "bestfirst" || searcher == "puct"
	f.write = newFuzzWriter(f.random, searcher, f.write.long)
	f.send(fuzzLine{text: "uci"})
	for _, option := range []string{"Backend value nnue", "TreeMemory value 16", "Search value " + searcher} {
		f.send(fuzzLine{text: "setoption name " + option})
	}
	for range 10 + f.random.IntN(40) {
		if f.random.IntN(4) == 0 {
			f.burst()
		} else {
			f.single()
		}
		if time.Now().After(end) {
			break
		}
	}
	f.leave()
}

// leave ends the session by quit or the end of the input, sometimes during a search or in the middle of a line.
func (f *fuzzer) leave() {
	if f.random.IntN(2) == 0 {
		f.send(f.write.goes())
	}
	if f.random.IntN(2) == 0 {
		f.send(fuzzLine{text: "quit"})
	} else if l := f.write.goes(); f.random.IntN(2) == 0 {
		f.expect(l)
		f.note(">", l.text+" (no end of line)")
		fmt.Fprint(f.p.in, l.text)
	}
	f.p.in.Close()
	for f.hear(atLast) {
	}
	code, err := f.p.end(10 * time.Second)
	switch {
	case err != nil:
		f.fatal("after quit or the end of input: %v", err)
	case code != 0:
		f.fatal("exit code %d", code)
	case len(f.pending) > 0:
		f.fault("the session ended with %d go unanswered", len(f.pending))
	case f.p.stderr.String() != "":
		f.fault("standard error: %s", &f.p.stderr)
	}
}

// expect notes what the answer to a line has to be.
func (f *fuzzer) expect(l fuzzLine) {
	words := strings.Fields(l.text)
	if len(words) > 1 && words[0] == "joho" {
		words = words[1:]
	}
	switch {
	case l.goes != nil:
		f.pending = append(f.pending, l.goes)
		f.gos++
	case len(words) > 0 && words[0] == "isready":
		f.readies++
	case len(words) > 0 && (words[0] == "d" || words[0] == "uci" || len(words) > 1 && words[1] == "perft"):
		f.prompts = true
	}
}

// send writes a line, sometimes with the end that Windows gives it.
func (f *fuzzer) send(l fuzzLine) {
	f.expect(l)
	f.note(">", l.text)
	ending := "\n"
	if f.random.IntN(10) == 0 {
		ending = "\r\n"
	}
	if _, err := fmt.Fprint(f.p.in, l.text, ending); err != nil {
		f.fatal("writing to the engine: %v", err)
	}
}

// hear checks the next line of the engine. It returns false at the end of the output, or if there is none in time.
func (f *fuzzer) hear(wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case l, open := <-f.p.lines:
		if open {
			f.heard = l.at
			f.check(l.text)
		}
		return open
	case <-timer.C:
		return false
	}
}

// await hears lines until the condition holds, or for a time.
func (f *fuzzer) await(limit time.Duration, until func() bool) bool {
	for end := time.Now().Add(limit); !until(); {
		if left := time.Until(end); left <= 0 || !f.hear(left) {
			return until()
		}
	}
	return true
}

// rest hears lines for a short time.
func (f *fuzzer) rest(most time.Duration) {
	f.await(time.Duration(f.random.Int64N(int64(most)+1)), func() bool { return false })
}

// sync waits until the engine is ready and has answered everything.
func (f *fuzzer) sync() {
	f.send(fuzzLine{text: "isready"})
	if !f.await(atLast, func() bool { return f.readies == 0 && len(f.pending) == 0 }) {
		f.fatal("after %v, %d isready and %d go have no answer", atLast, f.readies, len(f.pending))
	}
}

// answered reports whether nothing is asked.
func (f *fuzzer) answered() bool { return len(f.pending) == 0 }

// within sends a line and waits for a condition. It reports a fault if that takes longer than the limit.
func (f *fuzzer) within(limit time.Duration, what string, l fuzzLine, until func() bool) time.Duration {
	delay, began := f.p.runDelay(), time.Now()
	f.send(l)
	if !f.await(atLast, until) {
		f.fatal("%s: no answer in %v", what, atLast)
	}
	took := max(0, f.heard.Sub(began)) // the answer may have crossed the line
	if f.strict && took > limit {
		if own := took - (f.p.runDelay() - delay); own > limit {
			f.fault(what+": answered after %v, %v without waiting for a processor", took, own)
		}
	}
	return took
}

// single runs one search, with lines before and during it.
func (f *fuzzer) single() {
	for range f.random.IntN(4) {
		for _, l := range pick(f.random, f.write.any, f.write.any, f.setup)() {
			if l.goes == nil {
				f.send(l)
			}
		}
	}
	ready := f.random.IntN(5) > 0
	if ready {
		f.sync()
	}
	l := f.write.goes()
	g := l.goes
	if timed := f.random.IntN(4) > 0; timed && g.limit > 0 && ready && !g.held {
		f.within(g.limit+promptly, "go with a limit of time", l, f.answered)
	} else {
		f.send(l)
	}
	for range f.random.IntN(3) {
		f.rest(30 * time.Millisecond)
		l := fuzzLine{text: f.write.harmless()}
		f.within(promptly+f.loading(ready), "isready during a search", l, func() bool { return f.readies == 0 })
	}
	f.rest(pick(f.random, 0, 20*time.Millisecond, 200*time.Millisecond))
	if g.held && f.answered() && len(g.games) > 0 && !g.refused {
		f.fault("bestmove before stop")
	}
	if g.ponder && f.random.IntN(2) == 0 {
		f.send(fuzzLine{text: "ponderhit"})
		f.rest(50 * time.Millisecond)
	}
	searching := !f.answered()
	stop := fuzzLine{text: "stop"}
	if took := f.within(promptly+f.loading(ready), "stop", stop, f.answered); searching && ready {
		f.stops = append(f.stops, took)
	}
	f.sync()
}

// loading is how long an engine may take more that was not asked whether it is ready.
func (f *fuzzer) loading(ready bool) time.Duration {
	if ready {
		return 0
	}
	return atLast
}

// setup is a position and options.
func (f *fuzzer) setup() []fuzzLine { return []fuzzLine{{text: f.write.position()}} }

// burst sends many lines without waiting for their answers.
func (f *fuzzer) burst() {
	for range 2 + f.random.IntN(8) {
		for _, l := range f.write.any() {
			f.send(l)
		}
		if f.random.IntN(4) == 0 {
			f.rest(20 * time.Millisecond)
		}
	}
	for end := time.Now().Add(atLast); !f.answered(); {
		if time.Now().After(end) {
			f.fatal("after %v, %d go have no answer", atLast, len(f.pending))
		}
		f.send(fuzzLine{text: "stop"})
		f.await(50*time.Millisecond, f.answered)
	}
	f.sync()
}

// check checks a line of the engine.
func (f *fuzzer) check(line string) {
	f.note("<", line)
	word, _, _ := strings.Cut(line, " ")
	switch {
	case strings.Contains(line, "panic"):
		f.fault("the engine says: %s", line)
	case word == "readyok":
		if f.readies--; f.readies < 0 {
			f.fault("a readyok too many")
		}
	case word == "bestmove":
		f.checkAnswer(line)
	case strings.HasPrefix(line, "info string evaluations "):
		f.evals = line
	case strings.HasPrefix(line, "info string"):
	case word == "info":
		f.checkReport(line)
	case word == "id" || word == "option" || word == "uciok" || f.prompts:
	default:
		f.fault("unknown line: %s", line)
	}
}

// checkReport checks an info line.
func (f *fuzzer) checkReport(line string) {
	r, err := parseReport(line)
	if err != nil {
		f.fault("malformed: %v: %s", err, line)
		return
	}
	if f.answered() {
		f.fault("a report outside a search: %s", line)
		return
	}
	g := f.pending[0]
	if len(g.games) == 0 {
		if len(r.pv) > 0 {
			f.fault("a line from a position that was refused: %s", line)
		}
		return
	}
	var end *board.Game
	for _, game := range g.games {
		if end, err = r.follow(game, g.chess960); err == nil {
			break
		}
	}
	switch {
	case err != nil:
		f.fault("line: %v: %s", err, line)
	case r.rank > g.ranks:
		f.fault("a rank beyond MultiPV: %s", line)
	case g.wdl != (r.wdl != nil) && len(r.pv) > 0:
		f.fault("UCI_ShowWDL is %v: %s", g.wdl, line)
	case len(r.pv) > 0 && r.proves(end) != nil:
		f.fault("%v: %s", r.proves(end), line)
	}
	if r.rank <= f.rank {
		f.checkRanks()
	}
	if f.latest == nil {
		f.latest = map[int]report{}
	}
	f.latest[r.rank], f.rank = r, r.rank
}

// checkRanks checks that the ranks have different moves, the best first, at the end of a set of reports.
func (f *fuzzer) checkRanks() {
	moves, ordered := map[string]int{}, len(f.pending) > 0 && f.pending[0].ordered
	for rank := 1; rank <= len(f.latest); rank++ {
		r, ok := f.latest[rank]
		if !ok || len(r.pv) == 0 {
			continue
		}
		if other := moves[r.pv[0]]; other > 0 {
			f.fault("MultiPV: ranks %d and %d have the move %s", other, rank, r.pv[0])
		}
		moves[r.pv[0]] = rank
		before, ok := f.latest[rank-1]
		exact := ok && before.bound == search.Exact && r.bound == search.Exact
		if ordered && exact && before.score.Value() < r.score.Value() {
			f.fault("MultiPV: rank %d has a better score than the one before", rank)
		}
	}
}

// checkAnswer checks a bestmove.
func (f *fuzzer) checkAnswer(line string) {
	if f.answered() {
		f.fault("a bestmove too many: %s", line)
		return
	}
	f.checkRanks()
	g, last, latest := f.pending[0], f.latest[1], f.latest
	if evals := int64(0); f.evals != "" {
		if _, err := fmt.Sscanf(f.evals, "info string evaluations %d", &evals); err != nil {
			f.fault("%v: %s", err, f.evals)
		} else if f.tree {
			last.nodes = evals
		}
		f.evals = ""
	}
	f.pending, f.latest, f.rank = f.pending[1:], nil, 0
	words := strings.Fields(line)
	if len(words) != 2 && (len(words) != 4 || words[2] != "ponder") {
		f.fault("malformed: %s", line)
		return
	}
	if words[1] == "0000" {
		if !g.refused && g.games[0].Pos.HasLegalMove() {
			f.fault("bestmove 0000 although there are legal moves")
		}
		return
	}
	if !slices.ContainsFunc(g.games, func(game *board.Game) bool { return g.legal(game, words) }) {
		f.fault("not legal: %s", line)
	}
	switch {
	case len(latest) == 0:
		f.fault("no report before %s", line)
	case len(last.pv) == 0 || last.pv[0] != words[1]:
		f.fault("the last line begins with another move than %s", line)
	case g.nodes >= 5000 && last.nodes > g.nodes*102/100:
		f.fault("more nodes than the limit of %d: %d", g.nodes, last.nodes)
	}
}

// legal reports whether the words of a bestmove line are legal moves, written as the protocol wants, and of searchmoves.
func (g *fuzzGo) legal(game *board.Game, words []string) bool {
	r := report{pv: []string{words[1]}}
	if len(words) == 4 {
		r.pv = append(r.pv, words[3])
	}
	p := game.Pos
	alone := board.NewGame(p) // a move after the end of the game by repetition is legal
	if _, err := r.follow(alone, g.chess960); err != nil {
		return false
	}
	allowed := false
	for _, text := range g.only {
		m, err := p.ParseMove(text)
		if err == nil && p.UCI(m, g.chess960) == words[1] {
			return true
		}
		allowed = allowed || err == nil
	}
	return !allowed
}
