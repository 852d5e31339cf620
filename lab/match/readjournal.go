package match

import (
	"encoding/json"
	"fmt"
	"strings"

	"tesla/lab/match/stats"
)

// journalFact is what the statistics need of a line of a journal.
type journalFact struct {
	Header  *int   `json:"tesla_match"` // set in the first line of a journal, which is no game
	Game    *int   `json:"game"`        // from 0
	White   string `json:"white"`
	Black   string `json:"black"`
	Result  string `json:"result"`
	AWhite  bool   `json:"a_white"` // the first player of the two has White
	Failure string `json:"failure"` // crash, time, hang, illegal or none
	Plies   int    `json:"plies"`
	Tables  bool   `json:"tables"` // endgame tables ended it

	Ponder [2]stats.Pondering `json:"ponder_hits"` // of White and Black
}

// journal lists the finished games of a journal, each a line of JSON. The last line may be cut off.
func (g *Games) journal(text string) ([]listed, error) {
	var list []listed
	seen := map[int]int{} // line of a game
	for number := 1; text != ""; number++ {
		line, rest, whole := strings.Cut(text, "\n")
		text = rest
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		var f journalFact
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			if !whole {
				g.skip(number, "?", "?", "is cut off")
				break
			}
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if f.Game == nil && f.Header != nil && number == 1 {
			continue
		}
		l, err := f.listed(number)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if before, ok := seen[*f.Game]; ok {
			return nil, fmt.Errorf("line %d: game %d is in line %d already", number, *f.Game, before)
		}
		seen[*f.Game] = number
		if !finished(l.result) {
			g.skip(number, l.white, l.black, "is unfinished")
			continue
		}
		list = append(list, l)
	}
	return list, nil
}

func (f *journalFact) listed(line int) (listed, error) {
	switch {
	case f.Game == nil || *f.Game < 0:
		return listed{}, fmt.Errorf("no game: its number is missing")
	case f.White == "" || f.Black == "":
		return listed{}, fmt.Errorf("game %d: a player has no name", *f.Game)
	case !finished(f.Result) && f.Result != "*" && f.Result != "":
		return listed{}, fmt.Errorf("game %d: %q is not a result", *f.Game, f.Result)
	}
	l := listed{
		line: line, white: f.White, black: f.Black, result: f.Result, first: f.Black, round: *f.Game / 2, plies: f.Plies,
		tables: f.Tables, ponder: f.Ponder,
	}
	if f.AWhite {
		l.first = f.White
	}
	switch f.Failure {
	case "":
	case "crash":
		l.failure = stats.FailureCrash
	case "time", "hang":
		l.failure = stats.FailureTime
	case "illegal":
		l.failure = stats.FailureIllegal
	default:
		return listed{}, fmt.Errorf("game %d: failure %q", *f.Game, f.Failure)
	}
	return l, nil
}
