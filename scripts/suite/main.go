// Command suite makes a suite of positions with one good move each, in EPD, from files of games:
//
//	go run ./scripts/suite -seed 1 a.games b.games >some.epd
//	go run ./scripts/suite -seed 2 -more some.epd c.games d.games >more.epd
//
// The second run keeps the positions of the first, and goes on where there are too few. With -mates, the proven mates of
// cmd/tesla/testdata/mates.txt fill what is missing then; their records have dm and no bm.
//
// Candidates are positions in which the opponent has just lost a good deal by the scores of the game. A UCI engine keeps a
// candidate where the best move wins and the second best does not, or where the best move saves the game and the second
// best loses it. A search of a few nodes must miss that move, so that the position has to be searched, and the move does
// not win a pawn by static exchange. A search of 400,000 nodes must agree on the move and on the margin. There is at most
// one position of each game, and none twice. The same files, seed and engine give the same suite.
//
// A record has the operations bm, dm where the engine sees a mate, c1 with the kind of the position (win, save or mate),
// and id.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"tesla/board"
	"tesla/lab/external"
	"tesla/lab/games"
	"tesla/lab/match/pgn"
	"tesla/search"
	"tesla/uci/client"
)

// What a position must be like. Scores are the engine's, in centipawns of the side to move.
const (
	fewPieces = 10  // of an endgame, kings and pawns included
	drop      = 150 // at least what the opponent lost
	tryNodes  = 400 // of the search that must miss the move
	lookNodes = 10_000
	sureNodes = 400_000
	winning   = 180  // at least the best move of a won position
	notWon    = 70   // at most its second best
	saved     = -60  // at least the best move of a saved position
	lost      = -200 // at most its second best
	longest   = 8    // moves to mate that dm asks for
)

func main() {
	log.SetFlags(0)
	path := flag.String("engine", "stockfish", "UCI engine that verifies: a path, or a name in PATH")
	tactics := flag.Int("tactics", 200, "positions with more than ten pieces")
	endgames := flag.Int("endgames", 100, "positions with at most ten pieces")
	sample := flag.Int("sample", 20_000, "candidates of each sort that are drawn from the games")
	seed := flag.Uint64("seed", 1, "seed for drawing candidates")
	more := flag.String("more", "", "file of an earlier run, whose positions are kept")
	mates := flag.String("mates", "", "cmd/tesla/testdata/mates.txt: where positions are missing, its mates in three moves or more fill the suite")
	flag.Parse()
	m := maker{sorts: []*sort{{name: "tactic", wanted: *tactics}, {name: "endgame", wanted: *endgames}}, known: map[uint64]bool{},
		random: rand.New(rand.NewPCG(*seed, 0)), out: bufio.NewWriter(os.Stdout)}
	if err := m.run(*path, flag.Args(), *sample, *more, *mates); err != nil {
		log.Fatal("suite: ", err)
	}
}

// maker makes a suite.
type maker struct {
	sorts  []*sort
	known  map[uint64]bool // keys of the positions that were kept or tried
	random *rand.Rand
	out    *bufio.Writer
}

// sort is one of the two sorts of positions.
type sort struct {
	name   string
	wanted int
	made   int
	drawn  []board.Position
	seen   int
}

// add keeps a candidate in a sample of fixed size (reservoir sampling, Vitter 1985).
func (s *sort) add(p *board.Position, random *rand.Rand, size int) {
	if s.seen++; len(s.drawn) < size {
		s.drawn = append(s.drawn, *p)
	} else if k := random.IntN(s.seen); k < size {
		s.drawn[k] = *p
	}
}

// run prints the positions of an earlier run, draws candidates, and prints those that are good, the tactics first.
func (m *maker) run(path string, files []string, size int, more, mates string) error {
	if more != "" {
		if err := m.keepEarlier(more); err != nil {
			return err
		}
	}
	for _, file := range files {
		if err := draw(file, m.sorts, m.random, size); err != nil {
			return err
		}
	}
	v := newVerifier(path)
	defer v.close()
	for _, s := range m.sorts {
		m.random.Shuffle(len(s.drawn), func(i, k int) { s.drawn[i], s.drawn[k] = s.drawn[k], s.drawn[i] })
		for i := 0; i < len(s.drawn) && s.made < s.wanted; i++ {
			p := &s.drawn[i]
			if m.known[p.Key] {
				continue
			}
			m.known[p.Key] = true
			operations, err := v.verify(p)
			if err != nil {
				return err
			}
			if operations == "" {
				continue
			}
			s.made++
			if err := m.print(fmt.Sprintf("%s %s id \"tesla-%s.%03d\";", fourFields(p), operations, s.name, s.made)); err != nil {
				return err
			}
		}
		if s.made < s.wanted && mates != "" {
			if err := m.fill(s, mates); err != nil {
				return err
			}
		}
		if s.made < s.wanted {
			return fmt.Errorf("%d positions of the sort %s were found, want %d: name more files, or draw a larger -sample", s.made, s.name, s.wanted)
		}
	}
	return nil
}

