package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tesla/internal/bus"
	"tesla/lab/datagen"
	data "tesla/lab/games"
	"tesla/lab/match/player"
	"tesla/lab/work"
)

// dataOf are short games for training: two blocks of 40, and one of 20. Their results are drawn by lot.
func dataOf(t *testing.T, net string) (datagen.Config, player.InProcess) {
	in := player.InProcess{Searcher: open, Net: func(player.Player) (string, error) { return net, nil }}
	cfg := datagen.Config{Games: 100, Seed: 3, Commit: "here", Random: [2]int{2, 6}, Plies: 25, Player: datagen.Spec{Evals: 9}}
	if err := cfg.Identify(in); err != nil {
		t.Fatal(err)
	}
	return cfg, in
}

// dataRun is a run of a file in progress at its host.
type dataRun struct {
	*datagen.Generator
	said  *lockedLog
	ended chan error
}

func hostData(ctx context.Context, t *testing.T, cfg datagen.Config, path string, at bus.Address) dataRun {
	g, _, err := datagen.Open(cfg, path, true)
	if err != nil {
		t.Fatal(err)
	}
	r := dataRun{g, &lockedLog{}, make(chan error, 1)}
	say := func(text string) { _, _ = r.said.Write([]byte(text + "\n")) }
	go func() {
		r.ended <- g.Distribute(ctx, &Host{Address: at, Prove: proof(7, 1000), Beat: testBeat}, func(datagen.Progress) {}, say)
	}()
	return r
}

// end waits for the end of the run, and closes the file.
func (r dataRun) end(t *testing.T, want error) {
	t.Helper()
	if err := <-r.ended; !errors.Is(err, want) {
		t.Errorf("%v, want %v\n%s", err, want, r.said)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// sorted are the games of a file by number.
func sorted(t *testing.T, path string) []*data.Game {
	t.Helper()
	all, err := data.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b *data.Game) int { return cmp.Compare(a.Number, b.Number) })
	return all
}

// outsider asks a host as a worker does, and plays nothing.
type outsider struct {
	*worker
	run string
}

func newOutsider(t *testing.T, at bus.Address) *outsider {
	conn, err := at.Connect("outsider", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	store, err := openStore(t.Context(), conn, testBeat)
	if err != nil {
		t.Fatal(err)
	}
	o := &outsider{worker: &worker{Worker: &Worker{}, store: store}}
	await(t, "the run", func() bool {
		_ = store.entries(t.Context(), runKey, func(key string, _ []byte) error { o.run = key; return nil })
		return o.run != ""
	})
	return o
}

// send hands in games, as a worker with a name.
func (o *outsider) send(t *testing.T, name string, all []*data.Game) (r receipt) {
	t.Helper()
	got := result{Worker: name}
	for _, g := range all {
		body, err := g.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		line, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		got.Lines = append(got.Lines, line)
	}
	h := hello{Worker: name, Commit: "here", Proof: Proof{[]uint32{7}, 1000}}
	if err := errors.Join(o.ask(t.Context(), askTime, o.run, "join", h, &receipt{}), o.ask(t.Context(), askTime, o.run, "result", got, &r)); err != nil {
		t.Fatal(err)
	}
	return r
}

// Two workers make the games that one process makes, though the host is started again, and though a worker is killed with a
// block in its hands. Who has another net or commit makes none, and blocks that cannot be right do not count.
func TestData(t *testing.T) {
	cfg, in := dataOf(t, "same")
	alone, shared := filepath.Join(t.TempDir(), "alone"), filepath.Join(t.TempDir(), "shared")
	g, _, err := datagen.Open(cfg, alone, false)
	if err != nil {
		t.Fatal(err)
	}
	crew, err := datagen.OpenCrew(t.Context(), cfg, 1, in, nil)
	if err == nil {
		err = errors.Join(g.Run(t.Context(), crew.Players, crew.Trees, func(datagen.Progress) {}), crew.Close(), g.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	want := sorted(t, alone)

	at := serve(t, "")
	ctx, stop := context.WithCancel(t.Context())
	run := hostData(ctx, t, cfg, shared, at)
	for name, spoil := range map[string]func(*Worker){
		"commit": func(w *Worker) { w.Commit = "there" },
		"net":    func(w *Worker) { w.InProcess.Net = func(player.Player) (string, error) { return "other", nil } },
	} {
		w := workerAt(t, at, name)
		w.InProcess.Net = in.Net
		spoil(w)
		start(t, w)
		why := "worker " + name + " is refused: wrong " + name
		await(t, why, func() bool { return strings.Contains(run.said.String(), why) })
	}
	o := newOutsider(t, at)
	first := want[:40]
	for _, lie := range []struct {
		name string
		tell func(all []*data.Game) []*data.Game
		want string
	}{
		{"short", func(all []*data.Game) []*data.Game { return all[:39] }, "39 games, game 39 is not among them"},
		{"none", func([]*data.Game) []*data.Game { return nil }, "no game"},
		{"long", func(all []*data.Game) []*data.Game { return append(all, want[40]) }, "game 40 is of another unit"},
		{"twice", func(all []*data.Game) []*data.Game { all[1] = all[0]; return all }, "game 0 twice"},
		{"number", func(all []*data.Game) []*data.Game { all[0].Number, all[1].Number = 1, 0; return all }, "wrong opening"},
		{"beyond", func(all []*data.Game) []*data.Game { all[0].Number = 100; return all }, "game 100 of 100"},
		{"result", func(all []*data.Game) []*data.Game { all[7].Result = (all[7].Result+2)%3 - 1; return all }, "game 7: moves or result"},
		{"end", func(all []*data.Game) []*data.Game { all[2].Plies = all[2].Plies[:9]; return all }, "game 2: 9 moves"},
		{"move", func(all []*data.Game) []*data.Game {
			all[0].Plies = append(all[0].Plies[3:4], all[0].Plies[1:]...)
			return all
		}, "illegal"},
	} {
		var all []*data.Game
		for _, g := range first {
			game := *g
			game.Plies = slices.Clone(g.Plies)
			all = append(all, &game)
		}
		if r := o.send(t, lie.name, lie.tell(all)); !strings.Contains(r.Refused, lie.want) {
			t.Errorf("%s: %+v, want %q", lie.name, r, lie.want)
		}
	}
	if r := o.send(t, "honest", first); r != (receipt{}) {
		t.Error(r)
	}
	await(t, "the state", func() bool {
		s, err := Look(t.Context(), at)
		return err == nil && len(s.Runs) == 1 && s.Runs[0].Kind == work.Data && strings.Contains(s.String(), "games 40 of 100") &&
			strings.Contains(s.String(), "  honest: 40 games\n")
	})
	stop()
	run.end(t, context.Canceled)

	run = hostData(t.Context(), t, cfg, shared, at)
	if again := newOutsider(t, at); again.run != o.run {
		t.Errorf("the run is %s, was %s", again.run, o.run)
	}
	if r := o.send(t, "late", first); r != (receipt{}) { // its host was away
		t.Error(r)
	}
	units, err := o.units.Consumer(t.Context(), o.run)
	if err != nil {
		t.Fatal(err)
	}
	if taken, err := units.Fetch(1); err != nil || <-taken.Messages() == nil {
		t.Fatalf("no unit for the worker that is killed: %v", err)
	}
	for _, name := range []string{"one", "two"} {
		w := workerAt(t, at, name)
		w.InProcess.Net = in.Net
		start(t, w)
	}
	run.end(t, nil)
	if got := sorted(t, shared); !reflect.DeepEqual(got, want) {
		t.Errorf("%d games, not the %d of one process", len(got), len(want))
	}
}
