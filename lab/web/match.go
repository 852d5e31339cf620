package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tesla/lab/match"
	"tesla/lab/match/stats"
)

// Limits of the page of matches.
const (
	mostFiles   = 2000     // of the folder that are looked at
	mostMatches = 200      // that are listed, the newest ones
	readBytes   = 16 << 20 // of journals that one request reads: the next one goes on
)

// matches are the journals that have been read, by the names of their files.
type matches struct {
	mu    sync.Mutex
	known map[string]*followed
}

// followed is a journal that all tabs share.
type followed struct {
	mu      sync.Mutex // guards the rest
	journal match.Follower
	standing
	err string // of the last reading; empty: none
}

// standing counts the games of a journal, a tally for each pairing.
type standing struct {
	tallies []stats.Tally
	seen    int // games that are counted
	anew    int // see match.Follower
}

// count counts games of the journal that are not counted yet, at most the given number. A match of two players has a test,
// or nil. visit is called after each game with the tally of its pairing.
func (s *standing) count(f *match.Follower, test *stats.SPRT, most int, visit func(g *match.Finished, t *stats.Tally)) {
	if s.anew != f.Anew || s.tallies == nil {
		*s = standing{anew: f.Anew, tallies: make([]stats.Tally, len(f.Header.Pairings))}
		if len(s.tallies) == 1 {
			s.tallies[0].SPRT = test
		}
	}
	for end := min(len(f.Games), s.seen+most); s.seen < end; s.seen++ {
		g := &f.Games[s.seen]
		t := &s.tallies[g.Pairing]
		t.Add(g.Fact)
		visit(g, t)
	}
}

func (s *standing) table(f *match.Follower) stats.Table {
	players := make([]stats.Rating, len(f.Header.Players))
	for i := range players {
		players[i].Name = f.Header.Players[i].Name
	}
	pairings := make([]stats.Pairing, len(s.tallies))
	for i := range pairings {
		sides := f.Header.Pairings[i]
		pairings[i] = stats.Pairing{First: players[sides[0]].Name, Second: players[sides[1]].Name, Result: s.tallies[i].Result(), Sides: sides}
	}
	return stats.NewTable(players, pairings)
}

// folder opens the folder of journals. Nothing outside of it can be reached. only is the name of the one file of it that
// is served; empty: all are.
func (s *Server) folder() (root *os.Root, only string, err error) {
	path := s.cfg.Matches
	if path == "" {
		return nil, "", &problem{http.StatusNotFound, errors.New("no folder of matches: start tesla web with --matches FOLDER")}
	}
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		path, only = filepath.Split(path)
		path = filepath.Clean(path) // "" is the current folder
	}
	if err == nil {
		root, err = os.OpenRoot(path)
	}
	if err != nil {
		return nil, "", &problem{http.StatusNotFound, fmt.Errorf("--matches: %w", err)}
	}
	return root, only, nil
}

