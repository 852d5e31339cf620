package match

import (
	"cmp"
	"fmt"
	"strings"
	"time"

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
	limits   []string   // of the moves of each player
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
		s.event = fmt.Sprintf("%s of %d players", cmp.Or(m.config.Format, RoundRobin), n)
	}
	for i := range m.config.Players {
		p := &m.config.Players[i]
		engine := p.Cmd
		if engine == "" {
			engine = "tesla"
		}
		s.engines = append(s.engines, []string{engine, m.nets[i], p.Settings()})
		s.limits = append(s.limits, m.config.condition(p).String())
	}
	return s
}

// pgnGame is the game as a PGN file has it.
func (r *record) pgnGame(style *pgnStyle) *pgn.Game {
	g := &pgn.Game{
		Tags: r.pgnTags(style), Line: pgn.Line{Start: r.game.Start, Moves: r.game.Moves},
		Ending: r.Reason, Result: r.Result,
	}
	for i := range r.Moves {
		g.Comments = append(g.Comments, r.Moves[i].comment(style.stable))
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

// pgnTags are the seven tags of the PGN standard (Edwards 1994), others that it defines, and our own: MatchId,
// Adjudicator, Commit, Machine, Openings (the book), OpeningIndex (from 0), Incidents (what happened without losing the
// game), and of each side Engine, Net (its hash), Options and Plays (what it says of itself, with threads and hash).
func (r *record) pgnTags(style *pgnStyle) (tags []pgn.Tag) {
	tag := func(name, value string) { tags = append(tags, pgn.Tag{Name: name, Value: value}) }
	date := "????.??.??"
	if !style.stable {
		date = r.Ended().Format("2006.01.02")
	}
	tag("Event", style.event)
	tag("Site", "?")
	tag("Date", date)
	tag("Round", fmt.Sprintf("%d.%d", r.round+1, 2*r.pairing+1+r.leg)) // no other game of the match has it
	tag("White", r.White)
	tag("Black", r.Black)
	tag("Result", r.Result)
	if style.id != "" {
		tag(matchTag, style.id)
	}
	start := board.StartPosition()
	if style.chess960 {
		tag("Variant", "Chess960")
	}
	if style.chess960 || r.Start != start.FEN(false) {
		tag("SetUp", "1")
		tag("FEN", r.Start)
	}
	tag("PlyCount", fmt.Sprint(r.Plies))
	if white, black := style.limits[r.sides[0]], style.limits[r.sides[1]]; white == black {
		tag("TimeControl", white)
	} else {
		tag("WhiteTimeControl", white)
		tag("BlackTimeControl", black)
	}
	tag("Termination", r.Termination)
	if r.Tables {
		tag(adjudicatorTag, tablesName)
	}
	tag("Openings", style.openings)
	tag("OpeningIndex", fmt.Sprint(r.Opening))
	if text := r.incidentText(style.stable); text != "" {
		tag("Incidents", text)
	}
	if r.Commit != "" && !style.stable {
		tag("Commit", r.Commit)
	}
	if !style.stable && r.Worker == "" {
		tag("Machine", style.machine)
	}
	for side, color := range []string{"White", "Black"} {
		for i, value := range style.engines[r.sides[side]] {
			if value != "" {
				tag(color+[]string{"Engine", "Net", "Options"}[i], value)
			}
		}
		if r.Plays != nil && r.Plays[side] != "" && !style.stable {
			tag(color+"Plays", r.Plays[side])
		}
	}
	return tags
}

// comment is the comment on a move. It is "book" for one of the opening:
//
//	+0.35/12 0.104s n=5120 nps=49230 eps=49230 fill=87%
//
// The words are the mover's score in pawns (M and plies for a mate) and its depth, the time that the runner measured,
// nodes, nodes a second and, from players in process, leaf evaluations a second and how full the batches were.
func (m *Move) comment(stable bool) string {
	if m.Book {
		return "book"
	}
	var words []string
	say := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	if m.Scored {
		score := fmt.Sprintf("%+.2f", float64(m.CP)/100)
		if m.Mate > 0 {
			score = fmt.Sprintf("+M%d", 2*m.Mate-1)
		} else if m.Mate < 0 {
			score = fmt.Sprintf("-M%d", -2*m.Mate)
		}
		say("%s/%d", score, m.Depth)
	}
	if !stable {
		say("%.3fs", time.Duration(m.Took).Seconds())
	}
	if m.Nodes > 0 {
		say("n=%d", m.Nodes)
	}
	if !stable {
		if nps := cmp.Or(max(m.NPS, 0), m.perSecond(m.Nodes)); nps > 0 {
			say("nps=%d", nps)
		}
		if eps := m.perSecond(m.Evals); eps > 0 {
			say("eps=%d", eps)
		}
		if m.Fill > 0 {
			say("fill=%.0f%%", 100*m.Fill)
		}
	}
	return strings.Join(words, " ")
}

// perSecond divides by the time that the player reported, or otherwise by the time that the move took. 0: not known.
func (m *Move) perSecond(n int64) int64 {
	t := m.Thought
	if t <= 0 {
		t = m.Took
	}
	if t <= 0 || n <= 0 {
		return 0
	}
	return int64(float64(n) / time.Duration(t).Seconds())
}
