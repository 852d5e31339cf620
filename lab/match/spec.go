package match

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// Option is a UCI option and its value.
type Option struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Player says who plays: an external engine when Cmd is set, else a searcher in process.
type Player struct {
	Name    string   `json:"name,omitempty"`   // in PGN and reports; empty: made from the rest
	Cmd     string   `json:"cmd,omitempty"`    // program of a UCI engine: in PATH, or relative to the current directory
	Args    []string `json:"args,omitempty"`   // its arguments
	Dir     string   `json:"dir,omitempty"`    // its working directory
	Log     string   `json:"-"`                // file for all that is said, and its stderr; at most 32 MiB in two files
	Search  string   `json:"search,omitempty"` // in process only, as Backend and Weights
	Backend string   `json:"backend,omitempty"`
	Weights string   `json:"weights,omitempty"`
	Threads int      `json:"threads,omitempty"` // 0: the default; an engine must have the option Threads, likewise Hash
	Hash    int      `json:"hash,omitempty"`    // MiB
	Clock   Clock    `json:"-"`                 // a journal has the condition in words, as that of Nodes and Evals
	Nodes   int64    `json:"-"`
	Evals   int64    `json:"-"`
	Options []Option `json:"options,omitempty"` // set in this order
}

// ParsePlayer reads "key=value,key=value". Keys are name, cmd, args, dir, log, search, backend, weights, threads, hash, tc,
// nodes, evals and option.X for any UCI option X. A value may be quoted by ' or ", wholly or in part, to hold commas
// and blanks; args are split at blanks, with quotes of their own kind inside. The error names the key.
func ParsePlayer(s string) (Player, error) {
	var p Player
	pairs, err := parsePairs(s)
	if err != nil {
		return p, fmt.Errorf("player %q: %w", s, err)
	}
	seen := map[string]bool{}
	for _, pair := range pairs {
		if seen[pair.Name] {
			return Player{}, fmt.Errorf("player %q: %s is given twice", s, pair.Name)
		}
		seen[pair.Name] = true
		if err := p.set(pair.Name, pair.Value); err != nil {
			return Player{}, fmt.Errorf("player %q: %s: %w", s, pair.Name, err)
		}
	}
	if p.Cmd == "" && (len(p.Args) > 0 || p.Dir+p.Log != "") {
		return Player{}, fmt.Errorf("player %q: args, dir and log need cmd", s)
	}
	if p.Cmd != "" && p.Search+p.Backend+p.Weights != "" {
		return Player{}, fmt.Errorf("player %q: search, backend and weights are for players in process; use option.X with cmd", s)
	}
	return p, nil
}

func (p *Player) set(key, value string) (err error) {
	if name, ok := strings.CutPrefix(key, "option."); ok {
		if name == "" {
			return fmt.Errorf("no name behind the dot")
		}
		p.Options = append(p.Options, Option{name, value})
		return nil
	}
	if value == "" {
		return fmt.Errorf("no value")
	}
	switch key {
	case "name":
		p.Name = value
	case "cmd":
		p.Cmd = value
	case "args":
		p.Args, err = splitQuoted(value, ' ')
	case "dir":
		p.Dir = value
	case "log":
		p.Log = value
	case "search":
		p.Search = value
	case "backend":
		p.Backend = value
	case "weights":
		p.Weights = value
	case "threads":
		p.Threads, err = positive(value)
	case "hash":
		p.Hash, err = positive(value)
	case "tc":
		p.Clock, err = ParseClock(value)
	case "nodes", "evals":
		var n int
		n, err = positive(value)
		if key == "nodes" {
			p.Nodes = int64(n)
		} else {
			p.Evals = int64(n)
		}
	default:
		return fmt.Errorf("unknown key; there are name, cmd, args, dir, log, search, backend, weights, threads, hash, tc, nodes, evals, option.X")
	}
	return err
}

func positive(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is not a number above 0", s)
	}
	return n, nil
}

// label is the name, or one made from the program or the search.
func (p *Player) label() string {
	switch {
	case p.Name != "":
		return p.Name
	case p.Cmd != "":
		return filepath.Base(p.Cmd)
	case p.Search != "":
		return "tesla-" + p.Search
	}
	return "tesla"
}

// labels are the names of the players, told apart by letters where they are the same.
func labels(players ...*Player) []string {
	count := map[string]int{}
	for _, p := range players {
		count[p.label()]++
	}
	names := make([]string, len(players))
	for i, p := range players {
		if names[i] = p.label(); count[names[i]] > 1 {
			names[i] += fmt.Sprintf(" (%s)", letter(i))
		}
	}
	return names
}

// letter is a, b, c for players 0, 1, 2, and a number from the 27th on.
func letter(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return strconv.Itoa(i + 1)
}

// options are the keys of ParsePlayer that say what a player is made of, for a PGN tag.
func (p *Player) options() string {
	var parts []string
	add := func(key, value string) {
		if value != "" && value != "0" {
			parts = append(parts, key+"="+value)
		}
	}
	add("search", p.Search)
	add("backend", p.Backend)
	add("threads", strconv.Itoa(p.Threads))
	add("hash", strconv.Itoa(p.Hash))
	add("args", strings.Join(p.Args, " "))
	for _, o := range p.Options {
		parts = append(parts, "option."+o.Name+"="+o.Value)
	}
	return strings.Join(parts, ",")
}

func parsePairs(s string) ([]Option, error) {
	parts, err := splitQuoted(s, ',')
	if err != nil {
		return nil, err
	}
	var pairs []Option
	for _, part := range parts {
		key, value, ok := strings.Cut(part, "=")
		if !ok {
			return nil, fmt.Errorf("%q is not key=value", part)
		}
		pairs = append(pairs, Option{strings.TrimSpace(key), value})
	}
	return pairs, nil
}

// splitQuoted splits at the separator outside quotes, drops the outer quotes and empty parts.
func splitQuoted(s string, separator rune) ([]string, error) {
	var parts []string
	var part strings.Builder
	var quote rune
	for _, c := range s {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			} else {
				part.WriteRune(c)
			}
		case c == '"' || c == '\'':
			quote = c
		case c == separator:
			if part.Len() > 0 {
				parts = append(parts, part.String())
			}
			part.Reset()
		default:
			part.WriteRune(c)
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote %c is not closed", quote)
	}
	if part.Len() > 0 {
		parts = append(parts, part.String())
	}
	return parts, nil
}
