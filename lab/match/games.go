package match

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
)

// Games are what a file with finished games says of a match.
type Games struct {
	Names    [2]string  // A and B
	Facts    []GameFact // pairs first, in the order of the match; games without a partner behind them
	Unpaired int        // games without a partner
	Skipped  []string   // games without a result, with their lines
	Others   int        // games of players that were not asked for
}

// ReadGames reads a journal or a PGN file and finds its pairs: two games of the same players and the same opening with
// colours reversed. In a journal games 2k and 2k+1 are a pair, in a PGN those of one Round (a round "3.1" is 3). Where
// rounds do not say it, since each game has its own or there are none, two consecutive games are. The opening is the FEN
// and the moves marked as book moves.
//
// A and b name players. Without a, A is the one that the file names first: White of the first game, Black where that is
// of a round such as "3.2"; in a journal the first player of that game. Without b, A's opponents must be one. A game that
// has no result, or that is cut off, is skipped and named. What is neither game nor journal is an error that names the
// line.
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
		list, err = g.pgn(text)
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
	first        string // the player that the file calls the first
	round        int    // of the pair; -1: not known
	opening      string
	plies        int
	failure      Failure
}

func finished(result string) bool { return result == "1-0" || result == "0-1" || result == "1/2-1/2" }

// skip notes a game without a result.
func (g *Games) skip(line int, white, black, why string) {
	g.Skipped = append(g.Skipped, fmt.Sprintf("line %d: %s - %s: %s", line, white, black, why))
}

// choose keeps the games of A, or of A and B.
func (g *Games) choose(list []listed, a, b string) ([]listed, error) {
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
		case l.white == l.black:
			return nil, fmt.Errorf("line %d: both players are called %q", l.line, l.white)
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
			return nil, fmt.Errorf("line %d: %s meets %s here and %s before: say who b is", l.line, a, opponent, g.Names[1])
		}
		kept = append(kept, l)
	}
	if len(kept) == 0 {
		return nil, fmt.Errorf("no finished game of %s", strings.TrimSuffix(a+" and "+b, " and "))
	}
	if b == "" && g.Others > 0 {
		return nil, fmt.Errorf("%d games are not %s's: say who a and b are", g.Others, a)
	}
	return kept, nil
}

