package browsertest

import (
	"bytes"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// journal plays a match, perhaps with more flags, and returns the lines of its journal, with their ends.
func journal(t *testing.T, games string, flags ...string) (lines [][]byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "played.jsonl")
	c := exec.Command(os.Getenv("TESLA"), append([]string{"match", "--a", "name=new,search=bestfirst,backend=mock", "--b", "name=old,search=puct,backend=mock",
		"--games", games, "--nodes", "20", "--sprt", "0,20", "--maxmoves", "120", "--journal", path}, flags...)...)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("tesla match: %v\n%s", err, out)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines = bytes.SplitAfter(text, []byte("\n"))
	return lines[:len(lines)-1]
}

// TestMatch watches a journal grow, and replays a game.
func TestMatch(t *testing.T) {
	t.Parallel()
	folder, lines := t.TempDir(), journal(t, "6")
	path := filepath.Join(folder, "a match.jsonl")
	if err := os.WriteFile(path, bytes.Join(lines[:3], nil), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, "0", "--backend", "mock", "--matches", folder)
	p := open(t, s.url+"/match")
	if text := p.text("#matches tbody"); !strings.Contains(text, "new – old") || !strings.Contains(text, "2 / 6") {
		t.Errorf("the list says %q", text)
	}
	p.click("#matches a")
	p.wait(`document.body.dataset.ready === "1" && document.getElementById("games").textContent === "2 / 6"`)
	if text := p.text("#players"); !strings.Contains(text, "new: 20 nodes per move, backend mock, ") || !strings.Contains(text, "6 games, openings balanced; commit ") {
		t.Errorf("the head says %q", text)
	}
	p.grow(path, lines)
	p.replay()
	p.do(chromedp.Reload())
	p.wait(`document.getElementById("game-title").textContent.startsWith("Game 1: ")`)
	write(t, path, "no line of a journal\n")
	p.wait(`document.getElementById("trouble").textContent.includes("a match.jsonl: byte ")`)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// grow writes the journal on, a torn line first, while the page follows.
func (p *page) grow(path string, lines [][]byte) {
	p.t.Helper()
	p.shifts()
	third := string(lines[3])
	write(p.t, path, third[:len(third)/2])
	p.run(`window.before = performance.now()`)
	p.wait(`performance.now() - before > 900`) // the server looks twice in this time
	if text := p.text("#games"); text != "2 / 6" {
		p.t.Errorf("a torn line was counted: %s", text)
	}
	write(p.t, path, third[len(third)/2:])
	p.wait(`document.getElementById("games").textContent === "3 / 6"`)
	write(p.t, path, string(bytes.Join(lines[4:], nil)))
	p.wait(`document.getElementById("games").textContent === "6 / 6" && document.getElementById("course").textContent === "All games are played."`)
	for selector, want := range map[string]string{"#title": "new – old", "#llr-value": "LLR ", "#elo": "±", "#failures": "none", "#left": "none", "#llr-upper": "+2.94"} {
		if text := p.text(selector); !strings.Contains(text, want) {
			p.t.Errorf("%s is %q, want %q in it", selector, text, want)
		}
	}
	if pairs := ask[int](p, `[...document.querySelectorAll("#pairs b")].reduce((sum, b) => sum + Number(b.textContent), 0)`); pairs != 3 {
		p.t.Errorf("%d pairs of 6 games", pairs)
	}
	p.steady()
}

// position is what the board shows.
const position = `[...document.querySelectorAll("#board [data-piece]")].map(e => e.getAttribute("data-square") + e.getAttribute("data-piece")).sort().join()`

// replay steps through a game by mouse and keys.
func (p *page) replay() {
	p.t.Helper()
	p.click(`#rows [data-game="2"]`)
	p.wait(`document.getElementById("game-title").textContent.startsWith("Game 2: old – new")`)
	p.key(kb.ArrowRight + kb.ArrowRight)
	p.wait(`/depth|nodes|evaluations/.test(document.getElementById("said-top").textContent) && /depth|nodes|evaluations/.test(document.getElementById("said-bottom").textContent)`)
	at := ask[int](p, `Number(document.querySelector("#moves [aria-current]").dataset.ply)`)
	p.key(kb.End)
	p.wait(`document.getElementById("next").disabled`)
	p.key(kb.Home)
	p.wait(`document.getElementById("previous").disabled && !document.querySelector("#moves [aria-current]")`)
	p.wait(position + `.split(",").length === 32`)
	before := ask[string](p, position)
	p.key(kb.ArrowRight)
	p.wait(position + ` !== "` + before + `"`)
	p.click("#flip")
	p.wait(`document.getElementById("name-top").textContent === "old"`)
	p.key(kb.ArrowDown)
	p.wait(`document.getElementById("game-title").textContent.startsWith("Game 1: new – old")`)
	if at < 2 {
		p.t.Errorf("the replay was at ply %d after two moves", at)
	}
}

// TestReport opens the report of a match, which is one file and has no server.
func TestReport(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a report.html")
	journal(t, "6", "--report="+path)
	p := open(t, (&url.URL{Scheme: "file", Path: path}).String())
	for selector, want := range map[string]string{"#title": "new – old", "#games": "6 / 6", "#course": "All games are played.", "#llr-upper": "+2.94",
		"#players": "ptnml(0-2)", "#decision": "0 or 20 normalized Elo"} {
		if text := p.text(selector); !strings.Contains(text, want) {
			t.Errorf("%s is %q, want %q in it", selector, text, want)
		}
	}
	p.replay()
}

// TestLive plays a match beside the page: it shows the games in progress, the board moves, and a game that has ended is replayed.
func TestLive(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "now.jsonl")
	c := exec.Command(os.Getenv("TESLA"), "match", "--a", "name=new,search=lazysmp", "--b", "name=old,search=lazysmp", "--games", "1000",
		"--movetime", "300ms", "--concurrency", "1", "--journal", path)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(os.Interrupt)
		_ = c.Wait()
		if left, _ := filepath.Glob(folder + "/*.live"); len(left) > 0 {
			t.Errorf("the match left %v", left)
		}
	})
	s := serve(t, "0", "--backend", "mock", "--matches", folder)
	p := tab(t, 1600)
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		if _, err := os.Stat(path + ".live"); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the match shows no game in progress")
		}
	}
	p.do(chromedp.Navigate(s.url + "/match?name=now.jsonl"))
	p.wait(`document.getElementById("ending").textContent.startsWith("It is being played: ") && document.getElementById("rows").textContent.includes("is being played")`)
	before := ask[string](p, position)
	p.wait(position + ` !== "` + before + `" && document.querySelectorAll("#board .last-move").length === 2`)
}
