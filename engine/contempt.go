package engine

import (
	"math"
	"strconv"
	"strings"

	"tesla/search"
)

const (
	// ownRating is what the engine is taken to have where the opponent's rating is known: near that of lazysmp on one
	// thread (docs/log/0036-lazysmp-against-other-programs.md).
	ownRating = 2900
	// contempt is the part of the expected lead, in q, by which a draw is worth less than equality. In 240 games of lazysmp
	// at 1,500 nodes against 600 it made no difference (docs/uci.md).
	contempt = 0.3
	// mostAdvantage is the largest difference of ratings that counts.
	mostAdvantage = 800
)

// advantage is our rating less the opponent's, 0 where it is not known.
func (s *Settings) advantage() int {
	if s.RatingAdv != 0 || s.LimitStrength {
		return s.RatingAdv
	}
	if words := strings.Fields(s.Opponent); len(words) > 1 { // title, rating, "human" or "computer", name
		if elo, err := strconv.Atoi(words[1]); err == nil && elo > 0 {
			return ownRating - elo
		}
	}
	return 0
}

// drawScore is what a draw is worth to the engine, centipawns: the less, the weaker the opponent is. The expected score
// is that of Elo's scale.
func (s *Settings) drawScore() int {
	elo := float64(max(-mostAdvantage, min(mostAdvantage, s.advantage())))
	lead := 2/(1+math.Pow(10, -elo/400)) - 1
	return search.QToCP(-contempt * lead)
}
