package player

import (
	"fmt"
	"strings"

	"tesla/lab/journal"
	"tesla/search"
)

// InProcess makes and describes players in this process.
type InProcess struct {
	Searcher Factory
	Net      func(Player) (string, error) // hash of the player's net; nil: not known
	OnDevice func(Player) bool            // it computes on an accelerator; nil: its backend's name tells
}

// Factory makes the searcher of a player in process. Closing the searcher frees all that was made with it. It is called
// once for each game that runs at a time, and again after a crash or a hang.
type Factory func(Player) (search.Searcher, error)

// Identity is the hash of a player's program, or of its net in process; empty: not known.
func (in InProcess) Identity(p Player) (string, error) {
	switch {
	case p.Cmd != "":
		return journal.ProgramHash(p.Cmd)
	case in.Net == nil:
		return "", nil
	}
	return in.Net(p)
}

// Compare is an error unless the player's identity here is the one that is wanted.
func (p *Player) Compare(here, wanted string) error {
	what := "net"
	if p.Cmd != "" {
		what = "program"
	}
	if here != wanted {
		return fmt.Errorf("wrong %s: that of %s is %q, want %q", what, p.Label(), here, wanted)
	}
	return nil
}

// Files are the paths of the player's nets. A player that is a program has none.
func (p *Player) Files() (paths []*string) {
	if p.Cmd != "" {
		return nil
	}
	paths = append(paths, &p.Weights)
	for k := range p.Options {
		if strings.EqualFold(p.Options[k].Name, "WeightsFile") {
			paths = append(paths, &p.Options[k].Value)
		}
	}
	return paths
}
