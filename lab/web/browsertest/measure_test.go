package browsertest

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// The limits of a page, loaded from loopback.
const (
	mostWeight = 400 << 10 // bytes
	mostPaint  = 300       // ms until something is seen, the median of loads; checked where TESLA_MEASURE is set, on an idle machine
	loads      = 7
)

// TestPages loads all pages narrow and wide, light and dark: nothing is cut off, and they are light enough.
func TestPages(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.WriteFile(folder+"/m", bytes.Join(journal(t, "2"), nil), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, "0", "--backend", "mock", "--matches", folder)
	for _, path := range []string{"/", "/play", "/match", "/match?name=m&game=1"} {
		p := open(t, s.url+path)
		weight := ask[int](p, `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].reduce((sum, e) => sum + e.transferSize, 0)`)
		t.Logf("%s weighs %d bytes", path, weight)
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

// TestPaint measures how long a page takes from the request to the first content on the screen.
func TestPaint(t *testing.T) {
	if os.Getenv("TESLA_MEASURE") == "" {
		t.Skip("TESLA_MEASURE is not set: a busy machine is slower")
	}
	s := serve(t, "0", "--backend", "mock", "--matches", t.TempDir())
	for _, path := range []string{"/", "/play", "/match", "/api/options"} {
		// The last one, a line of text, is what the browser itself takes.
		var times []float64
		for range loads {
			p := tab(t, 1600)
			p.do(chromedp.Navigate(s.url + path))
			p.wait(`performance.getEntriesByName("first-contentful-paint").length > 0`)
			times = append(times, ask[float64](p, `performance.getEntriesByName("first-contentful-paint")[0].startTime`))
			p.close()
		}
		slices.Sort(times)
		t.Logf("%s is painted after %.0f ms", path, times)
		if times[loads/2] > mostPaint {
			t.Errorf("%s is painted after %.0f ms, %d ms are allowed", path, times[loads/2], mostPaint)
		}
	}
}
