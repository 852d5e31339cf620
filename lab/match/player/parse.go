package player

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Parse reads "key=value,key=value". Keys are name, cmd, args, dir, log, search, backend, weights, threads, hash, tc,
// nodes, evals and option.X for any UCI option X. A value may be quoted by ' or ", wholly or in part, so that it can
// hold commas and blanks. The value of args is split at blanks; the other kind of quote keeps an argument together. The
// error names the key.
func Parse(s string) (Player, error) {
	var p Player
	pairs, err := Pairs(s)
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
		return Player{}, fmt.Errorf("player %q: search, backend and weights need a player in process; cmd takes option.X", s)
	}
	return p, nil
}

// ParseEach reads players whose settings common holds as well. A player's own setting is before the common one.
func ParseEach(common, own string) (Player, error) {
	if common == "" {
		return Parse(own)
	}
	base, err := Pairs(common)
	if err != nil {
		return Player{}, fmt.Errorf("each %q: %w", common, err)
	}
	pairs, err := Pairs(own)
	if err != nil {
		return Player{}, fmt.Errorf("player %q: %w", own, err)
	}
	kept := own
	limits := []string{"tc", "nodes", "evals"}
	for _, b := range base {
		mine := slices.ContainsFunc(pairs, func(p Option) bool {
			return p.Name == b.Name || slices.Contains(limits, p.Name) && slices.Contains(limits, b.Name)
		})
		if !mine {
			kept += "," + b.Name + "=" + quoted(b.Value)
		}
	}
	return Parse(strings.TrimPrefix(kept, ","))
}

// quoted is a value as Parse reads it.
func quoted(value string) string {
	if strings.Contains(value, "'") {
		return `"` + value + `"`
	}
	return "'" + value + "'"
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
	texts := map[string]*string{"name": &p.Name, "cmd": &p.Cmd, "dir": &p.Dir, "log": &p.Log, "search": &p.Search, "backend": &p.Backend,
		"weights": &p.Weights}
	if to := texts[key]; to != nil {
		*to = value
		return nil
	}
	var nodes int
	switch key {
	case "args":
		p.Args, err = splitQuoted(value, ' ')
	case "threads":
		p.Threads, err = positive(value)
	case "hash":
		p.Hash, err = positive(value)
	case "tc":
		p.Condition.Clock, err = ParseClock(value)
	case "nodes":
		nodes, err = positive(value)
		p.Condition.Nodes = int64(nodes)
	case "evals":
		nodes, err = positive(value)
		p.Condition.Evals = int64(nodes)
	default:
		return fmt.Errorf("unknown key; the keys are name, cmd, args, dir, log, search, backend, weights, threads, hash, " +
			"tc, nodes, evals and option.X")
	}
	return err
}

func positive(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is not a whole number above 0", s)
	}
	return n, nil
}

// Pairs reads "key=value,key=value". A value may be quoted by ' or ", wholly or in part.
func Pairs(s string) ([]Option, error) {
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
