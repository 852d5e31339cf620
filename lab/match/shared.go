package match

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"sync/atomic"

	"tesla/internal/cores"
	"tesla/lab/match/player"
	"tesla/lab/match/stats"
	"tesla/uci/client"
)

// shared is what the games of a match share: slots, logs, and the counts of incidents and delays.
type shared struct {
	slots  []slot
	names  []string
	delays stats.Delays                  // between two moves
	count  [][incidentKinds]atomic.Int64 // of each player

	log  string                     // path of the log of all players; empty: none
	logs map[string]*client.LogFile // by path

	progress *progress // nil: the games in progress are not shown

	mu      sync.Mutex // guards what follows
	warn    io.Writer
	plays   []string   // backend and net of each player, as it said first; empty: not known
	reports [][]string // of each player: the first incidents that tell of another backend or net
}

// openShared plans the games at a time and opens the players' logs.
func openShared(c *Config, names []string, onDevice bool) (*shared, error) {
	v := &shared{names: names, warn: c.Output.Warn, logs: map[string]*client.LogFile{}}
	v.count = make([][incidentKinds]atomic.Int64, len(names))
	v.plays, v.reports = make([]string, len(names)), make([][]string, len(names))
	slots, notes := planSlots(c, onDevice, cores.Allowed())
	v.slots = slots
	for _, n := range notes {
		v.say(n)
	}
	if v.log = c.Files.Log; v.log != "" {
		if err := v.openLog(v.log, client.OpenWholeLog); err != nil {
			return nil, err
		}
	}
	for i := range c.Players {
		p := &c.Players[i]
		if p.Log == "" || v.logs[filepath.Clean(p.Log)] != nil {
			continue
		}
		if err := v.openLog(p.Log, client.OpenLog); err != nil {
			return nil, errors.Join(err, v.close())
		}
	}
	v.progress = showProgress(c.Files.Journal)
	return v, nil
}

func (v *shared) openLog(path string, open func(string) (*client.LogFile, error)) error {
	l, err := open(path)
	if err == nil {
		v.logs[filepath.Clean(path)] = l
	}
	return err
}

func (v *shared) close() error {
	errs := []error{v.progress.close()}
	for _, l := range v.logs {
		errs = append(errs, l.Close())
	}
	return errors.Join(errs...)
}

// writers are the logs that a player writes to.
func (v *shared) writers(p *player.Player) (to []io.Writer) {
	for _, path := range []string{v.log, p.Log} {
		if path != "" {
			to = append(to, v.logs[filepath.Clean(path)])
		}
	}
	return to
}

func (v *shared) say(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.warn != nil {
		fmt.Fprintf(v.warn, "match: %s\n", text)
	}
}

// between counts the time from one move to the start of the next one.
func (v *shared) between(last, next *reply) {
	if !last.arrived.IsZero() && !next.begun.IsZero() {
		v.delays.Add(next.begun.Sub(last.arrived))
	}
}
