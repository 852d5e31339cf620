package player

import (
	"strings"

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
