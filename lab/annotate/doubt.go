package annotate

import (
	"context"
	"math"

	"tesla/board"
	"tesla/search"
	"tesla/search/sure"
)

// grades are the marks of moves that lose, the worst first, and the expected points, half of the winning chances, that such a
// move loses at least.
var grades = [...]struct {
	mark  mark
	loses float64
}{{bad, blunder / 2}, {wrong, mistake / 2}, {imprecise, inaccuracy / 2}}

// onlyCount is how much a doubt about an only move counts, beside one about a loss.
const onlyCount = 0.5

// enough is the probability at which a mark is written, and doubtful that below which one is out of the question.
const enough, doubtful = 0.9, 0.1

// Levels of searches, in doublings of the limit of a position. A game has its limit for each position. The first pass takes half
// of that.
const (
	scoutLevel = -3 // finds another move than the search's choice
	firstLevel = -1
	againLevel = 0 // before a loss is written, both of its values are searched once more, to this level at least
	lastLevel  = 3
)

func effort(level int) float64 { return math.Ldexp(1, level) }

// contest is what else could have been played where the search prefers the move of the game.
type contest struct {
	second *evaluation // of the position before the move, with two lines; nil: unknown
	rival  *evaluation // of the position after the other move; nil: unknown
}

// doubts goes through a game of which values are stated: first all positions, with half of the game's effort. The rest goes
// to the searches that promise most for their effort: where a mark is undecided, and before a loss is written.
func (r *run) doubts(ctx context.Context, g *game, number int) error {
	g.contests, g.gap = make([]contest, g.last-g.first), r.gap
	spent, budget := 0.0, float64(g.searches())
	for k := range g.searches() {
		e, err := r.position(ctx, g, ask{number, g.first + k, "", firstLevel, 1})
		spent += effort(firstLevel)
		if err == nil && e.Points == nil {
			e, err = r.position(ctx, g, ask{number, g.first + k, "", firstLevel, 2})
			spent += effort(firstLevel)
		}
		if err != nil {
			return err
		}
		g.evaluations = append(g.evaluations, e)
		r.step()
	}
	for {
		var next *ask
		most, at := 0.0, 0
		for k := range g.contests {
			if !g.judged(g.first + k) {
				continue
			}
			_, want, worth := g.weigh(k)
			if want == nil || worth < mustSearch && spent+effort(want.Level) > budget {
				continue
			}
			if worth /= effort(want.Level); worth > most {
				next, most, at = want, worth, k
			}
		}
		if next == nil {
			return nil
		}
		next.Game = number
		e, err := r.position(ctx, g, *next)
		if err != nil {
			return err
		}
		spent += effort(next.Level)
		g.learn(at, e)
		r.show()
	}
}

// learn keeps what a search found that weigh asked for.
func (g *game) learn(k int, e evaluation) {
	switch {
	case e.Move != "":
		g.contests[k].rival = &e
	case e.Lines > 1:
		c := &g.contests[k]
		c.second = &e
		if move, _, ok := e.besides(g.uci(e.Ply)); ok && c.rival != nil && c.rival.Move != move {
			c.rival = nil
		}
	default:
		g.evaluations[e.Ply-g.first] = e
	}
}

// mustSearch is the worth of a search without which a mark cannot be written, whatever the budget.
const mustSearch = 1e6

// weigh judges the k-th move by the values that are stated, and says which search would make the verdict surer, and what that is
// worth; nil: none.
func (g *game) weigh(k int) (j judgement, next *ask, worth float64) {
	before, after := &g.evaluations[k], &g.evaluations[k+1]
	legal := g.positions[g.first+k].CountLegal()
	if before.Points == nil || after.Points == nil {
		return judge(before, after, g.isBest(k), legal, g.recaptures(k)), nil, 0
	}
	j = judgement{before: before.CP, after: search.Towards(after.CP), isBest: g.isBest(k), forced: legal == 1}
	if j.forced {
		return j, nil, 0
	}
	rival, played := before, after.Points.Towards()
	value := *before.Points
	if j.isBest {
		c := &g.contests[k]
		if c.rival == nil {
			next, worth = g.findRival(k, played)
			return j, next, worth
		}
		if c.rival.Points == nil {
			scores, cp := *before, search.Towards(c.rival.CP)
			scores.Second = &cp
			return judge(&scores, after, true, legal, g.recaptures(k)), nil, 0
		}
		rival, value, j.before = c.rival, c.rival.Points.Towards(), search.Towards(c.rival.CP)
	}
	worth = g.grade(k, &j, value, played)
	if j.mark != 0 && j.mark != onlyMove && !j.unclear && min(levelOf(rival), levelOf(after)) < againLevel {
		worth = mustSearch
	}
	if j.mark == onlyMove && g.contests[k].second.Level < firstLevel { // another second move may be better
		return j, &ask{Ply: g.first + k, Level: firstLevel, Lines: 2}, mustSearch
	}
	if j.isBest && j.mark == 0 { // it lost nothing, as the search before it thought
		j.before = before.CP
	}
	return j, deeper(rival, after), worth
}

