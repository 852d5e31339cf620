package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tesla/internal/bus"
	"tesla/lab/work"
)

// Presence is what a worker says of itself in each beat.
type Presence struct {
	Name      string            `json:"name"`
	Commit    string            `json:"commit"`
	Kernel    string            `json:"kernel"`
	Slots     int               `json:"slots"`
	NPS       float64           `json:"nps"` // of its bench, nodes a second of each slot
	Signature uint32            `json:"signature"`
	Games     int               `json:"games"`
	Seconds   float64           `json:"seconds"` // since it began
	Runs      map[string]string `json:"runs"`    // by run: admitted, or what is in the way
}

// State is how a run is, as its host says.
type State struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	work.Progress
	Factors map[string]float64 `json:"clock_factors"` // of the workers that are admitted
	Refused map[string]string  `json:"refused"`       // workers that may not play, and why
}

// Status is who is there.
type Status struct {
	Workers []Presence `json:"workers"`
	Runs    []State    `json:"runs"`
}

// Look asks a server who is there.
func Look(ctx context.Context, at bus.Address) (Status, error) {
	s := Status{Workers: []Presence{}, Runs: []State{}}
	conn, err := at.Connect("status", nil)
	if err != nil {
		return s, err
	}
	defer conn.Close()
	store, err := openStore(ctx, conn, Beat)
	if err != nil {
		return s, err
	}
	if s.Workers, err = store.presences(ctx); err == nil {
		err = store.entries(ctx, stateKey, func(_ string, text []byte) error {
			s.Runs = append(s.Runs, State{})
			return json.Unmarshal(text, &s.Runs[len(s.Runs)-1])
		})
	}
	slices.SortFunc(s.Runs, func(a, b State) int { return strings.Compare(a.ID, b.ID) })
	return s, err
}

// presences are the workers that are there, by name.
func (s *store) presences(ctx context.Context) ([]Presence, error) {
	all := []Presence{}
	err := s.entries(ctx, workerKey, func(_ string, text []byte) error {
		all = append(all, Presence{})
		return json.Unmarshal(text, &all[len(all)-1])
	})
	slices.SortFunc(all, func(a, b Presence) int { return strings.Compare(a.Name, b.Name) })
	return all, err
}

// Prepare makes on a NATS cluster what a fleet needs.
func Prepare(ctx context.Context, at bus.Address) error {
	conn, err := at.Connect("prepare", nil)
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = openStore(ctx, conn, Beat)
	return err
}

// String is the status in words.
func (s Status) String() string {
	var b strings.Builder
	slots := 0
	for i := range s.Workers {
		slots += s.Workers[i].Slots
	}
	fmt.Fprintf(&b, "%d workers with %d slots, %d runs\n", len(s.Workers), slots, len(s.Runs))
	for i := range s.Workers {
		w := &s.Workers[i]
		fmt.Fprintf(&b, "worker %s: %d slots, %.0f nodes a second each, %s, commit %s, %d games\n", w.Name, w.Slots, w.NPS, w.Kernel, w.Commit, w.Games)
		for _, id := range slices.Sorted(maps.Keys(w.Runs)) {
			fmt.Fprintf(&b, "  run %s: %s\n", id, w.Runs[id])
		}
	}
	for i := range s.Runs {
		r := &s.Runs[i]
		fmt.Fprintf(&b, "run %s: %s: %s\n", r.ID, strings.Join(r.Players, " - "), r.Text)
		for _, w := range r.Workers {
			fmt.Fprintf(&b, "  %s: %d games", w.Name, w.Games)
			if r.Kind == work.Match {
				fmt.Fprintf(&b, ", %d crashes, %d losses on time, %d illegal moves, p %.2g", w.Crashes, w.Time, w.Illegal, w.P)
			}
			if factor := r.Factors[w.Name]; factor > 0 && r.Kind == work.Match {
				fmt.Fprintf(&b, ", clocks times %.3g", factor)
			}
			if w.Deviates() {
				b.WriteString(": its results differ from those of the others")
			}
			b.WriteByte('\n')
		}
		for _, name := range slices.Sorted(maps.Keys(r.Refused)) {
			fmt.Fprintf(&b, "  %s is refused: %s\n", name, r.Refused[name])
		}
	}
	return b.String()
}
