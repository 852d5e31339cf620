package pgn

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// File is a file that games are appended to. It is not safe for concurrent use.
type File struct {
	file *os.File
	to   string // where Commit renames file to; empty: it is in place
}

// Append opens the file at path for appending.
func Append(path string) (*File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("pgn: %w", err)
	}
	return &File{file: file}, nil
}

// Rebuild begins a new file that Commit puts in place of the one at path. The new file starts with the first keep bytes
// of the old one.
func Rebuild(path string, keep int64) (*File, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("pgn: %w", err)
	}
	file, err := os.OpenFile(absolute+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("pgn: %w", err)
	}
	f := &File{file: file, to: absolute}
	if keep == 0 {
		return f, nil
	}
	old, err := os.Open(absolute)
	if err == nil {
		_, err = io.CopyN(file, old, keep)
		err = errors.Join(err, old.Close())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("pgn %s: copying its first %d bytes: %w", path, keep, err), f.Close())
	}
	return f, nil
}

// Write appends a game.
func (f *File) Write(g *Game) error {
	if _, err := f.file.WriteString(g.Text()); err != nil {
		return fmt.Errorf("pgn: %w", err)
	}
	return nil
}

// Commit puts a file that Rebuild began in place. Of any other it does nothing.
func (f *File) Commit() error {
	if f.to == "" {
		return nil
	}
	if err := f.file.Sync(); err != nil {
		return fmt.Errorf("pgn: %w", err)
	}
	if err := os.Rename(f.file.Name(), f.to); err != nil {
		return fmt.Errorf("pgn: %w", err)
	}
	f.to = ""
	return nil
}

// Close closes the file. One that Rebuild began and Commit did not put in place is removed.
func (f *File) Close() error {
	err := f.file.Close()
	if f.to != "" {
		err = errors.Join(err, os.Remove(f.file.Name()))
	}
	if err != nil {
		return fmt.Errorf("pgn: %w", err)
	}
	return nil
}