// grade marks a move by its value and that of its rival. It returns what it is worth to know them better: the sum of the
// variances of the verdicts that are in doubt, each times its probability, since a doubt that comes to nothing writes no mark.
func (g *game) grade(k int, j *judgement, rival, played sure.Value) (worth float64) {
	doubt := func(p, count float64) {
		if p > doubtful && p < enough {
			worth += count * p * p * (1 - p)
		}
	}
	likely := mark(0)
	for _, grade := range grades {
		p := g.gap.Below(played, rival, grade.loses)
		doubt(p, 1)
		switch {
		case j.mark == 0 && p >= enough:
			j.mark, j.chance = grade.mark, p
		case j.mark == 0 && likely == 0 && p >= 0.5:
			likely, j.chance = grade.mark, p
		}
	}
	if j.mark == 0 && likely != 0 {
		j.mark, j.unclear = likely, true
	}
	if j.mark == 0 && g.mayBeOnly(k, played) {
		p := g.gap.Below(rival, played, blunder/2)
		doubt(p, onlyCount)
		if p >= enough {
			j.mark, j.chance = onlyMove, p
		}
	}
	return worth
}

// mayBeOnly reports whether a move would be marked as the only one if all others were blunders.
func (g *game) mayBeOnly(k int, played sure.Value) bool {
	return g.isBest(k) && !g.recaptures(k) && played.Middle >= 0.5+holds/2
}

// findRival is the search that finds another move than the one played, which the search before it prefers: where that may
// have lost something, or may be the only one.
func (g *game) findRival(k int, played sure.Value) (next *ask, worth float64) {
	ply, c := g.first+k, &g.contests[k]
	loses := g.gap.Below(played, *g.evaluations[k].Points, inaccuracy/2) > doubtful
	switch {
	case !loses && !g.mayBeOnly(k, played):
		return nil, 0
	case c.second == nil && loses:
		return &ask{Ply: ply, Level: firstLevel, Lines: 2}, 1 / 4.0
	case c.second == nil:
		return &ask{Ply: ply, Level: scoutLevel, Lines: 2}, onlyCount / 4
	}
	move, cp, ok := c.second.besides(g.uci(ply))
	if !ok || !loses && played.Middle-sure.Points(cp) < mistake/2 {
		return nil, 0
	}
	return &ask{Ply: ply, Move: move, Level: firstLevel, Lines: 1}, 1 / 4.0
}

// besides is the best move of two lines that is not the one named.
func (e *evaluation) besides(name string) (move string, cp int, ok bool) {
	switch {
	case len(e.Line) > 0 && e.Line[0] != name:
		return e.Line[0], e.CP, true
	case e.Second != nil:
		return e.SecondLine[0], *e.Second, true
	}
	return "", 0, false
}

// deeper is the next search of the shallower of two evaluations; nil where both are certain or at the last level.
func deeper(a, b *evaluation) *ask {
	if levelOf(b) < levelOf(a) {
		a = b
	}
	if levelOf(a) >= lastLevel {
		return nil
	}
	next := a.ask
	next.Level++
	return &next
}

// levelOf is the level of an evaluation. One that is certain is at the last one.
func levelOf(e *evaluation) int {
	if e.Points.Certain() {
		return lastLevel
	}
	return e.Level
}

// isBest reports whether the search before the k-th move prefers it.
func (g *game) isBest(k int) bool {
	e := &g.evaluations[k]
	return len(e.Line) > 0 && e.Line[0] == g.uci(g.first+k)
}

// uci is the i-th move of the game, castling as king takes rook.
func (g *game) uci(i int) string { return g.positions[i].UCI(g.Moves[i], true) }

// recaptures reports whether the k-th judged move takes what has just taken.
func (g *game) recaptures(k int) bool {
	i := g.first + k
	return i > 0 && g.Moves[i-1] != board.NullMove && IsRecapture(g.Moves[i-1], g.Moves[i])
}
