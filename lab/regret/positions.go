package regret

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"tesla/board"
	"tesla/lab/games"
	"tesla/lab/match/pgn"
)

// Sample draws positions with at least two legal moves from a file of games, each at most once. Of a file of tesla
// datagen it takes those in which a player searched, with a score of at most within centipawns for either side; of a PGN
// file, all positions in which a move was played. It is an error if there are fewer than count. The notes say what was
// repaired or left out.
func Sample(path string, count, within int, seed uint64) (sample []board.Position, notes []string, err error) {
	r := reservoir{size: count, random: rand.New(rand.NewPCG(seed, 0)), known: map[uint64]bool{}}
	if strings.EqualFold(filepath.Ext(path), ".pgn") {
		notes, err = r.fillPGN(path)
	} else {
		err = games.EachOf(path, func(g *games.Game) error { return r.fill(g, int16(min(within, games.MateScore))) })
	}
	if err == nil && len(r.sample) < count {
		err = fmt.Errorf("%s: %d such positions, want %d", path, len(r.sample), count)
	}
	return r.sample, notes, err
}

// Drawn is a position that OnePerGame drew.
type Drawn struct {
	FEN  string
	Game string // file and number
}

// OnePerGame draws positions with at least two legal moves from files of games of tesla datagen, at most one of a game and
// as many from each file. A draw of fewer positions is the beginning of one of more. It is an error if there are fewer than count.
func OnePerGame(paths []string, count int, seed uint64) (all []Drawn, err error) {
	random := rand.New(rand.NewPCG(seed, 0))
	lists := make([][]Drawn, len(paths))
	for i, path := range paths {
		if err := games.EachOf(path, func(g *games.Game) error {
			if len(g.Plies) == 0 {
				return nil
			}
			at := random.IntN(len(g.Plies))
			_, err := g.Play(func(ply int, p *board.Position, _ board.Move) error {
				if ply == at && p.CountLegal() > 1 {
					lists[i] = append(lists[i], Drawn{p.FEN(false), fmt.Sprintf("%s:%d", path, g.Number)})
				}
				return nil
			})
			return err
		}); err != nil {
			return nil, err
		}
		random.Shuffle(len(lists[i]), func(a, b int) { lists[i][a], lists[i][b] = lists[i][b], lists[i][a] })
	}
	for k := 0; len(all) < count; k++ {
		for _, l := range lists {
			if k >= len(l) {
				return nil, fmt.Errorf("only %d positions in the files", len(all))
			}
			all = append(all, l[k])
		}
	}
	return all[:count], nil
}

// reservoir is a sample of the positions that were added (Vitter 1985).
type reservoir struct {
	size   int
	random *rand.Rand
	sample []board.Position
	seen   int
	known  map[uint64]bool
}

func (r *reservoir) add(p *board.Position) {
	if r.known[p.Key] || p.CountLegal() < 2 {
		return
	}
	r.known[p.Key] = true
	if r.seen++; len(r.sample) < r.size {
		r.sample = append(r.sample, *p)
	} else if k := r.random.IntN(r.seen); k < r.size {
		r.sample[k] = *p
	}
}

// fill adds the positions of a game that a player searched.
func (r *reservoir) fill(g *games.Game, within int16) error {
	_, err := g.Play(func(ply int, p *board.Position, _ board.Move) error {
		if ply >= 0 && max(g.Plies[ply].Score, -g.Plies[ply].Score) <= within {
			r.add(p)
		}
		return nil
	})
	return err
}

// fillPGN adds the positions of the games in a PGN file.
func (r *reservoir) fillPGN(path string) (notes []string, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	lines, notes := pgn.ReadLines(string(data), 0)
	for _, l := range lines {
		for at := range l.Start.Along(l.Moves) {
			r.add(at)
		}
	}
	return notes, nil
}
