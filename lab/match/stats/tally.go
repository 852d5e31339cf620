package stats

// Failure is how a game was lost other than by play.
type Failure string

// The failures that are counted. FailureNone is that of a game that ended by the rules or by adjudication.
const (
	FailureNone    Failure = ""
	FailureCrash   Failure = "crash"
	FailureTime    Failure = "time" // hangs included
	FailureIllegal Failure = "illegal"
)

// GameFact is what the statistics need to know of a finished game.
type GameFact struct {
	Game    int          // from 0; games 2k and 2k+1 are a pair
	AWhite  bool         // A had White
	Points  int          // A's half points, 0..2
	Plies   int          // moves of both sides, with those of the opening; 0: not known
	Failure Failure      // of either player
	Tables  bool         // endgame tables ended it
	Ponder  [2]Pondering // of A and B
}

// Tally counts games as they end. The SPRT sees pairs in the order of the games, not of their ends: it sees pair k when all
// pairs before it are complete. So the decision depends on the games alone and not on how many ran at a time. After it has
// decided the test sees no more pairs. The zero value counts without a test. It is not safe for concurrent use.
type Tally struct {
	SPRT *SPRT // set before the first game; nil: none

	result   Result
	half     map[int]int // A's half points in pairs of which one game is finished, by pair
	ahead    map[int]int // half points of complete pairs that the test has not seen yet, by pair
	seen     Pentanomial // by the test
	llr      float64
	decision Decision
}

// Add counts a game and reports whether the test has decided, now or before. The result counts games after the decision,
// but the test does not see them: its LLR stays that of the decision.
func (t *Tally) Add(f GameFact) (decided bool) {
	if t.half == nil {
		t.half, t.ahead = map[int]int{}, map[int]int{}
	}
	t.result.add(&f)
	pair := f.Game / 2
	if first, ok := t.half[pair]; ok {
		delete(t.half, pair)
		t.result.Ptnml[first+f.Points]++
		t.ahead[pair] = first + f.Points
		t.test()
	} else {
		t.half[pair] = f.Points
	}
	return t.decision != Undecided
}

// test shows the test the pairs whose turn has come, until it decides.
func (t *Tally) test() {
	for t.SPRT != nil && t.decision == Undecided {
		next := t.seen.Pairs()
		points, ok := t.ahead[next]
		if !ok {
			return
		}
		delete(t.ahead, next)
		t.seen[points]++
		t.llr = t.SPRT.LLR(t.seen)
		t.decision = t.SPRT.Decide(t.llr)
	}
}

// Result is the result of the games so far.
func (t *Tally) Result() Result {
	r := t.result
	r.update()
	if t.SPRT != nil {
		lower, upper := t.SPRT.Bounds()
		r.LLR, r.SPRT = t.llr, &SPRTResult{SPRT: *t.SPRT, Lower: lower, Upper: upper, Pairs: t.seen.Pairs(), Decision: t.decision}
	}
	return r
}
