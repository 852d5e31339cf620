package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The options in docs/guis.md are those of the program, and it takes their values without a complaint.
func TestSettingsForGUIs(t *testing.T) {
	page, err := os.ReadFile("../../docs/guis.md")
	if err != nil {
		t.Fatal(err)
	}
	var found [][2]string
	for _, form := range []string{
		`(?m)^ {8}(\w[\w ]*): (\w+)$`, // lichess-bot
		`option\.(\w+)=(\w+)`,         // fastchess and cutechess
		`"(\w+)": "?(\w+)"?[,}]`,      // python-chess
		`(?m)^ {4}(\w+) = (\w+)$`,     // Polyglot
	} {
		all := regexp.MustCompile(form).FindAllStringSubmatch(string(page), -1)
		if len(all) < 2 {
			t.Errorf("%d options of the form %s in the page", len(all), form)
		}
		for _, m := range all {
			if m[1] != "EngineCommand" {
				found = append(found, [2]string{m[1], m[2]})
			}
		}
	}
	for _, o := range found {
		code, out, errOut := run(t, "uci\nsetoption name "+o[0]+" value "+o[1]+"\nquit\n")
		if code != exitDone || errOut != "" || !strings.Contains(out, "option name "+o[0]+" type ") || strings.Contains(out, "error") {
			t.Errorf("option %s, value %s: code %d, %s %s", o[0], o[1], code, out, errOut)
		}
	}
}
