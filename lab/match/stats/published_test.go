package stats

import (
	"math"
	"testing"
)

// TestPublished checks against what fastchess, fishtest and OpenBench said of matches, to half of the last digit that
// they printed. Fields that were not published are NaN.
func TestPublished(t *testing.T) {
	none := math.NaN()
	for _, c := range []struct {
		source                     string
		counts                     Pentanomial
		sprt                       string
		elo, eloError              float64 // in two digits; one where they are so
		nelo, neloError            float64
		los, drawRatio, pairsRatio float64 // the first two in %
		llr                        float64
		digit                      float64 // half of the last digit of the Elo errors
	}{
		// fastchess, in https://github.com/brunocodutra/cinder/pull/727 (2025-03-04)
		{"cinder 727", Pentanomial{50, 287, 610, 387, 73}, "0,5",
			18.04, 8.23, 28.19, 12.84, 100.00, 43.35, 1.36, 2.97, 0.005},
		// fastchess, in https://github.com/lynx-chess/Lynx/pull/1899 (2025-07-24); its bounds are (-2.25, 2.89)
		// and the Elo of its test is logistic
		{"Lynx 1899", Pentanomial{235, 1384, 2521, 1341, 239}, "-5,0,logistic,alpha=0.05,beta=0.1",
			-1.06, 4.05, -1.67, 6.37, 30.33, 44.07, 0.98, 1.69, 0.005},
		// fastchess, a few games: two cells are empty (the example of a result in the notes of the engine turox)
		{"turox", Pentanomial{0, 3, 3, 2, 0}, "0,10,logistic",
			-21.74, 96.80, -39.34, none, 32.53, 37.50, 0.67, -0.11, 0.005},
		// fastchess, far from equal, one cell empty: https://github.com/Disservin/fastchess/issues/807 (2025-02-24)
		{"fastchess 807", Pentanomial{30, 6, 18, 0, 6}, "0,5",
			-168.40, 73.37, -170.08, none, 0.00, 30.00, 0.17, none, 0.005},
		// fishtest, "Was reasonable at LTC" and the failed STC of
		// https://github.com/official-stockfish/Stockfish/commit/37bd1e774ee4eb03e558062284da1e72cbce5a95 (2024-01)
		{"Stockfish 37bd1e7", Pentanomial{31, 5598, 13579, 5754, 38}, "0,2",
			1.18, 1.5, 2.45, 3.0, 94.3, none, 1.03, none, 0.05},
		// fishtest, far from equal: https://tests.stockfishchess.org/tests/view/696a9e83cec152c6220c1d1d (2026-01)
		{"fishtest 696a9e83", Pentanomial{48, 3203, 14470, 11835, 444}, "0,2",
			55.03, 1.4, 112.79, 3.0, 100.0, none, 3.78, none, 0.05},
		// fishtest, bounds in normalized Elo
		{"Stockfish 37bd1e7 STC", Pentanomial{50, 1682, 3371, 1471, 34}, "0,2",
			none, none, none, none, none, none, none, -2.94, 0.05},
		// fishtest, a tune that took very long: https://github.com/official-stockfish/Stockfish/pull/5712 (2024-12)
		{"Stockfish 5712 STC", Pentanomial{831, 31795, 68460, 32448, 834}, "0,2",
			none, none, none, none, none, none, none, 2.93, 0.05},
		{"Stockfish 5712 LTC", Pentanomial{307, 54901, 140959, 56230, 281}, "0.5,2.5",
			none, none, none, none, none, none, none, 2.95, 0.05},
		// fishtest, with bounds in logistic Elo: https://github.com/official-stockfish/Stockfish/pull/3209 (2020-11)
		{"Stockfish 3209 STC", Pentanomial{253, 4282, 17604, 4431, 286}, "-0.25,1.25,logistic",
			none, none, none, none, none, none, none, 2.94, 0.05},
		{"Stockfish 3209 LTC", Pentanomial{58, 3302, 33130, 3518, 84}, "0.25,1.25,logistic",
			none, none, none, none, none, none, none, 2.97, 0.05},
		// OpenBench: https://github.com/official-clockwork/Clockwork/pull/364 (2026-02)
		{"Clockwork 364", Pentanomial{5, 295, 1145, 466, 2}, "0,3",
			14.99, none, none, none, none, none, none, 2.98, 0.005},
	} {
		test, err := ParseSPRT(c.sprt)
		if err != nil {
			t.Fatal(err)
		}
		r := Result{Ptnml: c.counts, Games: 2 * c.counts.Pairs()}
		// Any games with these pairs will do: WW, WD, half of WL, LD, LL.
		r.Wins = 2*c.counts[4] + c.counts[3] + c.counts[2]
		r.Losses = 2*c.counts[0] + c.counts[1] + c.counts[2]
		r.Draws = r.Games - r.Wins - r.Losses
		r.update()
		for _, n := range []struct {
			name            string
			got, want, near float64
		}{
			{"elo", r.Elo, c.elo, 0.0051},
			{"elo error", r.EloError, c.eloError, c.digit * 1.01},
			{"nelo", r.NElo, c.nelo, 0.0051},
			// fastchess leaves out what depends on the difference: 0.7 % in the first case.
			{"nelo error", r.NEloError, c.neloError, c.digit + 0.007*c.neloError},
			{"los", 100 * r.LOS, c.los, c.digit * 1.01},
			{"draw ratio", 100 * r.DrawRatio, c.drawRatio, 0.0051},
			{"pairs ratio", r.PairsRatio, c.pairsRatio, 0.0051},
			{"llr", test.LLR(c.counts), c.llr, 0.0051},
		} {
			if math.Abs(n.got-n.want) > n.near {
				t.Errorf("%s: %s is %.4f, published %v", c.source, n.name, n.got, n.want)
			}
		}
	}
}
