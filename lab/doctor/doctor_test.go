package doctor

import (
	"strings"
	"testing"

	"tesla/batcher"
	"tesla/board"
	"tesla/lab/oracle"
	"tesla/models"
)

// slightlyOff is a backend whose value is a little more than its tolerance off, in every tenth position.
type slightlyOff struct{ batcher.Backend }

func (s slightlyOff) Evaluate(items []*batcher.Item) error {
	err := s.Backend.Evaluate(items)
	for i := 0; i < len(items); i += 10 {
		items[i].Eval.W, items[i].Eval.L = items[i].Eval.W-0.05, items[i].Eval.L+0.05
	}
	return err
}

// Backends that work are verified, and so are the rules.
func TestVerify(t *testing.T) {
	r, err := Examine("commit")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Verify(Open, oracle.Tesla()); err != nil {
		t.Fatal(err)
	}
	verified := map[string]bool{}
	for _, v := range r.Verified {
		verified[v.Backend] = v.OK && v.Positions == 32 && v.Tolerance.Value > 0
	}
	if !strings.Contains(r.String(), "\nrules    ok: ") || !strings.Contains(r.String(), "\n  known: castling written with zeros") {
		t.Errorf("no word of the rules in %s", r)
	}
	for _, b := range r.Backends {
		if b.OK && b.Name != "mock" && !verified[b.Name] {
			t.Errorf("backend %s opens and is not verified: %s", b.Name, r)
		}
	}
}

// A backend that lies by a little is named, with the difference and the tolerance, and so is a wrong rule, with both answers.
func TestFindsLies(t *testing.T) {
	r, err := Examine("commit")
	if err != nil {
		t.Fatal(err)
	}
	rules := oracle.Tesla()
	rules.Moves = func(p *board.Position) []board.Move { return p.LegalMoves(nil)[min(1, p.CountLegal()):] } // but for the first
	err = r.Verify(func(name string) (batcher.Backend, models.Net, error) {
		b, net, err := Open(name)
		return slightlyOff{b}, net, err
	}, rules)
	if err == nil || !strings.Contains(err.Error(), "backend nnue differs from the reference") || !strings.Contains(err.Error(), "oracle: the rules differ") {
		t.Error(err)
	}
	if text := r.String(); !strings.Contains(text, "WRONG") || !strings.Contains(text, "(tolerance 0.03)") {
		t.Errorf("no difference and tolerance in %s", text)
	} else if !strings.Contains(text, "moves in rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1: here nothing else, by the other program ") {
		t.Errorf("no difference of the rules in %s", text)
	}
}
