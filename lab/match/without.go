package match

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"tesla/internal/output"
	"tesla/lab/work"
)

// leaveOut takes the games of some workers out of a journal, so that they are played again. The journal as it was stays
// beside it, as PATH.1 or the next number that is free. It does nothing where the journal has none of their games.
func leaveOut(path string, workers []string) (err error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := errors.Join(output.Regular(file), output.Lock(file)); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	kept, left, err := withoutWorkers(file, workers)
	if err != nil {
		return fmt.Errorf("journal %s: %w", path, err)
	}
	if left == 0 {
		return nil
	}
	for n := 1; ; n++ {
		err := os.Link(path, fmt.Sprintf("%s.%d", path, n))
		if err == nil {
			break
		}
		if !errors.Is(err, os.ErrExist) {
			return fmt.Errorf("journal: keeping it as it was: %w", err)
		}
	}
	return output.WriteBytes(path, func(head []byte) bool { return bytes.HasPrefix(head, []byte(Mark)) }, kept)
}

// withoutWorkers returns the text of a journal without the games of some workers, and how many these are.
func withoutWorkers(file io.Reader, workers []string) (kept []byte, left int, err error) {
	lines := bufio.NewReaderSize(file, 1<<16)
	for {
		line, err := readLine(lines)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, 0, err
		}
		var from work.Origin
		if json.Unmarshal(line, &from) == nil && slices.Contains(workers, from.Worker) {
			left++
		} else {
			kept = append(kept, line...)
		}
		if errors.Is(err, io.EOF) {
			return kept, left, nil
		}
	}
}
