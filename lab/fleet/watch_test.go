package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tesla/board"
	"tesla/internal/bus"
	"tesla/lab/match"
	"tesla/lab/match/player"
	"tesla/lab/work"
	"tesla/search"
)

// waiting waits before each move until a channel is closed.
type waiting struct {
	hashing
	wait chan struct{}
}

func (w waiting) Search(ctx context.Context, g *board.Game, l search.Limits, tell func(search.Info)) (search.Result, error) {
	select {
	case <-ctx.Done():
	case <-w.wait:
	}
	return w.hashing.Search(ctx, g, l, tell)
}

// As long as no game comes, the user reads what the workers do, and fleet status says it as well.
func TestWatch(t *testing.T) {
	at := serve(t, "")
	c := fleetOf(game(t, 2), at)
	warn := &lockedLog{}
	c.Output.Warn = warn
	ended := hosting(t.Context(), c)
	says := func(want string) { await(t, want, func() bool { return strings.Contains(warn.String(), want) }) }
	says("fleet: no worker is there; tesla fleet work " + at.Server + " starts one")
	other := workerAt(t, at, "other")
	other.Commit = "there"
	start(t, other)
	says("fleet: no game yet; worker other: refused: wrong commit: there, want here")
	slow := workerAt(t, at, "slow")
	wait := make(chan struct{})
	slow.InProcess.Searcher = func(player.Player) (search.Searcher, error) { return waiting{hashing{}, wait}, nil }
	start(t, slow)
	says("worker slow: admitted")
	await(t, "a status that tells the same", func() bool { // the worker that is refused may be late with its presence
		s, err := Look(t.Context(), at)
		return err == nil && strings.Contains(s.String(), "worker slow: 1 slots") && strings.Contains(s.String(), ": admitted\n") &&
			strings.Contains(s.String(), ": refused: wrong commit")
	})
	close(wait)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(warn.String(), "no worker is there"); n != 1 {
		t.Errorf("it was told %d times:\n%s", n, warn)
	}
}

