// Command mates makes positions with a forced mate in one to six moves, for either side, to test searchers with. A line
// of its output is a distance and the arguments of the UCI command position. The distance is in moves, negative where
// the side to move is mated, and 0 where it is more than six or there is no mate.
//
//	go run ./scripts/mates -engine stockfish -seed 1 >mates.txt
//	go run ./scripts/mates -engine stockfish -seed 2 -more mates.txt >cmd/tesla/testdata/mates.txt
//
// The second run keeps the positions of the first, as far as they are wanted, and goes on where it was cut short.
//
// The engine finds the mates, in games with many random moves and in what is left of such positions without some of
// their pieces. A full-width search (solve.go) proves each distance, and the engine must agree. In some positions the
// fifty-move rule or the repetition of a position of the game changes the distance.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"tesla/board"
	"tesla/search"
	"tesla/uci/client"
)

const (
	mostMoves   = 6       // to mate
	effort      = 150_000 // positions that the proof of a short mate may take
	longEffort  = 800_000 // and that of a mate in five or six
	findNodes   = 5_000   // nodes of the engine that looks for a mate
	fewNodes    = 20_000  // and where at most fewPieces are left
	fewPieces   = 6
	agreeNodes  = 300_000 // nodes of the engine that confirms a distance
	gameNodes   = 50      // nodes of the engine for a move of a game
	longestGame = 200     // plies
	shuffles    = 4       // pairs of moves that are tried for a repetition
)

func main() {
	log.SetFlags(0)
	path := flag.String("engine", "stockfish", "UCI engine that finds mates: a path, or a name in PATH")
	each := flag.Int("each", 38, "positions for each distance and side, and half as many for the longest")
	clock := flag.Int("clock", 41, "positions in which the fifty-move rule matters")
	repeated := flag.Int("repeated", 41, "positions in which the repetition of a position of the game matters")
	seed := flag.Uint64("seed", 1, "seed for the random moves")
	more := flag.String("more", "", "file of an earlier run, whose positions are kept")
	flag.Parse()
	if err := run(*path, *each, *clock, *repeated, *seed, *more); err != nil {
		log.Fatal("mates: ", err)
	}
}

// maker makes positions.
type maker struct {
	engine *client.Engine
	random *rand.Rand
	out    *bufio.Writer
	left   map[int]int     // positions that are still wanted, by distance
	clock  int             // positions that are still wanted in which the fifty-move rule matters
	repeat int             // and those in which a repetition does
	seen   map[uint64]bool // keys of the positions that were tried
	taken  map[int]bool    // distances that this game has given a position for: one is enough
}

// run prints the positions.
func run(path string, each, clock, repeated int, seed uint64, more string) error {
	one := []client.Option{{Name: "Threads", Value: "1"}} // more threads would not give the same file again
	engine, err := client.Start(context.Background(), client.Config{Path: path, Options: one})
	if err != nil {
		return err
	}
	defer engine.Close()
	m := &maker{engine: engine, random: rand.New(rand.NewPCG(seed, 0)), out: bufio.NewWriter(os.Stdout),
		left: map[int]int{}, clock: clock, repeat: repeated, seen: map[uint64]bool{}}
	for n := 1; n <= mostMoves; n++ {
		m.left[n], m.left[-n] = each, each
	}
	m.left[mostMoves], m.left[-mostMoves] = each/2, each/2 // these take the longest
	fmt.Fprintf(m.out, "# Distance to mate in moves, 0 if it is more than %d or there is none, and the position.\n"+
		"# Made by scripts/mates, seed %d of the last run.\n", mostMoves, seed)
	if more != "" {
		if err := m.keepEarlier(more); err != nil {
			return err
		}
	}
	for !m.done() {
		if err := m.playGame(); err != nil {
			return err
		}
	}
	return m.out.Flush()
}

// keepEarlier prints the positions of an earlier run that are wanted.
func (m *maker) keepEarlier(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	printed := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 8 || fields[0] == "#" || printed[line] {
			continue
		}
		n, err := strconv.Atoi(fields[0])
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		left := m.left[n]
		wanted := &left
		switch {
		case slices.Contains(fields, "moves"):
			wanted = &m.repeat
		case fields[6] != "0":
			wanted = &m.clock
		}
		if *wanted <= 0 {
			continue
		}
		*wanted--
		if wanted == &left {
			m.left[n] = left
		}
		printed[line] = true
		fmt.Fprint(m.out, line)
	}
	return m.out.Flush()
}

