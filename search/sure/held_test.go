package sure

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"strings"
	"testing"

	"tesla/search"
)

// held is a look at a position of a game that no model was fitted to, with what came of it.
type held struct {
	Player   string  `json:"player"`
	Position int     `json:"position"` // its number among those of the player
	Facts    Facts   `json:"facts"`
	Regret   float64 `json:"regret"`
	Score    float64 `json:"score"` // the reference's, of the first move
	Stays    *bool   `json:"stays"`
}

// heldOut reads the looks that scripts/sure/fit.py held out, by player.
func heldOut(t *testing.T) map[string][]held {
	t.Helper()
	f, err := os.Open("testdata/held.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]held{}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var h held
		if err := json.Unmarshal(lines.Bytes(), &h); err != nil {
			t.Fatal(err)
		}
		all[h.Player] = append(all[h.Player], h)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// embedded are the models by the names of their files.
func embedded(t *testing.T) map[string]*Model {
	t.Helper()
	names, err := fs.Glob(models, "models/*.json")
	if err != nil || len(names) == 0 {
		t.Fatal("no models: ", err)
	}
	all := map[string]*Model{}
	for _, name := range names {
		text, err := models.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Read(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[strings.TrimSuffix(strings.TrimPrefix(name, "models/"), ".json")] = m
	}
	return all
}

// TestSigns checks that the models are surer of an older choice and of one with more of the effort, and less sure after a
// change and where the score swings.
func TestSigns(t *testing.T) {
	signs := map[string]float64{"age": 1, "share": 1, "own": 1, "gap": 1, "lead": 1, "prior": 1,
		"turmoil": -1, "changes": -1, "next": -1, "swing": -1, "drop": -1, "moves": -1, "error": -1, "untried": -1}
	for name, m := range embedded(t) {
		for what, s := range map[string]Statement{"best": m.Best, "stays": m.Stays} {
			for feature, w := range s.Weights {
				if w*signs[feature] < 0 {
					t.Errorf("%s, %s: the weight of %s is %v", name, what, feature, w)
				}
			}
		}
	}
}

// claims are the probabilities of a statement, and what came of each.
type claims struct {
	p         []float64
	y         []bool
	positions map[int]bool
}

func (c *claims) add(position int, p float64, y bool) {
	if p > 0 {
		c.p, c.y = append(c.p, p), append(c.y, y)
		c.positions[position] = true
	}
}

// deviations is by how many standard deviations of the number of positions the claims are off: looks at one position are not
// independent.
func (c *claims) deviations() float64 {
	claimed, found, _, _ := c.measures()
	return math.Abs(claimed-found) / math.Sqrt(claimed*(1-claimed)/float64(len(c.positions)))
}

// measures are the mean of the claims, the share that was true, and the Brier scores of the claims and of that share.
func (c *claims) measures() (claimed, found, brier, constant float64) {
	n := float64(len(c.p))
	for i, p := range c.p {
		y := 0.0
		if c.y[i] {
			y = 1
		}
		claimed += p / n
		found += y / n
		brier += (p - y) * (p - y) / n
	}
	return claimed, found, brier, found * (1 - found)
}

// TestHeldOut holds the claims of each model against what came of looks that it was not fitted to: the mean claim is what was
// found, within three standard deviations, and single claims of all models together say more than that mean.
func TestHeldOut(t *testing.T) {
	const leastPositions = 40
	all := heldOut(t)
	briers, constants := map[string]float64{}, map[string]float64{}
	for name, m := range embedded(t) {
		for what, c := range claimsOf(m, all[name]) {
			if len(c.positions) < leastPositions {
				t.Errorf("%s, %s: only %d positions are held out", name, what, len(c.positions))
				continue
			}
			claimed, found, brier, constant := c.measures()
			t.Logf("%s, %s: %d looks at %d positions, claimed %.3f, found %.3f, Brier %.4f, of a constant %.4f", name, what, len(c.p), len(c.positions),
				claimed, found, brier, constant)
			if c.deviations() > 3 {
				t.Errorf("%s, %s: claimed %.3f, found %.3f in %d positions", name, what, claimed, found, len(c.positions))
			}
			briers[what] += brier
			constants[what] += constant
		}
	}
	for _, what := range []string{"best", "stays"} {
		if briers[what] >= constants[what] {
			t.Errorf("%s: Brier scores of all models %.4f, of constants %.4f", what, briers[what], constants[what])
		}
	}
}

// claimsOf are a model's claims about looks, by statement.
func claimsOf(m *Model, looks []held) map[string]*claims {
	of := map[string]*claims{}
	for _, what := range []string{"best", "stays", "interval"} {
		of[what] = &claims{positions: map[int]bool{}}
	}
	for i := range looks {
		h := &looks[i]
		s := m.Judge(&h.Facts)
		of["best"].add(h.Position, s.Best, h.Regret <= Within)
		if h.Stays != nil {
			of["stays"].add(h.Position, s.Stays, *h.Stays)
		}
		if s.High > 0 {
			of["interval"].add(h.Position, 0.9, h.Score >= s.Low && h.Score <= s.High)
		}
	}
	return of
}

// TestShown holds the score that is printed against the reference's: the slope of the reference's expected points on it, less a
// half each, is near 1 in positions that no model was fitted to, and in the open ones of them.
func TestShown(t *testing.T) {
	all := heldOut(t)
	for name, m := range embedded(t) {
		// Half of the positions are open: so is twice as much left to chance.
		for what, c := range map[string]struct{ most, off float64 }{"all": {0.99999, 0.05}, "open": {0.5, 0.1}} {
			var shown, reference []float64
			for i := range all[name] {
				h := &all[name][i]
				if math.Abs(h.Facts.Q) > c.most {
					continue
				}
				in := search.Info{Score: search.ScoreFromCP(search.QToCP(h.Facts.Q)), Sure: m.Judge(&h.Facts)}
				shown, reference = append(shown, Points(in.Shown().CP)), append(reference, h.Score)
			}
			got := slope(shown, reference)
			t.Logf("%s, %s positions: slope %.3f in %d looks, stretch %v", name, what, got, len(shown), m.Stretch)
			if math.Abs(got-1) > c.off {
				t.Errorf("%s, %s positions: slope %.3f in %d looks, want 1 within %v", name, what, got, len(shown), c.off)
			}
		}
	}
}

// slope is that of y on x, by least squares.
func slope(x, y []float64) float64 {
	mean, xy, xx := 0.0, 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for i, v := range x {
		xy += (v - mean) * y[i]
		xx += (v - mean) * v
	}
	return xy / xx
}
