package web

import (
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Requests that no page of ours sends are refused with the right status.
func TestHostileRequests(t *testing.T) {
	d := serve(t, nil)
	_, port, _ := net.SplitHostPort(d.at)
	set := func(name, value string) func(*http.Request) {
		return func(r *http.Request) {
			if name == "Host" {
				r.Host = value
			} else {
				r.Header.Set(name, value)
			}
		}
	}
	id, huge := d.open(), `{"start":"`+strings.Repeat("x", mostBody)+`"}`
	long := `{"start":"","moves":[` + strings.Repeat(`"g1f3","g8f6","f3g1","f6g8",`, mostPlies/4) + `"e2e4"]}`
	for _, c := range []struct {
		what, method, path, body string
		change                   func(*http.Request)
		status                   int
		text                     string
	}{
		{"another host", "GET", "/", "", set("Host", "evil.example:"+port), 421, "does not answer to the name"},
		{"another port", "GET", "/", "", set("Host", "127.0.0.1:1"), 421, ""},
		{"an address of the network", "GET", "/", "", set("Host", "192.168.0.1:"+port), 421, ""},
		{"a long host", "GET", "/", "", set("Host", strings.Repeat("a", 300)), 421, ""},
		{"localhost", "GET", "/", "", set("Host", "localhost:"+port), 200, ""},
		{"another origin", "POST", "/api/rules", `{}`, set("Origin", "http://evil.example"), 403, ""},
		{"another site", "POST", "/api/rules", `{}`, set("Sec-Fetch-Site", "cross-site"), 403, ""},
		{"a form", "POST", "/api/rules", `{}`, set("Content-Type", "text/plain"), 415, "application/json"},
		{"no JSON", "POST", "/api/rules", `{"start":`, nil, 400, "reading the body"},
		{"an unknown field", "POST", "/api/rules", `{"begin":""}`, nil, 400, "unknown field"},
		{"two values", "POST", "/api/rules", `{}{}`, nil, 400, "more than one value"},
		{"another type", "POST", "/api/rules", `{"moves":"e2e4"}`, nil, 400, "reading the body"},
		{"a huge body", "POST", "/api/rules", huge, nil, 413, "at most 4 MiB"},
		{"a huge session", "POST", "/api/session/" + id, huge, nil, 413, "at most 4 MiB"},
		{"a long game", "POST", "/api/rules", long, nil, 400, "at most"},
		{"a bad FEN", "POST", "/api/rules", `{"start":"8/8/8/8/8/8/8/8 w - - 0 1"}`, nil, 400, "king"},
		{"an illegal move", "POST", "/api/rules", `{"moves":["e2e5"]}`, nil, 400, "ply 1"},
		{"no games", "POST", "/api/pgn/read", "call me at 10 (or 11)", set("Content-Type", pgnType), 400, "no game"},
		{"a game that is not there", "POST", "/api/pgn/read?game=1", "1. e4 *", set("Content-Type", pgnType), 400, "game 2 of 1"},
		{"no number of a game", "POST", "/api/pgn/read?game=x", "1. e4 *", set("Content-Type", pgnType), 400, "number"},
		{"a file of games in JSON", "POST", "/api/pgn/read", `{"text":""}`, nil, 415, pgnType},
		{"a move before its parent", "POST", "/api/pgn/write", `{"result":"*","nodes":[{"parent":1,"uci":"e2e4"}]}`, nil, 400, "before its parent"},
		{"an illegal move of a variation", "POST", "/api/pgn/write", `{"result":"*","nodes":[{"parent":0,"uci":"e2e4"},{"parent":0,"uci":"e2e5"}]}`, nil, 400, "move 2"},
		{"a bad result", "POST", "/api/pgn/write", `{"result":"2-0"}`, nil, 400, "result"},
		{"another method", "PUT", "/api/rules", `{}`, nil, 405, ""},
		{"a file of the source", "GET", "/server.go", "", nil, 404, "no such page"},
		{"a path upward", "GET", "/vendor/../../server.go", "", nil, 307, ""},
		{"an escaped path upward", "GET", "/%2e%2e/%2e%2e/etc/passwd", "", nil, 404, ""},
		{"a path with backslashes", "GET", `/..\..\server.go`, "", nil, 404, ""},
		{"two slashes", "GET", "//etc/passwd", "", nil, 307, ""},
		{"a folder", "GET", "/vendor/", "", nil, 404, ""},
		{"a NUL", "GET", "/board.js%00", "", nil, 404, ""},
		{"no session", "POST", "/api/session/nonesuch", `{}`, nil, 404, "no such session"},
		{"the stream of no session", "GET", "/api/session/nonesuch/events", "", nil, 404, "no such session"},
	} {
		status, text, header := d.do(c.method, c.path, c.body, c.change)
		if status != c.status || !strings.Contains(text, c.text) {
			t.Errorf("%s: %d %.200s, want %d with %q", c.what, status, text, c.status, c.text)
		}
		if header.Get("Access-Control-Allow-Origin") != "" || header.Get("Content-Security-Policy") == "" {
			t.Errorf("%s: %v", c.what, header)
		}
	}
}

// Wishes that cannot be obeyed are refused, and leave the session as it is.
func TestBadWishes(t *testing.T) {
	d := serve(t, nil)
	id := d.open()
	for _, c := range []struct {
		change func(*wish)
		want   string
	}{
		{func(w *wish) { w.Options["WeightsFile"] = "/etc/passwd" }, "cannot set"},
		{func(w *wish) { w.Options["SyzygyPath"] = "/" }, "cannot set"},
		{func(w *wish) { w.Options["Hash"] = "100000" }, "cannot set"},
		{func(w *wish) { w.Options["Backend"] = "remote" }, "cannot choose"},
		{func(w *wish) { w.Options["Backend"] = "abacus" }, "want one of"},
		{func(w *wish) { w.Options["Threads"] = "1000" }, "threads"},
		{func(w *wish) { w.Options["Search"] = "minimax" }, "want one of"},
		{func(w *wish) { w.Options["SearchOptions"] = "colour=red" }, "SearchOptions"},
		{func(w *wish) { w.Limits.Lines = 0 }, "lines"},
		{func(w *wish) { w.Limits.Lines = 300 }, "lines"},
		{func(w *wish) { w.Limits.Evals = -1 }, "negative"},
		{func(w *wish) { w.Limits.MoveTime = 1 << 60 }, "a day"},
		{func(w *wish) { w.Game.Moves = []string{"e2e4", "e2e4"} }, "ply 2"},
	} {
		w := searching(1)
		c.change(&w)
		o, err := w.order(d.cfg.Settings)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", o.settings, err, c.want)
		}
	}
	if status, text, _ := d.do("POST", "/api/session/"+id, `{"run":true,"limits":{"lines":0}}`, nil); status != http.StatusBadRequest {
		t.Errorf("%d %s", status, text)
	}
	d.want(id, searching(1))
	until(d.watch(id), "snapshot", func(snapshot) bool { return true })
}

