package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// spoken are the forms of the lines that other programs read without harm wherever they come: declarations of options as
// the protocol has them, text, and the move that is searched now. Reports are parsed.
var spoken = regexp.MustCompile(`^(id (name|author) .+` +
	`|option name \S.* type (check default (true|false)|spin default -?\d+ min -?\d+ max \d+|combo default \S+( var \S+)+|string default .+|button)` +
	`|info string \S.*|info depth \d+ currmove \w+ currmovenumber \d+)$`)

// The conversations of testdata/guis with other programs: "> " is what the program sends, "< " a line that must come, as
// a regular expression. Lines before it are reports or text; no other answer comes unasked.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/guis/*.txt")
	if err != nil || len(files) < 7 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			p := startProgram(t)
			for number, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
				switch direction, rest, _ := strings.Cut(line, " "); direction {
				case ">":
					if _, err := p.in.Write([]byte(rest + "\n")); err != nil {
						t.Fatalf("line %d: %v", number+1, err)
					}
				case "<":
					if why := p.reply(rest); why != "" {
						t.Fatalf("line %d, %s: %s", number+1, rest, why)
					}
				case "#":
				default:
					t.Fatalf("line %d: %q", number+1, line)
				}
			}
			if code, err := p.end(10 * time.Second); err != nil || code != exitDone || p.stderr.String() != "" {
				t.Errorf("exit code %d, %v, %s", code, err, p.stderr.String())
			}
		})
	}
}

// reply waits for a line of a form, and says what is wrong with it or with the lines before it; empty: nothing.
func (p *program) reply(form string) (why string) {
	wanted := regexp.MustCompile("^" + form + "$")
	late := time.After(30 * time.Second)
	for {
		select {
		case l, open := <-p.lines:
			text := strings.TrimSuffix(l.text, "\r")
			switch {
			case !open:
				return "the engine has ended: " + p.stderr.String()
			case strings.HasPrefix(text, "info string error"):
				return text
			case strings.HasPrefix(text, "info ") && !spoken.MatchString(text):
				if _, err := parseReport(text); err != nil {
					return text + ": " + err.Error()
				}
			case !spoken.MatchString(text) && !wanted.MatchString(text):
				return "unasked: " + text
			}
			if wanted.MatchString(text) {
				return ""
			}
		case <-late:
			return "no such line"
		}
	}
}
