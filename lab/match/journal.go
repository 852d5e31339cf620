package match

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"tesla/lab/journal"
	"tesla/lab/match/player"
)

// journalVersion is the version of the journals that are written. No other is read.
const journalVersion = 1

// header is the first line of a journal. It holds all that determines the match: two matches with the same header play
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
	Ponder   bool           `json:"ponder,omitempty"`
	MaxMoves int            `json:"maxmoves"`
	Resign   string         `json:"resign"`
	Draw     string         `json:"draw"`
	Tables   string         `json:"tb,omitempty"` // those that end games, see tables.id
	Margin   string         `json:"timemargin"`   // this and the next three are durations with their unit
	Hang     string         `json:"hang"`
	Grace    string         `json:"grace"`
	Overhead string         `json:"overhead"`
	informative
}

// headerPlayer is a player with its name in this match.
type headerPlayer struct {
	player.Player
	Name      string `json:"name"`
	Net       string `json:"net,omitempty"`
	Condition string `json:"condition"`
}

// informative is the part of a header that may differ when a match is resumed.
type informative struct {
	Commit   string `json:"commit,omitempty"`
	Openings string `json:"openings,omitempty"` // the file
	Machine  string `json:"machine,omitempty"`
	Started  string `json:"started,omitempty"` // RFC 3339
	SPRT     string `json:"sprt,omitempty"`    // for those who follow the match, see stats.ParseSPRT
	ID       string `json:"id,omitempty"`      // tells its games in a PGN file from those of other matches
}

// newHeader describes the match. The openings must be those that the configuration names.
func newHeader(m *matchRun) (*header, error) {
	c := m.config
	h := &header{
		Version: journalVersion, Format: c.Format, Games: c.Games, Order: c.Openings.Order, Seed: c.Openings.Seed,
		Plies: c.Openings.Plies, Chess960: c.Openings.Chess960, Ponder: c.Ponder, MaxMoves: c.Adjudication.MaxMoves,
		Margin: c.Patience.Margin.String(), Hang: c.Patience.Hang.String(), Grace: c.Patience.Grace.String(),
		Overhead:    c.Patience.Overhead.String(),
		informative: informative{Commit: c.Commit, Openings: c.Openings.File, Machine: machine(), Started: time.Now().UTC().Format(time.RFC3339)},
	}
	if h.Format == "" || len(c.Players) == 2 {
		h.Format = RoundRobin
	}
	if r := c.Adjudication.Resign; r.Moves > 0 {
		h.Resign = fmt.Sprintf("moves=%d,score=%d", r.Moves, r.Score)
	}
	if d := c.Adjudication.Draw; d.Moves > 0 {
		h.Draw = fmt.Sprintf("from=%d,moves=%d,score=%d", d.From, d.Moves, d.Score)
	}
	h.Tables = c.Adjudication.tables.id()
	if c.SPRT != nil {
		h.SPRT = c.SPRT.String()
	}
	data, err := readOpenings(c.Openings.File)
	if err != nil {
		return nil, err
	}
	h.Book = fmt.Sprintf("%x", sha256.Sum256(data))
	for i := range c.Players {
		p := &c.Players[i]
		h.Players = append(h.Players, headerPlayer{
			Player: *p, Name: m.names[i], Net: m.nets[i], Condition: c.condition(p).String(),
		})
	}
	h.ID, err = h.identity(&c.Files)
	return h, err
}

// identity makes the identity of a new match. That of a match with a stable PGN is a hash of the header, so that it is
// the same in each run, and a number where the PGN file has such a match already.
func (h *header) identity(files *Files) (string, error) {
	if !files.PGNStable {
		return rand.Text()[:16], nil
	}
	determined := *h
	determined.informative = informative{}
	text, err := json.Marshal(determined)
	if err != nil {
		return "", fmt.Errorf("journal: %w", err)
	}
	hash := fmt.Sprintf("%x", sha256.Sum256(text))[:16]
	var there []byte
	if info, err := os.Stat(files.PGN); err == nil && info.Mode().IsRegular() && !files.Resume {
		if there, err = os.ReadFile(files.PGN); err != nil {
			return "", fmt.Errorf("pgn: %w", err)
		}
	}
	id := hash
	for n := 2; bytes.Contains(there, fmt.Appendf(nil, "[%s %q]", matchTag, id)); n++ {
		id = fmt.Sprintf("%s-%d", hash, n)
	}
	return id, nil
}

// openJournal begins the journal of the match, or opens it to resume. It returns the header that is in the file, which
// is that of the first start. A file that exists is not touched unless the match is resumed.
func (m *matchRun) openJournal() (first *header, err error) {
	h, err := newHeader(m)
	if err != nil {
		return nil, err
	}
	path, flags := m.config.Files.Journal, os.O_CREATE|os.O_RDWR
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("journal: %s is not a regular file", path)
	}
	if !m.config.Files.Resume {
		flags |= os.O_EXCL
	}
	file, err := os.OpenFile(path, flags, 0o644)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%w: journal %s exists: use --resume or remove it", journal.ErrRefused, path)
	}
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	first = h
	m.journal, err = journal.Open(file, h, Mark, func(line []byte) (err error) {
		first, err = h.check(line)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return first, nil
}

// check reads the header of a journal. It must be that of the match that h describes.
func (h *header) check(line []byte) (*header, error) {
	first, err := readHeader(line)
	if err != nil {
		return nil, err
	}
	there, here := *first, *h
	there.informative, here.informative = informative{}, informative{}
	differences, err := journal.Differences(there, here)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, d := range differences {
		list = append(list, fmt.Sprintf("%s is %s in the journal, %s here", d.Field, jsonText(d.There), jsonText(d.Here)))
	}
	if len(list) > 0 {
		return nil, fmt.Errorf("the journal is of another match: %s", strings.Join(list, "; "))
	}
	return first, nil
}

func jsonText(v any) string {
	if v == nil {
		return "absent"
	}
	text, _ := json.Marshal(v) // it was JSON
	return string(text)
}
