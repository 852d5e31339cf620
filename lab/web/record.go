package web

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"tesla/board"
	"tesla/lab/match/pgn"
)

// mostNodes are the most moves of a game, with those of its variations.
const mostNodes = 20000

// record is a game of a file, or one to be written: a tree of moves.
type record struct {
	Start   string    `json:"start"` // FEN
	Check   string    `json:"check,omitempty"`
	Tags    []pgn.Tag `json:"tags"`
	Comment string    `json:"comment,omitempty"` // before the first move
	Nodes   []node    `json:"nodes"`             // each behind its parent, the main line's before its siblings
	Result  string    `json:"result"`
	Notes   []string  `json:"notes,omitempty"` // what was repaired or left out
}

// node is a move of a tree of moves, and the position after it.
type node struct {
	Parent int `json:"parent"` // number of the move before, from 1; 0: the start
	ply
	Before  string   `json:"before,omitempty"` // a comment that stands before the move
	Glyphs  []int    `json:"glyphs,omitempty"` // NAGs
	Marks   []string `json:"marks,omitempty"`  // the same, as people write them
	Comment string   `json:"comment,omitempty"`
}

// titled is a game of a file in the list of its games.
type titled struct {
	Title  string `json:"title"`
	Result string `json:"result"`
}

// pgnType is the media type of a file of games, which is sent as it is: its encoding is found out here.
const pgnType = "application/x-chess-pgn"

