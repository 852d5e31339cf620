package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"tesla/batcher"
)

// teacherBatch is the most positions that the teacher gets at once.
const teacherBatch = 1024

// teacherOf is the content of teacher.json.
type teacherOf struct {
	Model string `json:"model"` // hash of the net
	Name  string `json:"name"`
	Every int    `json:"every"` // it judges every N-th game
}

// teach writes, beside each shard of dir that has none, what the net of b says of the positions of every N-th game:
// a byte for each legal move, in the order of board.LegalMoves, 255 times the square root of its probability, so that
// small ones are kept too. Moves of the other games have zeros. A run that was stopped goes on at the shard where it was.
// It returns the number of positions that were evaluated.
func teach(dir string, b batcher.Backend, every int) (int, error) {
	if _, err := readManifest(dir); err != nil {
		return 0, err
	}
	if err := claim(dir, "teacher", teacherOf{b.Info().Model, b.Info().ModelName, every}); err != nil {
		return 0, err
	}
	p := batcher.NewPipeline(b, nil)
	defer p.Close()
	return eachShard(dir, "teacher", func(records []byte) ([]uint8, int, error) { return policies(p, records, every) })
}

// claim keeps what lies beside a folder's shards of one origin: t is written to the file name, or is what it says.
func claim[T comparable](dir, name string, t T) error {
	path := filepath.Join(dir, name+".json")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if text, err = json.MarshalIndent(t, "", "\t"); err != nil {
			return err
		}
		return replaceFile(path, append(text, '\n'))
	}
	var was T
	if err == nil {
		err = json.Unmarshal(text, &was)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if was != t {
		return fmt.Errorf("%s has %+v, not %+v: remove it and the files *.%s first", path, was, t, name)
	}
	return nil
}

// eachShard calls write for each shard of dir that has no file name beside it, with its records, and writes that file. It returns the
// number of positions that write counts.
func eachShard(dir, name string, write func(records []byte) (bytes []uint8, n int, err error)) (int, error) {
	m, err := readManifest(dir)
	if err != nil {
		return 0, err
	}
	done := 0
	for shard := range m.shards() {
		path := shardPath(dir, shard, name)
		if _, err := os.Stat(path); err == nil {
			continue
		}
		from := shardPath(dir, shard, "positions")
		records, err := os.ReadFile(from)
		if err != nil {
			return done, err
		}
		if want := min(m.Shard, m.Positions-shard*m.Shard) * recordSize; len(records) != want {
			return done, fmt.Errorf("%s: %d bytes, want %d", from, len(records), want)
		}
		bytes, n, err := write(records)
		if err != nil {
			return done, fmt.Errorf("%s: %w", from, err)
		}
		if err := replaceFile(path, bytes); err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}

// policies evaluates the records of every N-th game. It returns the bytes of the moves of all records, and the number
// of those that were evaluated.
func policies(p *batcher.Pipeline, records []byte, every int) (shares []uint8, n int, err error) {
	starts := make([]int, 0, len(records)/recordSize) // of the bytes of the records that were submitted
	for at := 0; err == nil && (at < len(records) || p.Pending() > 0); {
		if at == len(records) || p.Pending() == p.Depth() {
			b := p.Next()
			if err = b.Err; err == nil {
				for i := range b.Items {
					putShares(shares[starts[n]:], b.Items[i].Policy)
					n++
				}
			}
			p.Put(b)
			continue
		}
		b := p.Get()
		for ; at < len(records) && b.Len() < b.Cap(); at += recordSize {
			moves := int(records[at+movesAt])
			if binary.LittleEndian.Uint32(records[at+gameAt:])%uint32(every) == 0 {
				it := b.Add()
				if it.Position, err = position(records[at:]); err != nil {
					return nil, n, fmt.Errorf("byte %d: %w", at, err)
				}
				if it.Moves = it.Position.LegalMoves(it.Moves); len(it.Moves) != moves {
					return nil, n, fmt.Errorf("byte %d: %d legal moves, want %d", at, len(it.Moves), moves)
				}
				starts = append(starts, len(shares))
			}
			shares = append(shares, make([]uint8, moves)...)
		}
		if b.Len() == 0 { // the rest is of games that it does not judge
			p.Put(b)
			continue
		}
		p.Submit(b)
	}
	return shares, n, err
}

// putShares writes the bytes of probabilities.
func putShares(to []uint8, policy []float32) {
	for i, share := range policy {
		to[i] = uint8(math.Round(255 * math.Sqrt(float64(share))))
	}
}
