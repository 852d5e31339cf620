package tablebase

import (
	"crypto/md5"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tesla/board"
	"tesla/tablebase/syzygy"
)

// Folders of the tables of three pieces.
const (
	syzygyTables  = "tabletest/syzygy"
	gaviotaTables = "gaviota/testdata/gtb4"
)

func position(t *testing.T, fen string) board.Position {
	t.Helper()
	p, err := board.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func probeIn(t *testing.T, syzygyPath, gaviotaPath string, p *board.Position) (Result, []error, error) {
	t.Helper()
	tables, notes := Open(Paths{Syzygy: syzygyPath, Gaviota: gaviotaPath})
	r, err := tables.Probe(p)
	if err := tables.Close(); err != nil {
		t.Error(err)
	}
	return r, notes, err
}

// The PV has as many legal moves as DTM says, begins with the best move, and ends in mate.
func TestPV(t *testing.T) {
	for fen, dtm := range map[string]int{
		"8/8/8/3k4/8/8/3KP3/8 w - - 0 1":   43,  // through a promotion
		"8/8/8/3k4/8/8/3KQ3/8 b - - 0 1":   -14, // the side to move is mated
		"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1":   0,   // stalemate
		"7k/6Q1/6K1/8/8/8/8/8 b - - 0 1":   0,   // mate
		"8/8/8/3k4/8/8/3KB3/8 w - - 0 1":   0,   // a draw
		"8/8/8/8/4k3/8/3Kp3/8 w - - 98 70": 0,   // the pawn falls
	} {
		p := position(t, fen)
		r, notes, err := probeIn(t, "", gaviotaTables, &p)
		if err != nil || notes != nil {
			t.Fatalf("%s: %v, %v", fen, notes, err)
		}
		if r.DTM == nil || r.DTZ != nil || *r.DTM != dtm || len(r.PV) != max(dtm, -dtm) {
			t.Errorf("%s: %v, want a DTM of %d", fen, r, dtm)
			continue
		}
		at := p
		for i, text := range r.PV {
			m, err := at.ParseMove(text)
			if err != nil {
				t.Fatalf("%s: move %d: %v", fen, i, err)
			}
			at = at.After(m)
		}
		if dtm != 0 && (at.HasLegalMove() || !at.InCheck() || r.Best != r.PV[0]) {
			t.Errorf("%s: %v does not end in mate, or does not begin with %s", fen, r.PV, r.Best)
		}
		if r.Best == "" && p.HasLegalMove() {
			t.Errorf("%s: no best move", fen)
		}
	}
}

// Where the fifty-move rule ends the game before the mate, and DTZ is known, the best move is the one by DTZ, and there
// is no PV.
func TestFiftyMoveRule(t *testing.T) {
	for fen, drawn := range map[string]bool{
		"8/8/8/3k4/8/8/3KQ3/8 w - - 87 60": false, // mate in 13 plies, the last of which is the hundredth
		"8/8/8/3k4/8/8/3KQ3/8 w - - 88 60": true,
	} {
		p := position(t, fen)
		dtz := 9
		x := probe{tables: open(t), Result: Result{WDL: new(syzygy.Win), DTZ: &dtz}}
		best, err := x.addGaviota(&p)
		if err != nil || (best == "") != drawn || (x.PV == nil) != drawn || x.DTM == nil {
			t.Errorf("%s: best %q, PV %v, %v", fen, best, x.PV, err)
		}
	}
}

func open(t *testing.T) *Tables {
	t.Helper()
	tables, notes := Open(Paths{Gaviota: gaviotaTables})
	if notes != nil {
		t.Fatal(notes)
	}
	t.Cleanup(func() { tables.Close() })
	return tables
}

func TestContradiction(t *testing.T) {
	p := position(t, "8/8/8/3k4/8/8/3KQ3/8 w - - 0 1")
	dtz := 0
	x := probe{tables: open(t), Result: Result{WDL: new(syzygy.Draw), DTZ: &dtz}}
	if _, err := x.addGaviota(&p); err == nil || !strings.Contains(err.Error(), "Syzygy says draw, Gaviota says win") {
		t.Errorf("%v, want a contradiction", err)
	}
}

func TestProbeErrors(t *testing.T) {
	p := position(t, "8/8/8/3k4/8/8/3KPP2/8 w - - 0 1")
	_, notes, err := probeIn(t, "absent", gaviotaTables, &p)
	if err == nil || !strings.Contains(err.Error(), "no table for KPPvK") || len(notes) != 1 ||
		!strings.Contains(notes[0].Error(), "absent") {
		t.Errorf("%v, %v, want no table, and a note about the folder", notes, err)
	}
	p = position(t, "8/8/8/3k4/8/8/3KQ3/8 w - - 0 1")
	dir := t.TempDir()
	path := filepath.Join(dir, "kqk.gtb.cp4")
	if err := os.WriteFile(path, []byte("no table"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := probeIn(t, "", dir, &p); err == nil || strings.Count(err.Error(), path) != 1 {
		t.Errorf("%v, want an error that names the file once", err)
	}
}

func TestCheckFolder(t *testing.T) {
	dir := t.TempDir()
	data, err := os.ReadFile(filepath.Join(gaviotaTables, "kqk.gtb.cp4"))
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"kqk.gtb.cp4": data, "krk.gtb.cp4": data, "kbk.gtb.cp4": data[:200],
		"kxk.gtb.cp1": data, "kqk.gtb": data, "KQvK.rtbw": nil, "notes.txt": nil} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := CheckFolder(t.TempDir()); err == nil || !strings.HasSuffix(err.Error(), ": no table") {
		t.Errorf("an empty folder: %v", err)
	}
	r, err := CheckFolder(dir)
	var bad []string
	for _, f := range r.Bad {
		bad = append(bad, f.File)
	}
	want := []string{"KQvK.rtbw", "kbk.gtb.cp4", "kqk.gtb", "krk.gtb.cp4", "kxk.gtb.cp1"}
	if err != nil || r.Files != 6 || !slices.Equal(bad, want) {
		t.Errorf("%d tables, bad %v, %v, want 6, %v", r.Files, bad, err, want)
	}
}

// A list of MD5 sums tells damage that the formats cannot tell; a table that only the list has is no fault.
func TestCheckFolderOfSums(t *testing.T) {
	dir := t.TempDir()
	sums := ""
	for _, file := range []string{filepath.Join(gaviotaTables, "kqk.gtb.cp4"), filepath.Join(gaviotaTables, "krk.gtb.cp4")} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sums += fmt.Sprintf("%x *./%s\n", md5.Sum(data), filepath.Base(file))
		if strings.Contains(file, "krk") {
			data[8+4] ^= 1 // the header says nothing there
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, SumsFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("")
	if r, err := CheckFolder(dir); err != nil || r.Files != 2 || r.Verified != 0 || r.Bad != nil {
		t.Errorf("an empty list: %+v, %v", r, err)
	}
	write(sums + "d41d8cd98f00b204e9800998ecf8427e  kbk.gtb.cp4\n")
	r, err := CheckFolder(dir)
	if err != nil || r.Files != 2 || r.Verified != 1 || len(r.Bad) != 1 || r.Bad[0].File != "krk.gtb.cp4" ||
		!strings.Contains(r.Bad[0].Error, "MD5") {
		t.Errorf("%+v, %v", r, err)
	}
	write("kqk.gtb.cp4 is fine\n")
	if _, err := CheckFolder(dir); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("%v, want an error that names the line", err)
	}
}
