package datagen

import (
	"fmt"
	"math/rand/v2"

	"tesla/board"
	"tesla/lab/games"
	"tesla/search"
)

// A game ends by the rules, after decidedPlies in a row with a score beyond decidedScore centipawns for the same
// side, or after drawnPlies in a row with a score of 0, counted from ply drawnFrom on.
const (
	decidedScore = 2000
	decidedPlies = 6
	drawnPlies   = 12
	drawnFrom    = 60
)

// line is a game that is being made.
type line struct {
	table  Table
	game   games.Game
	random *rand.Rand

	won, lost, level int // plies in a row

	known bool // by tables, since the last searched position
	sure  int8 // then the result for White
}

// begin begins the game with a number: from its leaf where there are leaves.
func (m *maker) begin(number uint64, leaves []board.Position) *line {
	l := &line{random: m.random(number)}
	l.game.Number = number
	if leaves == nil {
		m.start(l)
		return l
	}
	l.game.Start = leaves[number%uint64(len(leaves))]
	l.table = Table{Game: board.NewGame(l.game.Start), Fresh: true}
	return l
}

// start draws the position that a game begins from, until it is one in which the game is not over.
func (m *maker) start(l *line) {
	for {
		p := m.first(l.random)
		l.game = games.Game{Number: l.game.Number, Start: p}
		for range m.cfg.Random[0] + l.random.IntN(m.cfg.Random[1]-m.cfg.Random[0]+1) {
			moves := p.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			move := moves[l.random.IntN(len(moves))]
			l.game.Opening = append(l.game.Opening, games.Encode(&p, move))
			p = p.After(move)
		}
		if game := board.NewGame(p); game.Outcome() == board.Ongoing {
			l.table = Table{Game: game, Fresh: true}
			l.won, l.lost, l.level = 0, 0, 0
			return
		}
	}
}

// first draws the position before the random moves.
func (m *maker) first(r *rand.Rand) board.Position {
	switch {
	case m.starts != nil:
		return m.position(r)
	case m.cfg.Start == Chess960:
		n := r.IntN(arrangements)
		return start960(n, n)
	case m.cfg.Start == DoubleChess960:
		return start960(r.IntN(arrangements), r.IntN(arrangements))
	}
	return board.StartPosition()
}

// position is a random position of a random game of Config.From.
func (m *maker) position(r *rand.Rand) board.Position {
	from := m.starts[r.IntN(len(m.starts))]
	at := r.IntN(len(from.Plies) + 1)
	found := from.Start
	// The games were played through when they were read, so there is no error.
	end, _ := from.Play(func(ply int, p *board.Position, _ board.Move) error {
		if ply == at {
			found = *p
		}
		return nil
	})
	if at == len(from.Plies) {
		return end
	}
	return found
}

// step plays the player's answer and reports whether the game goes on. A game that has ended has its result.
func (m *maker) step(l *line) (on bool, err error) {
	t := &l.table
	if len(t.Choices) == 0 {
		return false, fmt.Errorf("game %d: no move in %s", l.game.Number, t.Game.Pos.FEN(true))
	}
	best := t.Choices[0].Score
	if t.Fresh && m.cfg.Within > 0 && max(best, -best) > int16(min(m.cfg.Within, games.MateScore)) {
		m.start(l)
		return true, nil
	}
	played := t.Choices[0]
	if len(l.game.Plies) < m.cfg.Warm && m.cfg.Temperature > 0 {
		values := make([]float64, len(t.Choices))
		for i, c := range t.Choices {
			values[i] = search.CPToQ(int(c.Score))
		}
		played = t.Choices[search.Draw(values, m.cfg.Temperature, l.random.Float64())]
	}
	move, err := played.Move.Move(&t.Game.Pos)
	if err != nil {
		return false, fmt.Errorf("game %d: %w", l.game.Number, err)
	}
	ply := games.Ply{Choice: games.Choice{Move: played.Move, Score: best}}
	if m.cfg.Choices > 1 {
		ply.Choices = append(ply.Choices, t.Choices...)
	}
	l.game.Plies = append(l.game.Plies, ply)
	l.count(best, t.Game.Pos.Black)
	if l.known, l.sure = t.Known, t.Result; t.Game.Pos.Black {
		l.sure = -l.sure
	}
	t.Game.Play(move)
	t.Fresh = false
	if t.Game.Outcome() == board.Ongoing && !l.decided() && (m.cfg.Plies == 0 || len(l.game.Plies) < m.cfg.Plies) {
		return true, nil
	}
	l.game.Result = l.result()
	return false, nil
}

// count counts the plies in a row in which the game looks won, lost or drawn.
func (l *line) count(score int16, black bool) {
	if black {
		score = -score
	}
	run := func(n *int, on bool) {
		if *n++; !on {
			*n = 0
		}
	}
	run(&l.won, score > decidedScore)
	run(&l.lost, score < -decidedScore)
	run(&l.level, score == 0 && len(l.game.Plies) > drawnFrom)
}

func (l *line) decided() bool {
	return l.won >= decidedPlies || l.lost >= decidedPlies || l.level >= drawnPlies
}

// result is the result for White. Where the game was left before its end it is that of the tables, if they knew the
// last searched position. Otherwise it is drawn at random from the last score: with the expected score e, a win has
// probability e^2 and a loss (1-e)^2.
func (l *line) result() int8 {
	g := l.table.Game
	sign := int8(1) // of the side to move
	if g.Pos.Black {
		sign = -1
	}
	switch outcome := g.Outcome(); {
	case outcome == board.Checkmate:
		return -sign
	case outcome != board.Ongoing:
		return 0
	case l.known:
		return l.sure
	case l.level >= drawnPlies:
		return 0
	}
	e := (1 - search.CPToQ(int(l.game.Plies[len(l.game.Plies)-1].Score))) / 2 // of the side to move now
	switch x := l.random.Float64(); {
	case x < e*e:
		return sign
	case x < e*e+(1-e)*(1-e):
		return -sign
	}
	return 0
}
