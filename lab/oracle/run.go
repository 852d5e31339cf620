package oracle

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/notnil/chess"

	"tesla/board"
	"tesla/lab/match"
	"tesla/lab/match/pgn"
	"tesla/lab/verify"
)

// What a run looks at.
const (
	lines    = 16 // openings, from both built-in books
	plies    = 60 // of a random game
	each     = 8  // plies between positions whose moves and perft are compared
	depth    = 2  // of perft
	late     = 92 // the fifty-move counter of the second game from each start
	mostTold = 20 // differences
)

// Report is what a run found.
type Report struct {
	Seed        uint64         `json:"seed"`
	Positions   int            `json:"positions"` // whose moves, texts and perft were compared
	Moves       int            `json:"moves"`     // of those positions
	Leaves      uint64         `json:"leaves"`    // of their perft
	Games       int            `json:"games"`
	Plies       int            `json:"plies"` // after each of which position and end were compared
	Ends        map[string]int `json:"ends"`
	Known       []Known        `json:"known"`
	Differences []Difference   `json:"differences,omitempty"`
}

// Run compares the positions of package verify, openings of the built-in books, and random games from all of these.
func Run(r Rules, seed uint64) (*Report, error) {
	starts, err := starts()
	if err != nil {
		return nil, err
	}
	report := &Report{Seed: seed, Ends: map[string]int{}, Known: known()}
	for i := range starts {
		for k, clock := range []uint8{starts[i].Halfmove, late} {
			p := starts[i]
			p.Halfmove = clock
			w := walk{r, report, rand.New(rand.NewPCG(seed, uint64(2*i+k)))}
			if err := w.game(p); err != nil {
				return nil, err
			}
		}
	}
	for _, k := range report.Known {
		report.add(k.check()...)
	}
	return report, nil
}

// Err is an error where something differs.
func (r *Report) Err() error {
	if len(r.Differences) == 0 {
		return nil
	}
	return fmt.Errorf("oracle: the rules differ from another program's: %v", r.Differences[0])
}

// String is the report as lines, the first with how much was compared.
func (r *Report) String() string {
	state := "ok"
	if len(r.Differences) > 0 {
		state = "WRONG"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d positions with %d moves and %d leaves of perft, %d plies of %d games, against notnil/chess", state, r.Positions, r.Moves,
		r.Leaves, r.Plies, r.Games)
	for _, d := range r.Differences[:min(len(r.Differences), mostTold)] {
		fmt.Fprintf(&b, "\n  %v", d)
	}
	if more := len(r.Differences) - mostTold; more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	for _, k := range r.Known {
		fmt.Fprintf(&b, "\n  known: %s", k.What)
		if k.Met > 0 {
			fmt.Fprintf(&b, " (%d times in the games)", k.Met)
		}
	}
	return b.String()
}

func (r *Report) add(found ...Difference) { r.Differences = append(r.Differences, found...) }

// starts are the positions from which random games begin.
func starts() (all []board.Position, err error) {
	if all, err = verify.Positions(); err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(p board.Position) bool { return !Standard(&p) })
	for _, book := range []string{match.Balanced, match.Unbalanced} {
		openings, _, err := match.LoadOpenings(book, 0)
		if err != nil {
			return nil, err
		}
		for i := range lines / 2 {
			all = append(all, openings[i*len(openings)/(lines/2)].Game().Pos)
		}
	}
	return all, nil
}

// walk plays random games.
type walk struct {
	rules  Rules
	report *Report
	random *rand.Rand
}

func (w *walk) game(start board.Position) error {
	ours := board.NewGame(start)
	other, err := theirs(&start)
	if err != nil {
		return err
	}
	w.report.Games++
	for ply := range plies {
		if ply%each == 0 {
			if err := w.position(&ours.Pos, other.Position()); err != nil {
				return err
			}
		}
		w.report.Plies++
		if w.end(ours, other) || !w.step(ours, other) {
			break
		}
	}
	w.files(ours, other)
	return nil
}

func (w *walk) position(p *board.Position, other *chess.Position) error {
	w.report.Positions++
	w.report.Moves += len(other.ValidMoves())
	if found := w.rules.compare(p, other); len(found) > 0 {
		w.report.add(found...)
		return nil
	}
	n, found, err := w.rules.Perft(p, depth)
	w.report.Leaves += n
	w.report.add(found...)
	return err
}

