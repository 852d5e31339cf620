package fleet

import (
	"context"
	"fmt"
	"strings"
)

// mostNamed is the number of workers that a line names.
const mostNamed = 8

// watch tells the user what the workers do: until the first game is there, and where none of them plays. The same text is
// told once until there is something else to tell.
func (r *run) watch(ctx context.Context) {
	workers, err := r.presences(ctx)
	if err != nil {
		return // the next beat tells what is wrong with the server
	}
	r.mu.Lock()
	text := crew(workers, r.of.ID, r.host.Address.Server, r.begun)
	news := text != r.watched
	r.watched = text
	r.mu.Unlock()
	if news && text != "" {
		r.of.Say("fleet: " + text)
	}
}

// crew is what the workers do for a run, in words; empty where games come.
func crew(workers []Presence, run, server string, begun bool) string {
	if len(workers) == 0 {
		return "no worker is there; tesla fleet work " + server + " starts one"
	}
	var each []string
	for i := range workers {
		w := &workers[i]
		state := w.Runs[run]
		if begun && state == admitted {
			return ""
		}
		if state == "" {
			state = "it has not seen the run yet"
		}
		if len(each) < mostNamed {
			each = append(each, fmt.Sprintf("worker %s: %s", w.Name, state))
		}
	}
	if more := len(workers) - len(each); more > 0 {
		each = append(each, fmt.Sprintf("and %d more", more))
	}
	what := "no game yet"
	if begun {
		what = "no worker plays"
	}
	return what + "; " + strings.Join(each, "; ")
}
