// Package player says who plays a match: a player's spec, how it is read from text, and what limits its moves.
package player

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

// Player says who plays: an external UCI engine where Cmd is set, else a searcher in this process.
type Player struct {
	Name    string   `json:"name,omitempty"`   // in PGN and reports; empty: made from the rest
	Cmd     string   `json:"cmd,omitempty"`    // program of the engine: in PATH, or relative to the current directory
	Args    []string `json:"args,omitempty"`   // its arguments
	Dir     string   `json:"dir,omitempty"`    // its working directory
	Log     string   `json:"-"`                // file for all that passes, and its stderr; at most 32 MiB in two files
	Search  string   `json:"search,omitempty"` // this and the next two are for players in process only
	Backend string   `json:"backend,omitempty"`
	Weights string   `json:"weights,omitempty"`
	Threads int      `json:"threads,omitempty"` // 0: the default; an engine must have an option Threads
	Hash    int      `json:"hash,omitempty"`    // MiB, 0: the default; an engine must have an option Hash
	Options []Option `json:"options,omitempty"` // set in this order

	// Condition limits the moves of this player alone. A journal holds it as text.
	Condition Condition `json:"-"`
}

// Label is the name, or one made from the program or the search.
func (p *Player) Label() string {
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

// Labels are the names of the players. A letter tells apart those that are the same.
func Labels(players []Player) []string {
	count := map[string]int{}
	for i := range players {
		count[players[i].Label()]++
	}
	names := make([]string, len(players))
	for i := range players {
		if names[i] = players[i].Label(); count[names[i]] > 1 {
			names[i] += fmt.Sprintf(" (%s)", Letter(i))
		}
	}
	return names
}

// Letter is a, b, c for players 0, 1, 2, and a number from the 27th on.
func Letter(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return strconv.Itoa(i + 1)
}

// Settings are the keys of Parse that say what a player is made of, for a PGN tag.
func (p *Player) Settings() string {
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

// Cores is how many cores the player uses: its threads, and 1 where it does not tell them.
func (p *Player) Cores() int {
	if p.Threads > 0 {
		return p.Threads
	}
	if n, err := strconv.Atoi(p.Option("Threads")); err == nil && n > 0 {
		return n
	}
	return 1
}

// Limited reports whether an option limits the player's strength.
func (p *Player) Limited() bool {
	return strings.EqualFold(p.Option("UCI_LimitStrength"), "true") || p.Option("Skill Level") != ""
}

// Option is the value that the player gives a UCI option: the last one where there are several, empty where there is
// none.
func (p *Player) Option(name string) string {
	value := ""
	for _, o := range p.Options {
		if strings.EqualFold(o.Name, name) {
			value = o.Value
		}
	}
	return value
}