// end compares whether and how a game has ended, and reports whether it has. A repetition may be a known difference.
func (w *walk) end(ours *board.Game, other *chess.Game) bool {
	have, want := w.rules.End(ours), endOf(other)
	w.report.Ends[have.String()]++
	switch {
	case have == want:
	case have == board.Repetition && want == board.Ongoing && afterDoubleStep(ours):
		w.report.Known[passingRepeats].Met++
	default:
		w.report.add(Difference{"end", ours.Pos.FEN(false), have.String(), want.String()})
	}
	return have != board.Ongoing || want != board.Ongoing
}

// endOf is how a game has ended by the library, in the words of package board. A draw that must be claimed counts.
func endOf(g *chess.Game) board.Outcome {
	switch g.Method() {
	case chess.Checkmate:
		return board.Checkmate
	case chess.Stalemate:
		return board.Stalemate
	case chess.InsufficientMaterial:
		return board.Material
	}
	end := board.Ongoing
	for _, m := range g.EligibleDraws() {
		switch m {
		case chess.ThreefoldRepetition:
			return board.Repetition
		case chess.FiftyMoveRule:
			end = board.FiftyMoves
		}
	}
	return end
}

// step plays a random move, often back to where the piece came from, so that games repeat, and compares the positions after it. It
// returns false where they cannot go on.
func (w *walk) step(ours *board.Game, other *chess.Game) bool {
	moves := ours.Pos.LegalMoves(nil)
	m := moves[w.random.IntN(len(moves))]
	if n := len(ours.Moves); n >= 2 && w.random.IntN(5) > 1 {
		last := ours.Moves[n-2]
		for _, back := range moves {
			if back.From() == last.To() && back.To() == last.From() && !back.IsCastling() && !last.IsCastling() {
				m = back
			}
		}
	}
	before, text := ours.Pos.FEN(false), ours.Pos.UCI(m, false)
	read, err := chess.UCINotation{}.Decode(other.Position(), text)
	if err == nil {
		err = other.Move(read)
	}
	if err != nil {
		w.report.add(Difference{"move " + text, before, "legal", err.Error()})
		return false
	}
	ours.Play(m)
	if have, want := withoutPassing(ours.Pos.FEN(false)), withoutPassing(other.FEN()); have != want {
		w.report.add(Difference{"position after " + text, before, have, want})
		return false
	}
	return true
}

// withoutPassing is a FEN without its square of en passant, see Known.
func withoutPassing(fen string) string {
	fields := strings.Fields(fen)
	fields[3] = "-"
	return strings.Join(fields, " ")
}

// files compares what each reads of the game that the other writes.
func (w *walk) files(ours *board.Game, other *chess.Game) {
	fen := ours.Start.FEN(false)
	written := pgn.Game{Tags: []pgn.Tag{{Name: "SetUp", Value: "1"}, {Name: "FEN", Value: fen}},
		Line: pgn.Line{Start: ours.Start, Moves: ours.Moves}, Comments: make([]string, len(ours.Moves)), Result: "*"}
	var want, have []string
	for at, m := range ours.Start.Along(ours.Moves) {
		want = append(want, at.UCI(m, false))
	}
	decode, err := chess.PGN(bytes.NewBufferString(written.Text()))
	if err == nil {
		for _, m := range chess.NewGame(decode).Moves() {
			have = append(have, m.String())
		}
	}
	if a, b := strings.Join(want, " "), strings.Join(have, " "); err != nil || a != b {
		w.report.add(Difference{"game written here", fen, a, errorOr(err, b)})
	}
	other.AddTagPair("FEN", fen)
	have = nil
	for _, g := range pgn.ReadAnnotated(other.String()) {
		for at, m := range g.Start.Along(g.Moves) {
			have = append(have, at.UCI(m, false))
		}
	}
	if a, b := strings.Join(have, " "), strings.Join(want, " "); a != b {
		w.report.add(Difference{"game written there", fen, a, b})
	}
}

func errorOr(err error, text string) string {
	if err != nil {
		return err.Error()
	}
	return text
}
