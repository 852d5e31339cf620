package annotate

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"sync"

	"tesla/board"
)

// openings is the table that scripts/eco makes. Its first line names its source.
//
//go:embed openings.tsv.gz
var openings []byte

// Opening is the name of a position of theory.
type Opening struct{ Code, Name string }

func (o Opening) String() string { return o.Code + " " + o.Name }

// theory is the table of openings by the keys of their positions. It is read when it is first asked for.
var theory = sync.OnceValues(func() (map[uint64]Opening, error) {
	r, err := gzip.NewReader(bytes.NewReader(openings))
	if err != nil {
		return nil, fmt.Errorf("table of openings: %w", err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("table of openings: %w", err)
	}
	table := map[uint64]Opening{}
	for n, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		fields := strings.Split(line, "\t")
		if len(fields) != 3 {
			return nil, fmt.Errorf("table of openings: line %d has %d fields", n+2, len(fields))
		}
		p := board.StartPosition()
		for _, word := range strings.Fields(fields[2]) {
			m, err := p.ParseMove(word)
			if err != nil {
				return nil, fmt.Errorf("table of openings: line %d: %w", n+2, err)
			}
			p = p.After(m)
		}
		table[p.Key] = Opening{fields[0], fields[1]}
	}
	return table, nil
})

// findOpening is the name of the last position of a game that theory knows, and the number of plies up to there; 0 plies
// where there is none.
func findOpening(start board.Position, moves []board.Move) (found Opening, plies int, err error) {
	table, err := theory()
	if err != nil {
		return found, 0, err
	}
	p := start
	for i, m := range moves {
		if m == board.NullMove {
			break
		}
		p = p.After(m)
		if o, known := table[p.Key]; known {
			found, plies = o, i+1
		}
	}
	return found, plies, nil
}
