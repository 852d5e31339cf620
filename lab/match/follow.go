package match

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"time"

	"tesla/board"
	"tesla/lab/journal"
	"tesla/lab/match/stats"
)

// Limits of a journal that is followed. What a match writes stays far below them.
const (
	longestLine = 8 << 20 // bytes
	mostPlayers = 1000
)

// Mark is how every journal of a match begins.
const Mark = `{"tesla_match":`

// Follower reads a journal while another process may be writing it. A last line without its end is being written, so it
// is waited for. A line that is whole and wrong is an error, until the file has another one in its place: a match that is
// resumed cuts off a damaged end.
//
// A Follower keeps what the statistics need of a game, and where the game is in the file. It is for one goroutine at a time.
type Follower struct {
	Header Header     // without players before the first line was read
	Games  []Finished // in the order in which they ended
	Anew   int        // how often games have gone: another file has its name, or games of workers were left out

	ledger       // of the indices in Games; nil before the first line was read
	next   int64 // offset of the first line that was not read
	file   fs.FileInfo
}

// Header describes the match of a journal.
type Header struct {
	stats.Head
	Pairings [][2]int // indices of the players, the first of each is A
	Test     *stats.SPRT
	Started  time.Time // of the first run; zero: not known
	Chess960 bool
}

// Finished is a game of a journal and its place in the match.
type Finished struct {
	Game
	Pairing int            // index in Header.Pairings
	Sides   [2]int         // indices of the players with White and Black
	Fact    stats.GameFact // its number is that within its pairing
	offset  int64          // of its line
	size    int
}

// Follow reads a whole journal.
func Follow(path string) (*Follower, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f := &Follower{}
	_, err = f.Read(file, math.MaxInt64)
	return f, err
}

// Read reads the lines that have been added to the journal, and stops after about the given number of bytes; more tells
// that there are others. An error names the byte at which the line begins that is wrong.
func (f *Follower) Read(file *os.File, most int64) (more bool, err error) {
	info, err := file.Stat()
	if err != nil {
		return false, err
	}
	if f.file != nil && (!os.SameFile(f.file, info) || info.Size() < f.next) {
		*f = Follower{Anew: f.Anew + 1}
	}
	f.file = info
	lines := bufio.NewReaderSize(io.NewSectionReader(file, f.next, info.Size()-f.next), 1<<16)
	for end := f.next + most; f.next < end; {
		line, err := readLine(lines)
		if errors.Is(err, io.EOF) && f.begins(line) {
			return false, nil
		}
		if errors.Is(err, io.EOF) {
			err = errors.New("damaged")
		}
		if err == nil {
			err = f.take(line)
		}
		if err != nil {
			return false, fmt.Errorf("byte %d: %w", f.next, err)
		}
		f.next += int64(len(line))
	}
	return f.next < info.Size(), nil
}

// readLine reads a line with its end. Without one it is io.EOF.
func readLine(r *bufio.Reader) (line []byte, err error) {
	for len(line) <= longestLine {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
	return nil, fmt.Errorf("the line is longer than %d bytes", longestLine)
}

// begins reports whether text can be the beginning of a line that is being written.
func (f *Follower) begins(text []byte) bool {
	wanted := []string{Mark}
	if f.there != nil {
		wanted = []string{`{"game":`, leftOutMark}
	}
	return slices.ContainsFunc(wanted, func(want string) bool {
		n := min(len(text), len(want))
		return string(text[:n]) == want[:n]
	})
}

// take reads a line: the first is the header, the others are games.
func (f *Follower) take(line []byte) error {
	if f.there == nil {
		return f.takeHeader(bytes.TrimPrefix(line, []byte("\ufeff")))
	}
	if workers := leaves(line); workers != nil {
		f.Anew++
		f.Games = slices.DeleteFunc(f.Games, func(g Finished) bool { return slices.Contains(workers, g.Worker) })
		clear(f.there)
		for i := range f.Games {
			f.there[f.Games[i].Number] = i
		}
		return nil
	}
	g := Finished{offset: f.next, size: len(line)}
	at, err := f.read(line, &g.Game)
	if err != nil {
		return err
	}
	if err := f.enter(g.Number); err != nil {
		return err
	}
	for side, plays := range g.Plays[:min(2, len(g.Plays))] {
		if p := &f.Header.Players[at.sides[side]]; p.Plays == "" {
			p.Plays = plays
		}
	}
	g.Pairing, g.Sides, g.Fact = at.pairing, at.sides, g.Game.fact(at.local(), at.leg == 0)
	f.Games = append(f.Games, g)
	return nil
}

func (f *Follower) takeHeader(line []byte) error {
	h, err := readHeader(line)
	switch {
	case err != nil:
		return err
	case len(h.Players) < 2 || len(h.Players) > mostPlayers:
		return fmt.Errorf("the journal has %d players", len(h.Players))
	case h.Games < 1:
		return fmt.Errorf("the journal has %d games for each pairing", h.Games)
	}
	f.ledger = ledger{schedule: newSchedule(len(h.Players), h.Games, h.Format), there: map[int]int{}}
	f.Header = Header{Head: stats.Head{Total: f.total(), Openings: h.Openings, Machine: h.Machine, Commit: h.Commit},
		Pairings: f.pairings, Chess960: h.Chess960}
	for i := range h.Players {
		p := &h.Players[i]
		f.names = append(f.names, p.Name)
		f.Header.Players = append(f.Header.Players, stats.Entrant{Name: p.Name, Condition: p.Condition, Settings: p.Settings()})
	}
	if h.SPRT != "" {
		if f.Header.Test, err = stats.ParseSPRT(h.SPRT); err != nil {
			return fmt.Errorf("sprt: %w", err)
		}
	}
	f.Header.Started, _ = time.Parse(time.RFC3339, h.Started) // it is only shown
	return nil
}

// Replay reads the moves of a game from the journal. It is an error where no game of that number has ended.
func (f *Follower) Replay(file *os.File, number int) (*board.Game, []Move, error) {
	g := f.Has(number)
	if g == nil {
		return nil, nil, fmt.Errorf("game %d is not in the journal: %w", number, fs.ErrNotExist)
	}
	text := make([]byte, g.size)
	if _, err := file.ReadAt(text, g.offset); err != nil {
		return nil, nil, fmt.Errorf("byte %d: %w", g.offset, err)
	}
	var l gameLine
	err := json.Unmarshal(text, &l)
	if err == nil && l.Number != number {
		err = fmt.Errorf("game %d is there", l.Number)
	}
	start, wrong := board.ParseFEN(g.Start)
	played := board.NewGame(start)
	if err = errors.Join(err, wrong); err == nil {
		err = l.play(played)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("byte %d: game %d: %w", g.offset, number, err)
	}
	return played, l.Moves, nil
}

func readHeader(line []byte) (*header, error) {
	h := &header{}
	if err := json.Unmarshal(line, h); err != nil || h.Version == 0 {
		return nil, journal.ErrHeader
	}
	if h.Version != journalVersion {
		return nil, fmt.Errorf("the journal has version %d, this program reads version %d", h.Version, journalVersion)
	}
	return h, nil
}

// Has is the finished game of a number, or nil.
func (f *Follower) Has(number int) *Finished {
	if i, ok := f.there[number]; ok {
		return &f.Games[i]
	}
	return nil
}

// Offset is the number of bytes that were read.
func (f *Follower) Offset() int64 { return f.next }