// fill adds mates in at least three moves, in the order of the file.
func (m *maker) fill(s *sort, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for _, line := range strings.Split(string(text), "\n") {
		distance, fen, _ := strings.Cut(line, " fen ")
		n, err := strconv.Atoi(distance)
		if err != nil || n < 3 || strings.Contains(fen, "moves") || s.made == s.wanted {
			continue
		}
		p, err := board.ParseFEN(fen)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if m.known[p.Key] || p.Halfmove > 0 || s.few() != (p.Occupied().Count() <= fewPieces) {
			continue
		}
		m.known[p.Key] = true
		s.made++
		if err := m.print(fmt.Sprintf("%s dm %d; c1 \"mate\"; id \"tesla-%s.%03d\";", fourFields(&p), n, s.name, s.made)); err != nil {
			return err
		}
	}
	return nil
}

// few reports whether the sort is that with few pieces.
func (s *sort) few() bool { return s.name == "endgame" }

// print prints a record at once: a run that is cut short can be gone on with.
func (m *maker) print(record string) error {
	fmt.Fprintln(m.out, record)
	return m.out.Flush()
}

// keepEarlier prints the positions of an earlier run.
func (m *maker) keepEarlier(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		p, _, err := board.ParseEPD(line)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for _, s := range m.sorts {
			if strings.Contains(line, "\"tesla-"+s.name+".") {
				s.made++
			}
		}
		m.known[p.Key] = true
		if err := m.print(line); err != nil {
			return err
		}
	}
	return nil
}

// fourFields is a position as EPD has it, without its counters.
func fourFields(p *board.Position) string {
	fen := p.FEN(false)
	for range 2 {
		for fen[len(fen)-1] != ' ' {
			fen = fen[:len(fen)-1]
		}
		fen = fen[:len(fen)-1]
	}
	return fen
}

// draw adds at most one position of each sort of each game of a file. Positions with a castling right of Chess960 are left
// out: not every program reads them.
func draw(file string, sorts []*sort, random *rand.Rand, size int) error {
	return games.EachOf(file, func(g *games.Game) error {
		var found [2][]board.Position
		_, err := g.Play(func(ply int, p *board.Position, _ board.Move) error {
			if ply < 2 || p.NeedsChess960() || p.Halfmove > 20 {
				return nil
			}
			mover, before := g.Plies[ply].Score, g.Plies[ply-2].Score
			if mover == games.Missing || before == games.Missing || int(mover)-int(before) < drop || before > notWon {
				return nil
			}
			sort := 0
			if p.Occupied().Count() <= fewPieces {
				sort = 1
			}
			found[sort] = append(found[sort], *p)
			return nil
		})
		for i, all := range found {
			if len(all) > 0 {
				sorts[i].add(&all[random.IntN(len(all))], random, size)
			}
		}
		return err
	})
}

// verifier asks an engine, which forgets what it found between two questions.
type verifier struct{ try, look, sure *external.Engine }

func newVerifier(path string) *verifier {
	engine := func(nodes int64, lines int, hash string) *external.Engine {
		config := client.Config{Path: path, Options: []client.Option{{Name: "Threads", Value: "1"}, {Name: "Hash", Value: hash},
			{Name: "MultiPV", Value: strconv.Itoa(lines)}}}
		return external.New(config, search.Limits{Nodes: nodes, MultiPV: lines}, true, func(text string) { log.Print(text) })
	}
	return &verifier{try: engine(tryNodes, 1, "1"), look: engine(lookNodes, 2, "4"), sure: engine(sureNodes, 2, "64")}
}

func (v *verifier) close() {
	for _, e := range []*external.Engine{v.try, v.look, v.sure} {
		e.Close()
	}
}

// verify is the operations of a good position, nothing for any other.
func (v *verifier) verify(p *board.Position) (string, error) {
	game := board.NewGame(*p)
	if game.Outcome() != board.Ongoing || p.CountLegal() < 3 {
		return "", nil
	}
	looked, err := ask(v.look, game)
	if err != nil || kindOf(&looked) == "" || looked.Move.IsCapture() && p.SEE(looked.Move, board.Worth[board.Pawn]) {
		return "", err
	}
	tried, err := ask(v.try, game)
	if err != nil || tried.Move == looked.Move {
		return "", err
	}
	sure, err := ask(v.sure, game)
	kind := kindOf(&sure)
	if err != nil || kind == "" || sure.Move != looked.Move {
		return "", err
	}
	operations := fmt.Sprintf("bm %s;", pgn.SAN(p, sure.Move))
	if mate := sure.Lines[0].Score.Mate; mate > 0 && mate <= longest {
		operations += fmt.Sprintf(" dm %d;", mate)
		kind = "mate"
	}
	return operations + fmt.Sprintf(" c1 %q;", kind), nil
}

// ask is the engine's answer.
func ask(e *external.Engine, g *board.Game) (answer client.Answer, err error) {
	err = e.Ask(context.Background(), g, func(a *client.Answer) error {
		answer = *a
		return nil
	})
	return answer, err
}

// kindOf says what the best move of an answer does that the second best does not: it wins, or it saves the game.
func kindOf(a *client.Answer) string {
	if len(a.Lines) < 2 || a.Lines[0].Move != a.Move {
		return ""
	}
	best, second := a.Lines[0].Score.Value(), a.Lines[1].Score.Value()
	switch {
	case best >= winning && second <= notWon:
		return "win"
	case best >= saved && second <= lost:
		return "save"
	}
	return ""
}
