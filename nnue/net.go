package nnue

import (
	"encoding/json"
	"unsafe"
)

// Scales: the integer that stands for 1.0.
const (
	accScale = 255 // accumulators and their rows
	outScale = 256 // weights of the value heads; finer than the rows, because their rounding matters most
	// The hidden layer is the square of an accumulator of scale accScale, shifted to a byte. Each row of a move has a step
	// of its own.
	hiddenShift = 8
	hiddenStep  = float32(1<<hiddenShift) / (accScale * accScale) // the real value of one unit of the hidden layer
)

// Shapes that are the same in every net.
const (
	pieceFeatures  = 768 // own or other, type, square
	outBuckets     = 8   // by (pieces - 1) / 4
	heads          = 3   // value, sigma, draw
	policyFeatures = 3200
	geometries     = 1858           // 1792 queen and knight moves, 66 underpromotions
	rows1          = 2 * geometries // by the sign of the static exchange
	rows2          = 6 * 2 * 64     // type, check, target square
	scalars        = 6 * 6 * 4      // captured, type, sign of the exchange, check
)

// maxOut is the largest absolute weight of a value head: 255 * 127 fits int16.
const maxOut = 127

// Header is the JSON header of a net file.
type Header struct {
	Name        string          `json:"name"`
	H           int             `json:"H"`       // columns of a value accumulator
	P           int             `json:"P"`       // columns of the policy's hidden layer
	K           int             `json:"K"`       // king buckets
	Buckets     []int           `json:"buckets"` // [64] bucket of the king's square, own view; files e to h are not read
	Description string          `json:"description,omitempty"`
	Training    json.RawMessage `json:"training,omitempty"`
	Float       bool            `json:"float,omitempty"`     // arrays are float32, see FloatNet
	Untrained   bool            `json:"untrained,omitempty"` // random weights: no strength at all
}

// Net is a net in memory. It is constant and safe for concurrent use.
type Net struct {
	Header
	Hash string // SHA-256 of the file but its last 32 bytes, hexadecimal

	value struct {
		ft      []int16   // [K*768][H]
		bias    []int16   // [H]
		out     []int16   // [8][3][2][H]: the side to move's accumulator, then the other's
		outBias []float32 // [8][3]
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
	views [64]view // of a king's square, own view
}

// view is how a colour sees features: bucket * 2, and 1 where files are mirrored.
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

// ShortHash is the first 12 hexadecimal digits of the hash: enough to name a net.
func (n *Net) ShortHash() string { return n.Hash[:12] }

// cacheLine is the alignment of arrays, bytes: that of the widest vector loads.
const cacheLine = 64

// aligned returns a slice of zeros that begins on a cache line.
func aligned[T int8 | uint8 | int16](n int) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	raw := make([]T, n+cacheLine/size)
	skip := 0
	if over := int(uintptr(unsafe.Pointer(&raw[0])) % cacheLine); over != 0 {
		skip = (cacheLine - over) / size
	}
	return raw[skip:][:n:n]
}
