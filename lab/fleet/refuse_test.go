package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tesla/internal/bus"
	"tesla/lab/match"
	"tesla/lab/match/player"
	"tesla/search"
)

// A worker that is not as it should be plays no game, and the user reads why. A sound one plays them all.
func TestRefused(t *testing.T) {
	at := serve(t, "")
	net := filepath.Join(t.TempDir(), "net.bin")
	if err := os.WriteFile(net, []byte("a net"), 0o600); err != nil {
		t.Fatal(err)
	}
	nets := func(hash string) func(player.Player) (string, error) {
		return func(p player.Player) (string, error) {
			if text, err := os.ReadFile(p.Weights); err != nil || string(text) != "a net" {
				t.Errorf("net %q was not fetched: %v", p.Weights, err)
			}
			return hash, nil
		}
	}
	for name, spoil := range map[string]func(*Worker){
		"commit":    func(w *Worker) { w.Commit = "there" },
		"signature": func(w *Worker) { w.Prove = proof(8, 1000) },
		"net":       func(w *Worker) { w.InProcess.Net = nets("other") },
		"out":       func(*Worker) {},
		"broken": func(w *Worker) {
			w.InProcess.Searcher = func(player.Player) (search.Searcher, error) { return nil, errors.New("no memory") }
		},
	} {
		w := workerAt(t, at, name)
		w.InProcess.Net = nets("same")
		spoil(w)
		start(t, w)
	}
	c := game(t, 6)
	c.InProcess.Net = func(player.Player) (string, error) { return "same", nil }
	c.Players[0].Weights, c.Players[1].Weights, c.Without = net, net, []string{"out"}
	warn := &lockedLog{}
	c.Output.Warn = warn
	c = fleetOf(c, at)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := match.Play(ctx, c)
		ended <- err
	}()
	for name, why := range map[string]string{
		"commit": "wrong commit: there, want here", "signature": "wrong bench signature: that of core 1 is 8, want 7",
		"net": `wrong net: that of x is "other", want "same"`, "out": "left out by --without", "broken": "no memory",
	} {
		want := "worker " + name + " is refused: "
		await(t, want+why, func() bool {
			_, after, found := strings.Cut(warn.String(), want)
			return found && strings.Contains(after, why)
		})
	}
	fine := workerAt(t, at, "fine")
	fine.InProcess.Net = nets("same")
	start(t, fine)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(c.Files.Journal)
	if err != nil || strings.Count(string(text), `"worker":"fine"`) != 6 {
		t.Errorf("%v\n%s", err, text)
	}
}

// Results that cannot be right, and those of a worker whose clock is wrong, do not count.
func TestFalseResults(t *testing.T) {
	at := serve(t, "")
	alone := game(t, 2)
	play(t, alone)
	text, err := os.ReadFile(alone.Files.Journal)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")[1:3]
	c := fleetOf(game(t, 2), at)
	c.Distributor.(*Host).clockSlack = 200 * time.Millisecond
	warn := &lockedLog{}
	c.Output.Warn = warn
	ended := make(chan error, 1)
	go func() {
		_, err := match.Play(t.Context(), c)
		ended <- err
	}()
	conn, err := at.Connect("liar", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	store, err := openStore(t.Context(), conn, testBeat)
	if err != nil {
		t.Fatal(err)
	}
	id := ""
	await(t, "the run", func() bool {
		_ = store.entries(t.Context(), runKey, func(key string, _ []byte) error { id = key; return nil })
		return id != ""
	})
	w := &worker{Worker: &Worker{}, store: store}
	send := func(name string, clock time.Duration, lines ...string) (r receipt) {
		h := hello{Worker: name, Commit: "here", Proof: Proof{[]uint32{7}, 1000}}
		if err := w.ask(t.Context(), askTime, id, "join", h, &receipt{}); err != nil {
			t.Fatal(err)
		}
		got := result{Worker: name, Clock: clock}
		for _, line := range lines {
			got.Lines = append(got.Lines, json.RawMessage(line))
		}
		if err := w.ask(t.Context(), askTime, id, "result", got, &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, lie := range []struct{ name, old, new, want string }{
		{"winner", `"result":"1/2-1/2"`, `"result":"1-0"`, "is said to end 1-0"},
		{"mover", `{"m":"`, `{"m":"a1a8","was":"`, "a1a8"},
		{"ender", `"game":0`, `"game":7`, "game 7 of a match"},
		{"swapper", `"white":"x"`, `"white":"z"`, "players z - y"},
	} {
		if r := send(lie.name, 0, strings.ReplaceAll(lines[0], lie.old, lie.new)); !strings.Contains(r.Refused, lie.want) {
			t.Errorf("%s: %+v, want %q", lie.name, r, lie.want)
		}
	}
	if r := send("fast", time.Hour, lines...); !strings.Contains(r.Refused, "wrong clock: it runs ") {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(warn.String(), "worker winner is refused: impossible result") {
		t.Errorf("the user does not read of it: %s", warn)
	}
	var r receipt
	if err := w.ask(t.Context(), askTime, id, "result", result{Worker: "stranger"}, &r); err != nil || !r.Join {
		t.Errorf("a stranger's result: %+v, %v", r, err)
	}
	if r := send("honest", 0, lines...); r != (receipt{}) {
		t.Errorf("%+v", r)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	same(t, games(t, c.Files.Journal), games(t, alone.Files.Journal))
}

// A clock that is three times too slow is noticed: a minute of the host's is 20 seconds of the worker's.
func TestSlowClock(t *testing.T) {
	r := &run{host: &Host{}}
	for _, c := range []struct {
		theirs, ours time.Duration
		want         string
	}{
		{20 * time.Second, time.Minute, "0.33 times"}, {3 * time.Minute, time.Minute, "3.00 times"}, {time.Minute, time.Minute, ""},
		{58 * time.Minute, time.Hour, ""}, {20 * time.Minute, time.Hour, "0.33 times"}, {0, 20 * time.Second, ""},
	} {
		why := r.slow(&guest{hello: hello{Clock: time.Hour}, since: time.Now().Add(-c.ours)}, time.Hour+c.theirs)
		if c.want == "" && why != "" || !strings.Contains(why, c.want) {
			t.Errorf("%v in %v: %q, want %q", c.theirs, c.ours, why, c.want)
		}
	}
}

func TestAddresses(t *testing.T) {
	at := serve(t, "secret")
	for _, c := range []struct {
		at   bus.Address
		want string
	}{
		{bus.Address{Server: at.Server, Token: "wrong"}, "token refused"},
		{bus.Address{Server: at.Server}, "token refused"},
		{bus.Address{Server: "127.0.0.1:1"}, "no answer from a server"},
		{bus.Address{Server: "192.0.2.1:4222"}, "without TLS"},
		{bus.Address{}, "no server"},
		{bus.Address{Server: "here"}, "missing port"},
	} {
		if _, err := Look(t.Context(), c.at); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.at, err, c.want)
		}
	}
	for _, c := range []struct {
		options bus.ServerOptions
		want    string
	}{
		{bus.ServerOptions{Listen: "0.0.0.0:0", Streams: true}, "--token: none for"},
		{bus.ServerOptions{Listen: "0.0.0.0:0", Streams: true, Token: "secret"}, "--tls-cert: none for"},
		{bus.ServerOptions{Listen: at.Server, Streams: true}, "in use"},
	} {
		if _, err := bus.Serve(c.options); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.options, err, c.want)
		}
	}
}
