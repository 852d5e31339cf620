package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"tesla/board"
	"tesla/internal/slow"
	"tesla/search"
)

// matePosition is a position of testdata/mates.txt, which lab/suite proves.
type matePosition struct {
	distance int    // moves to mate, negative where the side to move is mated; 0: more than mostMateMoves, or no mate
	position string // the arguments of the command position
	game     *board.Game
}

// mostMateMoves is the longest mate of the file.
const mostMateMoves = 6

// mateCounts are the reports of one searcher.
type mateCounts struct {
	mates, exact     int // final reports of an exact mate, and those of the right distance
	none             int // no mate was found
	long             int // the distance is longer than it could be
	short, wrong     int // the distance is too short; the other side is said to be mated
	lines, reports   int // final reports, and all, whose line does not prove their score
	outOfRule, moves int // lines that are not legal or go on after the end of the game; bestmove is another move
}

// Mates in one to six moves are never reported too short, and each line of an exact mate has its length and ends in
// mate. The clock of the fifty-move rule and the repetition of positions of the game count. With TESLA_LONG each
// searcher gets 200 ms for each of 500 positions; otherwise 50 ms for each of ten.
func TestMates(t *testing.T) {
	every, limit := 50, "movetime 50"
	if os.Getenv("TESLA_LONG") != "" {
		every, limit = 1, "movetime 200"
	}
	slow.Test(t)
	positions := readMates(t)
	for i, name := range searchers {
		t.Run(name, func(t *testing.T) {
			p := startProgram(t)
			fmt.Fprintf(p.in, "setoption name Backend value nnue\nsetoption name Search value %s\n", name)
			var c mateCounts
			for j := i % every; j < len(positions); j += every {
				c.ask(t, p, &positions[j], limit)
			}
			t.Logf("%d exact mates, %d of the right distance, %d longer; %d positions without", c.mates, c.exact, c.long, c.none)
			if c.short+c.wrong+c.lines+c.reports+c.outOfRule+c.moves > 0 {
				t.Errorf("%d too short, %d for the wrong side; %d final lines and %d of all do not end in mate, "+
					"%d are not legal, %d begin with another move than bestmove",
					c.short, c.wrong, c.lines, c.reports, c.outOfRule, c.moves)
			}
			if code, err := p.end(10 * time.Second); err != nil || code != 0 {
				t.Errorf("exit code %d, %v", code, err)
			}
		})
	}
}

// readMates reads the positions.
func readMates(t *testing.T) []matePosition {
	t.Helper()
	f, err := os.Open("testdata/mates.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var positions []matePosition
	for s := bufio.NewScanner(f); s.Scan(); {
		if strings.HasPrefix(s.Text(), "#") {
			continue
		}
		var m matePosition
		number, rest, _ := strings.Cut(s.Text(), " ")
		fen, moves, _ := strings.Cut(strings.TrimPrefix(rest, "fen "), " moves ")
		start, err := board.ParseFEN(fen)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscan(number, &m.distance); err != nil {
			t.Fatal(err)
		}
		m.position, m.game = rest, board.NewGame(start)
		for word := range strings.FieldsSeq(moves) {
			move, err := m.game.Pos.ParseMove(word)
			if err != nil {
				t.Fatal(err)
			}
			m.game.Play(move)
		}
		positions = append(positions, m)
	}
	return positions
}

// ask lets the engine search a position and counts what it reports.
func (c *mateCounts) ask(t *testing.T, p *program, m *matePosition, limit string) {
	t.Helper()
	fmt.Fprintf(p.in, "ucinewgame\nposition %s\nisready\n", m.position)
	for l := p.next(t); l != "readyok"; l = p.next(t) {
	}
	fmt.Fprintln(p.in, "go "+limit)
	var last, exact report
	complain := func(count *int, what, line string) {
		if *count++; *count <= 3 {
			t.Logf("%s, mate %d: %s: %s", m.position, m.distance, what, line)
		}
	}
	for line := p.next(t); ; line = p.next(t) {
		if move, ok := strings.CutPrefix(line, "bestmove "); ok {
			if move, _, _ = strings.Cut(move, " "); len(last.pv) == 0 || last.pv[0] != move {
				complain(&c.moves, "the last line begins with another move", line)
			}
			break
		}
		if !strings.HasPrefix(line, "info ") || strings.HasPrefix(line, "info string") {
			continue
		}
		r, err := parseReport(line)
		if err != nil {
			t.Fatal(err, line)
		}
		if end, err := r.follow(m.game, false); err != nil {
			complain(&c.outOfRule, err.Error(), line)
		} else if err := r.proves(end); err != nil {
			complain(&c.reports, err.Error(), line)
		}
		if last = r; r.bound == search.Exact {
			exact = r
		}
	}
	c.judge(m, &exact, complain)
}

// judge counts the last exact report.
func (c *mateCounts) judge(m *matePosition, r *report, complain func(count *int, what, line string)) {
	said, distance := r.score.Mate, m.distance
	text := fmt.Sprintf("mate %d pv %s", said, strings.Join(r.pv, " "))
	if said == 0 {
		c.none++
		return
	}
	c.mates++
	shortest := max(distance, -distance)
	if distance == 0 {
		shortest = mostMateMoves + 1
	}
	switch size := max(said, -said); {
	case size < shortest:
		complain(&c.short, "too short", text)
	case distance*said < 0:
		complain(&c.wrong, "for the wrong side", text)
	case size > shortest:
		c.long++
	default:
		c.exact++
	}
	if end, err := r.follow(m.game, false); err != nil || r.proves(end) != nil {
		c.lines++
	}
}

// next is the next line of the engine.
func (p *program) next(t *testing.T) string {
	t.Helper()
	select {
	case l, open := <-p.lines:
		if !open {
			t.Fatalf("the engine ended: %s", &p.stderr)
		}
		return l.text
	case <-time.After(atLast):
		t.Fatalf("no line in %v", atLast)
	}
	return ""
}
