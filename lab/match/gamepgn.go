package match

import (
	"fmt"
	"strings"

	"tesla/board"
	"tesla/lab/match/pgn"
)

// pgnStyle is what a PGN says beside the game.
type pgnStyle struct {
	event    string
	id       string     // of the match; empty: it has no journal
	openings string     // file, or the name of a built-in book
	machine  string     // that it was begun on
	engines  [][]string // of each player: engine, net and options; empty: no tag
	stable   bool       // leave out what differs from run to run: dates, commit, times and speeds
	chess960 bool       // the match is Chess960
}

// newStyle is the style of the games of the match.
func newStyle(m *matchRun) *pgnStyle {
	s := &pgnStyle{
		event: strings.Join(m.names, " - "), stable: m.config.Files.PGNStable,
		chess960: m.config.Openings.Chess960, openings: m.config.Openings.File, machine: machine(),
	}
	if n := len(m.names); n > 2 {
		s.event = fmt.Sprintf("%s of %d players", m.format(), n)
	}
	for i := range m.config.Players {
		p := &m.config.Players[i]
		engine := p.Cmd
		if engine == "" {
			engine = "tesla"
		}
		s.engines = append(s.engines, []string{engine, m.nets[i], p.Settings()})
	}
	return s
}

// pgnGame is the game as a PGN file has it.
func (r *record) pgnGame(style *pgnStyle) *pgn.Game {
	g := &pgn.Game{
		Tags: r.pgnTags(style), Line: pgn.Line{Start: r.game.Start, Moves: r.game.Moves},
		Ending: r.reason, Result: r.score.text(),
	}
	for i := range r.game.Moves {
		g.Comments = append(g.Comments, r.comment(i, style.stable))
	}
	return g
}

// matchTag is the tag with the identity of a match, which a resumed one knows its games by.
const matchTag = "MatchId"

// adjudicatorTag says who ended a game that the rules did not end, where that was not the players' scores.
const (
	adjudicatorTag = "Adjudicator"
	tablesName     = "endgame tables"
)

// roundName is the Round tag, which no other game of the match has.
func (f *fixture) roundName() string {
	game := 2*f.pairing + 1
	if f.second {
		game++
	}
	return fmt.Sprintf("%d.%d", f.round+1, game)
}

// pgnTags are the seven tags of the PGN standard (Edwards 1994), others that it defines, and our own: MatchId,
// Adjudicator, Commit, Machine, Openings (the book), OpeningIndex (from 0), Incidents (what happened without losing the
// game), and of each side Engine, Net (its hash), Options and Plays (what it says of itself, with threads and hash).
func (r *record) pgnTags(style *pgnStyle) (tags []pgn.Tag) {
	tag := func(name, value string) { tags = append(tags, pgn.Tag{Name: name, Value: value}) }
	date := "????.??.??"
	if !style.stable {
		date = r.date.Format("2006.01.02")
	}
	tag("Event", style.event)
	tag("Site", "?")
	tag("Date", date)
	tag("Round", r.roundName())
	tag("White", r.names[0])
	tag("Black", r.names[1])
	tag("Result", r.score.text())
	if style.id != "" {
		tag(matchTag, style.id)
	}
	start := board.StartPosition()
	if style.chess960 {
		tag("Variant", "Chess960")
	}
	if fen := r.game.Start.FEN(style.chess960); style.chess960 || fen != start.FEN(false) {
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
	if r.tables {
		tag(adjudicatorTag, tablesName)
	}
	tag("Openings", style.openings)
	tag("OpeningIndex", fmt.Sprint(r.opening))
	if text := r.incidentText(style.stable); text != "" {
		tag("Incidents", text)
	}
	if r.commit != "" && !style.stable {
		tag("Commit", r.commit)
	}
	if !style.stable && r.origin.Worker == "" {
		tag("Machine", style.machine)
	}
	for side, color := range []string{"White", "Black"} {
		for i, value := range style.engines[r.sides[side]] {
			if value != "" {
				tag(color+[]string{"Engine", "Net", "Options"}[i], value)
			}
		}
		if r.plays != nil && r.plays[side] != "" && !style.stable {
			tag(color+"Plays", r.plays[side])
		}
	}
	return tags
}

// comment is the comment on move i. It is "book" for a move of the opening:
//
//	+0.35/12 0.104s n=5120 nps=49230 eps=49230 fill=87%
//
// The words are the mover's score in pawns (M and plies for a mate) and its depth, the time that the runner measured,
// nodes, nodes a second and, from players in process, leaf evaluations a second and how full the batches were.
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

// nps is the nodes a second that the player reported, or otherwise those of the time that the move took.
func (a *reply) nps() int64 {
	if a.info.NPS > 0 {
		return a.info.NPS
	}
	return a.perSecond(a.info.Nodes)
}

// perSecond divides by the time that the player reported, or otherwise by the time that the move took. 0: not known.
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
