package player

import (
	"strconv"

	"tesla/uci/client"
)

// Engine says how the external engine of a player is started.
func (p *Player) Engine() client.Config {
	var options []client.Option
	for _, o := range []struct {
		name  string
		value int
	}{{"Threads", p.Threads}, {"Hash", p.Hash}} {
		if o.value > 0 {
			options = append(options, client.Option{Name: o.name, Value: strconv.Itoa(o.value)})
		}
	}
	for _, o := range p.Options {
		options = append(options, client.Option(o))
	}
	return client.Config{Path: p.Cmd, Args: p.Args, Dir: p.Dir, Options: options}
}
