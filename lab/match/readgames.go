package match

import (
	"cmp"
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
	Followed *Follower        // the same games, or all of a journal; those of a PGN file have no moves
	Unpaired int              // games without a partner
	Skipped  []string         // games without a result and games that cannot be read, with their lines
	Others   int              // games of other players than those asked for
}

// ReadGames reads a journal or a PGN file and finds its pairs: two games of the same players from the same opening
// with colours reversed, and of one round. In a PGN file the round of "3.1" is 3. Where the rounds do not tell, because
// each game has its own or there are none, two consecutive games are a pair. The opening is the FEN and the moves marked
// as book moves.
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
	text := strings.TrimPrefix(string(data), "\ufeff")
	var list []listed
	g := &Games{}
	journal := strings.HasPrefix(text, Mark)
	if journal {
		list, err = g.journal(file)
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
	if !journal {
		g.Followed = &Follower{Header: Header{Pairings: [][2]int{{0, 1}}, Head: stats.Head{Total: len(list)}}}
		g.Followed.Header.Players = []stats.Entrant{{Name: g.Names[0]}, {Name: g.Names[1]}}
	}
	g.number(list, pairs, singles, !journal)
	return g, nil
}

// listed is a finished game of a file.
type listed struct {
	Game
	place string // in the file
	first string // the player that has White in the first game of the pair
	round int    // of the pair; -1: not known
	book  string // its opening; empty: the round tells it
}

// journal lists the games of a journal. Its last line may be cut off.
func (g *Games) journal(path string) ([]listed, error) {
	f, err := Follow(path)
	if err != nil {
		return nil, err
	}
	g.Followed = f
	if f.Offset() < f.file.Size() {
		g.Skipped = append(g.Skipped, fmt.Sprintf("byte %d: the last line is cut off", f.Offset()))
	}
	list := make([]listed, len(f.Games))
	for i := range f.Games {
		at := f.at(f.Games[i].Number)
		list[i] = listed{Game: f.Games[i].Game, place: fmt.Sprintf("byte %d", f.Games[i].offset), first: f.names[f.pairings[at.pairing][0]], round: at.round}
	}
	return list, nil
}

// choose keeps the games of A, or of A and B.
func (g *Games) choose(list []listed, a, b string) ([]listed, error) {
	list = slices.DeleteFunc(list, func(l listed) bool {
		if l.White == l.Black {
			g.Skipped = append(g.Skipped, fmt.Sprintf("%s: %s - %s: both players have the same name", l.place, l.White, l.Black))
		}
		return l.White == l.Black
	})
	if len(list) == 0 && len(g.Skipped) > 0 {
		return nil, fmt.Errorf("no finished game; skipped %d: %s", len(g.Skipped), g.Skipped[0])
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no finished game")
	}
	if a == "" {
		a = list[0].first
		if a == b && list[0].White == b {
			a = list[0].Black
		} else if a == b {
			a = list[0].White
		}
	}
	g.Names = [2]string{a, b}
	var kept []listed
	for _, l := range list {
		opponent := l.Black
		switch {
		case l.White == a:
		case l.Black == a:
			opponent = l.White
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
			return nil, fmt.Errorf("%s: %s meets %s here and %s before: name b", l.place, a, opponent, g.Names[1])
		}
		kept = append(kept, l)
	}
	if len(kept) == 0 {
		return nil, fmt.Errorf("no finished game of %s", strings.TrimSuffix(a+" and "+b, " and "))
	}
	if b == "" && g.Others > 0 {
		return nil, fmt.Errorf("%d games of other players than %s: name a and b", g.Others, a)
	}
	return kept, nil
}

// number makes numbered facts of the games, of which the given ones are pairs, and where asked has them followed.
func (g *Games) number(list []listed, pairs [][2]int, singles []int, follow bool) {
	add := func(l *listed, number int) {
		f := Finished{Game: l.Game, Fact: l.fact(number, l.White == g.Names[0])}
		f.Number, f.Sides = number, [2]int{side(!f.Fact.AWhite), side(f.Fact.AWhite)}
		g.Facts = append(g.Facts, f.Fact)
		if follow {
			g.Followed.Games = append(g.Followed.Games, f)
		}
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

// pairByRound pairs games of the same round and opening with colours reversed. It returns the indices of the pairs, in
// the order of the rounds and then of the file, and those of the other games. Where the round of any game is unknown it
// returns nothing.
func pairByRound(list []listed) (pairs [][2]int, singles []int) {
	type key struct {
		round       int
		white, book string
	}
	waiting := map[key][]int{}
	for i := range list {
		l := &list[i]
		if l.round < 0 {
			return nil, nil
		}
		reversed := key{l.round, l.Black, l.book}
		if w := waiting[reversed]; len(w) > 0 {
			pairs = append(pairs, [2]int{w[0], i})
			waiting[reversed] = w[1:]
			continue
		}
		k := key{l.round, l.White, l.book}
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
		if i+1 < len(list) && list[i].book == list[i+1].book && list[i].White == list[i+1].Black {
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
		g.Skipped = append(g.Skipped, fmt.Sprintf("game %d, line %d: %s - %s: %s", s.Game, s.Line, cmp.Or(s.White, "?"), cmp.Or(s.Black, "?"), s.Why))
	}
	list := make([]listed, len(games))
	for i := range games {
		list[i] = listedPGN(&games[i])
	}
	return list
}

func listedPGN(s *pgn.Summary) listed {
	l := listed{Game: Game{White: s.Tags["White"], Black: s.Tags["Black"], Result: s.Result, Plies: s.Plies}, round: -1, place: fmt.Sprintf("line %d", s.Line)}
	l.first = l.White
	round, game, _ := strings.Cut(s.Tags["Round"], ".")
	if game == "2" { // of the pair, which may end before the first
		l.first = l.Black
	}
	l.Tables = s.Tags[adjudicatorTag] == tablesName
	if n, err := strconv.Atoi(round); err == nil && n >= 0 {
		l.round = n
	}
	fen := strings.Fields(s.Tags["FEN"])
	l.book = strings.Join(fen[:min(len(fen), 4)], " ") + "|" + strings.Join(s.Book, " ")
	switch strings.ToLower(s.Tags["Termination"]) {
	case "time forfeit", "timeout":
		l.Failure = "time"
	case "rules infraction", "illegal move":
		l.Failure = "illegal"
	case "abandoned", "stalled connection", "disconnect":
		l.Failure = "crash"
	}
	return l
}