// done reports whether nothing more is wanted.
func (m *maker) done() bool {
	for _, n := range m.left {
		if n > 0 {
			return false
		}
	}
	return m.clock <= 0 && m.repeat <= 0
}

// playGame plays a game in which one side plays at random more often than the other. It looks for mates in its
// positions, and in what is left of them without some pieces.
func (m *maker) playGame() error {
	if err := m.engine.NewGame(context.Background()); err != nil {
		return err
	}
	g := board.NewGame(board.StartPosition())
	m.taken = map[int]bool{}
	randomness := [2]float64{m.random.Float64(), m.random.Float64()}
	for len(g.Moves) < longestGame && g.Outcome() == board.Ongoing && !m.done() {
		if len(g.Moves) > 12 && m.random.IntN(3) == 0 {
			p := g.Pos
			p.Halfmove = 0
			if err := m.look(p); err != nil {
				return err
			}
		}
		if len(g.Moves) > 12 && m.random.IntN(2) == 0 {
			if p, ok := m.reduce(&g.Pos); ok {
				if err := m.look(p); err != nil {
					return err
				}
			}
		}
		moves := g.Pos.LegalMoves(nil)
		move := moves[m.random.IntN(len(moves))]
		if m.random.Float64() > randomness[len(g.Moves)%2] {
			a, err := m.ask(g, search.Limits{Nodes: gameNodes})
			if err != nil {
				return err
			}
			move = a.Move
		}
		g.Play(move)
	}
	return nil
}

// reduce takes pieces off the board until three to eight are left, and sometimes puts those that are no pawns on random
// squares. It may change the side to move.
func (m *maker) reduce(p *board.Position) (board.Position, bool) {
	var squares []board.Square
	for others := p.Occupied() &^ p.Kings; others != 0; {
		squares = append(squares, others.Pop())
	}
	m.random.Shuffle(len(squares), func(i, j int) { squares[i], squares[j] = squares[j], squares[i] })
	squares = squares[:min(len(squares), 1+m.random.IntN(m.random.IntN(6)+1))]
	for kings := p.Kings; kings != 0; {
		squares = append(squares, kings.Pop())
	}
	anew := m.random.Perm(64)
	scatter := m.random.IntN(2) == 0
	var squaresOf [64]string
	for i, from := range squares {
		t, ours := p.PieceAt(from)
		letter := t.String()
		if ours != p.Black {
			letter = strings.ToUpper(letter)
		}
		to := int(p.Absolute(from))
		if scatter {
			if to = anew[i]; t == board.Pawn {
				continue
			}
		}
		squaresOf[to] = letter
	}
	var text strings.Builder
	for rank := 7; rank >= 0; rank-- {
		for _, letter := range squaresOf[8*rank : 8*rank+8] {
			if letter == "" {
				letter = "1"
			}
			text.WriteString(letter)
		}
		if rank > 0 {
			text.WriteString("/")
		}
	}
	read, err := board.ParseFEN(text.String() + pick(m.random, " w", " b") + " - - 0 1")
	return read, err == nil && board.NewGame(read).Outcome() == board.Ongoing
}

// pick returns one of two texts.
func pick(r *rand.Rand, a, b string) string {
	if r.IntN(2) == 0 {
		return a
	}
	return b
}

// ask lets the engine search.
func (m *maker) ask(g *board.Game, l search.Limits) (client.Answer, error) {
	return m.engine.Search(context.Background(), g, l, client.NodeTime(l.Nodes), time.Minute)
}

// look keeps the position if the engine finds a mate in it and the distance is wanted and can be proven. Then it tries
// what the fifty-move rule and repetitions make of it.
func (m *maker) look(p board.Position) error {
	if m.seen[p.Key] {
		return nil
	}
	m.seen[p.Key] = true
	g := board.NewGame(p)
	nodes := int64(findNodes)
	if p.Occupied().Count() <= fewPieces {
		nodes = fewNodes
	}
	a, err := m.ask(g, search.Limits{Nodes: nodes})
	if err != nil {
		return err
	}
	found := a.Info.Score.Mate
	wanted := m.left[found] > 0 && !m.taken[found] || (m.clock > 0 || m.repeat > 0) && m.random.IntN(2) == 0
	if found == 0 || max(found, -found) > mostMoves || !wanted {
		return nil
	}
	most := effort
	if max(found, -found) > 4 {
		most = longEffort
	}
	n, err := distance(g, mostMoves, most)
	if err != nil { // the proof is too long
		return nil
	}
	if n == 0 {
		return fmt.Errorf("%s: the engine finds mate %d, the full-width search none", p.FEN(false), found)
	}
	if m.left[n] > 0 && !m.taken[n] {
		kept, err := m.keep(g, n)
		if err != nil {
			return err
		}
		m.left[n] -= kept
		m.taken[n] = kept > 0
	}
	if p.EnPassant != board.NoSquare || max(n, -n) == 1 {
		return nil
	}
	if err := m.nearFifty(p, n); err != nil || n > 0 {
		return err
	}
	for try := 0; try < shuffles && m.repeat > 0; try++ {
		if kept, err := m.repetition(p); err != nil || kept {
			return err
		}
	}
	return nil
}

