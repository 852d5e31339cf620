package games

import (
	"errors"
	"fmt"
	"os"
)

// Convert copies the games of a file, text or binary, into a new binary file. Where distinct is set, it leaves out
// games with the moves of an earlier one. It returns what it wrote and how many games it left out.
func Convert(from, to string, distinct bool) (kept Count, dropped int, err error) {
	in, err := os.Open(from) // before a file is made
	if err != nil {
		return kept, 0, err
	}
	defer in.Close()
	w, err := Create(to, map[string]string{"converted": from})
	if err != nil {
		return kept, 0, err
	}
	defer func() {
		if err = errors.Join(err, w.Close()); err != nil { // a part of the games must not look like all of them
			err = errors.Join(err, os.Remove(to))
		}
	}()
	gather := NewGather()
	if err := Each(in, func(g *Game) error {
		if distinct && gather.Repeats(g) {
			dropped++
			return nil
		}
		kept.Add(g)
		return w.Write(g)
	}); err != nil {
		return kept, dropped, fmt.Errorf("%s: %w", from, err)
	}
	if kept.Games() == 0 {
		return kept, 0, fmt.Errorf("%s: no game", from)
	}
	return kept, dropped, nil
}
