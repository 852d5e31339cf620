package alphabeta

import (
	"sync"
	"sync/atomic"

	"tesla/board"
)

// lazySMP lets threads search the same position; they share nothing but the table: what one has found the others find
// there.
type lazySMP struct {
	alone
	options Options
	first   atomic.Int64 // depth that the first thread searches

	mu    sync.Mutex
	found []Line // the last depth that each helper completed, by number
}

func (m *lazySMP) begin(x *running) {
	m.first.Store(0)
	m.found = make([]Line, len(x.threads))
	for i, t := range x.threads[1:] {
		if !m.options.Histories {
			*t.history = *x.threads[0].history
		}
		if m.options.Windows {
			t.widen = windowStep * (i%windowSteps + 1)
		}
		t.noise = m.options.Noise
		t.seed = uint64(i + 1)
	}
}

func (m *lazySMP) iterate(x *running, depth, guess int) (Line, bool) {
	m.first.Store(int64(depth))
	return m.alone.iterate(x, depth, guess)
}

// How much wider the windows of helpers are, in centipawns.
const (
	windowStep  = 6
	windowSteps = 3
)

// help searches as the first thread does, as differently as the options say. Whoever completes the last depth that is
// asked for ends the search.
func (m *lazySMP) help(x *running, t *Thread, number int) {
	most, score := x.mostDepth(), 0
	for depth := 1; depth <= most && !t.stopped; depth++ {
		if m.options.Offsets {
			depth = min(most, max(depth, int(m.first.Load())+number%2))
		}
		line, ok := t.iterate(depth, score)
		if !ok {
			return
		}
		score = line.Score
		m.mu.Lock()
		m.found[number] = line
		m.mu.Unlock()
		if depth == x.limits.Depth && x.limits.MultiPV <= 1 {
			x.end()
		}
	}
}

// choose takes a mate, the shortest, else the deepest line and of these the one of the highest score, or votes: each thread
// for its move, with its depth times what its score exceeds the lowest by.
func (m *lazySMP) choose(best Line) Line {
	m.mu.Lock()
	defer m.mu.Unlock()
	lines := []Line{best}
	for _, l := range m.found {
		if len(l.PV) > 0 {
			lines = append(lines, l)
		}
	}
	votes := votesOf(lines)
	better := func(a, b *Line) bool {
		switch {
		case max(a.Score, b.Score) >= decided:
			return a.Score > b.Score
		case m.options.Vote:
			return votes[a.PV[0]] > votes[b.PV[0]]
		}
		return a.Depth > b.Depth || a.Depth == b.Depth && a.Score > b.Score
	}
	for i := range lines {
		if len(best.PV) == 0 || better(&lines[i], &best) {
			best = lines[i]
		}
	}
	return best
}

// votePlus is what each vote counts beyond the difference of scores, in centipawns.
const votePlus = 14

func votesOf(lines []Line) map[board.Move]int {
	least := lines[0].Score
	for i := range lines {
		least = min(least, lines[i].Score)
	}
	votes := map[board.Move]int{}
	for i := range lines {
		if l := &lines[i]; len(l.PV) > 0 {
			votes[l.PV[0]] += (l.Score - least + votePlus) * l.Depth
		}
	}
	return votes
}