// What is told of many workers, and after the first game.
func TestCrew(t *testing.T) {
	var many []Presence
	for i := range 10 {
		many = append(many, Presence{Name: string(rune('a' + i)), Runs: map[string]string{"x": "refused: why", "other": admitted}})
	}
	for _, c := range []struct {
		workers []Presence
		begun   bool
		want    string
	}{
		{nil, true, "no worker is there; tesla fleet work S starts one"},
		{many[:2], false, "no game yet; worker a: refused: why; worker b: refused: why"},
		{many[:1], true, "no worker plays; worker a: refused: why"},
		{many, true, "worker h: refused: why; and 2 more"},
		{[]Presence{{Name: "n", Runs: map[string]string{"other": admitted}}}, false, "no game yet; worker n: it has not seen the run yet"},
		{append(many[:1:1], Presence{Name: "z", Runs: map[string]string{"x": admitted}}), true, ""},
	} {
		if got := crew(c.workers, "x", "S", c.begun); !strings.HasSuffix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// streamsOf is the streams of a server, for a test that changes them.
func streamsOf(t *testing.T, at bus.Address) jetstream.JetStream {
	t.Helper()
	conn, err := at.Connect("test", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// unitsOn waits until a host has published two units of work, and returns their stream.
func unitsOn(t *testing.T, js jetstream.JetStream) (units jetstream.Stream) {
	t.Helper()
	await(t, "units", func() bool {
		var err error
		if units, err = js.Stream(t.Context(), streamName); err != nil {
			return false
		}
		info, err := units.Info(t.Context())
		return err == nil && info.State.Msgs == 2
	})
	return units
}

// A server that takes units of work and does not confirm them, as one whose disk was full, does not stop a match for ever.
func TestUnconfirmed(t *testing.T) {
	at := serve(t, "")
	c := fleetOf(game(t, 4), at)
	ended := hosting(t.Context(), c)
	js := streamsOf(t, at)
	units := unitsOn(t, js)
	config := units.CachedInfo().Config
	config.NoAck = true
	if _, err := js.UpdateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	if err := units.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	await(t, "a unit that is not confirmed", func() bool {
		info, err := units.Info(t.Context())
		return err == nil && info.State.Msgs > 0
	})
	start(t, workerAt(t, at, "one"))
	select {
	case err := <-ended:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(4 * askTime):
		t.Fatal("the match waits")
	}
}

// A server that has no streams, or loses them, is named with the reason each time that this changes.
func TestServerInTrouble(t *testing.T) {
	at := serve(t, "")
	c := fleetOf(game(t, 4), at)
	warn := &lockedLog{}
	c.Output.Warn = warn
	ended := hosting(t.Context(), c)
	js := streamsOf(t, at)
	unitsOn(t, js)
	const foreign = "foreign"
	for range 2 { // somebody else's stream takes the subjects of the units
		before := warn.String()
		if err := js.DeleteStream(t.Context(), streamName); err != nil {
			t.Fatal(err)
		}
		await(t, "a foreign stream", func() bool {
			_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: foreign, Subjects: []string{"tesla.work.>"}, Storage: jetstream.MemoryStorage})
			if err != nil { // the host was faster
				_ = js.DeleteStream(t.Context(), streamName)
			}
			return err == nil
		})
		await(t, "the reason", func() bool {
			return strings.Contains(warn.String()[len(before):], "fleet: the server cannot be used, it is asked again: ")
		})
		if err := js.DeleteStream(t.Context(), foreign); err != nil {
			t.Fatal(err)
		}
		await(t, "that it is there again", func() bool {
			return strings.Contains(warn.String()[len(before):], "fleet: the server is there again")
		})
	}
	start(t, workerAt(t, at, "one"))
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

// A worker that comes late, with an empty folder, gets a file of many pieces from the host, though the file was removed since.
// A host does not give other files.
func TestFiles(t *testing.T) {
	at := serve(t, "")
	net, c, in := netOf(t, 5*pieceSize/2)
	want, err := os.ReadFile(net)
	if err != nil {
		t.Fatal(err)
	}
	ended := hosting(t.Context(), fleetOf(c, at))
	o := newOutsider(t, at)
	if err := os.Remove(net); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", net, "../journal", hashMark, "/etc/passwd"} {
		var p piece
		if err := o.ask(t.Context(), askTime, o.run, "file", wish{Name: name}, &p); err != nil || p.Refused == "" || p.Data != nil {
			t.Errorf("%q: %+v, %v", name, p, err)
		}
	}
	w := workerAt(t, at, "late")
	w.InProcess = in
	start(t, w)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadDir(w.Dir)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if got, err := os.ReadFile(filepath.Join(w.Dir, list[0].Name())); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, %v, want %d", len(got), err, len(want))
	}
}

// A file that comes short, changed, or not at all is an error, and leaves nothing behind.
func TestDownloadFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "net")
	if err := os.WriteFile(path, []byte("whole"), 0o600); err != nil {
		t.Fatal(err)
	}
	name, err := hashOf(path)
	if err != nil {
		t.Fatal(err)
	}
	for want, p := range map[string]piece{
		"":                          {Data: []byte("whole"), Size: 5},
		"its hash is sha256-":       {Data: []byte("other"), Size: 5},
		"after 0 bytes: host: x":    {Refused: "x"},
		"after 0 bytes: unexpected": {Size: 5},
	} {
		folder := filepath.Join(dir, "f"+want)
		err := download(name, filepath.Join(folder, name), func(wish) (piece, error) { return p, nil })
		list, listed := os.ReadDir(folder)
		names := slices.Collect(func(yield func(string) bool) {
			for _, f := range list {
				if !yield(f.Name()) {
					return
				}
			}
		})
		if want == "" && (err != nil || !slices.Equal(names, []string{name})) || want != "" && (err == nil || !strings.Contains(err.Error(), want) || len(names) > 0) {
			t.Errorf("%v with %v, want %q; %v", err, names, want, listed)
		}
	}
}

// A run whose host does not answer does not keep a worker from others.
func TestHangingHost(t *testing.T) {
	at := serve(t, "")
	conn, err := at.Connect("hanging", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	store, err := openStore(t.Context(), conn, testBeat)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.SubscribeSync(runsOf + "a.file"); err != nil { // asked, and never answers
		t.Fatal(err)
	}
	order := match.Order{Plan: match.Plan{Players: []player.Player{{Weights: hashMark + "net"}}}}
	text, err := json.Marshal(&order)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var offering sync.WaitGroup
	offering.Go(func() {
		for ctx.Err() == nil {
			_ = store.put(ctx, runKey+"a", offer{Kind: work.Match, Commit: "here", Weight: 1, Order: text}) // the next one follows
			time.Sleep(testBeat)
		}
	})
	defer offering.Wait()
	defer cancel()
	start(t, workerAt(t, at, "one"))
	await(t, "the run that hangs", func() bool {
		s, err := Look(t.Context(), at)
		return err == nil && strings.Contains(s.String(), "run a: "+joining)
	})
	began := time.Now()
	c := fleetOf(game(t, 4), at)
	play(t, c)
	if took := time.Since(began); took > pieceTime/4 {
		t.Errorf("it took %v", took)
	}
}
