package uci

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"tesla/board"
	"tesla/search"
)

// goCommand starts a search, or counts moves.
func (s *session) goCommand(words []string, at time.Time) {
	if len(words) > 0 && words[0] == "perft" {
		s.perft(words[1:])
		return
	}
	if s.refused != nil {
		lim := search.Limits{Infinite: slices.Contains(words, "infinite"), Ponder: slices.Contains(words, "ponder")}
		s.onBoard("go")
		s.over(lim, infoLine(&board.Position{}, &search.Info{WDL: drawn}, false, s.prefs.showWDL))
		return
	}
	lim, errs := parseGo(words, &s.game.Pos)
	for _, err := range errs {
		s.fail("go: %v", err)
	}
	lim.MultiPV, lim.MoveOverhead = s.prefs.multiPV, time.Duration(s.prefs.overheadMS)*time.Millisecond
	lim.Current = true
	j := job{kind: searching, limits: lim, game: s.game.Clone(), pos: s.game.Pos, stopped: s.leaving || s.stopWaits()}
	if !j.pos.HasLegalMove() {
		in := search.Info{MultiPV: 1, WDL: drawn}
		text := infoLine(&j.pos, &in, false, s.prefs.showWDL)
		if j.pos.InCheck() {
			text = strings.NewReplacer("score cp 0", "score mate 0", "wdl 0 1000 0", "wdl 0 0 1000").Replace(text)
		}
		s.over(lim, text)
		return
	}
	if s.fromBook(j) {
		return
	}
	if s.waitedForNet {
		j.limits.Late(time.Since(at), brief)
	}
	s.waitedForNet = false
	s.start(j)
}

// stopWaits reports whether the next search is to be stopped as soon as it has begun: both waited while a net loaded.
func (s *session) stopWaits() bool {
	for _, l := range s.queue {
		switch word, _, _ := strings.Cut(l.text, " "); word {
		case "stop":
			return true
		case "go":
			return false
		}
	}
	return false
}

// drawn is the WDL of a draw, and of nothing.
var drawn = [3]int{0, 1000, 0}

// over answers a go where there is no move, after a report.
func (s *session) over(lim search.Limits, report string) {
	s.say(report)
	s.job = job{kind: searching, limits: lim, over: true}
	s.finish(&done{search: true})
}

// perft counts moves beside any search.
func (s *session) perft(words []string) {
	if !s.onBoard("go perft") {
		return
	}
	depth, err := 0, error(nil)
	if len(words) > 0 {
		depth, err = strconv.Atoi(words[0])
	}
	if len(words) == 0 || err != nil || depth < 1 || depth > 100 {
		s.fail("go perft: a depth in 1..100 is needed")
		return
	}
	pos, chess960 := s.game.Pos, s.prefs.chess960
	s.beside("perft", func(ctx context.Context) ([]string, error) {
		return perftLines(ctx, &pos, depth, chess960), nil
	})
}
