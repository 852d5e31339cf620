//go:build unix

package main

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The first line of standard output is the address of the page, which is served; an interrupt ends the command cleanly,
// also while somebody watches.
func TestWeb(t *testing.T) {
	c, errOut := process(t, []string{"web", "--listen", "127.0.0.1:0", "--backend", "mock", "--matches", ""})
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Process.Kill() }() // where the test has failed
	line, err := bufio.NewReader(out).ReadString('\n')
	url := strings.TrimSpace(line)
	if err != nil || !strings.HasPrefix(url, "http://127.0.0.1:") || !strings.HasSuffix(url, "/") {
		t.Fatalf("the first line is %q: %v, %s", line, err, errOut)
	}
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(text), "<title>Tesla") {
		t.Errorf("%s: %.100s, %v", answer.Status, text, err)
	}
	opened, err := http.Post(url+"api/session", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	id, err := io.ReadAll(opened.Body)
	opened.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	watched, err := http.Get(url + "api/session/" + strings.Split(string(id), `"`)[3] + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer watched.Body.Close()
	began := time.Now()
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil || time.Since(began) > 3*time.Second {
		t.Errorf("after an interrupt: %v in %v: %s", err, time.Since(began), errOut)
	}
}

func TestWebFails(t *testing.T) {
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"web", "--listen", "nowhere"}, exitUsage, "--listen"},
		{[]string{"web", "--backend", "abacus"}, exitUsage, "abacus"},
		{[]string{"web", "extra"}, exitUsage, "extra"},
		{[]string{"web", "--listen", "203.0.113.1:80"}, exitFailure, "203.0.113.1"},
	} {
		if code, _, errOut := run(t, "", test.args...); code != test.code || !strings.Contains(errOut, test.want) {
			t.Errorf("%v: code %d, %s", test.args, code, errOut)
		}
	}
}
