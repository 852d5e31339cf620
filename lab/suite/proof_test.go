package suite

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
)

// errEffort says that a proof took more positions than the solver may visit.
var errEffort = errors.New("too many positions to search")

// solver finds the shortest mate by a full-width search: it proves that there is a mate in n moves and that there is
// none in n-1. It knows the fifty-move rule and the repetition of positions of the game. It may leave repetitions
// inside its own lines out: the shortest mate has none.
type solver struct {
	left    int            // positions that it may still visit
	game    map[uint64]int // how often each position of the game has occurred
	clocked bool           // the fifty-move rule may end a line, so the table tells clocks apart
	table   map[state]bounds
	refuted [16]board.Move // by moves to mate: the reply that refuted last, which often refutes again
}

// state is what the distance to mate depends on.
type state struct {
	key   uint64
	clock uint8
}

// bounds are the number of moves in which the side to move mates, and the number in which it does not.
type bounds struct{ mates, fails int8 }

// newSolver makes a solver for the position of a game.
func newSolver(g *board.Game, most, effort int) *solver {
	clocked := int(g.Pos.Halfmove)+2*most >= 100
	s := &solver{left: effort, game: map[uint64]int{}, clocked: clocked, table: map[state]bounds{}}
	for _, key := range g.Keys() {
		s.game[key]++
	}
	return s
}

// distance is the number of moves to mate, negative where the side to move is mated, 0 where it is more than most or
// there is no mate.
func distance(g *board.Game, most, effort int) (int, error) {
	s := newSolver(g, most, effort)
	for n := 1; n <= most; n++ {
		found, err := s.mates(&g.Pos, n)
		if err != nil || found {
			return n, err
		}
		if found, err = s.mated(&g.Pos, n); err != nil || found {
			return -n, err
		}
	}
	return 0, nil
}

// drawn reports whether the game ends in a draw here. p is not mate.
func (s *solver) drawn(p *board.Position) bool {
	return p.Halfmove >= 100 || s.game[p.Key] >= 2 || p.InsufficientMaterial()
}

// mates reports whether the side to move mates in n moves or fewer.
func (s *solver) mates(p *board.Position, n int) (bool, error) {
	if s.left--; s.left < 0 {
		return false, errEffort
	}
	at := state{key: p.Key}
	if s.clocked {
		at.clock = p.Halfmove
	}
	known, seen := s.table[at]
	switch {
	case seen && known.mates != 0 && n >= int(known.mates):
		return true, nil
	case seen && n <= int(known.fails):
		return false, nil
	}
	if n > 1 { // a quick mate is found before slower ones are looked for
		found, err := s.mates(p, n-1)
		if err != nil || found {
			return found, err
		}
	}
	found, err := s.tryMoves(p, n)
	if err != nil {
		return false, err
	}
	known = s.table[at]
	if found {
		known.mates = int8(n)
	} else {
		known.fails = int8(n)
	}
	s.table[at] = known
	return found, nil
}

// tryMoves looks for a move that mates in n moves. The last move has to give check.
func (s *solver) tryMoves(p *board.Position, n int) (bool, error) {
	type choice struct {
		next    board.Position
		replies int
		check   bool
	}
	var buffer [board.MaxMoves]board.Move
	var choices []choice
	for _, m := range p.LegalMoves(buffer[:0]) {
		check := p.GivesCheck(m)
		if n == 1 && !check {
			continue
		}
		c := choice{check: check}
		p.Make(m, &c.next)
		c.replies = c.next.CountLegal()
		switch {
		case c.replies == 0 && check:
			return true, nil
		case c.replies > 0 && n > 1 && !s.drawn(&c.next):
			choices = append(choices, c)
		}
	}
	// Checks first, and those with few replies: most mates are found and most lines refuted with the least work.
	slices.SortStableFunc(choices, func(a, b choice) int {
		if a.check != b.check {
			if a.check {
				return -1
			}
			return 1
		}
		return a.replies - b.replies
	})
	for i := range choices {
		found, err := s.mated(&choices[i].next, n-1)
		if err != nil || found {
			return found, err
		}
	}
	return false, nil
}