// Where the server listens to others, nothing is served without the token, which the printed address gives to the
// browser.
func TestToken(t *testing.T) {
	d := serve(t, func(c *Config) { c.Token = "sesame" })
	for _, path := range []string{"/", "/board.js", "/api/options", "/?token=wrong"} {
		if status, text, _ := d.do("GET", path, "", nil); status != http.StatusUnauthorized || !strings.Contains(text, "token") {
			t.Errorf("%s without the token: %d %s", path, status, text)
		}
	}
	if status, _, _ := d.do("POST", "/api/session?token=sesame", `{}`, nil); status != http.StatusUnauthorized {
		t.Errorf("a POST with the token in its address: %d", status)
	}
	status, _, header := d.do("GET", "/?token=sesame", "", nil)
	cookie := header.Get("Set-Cookie")
	if status != http.StatusSeeOther || header.Get("Location") != "/" || !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Strict") {
		t.Errorf("%d to %q, %q", status, header.Get("Location"), cookie)
	}
	value, _, _ := strings.Cut(cookie, ";")
	if status, _, _ := d.do("POST", "/api/session", `{}`, func(r *http.Request) { r.Header.Set("Cookie", value) }); status != http.StatusOK {
		t.Errorf("with the cookie: %d", status)
	}
}

func TestStart(t *testing.T) {
	t.Setenv("TESLA_WEB_TOKEN", "")
	for _, c := range []struct {
		ip     net.IP
		token  bool
		prefix string
	}{
		{net.IPv4(127, 0, 0, 1), false, "http://127.0.0.1:8090/"},
		{net.IPv6loopback, false, "http://[::1]:8090/"},
		{net.IPv4(10, 1, 2, 3), true, "http://10.1.2.3:8090/?token="},
		{net.IPv4zero, true, "http://"},
	} {
		s, url, err := Start(&net.TCPAddr{IP: c.ip, Port: 8090}, DefaultConfig("").Settings, "")
		if err != nil || (s.cfg.Token != "") != c.token || !strings.HasPrefix(url, c.prefix) || strings.Contains(url, "token") != c.token ||
			c.ip.IsUnspecified() && strings.Contains(url, "0.0.0.0") {
			t.Errorf("%v: %q, token %q, %v", c.ip, url, s.cfg.Token, err)
		}
		s.Close()
	}
	open := &Server{cfg: Config{Address: "0.0.0.0:8090", Name: "box"}}
	for host, want := range map[string]bool{"10.0.0.7:8090": true, "box:8090": true, "localhost:8090": true, "evil.example:8090": false, "10.0.0.7:80": false, "": false} {
		if got := open.hostAllowed(host); got != want {
			t.Errorf("host %q: %t", host, got)
		}
	}
}

