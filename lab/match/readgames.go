package match

import (
	"fmt"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"

	"tesla/lab/match/pgn"
	"tesla/lab/match/stats"
)

// Games is what a file with finished games says about a match.
type Games struct {
	Names    [2]string        // A and B
	Facts    []stats.GameFact // pairs first, in the order of the match, then games without a partner
	Unpaired int              // games without a partner
	Skipped  []string         // games without a result and games that cannot be read, with their lines
	Others   int              // games of other players than those asked for
}

// ReadGames reads a journal or a PGN file and finds its pairs: two games of the same players from the same opening
// with colours reversed. In a journal games 2k and 2k+1 are a pair, in a PGN file two games of one Round (the round
// of "3.1" is 3). Where the rounds do not tell, because each game has its own or there are none, two consecutive
// games are a pair. The opening is the FEN and the moves marked as book moves.
//
// a and b name the players A and B. Without a, A is the player that the file names first: White of the first game,
// Black where its round is such as "3.2", and in a journal the first player of that game. Without b, A must have one
// opponent only. A game of a PGN file that has no result, is cut off or cannot be read is skipped and named. A
// file without a game that counts is an error, and so is a bad line of a journal.
func ReadGames(file, a, b string) (*Games, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("games: %w", err)
	}
	g := &Games{}
	text := strings.TrimPrefix(string(data), "\ufeff")
	var list []listed
	journal := strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), `{"`)
	if journal {
		list, err = g.journal(text)
	} else {
		list = g.pgn(text)
	}
	if err == nil {
		list, err = g.choose(list, a, b)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	pairs, singles := pairByRound(list)
	if len(pairs) == 0 && !journal {
		pairs, singles = pairNeighbours(list)
	}
	g.number(list, pairs, singles)
	return g, nil
}

// listed is a finished game of a file.
type listed struct {
	line         int
	white, black string
	result       string // 1-0, 0-1 or 1/2-1/2
	first        string // the player that has White in the first game of the pair
	round        int    // of the pair; -1: not known
	opening      string
	plies        int
	failure      stats.Failure
	tables       bool // endgame tables ended it
	ponder       [2]stats.Pondering
}

func finished(result string) bool { return result == "1-0" || result == "0-1" || result == "1/2-1/2" }

// skip notes a game without a result.
func (g *Games) skip(line int, white, black, why string) {
	g.Skipped = append(g.Skipped, fmt.Sprintf("line %d: %s - %s: %s", line, white, black, why))
}

// choose keeps the games of A, or of A and B.
func (g *Games) choose(list []listed, a, b string) ([]listed, error) {
	list = slices.DeleteFunc(list, func(l listed) bool {
		if l.white == l.black {
			g.skip(l.line, l.white, l.black, "both players have the same name")
		}
		return l.white == l.black
	})
	if len(list) == 0 && len(g.Skipped) > 0 {
		return nil, fmt.Errorf("no finished game; skipped %d: %s", len(g.Skipped), g.Skipped[0])
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no finished game")
	}
	if a == "" {
		a = list[0].first
		if a == b && list[0].white == b {
			a = list[0].black
		} else if a == b {
			a = list[0].white
		}
	}
	g.Names = [2]string{a, b}
	var kept []listed
	for _, l := range list {
		opponent := l.black
		switch {
		case l.white == a:
		case l.black == a:
			opponent = l.white
		default:
			g.Others++
			continue
		}
		switch {
		case b != "" && opponent != b:
			g.Others++
			continue
		case g.Names[1] == "":
			g.Names[1] = opponent
		case g.Names[1] != opponent:
			return nil, fmt.Errorf("line %d: %s meets %s here and %s before: name b", l.line, a, opponent, g.Names[1])
		}
		kept = append(kept, l)
	}
	if len(kept) == 0 {
		return nil, fmt.Errorf("no finished game of %s", strings.TrimSuffix(a+" and "+b, " and "))
	}
	if b == "" && g.Others > 0 {
		return nil, fmt.Errorf("%d games are of other players than %s: name a and b", g.Others, a)
	}
	return kept, nil
}

// number makes numbered facts of the games, of which the given ones are pairs.
func (g *Games) number(list []listed, pairs [][2]int, singles []int) {
	add := func(l *listed, number int) {
		g.Facts = append(g.Facts, l.fact(number, l.white == g.Names[0]))
	}
	for k, pair := range pairs {
		add(&list[pair[0]], 2*k)
		add(&list[pair[1]], 2*k+1)
	}
	for k, i := range singles {
		add(&list[i], 2*(len(pairs)+k))
	}
	g.Unpaired = len(singles)
}

