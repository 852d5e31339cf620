package match

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Incidents counts what a player did wrong without losing a game for it.
type Incidents struct {
	IllegalPV int64 `json:"illegal_pv"` // reports whose variation holds an illegal move, of the first 1000 of a search
	OtherMove int64 `json:"other_move"` // moves that are not the first of the variation reported last
	Unasked   int64 `json:"unasked"`    // moves that came when none was asked for
	Overlong  int64 `json:"overlong"`   // lines above 64 KiB
	Restarts  int64 `json:"restarts"`   // crashes and hangs while it got ready: it was started once more
	BadQuit   int64 `json:"bad_quit"`   // it crashed at quit, or had to be killed
}

func (i Incidents) String() string {
	return fmt.Sprintf("illegal variations %d, moves other than the variation's %d, moves not asked for %d, "+
		"lines cut %d, restarts %d, bad ends %d", i.IllegalPV, i.OtherMove, i.Unasked, i.Overlong, i.Restarts, i.BadQuit)
}

// incident is a kind of them.
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

// maxWarnings is how many incidents of a kind are told for a player; the others are counted only.
const maxWarnings = 10

// venue is where a match is played: what the games share. A nil venue has nothing and forgets what it is told.
type venue struct {
	slots []slot
	names []string
	gaps  gaps
	count [][incidentKinds]atomic.Int64 // of each player

	mu   sync.Mutex // guards warn
	warn io.Writer
	all  io.Writer           // Config.Log
	logs map[string]*logFile // by path
}

// openVenue plans the games at a time and opens the players' logs.
func openVenue(c *Config, names []string) (*venue, error) {
	v := &venue{names: names, count: make([][incidentKinds]atomic.Int64, len(names)), warn: c.Warn, all: c.Log, logs: map[string]*logFile{}}
	slots, notes := planSlots(c, machineCores())
	v.slots = slots
	for _, n := range notes {
		v.say(n)
	}
	for _, p := range c.players() {
		path := filepath.Clean(p.Log)
		if p.Log == "" || v.logs[path] != nil {
			continue
		}
		l, err := openLog(path, logFileLimit)
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

// writers are the logs of a player.
func (v *venue) writers(p *Player) []io.Writer {
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

// happened counts n incidents of a player and warns of the first ones.
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

// incidents are those of each player so far.
func (v *venue) incidents() []Incidents {
	list := make([]Incidents, len(v.count))
	for side := range list {
		c := &v.count[side]
		list[side] = Incidents{
			IllegalPV: c[illegalPV].Load(), OtherMove: c[otherMove].Load(), Unasked: c[unasked].Load(),
			Overlong: c[overlong].Load(), Restarts: c[restarted].Load(), BadQuit: c[badQuit].Load(),
		}
	}
	return list
}

// between counts the time from the last of the moves to the start of the next.
func (v *venue) between(moves []reply, next *reply) {
	if v == nil || len(moves) == 0 || next.begun.IsZero() {
		return
	}
	if last := &moves[len(moves)-1]; !last.arrived.IsZero() {
		v.gaps.add(next.begun.Sub(last.arrived))
	}
}

// slot is room for one game at a time: cores that no other slot has, and the accelerator where the players need it.
type slot struct {
	number int
	cores  []int // as the system numbers them; empty: any
}

// planSlots says how many games are played at a time and on which cores. A game needs as many cores as the player with
// more threads, since the two think in turn and nobody ponders. Where there are too few, games at a time are reduced;
// Config.Oversubscribe insists on them, and then nothing is pinned. The notes say so.
//
// A slot is held by one worker, with its players, for the whole match: all games of a match need the same, so that what
// is free for the first game is free for all.
func planSlots(c *Config, machine []int) (slots []slot, notes []string) {
	cores := machine
	if c.Cores > 0 && c.Cores < len(machine) {
		cores = machine[:c.Cores]
	} else if c.Cores > len(machine) {
		notes = append(notes, fmt.Sprintf("%d cores were given, and there are %d", c.Cores, len(machine)))
	}
	threads, onDevice := 1, false
	for _, p := range c.players() {
		threads, onDevice = max(threads, p.threads()), onDevice || c.onDevice(p)
	}
	games := newSchedule(len(c.players()), c.Games, c.Format)
	want := max(min(c.Concurrency, games.total()), 1)
	fit := max(len(cores)/threads, 1)
	why := fmt.Sprintf("%d cores, %d for each game", len(cores), threads)
	if devices := max(c.Devices, 1); min(fit, want) > devices && onDevice {
		fit, why = devices, fmt.Sprintf("%d accelerator", devices)
	}
	if threads > len(cores) {
		notes = append(notes, fmt.Sprintf("players have %d threads for %d cores", threads, len(cores)))
	}
	if want > fit && c.Oversubscribe {
		notes = append(notes, fmt.Sprintf("%d games at a time with %s: clocks will measure the scheduler", want, why))
	} else if want > fit {
		notes = append(notes, fmt.Sprintf("%d games at a time, not %d: there are %s", fit, want, why))
		want = fit
	}
	for i := range want {
		s := slot{number: i}
		if c.Pin && want*threads <= len(cores) {
			s.cores = cores[i*threads : (i+1)*threads : (i+1)*threads]
		}
		slots = append(slots, s)
	}
	if c.Pin && !pinning {
		notes = append(notes, "engines cannot be pinned to cores on this system")
	} else if c.Pin && slots[0].cores == nil {
		notes = append(notes, "engines are not pinned: there are too few cores")
	}
	return slots, notes
}

// threads is how many cores the player uses.
func (p *Player) threads() int {
	if p.Threads > 0 {
		return p.Threads
	}
	if n, err := strconv.Atoi(p.option("Threads")); err == nil && n > 0 {
		return n
	}
	return 1
}

// option is the value that the player gives a UCI option, the last if there are several.
func (p *Player) option(name string) string {
	value := ""
	for _, o := range p.Options {
		if strings.EqualFold(o.Name, name) {
			value = o.Value
		}
	}
	return value
}

// onDevice tells whether the player computes on the accelerator, of which a game that has it holds one.
func (c *Config) onDevice(p *Player) bool {
	if p.Cmd == "" && c.OnDevice != nil {
		return c.OnDevice(*p)
	}
	backend := strings.ToLower(p.Backend + " " + p.option("Backend"))
	return strings.Contains(backend, "cuda") || strings.Contains(backend, "tensorrt")
}

// countedCores are the cores by number, for systems that do not tell which of them this process may use.
func countedCores() []int {
	cores := make([]int, runtime.NumCPU())
	for i := range cores {
		cores[i] = i
	}
	return cores
}
