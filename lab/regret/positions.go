package regret

import (
	"fmt"
	"math/rand/v2"

	"tesla/board"
	"tesla/lab/games"
)

// Sample draws positions from a file of games, each at most once (reservoir sampling, Vitter 1985). It takes positions
// in which a player of the games searched, with at least two legal moves and a score of at most within centipawns for
// either side. It is an error if there are fewer than count.
func Sample(path string, count, within int, seed uint64) ([]board.Position, error) {
	random := rand.New(rand.NewPCG(seed, 0))
	var sample []board.Position
	seen, known := 0, map[uint64]bool{}
	var moves [board.MaxMoves]board.Move
	err := games.EachOf(path, func(g *games.Game) error {
		_, err := g.Play(func(ply int, p *board.Position, _ board.Move) error {
			if ply < 0 || known[p.Key] {
				return nil
			}
			score := max(g.Plies[ply].Score, -g.Plies[ply].Score)
			if score > int16(min(within, games.MateScore)) || len(p.LegalMoves(moves[:0])) < 2 {
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
		return nil, fmt.Errorf("%s: there are %d such positions, want %d", path, len(sample), count)
	}
	return sample, nil
}
