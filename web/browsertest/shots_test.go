package browsertest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestScreenshots writes pictures of all pages, at both widths, light and dark, into the folder that TESLA_SCREENSHOTS names.
// They are for people to look at.
func TestScreenshots(t *testing.T) {
	folder := os.Getenv("TESLA_SCREENSHOTS")
	if folder == "" {
		t.Skip("TESLA_SCREENSHOTS names no folder")
	}
	matches := t.TempDir()
	if err := os.WriteFile(filepath.Join(matches, "new-old.jsonl"), bytes.Join(journal(t, "40"), nil), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, "0", "--backend", "nnue", "--matches", matches)
	for name, path := range map[string]string{"analysis": "/?fen=" + strings.ReplaceAll(middlegame, " ", "%20"), "play": "/play", "matches": "/match", "match": "/match?name=new-old.jsonl&game=5"} {
		p := open(t, s.url+path)
		if name == "analysis" {
			p.click("#run")
			time.Sleep(8 * time.Second)
			p.click("#run")
			p.wait(`document.getElementById("why").textContent.startsWith("Stopped")`)
		}
		for _, width := range []int{390, 1600} {
			for _, theme := range []string{"light", "dark"} {
				p.theme(theme, width)
				time.Sleep(400 * time.Millisecond) // pieces move, plots are drawn anew
				p.shoot(filepath.Join(folder, fmt.Sprintf("%s-%d-%s.png", name, width, theme)))
			}
		}
		p.close()
	}
}

func (p *page) shoot(file string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 2*patience)
	defer cancel()
	png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, png, 0o644); err != nil {
		p.t.Fatal(err)
	}
}
