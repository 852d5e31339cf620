package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"tesla/internal/output"
	"tesla/lab/journal"
	"tesla/lab/work"
)

// hashMark begins a path in an order that stands for a file on the server: its hash and the end of its name follow.
const hashMark = "sha256-"

// hashOf is the name of a file on the server.
func hashOf(path string) (string, error) {
	sum, err := journal.FileSum(path)
	if err != nil {
		return "", err
	}
	return hashMark + sum + filepath.Ext(path), nil
}

// hashFiles replaces the paths in an order by the names of the files on the server. paths are those of before, by name.
func hashFiles(o work.Order) (paths map[string]string, err error) {
	paths = map[string]string{}
	for _, path := range o.Files() {
		if *path == "" {
			continue
		}
		name, err := hashOf(*path)
		if err != nil {
			return nil, err
		}
		paths[name], *path = *path, name
	}
	return paths, nil
}

// upload puts the files on the server that it does not have, each once.
func (s *store) upload(ctx context.Context, paths map[string]string) error {
	for name, path := range paths {
		_, err := s.files.GetInfo(ctx, name)
		if err == nil {
			continue
		}
		if !errors.Is(err, jetstream.ErrObjectNotFound) {
			return err
		}
		f, err := output.OpenRegular(path)
		if err != nil {
			return err
		}
		_, err = s.files.Put(ctx, jetstream.ObjectMeta{Name: name}, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// receive fetches the files of an order that are not in the folder yet, and sets their paths.
func (s *store) receive(ctx context.Context, dir string, o work.Order) error {
	for _, path := range o.Files() {
		if !strings.HasPrefix(*path, hashMark) || strings.ContainsAny(*path, `/\`) {
			if *path == "" {
				continue
			}
			return fmt.Errorf("file %q: no hash", *path)
		}
		name, here := *path, filepath.Join(dir, *path)
		*path = here
		if _, err := os.Stat(here); err == nil {
			continue // it was renamed to this name after its hash was checked
		}
		if err := s.download(ctx, name, here); err != nil {
			return fmt.Errorf("file %s: %w", name, err)
		}
	}
	return nil
}

// download fetches a file from the server. It is under its name only as a whole, and after its hash was checked.
func (s *store) download(ctx context.Context, name, to string) (err error) {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(to), "part-*"+filepath.Ext(to))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temporary.Name())
		}
	}()
	if err := errors.Join(temporary.Close(), s.files.GetFile(ctx, name, temporary.Name())); err != nil {
		return err
	}
	hash, err := hashOf(temporary.Name())
	if err != nil {
		return err
	}
	if hash != name {
		return fmt.Errorf("its hash is %s", hash)
	}
	return os.Rename(temporary.Name(), to)
}
