package match

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tesla/lab/match/stats"
)

// write makes a file of the text.
func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "games")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// pgnOf is a game as fastchess writes it.
func pgnOf(round, white, black, result, fen, moves string) string {
	return fmt.Sprintf("[Event \"Fastchess Tournament\"]\n[Round %q]\n[White %q]\n[Black %q]\n[Result %q]\n[SetUp \"1\"]\n"+
		"[FEN %q]\n[Termination \"normal\"]\n\n%s %s\n\n", round, white, black, result, fen, moves, result)
}

const (
	fenOne = "r3kbnr/1bqppppp/p1p5/8/4P3/1P1B4/P1P2PPP/RNBQK2R w KQkq - 1 8"
	fenTwo = "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP1NBPPP/R2QK2R w KQ - 0 8"
	plies3 = "8. O-O {+0.43/4 0.026s} e5 {-0.77/4 (1. e4) [x] 0.025s} 9. Be3 {+0.35/4 0.025s, White mates}"
)

// points are those of the facts by their pair: "2+0 1".
func points(facts []stats.GameFact) string {
	pairs := map[int]string{}
	last := 0
	for _, f := range facts {
		if f.Game%2 == 1 {
			pairs[f.Game/2] += "+"
		}
		pairs[f.Game/2] += fmt.Sprint(f.Points)
		last = max(last, f.Game/2)
	}
	var list []string
	for i := range last + 1 {
		list = append(list, pairs[i])
	}
	return strings.Join(list, " ")
}

func TestReadGamesPGN(t *testing.T) {
	const book = "1. e4 {book} c5 {book} 2. Nf3 {+0.30/8 0.01s} "
	const other = "1. d4 {book} d5 {book} 2. Nf3 {+0.30/8 0.01s} "
	for _, c := range []struct {
		name, text, a, b string
		points           string
		unpaired         int
		skipped          string
	}{
		{"rounds, ends out of order",
			pgnOf("2", "new", "old", "1/2-1/2", fenTwo, plies3) + pgnOf("1", "new", "old", "1-0", fenOne, plies3) +
				pgnOf("2", "old", "new", "1-0", fenTwo, plies3) + pgnOf("1", "old", "new", "0-1", fenOne, plies3),
			"", "", "2+2 1+0", 0, ""},
		{"the other side", pgnOf("1", "new", "old", "1-0", fenOne, plies3) + pgnOf("1", "old", "new", "0-1", fenOne, plies3),
			"old", "", "0+0", 0, ""},
		{"our own rounds, and one game alone", pgnOf("1.1", "new", "old", "1-0", fenOne, plies3) +
			pgnOf("1.2", "old", "new", "1-0", fenOne, plies3) + pgnOf("2.1", "new", "old", "0-1", fenOne, plies3),
			"", "", "2+0 0", 1, ""},
		{"our own rounds, the second game ends first", pgnOf("1.2", "old", "new", "1-0", fenOne, plies3) +
			pgnOf("1.1", "new", "old", "1-0", fenOne, plies3), "", "", "0+2", 0, ""},
		{"each game has a round", pgnOf("1", "new", "old", "1-0", fenOne, plies3) + pgnOf("2", "old", "new", "1-0", fenOne,
			plies3) +
			pgnOf("3", "old", "new", "1-0", fenTwo, plies3) + pgnOf("4", "new", "old", "1-0", fenTwo, plies3),
			"", "", "2+0 0+2", 0, ""},
		{"no rounds, openings by book moves", pgnOf("?", "new", "old", "1-0", "", book) + pgnOf("?", "old", "new", "1-0",
			"", other) +
			pgnOf("?", "new", "old", "1-0", "", other) + pgnOf("?", "old", "new", "1-0", "", book),
			"", "", "0+2 2 0", 2, ""},
		{"one round for all", pgnOf("1", "new", "old", "1-0", fenOne, plies3) + pgnOf("1", "new", "old", "0-1", fenTwo,
			plies3) +
			pgnOf("1", "old", "new", "1-0", fenTwo, plies3) + pgnOf("1", "old", "new", "1/2-1/2", fenOne, plies3),
			"", "", "2+1 0+0", 0, ""},
		{"unfinished", pgnOf("1", "new", "old", "1-0", fenOne, plies3) + pgnOf("1", "old", "new", "*", fenOne, plies3),
			"", "", "2", 1, "game 2, line 12: old - new: unfinished"},
		{"no result", pgnOf("1", "new", "old", "1-0", fenOne, plies3) +
			strings.TrimSuffix(pgnOf("1", "old", "new", "0-1", fenOne, plies3), "0-1\n\n"), "", "", "2", 1,
			"game 2, line 12: old - new: no result"},
		{"cut off", pgnOf("1", "new", "old", "1-0", fenOne, plies3) + pgnOf("1", "old", "new", "0-1", fenOne, plies3)[:220],
			"", "", "2", 1, "game 2, line 12: old - new: line 21: a comment is not closed"},
		{"cut off in a comment, and written on", pgnOf("1", "new", "old", "1-0", fenOne, plies3) +
			pgnOf("1", "old", "new", "1-0", fenOne, plies3)[:220] + "\n" + pgnOf("2", "new", "old", "0-1", fenOne, plies3) +
			pgnOf("2", "old", "new", "1-0", fenOne, plies3), "", "", "0+0 2", 1, "game 2, line 12: old - new: line 21: a comment is not closed"},
		{"cut off in a tag", pgnOf("1", "new", "old", "1-0", fenOne, plies3) + "[Eve", "", "", "2", 1,
			"game 2, line 12: ? - ?: line 12: a tag is not closed"},
		{"three players", pgnOf("1", "new", "old", "1-0", fenOne, plies3) + pgnOf("1", "old", "new", "0-1", fenOne, plies3) +
			pgnOf("1", "new", "third", "1-0", fenOne, plies3), "new", "old", "2+2", 0, ""},
	} {
		g, err := ReadGames(write(t, c.text), c.a, c.b)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := points(g.Facts); got != c.points || g.Unpaired != c.unpaired || strings.Join(g.Skipped, "; ") != c.skipped {
			t.Errorf("%s: %s, %d unpaired, skipped %q", c.name, got, g.Unpaired, g.Skipped)
		}
		if g.Facts[0].Plies != 3 || g.Names[0] == g.Names[1] || g.Names[1] == "" {
			t.Errorf("%s: %+v of %v", c.name, g.Facts[0], g.Names)
		}
	}
}