// nearFifty sets the halfmove clock so that the mate comes just in time or one to three plies too late.
func (m *maker) nearFifty(p board.Position, n int) error {
	if m.clock <= 0 || m.random.IntN(2) == 0 {
		return nil
	}
	plies := 2*n - 1
	if n < 0 {
		plies = -2 * n
	}
	late := 0
	if m.clock%2 == 0 {
		late = 1 + m.random.IntN(3)
	}
	p.Halfmove, p.Fullmove = uint8(min(99, 100-plies+late)), 90
	g := board.NewGame(p)
	changed, err := distance(g, mostMoves, effort)
	if err != nil || (changed == n) != (late == 0) {
		return nil
	}
	kept, err := m.keep(g, changed)
	m.clock -= kept
	return err
}

// repetition lets both sides of a position in which the side to move is mated move a piece there and back, until the
// attacker can repeat it for the second or the third time, or the defender another position for the third time. A
// second occurrence changes nothing. A third one has to.
func (m *maker) repetition(p board.Position) (kept bool, err error) {
	g := board.NewGame(p)
	var there, back [2]board.Move
	for i := range there {
		moves := slices.DeleteFunc(g.Pos.LegalMoves(nil), func(m board.Move) bool {
			return m.IsCapture() || m.IsCastling() || g.Pos.Pawns.Has(m.From())
		})
		if len(moves) == 0 {
			return false, nil
		}
		there[i] = moves[m.random.IntN(len(moves))]
		back[i] = board.NewMove(there[i].To(), there[i].From(), there[i].Moved(), board.None)
		g.Play(there[i])
	}
	cycle := []board.Move{there[0], there[1], back[0], back[1]}
	plies := 3
	if m.repeat%3 != 0 {
		plies = 7 + 3*m.random.IntN(2)
	}
	g = board.NewGame(p)
	for i := range plies {
		if g.Outcome() != board.Ongoing || !g.Pos.IsLegal(cycle[i%4]) {
			return false, nil
		}
		g.Play(cycle[i%4])
	}
	if g.Outcome() != board.Ongoing || !g.Pos.IsLegal(cycle[plies%4]) {
		return false, nil
	}
	n, err := distance(g, mostMoves, effort)
	if err != nil || n == 0 && plies == 3 {
		return false, nil
	}
	without, err := distance(board.NewGame(g.Pos), mostMoves, effort)
	if err != nil || (n == without) != (plies == 3) {
		return false, nil
	}
	lines, err := m.keep(g, n)
	m.repeat -= lines
	return lines > 0, err
}

// keep prints the position of a game, if the engine agrees on the distance, and returns how many lines it printed.
func (m *maker) keep(g *board.Game, n int) (int, error) {
	if err := m.engine.NewGame(context.Background()); err != nil {
		return 0, err
	}
	a, err := m.ask(g, search.Limits{Nodes: agreeNodes, Mate: max(n, -n)})
	if err != nil {
		return 0, err
	}
	text := "fen " + g.Start.FEN(false)
	p := g.Start
	for i, move := range g.Moves {
		if i == 0 {
			text += " moves"
		}
		text += " " + p.UCI(move, false)
		var next board.Position
		p.Make(move, &next)
		p = next
	}
	said := a.Info.Score.Mate
	if said == n || n == 0 && max(said, -said) > mostMoves {
		fmt.Fprintln(m.out, n, text)
		return 1, m.out.Flush()
	}
	if said != 0 && (n == 0 || max(said, -said) < max(n, -n)) {
		return 0, fmt.Errorf("%s: the engine says mate %d, the full-width search %d", text, said, n)
	}
	return 0, nil // the engine has not found the mate in time
}