// openMatch opens the journal of a name in the folder.
func (s *Server) openMatch(name string) (*os.File, error) {
	root, only, err := s.folder()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	missing := &problem{http.StatusNotFound, fmt.Errorf("no such match: %s", clean(name))}
	if strings.ContainsAny(name, `/\`) || !filepath.IsLocal(name) || only != "" && name != only {
		return nil, missing
	}
	file, err := openJournal(root, name)
	if err != nil {
		return nil, err
	}
	if file == nil {
		return nil, missing
	}
	return file, nil
}

// openJournal opens a file that begins as a journal does. It is nil where the file is none, or one of another kind: a
// pipe would keep it waiting.
func openJournal(root *os.Root, name string) (*os.File, error) {
	info, err := root.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil //nolint:nilerr // what is not there, leads out of the folder or may not be seen is no match
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, &problem{http.StatusForbidden, err}
	}
	begin := make([]byte, len(match.Mark))
	n, err := file.ReadAt(begin, 0)
	if err != nil && !errors.Is(err, io.EOF) || string(begin[:n]) != match.Mark[:n] || n == 0 {
		return nil, file.Close()
	}
	return file, nil
}

// follow finds what is known of a journal.
func (m *matches) follow(name string) *followed {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = map[string]*followed{}
	}
	f := m.known[name]
	if f == nil {
		f = &followed{}
		m.known[name] = f
	}
	return f
}

// keep forgets the journals that are not among the names.
func (m *matches) keep(names map[string]bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name := range m.known {
		if !names[name] {
			delete(m.known, name)
		}
	}
}

// read reads what was added to a journal. f.mu is held.
func (f *followed) read(file *os.File, most int64) (more bool) {
	more, err := f.journal.Read(file, most)
	if f.err = ""; err != nil {
		f.err = fmt.Sprintf("%s: %v", filepath.Base(file.Name()), err)
	}
	return more
}

// listed is a match in the list.
type listed struct {
	Name     string    `json:"name"`
	Players  []string  `json:"players"`
	Games    int       `json:"games"`
	Total    int       `json:"total"`
	Score    [3]int    `json:"score"` // wins, draws and losses of the first player
	Elo      float64   `json:"elo"`   // of the first player, as far as the statistics go
	EloError float64   `json:"elo_error"`
	Changed  time.Time `json:"changed"`
	Reading  bool      `json:"reading"` // not all of it was read yet
	Error    string    `json:"error,omitempty"`
}

// listMatches answers GET /api/matches: the journals of the folder, the newest first.
func (s *Server) listMatches(w http.ResponseWriter, _ *http.Request) error {
	root, only, err := s.folder()
	if err != nil {
		return err
	}
	defer root.Close()
	files, more, err := journalFiles(root, only)
	if err != nil {
		return err
	}
	list, names, left := []listed{}, map[string]bool{}, int64(readBytes)
	for _, info := range files {
		names[info.Name()] = true
		if l := s.listMatch(root, info, &left); l != nil {
			list = append(list, *l)
		}
	}
	s.matches.keep(names)
	return answer(w, struct {
		Matches []listed `json:"matches"`
		More    bool     `json:"more"` // the folder has other files, which were not looked at
	}{list, more})
}

// journalFiles are the regular files of the folder that may be journals, the newest first; more tells that there are others.
func journalFiles(root *os.Root, only string) (files []os.FileInfo, more bool, err error) {
	if only != "" {
		info, err := root.Stat(only)
		return []os.FileInfo{info}, false, err
	}
	dir, err := root.Open(".")
	if err != nil {
		return nil, false, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(mostFiles + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	for _, e := range entries[:min(len(entries), mostFiles)] {
		file, err := openJournal(root, e.Name())
		if file == nil || err != nil {
			continue
		}
		info, err := file.Stat()
		if file.Close() == nil && err == nil {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	more = len(entries) > mostFiles || len(files) > mostMatches
	return files[:min(len(files), mostMatches)], more, nil
}

// listMatch reads on in a journal, at most as much as is left, and tells how its match stands.
func (s *Server) listMatch(root *os.Root, info os.FileInfo, left *int64) *listed {
	file, err := openJournal(root, info.Name())
	if file == nil || err != nil {
		return nil
	}
	defer file.Close()
	f := s.matches.follow(info.Name())
	f.mu.Lock()
	defer f.mu.Unlock()
	before := f.journal.Offset()
	more := *left <= 0 || f.read(file, *left)
	*left -= max(0, f.journal.Offset()-before)
	f.count(&f.journal, f.journal.Header.Test, len(f.journal.Games), func(*match.Finished, *stats.Tally) {})
	l := &listed{Name: info.Name(), Players: []string{}, Games: len(f.journal.Games), Total: f.journal.Header.Total, Changed: info.ModTime(),
		Reading: more, Error: f.err}
	for _, p := range f.journal.Header.Players {
		l.Players = append(l.Players, p.Name)
	}
	table := f.table(&f.journal)
	first := table.First()
	l.Score, l.Elo, l.EloError = [3]int{first.Wins, first.Draws, first.Losses}, first.Elo, first.EloError
	return l
}

// matchGame answers GET /api/matches/{name}/games/{game}: a game with what its players said.
func (s *Server) matchGame(w http.ResponseWriter, r *http.Request) error {
	number, err := strconv.Atoi(r.PathValue("game"))
	if err != nil {
		return badRequest("game %s: a number is wanted", clean(r.PathValue("game")))
	}
	file, err := s.openMatch(r.PathValue("name"))
	if err != nil {
		return err
	}
	defer file.Close()
	f := s.matches.follow(r.PathValue("name"))
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.journal.Has(number) == nil && f.read(file, readBytes) && r.Context().Err() == nil { // a link to a game comes before all is read
	}
	if f.journal.Has(number) == nil {
		return &problem{http.StatusNotFound, fmt.Errorf("game %d has not ended, or is not in the journal", number+1)}
	}
	played, moves, err := f.journal.Replay(file, number)
	if err != nil {
		return fmt.Errorf("%s: %w", r.PathValue("name"), err)
	}
	return answer(w, shownGame(f.journal.Has(number), played, moves))
}