const journalHead = `{"tesla_match":1,"players":[{"name":"x","condition":"-"},{"name":"y","condition":"-"}],"games":6}` + "\n"

// journalLine is a game of a journal.
func journalLine(number int, result, failure string, plies int) string {
	white, black := "x", "y"
	if number%2 == 1 {
		white, black = black, white
	}
	return fmt.Sprintf(`{"game":%d,"white":%q,"black":%q,"result":%q,"a_white":%t,"failure":%q,"plies":%d,"date":"2026-01-02T03:04:05Z"}`+"\n",
		number, white, black, result, number%2 == 0, failure, plies)
}

func TestReadGamesJournal(t *testing.T) {
	text := journalHead + journalLine(1, "1-0", "crash", 31) + journalLine(0, "1/2-1/2", "", 0) + journalLine(3, "0-1", "hang", 0) +
		journalLine(2, "1-0", "illegal", 0)
	torn := fmt.Sprintf("byte %d: the last line is cut off", len(text))
	text += `{"game":5,"white":"x","bla`
	g, err := ReadGames(write(t, text), "", "")
	if err != nil {
		t.Fatal(err)
	}
	want := []stats.GameFact{
		{Game: 0, Plies: 31, Failure: stats.FailureCrash}, {Game: 1, AWhite: true, Points: 1},
		{Game: 2, Points: 2, Failure: stats.FailureTime}, {Game: 3, AWhite: true, Points: 2, Failure: stats.FailureIllegal},
	}
	if g.Names != [2]string{"x", "y"} || !reflect.DeepEqual(g.Facts, want) {
		t.Errorf("%v, %+v", g.Names, g.Facts)
	}
	if s := strings.Join(g.Skipped, "; "); s != torn {
		t.Error(s)
	}
	r := g.Tally(nil).Result()
	if r.Ptnml != (stats.Pentanomial{0, 1, 0, 0, 1}) || r.Crashes != 1 || r.Timeouts != 1 || r.Illegal != 1 {
		t.Errorf("%+v", r)
	}
}

