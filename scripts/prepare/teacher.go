package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"tesla/batcher"
)

// teacherBatch is the most positions that the teacher gets at once.
const teacherBatch = 1024

// teacherOf is the content of teacher.json.
type teacherOf struct {
	Model string `json:"model"` // hash of the net
	Name  string `json:"name"`
}

// teach writes, beside each shard of dir that has none, what the net of b says of its positions: a byte for each legal
// move, in the order of board.LegalMoves, its probability times 255 / that of the most probable one. A run that was
// stopped goes on at the shard where it was. It returns the number of positions that were evaluated.
func teach(dir string, b batcher.Backend) (int, error) {
	m, err := readManifest(dir)
	if err != nil {
		return 0, err
	}
	if err := claim(dir, teacherOf{b.Info().Model, b.Info().ModelName}); err != nil {
		return 0, err
	}
	p := batcher.NewPipeline(b, nil)
	defer p.Close()
	done := 0
	for shard := range m.shards() {
		path := shardPath(dir, shard, "teacher")
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
		shares, err := policies(p, records)
		if err != nil {
			return done, fmt.Errorf("%s: %w", from, err)
		}
		if err := replaceFile(path, shares); err != nil {
			return done, err
		}
		done += len(records) / recordSize
	}
	return done, nil
}

// claim keeps the teachers of a folder's shards one net.
func claim(dir string, t teacherOf) error {
	path := filepath.Join(dir, "teacher.json")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if text, err = json.MarshalIndent(t, "", "\t"); err != nil {
			return err
		}
		return replaceFile(path, append(text, '\n'))
	}
	var was teacherOf
	if err == nil {
		err = json.Unmarshal(text, &was)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if was != t {
		return fmt.Errorf("%s names the net %s (%s), not %s (%s): remove it and the files *.teacher first", path, was.Name, was.Model, t.Name, t.Model)
	}
	return nil
}

// policies evaluates all records and returns the bytes of their moves.
func policies(p *batcher.Pipeline, records []byte) (shares []uint8, err error) {
	for at := 0; err == nil && (at < len(records) || p.Pending() > 0); {
		if at == len(records) || p.Pending() == p.Depth() {
			b := p.Next()
			err = b.Err
			for i := range b.Items {
				shares = appendShares(shares, b.Items[i].Policy)
			}
			p.Put(b)
			continue
		}
		b := p.Get()
		for at < len(records) && b.Len() < b.Cap() {
			it := b.Add()
			if it.Position, err = position(records[at:]); err != nil {
				return nil, fmt.Errorf("byte %d: %w", at, err)
			}
			it.Moves = it.Position.LegalMoves(it.Moves)
			if want := int(records[at+movesAt]); len(it.Moves) != want {
				return nil, fmt.Errorf("byte %d: %d legal moves, want %d", at, len(it.Moves), want)
			}
			at += recordSize
		}
		p.Submit(b)
	}
	return shares, err
}

// appendShares appends probabilities, scaled so that the largest is 255.
func appendShares(to []uint8, policy []float32) []uint8 {
	if len(policy) == 0 {
		return to
	}
	scale := 255 / slices.Max(policy)
	for _, share := range policy {
		to = append(to, uint8(math.Round(float64(share*scale))))
	}
	return to
}