// mated reports whether the side to move is mated in n moves or fewer, whatever it plays.
func (s *solver) mated(p *board.Position, n int) (bool, error) {
	var buffer [board.MaxMoves]board.Move
	moves := p.LegalMoves(buffer[:0])
	if len(moves) == 0 {
		return p.InCheck(), nil
	}
	if m := s.refuted[n]; slices.Contains(moves, m) {
		next := p.After(m)
		if !next.HasLegalMove() || s.drawn(&next) {
			return false, nil
		}
		if found, err := s.mates(&next, n); err != nil || !found {
			return false, err
		}
	}
	type reply struct {
		next  board.Position
		moves int // of the attacker
		move  board.Move
	}
	replies := make([]reply, len(moves))
	for i, m := range moves {
		r := &replies[i]
		p.Make(m, &r.next)
		r.move = m
		if r.moves = r.next.CountLegal(); r.moves == 0 || s.drawn(&r.next) {
			s.refuted[n] = m
			return false, nil
		}
	}
	// The reply after which the attacker has the fewest moves refutes most often.
	slices.SortStableFunc(replies, func(a, b reply) int { return a.moves - b.moves })
	for depth := 1; depth <= n; depth++ {
		for i := 0; i < len(replies); i++ {
			found, err := s.mates(&replies[i].next, depth)
			if err != nil {
				return false, err
			}
			if found {
				replies = slices.Delete(replies, i, i+1)
				i--
			} else if depth == n {
				s.refuted[n] = replies[i].move
				return false, nil
			}
		}
	}
	return true, nil
}

// The distances of known problems and endings, with and without what the fifty-move rule and a repetition make of them.
func TestDistance(t *testing.T) {
	for _, test := range []struct {
		fen   string
		moves []string
		want  int
	}{
		{fen: "6k1/5ppp/8/8/8/8/8/3R2K1 w - - 0 1", want: 1},
		{fen: "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", want: 2}, // Paul Morphy
		{fen: "3K4/8/3k4/8/3r4/8/8/8 w - - 0 1", want: -2},
		{fen: "8/8/8/8/8/4k3/8/3rK3 w - - 0 1", want: 0}, // no mate: the rook falls
		{fen: "8/8/8/8/8/3k4/3r4/3K4 w - - 0 1", want: 0},
		{fen: "1k6/3R4/1K6/8/8/8/8/8 w - - 0 1", want: 1},
		{fen: "k7/8/2K5/8/8/8/8/7R w - - 0 1", want: 2},
		{fen: "k7/8/2K5/8/8/8/8/7R w - - 97 80", want: 2},
		{fen: "k7/8/2K5/8/8/8/8/7R w - - 98 80", want: 0}, // the clock is at 100 before the mate
		{fen: "k7/8/2K5/8/8/8/8/7R w - - 0 1", moves: []string{"h1g1", "a8b8", "g1h1", "b8a8"}, want: 2},
		{fen: "2k5/8/2K5/8/8/8/8/R7 w - - 0 1", want: 1},
	} {
		if n, err := distance(boardtest.Play(t, board.NewGame(boardtest.Position(t, test.fen)), test.moves...), 4, 1_000_000); n != test.want || err != nil {
			t.Errorf("%s %v: %d, %v, want %d", test.fen, test.moves, n, err, test.want)
		}
	}
}

// TestProven proves the distances of the mates that tests of searchers use, and of those of our own suite: the shortest, and with
// TESLA_LONG all. A mate that is said to be farther is not found.
func TestProven(t *testing.T) {
	most, effort := 2, 1_000_000
	if os.Getenv("TESLA_LONG") != "" {
		most, effort = 6, 100_000_000
	}
	prove := func(name string, g *board.Game, want int) {
		if max(want, -want) > most {
			want = 0
		}
		if n, err := distance(g, most, effort); n != want || err != nil {
			t.Errorf("%s: %d, %v, within %d moves", name, n, err, most)
		}
	}
	text, err := os.ReadFile("../../cmd/tesla/testdata/mates.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		number, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		want, err := strconv.Atoi(number)
		if err != nil {
			continue // a comment
		}
		fen, moves, _ := strings.Cut(strings.TrimPrefix(rest, "fen "), " moves ")
		prove(line, boardtest.Play(t, board.NewGame(boardtest.Position(t, fen)), strings.Fields(moves)...), want)
	}
	for _, r := range own(t) {
		if len(r.Best) == 0 {
			prove(r.ID, board.NewGame(r.Position), r.Mate)
		}
	}
}
