package bestfirst

import (
	"math"
	"testing"

	"tesla/search"
	"tesla/search/treesearch"
)

// A net that is wrong about a structure is corrected, by a share, in other positions of that structure, until a new
// game.
func TestCorrect(t *testing.T) {
	s := open(t, newMock(t), Options{Tuning: tuned("correct=0.5 learn=0.02"), BatchSize: 1})
	run(s, gameOf(t, "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8"), search.Limits{Evals: 200})
	s.promoter.corrections = treesearch.Corrections{}
	i := s.promoter.tree.root
	n, of := &s.promoter.tree.Nodes.Items[i], s.promoter.tree.indices[i]
	n.flags &^= nodeProven
	n.raw, n.value = valueOf(0.1), valueOf(0.4)
	for range 200 {
		s.promoter.learn(i)
	}
	if got := s.promoter.corrections.Sum(&of); math.Abs(float64(got)-0.3) > 0.01 {
		t.Errorf("the correction is %v, want 0.3", got)
	}
	if got := s.promoter.corrected(-0.2, &of); math.Abs(float64(got)+0.05) > 0.01 {
		t.Errorf("-0.2 is corrected to %v, want -0.05", got)
	}
	other := of
	other[0] ^= 1
	if got := s.promoter.corrections.Sum(&other); math.Abs(float64(got)-0.225) > 0.01 {
		t.Errorf("with other pawns the correction is %v, want 0.225", got)
	}
	n.value = valueOf(-0.99)
	for range 500 {
		s.promoter.learn(i)
	}
	if got := s.promoter.corrections.Sum(&of); got < -4*treesearch.CorrectionMost-1e-6 || got > -4*treesearch.CorrectionMost+1e-6 {
		t.Errorf("the correction is %v, want the least, %v", got, -4*treesearch.CorrectionMost)
	}
	s.NewGame()
	if s.promoter.corrections != (treesearch.Corrections{}) {
		t.Error("a new game begins with corrections of the last")
	}
}
