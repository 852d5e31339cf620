package match

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"tesla/internal/beat"
)

// A match with a journal shows the games in progress in a file beside it, for whoever follows the journal. The file is written
// while the match is played, and removed at its end. It is nobody's record: it is not synced, and what it says may be torn.
const (
	progressName  = ".live" // behind the journal's name
	progressMark  = `{"tesla_live":1,`
	progressEvery = 500 * time.Millisecond
	progressAlive = 10 // times of it after which the file is written anew, so that one that was left behind is told
)

// InProgress is a game that is being played.
type InProgress struct {
	Number int      `json:"number"` // in the match, from 0
	Sides  [2]int   `json:"sides"`  // indices of the players with White and Black
	Start  string   `json:"start"`  // FEN
	Moves  []string `json:"moves"`  // UCI
}

// ReadProgress reads the games in progress of the journal of a name in a folder: none where no match is played.
func ReadProgress(root *os.Root, journal string) []InProgress {
	info, err := root.Stat(journal + progressName)
	if err != nil || !info.Mode().IsRegular() || info.Size() > longestLine || time.Since(info.ModTime()) > 2*progressAlive*progressEvery {
		return nil
	}
	text, err := root.ReadFile(journal + progressName)
	var read struct {
		Games []InProgress `json:"games"`
	}
	if err != nil || !bytes.HasPrefix(text, []byte(progressMark)) || json.Unmarshal(text, &read) != nil {
		return nil // it is written anew in a moment
	}
	return read.Games
}

// progress writes the games in progress. A nil one writes nothing.
type progress struct {
	path string
	stop func() // ends the writing

	mu      sync.Mutex
	games   map[*record][]Move
	changed bool
}

// showProgress begins to write the games in progress beside a journal. A file of that name that is something else stays.
func showProgress(journal string) *progress {
	p := &progress{path: journal + progressName, games: map[*record][]Move{}}
	if journal == "" || !p.ours() {
		return nil
	}
	quiet := 0
	p.stop = beat.Every(progressEvery, func() {
		if text := p.text(quiet >= progressAlive); text != nil && p.ours() {
			_ = os.WriteFile(p.path, text, 0o644) // a match does not end because nobody can watch it
			quiet = 0
		}
		quiet++
	})
	return p
}

// ours reports whether the file can be written: there is none, or one of an earlier match.
func (p *progress) ours() bool {
	info, err := os.Lstat(p.path)
	if err != nil || !info.Mode().IsRegular() {
		return errors.Is(err, fs.ErrNotExist)
	}
	f, err := os.Open(p.path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(progressMark))
	n, err := io.ReadFull(f, head)
	return n == 0 || err == nil && string(head) == progressMark
}

// text is the file; nil: it is as it was.
func (p *progress) text(anew bool) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.changed && !anew || len(p.games) == 0 && !p.changed {
		return nil
	}
	p.changed = false
	games := make([]InProgress, 0, len(p.games))
	for r, moves := range p.games {
		g := InProgress{Number: r.Number, Sides: r.sides, Start: r.Start, Moves: make([]string, len(moves))}
		for i := range moves {
			g.Moves[i] = moves[i].UCI
		}
		games = append(games, g)
	}
	slices.SortFunc(games, func(a, b InProgress) int { return a.Number - b.Number })
	text, err := json.Marshal(games)
	if err != nil {
		return nil
	}
	return fmt.Appendf(nil, "%s\"games\":%s}\n", progressMark, text)
}

// show notes the moves of a game that is being played.
func (p *progress) show(r *record) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.games[r], p.changed = r.Moves[:len(r.Moves):len(r.Moves)], true
}

// end notes that a game is not played any more.
func (p *progress) end(r *record) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.games, r)
	p.changed = true
}

// close removes the file.
func (p *progress) close() error {
	if p == nil {
		return nil
	}
	p.stop()
	if !p.ours() {
		return nil
	}
	if err := os.Remove(p.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