// A thousand event streams: those beyond the limit are refused at once, and all ends with the tabs.
func TestManyStreams(t *testing.T) {
	d := serve(t, func(c *Config) { c.Sessions, c.Streams = 4, 3 })
	var ids []string
	for range 4 {
		ids = append(ids, d.open())
	}
	for _, id := range ids[:3] {
		d.watch(id)
	}
	refused := func(requests int) int64 {
		for range requests {
			if status, text, _ := d.do("GET", "/api/session/"+ids[3]+"/events", "", nil); status != http.StatusServiceUnavailable || !strings.Contains(text, "close a tab") {
				t.Fatalf("%d %s", status, text)
			}
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := refused(300) // by then the sessions have their nets
	if grown := refused(1000) - before; grown > 8<<20 {
		t.Errorf("the memory has grown by %d bytes", grown)
	}
	if status, text, _ := d.do("GET", "/api/session/"+ids[0]+"/events", "", nil); status != http.StatusConflict {
		t.Errorf("a second stream of a session: %d %s", status, text)
	}
}

// A browser that does not read holds nothing up: of each kind of event one is kept, and the stream ends.
func TestSlowClient(t *testing.T) {
	d := serve(t, func(c *Config) { c.Patience = 100 * time.Millisecond })
	id := d.open()
	c, err := net.Dial("tcp", d.at)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("GET /api/session/" + id + "/events HTTP/1.1\r\nHost: " + d.at + "\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	wait(t, "the stream is open", func() bool { return len(d.streams) == 1 })
	x, err := d.sessions.get(id)
	if err != nil {
		t.Fatal(err)
	}
	large := strings.Repeat("x", 1<<20)
	wait(t, "the stream has ended", func() bool {
		x.publish("status", func() any { return large })
		return len(d.streams) == 0
	})
	// One that sends its request byte by byte is cut off by the time for headers, which net/http keeps.
	if len(x.news) != 1 {
		t.Errorf("%d events are kept", len(x.news))
	}
}
