package web

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// served is a server that serves on loopback until the test ends, and a client of it.
type served struct {
	*Server
	t    testing.TB
	at   string // HOST:PORT
	stop context.CancelFunc
	end  chan error
}

// serve starts a server on the mock backend. change may change its configuration.
func serve(t testing.TB, change func(*Config)) *served {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cfg := DefaultConfig(l.Addr().String())
	cfg.Settings.Backend, cfg.Settings.Hash, cfg.Settings.TreeMemory = "mock", 1, 4
	if change != nil {
		change(&cfg)
	}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	d := &served{s, t, l.Addr().String(), stop, make(chan error, 1)}
	go func() { d.end <- s.Serve(ctx, l) }()
	t.Cleanup(d.close)
	return d
}

// close stops the server and waits for its end. It may be called twice.
func (d *served) close() {
	d.stop()
	select {
	case err := <-d.end:
		if err != nil {
			d.t.Error(err)
		}
		d.end <- nil
	case <-time.After(time.Minute):
		d.t.Error("the server does not end")
	}
}

// do sends a request and returns the status and the body. change may change the request.
func (d *served) do(method, path, body string, change func(*http.Request)) (status int, answer string, header http.Header) {
	d.t.Helper()
	r, err := http.NewRequestWithContext(d.t.Context(), method, "http://"+d.at+path, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if change != nil {
		change(r)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	a, err := client.Do(r)
	if err != nil {
		d.t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return a.StatusCode, string(text), a.Header
}

// post sends JSON and reads the answer into a value; a status other than 200 is an error.
func (d *served) post(path string, body, into any) {
	d.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		d.t.Fatal(err)
	}
	status, answer, _ := d.do("POST", path, string(text), nil)
	if status != http.StatusOK {
		d.t.Fatalf("POST %s %s: %d %s", path, text, status, answer)
	}
	if err := json.Unmarshal([]byte(answer), into); err != nil {
		d.t.Fatalf("POST %s: %v in %s", path, err, answer)
	}
}

// postAs sends a file and reads the answer into a value.
func (d *served) postAs(path, kind, data string, into any) {
	d.t.Helper()
	status, answer, _ := d.do("POST", path, data, func(r *http.Request) { r.Header.Set("Content-Type", kind) })
	if err := json.Unmarshal([]byte(answer), into); err != nil || status != http.StatusOK {
		d.t.Fatalf("POST %s: %d, %v in %s", path, status, err, answer)
	}
}

// open opens a session.
func (d *served) open() (id string) {
	d.t.Helper()
	var opened struct{ ID string }
	d.post("/api/session", struct{}{}, &opened)
	return opened.ID
}

// tab is an open event stream of a session.
type tab struct {
	t      testing.TB
	body   io.ReadCloser
	lines  *bufio.Scanner
	cancel context.CancelFunc
}

// watch opens the stream of a session.
func (d *served) watch(id string) *tab {
	d.t.Helper()
	return d.stream("/api/session/" + id + "/events")
}

// stream opens an event stream.
func (d *served) stream(path string) *tab {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	r, err := http.NewRequestWithContext(ctx, "GET", "http://"+d.at+path, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	a, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		d.t.Fatal(err)
	}
	if a.StatusCode != http.StatusOK || a.Header.Get("Content-Type") != "text/event-stream" {
		d.t.Fatalf("stream: %s %s", a.Status, a.Header.Get("Content-Type"))
	}
	lines := bufio.NewScanner(a.Body)
	lines.Buffer(nil, 1<<20)
	w := &tab{d.t, a.Body, lines, cancel}
	d.t.Cleanup(w.close)
	return w
}

func (w *tab) close() {
	w.cancel()
	w.body.Close()
}

// until reads events until one of that name satisfies a condition, and fails where the stream ends before.
func until[T any](w *tab, name string, good func(T) bool) (found T) {
	w.t.Helper()
	at := ""
	for w.lines.Scan() {
		if event, ok := bytes.CutPrefix(w.lines.Bytes(), []byte("event: ")); ok {
			at = string(event)
		} else if data, ok := bytes.CutPrefix(w.lines.Bytes(), []byte("data: ")); ok && at == name {
			found = *new(T)
			if err := json.Unmarshal(data, &found); err != nil {
				w.t.Fatalf("%s: %v in %s", name, err, data)
			}
			if good(found) {
				return found
			}
		}
	}
	w.t.Fatalf("the stream ended before the event %s: %v; the last one was %.300s", name, w.lines.Err(), fmt.Sprintf("%+v", found))
	return found
}

// searching is a wish for a search of the initial position after some moves.
func searching(serial int64, moves ...string) wish {
	return wish{Serial: serial, Game: game{Moves: append([]string{}, moves...)}, Options: map[string]string{}, Limits: limits{Lines: 2}, Run: true}
}

// want sends a wish.
func (d *served) want(id string, w wish) {
	d.t.Helper()
	d.post("/api/session/"+id, w, &struct{}{})
}

// wait waits until a condition holds.
func wait(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func (s *sessions) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// The files of the page are served, with their types, weigh little, and load nothing from elsewhere.
func TestFiles(t *testing.T) {
	d := serve(t, nil)
	weight := 0
	for name, f := range d.files {
		status, body, header := d.do("GET", name, "", nil)
		if status != http.StatusOK || body != string(f.data) || header.Get("Content-Type") == "" || header.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.Contains(header.Get("Content-Security-Policy"), "default-src 'none'; script-src 'self'; style-src 'sha256-") {
			t.Errorf("%s: %d, %d bytes, %v", name, status, len(body), header)
		}
		if status, body, _ = d.do("GET", name, "", func(r *http.Request) { r.Header.Set("If-None-Match", f.tag) }); status != http.StatusNotModified || body != "" {
			t.Errorf("%s again: %d, %d bytes", name, status, len(body))
		}
		weight += len(f.data)
		if f.kind == kinds[".html"] {
			before, style, _ := strings.Cut(string(f.data), "<style>")
			style, after, ok := strings.Cut(style, "</style>")
			sum := sha256.Sum256([]byte(style))
			if !ok || !strings.Contains(header.Get("Content-Security-Policy"), base64.StdEncoding.EncodeToString(sum[:])) {
				t.Errorf("%s: its policy does not allow its style", name)
			}
			for _, bad := range []string{"<script>", " style=", "://", `rel="stylesheet"`} {
				if strings.Contains(before+after, bad) {
					t.Errorf("%s contains %s", name, bad)
				}
			}
			for _, m := range regexp.MustCompile(`(?:href|src)="([^"]+)"`).FindAllStringSubmatch(before+after, -1) {
				if _, ok := d.files[m[1]]; !ok {
					t.Errorf("%s links to %s, which is not there", name, m[1])
				}
			}
			if !strings.Contains(before+after, `modulepreload" href="/vendor/cm-chessboard/src/view/ChessboardView.js"`) {
				t.Errorf("%s does not preload what its modules import", name)
			}
		}
	}
	if weight > 400_000 {
		t.Errorf("all files together have %d bytes", weight)
	}
	if status, body, _ := d.do("HEAD", "/", "", nil); status != http.StatusOK || body != "" {
		t.Errorf("HEAD: %d %q", status, body)
	}
}
