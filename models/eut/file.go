package eut

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"tesla/models/netfile"
)

const (
	// Magic begins every net file of this package.
	Magic    = "TESLANET"
	version  = 2
	maxWidth = 1 << 16 // columns
	// PolicySize is the number of policy logits: from * 64 + to, then 24 underpromotions.
	PolicySize = 4096 + 24
)

// ErrFormat is wrapped by every error about the contents of a net file. Errors of reading the file do not wrap it.
var ErrFormat = errors.New("not a usable net file")

// Header is the JSON header of a net file.
type Header struct {
	Name      string            `json:"name"`
	Arch      string            `json:"arch"`
	Features  int               `json:"features"`   // rows of the table: 780
	Width     int               `json:"width"`      // columns of the table; a row of input is longer, see Row
	Policy    int               `json:"policy"`     // logits: 4120
	Segments  map[string][2]int `json:"segments"`   // name: offset and length of a range of columns
	ScaleBits map[string]int    `json:"scale_bits"` // segment name: binary digits after the binary point
	Elo       float64           `json:"elo"`        // measured strength against the built-in net, at the same number of evaluations
	Training  json.RawMessage   `json:"training,omitempty"`
}

// Row is the number of integers that the graph reads for a position: the accumulator, then the codes of Squares.
func (h *Header) Row() int { return h.Width + codeColumns }

// Net is a net file in memory. It is constant and safe for concurrent use.
type Net struct {
	Header
	Graph []byte // ONNX
	Hash  string // SHA-256 of the file but its last 32 bytes, hexadecimal
	// table is row-major [Features][Width/2]. Each word holds two neighbouring columns of a row; see pack.
	table []int64
}

// ShortHash is the first 12 hexadecimal digits of the hash: enough to name a net.
func (n *Net) ShortHash() string { return n.Hash[:12] }

// Parse reads the contents of a net file. The net keeps the part of data that holds the graph. Errors wrap ErrFormat
// and name the byte or field that is wrong.
func Parse(data []byte) (*Net, error) {
	n := &Net{}
	at, err := netfile.ReadHeader(data, Magic, version, &n.Header)
	if err == nil {
		err = n.validate()
	}
	if err == nil {
		err = (&reader{data, at}).body(n)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return n, nil
}

// reader reads a net file from front to back; at is the offset of the next byte.
type reader struct {
	data []byte
	at   int
}

// take returns the next size bytes. what says in an error what they hold.
func (r *reader) take(size uint64, what string) ([]byte, error) {
	left := len(r.data) - r.at
	if size > uint64(left) {
		return nil, fmt.Errorf("truncated: %s at byte %d takes %d bytes, %d are left", what, r.at, size, left)
	}
	b := r.data[r.at : r.at+int(size)]
	r.at += int(size)
	return b, nil
}

// validate is an error if this program cannot evaluate a net with this header.
func (h *Header) validate() error {
	switch {
	case h.Name == "":
		return errors.New("header: no name")
	case h.Arch != "eut":
		return fmt.Errorf("header: arch %q, this program knows \"eut\"", h.Arch)
	case h.Features != Features:
		return fmt.Errorf("header: %d features, this program computes %d", h.Features, Features)
	case h.Width <= 0 || h.Width > maxWidth || h.Width%2 != 0:
		return fmt.Errorf("header: width %d, want an even number up to %d", h.Width, maxWidth)
	case h.Policy != PolicySize:
		return fmt.Errorf("header: %d policy logits, this program reads %d", h.Policy, PolicySize)
	}
	return h.validateSegments()
}

// validateSegments is an error unless the segments cover the columns of the table without gaps and overlaps.
func (h *Header) validateSegments() error {
	at, begin := 0, func(a, b string) int { return h.Segments[a][0] - h.Segments[b][0] }
	for _, name := range slices.SortedFunc(maps.Keys(h.Segments), begin) {
		s := h.Segments[name]
		if s[0] != at || s[1] <= 0 || s[1] > h.Width-at {
			return fmt.Errorf("header: segment %q is [%d, %d], want it to begin at %d and end by %d",
				name, s[0], s[1], at, h.Width)
		}
		at += s[1]
	}
	if at != h.Width {
		return fmt.Errorf("header: segments cover %d of %d columns", at, h.Width)
	}
	return nil
}

// body reads what follows the header. It verifies the checksum first, so it never interprets damaged bytes.
func (r *reader) body(n *Net) error {
	sum, err := netfile.Verify(r.data, r.at)
	if err != nil {
		return err
	}
	n.Hash = hex.EncodeToString(sum)
	rows, err := r.take(uint64(n.Features)*uint64(n.Width)*4, "table")
	if err != nil {
		return err
	}
	size, err := r.take(8, "length of the graph")
	if err != nil {
		return err
	}
	if n.Graph, err = r.take(binary.LittleEndian.Uint64(size), "graph"); err != nil {
		return err
	}
	if left := len(r.data) - r.at; left != sha256.Size {
		return fmt.Errorf("%d bytes follow the graph at byte %d, want a SHA-256 of %d", left, r.at, sha256.Size)
	}
	if len(n.Graph) == 0 {
		return errors.New("the graph is empty")
	}
	n.table = make([]int64, len(rows)/8)
	for i := range n.table {
		n.table[i] = pack(int32(binary.LittleEndian.Uint32(rows[8*i:])), int32(binary.LittleEndian.Uint32(rows[8*i+4:])))
	}
	return nil
}
