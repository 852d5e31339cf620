package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"tesla/board"
)

// fuzzLine is a line of a fuzzed session.
type fuzzLine struct {
	text string
	goes *fuzzGo // set where the line has to be answered by a bestmove
}

// fuzzGo is what the answer to a go has to be.
type fuzzGo struct {
	games    []*board.Game // the positions that may hold: two where the protocol leaves it open
	refused  bool          // "bestmove 0000" may be the answer, and is the only one without games
	chess960 bool
	wdl      bool
	ranks    int
	ordered  bool          // the ranks are in the order of their scores, as in the alpha-beta searchers
	only     []string      // searchmoves
	held     bool          // the answer has to wait for stop, ponderhit or another command
	ponder   bool          // ponderhit ends the waiting
	limit    time.Duration // by movetime or the clock; 0: another limit
	nodes    int64         // the limit of nodes; 0: another limit
}

// fuzzWriter writes the lines of a session, and knows what they mean.
type fuzzWriter struct {
	random *rand.Rand
	state  fuzzGo // what the next go takes over
	search string // the searcher that the session is for
	long   bool   // slow backends too

	alphaBeta, limited bool // the options Search and UCI_LimitStrength
}

func newFuzzWriter(random *rand.Rand, searcher string, long bool) *fuzzWriter {
	return &fuzzWriter{random: random, search: searcher, long: long, alphaBeta: isAlphaBeta(searcher),
		state: fuzzGo{games: []*board.Game{board.NewGame(board.StartPosition())}, ranks: 1}}
}

// isAlphaBeta reports whether a searcher is one of the alpha-beta searchers.
func isAlphaBeta(searcher string) bool { return searcher != "bestfirst" && searcher != "puct" }

// pick returns one of its arguments.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// fuzzStarts are positions in which something is at its limit: castling, pawn promotions, en passant, the number of
// moves, the fifty-move rule, and games that have ended.
var fuzzStarts = []string{
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
	"8/8/8/3k4/8/3K4/8/7R w - - 97 80", "8/8/8/3k4/8/3K4/8/7R w - - 100 80", "8/8/4k3/8/8/4K3/8/8 w - - 0 1",
	"6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "8/8/8/8/8/5k2/5p2/5K2 w - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
	"rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
	"rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
}

