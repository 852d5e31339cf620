package match

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"tesla/lab/match/stats"
)

// incident is a kind of stats.Incidents.
type incident uint8

const (
	illegalPV incident = iota
	otherMove
	unasked
	overlong
	restarted
	badQuit
	errorSaid
	otherNet
	otherNodes
	incidentKinds
)

// incidentNames are the names of the kinds in a journal, which are those in the JSON of stats.Incidents.
var incidentNames = [incidentKinds]string{"illegal_pv", "other_move", "unasked", "overlong", "restarts", "bad_quit",
	"errors", "changes", "other_nodes"}

// maxWarnings is how many incidents of a kind are reported for each player. Further ones are counted only.
const maxWarnings = 10

// incidentLine is what happened in a game, as a journal has it: how often, and the first case in words.
type incidentLine struct {
	Player string `json:"player"`
	Kind   string `json:"kind"` // see incidentNames
	Count  int    `json:"count"`
	Text   string `json:"text"`
}

// tells reports whether a player that had the incident may have played with another evaluation than asked.
func (l *incidentLine) tells() bool {
	return l.Kind == incidentNames[errorSaid] || l.Kind == incidentNames[otherNet]
}

// happenings collects the incidents of a player in a game. Several goroutines may add.
type happenings struct {
	mu   sync.Mutex
	list []incidentLine
}

func (h *happenings) add(name string, kind incident, n int, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.list {
		if h.list[i].Kind == incidentNames[kind] {
			h.list[i].Count += n
			return
		}
	}
	h.list = append(h.list, incidentLine{name, incidentNames[kind], n, text})
}

// text is the first case of a kind in words, empty where there was none.
func (h *happenings) text(kind incident) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.list {
		if h.list[i].Kind == incidentNames[kind] {
			return h.list[i].Text
		}
	}
	return ""
}

// take returns what was collected, and begins anew.
func (h *happenings) take() (list []incidentLine) {
	h.mu.Lock()
	defer h.mu.Unlock()
	list, h.list = h.list, nil
	return list
}

// happened counts n incidents of the seat's player, for the game in hand and for the match.
func (s *seat) happened(kind incident, n int, text string) {
	if n > 0 && (kind != otherMove || !s.spec.Limited()) { // a player that is to play weakly chooses among lines
		s.happenings.add(s.name, kind, n, text)
		s.shared.happened(s.side, kind, n, text)
	}
}

// happened counts n incidents of a player and reports the first ones.
func (v *shared) happened(side int, kind incident, n int, text string) {
	if n == 0 {
		return
	}
	most := int64(maxWarnings)
	if kind == otherNodes {
		most = 1
	}
	switch total := v.add(side, kind, n, text); {
	case total-int64(n) >= most:
		return
	case total >= most:
		text += " (further ones are only counted)"
	}
	v.say(v.names[side] + ": " + text)
}

// add counts n incidents of a player. It keeps the text of one that the result has to tell; of other nodes, one case tells all.
func (v *shared) add(side int, kind incident, n int, text string) (total int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	count := &v.count[side][kind]
	if kind >= errorSaid && (kind != otherNodes || count.Load() == 0) && len(v.reports[side]) < maxWarnings && !slices.Contains(v.reports[side], text) {
		v.reports[side] = append(v.reports[side], text)
	}
	return count.Add(int64(n))
}

// restore counts the incidents of a game from a journal, whose players and kinds are known.
func (v *shared) restore(list []incidentLine) {
	for _, l := range list {
		side, kind := slices.Index(v.names, l.Player), slices.Index(incidentNames[:], l.Kind)
		v.add(side, incident(kind), l.Count, l.Text)
	}
}

// identify takes what a player plays with, and returns what it played with at first where that differs.
func (v *shared) identify(side int, plays string) (first string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.plays[side] == "" {
		v.plays[side] = plays
	}
	if v.plays[side] == plays {
		return ""
	}
	return v.plays[side]
}

// incidents are the counts of each player so far.
func (v *shared) incidents() []stats.Incidents {
	list := make([]stats.Incidents, len(v.count))
	for side := range list {
		c := &v.count[side]
		list[side] = stats.Incidents{
			IllegalPV: c[illegalPV].Load(), OtherMove: c[otherMove].Load(), Unasked: c[unasked].Load(),
			Overlong: c[overlong].Load(), Restarts: c[restarted].Load(), BadQuit: c[badQuit].Load(),
			Errors: c[errorSaid].Load(), Changes: c[otherNet].Load(), OtherNodes: c[otherNodes].Load(),
		}
	}
	return list
}

// identity is what the result tells of a player beside counts.
func (v *shared) identity(side int) (plays string, reports []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.plays[side], slices.Clone(v.reports[side])
}

// incidentText is what happened in a game, for a tag. A stable PGN tells only what may have changed the moves.
func (r *record) incidentText(stable bool) string {
	var texts []string
	for _, l := range r.Incidents {
		if !stable || l.tells() {
			texts = append(texts, fmt.Sprintf("%s: %s %d: %s", l.Player, l.Kind, l.Count, l.Text))
		}
	}
	return strings.Join(texts, "; ")
}
