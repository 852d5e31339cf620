package match

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// pgnFile is the file that games are written to. When a match is resumed the file is made anew from its journal: what
// was in it before the match is kept, and each game of the journal is in it once.
type pgnFile struct {
	file *os.File
	to   string // what file is renamed to when the journal was read; empty: it is in place
}

// openPGN opens the file for appending.
func openPGN(path string) (*pgnFile, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("pgn: %w", err)
	}
	return &pgnFile{file: file}, nil
}

// rebuildPGN begins a new file that commit puts in place of the one at path, with the first keep bytes of that. A file
// of another path than the journal's, begun, must have nothing in it that could be lost or doubled.
func rebuildPGN(path string, begun *header) (*pgnFile, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("pgn: %w", err)
	}
	keep := begun.PGNOffset
	if absolute != begun.PGN {
		if info, err := os.Stat(path); err == nil && info.Size() > 0 {
			return nil, fmt.Errorf("pgn %s: the match was begun with %s: name that, or a new file", path, said(begun.PGN))
		}
		keep = 0
	}
	file, err := os.OpenFile(absolute+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("pgn: %w", err)
	}
	p := &pgnFile{file: file, to: absolute}
	if keep == 0 {
		return p, nil
	}
	old, err := os.Open(absolute)
	if err == nil {
		_, err = io.CopyN(file, old, keep)
		err = errors.Join(err, old.Close())
	}
	if err != nil {
		p.drop()
		return nil, fmt.Errorf("pgn %s: the %d bytes from before the match: %w", path, keep, err)
	}
	return p, nil
}

func said(path string) string {
	if path == "" {
		return "no file"
	}
	return path
}

// write appends a game.
func (p *pgnFile) write(text string) error {
	if _, err := p.file.WriteString(text); err != nil {
		return fmt.Errorf("pgn: %w", err)
	}
	return nil
}

// commit puts a file that is made anew in place.
func (p *pgnFile) commit() error {
	if p.to == "" {
		return nil
	}
	if err := p.file.Sync(); err != nil {
		return fmt.Errorf("pgn: %w", err)
	}
	if err := os.Rename(p.file.Name(), p.to); err != nil {
		return fmt.Errorf("pgn: %w", err)
	}
	p.to = ""
	return nil
}

// drop gives a file up that is not in place.
func (p *pgnFile) drop() {
	p.file.Close()
	if p.to != "" {
		_ = os.Remove(p.file.Name()) // it is written over the next time
	}
}

func (p *pgnFile) close() error {
	if err := p.file.Close(); err != nil {
		return fmt.Errorf("pgn: %w", err)
	}
	return nil
}
