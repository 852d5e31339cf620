package match

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// journalVersion is the form of journals that are written, and the only one that is read.
const journalVersion = 1

// header is the first line of a journal. All that determines the match is in it: two matches of the same header play
// the same games, as far as clocks, threads and external engines allow.
type header struct {
	Version  int            `json:"tesla_match"`
	Players  []headerPlayer `json:"players"`
	Format   string         `json:"format"`
	Games    int            `json:"games"`         // of each pairing
	Book     string         `json:"openings_hash"` // SHA-256 of the openings
	Order    string         `json:"order"`
	Seed     uint64         `json:"seed"`
	Plies    int            `json:"plies"`
	Chess960 bool           `json:"chess960"`
	MaxMoves int            `json:"maxmoves"`
	Resign   string         `json:"resign"`
	Draw     string         `json:"draw"`
	Margin   string         `json:"timemargin"` // as the next three a duration with its unit
	Hang     string         `json:"hang"`
	Grace    string         `json:"grace"`
	Overhead string         `json:"overhead"`
	informative
}

// headerPlayer is a player with its name in this match.
type headerPlayer struct {
	Player
	Name      string `json:"name"`
	Net       string `json:"net,omitempty"`
	Condition string `json:"condition"`
}

// informative is the part of a header in which matches may differ.
type informative struct {
	Commit    string `json:"commit,omitempty"`
	Openings  string `json:"openings,omitempty"` // the file
	Started   string `json:"started,omitempty"`  // RFC 3339
	PGN       string `json:"pgn,omitempty"`      // absolute path
	PGNOffset int64  `json:"pgn_offset"`         // bytes of that file before the match: other games
}

// newHeader describes the match. The openings must be those that the configuration names.
func newHeader(m *matchRun) (*header, error) {
	c := m.config
	h := &header{
		Version: journalVersion, Format: c.Format, Games: c.Games, Order: c.Order, Seed: c.Seed, Plies: c.Plies,
		Chess960: c.Chess960, MaxMoves: c.MaxMoves, Margin: c.Margin.String(), Hang: c.Hang.String(), Grace: c.Grace.String(),
		Overhead:    c.Overhead.String(),
		informative: informative{Commit: c.Commit, Openings: c.Openings, Started: time.Now().UTC().Format(time.RFC3339)},
	}
	if h.Format == "" || len(c.More) == 0 {
		h.Format = RoundRobin
	}
	if c.Resign.Moves > 0 {
		h.Resign = fmt.Sprintf("moves=%d,score=%d", c.Resign.Moves, c.Resign.Score)
	}
	if c.Draw.Moves > 0 {
		h.Draw = fmt.Sprintf("from=%d,moves=%d,score=%d", c.Draw.From, c.Draw.Moves, c.Draw.Score)
	}
	data, err := readOpenings(c.Openings)
	if err != nil {
		return nil, err
	}
	h.Book = fmt.Sprintf("%x", sha256.Sum256(data))
	for i, p := range m.players {
		h.Players = append(h.Players, headerPlayer{
			Player: *p, Name: m.names[i], Net: m.nets[i], Condition: c.condition(p).String(),
		})
	}
	if c.PGN != "" {
		path, err := filepath.Abs(c.PGN)
		if err != nil {
			return nil, fmt.Errorf("pgn: %w", err)
		}
		h.PGN = path
		if info, err := os.Stat(path); err == nil {
			h.PGNOffset = info.Size()
		}
	}
	return h, nil
}

// differences are what keeps two headers from being of the same match, in words.
func (h *header) differences(other *header) ([]string, error) {
	var sides [2]map[string]any
	for i, h := range []*header{h, other} {
		whole := *h
		whole.informative = informative{}
		text, err := json.Marshal(whole)
		if err != nil {
			return nil, err
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber() // seeds need all 64 bits
		if err := decoder.Decode(&sides[i]); err != nil {
			return nil, err
		}
	}
	var list []string
	differ("", sides[0], sides[1], &list)
	return list, nil
}

// differ appends where two JSON values differ.
func differ(path string, a, b any, list *[]string) {
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			keys := map[string]bool{}
			for k := range x {
				keys[k] = true
			}
			for k := range y {
				keys[k] = true
			}
			for _, k := range slices.Sorted(maps.Keys(keys)) {
				differ(strings.TrimPrefix(path+"."+k, "."), x[k], y[k], list)
			}
			return
		}
	case []any:
		if y, ok := b.([]any); ok && len(x) == len(y) {
			for i := range x {
				differ(fmt.Sprintf("%s[%d]", path, i), x[i], y[i], list)
			}
			return
		}
	}
	if fmt.Sprint(a) != fmt.Sprint(b) {
		*list = append(*list, fmt.Sprintf("%s is %s in the journal, %s here", path, jsonText(a), jsonText(b)))
	}
}

