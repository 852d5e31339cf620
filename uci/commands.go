package uci

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

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
		s.over(lim, "info string error: go: there is no position: the last one was refused")
		return
	}
	lim, errs := parseGo(words, &s.game.Pos, s.prefs.chess960)
	for _, err := range errs {
		s.fail("go: %v", err)
	}
	lim.MultiPV, lim.MoveOverhead = s.prefs.multiPV, time.Duration(s.prefs.overheadMS)*time.Millisecond
	j := job{kind: searching, limits: lim, game: s.game.Clone(), pos: s.game.Pos, stopped: s.leaving}
	if !j.pos.HasLegalMove() {
		in := search.Info{MultiPV: 1, WDL: [3]int{0, 1000, 0}}
		text := infoLine(&j.pos, &in, false, s.prefs.showWDL)
		if j.pos.InCheck() {
			text = strings.NewReplacer("score cp 0", "score mate 0", "wdl 0 1000 0", "wdl 0 0 1000").Replace(text)
		}
		s.over(lim, text)
		return
	}
	if s.waitedForNet {
		late(&j.limits, time.Since(at))
	}
	s.waitedForNet = false
	s.start(j)
}

// over answers a go in a position that has no move, after a line that says why.
func (s *session) over(lim search.Limits, why string) {
	s.say(why)
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
