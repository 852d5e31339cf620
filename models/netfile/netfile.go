// Package netfile reads what the files of all nets have in common: magic, version and a JSON header at the beginning,
// and a SHA-256 of all bytes before it at the end. The package of each net defines what lies between.
//
//	 0  eight bytes of magic
//	 8  uint32 version, little-endian
//	12  uint32 length of the header, little-endian
//	16  header, JSON
package netfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
)

const (
	prefix    = 16      // bytes before the header
	maxHeader = 1 << 20 // bytes
)

// ReadHeader decodes the header into h and returns the offset of its end. Its errors name the byte at fault.
func ReadHeader(data []byte, magic string, version uint32, h any) (end int, err error) {
	if len(data) < prefix {
		return 0, fmt.Errorf("truncated: magic, version and header length take %d bytes, the file has %d", prefix, len(data))
	}
	if got := data[:len(magic)]; string(got) != magic {
		return 0, fmt.Errorf("magic is %q, want %q", got, magic)
	}
	if v := binary.LittleEndian.Uint32(data[8:]); v != version {
		return 0, fmt.Errorf("version %d at byte 8, but this program reads version %d", v, version)
	}
	size := binary.LittleEndian.Uint32(data[12:])
	if size > maxHeader {
		return 0, fmt.Errorf("header length %d at byte 12, want at most %d", size, maxHeader)
	}
	if end = prefix + int(size); end > len(data) {
		return 0, fmt.Errorf("truncated: header at byte %d takes %d bytes, %d are left", prefix, size, len(data)-prefix)
	}
	if err := json.Unmarshal(data[prefix:end], h); err != nil {
		return 0, fmt.Errorf("header at byte %d: %w", prefix, err)
	}
	return end, nil
}

// Sum returns the SHA-256 of a file without its last 32 bytes.
func Sum(data []byte) []byte {
	sum := sha256.Sum256(data[:len(data)-sha256.Size])
	return sum[:]
}

// Verify checks the SHA-256 at the end of a file, and returns it. at is the offset at which the header of the file
// ends.
func Verify(data []byte, at int) ([]byte, error) {
	end := len(data) - sha256.Size
	if end < at {
		return nil, fmt.Errorf("truncated: %d bytes, too short for a checksum", len(data))
	}
	sum := Sum(data)
	if !bytes.Equal(sum, data[end:]) {
		return nil, fmt.Errorf("SHA-256 of the contents %x.., want %x..: truncated or damaged", sum[:6], data[end:end+6])
	}
	return sum, nil
}
