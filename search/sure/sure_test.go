package sure

import (
	"math"
	"strings"
	"testing"

	"tesla/board"
	"tesla/search"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// TestChoice follows a choice that changes once and comes back.
func TestChoice(t *testing.T) {
	const a, b = board.Move(1), board.Move(2)
	var c Choice
	look := func(m board.Move, q, effort float64) (f Facts) {
		c.See(m, q, effort)
		c.Fill(&f)
		return f
	}
	f := look(a, 0.1, 100)
	near(t, "age at first", f.Age, 0)
	f = look(a, 0.3, 200)
	near(t, "age after a doubling", f.Age, 1)
	near(t, "swing after one step", f.Swing, 0.2)
	near(t, "a rise", f.Drop, -0.2)
	f = look(b, 0.3, 400)
	near(t, "age of another move", f.Age, 0)
	near(t, "a rise, half forgotten", f.Drop, -0.1)
	near(t, "turmoil just after a change", f.Turmoil, 1)
	near(t, "swing, half forgotten", f.Swing, math.Sqrt(0.04/2))
	f = look(a, 0.3, 800)
	if f.Changes != 2 || c.First() != a {
		t.Errorf("%d changes, first %v", f.Changes, c.First())
	}
	near(t, "turmoil", f.Turmoil, (400+800)/800.0)
	f = look(a, 0.3, 800)
	near(t, "age after no effort", f.Age, 0)
	if c.First() != a {
		t.Error("the first move is lost")
	}
}

// model is one by hand, which is surer the older a choice is.
const model = `{"search": "s", "net": "n", "leaf_depth": 4, "efforts": [10, 1000], "stretch": 1.25,
	"stays": {"most": 100, "weights": {"one": -1, "age": 1}}, "best": {"most": 1000, "weights": {"own": 2}},
	"interval": {"centre": [0, 1], "width": {"most": 1000, "weights": {"one": -3}}}, "better": {"most": 1000, "weights": [0, 2, 1]}}`

func facts(effort float64) *Facts {
	return &Facts{Effort: effort, Moves: 20, Age: 1, Rivals: []Rival{{N: 50, Q: 0, Error: 0.1}, {N: 40, Q: -0.1, Error: 0.1}}}
}

// TestJudge checks what is stated where.
func TestJudge(t *testing.T) {
	m, err := Read([]byte(model))
	if err != nil {
		t.Fatal(err)
	}
	for effort, want := range map[float64][2]bool{9: {}, 10: {true, true}, 100: {true, true}, 101: {true, false}, 1000: {true, false}, 1001: {}} {
		if s := m.Judge(facts(effort)); s.Best > 0 != want[0] || s.Stays > 0 != want[1] || s.High > 0 != want[0] || s.Stretch != 1.25 {
			t.Errorf("effort %v: %+v", effort, s)
		}
	}
	s := m.Judge(facts(50))
	near(t, "stays", s.Stays, 0.5)
	near(t, "low", s.Low, 0.5-math.Exp(-3))
	near(t, "high", s.High, 0.5+math.Exp(-3))
	p := 0.5 * math.Erfc(0.14/(math.Sqrt2*0.1*math.Sqrt2+1e-9)) // the second move passes the first by more than the margin
	near(t, "best", s.Best, logistic(2*logit(1-p)))
	near(t, "behind", m.Behind(facts(50), 1), logistic(0.2+math.Log(0.11)))
	if m.Behind(facts(1001), 1) != 0 {
		t.Error("a pair is stated beyond what was fitted")
	}
	if only := (&Facts{Effort: 5, Moves: 1}); m.Judge(only) != (search.Sureness{Best: 1, Stays: 1, Stretch: 1.25}) {
		t.Error("the only move is not certain")
	}
	old := facts(50)
	old.Age = 100
	if s := m.Judge(old); s.Stays != most {
		t.Errorf("a very old choice stays with %v, want %v", s.Stays, most)
	}
	told := 0
	m.Trace = func(Facts) { told++ }
	m.Judge(facts(5))
	if told != 1 {
		t.Error("the trace was not told")
	}
	var none *Model
	if none.Judge(facts(50)) != (search.Sureness{}) || none.Behind(facts(50), 1) != 0 || !none.Spent(1) || m.Spent(1000) || !m.Spent(1001) {
		t.Error("without a model, or beyond it, something is stated")
	}
}

// TestVector checks that no facts give a feature that is not a number.
func TestVector(t *testing.T) {
	for _, f := range []Facts{{}, {Q: 1, Draws: 1, Share: 1, Moves: 218, Rivals: []Rival{{}}}, {Q: -1, Effort: 1e12, Rivals: []Rival{{Q: 1}, {Q: 1}}}} {
		for i, x := range Vector(&f) {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Errorf("%s of %+v is %v", Features[i], f, x)
			}
		}
	}
}

// BenchmarkJudge is what a look at a tree of 30 root moves costs, beside their order.
func BenchmarkJudge(b *testing.B) {
	m, err := Read([]byte(model))
	if err != nil {
		b.Fatal(err)
	}
	f := facts(50)
	for len(f.Rivals) < 30 {
		f.Rivals = append(f.Rivals, Rival{N: 1, Q: -0.2, Error: 0.1})
	}
	var s search.Sureness
	for b.Loop() {
		s = m.Judge(f)
	}
	if s.Best == 0 {
		b.Fatal("nothing is stated")
	}
}

func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		`{"search": 3}`: "cannot unmarshal", `{"serch": "s"}`: "unknown field", `{"best": {"most": 1, "weights": {"aeg": 1}}}`: "aeg",
		`{"interval": {"width": {"weights": {"wide": 1}}}}`: "wide",
	} {
		if _, err := Read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if m, err := Of("bestfirst", "no such net", 0); m != nil || err != nil {
		t.Errorf("a model of no net: %v, %v", m, err)
	}
}