func jsonText(v any) string {
	if v == nil {
		return "absent"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

// journal is the file of finished games. A game is in it, on the disk, before it counts anywhere else.
//
//	{"tesla_match":1,"players":[..],..}\n    the header
//	{"game":0,"white":..,..}\n               a finished game; in the order in which games ended
//	{"game":2,"wh                            what a kill may leave: the part of a line, dropped when it is resumed
type journal struct {
	file   *os.File
	header *header       // as in the file: that of the match's first start
	lines  *bufio.Reader // until the games were replayed
	whole  int64         // bytes of whole lines that were read
}

// createJournal begins a journal. A file that is there is not touched.
func createJournal(path string, h *header) (*journal, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("journal %s is there already: resume it, or remove it", path)
	}
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	j := &journal{file: file}
	if err := lock(file); err != nil {
		return nil, errors.Join(fmt.Errorf("journal %s: another process uses it: %w", path, err), file.Close())
	}
	if err := j.begin(path, h); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return j, nil
}

// begin writes the header into an empty file, and makes sure that the file's name is on the disk as well.
func (j *journal) begin(path string, h *header) error {
	j.header = h
	if err := j.append(h); err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	_ = folder.Sync() // not every file system can
	return folder.Close()
}

// resumeJournal opens a journal of the match, and begins it where there is none. Its games are to be replayed before
// one is added. The error names the file and what differs.
func resumeJournal(path string, h *header) (*journal, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	j := &journal{file: file, lines: bufio.NewReaderSize(file, 1<<16)}
	if err := lock(file); err != nil {
		return nil, errors.Join(fmt.Errorf("journal %s: another process uses it: %w", path, err), file.Close())
	}
	line, err := j.lines.ReadBytes('\n')
	switch {
	case err == nil:
		err = j.readHeader(line, h)
		j.whole = int64(len(line))
	case err == io.EOF && tornHeader(line): // killed before the header was whole
		if err = j.cut(); err == nil {
			err = j.begin(path, h)
		}
		return j, err
	case err == io.EOF:
		err = errors.New("it is not the header of a journal")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("journal %s: line 1: %w", path, err), file.Close())
	}
	return j, nil
}

// replay shows the games to visit in the order in which they ended, and cuts a torn last line off. The error names the
// file and the line.
func (j *journal) replay(visit func(*gameLine) error) error {
	if j.lines == nil { // it was begun now
		return nil
	}
	for n := 2; ; n++ {
		line, err := j.lines.ReadBytes('\n')
		if err == io.EOF {
			return j.cut()
		}
		var g gameLine
		if err == nil {
			err = json.Unmarshal(line, &g)
		}
		if err == nil {
			err = visit(&g)
		}
		if err != nil {
			return fmt.Errorf("journal %s: line %d: %w", j.file.Name(), n, err)
		}
		j.whole += int64(len(line))
	}
}

// cut ends the file behind its last whole line.
func (j *journal) cut() error {
	j.lines = nil
	if err := j.file.Truncate(j.whole); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if _, err := j.file.Seek(j.whole, io.SeekStart); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// tornHeader tells whether text, without an end of line, may be what a kill left of a header: nothing else is
// overwritten.
func tornHeader(text []byte) bool {
	const begin = `{"tesla_match":`
	n := min(len(text), len(begin))
	return string(text[:n]) == begin[:n]
}

func (j *journal) readHeader(line []byte, h *header) error {
	j.header = &header{}
	if err := json.Unmarshal(line, j.header); err != nil || j.header.Version == 0 {
		return errors.New("it is not the header of a journal")
	}
	if j.header.Version != journalVersion {
		return fmt.Errorf("the journal has version %d, this program reads version %d", j.header.Version, journalVersion)
	}
	differences, err := j.header.differences(h)
	if err != nil {
		return err
	}
	if len(differences) > 0 {
		return fmt.Errorf("the journal is of another match: %s", strings.Join(differences, "; "))
	}
	return nil
}

// append writes a line with one write and waits until it is on the disk.
func (j *journal) append(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}
