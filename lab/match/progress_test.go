package match

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// The games in progress stand beside the journal until the match ends. A file of that name that is something else stays as it is.
func TestProgress(t *testing.T) {
	folder := t.TempDir()
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	p := showProgress(filepath.Join(folder, "x"))
	r := &record{fixture: fixture{sides: [2]int{1, 0}}, gameLine: gameLine{Game: Game{Number: 7}}}
	play := func(text string) {
		r.Moves = append(r.Moves, Move{UCI: text})
		p.show(r)
	}
	play("e2e4")
	play("e7e5")
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if got := ReadProgress(root, "x"); len(got) == 1 && got[0].Number == 7 && got[0].Sides == [2]int{1, 0} && slices.Equal(got[0].Moves, []string{"e2e4", "e7e5"}) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%+v", ReadProgress(root, "x"))
		}
	}
	p.end(r)
	if err := p.close(); err != nil {
		t.Error(err)
	}
	if _, err := root.Stat("x.live"); !os.IsNotExist(err) {
		t.Errorf("after the match: %v", err)
	}
	const mine = "a file of somebody"
	if err := root.WriteFile("y.live", []byte(mine), 0o600); err != nil {
		t.Fatal(err)
	}
	if showProgress(filepath.Join(folder, "y")) != nil {
		t.Error("it writes over another file")
	}
	if text, err := root.ReadFile("y.live"); string(text) != mine || ReadProgress(root, "y") != nil {
		t.Errorf("%s, %v", text, err)
	}
}
