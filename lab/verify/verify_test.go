package verify

import (
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	"tesla/batcher"
	"tesla/batcher/onnx"
	"tesla/board"
	"tesla/models"
)

// cpu is ONNX Runtime with the built-in transformer, or skips the test where it is not installed.
func cpu(t *testing.T) (batcher.Backend, models.Net) {
	t.Helper()
	net, err := models.Default()
	if err != nil {
		t.Fatal(err)
	}
	b, err := onnx.New("cpu", net, batcher.Options{})
	if err != nil {
		if os.Getenv("TESLA_REQUIRE_ORT") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	t.Cleanup(func() { b.Close() })
	return b, models.Net{EUT: net}
}

// cpuNet is nnue with the built-in CPU net.
func cpuNet(t *testing.T) (batcher.Backend, models.Net) {
	t.Helper()
	net, err := models.DefaultNNUE()
	if err != nil {
		t.Fatal(err)
	}
	b, err := batcher.NewNNUE(net, batcher.Options{MaxBatch: 10}) // several batches
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b, models.Net{NNUE: net}
}

// liar is a backend that is off by a little, in one output of one position.
type liar struct {
	batcher.Backend
	lie func(it *batcher.Item)
}

func (l liar) Evaluate(items []*batcher.Item) error {
	evaluate := l.Backend.Evaluate
	if s, ok := l.Backend.(batcher.Static); ok {
		evaluate = s.EvaluateStatic
	}
	err := evaluate(items)
	l.lie(items[len(items)/2])
	return err
}

// lies are changes of one output by twice its tolerance: a sound backend may be off by one in the other direction.
func lies(t Difference) map[string]func(it *batcher.Item) {
	return map[string]func(it *batcher.Item){
		"value":  func(it *batcher.Item) { it.Eval.D += float32(2.1 * t.Value) },
		"sigma":  func(it *batcher.Item) { it.Eval.Sigma -= float32(2.1 * t.Sigma) },
		"policy": func(it *batcher.Item) { it.Policy[len(it.Policy)-1] += float32(2.1 * t.Policy) },
		"NaN":    func(it *batcher.Item) { it.Eval.Sigma = float32(math.NaN()) },
	}
}

// Sound backends are within their tolerances. One that lies by little more than a tolerance is not.
func TestCompare(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) (batcher.Backend, models.Net){"cpu": cpu, "nnue": cpuNet} {
		t.Run(name, func(t *testing.T) {
			b, net := open(t)
			r, err := Compare(b, net)
			if err != nil {
				t.Fatal(err)
			}
			t.Log(r.String())
			if !r.OK || r.Positions != 32 || !strings.Contains(r.String(), " ok:") {
				t.Errorf("%+v", r)
			}
			if r.Largest.Value == 0 || r.Largest.Policy == 0 {
				t.Errorf("%+v: no difference at all, so it was compared with itself", r)
			}
			for what, lie := range lies(r.Tolerance) {
				if r, err := Compare(liar{b, lie}, net); err != nil || r.OK || !strings.Contains(r.String(), "WRONG") {
					t.Errorf("a lie about %s is not noticed: %+v, %v", what, r, err)
				}
			}
		})
	}
}

// failing is a backend whose batches fail.
type failing struct{ batcher.Backend }

func (failing) Evaluate([]*batcher.Item) error { return os.ErrDeadlineExceeded }

func TestCompareFails(t *testing.T) {
	mock := batcher.NewMock(batcher.Options{})
	if _, err := Compare(mock, models.Net{}); err == nil || !strings.Contains(err.Error(), "no net") {
		t.Errorf("mock: %v", err)
	}
	_, net := cpuNet(t)
	if _, err := Compare(failing{mock}, net); err == nil {
		t.Error("the error of a batch is dropped")
	}
	if r, err := Compare(mock, net); err != nil || r.OK {
		t.Errorf("mock is taken for a net: %+v, %v", r, err)
	}
}

// The positions have the features that their names claim.
func TestPositions(t *testing.T) {
	all, err := Positions()
	if err != nil || len(all) != 32 {
		t.Fatalf("%d positions, %v", len(all), err)
	}
	seen := map[string]int{}
	keys := map[uint64]bool{}
	for i := range all {
		p := &all[i]
		keys[p.Key] = true
		count := func(what string, has bool) {
			if has {
				seen[what]++
			}
		}
		count("black to move", p.Black)
		count("castling rights", p.Castling != 0)
		count("en passant", p.EnPassant != board.NoSquare)
		count("check", p.InCheck())
		count("at most four pieces", p.Occupied().Count() <= 4)
		count("all pieces", p.Occupied().Count() == 32)
		count("many moves", len(p.LegalMoves(nil)) > 100)
		promotions := false
		for _, m := range p.LegalMoves(nil) {
			promotions = promotions || p.Pawns.Has(m.From()) && m.Moved() != board.Pawn
		}
		count("pawn promotions", promotions)
	}
	if len(keys) != len(all) {
		t.Errorf("%d different positions of %d", len(keys), len(all))
	}
	for what, least := range map[string]int{"black to move": 8, "castling rights": 12, "en passant": 3, "check": 2, "at most four pieces": 4,
		"all pieces": 3, "many moves": 1, "pawn promotions": 3} {
		if seen[what] < least {
			t.Errorf("%d positions with %s, want %d", seen[what], what, least)
		}
	}
}

// What plays does not link a reference.
func TestEngineIsFree(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "tesla/engine", "tesla/batcher/...", "tesla/bestfirst", "tesla/search/alphabeta").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if strings.Contains(string(out), "/reference") || !strings.Contains(string(out), "tesla/models/eut\n") {
		t.Errorf("the engine depends on a reference:\n%s", out)
	}
}

// One backend that cannot be opened, one that fails and one that lies are errors that name them; the sound one has its
// report.
func TestAll(t *testing.T) {
	b, net := cpuNet(t)
	backends := map[string]batcher.Backend{
		"sound": kept{b}, "failing": failing{batcher.NewMock(batcher.Options{})},
		"lying": liar{kept{b}, func(it *batcher.Item) { it.Eval.Sigma += 1e-2 }},
	}
	reports, err := All([]string{"sound", "missing", "failing", "lying"}, func(name string) (batcher.Backend, models.Net, error) {
		if b, ok := backends[name]; ok {
			return b, net, nil
		}
		return nil, net, os.ErrNotExist
	})
	if len(reports) != 2 || !reports[0].OK || reports[1].OK {
		t.Errorf("%+v, want a good one and a wrong one", reports)
	}
	for _, want := range []string{"backend missing: file does not exist", "backend failing: ", "backend lying differs from the reference"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err != nil && strings.Contains(err.Error(), "sound") {
		t.Error(err)
	}
}

// kept is a backend that stays open, and whose values are static.
type kept struct{ batcher.Backend }

func (k kept) Evaluate(items []*batcher.Item) error {
	return k.Backend.(batcher.Static).EvaluateStatic(items)
}

func (kept) Close() error { return nil }
