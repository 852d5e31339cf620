package pgn_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"tesla/board"
	"tesla/lab/match/pgn"
)

// File is a PGN file in all the odd forms in which programs and people write them, with what it holds.
type File struct {
	Data  string
	Kind  string // encoding and line ends
	Games []Game
}

// Game is what a game of a file holds.
type Game struct {
	pgn.Line
	White      string
	Result     string
	Remarks    []string // words of the comments
	Variations int
	Plain      bool // without null moves, castling of Chess960, escapes, and tags that are none: those that some readers refuse by design
}

var starts = []string{
	"", "", "", "", "4k2r/8/8/8/8/8/4P3/4K3 b k - 0 30", "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R b KQkq - 4 9",
	"1rk4r/pppppppp/8/8/8/8/PPPPPPPP/1RK4R w HBhb - 2 9", "8/P5k1/8/8/8/8/p5K1/8 w - - 0 60",
}

// lineEnds and encodings are those of files; all says that an encoding has all characters.
var (
	lineEnds  = []string{"\n", "\n", "\r\n", "\r"}
	encodings = []struct {
		name string
		of   encoding.Encoding
		all  bool
	}{
		{"UTF-8", unicode.UTF8, true}, {"UTF-8 with BOM", unicode.UTF8BOM, true}, {"Windows-1252", charmap.Windows1252, false},
		{"ISO 8859-1", charmap.ISO8859_1, false}, {"UTF-16LE with BOM", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), true},
		{"UTF-16BE with BOM", unicode.UTF16(unicode.BigEndian, unicode.UseBOM), true},
		{"UTF-16LE", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), true}, {"UTF-16BE", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), true},
	}
)

// Odd makes the file of a seed.
func Odd(seed uint64) File {
	e := encodings[seed%uint64(len(encodings))]
	w := writer{rand: rand.New(rand.NewPCG(seed, 7)), all: e.all}
	end := lineEnds[w.rand.IntN(len(lineEnds))]
	w.all = w.all && !w.one(3)
	if e.name == "ISO 8859-1" {
		w.latin = true
	}
	f := File{Kind: fmt.Sprintf("%s %q", e.name, end)}
	for range 1 + w.rand.IntN(3) {
		w.prose()
		f.Games = append(f.Games, w.game(len(f.Games) > 0))
	}
	w.prose()
	data, err := e.of.NewEncoder().String(strings.ReplaceAll(w.text.String(), "\n", end))
	if err != nil {
		panic(fmt.Sprintf("seed %d: %v", seed, err)) // a character that the encoding does not have: a fault of this package
	}
	f.Data = data
	return f
}

// writer writes the games of a file.
type writer struct {
	rand    *rand.Rand
	text    strings.Builder
	all     bool // all characters can be written
	latin   bool // those of ISO 8859-1 alone
	remarks int
	current *Game
	style   style
}

// style is how a game is written.
type style struct {
	numbers   int // 0: as usual; 1: glued; 2: none; 3: of each move
	figures   bool
	zeros     bool
	long      int // 1: from and to; 2: UCI
	capture   string
	promotion string
}

// one is true once in n times.
func (w *writer) one(n int) bool { return w.rand.IntN(n) == 0 }

func (w *writer) pick(of ...string) string { return of[w.rand.IntN(len(of))] }

func (w *writer) put(words ...string) {
	for _, word := range words {
		w.text.WriteString(word)
	}
}

// prose writes lines that are part of no game, or nothing.
func (w *writer) prose() {
	if w.one(4) {
		w.put("\n", w.pick("Dear friend,\n\nhere is (perhaps) one:\n", "<html>\n<pre>\n", "12.05.2024 Berlin\n", "*** Round three ***\n", "----------\n",
			"and another one, e4 is played\n", "3 games of the club\n"), "\n")
	}
}

