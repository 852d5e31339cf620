package match

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// Option is a UCI option and its value.
type Option struct{ Name, Value string }

// Player says who plays: an external engine when Cmd is set, else a searcher in process.
type Player struct {
	Name    string   // in PGN and reports; empty: made from the rest
	Cmd     string   // program of a UCI engine, looked up in PATH, relative to the current directory
	Args    []string // its arguments
	Dir     string   // its working directory
	Log     string   // file for all that passes between it and the runner, and its stderr; at most 32 MiB in two files
	Search  string   // in process only, as Backend and Weights
	Backend string
	Weights string
	Threads int // 0: the player's default; an engine must have the option Threads, likewise Hash
	Hash    int // MiB
	Clock   Clock
	Nodes   int64
	Evals   int64
	Options []Option // set in this order
}

// ParsePlayer reads "key=value,key=value". Keys are name, cmd, args, dir, log, search, backend, weights, threads, hash, tc, nodes,
// evals and option.X for any UCI option X. A value may be quoted by ' or ", wholly or in part, to hold commas and blanks;
// args are split at blanks, with quotes of their own kind inside. The error names the key.
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

// labels are the names of both players, told apart where they are the same.
func labels(a, b *Player) (string, string) {
	x, y := a.label(), b.label()
	if x == y {
		return x + " (a)", y + " (b)"
	}
	return x, y
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
