package web

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tesla/lab/match"
)

// A report holds all that its page needs: each module that another one imports, and the games of the journal with their
// moves, or those of a PGN file without. It replaces an earlier report and nothing else.
func TestReport(t *testing.T) {
	folder := t.TempDir()
	lines, _ := playMatch(t, "new", "<old>")
	journal, file := filepath.Join(folder, "j"), filepath.Join(folder, "r.html")
	writeFile(t, journal, strings.Join(lines, ""))
	const pgn = "[Round \"1.1\"]\n[White \"new\"]\n[Black \"<old>\"]\n\n1. e4 1-0\n\n"
	writeFile(t, journal+".pgn", strings.Repeat(pgn, 4))
	for from, moves := range map[string]int{journal: 4, journal + ".pgn": 0} {
		games, err := match.ReadGames(from, "", "")
		if err == nil {
			err = WriteReport(file, games.Followed, from, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		checkModules(t, string(text))
		all := struct {
			Rows  []row
			State state
			Games map[int]replayed
		}{}
		packed := regexp.MustCompile(`id="saved">([^<]*)<`).FindSubmatch(text)[1]
		if err := json.Unmarshal(unpack(t, string(packed)), &all); err != nil {
			t.Fatal(err)
		}
		if len(all.Rows) != 4 || all.State.Played != 4 || all.State.Pairings[0].Games != 4 || len(all.Games) != moves || all.State.Players[1].Name != "<old>" {
			t.Errorf("%d rows, %d games with moves, %+v", len(all.Rows), len(all.Games), all.State)
		}
	}
	if err := CheckReport(file); err != nil {
		t.Error(err)
	}
	if err := CheckReport(journal); err == nil {
		t.Error("a report would replace a journal")
	}
}

// checkModules looks for what the modules of a report import.
func checkModules(t *testing.T, text string) {
	t.Helper()
	var all struct{ Imports map[string]string }
	if err := json.Unmarshal([]byte(regexp.MustCompile(`"importmap">(.*)</script>`).FindStringSubmatch(text)[1]), &all); err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^import .*"(.*)"`)
	for name, at := range all.Imports {
		_, packed, _ := strings.Cut(at, ",")
		module, err := base64.StdEncoding.DecodeString(packed)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range found.FindAllStringSubmatch(string(module), -1) {
			if all.Imports[i[1]] == "" {
				t.Errorf("%s imports %s, which the report does not have", name, i[1])
			}
		}
	}
	if all.Imports["tesla:/match.js"] == "" || len(all.Imports) < 10 {
		t.Errorf("%d modules", len(all.Imports))
	}
}

// unpack is the text of what a report holds.
func unpack(t *testing.T, packed string) []byte {
	t.Helper()
	zip, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