// fact is the game as the statistics see it. aWhite reports whether A has White.
func (l *listed) fact(number int, aWhite bool) stats.GameFact {
	f := stats.GameFact{Game: number, AWhite: aWhite, Plies: l.plies, Failure: l.failure, Tables: l.tables, Ponder: l.ponder}
	if !aWhite {
		f.Ponder = [2]stats.Pondering{l.ponder[1], l.ponder[0]}
	}
	switch {
	case l.result == "1/2-1/2":
		f.Points = 1
	case (l.result == "1-0") == aWhite:
		f.Points = 2
	}
	return f
}

// pairByRound pairs games of the same round and opening with colours reversed. It returns the indices of the pairs, in
// the order of the rounds and then of the file, and those of the other games. Where the round of any game is unknown it
// returns nothing.
func pairByRound(list []listed) (pairs [][2]int, singles []int) {
	type key struct {
		round          int
		white, opening string
	}
	waiting := map[key][]int{}
	for i := range list {
		l := &list[i]
		if l.round < 0 {
			return nil, nil
		}
		reversed := key{l.round, l.black, l.opening}
		if w := waiting[reversed]; len(w) > 0 {
			pairs = append(pairs, [2]int{w[0], i})
			waiting[reversed] = w[1:]
			continue
		}
		k := key{l.round, l.white, l.opening}
		waiting[k] = append(waiting[k], i)
	}
	for _, w := range waiting {
		singles = append(singles, w...)
	}
	sort.Ints(singles)
	sort.SliceStable(pairs, func(i, j int) bool {
		a, b := list[pairs[i][0]].round, list[pairs[j][0]].round
		return a < b || a == b && pairs[i][0] < pairs[j][0]
	})
	return pairs, singles
}

// pairNeighbours pairs consecutive games of the same opening with colours reversed. It returns the indices of the pairs
// and of the other games.
func pairNeighbours(list []listed) (pairs [][2]int, singles []int) {
	for i := 0; i < len(list); i++ {
		if i+1 < len(list) && list[i].opening == list[i+1].opening && list[i].white == list[i+1].black {
			pairs = append(pairs, [2]int{i, i + 1})
			i++
			continue
		}
		singles = append(singles, i)
	}
	return pairs, singles
}

// Tally counts the games, and shows the test their pairs.
func (g *Games) Tally(test *stats.SPRT) *stats.Tally {
	t := &stats.Tally{SPRT: test}
	for _, f := range g.Facts {
		t.Add(f)
	}
	return t
}

// pgn lists the finished games of a PGN text.
func (g *Games) pgn(text string) []listed {
	games, skipped := pgn.ReadSummaries(text)
	for _, s := range skipped {
		g.Skipped = append(g.Skipped, fmt.Sprintf("game %d, line %d: %s - %s: %s", s.Game, s.Line, orUnknown(s.White), orUnknown(s.Black), s.Why))
	}
	list := make([]listed, len(games))
	for i := range games {
		list[i] = listedPGN(&games[i])
	}
	return list
}

// orUnknown is the name of a player as the PGN standard has it.
func orUnknown(name string) string {
	if name == "" {
		return "?"
	}
	return name
}

func listedPGN(s *pgn.Summary) listed {
	l := listed{line: s.Line, white: s.Tags["White"], black: s.Tags["Black"], result: s.Result, round: -1, plies: s.Plies}
	l.first = l.white
	round, game, _ := strings.Cut(s.Tags["Round"], ".")
	if game == "2" { // of the pair, which may end before the first
		l.first = l.black
	}
	l.tables = s.Tags[adjudicatorTag] == tablesName
	if n, err := strconv.Atoi(round); err == nil && n >= 0 {
		l.round = n
	}
	fen := strings.Fields(s.Tags["FEN"])
	l.opening = strings.Join(fen[:min(len(fen), 4)], " ") + "|" + strings.Join(s.Book, " ")
	switch strings.ToLower(s.Tags["Termination"]) {
	case "time forfeit", "timeout":
		l.failure = stats.FailureTime
	case "rules infraction", "illegal move":
		l.failure = stats.FailureIllegal
	case "abandoned", "stalled connection", "disconnect":
		l.failure = stats.FailureCrash
	}
	return l
}
