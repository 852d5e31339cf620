package web

import (
	"net/http"
	"sync"

	"tesla/engine"
	"tesla/search"
)

// choices are what the page lets its user choose from.
type choices struct {
	Version  string          `json:"version"`
	Searches []searchChoice  `json:"searches"`
	Backends []backendChoice `json:"backends"`
	Threads  int             `json:"threads"` // at most
	Lines    int             `json:"lines"`   // at most
	Bytes    int             `json:"bytes"`   // of a file of games, at most
	Elo      [2]int          `json:"elo"`     // the range of UCI_Elo
	Set      struct {        // what the command line chose
		Search  string `json:"search"`
		Backend string `json:"backend"`
		Threads int    `json:"threads"`
	} `json:"set"`
}

type searchChoice struct {
	Name string `json:"name"`
	Tree bool   `json:"tree"`
}

type backendChoice struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	Text string `json:"text,omitempty"` // its library, or why it cannot be opened here
}

// probed is what can be opened on this machine.
var probed = sync.OnceValue(func() map[string]engine.Status {
	found := map[string]engine.Status{}
	for _, s := range engine.Probe() {
		found[s.Name] = s
	}
	return found
})

// options answers GET /api/options.
func (s *Server) options(w http.ResponseWriter, _ *http.Request) error {
	set := s.cfg.Settings
	c := choices{Version: engine.Version(), Threads: mostThreads(set), Lines: mostLines, Bytes: mostBody, Elo: [2]int{search.MinElo, search.MaxElo}}
	c.Set.Search, c.Set.Backend, c.Set.Threads = set.Search, set.Backend, set.Threads
	for _, name := range engine.Searches {
		c.Searches = append(c.Searches, searchChoice{name, engine.HasTree(name)})
	}
	for _, name := range backends(set) {
		b := backendChoice{Name: name, OK: true}
		if found, ok := probed()[name]; ok {
			b.OK, b.Text = found.OK, found.Text
		}
		c.Backends = append(c.Backends, b)
	}
	return answer(w, c)
}