// game writes a game. behind says that another one is before it.
func (w *writer) game(behind bool) Game {
	g := Game{Plain: true, Line: pgn.Line{Start: board.StartPosition()}}
	w.current = &g
	fen := starts[w.rand.IntN(len(starts))]
	if fen != "" {
		var err error
		if g.Start, err = board.ParseFEN(fen); err != nil {
			panic(err)
		}
		g.Plain = !g.Start.NeedsChess960()
	}
	w.style = style{numbers: w.rand.IntN(4), figures: w.all && w.one(3), zeros: w.one(3), capture: w.pick("x", "x", ":", "×"), promotion: w.pick("=", "", "/", "(")}
	if w.one(4) {
		w.style.long = 1 + w.rand.IntN(2)
	}
	form := w.rand.IntN(len(results))
	g.Result = results[form].means
	tagged := behind || fen != "" || !w.one(6)
	ended := !tagged || !w.one(5) // its result stands behind the moves
	if tagged {
		w.tags(&g, fen, results[form].text, !ended)
	}
	if w.one(4) {
		w.remark()
	}
	w.moves(&g)
	if ended {
		w.put(" ", results[form].text)
	}
	if w.one(6) && ended {
		w.put(" ")
		w.remark()
	}
	w.put("\n\n")
	return g
}

// results are forms of results.
var results = []struct{ text, means string }{
	{"1-0", "1-0"}, {"0-1", "0-1"}, {"1/2-1/2", "1/2-1/2"}, {"*", "*"}, {"1:0", "1-0"}, {"0 : 1", "0-1"}, {"1 - 0", "1-0"}, {"1/2", "1/2-1/2"},
	{"½-½", "1/2-1/2"}, {"½:½", "1/2-1/2"}, {"0.5-0.5", "1/2-1/2"},
}

func (w *writer) tags(g *Game, fen, result string, needed bool) {
	g.White = w.pick("A", `Smith "Jo" \ x`, "Müller", "a [b] c")
	if w.rand.IntN(2) == 0 && !w.latin {
		g.White += "’s"
	}
	space := w.pick(" ", " ", "\t", "  ")
	tag := func(name, value string) {
		w.put("[", name, space, `"`, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value), `"]`, w.pick("\n", "\n", "\n", " "))
	}
	tag("Event", "odd")
	tag("White", g.White)
	if needed || w.one(2) {
		tag("Result", result)
	}
	if fen != "" {
		tag("FEN", fen)
	}
	if w.one(4) {
		tag(w.pick("BlackType:", "White-Elo", "A.b", "Opening/Line"), "odd")
	}
	w.put("\n\n")
}

func (w *writer) moves(g *Game) {
	p := g.Start
	numbered := false
	for range w.rand.IntN(24) {
		m, ok := w.choose(&p)
		if !ok {
			break
		}
		w.number(&p, numbered)
		w.move(&p, m)
		g.Moves = append(g.Moves, m)
		numbered = !w.behind(&p, 0)
		p = p.After(m)
	}
}

// choose draws a move, now and then a null move.
func (w *writer) choose(p *board.Position) (board.Move, bool) {
	moves := p.LegalMoves(nil)
	if len(moves) == 0 {
		return board.NullMove, false
	}
	if !p.InCheck() && w.one(25) {
		w.current.Plain = false
		return board.NullMove, true
	}
	return moves[w.rand.IntN(len(moves))], true
}

// number writes the number of a move, or not. numbered says that White's move stands right before Black's.
func (w *writer) number(p *board.Position, numbered bool) {
	n := fmt.Sprint(p.Fullmove)
	switch {
	case w.style.numbers == 2:
	case p.Black && numbered && w.style.numbers != 3:
	case p.Black:
		w.put(n, w.pick("...", "... ", "."))
	case w.style.numbers == 1:
		w.put(n, ".")
	default:
		w.put(n, w.pick(". ", " ", " . "))
	}
}