// TestReadGamesPublished writes the games of a published match (cinder 727 of TestPublished: 816 wins, 1328 draws, 670
// losses, 1407 pairs) in the order in which many games at a time might end, and reads the published numbers from them.
func TestReadGamesPublished(t *testing.T) {
	kinds := []struct {
		count         int
		first, second string // new has White in the first game
	}{
		{50, "0-1", "1-0"}, {287, "0-1", "1/2-1/2"}, {283, "1-0", "1-0"}, {327, "1/2-1/2", "1/2-1/2"},
		{387, "1/2-1/2", "0-1"}, {73, "1-0", "0-1"},
	}
	var games []string
	round := 0
	for _, k := range kinds {
		for range k.count {
			round++
			n := fmt.Sprint(round)
			games = append(games, pgnOf(n, "new", "old", k.first, fenOne, plies3), pgnOf(n, "old", "new", k.second, fenOne,
				plies3))
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for i := 0; i+24 <= len(games); i += 24 {
		r.Shuffle(24, func(a, b int) { games[i+a], games[i+b] = games[i+b], games[i+a] })
	}
	g, err := ReadGames(write(t, strings.Join(games, "")), "new", "old")
	if err != nil {
		t.Fatal(err)
	}
	got := g.Tally(nil).Result()
	if got.Wins != 816 || got.Draws != 1328 || got.Losses != 670 || got.Ptnml != (stats.Pentanomial{50, 287, 610, 387,
		73}) {
		t.Errorf("%+v", got)
	}
	text := got.Text()
	for _, want := range []string{
		"points 1480.0 (52.59 %)", "draw ratio 43.35 %", "pairs ratio 1.36", "Elo: +18.04 +- 8.23, normalized +28.19 +-",
		"LOS 100.00 %",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestReadGamesErrors(t *testing.T) {
	one := pgnOf("1", "new", "old", "1-0", fenOne, plies3)
	for _, c := range []struct{ text, a, b, want string }{
		{"", "", "", "no finished game"},
		{pgnOf("1", "new", "old", "*", fenOne, plies3), "", "",
			"no finished game; skipped 1: game 1, line 1: new - old: unfinished"},
		{"rubbish\n", "", "", "no finished game"},
		{strings.Replace(one, `[White "new"]`, "", 1), "", "", "no White tag"},
		{strings.Replace(one, `Result "1-0"`, `Result "0-1"`, 1), "", "", `ends with 1-0, its Result tag is "0-1"`},
		{strings.Replace(one, `"old"`, `"new"`, 1), "", "", "no finished game; skipped 1: line 1: new - new: both players have the same name"},
		{one, "nobody", "", "no finished game of nobody"},
		{one + pgnOf("2", "new", "third", "1-0", fenOne, plies3), "new", "", "line 12: new meets third here and old before"},
		{one + pgnOf("2", "old", "third", "1-0", fenOne, plies3), "new", "", "1 games of other players than new"},
		{journalHead + "{\"game\":\n", "", "", "byte 98: "},
		{journalHead + "{}\n", "", "", "byte 98: game 0: players  - , want x - y"},
		{journalHead + journalLine(0, "2-0", "", 9), "", "", `byte 98: game 0: result "2-0"`},
		{journalHead + journalLine(0, "1-0", "fire", 9), "", "", `byte 98: game 0: failure "fire"`},
		{journalHead + strings.Repeat(journalLine(0, "1-0", "", 9), 2), "", "", "game 0 twice"},
	} {
		if _, err := ReadGames(write(t, c.text), c.a, c.b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: error %v, want %q", c.text, err, c.want)
		}
	}
	if _, err := ReadGames(filepath.Join(t.TempDir(), "none"), "", ""); !os.IsNotExist(err) &&
		!strings.Contains(fmt.Sprint(err), "no such file") {
		t.Error(err)
	}
}

// TestReadGamesLax checks that a game that cannot be read costs that game alone.
func TestReadGamesLax(t *testing.T) {
	one, two := pgnOf("1", "new", "old", "1-0", fenOne, plies3), pgnOf("1", "old", "new", "1-0", fenOne, plies3)
	for _, c := range []struct{ between, skipped string }{
		{"", ""},
		{"\x00\x01\n", ""},
		{"1-0", ""}, // again
		{"0-1", "game 2, line 12: ? - ?: no White tag"},
		{"[White new]\n1. e4 *\n", "game 2, line 12: new - ?: unfinished"},
		{"rubbish\n", ""}, // text between games
		{strings.Replace(one, `Result "1-0"`, `Result "0-1"`, 1), `game 2, line 12: new - old: it ends with 1-0, its Result tag is "0-1"`},
		{strings.Replace(one, `"old"`, `"new"`, 1), "line 12: new - new: both players have the same name"},
		{pgnOf("1", "new", "old", "1-0", fenOne, "1. e4 {never closed"), "game 2, line 12: new - old: line 21: a comment is not closed"},
	} {
		for _, text := range []string{one + c.between + two, strings.ReplaceAll("\ufeff"+one+c.between+two, "\n", "\r\n")} {
			g, err := ReadGames(write(t, text), "", "")
			if err != nil {
				t.Errorf("%.60q: %v", c.between, err)
				continue
			}
			if r := g.Tally(nil).Result(); r.Games != 2 || r.Ptnml.Pairs() != 1 || strings.Join(g.Skipped, "; ") != c.skipped {
				t.Errorf("%.60q: %d games, skipped %q, want %q", c.between, r.Games, g.Skipped, c.skipped)
			}
		}
	}
}

func FuzzReadGames(f *testing.F) {
	f.Add(pgnOf("1", "new", "old", "1-0", fenOne, plies3))
	f.Add(journalHead + journalLine(0, "1-0", "", 9))
	f.Fuzz(func(t *testing.T, text string) {
		g, err := ReadGames(write(t, text), "", "")
		if err != nil {
			return
		}
		if r := g.Tally(nil).Result(); r.Games != len(g.Facts) || 2*r.Ptnml.Pairs()+g.Unpaired != r.Games {
			t.Errorf("%+v of %d games, %d unpaired", r, len(g.Facts), g.Unpaired)
		}
	})
}
