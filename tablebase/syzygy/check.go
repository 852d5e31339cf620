package syzygy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"tesla/tablebase/tablefile"
)

// Check reads a file as a whole and returns what is wrong with it: its size, its checksum, its header, and the counts of
// its blocks, which must add up to the number of positions.
func Check(path string) error {
	ext := filepath.Ext(path)
	if ext != ".rtbw" && ext != ".rtbz" {
		return fmt.Errorf("%s: want the ending .rtbw or .rtbz", path)
	}
	m, err := parseName(strings.TrimSuffix(filepath.Base(path), ext))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var f tableFile
	f.Set(path, func(file io.ReaderAt, size int64) (*table, error) {
		t, err := openTable(tablefile.NewCache(DefaultCacheBytes), file, size, m, ext == ".rtbz")
		if err == nil {
			err = verify(file, size)
		}
		return t, err
	})
	t, err := f.Open(Hard)
	if err == nil {
		err = t.check(path)
	}
	return errors.Join(err, f.Close())
}

func (t *table) check(path string) error {
	for part := range t.files {
		for side := range t.sides {
			if err := t.parts[part][side].check(); err != nil {
				return fmt.Errorf("%s: part %d of side %d: %w", path, part, side, err)
			}
		}
	}
	return nil
}

// check adds up the positions of the blocks, and decodes the first and the last position of each span.
func (d *pairs) check() error {
	if d.flags&flagSingle != 0 {
		return nil
	}
	var sum int64
	for i := range d.blocks.count {
		b, err := d.lengths.at(i, Hard)
		if err != nil {
			return err
		}
		sum += int64(binary.LittleEndian.Uint16(b)) + 1
	}
	if sum != d.size {
		return fmt.Errorf("%w: the blocks hold %d positions, want %d", errCorrupt, sum, d.size)
	}
	for i := int64(0); i < d.size; i += d.span {
		for _, k := range []int64{i, min(i+d.span, d.size) - 1} {
			if _, err := d.value(k, Hard); err != nil {
				return fmt.Errorf("position %d: %w", k, err)
			}
		}
	}
	return nil
}