// number makes facts of the games, given which are pairs.
func (g *Games) number(list []listed, pairs [][2]int, singles []int) {
	add := func(l *listed, number int) {
		f := GameFact{Game: number, AWhite: l.white == g.Names[0], Plies: l.plies, Failure: l.failure}
		switch {
		case l.result == "1/2-1/2":
			f.Points = 1
		case (l.result == "1-0") == f.AWhite:
			f.Points = 2
		}
		g.Facts = append(g.Facts, f)
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

// pairByRound gives indices of games with the same round and opening and with colours reversed, in the order of rounds and
// then of the file, and those of the other games. There are no pairs where a game's round is not known.
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

// pairNeighbours gives indices of consecutive games with the same opening and with colours reversed, and the others.
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
func (g *Games) Tally(test *SPRT) *Tally {
	t := &Tally{SPRT: test}
	for _, f := range g.Facts {
		t.Add(f)
	}
	return t
}

// pgn lists the finished games of a PGN file.
func (g *Games) pgn(text string) ([]listed, error) {
	p := pgnGames{reader: pgnReader{rest: text, line: 1}, games: g}
	for {
		before, line := p.reader.rest, p.reader.line
		token, kind := p.reader.next()
		if p.resume(before, line, kind) {
			continue
		}
		var err error
		switch kind {
		case pgnEnd:
			p.cut("has no result")
			return p.list, nil
		case pgnTag:
			err = p.tag(token)
		case pgnMove:
			err = p.move(token)
		case pgnResult:
			err = p.result(token)
		case pgnBad:
			if strings.HasSuffix(token, "not closed") {
				p.begin()
				p.cut("is cut off")
				return p.list, nil
			}
			err = fmt.Errorf("%s", token)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", p.reader.line, err)
		}
	}
}

// pgnGames reads the games of a PGN file without playing their moves.
type pgnGames struct {
	reader pgnReader
	games  *Games
	list   []listed

	line  int // of the first tag of the game in progress; 0: none
	tags  map[string]string
	plies int
	book  []string // moves marked as such
	inner bool     // no move so far that is not one of them
}

func (p *pgnGames) begin() {
	if p.line == 0 {
		p.line, p.tags, p.plies, p.book, p.inner = p.reader.line, map[string]string{}, 0, nil, true
	}
}

// cut ends a game without a result, if there is one.
func (p *pgnGames) cut(why string) {
	if p.line != 0 {
		p.games.skip(p.line, p.tags["White"], p.tags["Black"], why)
	}
	p.line = 0
}

// resume goes back to the next game where the game in progress was cut off inside a comment, which then took up tags of
// the next one: as when a program was killed, and another has written on. Before and line are from before the token.
func (p *pgnGames) resume(before string, line int, kind pgnKind) bool {
	taken := before[:len(before)-len(p.reader.rest)]
	if kind == pgnBad {
		taken = before
	}
	i := strings.Index(taken, "\n[Event \"") + 1
	if i == 0 || p.line == 0 || strings.TrimSpace(taken[:i]) == "" {
		return false
	}
	p.cut("is cut off")
	p.reader.rest, p.reader.line = before[i:], line+strings.Count(before[:i], "\n")
	return true
}

func (p *pgnGames) tag(text string) error {
	if p.plies > 0 && p.line != 0 || p.line != 0 && p.tags["Event"] != "" && strings.HasPrefix(text, "Event ") {
		p.cut("has no result")
	}
	p.begin()
	name, value, ok := strings.Cut(text, " ")
	value = strings.TrimSpace(value)
	if !ok || len(value) < 2 || value[0] != '"' || value[len(value)-1] != '"' {
		return fmt.Errorf("[%.40s] is not a tag", text)
	}
	p.tags[name] = strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(value[1 : len(value)-1])
	return nil
}

func (p *pgnGames) move(text string) error {
	if !looksLikeMove(text) {
		return fmt.Errorf("%.40q is not a move", text)
	}
	p.begin()
	p.plies++
	p.inner = p.inner && strings.HasPrefix(strings.TrimLeft(p.reader.rest, " \t\r\n"), "{book")
	if p.inner {
		p.book = append(p.book, strings.TrimRight(text, "+#!?"))
	}
	return nil
}

// looksLikeMove tells moves in SAN or in UCI form from other words, without a board.
func looksLikeMove(word string) bool {
	word = strings.TrimRight(word, "+#!?")
	if word == "O-O" || word == "O-O-O" || word == "0-0" || word == "0-0-0" || word == "--" {
		return true
	}
	if len(word) < 2 || strings.Trim(word, "abcdefgh12345678KQRBNPx=-qrn:@") != "" {
		return false
	}
	return strings.ContainsAny(word, "12345678") && strings.ContainsAny(word, "abcdefgh")
}

func (p *pgnGames) result(text string) error {
	if p.line == 0 {
		return fmt.Errorf("%s without a game", text)
	}
	l := listed{line: p.line, white: p.tags["White"], black: p.tags["Black"], result: text, round: -1, plies: p.plies}
	for _, name := range []string{"White", "Black"} {
		if p.tags[name] == "" {
			return fmt.Errorf("the game has no %s tag", name)
		}
	}
	said, ok := p.tags["Result"]
	switch {
	case text == "*" || said == "*":
		p.cut("is unfinished")
		return nil
	case ok && said != text:
		return fmt.Errorf("the game ends with %s, its Result tag is %q", text, said)
	}
	l.first = l.white
	round, game, _ := strings.Cut(p.tags["Round"], ".")
	if game == "2" { // of the pair, which may end before the first
		l.first = l.black
	}
	if n, err := strconv.Atoi(round); err == nil && n >= 0 {
		l.round = n
	}
	fen := strings.Fields(p.tags["FEN"])
	l.opening = strings.Join(fen[:min(len(fen), 4)], " ") + "|" + strings.Join(p.book, " ")
	switch t := strings.ToLower(p.tags["Termination"]); t {
	case "time forfeit", "timeout":
		l.failure = FailureTime
	case "rules infraction", "illegal move":
		l.failure = FailureIllegal
	case "abandoned", "stalled connection", "disconnect":
		l.failure = FailureCrash
	}
	p.list = append(p.list, l)
	p.line = 0
	return nil
}
