package web

import (
	"net/http"
	"strings"
	"testing"
)

// TestExplain asks why a queen is not left hanging, and what the route refuses.
func TestExplain(t *testing.T) {
	t.Parallel()
	d := serve(t, func(c *Config) {
		c.Settings.Search, c.Settings.Backend, c.Settings.TreeMemory = "bestfirst", "nnue", 16
	})
	const hanging = `{"game": {"start": "rnb1kbnr/pppp1ppp/8/4p3/4P2q/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 3", "moves": []}, `
	var found struct {
		Text   string
		Choice struct{ Move string }
		Loss   *float64
		Best   float64
	}
	d.post("/api/explain", question{game{"rnb1kbnr/pppp1ppp/8/4p3/4P2q/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 3", nil}, "a2a3", map[string]string{"Threads": "1"}}, &found)
	if found.Choice.Move != "Nxh4" || found.Loss == nil || *found.Loss < 0.3 || found.Best < 0.8 || !strings.Contains(found.Text, "a3: ") {
		t.Errorf("%+v", found)
	}
	for body, want := range map[string]int{
		hanging + `"move": "a2a5"}`: http.StatusBadRequest, hanging + `"move": "a2a3", "options": {"SyzygyPath": "/"}}`: http.StatusBadRequest,
		`{"game": {"start": "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "moves": []}, "move": "h8g8"}`: http.StatusBadRequest, `{"move": 1}`: http.StatusBadRequest} {
		if status, answer, _ := d.do("POST", "/api/explain", body, nil); status != want {
			t.Errorf("%s: %d %s", body, status, answer)
		}
	}
	d.explains <- struct{}{} // another one is searched
	if status, answer, _ := d.do("POST", "/api/explain", hanging+`"move": "a2a3"}`, nil); status != http.StatusServiceUnavailable {
		t.Errorf("two at once: %d %s", status, answer)
	}
	<-d.explains
}

// TestStated follows what an alpha-beta search states of its first line from report to report.
func TestStated(t *testing.T) {
	t.Parallel()
	d := serve(t, func(c *Config) { c.Settings.Search, c.Settings.Backend = "lazysmp", "nnue" })
	id := d.open()
	tab := d.watch(id)
	defer tab.close()
	w := searching(1)
	w.Options, w.Limits = map[string]string{"Threads": "1"}, limits{Lines: 1, Depth: 14}
	d.want(id, w)
	s := until(tab, "snapshot", func(s snapshot) bool { return len(s.Lines) > 0 && s.Lines[0].Sure != nil && s.Lines[0].Sure.Best > 0 })
	if x := s.Lines[0].Sure; x.Best > 1 || x.At <= 0 || x.At > s.Evals || x.Low >= x.High || x.High > 1 {
		t.Errorf("%+v after %d nodes", x, s.Evals)
	}
}
