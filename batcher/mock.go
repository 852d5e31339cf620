package batcher

import (
	"math"

	"tesla/board"
)

// mock is a deterministic backend without a net. Its q is a sigmoid of material, plus noise by hash with the standard
// deviation mockNoise. Its policy is a softmax of noise by hash, with more weight on captures. An item costs well under
// a microsecond, so benchmarks of the searchers on it measure the searchers.
type mock struct{ maxBatch int }

const (
	mockNoise   = 0.1 // standard deviation of the noise in q
	mockLogit   = 1.0 // standard deviation of a move's logit
	mockCPScale = 700 // centipawns at which material alone gives q = 1/2
	mixOdd      = 0x9e3779b97f4a7c15
)

// mockCapture is the factor of a capture in a move's weight, by the type of the captured piece; castling has the target
// King.
var (
	mockCapture = [8]float32{1, 2, 3, 3, 4, 5, 1, 1}
	mockWeights [256]float32 // exp of normal quantiles: index is a random byte
)

func init() {
	for i := range mockWeights {
		p := (float64(i) + 0.5) / 256
		mockWeights[i] = float32(math.Exp(mockLogit * math.Sqrt2 * math.Erfinv(2*p-1)))
	}
}

// NewMock returns the mock backend. It is safe for concurrent use.
func NewMock(opts Options) Backend { return &mock{maxBatch: opts.WithDefaults().MaxBatch} }

func (m *mock) Info() Info {
	return Info{Name: "mock", Model: "mock", ModelName: "mock", MaxBatch: m.maxBatch, Threads: 1, Streams: 1, Local: true}
}

func (m *mock) Close() error { return nil }

func (m *mock) Evaluate(items []*Item) error {
	if err := m.Info().Admits(len(items)); err != nil {
		return err
	}
	for _, it := range items {
		it.Eval = mockEval(&it.Position)
		mockPolicy(it.Position.Key, it.Moves, it.resizePolicy())
	}
	return nil
}

func (m *mock) EvaluateValues(items []*Item) error {
	if err := m.Info().Admits(len(items)); err != nil {
		return err
	}
	for _, it := range items {
		it.Eval = mockEval(&it.Position)
	}
	return nil
}

func (m *mock) Policies() func(it *Item) {
	return func(it *Item) { mockPolicy(it.Position.Key, it.Moves, it.resizePolicy()) }
}

// mix is the finalizer of MurmurHash3 (Appleby 2011): every input bit reaches every output bit.
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

func mockEval(p *board.Position) Eval {
	h := mix(p.Key)
	// Four uniform bytes have a sum of mean 510 and standard deviation 147.8: near enough to normal.
	sum := h&255 + h>>8&255 + h>>16&255 + h>>24&255
	noise := (float32(sum) - 510) * (mockNoise / 147.8)
	cp := float32(mockMaterial(p, p.Ours) - mockMaterial(p, p.Theirs))
	q := cp/(mockCPScale+max(cp, -cp)) + noise
	q = max(-0.99, min(0.99, q))
	d := 0.6 * (1 - max(q, -q))
	w := (1 - d + q) / 2
	return Eval{W: w, D: d, L: 1 - d - w, Q: q, Sigma: 0.05 + float32(h>>32&255)*(0.1/256)}
}

// mockMaterial is the material of one side, in centipawns.
func mockMaterial(p *board.Position, side board.Bitboard) int {
	return 100*(p.Pawns&side).Count() + 300*((p.Knights|p.Bishops)&side).Count() +
		500*(p.Rooks&side).Count() + 900*(p.Queens&side).Count()
}

// mockPolicy writes a weight for each move and divides them by their sum.
func mockPolicy(key uint64, moves []board.Move, policy []float32) {
	policy = policy[:len(moves)]
	var sum float32
	for i, m := range moves {
		h := (key ^ uint64(m)*0xd6e8feb86659fd93) * mixOdd
		w := mockWeights[h>>56] * mockCapture[m.Target()&7]
		policy[i] = w
		sum += w
	}
	inverse := 1 / sum
	for i := range policy {
		policy[i] *= inverse
	}
}
