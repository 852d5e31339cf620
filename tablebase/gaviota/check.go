package gaviota

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"tesla/board"
	"tesla/tablebase/tablefile"
)

// Samples are random positions whose code must be that of illegal ones where the side that is not to move is in check,
// and must not be otherwise. Nothing in a file names its material, so only these show a file that has the name of
// another.
const (
	openSamples  = 32     // when a file is opened; each costs a block at most
	checkSamples = 20_000 // when a file is checked
)

// sample is a position by where a table has it.
type sample struct {
	block int64
	at    int
	legal bool
}

// samples makes n samples, in the order of their blocks. Half of them are legal. They are always the same.
func (t *table) samples(n int) []sample {
	random := rand.New(rand.NewPCG(1, 1))
	var all []sample
	legal := 0
	for tries := 0; len(all) < n && tries < 1000*n; tries++ {
		p, ok := t.layout.place(random)
		if !ok {
			continue
		}
		safe := p.AttackersTo((p.Kings&p.Theirs).First(), p.Occupied())&p.Ours == 0
		if safe && legal >= n/2 {
			continue
		}
		if safe {
			legal++
		} else if len(all)-legal >= n-n/2 {
			continue
		}
		side, index := t.layout.Locate(&p)
		all = append(all, sample{int64(side)*t.blocks + index/blockValues, int(index % blockValues), safe})
	}
	slices.SortFunc(all, func(a, b sample) int { return cmp.Compare(a.block, b.block) })
	return all
}

// place puts the pieces of the layout on random squares; false where two share a square, a pawn stands where none can,
// or the kings touch.
func (l *Layout) place(random *rand.Rand) (p board.Position, ok bool) {
	p = board.Position{EnPassant: board.NoSquare, Fullmove: 1}
	sets := [...]*board.Bitboard{&p.Pawns, &p.Knights, &p.Bishops, &p.Rooks, &p.Queens, &p.Kings}
	mover := random.IntN(2)
	for side, kinds := range l.material {
		own := &p.Ours
		if side != mover {
			own = &p.Theirs
		}
		for kind, set := range sets {
			n := 1 // the king
			if kind < len(kinds) {
				n = kinds[kind]
			}
			for range n {
				square := board.Square(random.IntN(64))
				if p.Occupied().Has(square) || kind == pawn && (square < 8 || square >= 56) {
					return p, false
				}
				*set |= square.Bitboard()
				*own |= square.Bitboard()
			}
		}
	}
	return p, board.KingAttacks(p.King())&p.Kings&p.Theirs == 0
}

// fits compares a block's codes with the samples in it.
func (s sample) fits(codes []byte) error {
	if (codes[s.at] != codeIllegal) == s.legal {
		return nil
	}
	return fmt.Errorf("block %d: %w: not the material of the name: value %d is legal %t, want %t", s.block,
		errCorrupt, s.at, !s.legal, s.legal)
}

// matchName compares some samples with a file that was just opened.
func (t *table) matchName() error {
	for _, s := range t.samples(openSamples) {
		codes, err := t.block(s.block, Hard)
		if err == nil {
			err = s.fits(codes)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Check reads a file as a whole and returns what is wrong with it: its header, the order and the size of its blocks,
// their contents, and which positions are marked as illegal. A file has no checksum.
func Check(path string) error {
	l, codec, err := parseFile(filepath.Base(path))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var f tablefile.File[*table]
	f.Set(path, func(file io.ReaderAt, size int64) (*table, error) {
		t, err := openTable(tablefile.NewCache(0), file, size, l, codec)
		if err == nil {
			err = t.check(checkSamples)
		}
		return t, err
	})
	_, err = f.Open(Hard)
	return errors.Join(err, f.Close())
}

// check reads each block and compares a number of samples.
func (t *table) check(n int) error {
	samples := t.samples(n)
	end := t.first
	for number := range 2 * t.blocks {
		from, to, err := t.span(number)
		if err == nil && from != end {
			err = fmt.Errorf("%w: begin at byte %d, want %d", errCorrupt, from, end)
		}
		if err != nil {
			return fmt.Errorf("block %d: %w", number, err)
		}
		end = to
		codes, err := t.readBlock(number)
		if err != nil {
			return fmt.Errorf("block %d: %w", number, err)
		}
		for ; len(samples) > 0 && samples[0].block == number; samples = samples[1:] {
			if err := samples[0].fits(codes); err != nil {
				return err
			}
		}
	}
	if end != t.size {
		return fmt.Errorf("the last block ends at byte %d, the file at %d", end, t.size)
	}
	return nil
}
