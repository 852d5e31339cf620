//go:build unix

package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"tesla/lab/fleet"
	"tesla/lab/games"
)

// A server, a worker and a match as three processes: the games are those of one process. An interrupt ends each cleanly.
func TestFleet(t *testing.T) {
	dir := t.TempDir()
	begin := func(args ...string) (first string, end func()) {
		c, errOut := process(t, args)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill() }) // where the test has failed
		first, err = bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatalf("%v: %v, %s", args, err, errOut)
		}
		return first, func() {
			if err := c.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			if err := c.Wait(); err != nil {
				t.Errorf("%v: after an interrupt: %v: %s", args, err, errOut)
			}
		}
	}
	first, end := begin("fleet", "serve", "--listen", "127.0.0.1:0", "--token", "secret")
	defer end()
	at, _, _ := strings.Cut(first, ": ")
	first, endWorker := begin("fleet", "work", at, "--token", "secret", "--slots", "2", "--name", "w", "--dir", filepath.Join(dir, "nets"))
	if !strings.HasPrefix(first, "worker w: 2 slots, bench signature ") {
		t.Error(first)
	}
	line := []string{"match", "--a", "search=bestfirst,backend=mock", "--b", "search=puct,backend=mock", "--evals", "20", "--games", "2", "--maxmoves", "6",
		"--pgn-stable", "--pgn"}
	alone, shared := filepath.Join(dir, "alone"), filepath.Join(dir, "shared")
	const measured = "Between moves: "
	if code, out, errOut := run(t, "", append(line, alone, "--journal", filepath.Join(dir, "one"))...); code != exitDone || !strings.Contains(out, measured) {
		t.Fatal(out, errOut)
	}
	code, out, errOut := run(t, "", append(line, shared, "--journal", filepath.Join(dir, "journal"), "--fleet", at, "--token", "secret")...)
	if code != exitDone || strings.Contains(out, measured) {
		t.Fatal(out, errOut)
	}
	for _, refused := range [][]string{append(line, shared+"r", "--journal", filepath.Join(dir, "refused")), {"datagen", "--out", filepath.Join(dir, "refused")}} {
		if code, _, errOut := run(t, "", append(refused, "--fleet", at, "--token", "wrong")...); code != exitFailure || !strings.Contains(errOut, "token refused") {
			t.Errorf("code %d, %s", code, errOut)
		}
		if _, err := os.Stat(filepath.Join(dir, "refused")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s leaves a file without a game: %v", refused[0], err)
		}
	}
	data := []string{"datagen", "--player", "search=bestfirst,backend=mock,evals=20", "--games", "10",
		"--leaves", "4", "--tree", "backend=mock,evals=40", "--out"}
	var made [2][]*games.Game
	var err error
	for i, more := range [][]string{{filepath.Join(dir, "data")}, {filepath.Join(dir, "more"), "--fleet", at, "--token", "secret"}} {
		if code, out, errOut := run(t, "", append(data, more...)...); code != exitDone || !strings.Contains(out, "games 10 of 10") {
			t.Fatal(out, errOut)
		}
		if made[i], err = games.ReadFile(more[0]); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(made[i], func(a, b *games.Game) int { return cmp.Compare(a.Number, b.Number) })
	}
	if !reflect.DeepEqual(made[0], made[1]) {
		t.Error("the games for training are not those of one process")
	}
	code, out, errOut = run(t, "", "fleet", "status", at, "--token", "secret", "--json")
	var s fleet.Status
	if err := json.Unmarshal([]byte(out), &s); code != exitDone || err != nil || len(s.Workers) != 1 || s.Workers[0].Name != "w" || s.Workers[0].Slots != 2 {
		t.Errorf("code %d, %v: %s%s", code, err, out, errOut)
	}
	endWorker()
	want, err := os.ReadFile(alone)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(shared); err != nil || string(got) != string(want) {
		t.Errorf("%v: the games are\n%s, want\n%s", err, got, want)
	}
	if code, _, errOut := run(t, "", "fleet", "status", at, "--token", "wrong"); code != exitFailure || !strings.Contains(errOut, "token refused") {
		t.Errorf("code %d: %s", code, errOut)
	}
}

func TestFleetUsage(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"fleet", "serve", "--listen", "0.0.0.0:4222"}, "--tls-cert: none for"},
		{[]string{"fleet", "work", "192.0.2.1:4222"}, "without TLS"},
		{[]string{"fleet", "work"}, "HOST:PORT is missing"},
		{[]string{"fleet", "serve", "--tls-cert", "c"}, "--tls-key"},
		{[]string{"fleet", "status", "nowhere"}, "nowhere"},
		{[]string{"match", "--evals", "9", "--fleet", "127.0.0.1:1"}, "--journal"},
		{[]string{"match", "--evals", "9", "--without", "w"}, "--fleet"},
		{[]string{"datagen", "--out", "d", "--fleet", "192.0.2.1:4222"}, "without TLS"},
	} {
		if code, _, errOut := run(t, "", test.args...); code != exitUsage || !strings.Contains(errOut, test.want) {
			t.Errorf("%v: code %d, %s", test.args, code, errOut)
		}
	}
}
