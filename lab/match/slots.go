package match

import (
	"fmt"
	"slices"
	"strings"

	"tesla/internal/cores"
)

// slot is room for one game at a time: cores that no other slot has, and the accelerator where the players need it.
type slot struct {
	number int
	cores  []int // as the system numbers them; empty: any
}

// planSlots plans how many games are played at a time and on which cores. A game needs as many cores as the player with
// more threads, because the two think in turn; where a player ponders, as many as both have. Where there are too few,
// fewer games are played at a time, unless Machine.Oversubscribe is set: then nothing is pinned. The notes tell the user.
//
// One worker with its players holds a slot for the whole match. All games of a match need the same cores.
func planSlots(c *Config, onDevice bool, machine []int) (slots []slot, notes []string) {
	m := &c.Machine
	usable := machine
	if m.Cores > 0 && m.Cores < len(machine) {
		usable = machine[:m.Cores]
	} else if m.Cores > len(machine) {
		notes = append(notes, fmt.Sprintf("--cores is %d, the machine has %d", m.Cores, len(machine)))
	}
	threads := c.cores()
	games := newSchedule(len(c.Players), c.Games, c.Format)
	want := max(min(m.Concurrency, games.total()), 1)
	fit := max(len(usable)/threads, 1)
	why := fmt.Sprintf("%d cores, %d for each game", len(usable), threads)
	if devices := max(m.Devices, 1); min(fit, want) > devices && onDevice {
		fit, why = devices, fmt.Sprintf("%d accelerator", devices)
	}
	if threads > len(usable) {
		notes = append(notes, fmt.Sprintf("the players of a game have %d threads for %d cores", threads, len(usable)))
	}
	if want > fit && m.Oversubscribe {
		notes = append(notes, fmt.Sprintf("%d games at a time with %s: clocks will measure the scheduler", want, why))
	} else if want > fit {
		notes = append(notes, fmt.Sprintf("%d games at a time, not %d: there are %s", fit, want, why))
		want = fit
	}
	for i := range want {
		s := slot{number: i}
		if m.Pin && want*threads <= len(usable) {
			s.cores = usable[i*threads : (i+1)*threads : (i+1)*threads]
		}
		slots = append(slots, s)
	}
	if m.Pin && !cores.CanPin {
		notes = append(notes, "engines cannot be pinned to cores on this system")
	} else if m.Pin && slots[0].cores == nil {
		notes = append(notes, "engines are not pinned: there are too few cores")
	}
	return slots, notes
}

func (c *Config) cores() int {
	var threads []int
	ponders := false
	for i := range c.Players {
		threads = append(threads, c.Players[i].Cores())
		ponders = ponders || c.ponders(&c.Players[i])
	}
	slices.Sort(threads)
	most := len(threads) - 1
	if ponders {
		return threads[most] + threads[most-1]
	}
	return threads[most]
}

// onDevice reports whether any player computes on the accelerator, of which a game then holds one.
func (c *Config) onDevice() bool {
	for i := range c.Players {
		p := &c.Players[i]
		if p.Cmd == "" && c.InProcess.OnDevice != nil {
			if c.InProcess.OnDevice(searcherOf(p)) {
				return true
			}
			continue
		}
		backend := strings.ToLower(p.Backend + " " + p.Option("Backend"))
		if strings.Contains(backend, "cuda") || strings.Contains(backend, "tensorrt") {
			return true
		}
	}
	return false
}
