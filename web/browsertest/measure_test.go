package browsertest

import (
	"bytes"
	"os"
	"testing"
)

// The limits of a page, loaded from loopback.
const (
	mostWeight = 400 << 10 // bytes
	mostPaint  = 300       // ms until something is seen, of the best of three loads; checked where TESLA_MEASURE is set
)

// TestPages loads all pages narrow and wide, light and dark: nothing is cut off, and they are light enough.
func TestPages(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(folder+"/m", bytes.Join(journal(t, "2"), nil), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, "0", "--backend", "mock", "--matches", folder)
	for _, path := range []string{"/", "/play", "/match", "/match?name=m&game=1"} {
		p := open(t, s.url+path)
		weight := ask[int](p, `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].reduce((sum, e) => sum + e.transferSize, 0)`)
		t.Logf("%s weighs %d bytes and is painted after %.0f ms", path, weight, p.paint(s.url+path))
		if weight < 10<<10 || weight > mostWeight {
			t.Errorf("%s weighs %d bytes", path, weight)
		}
		grounds := map[string]bool{}
		for _, theme := range []string{"light", "dark"} {
			for _, width := range []int{390, 1600} {
				p.theme(theme, width)
				p.wait(`document.documentElement.scrollWidth <= innerWidth`)
				if wide := ask[[]string](p, beyond); len(wide) > 0 {
					t.Errorf("%s at %d: %v reach beyond the edge", path, width, wide)
				}
			}
			grounds[ask[string](p, `getComputedStyle(document.body).backgroundColor`)] = true
		}
		if len(grounds) != 2 {
			t.Errorf("%s looks the same light and dark: %v", path, grounds)
		}
		p.close()
	}
}

// beyond are the elements that are cut off at the right edge of the page, those aside that scroll.
const beyond = `[...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && e.checkVisibility() &&
	!e.closest(".scroll, .tree, .board-box, .list, .away, .chart")).map(e => e.tagName + "#" + e.id + "." + (e.className.baseVal ?? e.className)).slice(0, 5)`

// paint is the time from a request to the first content on the screen, in ms: the shortest of three loads.
func (p *page) paint(url string) float64 {
	p.t.Helper()
	best := 1e9
	for range 3 {
		q := open(p.t, url)
		q.wait(`performance.getEntriesByName("first-contentful-paint").length > 0`)
		best = min(best, ask[float64](q, `performance.getEntriesByName("first-contentful-paint")[0].startTime`))
		q.close()
	}
	if best > mostPaint && os.Getenv("TESLA_MEASURE") != "" {
		p.t.Errorf("%s is painted after %.0f ms", url, best)
	}
	return best
}