// fuzzOdd are positions that other programs read although the FEN is not right, each with what it stands for.
var fuzzOdd = [][2]string{
	{"2b1k1nB/1p3p1p/n4b2/1NPp4/P7/8/2r1PPPP/R3KBNR b KQk - 0 14",
		"2b1k1nB/1p3p1p/n4b2/1NPp4/P7/8/2r1PPPP/R3KBNR b KQ - 0 14"},
	{"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
		"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"},
	{"4k3/8/8/8/8/8/4P3/4K3 w - e6 0 1", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"},
	{"4k3/8/8/8/8/8/4P3/4K3 w - - 1000 99999", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"},
	{"4k3/8/8/8/8/8/4P3/4K3 b - -", "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"},
	{"4k3/8/8/8/8/8/4P3/4K3 b - - 5", "4k3/8/8/8/8/8/4P3/4K3 b - - 5 1"},
	{"4k3/8/8/8/8/8/4P3/4K3 b", "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"},
}

// fuzzRefused are no positions.
var fuzzRefused = []string{
	"8/8/8/8/8/8/8/8 w - - 0 1", "x", "4k3/8/8/8/8/8/8/8 w - - 0 1", "4k3/8/8/8/8/8/8/3KK3 w - - 0 1",
	"4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/8/8/4K3 w - - 0 1", "4k3/9/8/8/8/8/8/4K3 w - - 0 1",
	"4k3/8/8/8 w - - 0 1", "4k3/8/8/8/8/8/8/4K2X w - - 0 1",
}

// start returns a position to play a game from.
func (w *fuzzWriter) start() board.Position {
	text := pick(w.random, fuzzStarts...)
	switch {
	case w.state.chess960:
		text = fischer(w.random)
	case w.random.IntN(3) == 0:
		return board.StartPosition()
	}
	p, err := board.ParseFEN(text)
	if err != nil {
		panic(err)
	}
	return p
}

// fischer returns a start position of Chess960.
func fischer(r *rand.Rand) string {
	for {
		row := []byte("RKRBBNNQ")
		r.Shuffle(len(row), func(i, j int) { row[i], row[j] = row[j], row[i] })
		s := string(row)
		k, b := strings.IndexByte(s, 'K'), strings.IndexByte(s, 'B')
		if strings.IndexByte(s, 'R') < k && k < strings.LastIndexByte(s, 'R') && (b+strings.LastIndexByte(s, 'B'))%2 == 1 {
			return fmt.Sprintf("%s/pppppppp/8/8/8/8/PPPPPPPP/%s w KQkq - 0 1", strings.ToLower(s), s)
		}
	}
}

// position is a position command: of a game, sometimes with a FEN that is odd or none, or with an illegal move.
func (w *fuzzWriter) position() string {
	switch w.random.IntN(12) {
	case 0:
		odd := pick(w.random, fuzzOdd...)
		p, err := board.ParseFEN(odd[1])
		if err != nil {
			panic(err)
		}
		w.hold(board.NewGame(p))
		return "position fen " + odd[0]
	case 1:
		w.hold()
		return "position fen " + pick(w.random, fuzzRefused...)
	case 2: // is the former position kept or not?
		w.state.refused = true
		return pick(w.random, "position", "position fen", "position xyz", "position moves e2e4")
	case 3: // a long game, which a repetition has ended
		g := board.NewGame(board.StartPosition())
		text := "position startpos moves"
		for i := range 4 * (1 + w.random.IntN(200)) {
			word := []string{"g1f3", "g8f6", "f3g1", "f6g8"}[i%4]
			m, _ := g.Pos.ParseMove(word)
			g.Play(m)
			text += " " + word
		}
		w.hold(g)
		return text
	}
	g := board.NewGame(w.start())
	text := "position fen " + g.Start.FEN(w.state.chess960)
	if g.Start == board.StartPosition() {
		text = "position startpos"
	}
	for i := range pick(w.random, 0, 1, 2, 7, 30, 120) {
		moves := g.Pos.LegalMoves(nil)
		if len(moves) == 0 {
			break
		}
		if i == 0 {
			text += " moves"
		}
		m := moves[w.random.IntN(len(moves))]
		text += " " + g.Pos.UCI(m, w.state.chess960)
		g.Play(m)
	}
	w.hold(g)
	if w.random.IntN(8) == 0 { // the position up to the last legal move holds
		if !strings.Contains(text, " moves") {
			text += " moves"
		}
		text += pick(w.random, " e2e9", " a1a1 e2e4", " e1e8q", " xyz", " 0000", " "+strings.Repeat("a", 5000))
	}
	return text
}

// hold sets the positions that hold from here on. Without any, the position was refused.
func (w *fuzzWriter) hold(games ...*board.Game) {
	w.state.games, w.state.refused = games, len(games) == 0
}

// option is a setoption command with a value that is valid.
func (w *fuzzWriter) option() string {
	r := w.random
	number := func(name string, of ...int) string { return fmt.Sprintf("%s value %d", name, pick(r, of...)) }
	check := func(name string) string { return fmt.Sprintf("%s value %t", name, r.IntN(2) == 0) }
	text := ""
	switch r.IntN(14) {
	case 0:
		text = number("Hash", 1, 2, 8, 33)
	case 1:
		text = number("Threads", 1, 2)
	case 2, 3:
		w.state.ranks = pick(r, 1, 1, 2, 5, 218)
		text = fmt.Sprintf("MultiPV value %d", w.state.ranks)
	case 4:
		w.state.wdl = r.IntN(2) == 0
		text = fmt.Sprintf("UCI_ShowWDL value %t", w.state.wdl)
	case 5:
		w.state.chess960 = !w.state.chess960
		return fmt.Sprintf("setoption name UCI_Chess960 value %t\n%s", w.state.chess960, w.position())
	case 6:
		if r.IntN(2) == 0 {
			return "setoption name " + number("UCI_Elo", 990, 1500, 2560)
		}
		w.limited = r.IntN(3) == 0
		text = fmt.Sprintf("UCI_LimitStrength value %t", w.limited)
	case 7:
		text = number("TreeMemory", 1, 2, 16, 64)
	case 8:
		text = pick(r, number("BatchSize", 0, 1, 7, 64), number("LeafDepth", -1, 0, 1, 3))
	case 9:
		text = number("Move Overhead", 0, 10, 100)
	case 10:
		text = pick(r, "Clear Hash", check("VerboseMoveStats"), check("Ponder"), check("UCI_ShowSure"), "SearchOptions value <empty>",
			"SearchOptions value")
	case 11:
		name := pick(r, append(slices.Clone(searchers), w.search, w.search, w.search)...)
		w.alphaBeta = isAlphaBeta(name)
		text = "Search value " + name
	case 12:
		text = "Backend value " + pick(r, "nnue", "nnue", "mock")
		if w.long && r.IntN(6) == 0 {
			text = "Backend value " + pick(r, "cpu", "auto", "remote")
		}
	default:
		text = "WeightsFile value " + pick(r, "/nonexistent", "<empty>", "", "")
	}
	return "setoption name " + text
}

// invalid is a line that is wrong, or does nothing.
func (w *fuzzWriter) invalid() string {
	if w.random.IntN(4) == 0 {
		return garbage(w.random)
	}
	return pick(w.random, "setoption", "setoption name", "setoption name Hash", "setoption name Hash value",
		"setoption name Hash value -5",
		"setoption name Hash value 99999999999999999999", "setoption name Hash value 1.5",
		"setoption name Nonsense value 3", "setoption value 3",
		"setoption name Threads value 0", "setoption name MultiPV value 0", "setoption name MultiPV value 219",
		"setoption name UCI_Elo value 1",
		"setoption name UCI_Elo value x", "setoption name Backend value quux", "setoption name Search value",
		"setoption name Search value alphazero",
		"setoption name SearchOptions value foo=bar", "setoption name SearchOptions value plain=maybe",
		"setoption name UCI_ShowWDL value 2",
		"setoption name UCI_LimitStrength value", "setoption name Debug Log File value /nonexistent/x",
		"setoption name "+strings.Repeat("x y ", 20000),
		"setoption name SyzygyPath value /nonexistent", "setoption name LeafDepth value 1000",
		"setoption name BatchSize value -1",
		"ponderhit", "stop", "stop stop", "ponderhit now", "xyzzy", "joho debug on", "debug on", "debug",
		"register later", "go perft 0", "go perft x",
		"go perft", "info string hello", "bestmove e2e4", "readyok", "\t", " ", "<empty>", "-1", strings.Repeat("A",
			200000))
}

// garbage is a line of random bytes without a word that means something.
func garbage(r *rand.Rand) string {
	bytes := make([]byte, 1+r.IntN(300))
	for i := range bytes {
		bytes[i] = byte(r.IntN(256))
		if bytes[i] == '\n' {
			bytes[i] = 0
		}
	}
	text := string(bytes)
	for word := range strings.FieldsSeq(text) {
		if word == "d" || word == "go" || word == "uci" {
			return "\x00\xff"
		}
	}
	return text
}

// harmless is a line that may come during a search and changes nothing.
func (w *fuzzWriter) harmless() string {
	return pick(w.random, "isready", "isready", "d", "uci", "debug off", "xyzzy", "go perft 2", garbage(w.random),
		"joho isready")
}

// goes is a go command.
func (w *fuzzWriter) goes() fuzzLine {
	r := w.random
	g := w.state
	g.ordered = w.alphaBeta && !w.limited
	text := ""
	switch r.IntN(10) {
	case 0:
		text = fmt.Sprintf("depth %d", r.IntN(6))
	case 1, 2:
		g.nodes = pick[int64](r, 0, 1, 2, 10, 500, 5000, 20000)
		text = fmt.Sprintf("nodes %d", g.nodes)
	case 3:
		ms := pick(r, 0, 1, 5, 30, 100)
		g.limit = time.Duration(ms) * time.Millisecond
		text = fmt.Sprintf("movetime %d", ms)
	case 4, 5:
		ms := pick(r, -5, 0, 1, 50, 300, 1000)
		g.limit = time.Duration(max(0, ms)) * time.Millisecond
		text = fmt.Sprintf("wtime %d btime %d%s%s", ms, ms, pick(r, "", " winc 10 binc 10"),
			pick(r, "", "", " movestogo 1", " movestogo 40", " movestogo 0", " movestogo -3"))
	case 6:
		g.held = true
		text = pick(r, "infinite", "infinite", "infinite depth 1", "movetime 5 infinite")
	case 7:
		g.held, g.ponder = true, true
		text = fmt.Sprintf("ponder wtime %d btime %d", pick(r, 100, 1000), pick(r, 100, 1000))
	case 8:
		text = pick(r, fmt.Sprintf("mate %d movetime 50", r.IntN(4)), "mate 1", "", "evals 50", "movetime 20 ponderhit")
	default:
		text = pick(r, "depth", "depth x", "depth -1", "movetime -5", "movetime 12.5", "movetime",
			"nodes 99999999999999999999", "nodes 1e3",
			"foo bar movetime 5", "wtime x btime y", "wtime 300.7 btime 300.9", "wtime 300 btime 300 winc", "wtime",
			"binc 10", "winc -10 wtime 50",
			"btime 50", "movestogo 5", "searchmoves movetime 20", "searchmoves", "depth 2 depth 3 nodes 5",
			"mate x", "wtime 99999999999999999999 btime 5",
			"movetime 5 "+strings.Repeat("x ", 5000), "searchmoves "+strings.Repeat("e2e4 ", 3000)+"nodes 5")
		if strings.HasPrefix(text, "searchmoves e2e4") {
			g.only = []string{"e2e4"}
		}
	}
	if len(g.games) == 1 && g.only == nil && r.IntN(6) == 0 {
		moves := g.games[0].Pos.LegalMoves(nil)
		for range min(len(moves), 1+r.IntN(3)) {
			g.only = append(g.only, g.games[0].Pos.UCI(moves[r.IntN(len(moves))], g.chess960))
		}
		text = strings.TrimSpace("searchmoves " + strings.Join(g.only, " ") + pick(r, "", "", " e2e9",
			" 0000") + " " + text)
	}
	return fuzzLine{strings.TrimSpace(pick(r, "", "", "", "", "joho ") + "go " + text), &g}
}

// any is a line of any kind.
func (w *fuzzWriter) any() []fuzzLine {
	switch w.random.IntN(8) {
	case 0, 1:
		return []fuzzLine{{text: w.position()}}
	case 2:
		var lines []fuzzLine
		for text := range strings.SplitSeq(w.option(), "\n") {
			lines = append(lines, fuzzLine{text: text})
		}
		return lines
	case 3:
		return []fuzzLine{{text: w.invalid()}}
	case 4:
		return []fuzzLine{{text: w.harmless()}}
	case 5:
		return []fuzzLine{{text: "ucinewgame"}}
	}
	return []fuzzLine{w.goes()}
}
