package nnue

import (
	"encoding/json"
	"unsafe"
)

const (
	accScale = 255 // the integer that stands for 1.0 in accumulators and their rows
	// A hidden layer is the square of accumulators of scale accScale, shifted right by hiddenShift to fit a byte. Each row
	// of bytes that it is multiplied with has a scale of its own: its step.
	hiddenShift = 8
	hiddenStep  = float32(1<<hiddenShift) / (accScale * accScale) // the real value of one unit of the hidden layer
	// pairLimit bounds |a| + |b| of the bytes a and b of a row in columns 2k and 2k + 1: their products with the hidden
	// layer, at most 254, then fit a word together (the instruction VPMADDUBSW).
	pairLimit = 129
)

// These sizes are the same in every net.
const (
	pieceFeatures  = 768 // side, type, square
	outBuckets     = 8   // by (pieces - 1) / 4
	layer1         = 16  // outputs of the first layer behind the accumulators
	layer2         = 32  // outputs of the second, whose inputs are those of the first, clipped, and their squares, clipped
	heads          = 3   // outputs of the third: value, sigma, draw
	policyFeatures = 3200
	geometries     = 1858           // 1792 queen and knight moves, 66 underpromotions
	rows1          = 2 * geometries // by the sign of the static exchange
	rows2          = 6 * 2 * 64     // type, check, target square
	scalars        = 6 * 6 * 4      // captured, type, sign of the exchange, check
)

// A tail holds what the layers behind the accumulators compute with after the sums of the first: for each bucket, from
// these indices on, the real value of one unit of each sum, then the biases and the weights of the layers.
const (
	tailBias1  = layer1
	tailBias2  = tailBias1 + layer1
	tailLayer2 = tailBias2 + layer2           // [2 * layer1][layer2]: a row for each input
	tailLayer3 = tailLayer2 + 2*layer1*layer2 // [heads][layer2]
	tailBias3  = tailLayer3 + heads*layer2
	tailSize   = (tailBias3 + heads + 15) / 16 * 16 // whole cache lines
)

// maxFloat bounds the float weights, so that no sum of products is infinite.
const maxFloat = 1e4

// Header is the JSON header of a net file.
type Header struct {
	Name        string          `json:"name"`
	H           int             `json:"H"`       // columns of a value accumulator
	P           int             `json:"P"`       // columns of the policy's hidden layer
	K           int             `json:"K"`       // king buckets
	Buckets     []int           `json:"buckets"` // [64] bucket of each king square, own view; files e to h are not used
	Description string          `json:"description,omitempty"`
	Training    json.RawMessage `json:"training,omitempty"`
	Float       bool            `json:"float,omitempty"` // arrays are float32, see FloatNet
}

// Net is a net in memory. It is constant and safe for concurrent use.
type Net struct {
	Header
	Hash string // SHA-256 of the file without its last 32 bytes, hexadecimal

	value struct {
		ft     []int16   // [K*768][H]
		bias   []int16   // [H]
		layer1 []int8    // [8][16][2H]: for the accumulator of the side to move, then of the other side
		step1  []float32 // [8][16] the real value of one unit of a row of layer1
		bias1  []float32 // [8][16]
		layer2 []float32 // [8][32][32]: a row for each output
		bias2  []float32 // [8][32]
		layer3 []float32 // [8][3][32]
		bias3  []float32 // [8][3]
		tails  []float32 // [8][tailSize]: all of the above but ft, bias and layer1, in the order of the kernel head
	}
	policy struct {
		ft    []int8    // [3200][P]
		bias  []int16   // [P]
		rows1 []int8    // [3716][P]
		rows2 []int8    // [768][P]
		step1 []float32 // [3716] the real value of one unit of a row
		step2 []float32
		bias1 []float32
		bias2 []float32
		bias3 []float32
	}
	views [64]view // by the square of the king, own view
}

// view is how a colour sees features: bucket * 2, plus 1 if files are mirrored.
type view uint8

// mirror is the mask that a square is XORed with to mirror its file.
func (v view) mirror() uint32 { return uint32(v&1) * 7 }

// base is the first feature of the bucket.
func (v view) base() uint32 { return uint32(v>>1) * pieceFeatures }

// setViews fills views from the header.
func (n *Net) setViews() {
	for s := range n.views {
		if s&4 != 0 {
			n.views[s] = view(n.Buckets[s^7]*2 + 1)
		} else {
			n.views[s] = view(n.Buckets[s] * 2)
		}
	}
}

// setTails fills tails from the other arrays.
func (n *Net) setTails() {
	v := &n.value
	v.tails = aligned[float32](outBuckets * tailSize)
	for b := range outBuckets {
		tail := v.tails[b*tailSize:][:tailSize]
		for i, step := range v.step1[b*layer1:][:layer1] {
			tail[i] = float32(step * hiddenStep)
		}
		copy(tail[tailBias1:], v.bias1[b*layer1:][:layer1])
		copy(tail[tailBias2:], v.bias2[b*layer2:][:layer2])
		for i, w := range v.layer2[b*layer2*2*layer1:][:layer2*2*layer1] {
			output, input := i/(2*layer1), i%(2*layer1)
			tail[tailLayer2+input*layer2+output] = w
		}
		copy(tail[tailLayer3:], v.layer3[b*heads*layer2:][:heads*layer2])
		copy(tail[tailBias3:], v.bias3[b*heads:][:heads])
	}
}

// ShortHash is the first 12 hexadecimal digits of the hash: enough to name a net.
func (n *Net) ShortHash() string { return n.Hash[:12] }

// cacheLine is the alignment of arrays in bytes. The widest vectors are as long.
const cacheLine = 64

// aligned returns a slice of zeros that begins on a cache line.
func aligned[T int8 | uint8 | int16 | int32 | float32](n int) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	raw := make([]T, n+cacheLine/size)
	skip := 0
	if over := int(uintptr(unsafe.Pointer(&raw[0])) % cacheLine); over != 0 {
		skip = (cacheLine - over) / size
	}
	return raw[skip:][:n:n]
}
