package stats

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tesla/internal/slow"
)

func TestReport(t *testing.T) {
	slow.Test(t)
	test := &SPRT{Elo0: 0, Elo1: 50, Alpha: 0.05, Beta: 0.05}
	r := rand.New(rand.NewPCG(8, 9))
	many := make([]GameFact, 3000)
	for i := range many {
		many[i] = GameFact{Game: i, AWhite: i%2 == 0, Points: min(r.IntN(4), 2), Plies: 40 + r.IntN(100)}
	}
	same := []GameFact{{Game: 0, AWhite: true, Points: 2, Plies: 60}, {Game: 1, AWhite: false, Points: 2, Plies: 60}, {Game: 2, AWhite: true, Points: 2, Plies: 60}, {Game: 3, AWhite: false, Points: 2, Plies: 60}}
	for _, c := range []struct {
		name  string
		facts []GameFact
		test  *SPRT
		plots string
		words string
	}{
		{"many games", many, test, "elo llr ptnml lengths", "H1 accepted"},
		{"no test", many, nil, "elo ptnml lengths", "None: no test, or no pair"},
		{"all the same", same, test, "elo llr ptnml lengths", "no bound"},
		{"one game", same[:1], test, "lengths", "None: too few games"},
		{"nothing", nil, nil, "", "Games"},
	} {
		dir := filepath.Join(t.TempDir(), "new", "folder")
		if err := (&Report{nil, [2]string{"x <1>", "y & z"}, c.facts, c.test}).Write(dir); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		page, err := os.ReadFile(filepath.Join(dir, "report.html"))
		if err != nil || !bytes.Contains(page, []byte(c.words)) || !bytes.Contains(page, []byte("x &lt;1&gt; - y &amp; z")) {
			t.Errorf("%s: %v, %s", c.name, err, page)
		}
		plots := strings.Fields(c.plots)
		if files, err := os.ReadDir(dir); err != nil || len(files) != 2*len(plots)+1 {
			t.Errorf("%s: %v, %v", c.name, files, err)
		}
		for _, p := range plots {
			if !bytes.Contains(page, []byte(p+".svg")) || !bytes.Contains(page, []byte(p+".png")) {
				t.Errorf("%s: the page lacks %s", c.name, p)
			}
			data, err := os.ReadFile(filepath.Join(dir, p+".png"))
			if err != nil {
				t.Fatal(err)
			}
			if picture, err := png.Decode(bytes.NewReader(data)); err != nil || picture.Bounds().Dx() < 400 {
				t.Errorf("%s: %s.png: %v", c.name, p, err)
			}
			if data, err = os.ReadFile(filepath.Join(dir, p+".svg")); err != nil || len(data) > 400_000 {
				t.Errorf("%s: %s.svg: %d bytes, %v", c.name, p, len(data), err)
			}
			d := xml.NewDecoder(bytes.NewReader(data))
			for err = nil; err == nil; _, err = d.Token() {
			}
			if !errors.Is(err, io.EOF) || bytes.Contains(data, []byte("NaN")) {
				t.Errorf("%s: %s.svg: %v", c.name, p, err)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (&Report{}).Write(filepath.Join(file, "below")); err == nil {
		t.Error("a folder below a file")
	}
}

// TestReportReads checks what a reader on a phone needs: the width of the screen, each title once, one font, and whole numbers of games,
// pairs and moves.
func TestReportReads(t *testing.T) {
	dir, facts := t.TempDir(), make([]GameFact, 7)
	head := &Head{Players: []Entrant{{Name: "x", Condition: "1+0.01", Plays: "Some <engine> 3, threads 1, hash 16 MiB"}}, Total: 7, Openings: "balanced"}
	for i := range facts {
		facts[i] = GameFact{Game: i, AWhite: i%2 == 0, Points: i % 3, Plies: 41 + i}
	}
	if err := (&Report{head, [2]string{"x", "y"}, facts, &SPRT{Elo1: 5, Alpha: 0.05, Beta: 0.05}}).Write(dir); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil || !bytes.Contains(whole, []byte(`name="viewport"`)) {
		t.Errorf("%v: the page does not follow the width of the screen", err)
	}
	if !bytes.Contains(whole, []byte("x: 1+0.01, Some &lt;engine&gt; 3, threads 1, hash 16 MiB<br>\n7 games, openings balanced")) {
		t.Errorf("the page does not say who played: %s", whole)
	}
	for _, p := range reportPlots {
		data, err := os.ReadFile(filepath.Join(dir, p.name+".svg"))
		if err != nil {
			t.Fatal(err)
		}
		labels := regexp.MustCompile(`(?s)<text[^>]*font-family:([^;"]*)[^>]*>([^<]*)`).FindAllSubmatch(data, -1)
		if len(labels) < 5 || bytes.Contains(data, []byte(p.title)) {
			t.Errorf("%s has %d labels, or the title that the page has", p.name, len(labels))
		}
		for _, l := range labels {
			if string(l[1]) != "Liberation Sans" {
				t.Errorf("%s: %s is in %s", p.name, l[2], l[1])
			}
			if (p.name == "lengths" || p.name == "ptnml") && bytes.ContainsRune(l[2], '.') {
				t.Errorf("%s has the label %s", p.name, l[2])
			}
		}
	}
}

// TestTableReport writes the report of a gauntlet: the cross table, the pairings and the ratings.
func TestTableReport(t *testing.T) {
	var pairings []Pairing
	for second, points := range []int{2, 1, 0} {
		var tally Tally
		for g := range 8 {
			tally.Add(GameFact{Game: g, AWhite: g%2 == 0, Points: (points + g) % 3, Plies: 50})
		}
		pairings = append(pairings, Pairing{First: "new", Second: string(rune('a' + second)), Result: tally.Result(), Sides: [2]int{0, second + 1}})
	}
	table := NewTable([]Rating{{Name: "new"}, {Name: "a"}, {Name: "b"}, {Name: "c & d"}}, pairings)
	dir := t.TempDir()
	if err := WriteTableReport(dir, &table); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Match of 4 players", "c &amp; d", "<td>new - a</td><td>8</td>", "/8</td><td>-</td>", "ratings.svg"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page lacks %s: %s", want, page)
		}
	}
	for _, name := range []string{"ratings.svg", "ratings.png"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := WriteTableReport(dir, &table); err != nil {
		t.Errorf("an earlier report is not replaced: %v", err)
	}
}
