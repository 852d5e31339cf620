package match

// fixture is one game of the schedule. Players are indices: 0 is A, 1 is B, others follow.
type fixture struct {
	round   int // from 0; all pairings play the same opening in a round
	pairing int
	leg     int    // of the pair: in leg 0 the pairing's first player has White, in leg 1 Black
	sides   [2]int // players with White and Black
}

// The formats: who meets whom where there are more than two players.
const (
	RoundRobin = "round-robin" // everyone meets everyone
	Gauntlet   = "gauntlet"    // A meets everyone
)

// schedule puts games into rounds. In each round every pairing plays one opening twice, with both colours, so that all
// pairings have the same number of games at any time. With an odd number of games the last opening of each pairing is
// played once.
type schedule struct {
	games    int // of each pairing
	pairings [][2]int
}

func newSchedule(players, games int, format string) schedule {
	s := schedule{games: games}
	for i := range players {
		for j := i + 1; j < players && (i == 0 || format != Gauntlet); j++ {
			s.pairings = append(s.pairings, [2]int{i, j})
		}
	}
	return s
}

func (s *schedule) total() int { return s.games * len(s.pairings) }

// rounds is the number of rounds, each with one opening.
func (s *schedule) rounds() int { return (s.games + 1) / 2 }

// at is the game of the given number, 0 <= number < total.
func (s *schedule) at(number int) fixture {
	var f fixture
	whole := s.games / 2 * 2 * len(s.pairings) // games of rounds that have two for each pairing
	if number < whole {
		pair := number / 2
		f.round, f.pairing, f.leg = pair/len(s.pairings), pair%len(s.pairings), number%2
	} else {
		f.round, f.pairing = s.games/2, number-whole
	}
	f.sides = s.pairings[f.pairing]
	if f.leg == 1 {
		f.sides[0], f.sides[1] = f.sides[1], f.sides[0]
	}
	return f
}

// local is the number of the game within its pairing, from 0: games 2k and 2k+1 are a pair.
func (f *fixture) local() int { return 2*f.round + f.leg }
