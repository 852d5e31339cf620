package uci

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"tesla/board"
	"tesla/search"
)

// jobKind is what the one job does.
type jobKind uint8

const (
	idle jobKind = iota
	loading
	searching
)

// job is the loading or the search that runs now.
type job struct {
	kind    jobKind
	limits  search.Limits
	game    *board.Game // that is searched
	cancel  context.CancelFunc
	stopped bool       // by stop, or by a line that waits
	hit     bool       // ponderhit came before the first report
	scored  board.Move // first move of the last report of the first line
	told    bool       // there was such a report
	reply   board.Move // its second move
	depth   int        // the greatest that was reported
	held    *done      // result of an infinite or pondering search that ended early
	pos     board.Position
	asked   bool // a loading: isready waits for its end
	over    bool // there is no move to search for
}

func (j *job) stop() {
	if j.cancel != nil {
		j.cancel()
	}
}

// brief is how long a search lasts that was stopped, or whose time was over, before it began, because a net had to be
// loaded or another search was in its way: long enough for a sensible move.
const brief = 50 * time.Millisecond

// describer is a searcher that can say, on one line, with which settings it searches.
type describer interface {
	Describe(p *board.Position, lim search.Limits) string
}

// start runs a job. It makes the searcher anew if an option requires that, and then searches if the job is a search.
func (s *session) start(j job) {
	ctx, cancel := context.WithCancel(context.Background())
	j.cancel = cancel
	if j.stopped {
		cancel()
	}
	s.job = j
	searcher, engine, forget := s.searcher, s.cfg.Engine, s.forget
	remake, tree := s.dirty || searcher == nil, s.prefs.loadTree
	s.prefs.loadTree = ""
	s.dirty, s.forget, s.stale = false, false, false
	began := time.Now()
	go func() {
		end := &done{search: j.kind == searching}
		defer func() {
			if r := recover(); r != nil {
				end.trouble = fmt.Errorf("panic: %v at %s", r, panicSite(debug.Stack()))
			}
			s.events <- event{done: end}
		}()
		if remake {
			o := &opened{}
			o.searcher, o.notes, o.err = engine.Open(j.kind == searching)
			s.events <- event{opened: o}
			if o.err == nil {
				searcher = o.searcher
			}
		}
		if searcher == nil { // why has been said; a search is answered by any legal move
			return
		}
		if forget {
			searcher.NewGame()
		}
		if tree != "" {
			s.events <- event{note: load(tree, searcher)}
		}
		if j.kind == searching {
			j.limits.Late(time.Since(began), brief)
			if ctx.Err() != nil && (remake || j.stopped) {
				ctx, cancel = context.WithTimeout(context.Background(), brief)
				defer cancel()
			}
			if d, ok := search.As[describer](searcher); ok {
				s.events <- event{note: d.Describe(&j.game.Pos, j.limits)}
			}
			end.result, end.trouble = searcher.Search(ctx, j.game, j.limits, func(in search.Info) {
				in.PV = append([]board.Move(nil), in.PV...)
				s.events <- event{info: &in}
			})
		}
	}()
}

// panicSite is the first function of this program in a stack trace, below the panic itself.
func panicSite(stack []byte) string {
	text := string(stack)
	if i := strings.LastIndex(text, "panic("); i >= 0 {
		text = text[i:]
	}
	for _, l := range strings.Split(text, "\n") {
		if strings.HasPrefix(l, "\t") && !strings.Contains(l, "/runtime/") {
			return strings.TrimSpace(l)
		}
	}
	return "unknown place"
}

// hear takes an event.
func (s *session) hear(e event) {
	switch {
	case e.note != "":
		s.tell(e.note)
	case e.info != nil:
		s.inform(e.info)
	case e.opened != nil:
		if e.opened.err == nil {
			s.searcher = e.opened.searcher
		} else {
			s.dirty = s.searcher == nil // with an earlier searcher the session goes on; else it tries again
			s.fail("%v", e.opened.err)
		}
		for _, n := range e.opened.notes {
			s.tell(n)
		}
	case e.done != nil:
		s.finish(e.done)
	case e.aside != nil:
		s.asides--
		if s.asides == 0 {
			s.dismiss()
			s.dismiss = nil
		}
		if e.aside.err != nil {
			s.fail("%v", e.aside.err)
		} else {
			s.say(e.aside.lines...)
		}
	}
}

