package engine

import (
	"tesla/batcher"
	"tesla/search"
	"tesla/search/sure"
)

// MostJudged is the most threads of the searches that models of sureness were fitted to.
const MostJudged = 2

// sure is what judges a searcher on a backend, with leaves of a depth: its fitted model, or a trace alone.
func (e *Engine) sure(on batcher.Info, set *Settings, depth int) (*sure.Model, error) {
	if e.sureness != nil {
		return &sure.Model{Trace: e.sureness}, nil
	}
	return fitted(on, set, depth)
}

// fitted is the model of sureness that was fitted to a searcher on a backend, with leaves of a depth; nil where there is none: on
// other nets, with more threads and with other words for the searcher. Only a tree deepens leaves.
func fitted(on batcher.Info, set *Settings, depth int) (*sure.Model, error) {
	if set.SearchOptions != "" || set.LimitStrength || set.Threads > MostJudged {
		return nil, nil
	}
	if set.alphaBeta() {
		depth = 0
	}
	return sure.Of(set.Search, on.Model, depth)
}

// States reports whether a searcher with the settings, on what OpenBackend opens for them, would state how sure it is.
func (s Settings) States(on batcher.Info) (bool, error) {
	s = s.Limited()
	s.Search = s.searchOn(on.Name)
	m, err := fitted(on, &s, s.leafDepth(on.Name))
	return m != nil, err
}

// StatesSureness reports whether the searcher states how sure it is: a model was fitted to it and its net.
func (s *Searcher) StatesSureness() bool { return s.sureness != nil }

// boundSure gives a search that is to end when it is sure, but cannot tell, the time of a move whose clock is unknown.
func (s *Searcher) boundSure(lim *search.Limits) {
	if lim.SureAlone() && (s.sureness == nil || !lim.Judged()) {
		lim.MoveTime = search.DefaultThink
	}
}
