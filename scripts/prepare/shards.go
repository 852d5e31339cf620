package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"tesla/lab/games"
)

const (
	shardSize    = 1 << 20 // positions
	version      = 2
	manifestName = "manifest.json"
)

// source says what came from one file of games.
type source struct {
	Name string `json:"name"`
	games.Count
}

// manifest says what the shards of a folder hold.
type manifest struct {
	Version   int      `json:"version"`
	Record    int      `json:"record"` // bytes of a position
	Shard     int      `json:"shard"`  // positions of each shard but the last
	Positions int      `json:"positions"`
	Files     []source `json:"files"`
}

func (m *manifest) shards() int { return (m.Positions + m.Shard - 1) / m.Shard }

// readManifest reads the manifest of a folder of complete shards.
func readManifest(dir string) (*manifest, error) {
	path := filepath.Join(dir, manifestName)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the shards are not complete: %w", err)
	}
	var m manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if m.Version != version || m.Record != recordSize || m.Shard <= 0 {
		return nil, fmt.Errorf("%s: version %d with %d bytes a position, want version %d with %d", path, m.Version, m.Record, version, recordSize)
	}
	return &m, nil
}

func shardPath(dir string, shard int, part string) string {
	return filepath.Join(dir, fmt.Sprintf("%05d.%s", shard, part))
}

// replaceFile writes a whole file, which takes its name when it is complete.
func replaceFile(path string, data []byte) error {
	if err := os.WriteFile(path+".new", data, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// writer writes shards.
type writer struct {
	dir       string
	size      int      // positions of each shard but the last
	file      *os.File // nil between two shards
	buffer    *bufio.Writer
	positions int
	files     []source
}

// newWriter begins the shards of a folder, which must not hold complete ones.
func newWriter(dir string) (*writer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, manifestName)); err == nil {
		return nil, fmt.Errorf("%s: positions of an earlier run", dir)
	}
	return &writer{dir: dir, size: shardSize}, nil
}

func (w *writer) add(r *record) error {
	if w.file == nil {
		f, err := os.Create(shardPath(w.dir, w.positions/w.size, "positions"))
		if err != nil {
			return err
		}
		w.file, w.buffer = f, bufio.NewWriterSize(f, 1<<18)
	}
	if _, err := w.buffer.Write(r.append(w.buffer.AvailableBuffer())); err != nil {
		return err
	}
	if w.positions++; w.positions%w.size == 0 {
		return w.endShard()
	}
	return nil
}

func (w *writer) endShard() error {
	if w.file == nil {
		return nil
	}
	f := w.file
	w.file = nil
	return errors.Join(w.buffer.Flush(), f.Close())
}

// close completes the shards.
func (w *writer) close() error {
	if err := w.endShard(); err != nil {
		return err
	}
	m := manifest{Version: version, Record: recordSize, Shard: w.size, Positions: w.positions, Files: w.files}
	text, err := json.MarshalIndent(&m, "", "\t")
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(w.dir, manifestName), append(text, '\n'))
}
