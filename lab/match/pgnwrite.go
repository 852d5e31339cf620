package match

import (
	"fmt"
	"strings"

	"tesla/board"
)

// pgnStyle is what a PGN says beyond the game.
type pgnStyle struct {
	event   string
	commit  string     // of this program; empty: not known
	engines [][]string // of each player: engine, net and options, empty where there is nothing to say
	stable  bool       // leave out what differs from run to run: dates, commit, times and speeds
	frc     bool       // the match is Chess960
}

// newStyle is that of the match's games.
func newStyle(m *matchRun) *pgnStyle {
	s := &pgnStyle{event: strings.Join(m.names, " - "), commit: m.config.Commit, stable: m.config.PGNStable, frc: m.config.Chess960}
	if n := len(m.names); n > 2 {
		s.event = fmt.Sprintf("%s of %d players", m.format(), n)
	}
	for i, p := range m.players {
		engine := p.Cmd
		if engine == "" {
			engine = "tesla"
		}
		s.engines = append(s.engines, []string{engine, m.nets[i], p.options()})
	}
	return s
}

// pgnText writes a game: tags, then moves with a comment for each that was searched, at last the end in words.
func (r *record) pgnText(style *pgnStyle) string {
	var b strings.Builder
	r.pgnTags(&b, style)
	w := wrapper{to: &b}
	p := r.game.Start
	for i, m := range r.game.Moves {
		switch {
		case !p.Black:
			w.word(fmt.Sprintf("%d.", p.Fullmove))
		case i == 0:
			w.word(fmt.Sprintf("%d...", p.Fullmove))
		}
		w.word(SAN(&p, m))
		w.word("{" + r.comment(i, style.stable) + "}")
		var next board.Position
		p.Make(m, &next)
		p = next
	}
	w.word("{" + strings.NewReplacer("{", "(", "}", ")").Replace(r.reason) + "}")
	w.word(r.score.text())
	b.WriteString("\n\n")
	return b.String()
}

// pgnTags writes the seven tags of the PGN standard (Edwards 1994), those that it defines beside them, and of our own
// Commit, OpeningIndex (from 0), and of each side Engine, Net (its hash) and Options.
func (r *record) pgnTags(b *strings.Builder, style *pgnStyle) {
	tag := func(name, value string) {
		value = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(value)
		fmt.Fprintf(b, "[%s \"%s\"]\n", name, value)
	}
	tag("Event", style.event)
	tag("Site", "?")
	if style.stable {
		tag("Date", "????.??.??")
	} else {
		tag("Date", r.date.Format("2006.01.02"))
	}
	game := 2*r.pairing + 1
	if r.second {
		game++
	}
	tag("Round", fmt.Sprintf("%d.%d", r.round+1, game))
	tag("White", r.names[0])
	tag("Black", r.names[1])
	tag("Result", r.score.text())
	start := board.StartPosition()
	if style.frc {
		tag("Variant", "Chess960")
	}
	if fen := r.game.Start.FEN(style.frc); style.frc || fen != start.FEN(false) {
		tag("SetUp", "1")
		tag("FEN", fen)
	}
	tag("PlyCount", fmt.Sprint(len(r.game.Moves)))
	if white, black := r.conditions[0].String(), r.conditions[1].String(); white == black {
		tag("TimeControl", white)
	} else {
		tag("WhiteTimeControl", white)
		tag("BlackTimeControl", black)
	}
	tag("Termination", r.termination)
	tag("OpeningIndex", fmt.Sprint(r.opening))
	if style.commit != "" && !style.stable {
		tag("Commit", style.commit)
	}
	for side, color := range []string{"White", "Black"} {
		for i, value := range style.engines[r.sides[side]] {
			if value != "" {
				tag(color+[]string{"Engine", "Net", "Options"}[i], value)
			}
		}
	}
	b.WriteByte('\n')
}

// comment is what is known of move i, "book" where it was not searched:
//
//	+0.35/12 0.104s n=5120 nps=49230 eps=49230 fill=87%
//
// the mover's score in pawns (M and plies for a mate) and its depth, the time as the runner measured it, nodes, nodes a
// second, and of a player in process that says them leaf evaluations a second and how full the net's batches were.
func (r *record) comment(i int, stable bool) string {
	i -= r.book
	if i < 0 {
		return "book"
	}
	move := &r.moves[i]
	var words []string
	say := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	if move.scored {
		score := fmt.Sprintf("%+.2f", float64(move.info.Score.CP)/100)
		if mate := move.info.Score.Mate; mate > 0 {
			score = fmt.Sprintf("+M%d", 2*mate-1)
		} else if mate < 0 {
			score = fmt.Sprintf("-M%d", -2*mate)
		}
		say("%s/%d", score, move.info.Depth)
	}
	if !stable {
		say("%.3fs", move.took.Seconds())
	}
	if move.info.Nodes > 0 {
		say("n=%d", move.info.Nodes)
	}
	if !stable {
		if nps := move.nps(); nps > 0 {
			say("nps=%d", nps)
		}
		if eps := move.perSecond(move.info.Evals); eps > 0 {
			say("eps=%d", eps)
		}
		if move.info.Fill > 0 {
			say("fill=%.0f%%", 100*move.info.Fill)
		}
	}
	return strings.Join(words, " ")
}

// nps is the nodes a second that the player said, else those of the time that the move took.
func (a *reply) nps() int64 {
	if a.info.NPS > 0 {
		return a.info.NPS
	}
	return a.perSecond(a.info.Nodes)
}

// perSecond divides by the time that the player said, or else by the time that the move took; 0: not known.
func (a *reply) perSecond(n int64) int64 {
	t := a.info.Time
	if t <= 0 {
		t = a.took
	}
	if t <= 0 || n <= 0 {
		return 0
	}
	return int64(float64(n) / t.Seconds())
}

// wrapper writes words in lines of at most 80 characters.
type wrapper struct {
	to     *strings.Builder
	column int
}

func (w *wrapper) word(s string) {
	for _, s := range strings.Fields(s) {
		switch {
		case w.column == 0:
		case w.column+1+len(s) > 80:
			w.to.WriteByte('\n')
			w.column = 0
		default:
			w.to.WriteByte(' ')
			w.column++
		}
		w.to.WriteString(s)
		w.column += len(s)
	}
}
