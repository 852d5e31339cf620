package uci

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tesla/internal/output"
	"tesla/uci/option"
)

// Ranges of the session's own options.
const (
	maxMultiPV    = 218
	maxOverheadMS = 5000
	maxBookDepth  = 1000
)

// preferences are the options that the session itself obeys.
type preferences struct {
	multiPV    int
	ponder     bool // accepted: the GUI decides whether to ponder
	overheadMS int
	chess960   bool
	showWDL    bool
	showSure   bool
	debugLog   string
	ownBook    bool
	bookFile   string
	bookDepth  int // moves of a game
	saveTree   string
	loadTree   string
}

// declareOptions joins the session's own options and those of the engine. What matters in play comes first, where GUIs
// show it: the engine's options up to Hash, then the session's.
func (s *session) declareOptions(engine []option.Option) []option.Option {
	p := &s.prefs
	play := []option.Option{
		{Name: "MultiPV", Value: option.Number[int]{To: &p.multiPV, Min: 1, Max: maxMultiPV}},
		{Name: "Ponder", Value: option.Check{To: &p.ponder}},
		{Name: "Move Overhead", Value: option.Number[int]{To: &p.overheadMS, Max: maxOverheadMS}},
		{Name: "UCI_Chess960", Value: option.Check{To: &p.chess960}},
		{Name: "UCI_ShowWDL", Value: option.Check{To: &p.showWDL}},
		{Name: "UCI_ShowSure", Value: option.Check{To: &p.showSure}},
	}
	upkeep := []option.Option{
		{Name: "OwnBook", Value: option.Check{To: &p.ownBook}},
		{Name: "BookFile", Value: option.Text{To: &p.bookFile}},
		{Name: "BookDepth", Value: option.Number[int]{To: &p.bookDepth, Min: 1, Max: maxBookDepth}},
		{Name: "Debug Log File", Value: option.Text{To: &p.debugLog}},
		{Name: "SaveTree", Value: option.Text{To: &p.saveTree}},
		{Name: "LoadTree", Value: option.Text{To: &p.loadTree}},
		{Name: "Clear Hash", Value: option.Button{Press: func() { s.forget, s.stale = true, true }}},
	}
	first := 1 + slices.IndexFunc(engine, func(o option.Option) bool { return o.Name == "Hash" })
	return slices.Concat(engine[:first], play, engine[first:], upkeep)
}

// setOption obeys "name N [value V]"; both may hold spaces.
func (s *session) setOption(words []string) {
	name, value, hasValue := "", "", false
	for i, w := range words {
		if i == 0 && w == "name" {
			continue
		}
		if w == "value" {
			value, hasValue = strings.Join(words[i+1:], " "), true
			break
		}
		name = strings.TrimSpace(name + " " + w)
	}
	if name == "" {
		s.fail("setoption: no name given")
		return
	}
	o, err := option.Find(s.options, name)
	if err != nil {
		s.fail("setoption: %v", err)
		return
	}
	switch o.Value.(type) {
	case option.Button, option.Text: // may lack a value
	default:
		if !hasValue {
			s.fail("option %s: no value given", o.Name)
			return
		}
	}
	changed, err := o.Change(value)
	if err != nil {
		s.fail("%v; still %s", err, o)
		return
	}
	if changed && o.Remake {
		s.dirty, s.stale = true, true
	}
	switch o.Name {
	case "Debug Log File":
		s.openLog()
	case "BookFile":
		s.openBook()
	case "SaveTree":
		s.save()
	case "LoadTree":
		s.stale = s.stale || s.prefs.loadTree != ""
	}
}

// logTime is how each line of the log begins.
const logTime = "2006-01-02 15:04:05.000"

// isLog recognizes a log by the time at its beginning.
func isLog(head []byte) bool {
	_, err := time.Parse(logTime, string(head[:min(len(head), len(logTime))]))
	return err == nil
}

// openLog begins to copy both directions to the file of the option, appending, or ends it.
func (s *session) openLog() {
	s.closeLog()
	if s.prefs.debugLog == "" {
		return
	}
	f, err := output.Append(s.prefs.debugLog, isLog)
	if err != nil {
		s.prefs.debugLog = ""
		s.fail("option Debug Log File: %v", err)
		return
	}
	s.log = f
}

func (s *session) closeLog() {
	if s.log != nil {
		s.log.Close()
		s.log = nil
	}
}

// note writes one line to the log: the time, the direction, the text. The log ends where it cannot be written.
func (s *session) note(direction, line string) {
	if s.log == nil {
		return
	}
	if _, err := fmt.Fprintf(s.log, "%s %s %s\n", time.Now().Format(logTime), direction, line); err != nil {
		s.closeLog()
		s.prefs.debugLog = ""
		s.fail("option Debug Log File: %v; the log ends here", err)
	}
}
