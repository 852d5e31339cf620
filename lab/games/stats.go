package games

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"tesla/board"
)

// Count counts games by their results, and their searched positions.
type Count struct {
	White     int `json:"white"` // wins
	Draws     int `json:"draws"`
	Black     int `json:"black"`
	Positions int `json:"positions"` // searched ones
}

// Games is the number of games.
func (c *Count) Games() int { return c.White + c.Draws + c.Black }

// Add counts a game.
func (c *Count) Add(g *Game) {
	switch g.Result {
	case 1:
		c.White++
	case 0:
		c.Draws++
	default:
		c.Black++
	}
	c.Positions += len(g.Plies)
}

// String is the counts as text.
func (c *Count) String() string {
	return fmt.Sprintf("games %d (white wins %d, draws %d, black wins %d), positions %d",
		c.Games(), c.White, c.Draws, c.Black, c.Positions)
}

// Stats tells how useful a set of games is for training. Shares are of the searched positions.
type Stats struct {
	Count
	Distinct int     `json:"distinct"` // positions with different keys
	Repeated int     `json:"repeated"` // games with the moves of an earlier one
	Balanced float64 `json:"balanced"` // share with a score within 100 centipawns
	Decided  float64 `json:"decided"`  // share with a score beyond 600 centipawns
	Mates    float64 `json:"mates"`    // share with the score of a mate
	Captures float64 `json:"captures"` // share in which the best move is a capture
	Checks   float64 `json:"checks"`   // share in which the side to move is in check
	// Agreement is the share of decisive games that the side ahead by 100 centipawns after half of the moves won. Games
	// in which neither side was ahead by that much do not count.
	Agreement float64 `json:"agreement"`
}

// Gather collects Stats.
type Gather struct {
	Stats
	keys               map[uint64]struct{}
	lines              map[uint64]struct{}
	ahead, won         int
	balanced, decided  int
	mates, taken, inIt int
}

// NewGather makes an empty Gather.
func NewGather() *Gather {
	return &Gather{keys: map[uint64]struct{}{}, lines: map[uint64]struct{}{}}
}

// Repeats reports whether an earlier game had the same moves, and remembers those of this one.
func (s *Gather) Repeats(g *Game) bool {
	moves := binary.LittleEndian.AppendUint64(nil, g.Start.Key)
	for _, c := range g.Opening {
		moves = binary.LittleEndian.AppendUint16(moves, uint16(c))
	}
	for i := range g.Plies {
		moves = binary.LittleEndian.AppendUint16(moves, uint16(g.Plies[i].Move))
	}
	h := fnv.New64a()
	h.Write(moves)
	_, known := s.lines[h.Sum64()]
	s.lines[h.Sum64()] = struct{}{}
	return known
}

// Add adds a game.
func (s *Gather) Add(g *Game) error {
	s.Count.Add(g)
	if s.Repeats(g) {
		s.Repeated++
	}
	if half := len(g.Plies) / 2; half > 0 && g.Result != 0 {
		score, black := g.Plies[half].Score, g.Start.Black != ((half+len(g.Opening))&1 == 1)
		if black {
			score = -score
		}
		if score > 100 || score < -100 {
			s.ahead++
			if score > 0 == (g.Result > 0) {
				s.won++
			}
		}
	}
	_, err := g.Labels(func(ply int, p *board.Position, best board.Move) error {
		s.keys[p.Key] = struct{}{}
		score := g.Plies[ply].Score
		score = max(score, -score)
		count(&s.balanced, score <= 100)
		count(&s.decided, score > 600)
		count(&s.mates, score > MateScore-1000)
		count(&s.taken, best.IsCapture())
		count(&s.inIt, p.InCheck())
		return nil
	})
	return err
}

func count(n *int, is bool) {
	if is {
		*n++
	}
}

// Done is the statistics of the games so far.
func (s *Gather) Done() Stats {
	share := func(n, of int) float64 { return float64(n) / float64(max(1, of)) }
	r := s.Stats
	r.Distinct = len(s.keys)
	r.Balanced, r.Decided, r.Mates = share(s.balanced, r.Positions), share(s.decided, r.Positions), share(s.mates,
		r.Positions)
	r.Captures, r.Checks, r.Agreement = share(s.taken, r.Positions), share(s.inIt, r.Positions), share(s.won, s.ahead)
	return r
}

// String is the statistics as text, without the last end of line.
func (s Stats) String() string {
	return fmt.Sprintf("%s\n%d distinct positions (%.1f %%), %d games repeat one before\n"+
		"positions within 100 centipawns %.1f %%, beyond 600 %.1f %%, mates %.1f %%; the best move a capture %.1f %%, in check %.1f %%\n"+
		"of the decisive games with a side ahead by 100 centipawns halfway that side won %.1f %%", &s.Count, s.Distinct,
		100*float64(s.Distinct)/float64(max(1, s.Positions)), s.Repeated, 100*s.Balanced, 100*s.Decided, 100*s.Mates, 100*s.Captures,
		100*s.Checks, 100*s.Agreement)
}
