package stats

import (
	"fmt"
	"strings"
)

// Incidents counts what a player did wrong without losing a game for it.
type Incidents struct {
	IllegalPV int64 `json:"illegal_pv"` // reports whose variation holds an illegal move, of the first 1000 of a search
	OtherMove int64 `json:"other_move"` // moves that are not the first of the variation reported last
	Unasked   int64 `json:"unasked"`    // moves that came when no search was running
	Overlong  int64 `json:"overlong"`   // lines above 64 KiB
	Restarts  int64 `json:"restarts"`   // crashes and hangs before a game: the player was started once more
	BadQuit   int64 `json:"bad_quit"`   // crashes at quit, and players that had to be killed
	Errors    int64 `json:"errors"`     // errors that it reported, as where a backend fails and another one takes over
	Changes   int64 `json:"changes"`    // starts with another backend or net than the first

	OtherNodes int64 `json:"other_nodes"` // moves for which it searched far fewer or more nodes than it was told to
}

// String names those that happened.
func (i Incidents) String() string {
	var parts []string
	for _, p := range []struct {
		what string
		n    int64
	}{{"illegal variations", i.IllegalPV}, {"moves other than the variation's", i.OtherMove}, {"moves that nobody asked for", i.Unasked},
		{"lines cut", i.Overlong}, {"restarts", i.Restarts}, {"failures at quit", i.BadQuit}, {"errors reported", i.Errors},
		{"changes of backend or net", i.Changes}, {"moves with other nodes than asked", i.OtherNodes}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", p.what, p.n))
		}
	}
	return strings.Join(parts, ", ")
}