func (w *writer) move(p *board.Position, m board.Move) {
	if m == board.NullMove {
		w.put(w.pick("--", "Z0", "0000", "@@@@", "null"), " ")
		return
	}
	san := pgn.SAN(p, m)
	switch {
	case m.IsCastling() && w.style.zeros:
		san = strings.ReplaceAll(san, "O", "0")
	case m.IsCastling():
	case w.style.long == 2 && !p.NeedsChess960():
		san = p.UCI(m, false)
	case w.style.long == 1 && p.Promotion(m) == board.None && m.Moved() != board.Pawn:
		san = san[:1] + p.UCI(m, true)[:2] + "-" + p.UCI(m, true)[2:4]
	default:
		san = strings.Replace(san, "x", w.style.capture, 1)
		san = w.promoted(san)
	}
	if w.style.figures {
		san = strings.NewReplacer("K", "♔", "Q", "♕\ufe0e", "R", "♜", "B", "♗", "N", "♘").Replace(san)
	}
	if strings.HasSuffix(san, "+") && w.one(3) {
		san = strings.TrimSuffix(san, "+") + w.pick("++", "", " ch")
	}
	if m.Moved() == board.Pawn && m.To() == p.EnPassant && w.style.long == 0 && w.one(2) {
		san = strings.TrimRight(san, "+#") + w.pick(" e.p.", "ep", "e.p.")
	}
	w.put(san, w.pick("", "", "", "!", "??", "!?", " +-", " $14 $146", "="), " ")
}

// promoted writes a pawn promotion in the style of the game.
func (w *writer) promoted(san string) string {
	before, after, ok := strings.Cut(san, "=")
	switch {
	case !ok:
		return san
	case w.style.promotion == "(":
		return before + "(" + after[:1] + ")" + after[1:]
	}
	return before + w.style.promotion + after
}

// behind writes comments and variations behind a move that was made at p, and reports whether it wrote any.
func (w *writer) behind(p *board.Position, depth int) (some bool) {
	for w.one(4) {
		w.remark()
		some = true
	}
	for depth < 3 && w.one(8) {
		w.variation(p, depth)
		if some = true; w.one(3) {
			w.remark()
		}
	}
	if depth == 0 && w.one(25) {
		w.put("\n%eval 1 2\n")
		w.current.Plain = false
	}
	return some
}

// variation writes moves in place of the one that was made at p.
func (w *writer) variation(p *board.Position, depth int) {
	w.put("(")
	w.current.Variations++
	if w.one(4) {
		w.remark()
	}
	q, numbered := *p, false
	for range 1 + w.rand.IntN(4) {
		m, ok := w.choose(&q)
		if !ok {
			break
		}
		w.number(&q, numbered)
		w.move(&q, m)
		numbered = !w.behind(&q, depth+1)
		q = q.After(m)
	}
	w.put(") ")
}

// remark writes a comment.
func (w *writer) remark() {
	w.remarks++
	word := fmt.Sprintf("c%d", w.remarks)
	switch {
	case !w.latin && w.one(3):
		word += "“ü”–€"
	case w.one(3):
		word += "ü"
	}
	w.current.Remarks = append(w.current.Remarks, word)
	word = w.pick("", "", "[%clk 0:01:00] ", "(a) ", "[x] ", "; ", "1. e4 ", "% ") + word
	if w.one(5) {
		w.put("; ", word, "\n")
		return
	}
	w.put("{", w.pick("", " ", "\n"), word, w.pick("", " ", "\n"), "} ")
}

// Check compares games that were read with those of the file.
func (f *File) Check(games []*pgn.Annotated) error {
	if len(games) != len(f.Games) {
		return fmt.Errorf("%d games, want %d", len(games), len(f.Games))
	}
	for i, want := range f.Games {
		g := games[i]
		comments, variations := "", 0
		for _, e := range g.Elements {
			switch e.Kind {
			case pgn.Comment:
				comments += e.Text + " "
			case pgn.Open:
				variations++
			}
		}
		switch {
		case g.Err != nil:
			return g.Err
		case g.Start != want.Start || !slices.Equal(g.Moves, want.Moves):
			return fmt.Errorf("%s has other moves", g.Name())
		case g.Result != want.Result || want.White != "" && g.Tag("White") != want.White:
			return fmt.Errorf("%s: result %s, want %s of %s", g.Name(), g.Result, want.Result, want.White)
		case variations != want.Variations:
			return fmt.Errorf("%s: %d variations, want %d", g.Name(), variations, want.Variations)
		}
		for _, word := range want.Remarks {
			if !slices.Contains(strings.Fields(comments), word) {
				return fmt.Errorf("%s: comment %q is lost", g.Name(), word)
			}
		}
	}
	return nil
}
