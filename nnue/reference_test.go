package nnue_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/models"
	"tesla/nnue"
	"tesla/nnue/reference"
)

// starts are positions with all special rules: castling, Chess960, en passant, pawn promotions, pins.
var starts = []string{
	"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
	"nrkbqrbn/pppppppp/8/8/8/8/PPPPPPPP/NRKBQRBN w FBfb - 0 1",
	"1rk2r2/p6p/8/8/8/8/P6P/1RK2R2 w FBfb - 3 20",
	"r1bk3r/2pq1PPp/8/8/8/8/pPPP1p2/R3K1NR w KQ - 0 1",
}

// walk calls visit for positions of random games.
func walk(t testing.TB, positions int, visit func(p *board.Position, moves []board.Move)) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(4, 0))
	for game := 0; positions > 0; game++ {
		p := boardtest.Position(t, starts[game%len(starts)])
		for range 80 {
			moves := p.LegalMoves(nil)
			if len(moves) == 0 || positions == 0 {
				break
			}
			visit(&p, moves)
			positions--
			p = p.After(moves[rnd.IntN(len(moves))])
		}
	}
}

// TestRounded compares the integers with the same weights in float64. They differ only by the rounding of activations.
func TestRounded(t *testing.T) {
	n, err := models.DefaultNNUE()
	if err != nil {
		t.Fatal(err)
	}
	r := compare(t, n, reference.Net{FloatNet: n.Float()}, 700)
	if r.meanCP > 4 || r.worstCP > 20 || r.worstLogit > 0.1 {
		t.Errorf("%+v", r)
	}
}

// TestQuantized compares a rounded net with the net before rounding.
func TestQuantized(t *testing.T) {
	n, err := models.DefaultNNUE()
	if err != nil {
		t.Fatal(err)
	}
	float := perturbed(n.Float())
	r := compare(t, float.Round(), reference.Net{FloatNet: float}, 700)
	t.Logf("%+v", r)
	if r.meanCP > 10 || r.top1 < 0.97 {
		t.Errorf("%+v", r)
	}
}

// shipped is a file of values by the float net of the embedded net, in float64. Its first line is the hash of the
// embedded net; each other line has a position of a game as FEN, its value in centipawns, and the move with the highest
// logit.
const shipped = "testdata/shipped.txt"

// TestShipped compares the embedded net with the float net from which it was rounded. If the environment variable
// TESLA_NNUE_FLOAT names the file of the float net, and TESLA_NNUE_EPD a file of positions, it first writes the file
// shipped anew.
func TestShipped(t *testing.T) {
	n, err := models.DefaultNNUE()
	if err != nil {
		t.Fatal(err)
	}
	if float := os.Getenv("TESLA_NNUE_FLOAT"); float != "" {
		writeShipped(t, n.Hash, float, os.Getenv("TESLA_NNUE_EPD"))
	}
	lines := strings.Split(strings.TrimSpace(string(read(t, shipped))), "\n")
	if lines[0] != n.Hash {
		t.Fatalf("%s was made for net %s, the embedded one is %s", shipped, lines[0], n.Hash)
	}
	w := nnue.NewWorker(n)
	sum, same := 0.0, 0
	for _, line := range lines[1:] {
		fields := strings.Split(line, ";")
		p := boardtest.Position(t, fields[0])
		want, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		moves := p.LegalMoves(nil)
		policy := make([]float32, len(moves))
		e := w.EvaluateStatic(&p, moves, policy)
		sum += math.Abs(700*math.Atanh(float64(e.Q)) - want)
		if p.UCI(moves[slices.Index(policy, slices.Max(policy))], true) == fields[2] {
			same++
		}
	}
	count := float64(len(lines) - 1)
	t.Logf("%.0f positions: mean difference %.2f cp, best move the same in %.2f %%", count, sum/count, 100*float64(same)/count)
	if sum/count > 5 || float64(same) < 0.99*count || count < 500 {
		t.Errorf("%.0f positions: mean difference %.2f cp, best move the same in %d; want at least 500, at most 5 cp, and 99 %%", count, sum/count, same)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func writeShipped(t *testing.T, hash, float, epd string) {
	t.Helper()
	f, err := nnue.ReadFloat(read(t, float))
	if err != nil {
		t.Fatal(err)
	}
	ref := reference.Net{FloatNet: f}
	out := []byte(hash + "\n")
	for _, text := range strings.Split(strings.TrimSpace(string(read(t, epd))), "\n") {
		p, _, err := board.ParseEPD(text)
		if err != nil {
			t.Fatal(err)
		}
		moves := p.LegalMoves(nil)
		if len(moves) == 0 {
			continue
		}
		cp, _, _ := reference.Eval(ref.Heads(&p))
		logits := ref.Logits(&p, moves)
		best := p.UCI(moves[slices.Index(logits, slices.Max(logits))], true)
		out = fmt.Appendf(out, "%s;%.2f;%s\n", p.FEN(true), cp, best)
	}
	if err := os.WriteFile(shipped, out, 0o644); err != nil {
		t.Fatal(err)
	}
}

// perturbed moves each weight up or down by at most a third of its step, so that rounding moves it back.
func perturbed(f *nnue.FloatNet) *nnue.FloatNet {
	rnd := rand.New(rand.NewPCG(5, 0))
	for _, a := range []struct {
		weights []float32
		step    float32
	}{{f.ValueFT, 1. / 255}, {f.ValueBias, 1. / 255}, {f.Layer1, 1. / 512}, {f.PolicyFT, 1. / 255}, {f.PolicyBias, 1. / 255},
		{f.Rows1, 1. / 512}, {f.Rows2, 1. / 512}} {
		for i := range a.weights {
			a.weights[i] += a.step * (rnd.Float32() - 0.5) * 2 / 3
		}
	}
	return f
}

// result holds the differences between integers and floats: values in centipawns, logits, sigma and draws. top1 is the
// share of positions with the same best move.
type result struct{ meanCP, worstCP, worstLogit, worstSigma, top1 float64 }

func compare(t testing.TB, n *nnue.Net, ref reference.Net, count int) result {
	t.Helper()
	var positions []board.Position
	walk(t, count, func(p *board.Position, _ []board.Move) { positions = append(positions, *p) })
	return compareAt(n, ref, positions)
}

func compareAt(n *nnue.Net, ref reference.Net, positions []board.Position) (r result) {
	w := nnue.NewWorker(n)
	logits, policy := make([]float32, board.MaxMoves), make([]float32, board.MaxMoves)
	sum, asked, same := 0.0, 0, 0
	for i := range positions {
		p := &positions[i]
		moves := p.LegalMoves(nil)
		e := w.EvaluateStatic(p, moves, policy)
		cp, sigma, draw := reference.Eval(ref.Heads(p))
		d := math.Abs(700*math.Atanh(float64(e.Q)) - cp)
		sum += d
		r.worstCP = max(r.worstCP, d)
		r.worstSigma = max(r.worstSigma, math.Abs(float64(e.Sigma)-sigma), math.Abs(float64(e.D)-draw))
		if len(moves) == 0 {
			continue
		}
		w.Logits(p, moves, logits)
		want := ref.Logits(p, moves)
		for i, v := range want {
			r.worstLogit = max(r.worstLogit, math.Abs(v-float64(logits[i])))
		}
		got := logits[:len(moves)]
		asked++
		if slices.Index(got, slices.Max(got)) == slices.Index(want, slices.Max(want)) {
			same++
		}
	}
	r.meanCP, r.top1 = sum/float64(len(positions)), float64(same)/float64(asked)
	return r
}
