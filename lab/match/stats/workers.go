package stats

import (
	"maps"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Worker is what a process played for a match.
type Worker struct {
	Name    string      `json:"name"`
	Games   int         `json:"games"`
	Crashes int         `json:"crashes"`
	Time    int         `json:"time_losses"`
	Illegal int         `json:"illegal"`
	Ptnml   Pentanomial `json:"ptnml"`
	P       float64     `json:"p"` // that its results differ from those of the others by chance
}

const (
	leastWorkerPairs = 20    // of a worker and of all others, before they are compared
	deviationP       = 0.001 // as fishtest has it
)

// Deviates reports whether the worker's results can hardly be those of the same match.
func (w *Worker) Deviates() bool { return w.P < deviationP }

// Workers counts games by the process that played them. The zero value is ready.
type Workers struct {
	by   map[string]*Worker
	half map[[2]int]int // A's half points in pairs of which one game is there, by pairing and pair
}

// Add counts a game of a pairing.
func (w *Workers) Add(worker string, pairing int, f *GameFact) {
	if w.by == nil {
		w.by, w.half = map[string]*Worker{}, map[[2]int]int{}
	}
	of := w.by[worker]
	if of == nil {
		of = &Worker{Name: worker}
		w.by[worker] = of
	}
	of.Games++
	switch f.Failure {
	case FailureCrash:
		of.Crashes++
	case FailureTime:
		of.Time++
	case FailureIllegal:
		of.Illegal++
	}
	pair := [2]int{pairing, f.Game / 2}
	if first, ok := w.half[pair]; ok { // a pair that was resumed counts for the worker of its last game
		delete(w.half, pair)
		of.Ptnml[first+f.Points]++
	} else {
		w.half[pair] = f.Points
	}
}

// List are the workers by name, each compared with all others.
func (w *Workers) List() []Worker {
	var all Pentanomial
	for _, of := range w.by {
		for i, n := range of.Ptnml {
			all[i] += n
		}
	}
	list := []Worker{}
	for _, name := range slices.Sorted(maps.Keys(w.by)) {
		of := *w.by[name]
		of.P = deviation(of.Ptnml, all)
		list = append(list, of)
	}
	return list
}

// deviation is the probability that the pairs of one worker, which are among all, differ from the others by at least as
// much by chance: the chi-square test of homogeneity (Pearson 1900). Where there are few pairs it is 1.
func deviation(one, all Pentanomial) float64 {
	n, total := one.Pairs(), all.Pairs()
	if n < leastWorkerPairs || total-n < leastWorkerPairs {
		return 1
	}
	var seen, expected []float64
	kinds := 0
	for i, k := range all {
		if k == 0 {
			continue
		}
		kinds++
		for _, side := range [2][2]int{{one[i], n}, {k - one[i], total - n}} {
			seen = append(seen, float64(side[0]))
			expected = append(expected, float64(k)*float64(side[1])/float64(total))
		}
	}
	if kinds < 2 {
		return 1
	}
	return distuv.ChiSquared{K: float64(kinds - 1)}.Survival(stat.ChiSquare(seen, expected))
}
