package match

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"sync/atomic"

	"tesla/lab/match/player"
	"tesla/lab/match/stats"
	"tesla/uci/client"
)

// incident is a kind of stats.Incidents.
type incident uint8

const (
	illegalPV incident = iota
	otherMove
	unasked
	overlong
	restarted
	badQuit
	incidentKinds
)

// maxWarnings is how many incidents of a kind are reported for each player. Further ones are counted only.
const maxWarnings = 10

// venue is what the games of a match share: slots, logs, and the counts of incidents and delays. A nil venue counts
// nothing.
type venue struct {
	slots  []slot
	names  []string
	delays stats.Delays                  // between two moves
	count  [][incidentKinds]atomic.Int64 // of each player

	mu   sync.Mutex // guards warn
	warn io.Writer
	all  io.Writer                  // Config.Log
	logs map[string]*client.LogFile // by path
}

// openVenue plans the games at a time and opens the players' logs.
func openVenue(c *Config, names []string, onDevice bool) (*venue, error) {
	v := &venue{names: names, warn: c.Output.Warn, all: c.Output.Log, logs: map[string]*client.LogFile{}}
	v.count = make([][incidentKinds]atomic.Int64, len(names))
	slots, notes := planSlots(c, onDevice, client.Cores())
	v.slots = slots
	for _, n := range notes {
		v.say(n)
	}
	for i := range c.Players {
		p := &c.Players[i]
		path := filepath.Clean(p.Log)
		if p.Log == "" || v.logs[path] != nil {
			continue
		}
		l, err := client.OpenLog(path)
		if err != nil {
			return nil, errors.Join(err, v.close())
		}
		v.logs[path] = l
	}
	return v, nil
}

// close closes the logs.
func (v *venue) close() error {
	var errs []error
	for _, l := range v.logs {
		errs = append(errs, l.Close())
	}
	return errors.Join(errs...)
}

// writers are the logs that a player writes to.
func (v *venue) writers(p *player.Player) []io.Writer {
	var to []io.Writer
	if v == nil {
		return nil
	}
	if v.all != nil {
		to = append(to, v.all)
	}
	if p.Log != "" {
		to = append(to, v.logs[filepath.Clean(p.Log)])
	}
	return to
}

// say writes a warning.
func (v *venue) say(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.warn != nil {
		fmt.Fprintf(v.warn, "match: %s\n", text)
	}
}

// happened counts n incidents of a player and reports the first ones.
func (v *venue) happened(side int, kind incident, n int, text string) {
	if v == nil || n == 0 {
		return
	}
	switch total := v.count[side][kind].Add(int64(n)); {
	case total-int64(n) >= maxWarnings:
		return
	case total >= maxWarnings:
		text += " (further ones are only counted)"
	}
	v.say(v.names[side] + ": " + text)
}

// incidents are the counts of each player so far.
func (v *venue) incidents() []stats.Incidents {
	list := make([]stats.Incidents, len(v.count))
	for side := range list {
		c := &v.count[side]
		list[side] = stats.Incidents{
			IllegalPV: c[illegalPV].Load(), OtherMove: c[otherMove].Load(), Unasked: c[unasked].Load(),
			Overlong: c[overlong].Load(), Restarts: c[restarted].Load(), BadQuit: c[badQuit].Load(),
		}
	}
	return list
}

// between counts the time from the last of the moves to the start of the next one.
func (v *venue) between(moves []reply, next *reply) {
	if v == nil || len(moves) == 0 || next.begun.IsZero() {
		return
	}
	if last := &moves[len(moves)-1]; !last.arrived.IsZero() {
		v.delays.Add(next.begun.Sub(last.arrived))
	}
}
