package player

import (
	"errors"
	"time"

	"tesla/uci/option"
)

// Session are the options of a player in process that the UCI session obeys where the searcher is an engine of its own.
// The match obeys them instead.
type Session struct {
	MultiPV  int            // lines that it searches, of which it plays the best; 0: one
	Overhead *time.Duration // that it keeps in hand for each move; nil: that of the match
}

// Session reads the options of a player in process that are not the searcher's, and returns a player without them.
// Ponder, UCI_ShowWDL, UCI_ShowSure, UCI_Chess960 and Clear Hash change nothing in the searcher: the match reads Ponder, a score is a
// score, the match says whether it is Chess960, and each game begins with an empty table.
func (p *Player) Session() (s Session, searcher Player, err error) {
	searcher = *p
	searcher.Options = nil
	milliseconds, ignored, debugLog := -1, false, ""
	options := []option.Option{
		{Name: "MultiPV", Value: option.Number[int]{To: &s.MultiPV, Min: 1, Max: 218}},
		{Name: "Move Overhead", Value: option.Number[int]{To: &milliseconds, Max: 5000}},
		{Name: "Ponder", Value: option.Check{To: &ignored}},
		{Name: "UCI_ShowWDL", Value: option.Check{To: &ignored}},
		{Name: "UCI_ShowSure", Value: option.Check{To: &ignored}},
		{Name: "UCI_Chess960", Value: option.Check{To: &ignored}},
		{Name: "Clear Hash", Value: option.Button{Press: func() {}}},
		{Name: "Debug Log File", Value: option.Text{To: &debugLog}},
	}
	var errs []error
	for _, given := range p.Options {
		o, err := option.Find(options, given.Name)
		if err != nil {
			searcher.Options = append(searcher.Options, given)
			continue
		}
		if _, err := o.Change(given.Value); err != nil {
			errs = append(errs, err)
		}
	}
	if debugLog != "" {
		errs = append(errs, errors.New("option Debug Log File: a player in process has no UCI traffic"))
	}
	if milliseconds >= 0 {
		overhead := time.Duration(milliseconds) * time.Millisecond
		s.Overhead = &overhead
	}
	return s, searcher, errors.Join(errs...)
}
