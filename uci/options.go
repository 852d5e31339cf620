package uci

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"tesla/search"
)

// Settings are the options that a searcher is made from.
type Settings struct {
	Search           string // name of the searcher
	Backend          string // name of the evaluator
	WeightsFile      string // net file; empty: the embedded net
	Server           string // that the backend remote asks: host:port, or host:port/model
	Threads          int
	Hash             int    // MiB
	BatchSize        int    // positions; 0: the searcher's default
	TreeMemory       int    // MiB
	LeafDepth        int    // plies of alpha-beta at a leaf of the best-first search; AutoLeafDepth: by the backend
	SearchOptions    string // words for the searcher: bestfirst.Tuning, puct.Tuning, alphabeta.Options
	VerboseMoveStats bool
}

// AutoLeafDepth leaves the depth of leaves to the engine.
const AutoLeafDepth = -1

// DefaultSettings are the values before the first setoption.
func DefaultSettings() Settings {
	return Settings{Search: "bestfirst", Backend: "auto", Threads: 1, Hash: 16, TreeMemory: 256, LeafDepth: AutoLeafDepth}
}

// Ranges of the numeric options.
const (
	maxThreads    = 1024
	maxMegabytes  = 1 << 25
	maxBatch      = 1024
	maxMultiPV    = 218
	maxOverheadMS = 5000
	maxLeafDepth  = 20
)

// preferences are the options that the session itself obeys.
type preferences struct {
	multiPV    int
	ponder     bool // accepted: pondering is the GUI's decision
	overheadMS int
	chess960   bool
	showWDL    bool
	weakened   bool // UCI_LimitStrength
	elo        int
	debugLog   string
	syzygyPath string
}

// option is one UCI option: the text that declares it and what sets it. Exactly one of number, text, flag and press is
// set.
type option struct {
	name   string
	number *int
	lo, hi int
	text   *string
	choice []string // of text: a combo
	flag   *bool
	press  func()
	remake bool   // the searcher is made anew
	after  func() // runs after a change
}

func (s *session) options() []option {
	set, pref := &s.settings, &s.prefs
	return []option{
		{name: "Threads", number: &set.Threads, lo: 1, hi: maxThreads, remake: true},
		{name: "Hash", number: &set.Hash, lo: 1, hi: maxMegabytes, remake: true},
		{name: "MultiPV", number: &pref.multiPV, lo: 1, hi: maxMultiPV},
		{name: "Ponder", flag: &pref.ponder},
		{name: "Move Overhead", number: &pref.overheadMS, hi: maxOverheadMS},
		{name: "UCI_Chess960", flag: &pref.chess960},
		{name: "UCI_ShowWDL", flag: &pref.showWDL},
		{name: "UCI_LimitStrength", flag: &pref.weakened, remake: true},
		{name: "UCI_Elo", number: &pref.elo, lo: search.MinElo, hi: search.MaxElo},
		{name: "Search", text: &set.Search, choice: s.cfg.Searches, remake: true},
		{name: "Backend", text: &set.Backend, choice: s.cfg.Backends, remake: true},
		{name: "WeightsFile", text: &set.WeightsFile, remake: true},
		{name: "Server", text: &set.Server, remake: true},
		{name: "BatchSize", number: &set.BatchSize, hi: maxBatch, remake: true},
		{name: "TreeMemory", number: &set.TreeMemory, lo: 1, hi: maxMegabytes, remake: true},
		{name: "LeafDepth", number: &set.LeafDepth, lo: AutoLeafDepth, hi: maxLeafDepth, remake: true},
		{name: "SearchOptions", text: &set.SearchOptions, remake: true},
		{name: "VerboseMoveStats", flag: &set.VerboseMoveStats, remake: true},
		{name: "Debug Log File", text: &pref.debugLog, after: s.openLog},
		{name: "SyzygyPath", text: &pref.syzygyPath, after: s.tablebases},
		{name: "Clear Hash", press: func() { s.forget = true }},
	}
}

// declare writes the option as the answer to uci has it.
func (o *option) declare() string {
	head := "option name " + o.name + " type "
	switch {
	case o.number != nil:
		return fmt.Sprintf("%sspin default %d min %d max %d", head, *o.number, o.lo, o.hi)
	case o.flag != nil:
		return fmt.Sprintf("%scheck default %t", head, *o.flag)
	case o.text != nil && o.choice != nil:
		return head + "combo default " + *o.text + " var " + strings.Join(o.choice, " var ")
	case o.text != nil:
		return head + "string default " + orEmpty(*o.text)
	}
	return head + "button"
}

const emptyText = "<empty>"

func orEmpty(s string) string {
	if s == "" {
		return emptyText
	}
	return s
}

// set changes the option to a value as setoption gives it, or says why not.
func (o *option) set(value string) (changed bool, err error) {
	switch {
	case o.number != nil:
		n, err := strconv.Atoi(value)
		if err != nil {
			return false, fmt.Errorf("option %s: %q is not a whole number; still %d", o.name, value, *o.number)
		}
		if n < o.lo || n > o.hi {
			return false, fmt.Errorf("option %s: %d is not in %d..%d; still %d", o.name, n, o.lo, o.hi, *o.number)
		}
		changed, *o.number = n != *o.number, n
	case o.flag != nil:
		on := strings.EqualFold(value, "true")
		if !on && !strings.EqualFold(value, "false") {
			return false, fmt.Errorf("option %s: %q is neither true nor false; still %t", o.name, value, *o.flag)
		}
		changed, *o.flag = on != *o.flag, on
	case o.text != nil && o.choice != nil:
		for _, c := range o.choice {
			if strings.EqualFold(c, value) {
				changed, *o.text = c != *o.text, c
				return changed, nil
			}
		}
		return false, fmt.Errorf("option %s: no %q among %s; still %s", o.name, value, strings.Join(o.choice, ", "), *o.text)
	case o.text != nil:
		if value == emptyText {
			value = ""
		}
		changed, *o.text = value != *o.text, value
	default:
		o.press()
	}
	return changed, nil
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
	for _, o := range s.options() {
		if !strings.EqualFold(o.name, name) {
			continue
		}
		if !hasValue && o.press == nil && (o.text == nil || o.choice != nil) {
			s.fail("option %s: no value given", o.name)
			return
		}
		changed, err := o.set(value)
		if err != nil {
			s.fail("%v", err)
			return
		}
		s.dirty = s.dirty || changed && o.remake
		if o.after != nil {
			o.after()
		}
		return
	}
	s.fail("no option called %q", name)
}

func (s *session) tablebases() {
	if s.prefs.syzygyPath != "" {
		s.say("info string SyzygyPath: tablebases are not used")
	}
}

// openLog begins to copy both directions to the file of the option, appending, or ends it.
func (s *session) openLog() {
	s.closeLog()
	if s.prefs.debugLog == "" {
		return
	}
	f, err := os.OpenFile(s.prefs.debugLog, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
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

// note writes one line to the log: the time, the direction, the text.
func (s *session) note(direction, line string) {
	if s.log != nil {
		io.WriteString(s.log, time.Now().Format("2006-01-02 15:04:05.000 ")+direction+" "+line+"\n")
	}
}
