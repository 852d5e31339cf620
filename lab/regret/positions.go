package regret

import (
	"fmt"
	"math/rand/v2"

	"tesla/board"
	"tesla/lab/games"
)

// Sample draws positions, each at most once, from those that the players of a file of games had to move in, with a choice, and had
// scores within so many centipawns of balance. Fewer are an error.
func Sample(path string, count, within int, seed uint64) ([]board.Position, error) {
	random := rand.New(rand.NewPCG(seed, 0))
	var sample []board.Position
	seen, known := 0, map[uint64]bool{}
	var moves [board.MaxMoves]board.Move
	err := games.EachOf(path, func(g *games.Game) error {
		_, err := g.Play(func(ply int, p *board.Position, _ board.Move) error {
			if ply < 0 || known[p.Key] || max(g.Plies[ply].Score, -g.Plies[ply].Score) > int16(min(within, games.MateScore)) || len(p.LegalMoves(moves[:0])) < 2 {
				return nil
			}
			known[p.Key] = true
			if seen++; len(sample) < count {
				sample = append(sample, *p)
			} else if k := random.IntN(seen); k < count {
				sample[k] = *p
			}
			return nil
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(sample) < count {
		return nil, fmt.Errorf("%s: %d positions, %d are asked for", path, len(sample), count)
	}
	return sample, nil
}