// readPGN answers POST /api/pgn/read: the list of the games of a file, and the one of them that the parameter game names, from 0.
func (s *Server) readPGN(w http.ResponseWriter, r *http.Request) error {
	number, err := strconv.Atoi(cmp.Or(r.URL.Query().Get("game"), "0"))
	if err != nil {
		return badRequest("game %s: a number is wanted", clean(r.URL.Query().Get("game")))
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != pgnType {
		return &problem{http.StatusUnsupportedMediaType, errors.New("the body must be " + pgnType)}
	}
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	found, more := pgn.ReadSome(string(data), mostGames)
	found = slices.DeleteFunc(found, func(a *pgn.Annotated) bool { return len(a.Tags) == 0 && len(a.Moves) == 0 })
	switch {
	case len(found) == 0:
		return badRequest("no game in this text: no tag and no move")
	case number < 0 || number >= len(found):
		return badRequest("game %d of %d", number+1, len(found))
	}
	games := make([]titled, len(found))
	for i, a := range found {
		games[i] = titled{title(a), a.Result}
	}
	return answer(w, struct {
		Games []titled `json:"games"`
		More  bool     `json:"more"`
		Game  *record  `json:"game"`
	}{games, more, recordOf(found[number])})
}

// recordOf is a game for the page.
func recordOf(a *pgn.Annotated) *record {
	chess960 := notation(&a.Start)
	g := &record{Start: a.Start.FEN(chess960), Check: checked(&a.Start), Tags: append([]pgn.Tag{}, a.Tags...), Nodes: []node{}, Result: a.Result}
	note := func(text string) { g.Notes = append(g.Notes, fmt.Sprintf("game %d, %s", a.Number, text)) }
	for _, n := range a.Notes {
		note(n)
	}
	if a.Err != nil {
		note(a.Err.Error())
	}
	t := planter{record: g, chess960: chess960}
	for i := range a.Elements {
		t.add(&a.Elements[i])
	}
	if t.left > 0 {
		note(fmt.Sprintf("%d moves are left out: at most %d plies of a line are taken, and %d moves of a game", t.left, mostPlies, mostNodes))
	}
	return g
}

// planter makes a tree of the elements of a game.
type planter struct {
	record   *record
	chess960 bool
	branch
	outer  []branch
	before string // a comment that waits for its move
	left   int    // moves that are left out
}

// branch is the line that grows.
type branch struct {
	at    int // number of its last move
	plies int
	cut   bool // what follows is left out
	moved bool // it has a move of its own
}

func (t *planter) add(e *pgn.Element) {
	switch e.Kind {
	case pgn.Played:
		t.move(e)
	case pgn.Comment:
		t.say(e.Text)
	case pgn.Glyph:
		if t.at > 0 && !t.cut {
			n := &t.record.Nodes[t.at-1]
			n.Glyphs, n.Marks = append(n.Glyphs, e.Glyph), append(n.Marks, pgn.Sign(e.Glyph))
		}
	case pgn.Open:
		t.outer = append(t.outer, t.branch)
		t.moved = false
		if !t.cut {
			t.at, t.plies = t.record.Nodes[t.at-1].Parent, t.plies-1
		}
	case pgn.Close:
		t.branch, t.outer = t.outer[len(t.outer)-1], t.outer[:len(t.outer)-1]
	}
}

func (t *planter) move(e *pgn.Element) {
	if t.cut = t.cut || t.plies == mostPlies || len(t.record.Nodes) == mostNodes; t.cut {
		t.left++
		return
	}
	p := e.Before
	n := node{Parent: t.at, ply: plyOf(&p, e.Move, t.chess960), Before: t.before}
	t.record.Nodes = append(t.record.Nodes, n)
	t.branch, t.before = branch{at: len(t.record.Nodes), plies: t.plies + 1, moved: true}, ""
}

// say keeps a comment: on the last move, before the first one of the game, or before that of a variation.
func (t *planter) say(text string) {
	to := &t.before
	switch {
	case t.cut:
		return
	case t.moved:
		to = &t.record.Nodes[t.at-1].Comment
	case len(t.outer) == 0:
		to = &t.record.Comment
	}
	*to = strings.TrimSpace(*to + " " + text)
}

// writePGN answers POST /api/pgn/write: a tree of moves as PGN.
func (s *Server) writePGN(w http.ResponseWriter, r *http.Request) error {
	var asked record
	if err := read(r, &asked); err != nil {
		return err
	}
	a, err := asked.annotated()
	if err != nil {
		return err
	}
	return answer(w, map[string]string{"pgn": a.Text()})
}

// annotated is the record as a game of a file.
func (g *record) annotated() (*pgn.Annotated, error) {
	if !slices.Contains([]string{"1-0", "0-1", "1/2-1/2", "*"}, g.Result) {
		return nil, badRequest("result %q: want 1-0, 0-1, 1/2-1/2 or *", clean(g.Result))
	}
	if len(g.Nodes) > mostNodes {
		return nil, badRequest("a game of %d moves: at most %d are taken", len(g.Nodes), mostNodes)
	}
	first := game{Start: g.Start}
	line, _, err := first.line()
	if err != nil {
		return nil, err
	}
	a := &pgn.Annotated{Tags: g.Tags, Line: pgn.Line{Start: line.Start}, Result: g.Result}
	a.SetTag("Result", g.Result)
	if line.Start != board.StartPosition() {
		a.SetTag("FEN", line.Start.FEN(notation(&line.Start)))
	}
	b := writer{nodes: g.Nodes, children: make([][]int, len(g.Nodes)+1)}
	for i := range g.Nodes {
		if parent := g.Nodes[i].Parent; parent < 0 || parent > i {
			return nil, badRequest("move %d stands before its parent, %d", i+1, parent)
		}
		b.children[g.Nodes[i].Parent] = append(b.children[g.Nodes[i].Parent], i+1)
	}
	b.comment(g.Comment)
	if err := b.line(0, line.Start); err != nil {
		return nil, err
	}
	a.Elements = b.elements
	return a, nil
}

// writer makes the elements of a tree of moves.
type writer struct {
	nodes    []node
	children [][]int // numbers, by that of the parent
	elements []pgn.Element
}

func (b *writer) comment(text string) {
	if text = strings.Join(strings.Fields(text), " "); text != "" {
		b.elements = append(b.elements, pgn.Element{Kind: pgn.Comment, Text: text})
	}
}

// line writes the moves that follow the one of a number, which led to p.
func (b *writer) line(number int, p board.Position) error {
	for kids := b.children[number]; len(kids) > 0; kids = b.children[number] {
		before := p
		after, err := b.move(kids[0], before)
		if err != nil {
			return err
		}
		for _, other := range kids[1:] {
			b.elements = append(b.elements, pgn.Element{Kind: pgn.Open})
			next, err := b.move(other, before)
			if err == nil {
				err = b.line(other, next)
			}
			if err != nil {
				return err
			}
			b.elements = append(b.elements, pgn.Element{Kind: pgn.Close})
		}
		number, p = kids[0], after
	}
	return nil
}

// move writes a move with what is said of it.
func (b *writer) move(number int, p board.Position) (after board.Position, err error) {
	n := &b.nodes[number-1]
	m, err := readMove(&p, n.UCI)
	if err != nil {
		return p, badRequest("move %d: %w", number, err)
	}
	b.comment(n.Before)
	b.elements = append(b.elements, pgn.Element{Kind: pgn.Played, Move: m, Before: p})
	for _, glyph := range n.Glyphs {
		b.elements = append(b.elements, pgn.Element{Kind: pgn.Glyph, Glyph: glyph})
	}
	b.comment(n.Comment)
	return p.After(m), nil
}

// title names a game by its tags: players, event and date.
func title(a *pgn.Annotated) string {
	tag := func(name string) string { return strings.Trim(a.Tag(name), "? .") }
	words := []string{cmp.Or(tag("White"), "White") + " – " + cmp.Or(tag("Black"), "Black"), tag("Event"), tag("Round"), tag("Date")}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), ", ")
}
