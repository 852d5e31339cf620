package speedup

import (
	"fmt"
	"strings"
	"time"

	"tesla/search"
)

// Messenger is implemented by searchers whose threads send messages and wait. Without it communication counts as free.
type Messenger interface {
	// Messages is the number of messages sent in the last search.
	Messages() int64
	// MessageCost is the measured processor time of sending and receiving one message.
	MessageCost() time.Duration
	// Idle is the time that all threads together waited in the last search.
	Idle() time.Duration
	// Path is the critical path of the last search, in nodes; 0 where it was not measured.
	Path() int64
}

// Unit is the unit of work.
type Unit string

// The units of work: plies, or evaluations.
const (
	Depth Unit = "depth"
	Evals Unit = "evals"
)

// The most work that is tried for one position. The depth is the largest that a table entry can hold; the number of
// evaluations is far beyond any tree.
const (
	mostDepth = 127
	mostEvals = 1 << 30
)

func (u Unit) limits(work int64) search.Limits {
	if u == Depth {
		return search.Limits{Depth: int(work), MultiPV: 1}
	}
	return search.Limits{Evals: work, MultiPV: 1}
}

// reached is the work that a search did.
func (u Unit) reached(info *search.Info) int64 {
	if u == Depth {
		return int64(info.Depth)
	}
	return info.Evals
}

// next is the next larger work to try; 0 where there is none.
func (u Unit) next(work int64) int64 {
	switch {
	case u == Depth && work < mostDepth:
		return work + 1
	case u == Evals && work < mostEvals:
		return 2 * work
	}
	return 0
}

// Driver is how a searcher registers for measurement.
type Driver struct {
	Name string
	Unit Unit
	// Open makes a searcher with the given number of threads. Several searchers are open at the same time.
	Open func(threads int) (search.Searcher, error)
	// Baseline makes the one-thread searcher that the others are compared with: the plain PVS of the driver's core or, where
	// there is none, the driver itself.
	Baseline     func() (search.Searcher, error)
	BaselineName string // the head of the baseline's column
	Own          bool   // the baseline is the driver itself on one thread
	// Note tells the reader what threads and work mean for this driver.
	Note string
}

// Find returns the driver with a name. The error lists all names.
func Find(drivers []Driver, name string) (Driver, error) {
	var names []string
	for _, d := range drivers {
		if d.Name == name {
			return d, nil
		}
		names = append(names, d.Name)
	}
	return Driver{}, fmt.Errorf("no searcher %q to measure, want one of %s", name, strings.Join(names, ", "))
}
