package match

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"tesla/board"
	"tesla/lab/journal"
	"tesla/lab/match/stats"
	"tesla/search"
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
	Anew   int        // how often the file was read from its beginning again, because another one has its name

	schedule schedule
	index    map[int]int // in Games, by number
	next     int64       // offset of the first line that was not read
	file     fs.FileInfo
}

// Header describes the match of a journal.
type Header struct {
	stats.Head
	Pairings [][2]int // indices of the players, the first of each is A
	Test     *stats.SPRT
	Started  time.Time // of the first run; zero: not known
	Chess960 bool
}

// Finished is a game of a journal, without its moves.
type Finished struct {
	Number  int            // in the match, from 0
	Pairing int            // index in Header.Pairings
	Sides   [2]int         // indices of the players with White and Black
	Result  string         // 1-0, 0-1 or 1/2-1/2
	Reason  string         // in words
	Ended   time.Time      // zero: not known
	Fact    stats.GameFact // its number is that within its pairing
	at      int64          // offset of its line
	size    int
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
			err = errors.New("it is damaged")
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
	want := Mark
	if f.index != nil {
		want = `{"game":`
	}
	n := min(len(text), len(want))
	return string(text[:n]) == want[:n]
}

// take reads a line: the first is the header, the others are games.
func (f *Follower) take(line []byte) error {
	if f.index == nil {
		return f.takeHeader(bytes.TrimPrefix(line, []byte("\ufeff")))
	}
	var r struct {
		journalFact
		Reason string   `json:"reason"`
		Date   string   `json:"date"`
		Plays  []string `json:"plays"`
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return err
	}
	l, err := r.listed(0)
	switch {
	case err != nil:
		return err
	case !finished(r.Result):
		return fmt.Errorf("game %d has no result", *r.Game)
	case *r.Game >= f.Header.Total:
		return fmt.Errorf("game %d of a match of %d games", *r.Game, f.Header.Total)
	}
	if _, ok := f.index[*r.Game]; ok {
		return fmt.Errorf("game %d is there twice", *r.Game)
	}
	at := f.schedule.at(*r.Game)
	white, black := f.Header.Players[at.sides[0]].Name, f.Header.Players[at.sides[1]].Name
	if r.White != white || r.Black != black || r.AWhite == at.second {
		return fmt.Errorf("game %d is %s - %s, not %s - %s", *r.Game, r.White, r.Black, white, black)
	}
	for side, plays := range r.Plays[:min(2, len(r.Plays))] {
		if p := &f.Header.Players[at.sides[side]]; p.Plays == "" {
			p.Plays = plays
		}
	}
	ended, _ := time.Parse(time.RFC3339, r.Date) // it is only shown
	f.index[*r.Game] = len(f.Games)
	f.Games = append(f.Games, Finished{Number: *r.Game, Pairing: at.pairing, Sides: at.sides, Result: r.Result, Reason: r.Reason, Ended: ended,
		Fact: l.fact(at.local(), !at.second), at: f.next, size: len(line)})
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
	f.schedule = newSchedule(len(h.Players), h.Games, h.Format)
	f.index = map[int]int{}
	f.Header = Header{Head: stats.Head{Total: f.schedule.total(), Openings: h.Openings, Machine: h.Machine, Commit: h.Commit},
		Pairings: f.schedule.pairings, Chess960: h.Chess960}
	for i := range h.Players {
		p := &h.Players[i]
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

// Replay is a finished game with what its players said.
type Replay struct {
	Game    *board.Game
	Replies []Reply // of each move
}

// Reply is what a player said with a move.
type Reply struct {
	Book   bool // a move of the opening, which nobody chose
	Scored bool // the player gave a score
	Info   search.Info
	Took   time.Duration // as the runner measured it
}

// Replay reads the game of a number from the journal. It is an error where no such game has ended.
func (f *Follower) Replay(file *os.File, number int) (*Replay, error) {
	g := f.Has(number)
	if g == nil {
		return nil, fmt.Errorf("game %d is not in the journal: %w", number, fs.ErrNotExist)
	}
	text := make([]byte, g.size)
	if _, err := file.ReadAt(text, g.at); err != nil {
		return nil, fmt.Errorf("byte %d: %w", g.at, err)
	}
	var l gameLine
	err := json.Unmarshal(text, &l)
	if err == nil && l.Game != number {
		err = fmt.Errorf("game %d is there", l.Game)
	}
	var r *Replay
	if err == nil {
		r, err = l.replay()
	}
	if err != nil {
		return nil, fmt.Errorf("byte %d: game %d: %w", g.at, number, err)
	}
	return r, nil
}

// replay plays the moves of a line.
func (l *gameLine) replay() (*Replay, error) {
	start, err := board.ParseFEN(l.Start)
	if err != nil {
		return nil, err
	}
	r := &Replay{Game: board.NewGame(start), Replies: make([]Reply, len(l.Moves))}
	for i := range l.Moves {
		m, err := r.Game.Pos.ParseMove(l.Moves[i].Move)
		if err != nil {
			return nil, fmt.Errorf("move %d: %w", i+1, err)
		}
		r.Game.Play(m)
		said := l.Moves[i].reply(m)
		r.Replies[i] = Reply{Book: l.Moves[i].Book, Scored: said.scored, Info: said.info, Took: said.took}
	}
	return r, nil
}

// readHeader reads the first line of a journal.
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
	if i, ok := f.index[number]; ok {
		return &f.Games[i]
	}
	return nil
}

// Offset is the number of bytes that were read.
func (f *Follower) Offset() int64 { return f.next }
