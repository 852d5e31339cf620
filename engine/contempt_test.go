package engine

import "testing"

// A draw is worth less against a weaker opponent, by UCI_RatingAdv or the rating in UCI_Opponent.
func TestDrawScore(t *testing.T) {
	score := func(options ...string) int {
		t.Helper()
		s := Default()
		for i := 0; i < len(options); i += 2 {
			if err := s.Set(options[i], options[i+1]); err != nil {
				t.Fatal(err)
			}
		}
		return s.drawScore()
	}
	if n := score(); n != 0 {
		t.Errorf("without a word of the opponent: %d", n)
	}
	if a, b, c := score("UCI_RatingAdv", "100"), score("UCI_RatingAdv", "300"), score("UCI_RatingAdv", "-100"); a >= 0 || b >= a || c != -a {
		t.Errorf("by 100, 300 and -100 Elo: %d, %d, %d", a, b, c)
	}
	for text, elo := range map[string]string{"GM 2800 human Gary Kasparov": "100", "none none computer Shredder": "0", "none 2600 computer X": "300"} {
		if got, want := score("UCI_Opponent", text), score("UCI_RatingAdv", elo); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
	if n := score("UCI_Opponent", "none 2000 human X", "UCI_RatingAdv", "-50"); n <= 0 {
		t.Errorf("UCI_RatingAdv does not go before UCI_Opponent: %d", n)
	}
}
