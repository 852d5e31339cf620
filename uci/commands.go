package uci

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tesla/board"
	"tesla/search"
)

// position obeys "startpos|fen F [moves ...]". A position that it cannot read changes nothing.
func (s *session) position(words []string) {
	g, err := parsePosition(words, s.prefs.chess960)
	if err != nil {
		s.fail("position: %v; the position stays as it was", err)
		return
	}
	s.game = g
}

func parsePosition(words []string, chess960 bool) (*board.Game, error) {
	setup, moves := words, []string(nil)
	if i := slices.Index(words, "moves"); i >= 0 {
		setup, moves = words[:i], words[i+1:]
	}
	for len(setup) > 0 && setup[0] != "startpos" && setup[0] != "fen" {
		setup = setup[1:]
	}
	if len(setup) == 0 {
		return nil, fmt.Errorf("neither startpos nor fen given")
	}
	start := board.StartPosition()
	if setup[0] == "fen" {
		var err error
		if start, err = parseFEN(setup[1:]); err != nil {
			return nil, err
		}
	}
	g := board.NewGame(start)
	for i, text := range moves {
		m, err := g.Pos.ParseMove(text)
		if err != nil {
			return nil, fmt.Errorf("move %d: %w", i+1, err)
		}
		g.Play(m)
	}
	return g, nil
}

// parseFEN reads six fields, or four: GUIs leave the counters out.
func parseFEN(fields []string) (board.Position, error) {
	if len(fields) == 4 {
		fields = append(slices.Clone(fields), "0", "1")
	}
	return board.ParseFEN(strings.Join(fields, " "))
}

// goCommand starts a search, or counts moves.
func (s *session) goCommand(words []string, at time.Time) {
	if len(words) > 0 && words[0] == "perft" {
		s.perft(words[1:])
		return
	}
	lim, errs := parseGo(words, &s.game.Pos, s.prefs.chess960)
	for _, err := range errs {
		s.fail("go: %v", err)
	}
	lim.MultiPV, lim.MoveOverhead = s.prefs.multiPV, time.Duration(s.prefs.overheadMS)*time.Millisecond
	j := job{kind: searching, limits: lim, pos: s.game.Pos, stopped: s.leaving}
	if !j.pos.HasLegalMove() {
		in := search.Info{MultiPV: 1}
		text := infoLine(&j.pos, &in, false, false)
		if j.pos.InCheck() {
			text = strings.Replace(text, "score cp 0", "score mate 0", 1)
		}
		s.say(text)
		s.job = j
		_, s.job.cancel = context.WithCancel(context.Background())
		s.finish(&done{search: true})
		return
	}
	if s.waitedForNet {
		late(&j.limits, time.Since(at))
	}
	s.waitedForNet = false
	s.start(j, s.game.Clone())
	if s.leaving {
		s.job.stop()
	}
}

func (s *session) perft(words []string) {
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

// limitWords are the words of go. The moves of searchmoves end at the next of them.
var limitWords = map[string]bool{"searchmoves": true, "ponder": true, "infinite": true, "wtime": true, "btime": true,
	"winc": true, "binc": true, "movestogo": true, "depth": true, "nodes": true, "evals": true, "mate": true,
	"movetime": true}

// parseGo reads the limits of a go. It leaves malformed ones out; if no other is left, the search gets
// search.DefaultThink, because every go must be answered. Without any word that limits it the search is infinite,
// unless the game is over: then it is answered at once.
func parseGo(words []string, pos *board.Position, chess960 bool) (lim search.Limits, errs []error) {
	clocked := false
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch w {
		case "infinite":
			lim.Infinite = true
		case "ponder":
			lim.Ponder = true
		case "searchmoves":
			for ; i+1 < len(words) && !limitWords[words[i+1]]; i++ {
				m, err := pos.ParseMove(words[i+1])
				if err != nil {
					errs = append(errs, fmt.Errorf("searchmoves: %w", err))
				} else if !slices.Contains(lim.SearchMoves, m) {
					lim.SearchMoves = append(lim.SearchMoves, m)
				}
			}
		default:
			if !limitWords[w] {
				continue
			}
			if i++; i == len(words) {
				errs = append(errs, fmt.Errorf("%s: no value given", w))
				break
			}
			n, err := strconv.ParseInt(words[i], 10, 64)
			if err != nil || n < 0 && w != "wtime" && w != "btime" {
				errs = append(errs, fmt.Errorf("%s: %q is not a valid value", w, shorten(words[i])))
				break
			}
			clocked = setLimit(&lim, w, n, pos.Black) || clocked
		}
	}
	limited := lim.Depth > 0 || lim.Nodes > 0 || lim.Evals > 0 || lim.Mate > 0 || lim.MoveTime > 0 || lim.HasClock ||
		lim.Time[1] > 0
	switch {
	case limited || lim.Infinite:
	case clocked || errs != nil:
		lim.MoveTime = search.DefaultThink
	case !lim.Ponder && pos.HasLegalMove():
		lim.Infinite = true
	}
	return lim, errs
}

// setLimit stores one numeric limit and reports whether it belongs to the clock. A limit of zero counts as the smallest
// limit.
func setLimit(lim *search.Limits, word string, n int64, black bool) (clock bool) {
	const maxMS = 1 << 40
	ms := time.Duration(max(-maxMS, min(maxMS, n))) * time.Millisecond
	small := int(max(1, min(1<<30, n)))
	opponent := 0
	if (word[0] == 'b') != black {
		opponent = 1
	}
	switch word {
	case "wtime", "btime":
		lim.Time[opponent] = ms
		lim.HasClock = lim.HasClock || opponent == 0
		return true
	case "winc", "binc":
		lim.Inc[opponent] = ms
		return true
	case "movestogo":
		lim.MovesToGo = small
		return true
	case "depth":
		lim.Depth = small
	case "mate":
		lim.Mate = small
	case "nodes":
		lim.Nodes = max(1, n)
	case "evals":
		lim.Evals = max(1, n)
	case "movetime":
		lim.MoveTime = max(time.Millisecond, ms)
	}
	return false
}
