package gaviota

import (
	"encoding/binary"
	"fmt"
	"io"

	"tesla/tablebase/tablefile"
)

// The format of a file. Numbers have 4 bytes, the lowest first. The header has the numbers below; its other bytes mean
// nothing. A table of offsets follows it, with the start of each block and the end of the last one. A block begins with a
// byte that means nothing.
const (
	blockValues   = 16384 // of each block but the last one of each side to move
	headerBytes   = 40
	blockSizeAt   = 8  // blockValues
	tailAt        = 16 // values of White's last block, 0 for blockValues; 8 bytes on, those of Black's
	firstAt       = 32 // the offset of the first block
	offsetBytes   = 4
	maxBlockBytes = 65536 // compressed; the format's own reader allows no more
)

// table is an open file.
type table struct {
	layout  *Layout
	codec   Codec
	file    io.ReaderAt
	size    int64 // of the file
	first   int64 // offset of the first block
	blocks  int64 // of each side to move
	cache   *tablefile.Cache
	section uint32 // of the cache; a page is the values of a block
}

func openTable(c *tablefile.Cache, file io.ReaderAt, size int64, l *Layout, codec Codec) (*table, error) {
	t := &table{layout: l, codec: codec, file: file, size: size, cache: c, section: c.NewSection()}
	t.blocks = (l.size + blockValues - 1) / blockValues
	t.first = headerBytes + (2*t.blocks+1)*offsetBytes
	if size < t.first {
		return nil, fmt.Errorf("%d bytes, want at least %d", size, t.first)
	}
	var head [headerBytes]byte
	if _, err := file.ReadAt(head[:], 0); err != nil {
		return nil, err
	}
	tail := l.size % blockValues
	for _, f := range []struct {
		at   int
		want int64
		what string
	}{
		{blockSizeAt, blockValues, "values of a block"},
		{tailAt, tail, "values of White's last block"},
		{tailAt + 8, tail, "values of Black's last block"},
		{firstAt, t.first, "as the offset of the first block"},
	} {
		if got := int64(binary.LittleEndian.Uint32(head[f.at:])); got != f.want {
			return nil, fmt.Errorf("byte %d: %d %s, want %d", f.at, got, f.what, f.want)
		}
	}
	return t, nil
}

func (t *table) value(side int, index int64, probe Probe) (Value, error) {
	number := int64(side)*t.blocks + index/blockValues
	block, err := t.block(number, probe)
	if err != nil {
		return Value{}, err
	}
	v, ok := decode(block[index%blockValues], side)
	if !ok {
		return Value{}, fmt.Errorf("block %d: %w: legal position marked as illegal", number, errCorrupt)
	}
	return v, nil
}

// block returns the codes of a block. A hard read goes to the disk where the cache lacks it.
func (t *table) block(number int64, probe Probe) ([]byte, error) {
	k := tablefile.PageKey{Section: t.section, Page: uint32(number)}
	if codes := t.cache.Get(k); codes != nil {
		return codes, nil
	}
	if probe == Soft {
		return nil, ErrNotCached
	}
	codes, err := t.readBlock(number)
	if err != nil {
		return nil, fmt.Errorf("block %d: %w", number, err)
	}
	t.cache.Put(k, codes)
	return codes, nil
}

func (t *table) readBlock(number int64) ([]byte, error) {
	from, to, err := t.span(number)
	if err != nil {
		return nil, err
	}
	packed := make([]byte, to-from)
	if _, err := t.file.ReadAt(packed, from); err != nil {
		return nil, fmt.Errorf("byte %d: %w", from, err)
	}
	n := blockValues
	if tail := t.layout.size % blockValues; tail > 0 && number%t.blocks == t.blocks-1 {
		n = int(tail)
	}
	codes, err := t.codec.decompress(packed[1:], n)
	if err != nil {
		err = fmt.Errorf("byte %d: %w", from, err)
	}
	return codes, err
}

func (t *table) span(number int64) (from, to int64, err error) {
	var offsets [2 * offsetBytes]byte
	at := headerBytes + number*offsetBytes
	if _, err := t.file.ReadAt(offsets[:], at); err != nil {
		return 0, 0, fmt.Errorf("byte %d: %w", at, err)
	}
	from = int64(binary.LittleEndian.Uint32(offsets[:]))
	to = int64(binary.LittleEndian.Uint32(offsets[offsetBytes:]))
	if from < t.first || to <= from || to > t.size || to-from > maxBlockBytes {
		return 0, 0, fmt.Errorf("byte %d: a block from byte %d to %d of %d", at, from, to, t.size)
	}
	return from, to, nil
}
