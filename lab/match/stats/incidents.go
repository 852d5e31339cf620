package stats

import "fmt"

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
}

func (i Incidents) String() string {
	return fmt.Sprintf("illegal variations %d, moves other than the variation's %d, moves that nobody asked for %d, "+
		"lines cut %d, restarts %d, failures at quit %d, errors reported %d, changes of backend or net %d",
		i.IllegalPV, i.OtherMove, i.Unasked, i.Overlong, i.Restarts, i.BadQuit, i.Errors, i.Changes)
}
