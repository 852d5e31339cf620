package player

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Condition is what limits the moves of a player. At most one of the fields is set; the zero value is no limit.
type Condition struct {
	Clock    Clock
	Nodes    int64         // a move
	Evals    int64         // evaluations a move; players in process only
	MoveTime time.Duration // a move
}

// Count is how many fields are set.
func (c Condition) Count() int {
	n := 0
	for _, set := range []bool{c.Clock != Clock{}, c.Nodes != 0, c.Evals != 0, c.MoveTime != 0} {
		if set {
			n++
		}
	}
	return n
}

// String is the condition in words, as in a PGN TimeControl tag.
func (c Condition) String() string {
	switch {
	case c.Clock != Clock{}:
		return c.Clock.String()
	case c.MoveTime != 0:
		return fmt.Sprintf("%g per move", c.MoveTime.Seconds())
	case c.Nodes != 0:
		return fmt.Sprintf("%d nodes per move", c.Nodes)
	}
	return fmt.Sprintf("%d evals per move", c.Evals)
}

// ParseCondition reads what String writes.
func ParseCondition(s string) (c Condition, err error) {
	var n int64
	var seconds float64
	if _, err := fmt.Sscanf(s, "%d nodes per move", &n); err == nil {
		return Condition{Nodes: n}, nil
	}
	if _, err := fmt.Sscanf(s, "%d evals per move", &n); err == nil {
		return Condition{Evals: n}, nil
	}
	if _, err := fmt.Sscanf(s, "%g per move", &seconds); err == nil {
		return Condition{MoveTime: time.Duration(math.Round(seconds * float64(time.Second)))}, nil
	}
	c.Clock, err = ParseClock(s)
	return c, err
}

// Clock is a time control. The zero value is none.
type Clock struct {
	Moves           int // moves that Base is for; 0: the whole game
	Base, Increment time.Duration
}

// ParseClock reads "10+0.1" or "60" in seconds, or "40/60+0.6" for 40 moves in each 60 seconds.
func ParseClock(s string) (Clock, error) {
	var c Clock
	rest := s
	if moves, after, ok := strings.Cut(rest, "/"); ok {
		n, err := strconv.Atoi(moves)
		if err != nil || n < 1 {
			return c, fmt.Errorf("time control %q: %q is not a number of moves", s, moves)
		}
		c.Moves, rest = n, after
	}
	base, increment, _ := strings.Cut(rest, "+")
	for _, part := range []struct {
		text string
		to   *time.Duration
	}{{base, &c.Base}, {increment, &c.Increment}} {
		if part.text == "" && part.to == &c.Increment && !strings.HasSuffix(s, "+") {
			continue
		}
		v, err := strconv.ParseFloat(part.text, 64)
		if err != nil || !(v >= 0 && v < 1e6) {
			return Clock{}, fmt.Errorf("time control %q: %q is not a number of seconds", s, part.text)
		}
		*part.to = time.Duration(v * float64(time.Second))
	}
	if c.Base+c.Increment == 0 {
		return Clock{}, fmt.Errorf("time control %q: no time at all", s)
	}
	return c, nil
}

// String is the clock in the form that ParseClock reads.
func (c Clock) String() string {
	s := strconv.FormatFloat(c.Base.Seconds(), 'g', -1, 64)
	if c.Moves > 0 {
		s = fmt.Sprintf("%d/%s", c.Moves, s)
	}
	if c.Increment > 0 {
		s += "+" + strconv.FormatFloat(c.Increment.Seconds(), 'g', -1, 64)
	}
	return s
}
