// Package generate makes Syzygy tables of three and four pieces by retrograde analysis (Thompson 1986): it finds the
// positions that are decided at once, by mate or by a capture or pawn move into a known position, and goes back from there
// move by move. The files hold no pairs of symbols, so they are larger than the official ones; every reader of the format
// reads them.
package generate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tesla/internal/output"
	"tesla/tablebase/syzygy"
)

// MaxPieces is the largest number of pieces, kings included, that tables are made for.
const MaxPieces = 4

// Names lists the tables of up to that number of pieces, each after those that its captures and promotions lead to. The side
// with more pieces, or the stronger one, comes first.
func Names(pieces int) (names []string) {
	kinds := strings.Split("QRBNP", "")
	var four []string
	for i, a := range kinds {
		names = append(names, "K"+a+"vK")
		for _, b := range kinds[i:] {
			four = append(four, "K"+a+b+"vK", "K"+a+"vK"+b)
		}
	}
	if pieces < MaxPieces {
		return names
	}
	slices.SortStableFunc(four, func(a, b string) int { return strings.Count(a, "P") - strings.Count(b, "P") })
	return append(names, four...)
}

// Run makes the tables of up to that number of pieces in dir. Those that are there already are kept. told is called before each
// table.
func Run(ctx context.Context, dir string, pieces int, told func(name string)) error {
	if pieces < 3 || pieces > MaxPieces {
		return fmt.Errorf("tables of %d pieces: 3 to %d can be made", pieces, MaxPieces)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, name := range Names(pieces) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if exists(dir, name+".rtbw") && exists(dir, name+".rtbz") {
			continue
		}
		told(name)
		tables, errs := syzygy.Open(dir, 0)
		if len(errs) > 0 {
			return errs[0]
		}
		if err := errors.Join(one(ctx, tables, dir, name), tables.Close()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func exists(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// one makes the files of one material. The DTZ file is written last, so that an interrupted table is made again.
func one(ctx context.Context, tables *syzygy.Tables, dir, name string) error {
	layout, err := syzygy.NewLayout(name)
	if err != nil {
		return err
	}
	s := newSolver(tables, name)
	if err := s.solve(ctx); err != nil {
		return err
	}
	wdl, dtz, err := s.values(layout)
	if err != nil {
		return err
	}
	for _, f := range []struct {
		ext    string
		encode func([][][]uint8) ([]byte, error)
		values [][][]uint8
	}{{".rtbw", layout.EncodeWDL, wdl}, {".rtbz", layout.EncodeDTZ, dtz}} {
		if exists(dir, name+f.ext) {
			continue
		}
		data, err := f.encode(f.values)
		if err != nil {
			return err
		}
		if err := output.WriteBytes(filepath.Join(dir, name+f.ext), output.None, data); err != nil {
			return err
		}
	}
	return nil
}