// tell says a note to the user, on one line, and not too long a one. Errors that were joined have a line each.
func (s *session) tell(note string) {
	note = strings.ReplaceAll(strings.TrimSpace(note), "\n", "; ")
	s.say("info string " + shorten(strings.Join(strings.Fields(note), " ")))
}

// inform prints a report of the search.
func (s *session) inform(in *search.Info) {
	j := &s.job
	if j.hit { // the search has begun: it listens now
		j.hit = false
		s.searcher.PonderHit()
	}
	switch {
	case in.Text != "":
		s.say("info string " + in.Text)
	case in.Current != board.NullMove:
		s.say(fmt.Sprintf("info depth %d currmove %s currmovenumber %d", in.Depth, j.pos.UCI(in.Current, s.prefs.chess960), in.Number))
	case len(in.Roots) > 0:
		s.say(rootLines(&j.pos, in.Roots, s.prefs.chess960)...)
	default:
		if in.MultiPV <= 1 && len(in.PV) > 0 {
			j.told, j.scored, j.reply = true, in.PV[0], board.NullMove
			j.depth = max(j.depth, in.Depth)
			if len(in.PV) > 1 {
				j.reply = in.PV[1]
			}
		}
		s.say(infoLine(&j.pos, in, s.prefs.chess960, s.prefs.showWDL))
		if text := sureLine(&in.Sure); s.prefs.showSure && text != "" {
			s.say(text)
		}
	}
}

// finish ends the job. It holds the answer of an infinite or pondering search back until stop or ponderhit.
func (s *session) finish(d *done) {
	j := &s.job
	if d.trouble != nil {
		s.fail("%v", d.trouble)
		s.dirty, s.stale = true, d.search // what failed is made anew; a loading that failed is not tried again unasked
	}
	switch {
	case !d.search:
		s.waitedForNet = len(s.queue) > 0
		j.stop()
		if j.asked {
			s.say("readyok")
		}
		s.job = job{}
	case (j.limits.Infinite || j.limits.Ponder) && !j.stopped && !s.leaving:
		j.held = d
	default:
		s.answer(d)
	}
}

// answer prints bestmove. Before it, it prints a report with that move if the search made none.
func (s *session) answer(d *done) {
	j, pos := &s.job, &s.job.pos
	if j.over {
		s.say("bestmove 0000")
		s.job = job{}
		return
	}
	best, ponder, in := d.result.Best, d.result.Ponder, d.result.Info
	if !pos.IsLegal(best) { // no searcher, or a failure of it
		best, ponder = j.substitute(), board.NullMove
		in = search.Info{WDL: drawn}
	}
	if !j.told || j.scored != best {
		in.MultiPV, in.Depth, in.SelDepth = 1, max(1, in.Depth, j.depth), max(1, in.SelDepth)
		if len(in.PV) == 0 || in.PV[0] != best {
			in.PV = []board.Move{best}
		}
		s.inform(&in)
	}
	if all := d.result.Info; all.Evals > 0 && all.Evals != all.Nodes { // GUIs know no such number
		s.tell(fmt.Sprintf("evaluations %d, %.0f a second", all.Evals, all.EvalRate()))
	}
	chess960 := s.prefs.chess960
	text := "bestmove " + pos.UCI(best, chess960)
	if ponder == board.NullMove {
		ponder = j.reply
	}
	next := pos.After(best)
	if ponder != board.NullMove && next.IsLegal(ponder) {
		text += " ponder " + next.UCI(ponder, chess960)
	}
	s.say(text)
	j.cancel()
	s.job = job{}
}

// substitute is a legal move for a search that gave none: the move that it last reported, or the first that may be
// played.
func (j *job) substitute() board.Move {
	if j.told && j.pos.IsLegal(j.scored) {
		return j.scored
	}
	if len(j.limits.SearchMoves) > 0 {
		return j.limits.SearchMoves[0]
	}
	return j.pos.LegalMoves(nil)[0]
}

// stop ends the search and lets its answer out.
func (s *session) stop() {
	j := &s.job
	if j.kind != searching {
		return
	}
	j.stopped = true
	j.stop()
	if j.held != nil {
		s.answer(j.held)
	}
}

// ponderHit starts the clock of a pondering search.
func (s *session) ponderHit() {
	j := &s.job
	if j.kind != searching || !j.limits.Ponder {
		return
	}
	j.limits.Ponder = false
	switch {
	case j.held != nil && !j.limits.Infinite:
		s.answer(j.held)
	case j.held == nil && s.searcher != nil:
		j.hit = !j.told
		s.searcher.PonderHit()
	case j.held == nil:
		j.hit = true
	}
}
