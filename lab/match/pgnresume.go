package match

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// ownGame is a game of this match as its PGN has it.
type ownGame struct {
	round string // its Round tag, which no other game of the match has
	text  string
}

// ownRegion is a part of a PGN file that this match has written.
type ownRegion struct {
	start, end int    // bytes
	round      string // of a game that is whole and as the journal has it; empty: of any other
}

// reconcile brings a file up to the games of a journal: each is in it once, and no part of another one that the match
// wrote. The identity of the match tells its games from those of others, of which no byte changes. Where nothing of
// others follows the first own game, the own games have the order of the list, and nothing is between them. Elsewhere
// own games stay where they are, what a kill has left of one becomes blank, and missing ones are appended.
func (f *pgnFile) reconcile(id, event string, games []ownGame) error {
	if f.special != nil {
		return errors.New("pgn: a match is resumed with a file, not with a device or a pipe")
	}
	err := f.locked(0, func(file *os.File) error {
		for {
			data, err := io.ReadAll(io.NewSectionReader(file, 0, 1<<62))
			if err != nil {
				return err
			}
			missing, err := keepOwn(file, data, ownRegions(data, id, event, games), games)
			if errors.Is(err, errGrown) {
				continue
			}
			if err != nil || len(missing) == 0 {
				return err
			}
			appending, err := os.OpenFile(f.path, os.O_APPEND|os.O_RDWR, 0)
			if err != nil {
				return err
			}
			var all strings.Builder
			for _, g := range missing {
				all.WriteString(g.text)
			}
			return errors.Join(appendGames(appending, all.String()), appending.Close())
		}
	})
	if err != nil {
		return fmt.Errorf("pgn: %w", err)
	}
	return nil
}

// errGrown is the error of keepOwn where another program, which does not lock the file, has appended to it meanwhile.
var errGrown = errors.New("the file has grown")

// keepOwn removes from a file what is not a whole game of this match in its place, and returns the games that it
// lacks then.
func keepOwn(file *os.File, data []byte, own []ownRegion, games []ownGame) (missing []ownGame, err error) {
	if len(own) == 0 {
		return games, nil
	}
	if alone(data, own) {
		end, kept := own[0].start, 0
		for kept < len(games) && bytes.HasPrefix(data[end:], []byte(games[kept].text)) {
			end += len(games[kept].text)
			kept++
		}
		if info, err := file.Stat(); err != nil || info.Size() != int64(len(data)) {
			return nil, errors.Join(err, errGrown)
		}
		return games[kept:], file.Truncate(int64(end))
	}
	there := map[string]bool{}
	for _, r := range own {
		if r.round != "" && !there[r.round] {
			there[r.round] = true
			continue
		}
		blank := bytes.Repeat([]byte{' '}, r.end-r.start)
		blank[len(blank)-1] = '\n'
		if _, err := file.WriteAt(blank, int64(r.start)); err != nil {
			return nil, err
		}
	}
	for _, g := range games {
		if !there[g.round] {
			missing = append(missing, g)
		}
	}
	return missing, nil
}

// alone reports whether nothing but blanks lies between and behind the regions.
func alone(data []byte, own []ownRegion) bool {
	end := own[0].start
	for _, r := range own {
		if len(bytes.TrimSpace(data[end:r.start])) > 0 {
			return false
		}
		end = r.end
	}
	return len(bytes.TrimSpace(data[end:])) == 0
}

var (
	eventTag = []byte(`[Event "`)
	roundTag = regexp.MustCompile(`\[Round "([^"]*)"\]`)
)

// ownRegions finds what a match has written into a file, in its order.
func ownRegions(data []byte, id, event string, games []ownGame) (own []ownRegion) {
	texts := map[string]string{}
	for _, g := range games {
		texts[g.round] = g.text
	}
	tag := fmt.Appendf(nil, "[%s %q]", matchTag, id)
	for start := nextEvent(data, 0); start < len(data); {
		end := nextEvent(data, start+1)
		game, round := data[start:end], ""
		if found := roundTag.FindSubmatch(game); found != nil {
			round = string(found[1])
		}
		text, known := texts[round]
		switch {
		case known && bytes.HasPrefix(game, []byte(text)):
			own = append(own, ownRegion{start, start + len(text), round})
		case bytes.Contains(game, tag), torn(game, event):
			own = append(own, ownRegion{start, start + extent(game), ""})
		}
		start = end
	}
	return own
}

// nextEvent is where the first game that begins at or behind a place begins, be it cut off inside its first tag; the end
// of the data where there is none.
func nextEvent(data []byte, from int) int {
	if i := bytes.Index(data[from:], eventTag); i >= 0 {
		return from + i
	}
	last := max(from, bytes.LastIndexByte(data, '\n')+1)
	if len(data[last:]) > 0 && bytes.HasPrefix(eventTag, data[last:]) {
		return last
	}
	return len(data)
}

// torn reports whether a game was cut off before the tag that identifies the match, and has the first tag of the match.
func torn(game []byte, event string) bool {
	for line := range bytes.Lines(game) {
		if line[0] != '[' && line[0] != '\n' || bytes.HasPrefix(line, []byte("["+matchTag)) {
			return false
		}
	}
	first := fmt.Appendf(nil, "[Event %q]\n", event)
	return bytes.HasPrefix(game, first) || bytes.HasPrefix(first, bytes.TrimRight(game, "\n"))
}

// extent is the length of a game whose text is not known: its tags, and its moves up to an empty line or a tag.
func extent(game []byte) int {
	tags := bytes.Index(game, []byte("\n\n"))
	if tags < 0 {
		return len(game)
	}
	moves := tags + 2
	for _, end := range []string{"\n\n", "\n["} {
		if i := bytes.Index(game[moves:], []byte(end)); i >= 0 {
			game = game[:moves+i+1]
		}
	}
	return len(game)
}
