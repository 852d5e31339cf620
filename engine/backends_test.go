package engine

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tesla/batcher"
	"tesla/models"
)

// open opens a backend and closes it when the test ends.
func open(t *testing.T, s source) (batcher.Backend, models.Net, []string) {
	t.Helper()
	b, net, notes, err := openBackend(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b, net, notes
}

// needsONNX skips a test where ONNX Runtime is not installed. TESLA_REQUIRE_ORT=1 makes its absence a failure.
func needsONNX(t *testing.T) {
	t.Helper()
	for _, s := range Probe() {
		if s.Name != "cpu" || s.OK {
			continue
		}
		if os.Getenv("TESLA_REQUIRE_ORT") == "1" {
			t.Fatalf("TESLA_REQUIRE_ORT=1: %s", s.Text)
		}
		t.Skipf("no ONNX Runtime here: %s", s.Text)
	}
}

// Each backend comes with the net that it evaluates with, and names it.
func TestOpenBackend(t *testing.T) {
	b, net, _ := open(t, source{name: "nnue", threads: 2, batch: 32})
	if i := b.Info(); net.NNUE == nil || net.EUT != nil || i.Model != net.NNUE.ShortHash() || i.ModelName != net.NNUE.Name || i.Threads != 2 || i.MaxBatch != 32 {
		t.Errorf("%+v with net %q", i, net.Path)
	}
	if b, net, _ = open(t, source{name: "mock"}); b.Info().Name != "mock" || net != (models.Net{}) {
		t.Errorf("mock: %+v with net %+v", b.Info(), net)
	}
	if b, net, _ = open(t, source{name: "nnue", weights: "../models/nnue.tesla"}); net.Path != "../models/nnue.tesla" || b.Info().Model != net.NNUE.ShortHash() {
		t.Errorf("%+v with net %q", b.Info(), net.Path)
	}
	if n, err := nnueOf(net); err != nil || n != net.NNUE {
		t.Errorf("alpha-beta beside a CPU net evaluates with another one: %v", err)
	}
	needsONNX(t)
	b, net, _ = open(t, source{name: "cpu", batch: 16, sums: true})
	if i := b.Info(); net.EUT == nil || net.NNUE != nil || i.Model != net.EUT.ShortHash() || i.MaxBatch != 16 {
		t.Errorf("%+v with net %q", i, net.Path)
	}
	if i, ok := b.(batcher.Inferer); !ok || i.Row() != net.EUT.Row() {
		t.Error("a server's backend does not read sums")
	}
	builtIn, _ := models.DefaultNNUE()
	if n, err := nnueOf(net); err != nil || n != builtIn {
		t.Errorf("alpha-beta beside a transformer does not evaluate with the built-in CPU net: %v", err)
	}
}

func TestOpenBackendFails(t *testing.T) {
	for _, test := range []struct {
		source
		want string
	}{
		{source{name: "nonesuch"}, `unknown backend "nonesuch"`},
		{source{name: "cpu", weights: "/nonexistent.tesla"}, "/nonexistent.tesla"},
		{source{name: "auto", weights: "/nonexistent.tesla"}, "no such file"},
		{source{name: "nnue", weights: "/nonexistent.tesla"}, "no such file"},
		{source{name: "cpu", weights: "auto.go"}, `begins with "package "`},
		{source{name: "auto", weights: "auto.go"}, `begins with "package "`},
		{source{name: "cpu", weights: "../models/nnue.tesla"}, "not a transformer"},
		{source{name: "nnue", weights: "../models/eut-s.tesla"}, "not a CPU net"},
		{source{name: "remote"}, "no server"},
		{source{name: "remote", weights: "../models"}, "a directory"},
	} {
		b, net, _, err := openBackend(test.source)
		if err == nil || b != nil || net != (models.Net{}) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want an error with %q", test.source, err, test.want)
		}
	}
}

func TestProbe(t *testing.T) {
	said := map[string]Status{}
	for _, s := range Probe() {
		t.Logf("%-9s %-5v %s", s.Name, s.OK, s.Text)
		said[s.Name] = s
		if s.Text == "" {
			t.Errorf("%s: no text", s.Name)
		}
	}
	if !said["nnue"].OK || !strings.Contains(said["nnue"].Text, "kernels ") || !said["mock"].OK || len(said) != len(Backends)-2 {
		t.Errorf("%+v, want all backends but auto and remote", said)
	}
}

// On a net file auto takes a backend for its kind.
func TestAutoOnFile(t *testing.T) {
	b, net, notes := open(t, source{name: "auto", weights: "../models/nnue.tesla"})
	if b.Info().Name != "nnue" || net.NNUE == nil || len(notes) > 1 {
		t.Errorf("%+v, %q", b.Info(), notes)
	}
}

// autoVariable makes this binary open auto on the net file that it names, or on the built-in nets, print the result and
// exit: a process loads one library only.
const autoVariable = "TESLA_TEST_AUTO"

func TestMain(m *testing.M) {
	weights, set := os.LookupEnv(autoVariable)
	if !set {
		os.Exit(m.Run())
	}
	b, _, notes, err := openBackend(source{name: "auto", weights: weights})
	for _, n := range notes {
		os.Stdout.WriteString("note: " + n + "\n")
	}
	if err != nil {
		os.Stdout.WriteString("error: " + err.Error() + "\n")
		os.Exit(1)
	}
	os.Stdout.WriteString("opened: " + b.Info().Name + "\n")
	b.Close()
	os.Exit(0)
}

// On the built-in nets auto takes nnue without a word and without ONNX Runtime, usable or not, for no number of
// evaluations would make the transformer stronger. On a transformer it needs the library, and tells why it cannot be used.
func TestAutoWithoutLibrary(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.so")
	if err := os.WriteFile(text, []byte("this is no library\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for library, want := range map[string]string{filepath.Join(dir, "none.so"): "no such file", dir: "is a directory", text: "ONNX Runtime: loading"} {
		auto := func(weights string) string {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), autoVariable+"="+weights, "TESLA_ONNXRUNTIME="+library)
			out, err := cmd.CombinedOutput()
			if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			return string(out)
		}
		if out := auto(""); out != "opened: nnue\n" {
			t.Errorf("%s: %s", library, out)
		}
		out := auto("../models/eut-s.tesla")
		if !strings.Contains(out, "error: ") || !strings.Contains(out, "backend cuda not available") || !strings.Contains(out, "backend cpu not available") {
			t.Errorf("%s: %s", library, out)
		}
		if !strings.Contains(out, want) && !strings.Contains(out, "without cgo") {
			t.Errorf("%s: no %q in %s", library, want, out)
		}
	}
}

// On a transformer auto takes what opens, without a word about what does not.
func TestAutoOnTransformer(t *testing.T) {
	needsONNX(t)
	b, net, notes := open(t, source{name: "auto", weights: "../models/eut-s.tesla", hurried: true})
	if !slices.Contains(autoProviders, b.Info().Name) || net.EUT == nil || len(notes) != 0 {
		t.Errorf("%s, notes %q", b.Info().Name, notes)
	}
}

// The strongest net of a folder is taken. A file that is no net is passed over.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	link := func(name, file string) {
		t.Helper()
		path, err := filepath.Abs(file)
		if err == nil {
			err = os.Symlink(path, filepath.Join(dir, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	refused := func(name, want string) {
		t.Helper()
		if _, _, _, err := openBackend(source{name: name, weights: dir}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", name, err, want)
		}
	}
	refused("nnue", "no *.tesla in the folder")
	link("b.tesla", "../models/nnue.tesla")
	refused("cpu", "holds no net for it")
	link("c.tesla", "auto.go")
	refused("cpu", "begins with")
	b, net, notes := open(t, source{name: "nnue", weights: dir})
	if filepath.Base(net.Path) != "b.tesla" || b.Info().Name != "nnue" || !strings.Contains(strings.Join(notes, "\n"), "c.tesla") {
		t.Errorf("%s, %q", net.Path, notes)
	}
	needsONNX(t)
	link("a.tesla", "../models/eut-s.tesla")
	for name, want := range map[string]string{"cpu": "a.tesla", "nnue": "b.tesla", "auto": "b.tesla"} {
		if _, net, notes := open(t, source{name: name, weights: dir}); filepath.Base(net.Path) != want {
			t.Errorf("%s: %s, want %s; %q", name, net.Path, want, notes)
		}
	}
}

// closing is a backend that counts its calls of Close.
type closing struct {
	batcher.Backend
	closed *int
}

func (c closing) Close() error {
	*c.closed++
	return c.Backend.Close()
}

// What is taken is the candidate of the highest rating, and the others are closed. Nothing is rated without a choice.
func TestStrongest(t *testing.T) {
	var c choice
	var closed [3]int
	for i, elo := range []float64{5000, 0, 9000} {
		b := closing{batcher.NewMock(batcher.Options{MaxBatch: 8}), &closed[i]}
		if err := c.consider(candidate{Backend: b, elo: elo}, math.Inf(-1)); err != nil {
			t.Fatal(err)
		}
		if rated := c.taken.eps > 0; rated != (i == 2) {
			t.Errorf("candidate %d: %v evaluations a second are known", i, c.taken.eps)
		}
	}
	if c.taken.elo != 9000 || closed != [3]int{1, 1, 0} {
		t.Errorf("%+v is taken, backends were closed %v times", c.taken, closed)
	}
	mock := candidate{Backend: batcher.NewMock(batcher.Options{})}
	mock.rate(eloPerDoubling) // which two evaluations a second have
	once := mock.eps
	if mock.rate(math.Inf(1)); once <= 2 || mock.eps < once {
		t.Errorf("%v evaluations a second were enough, then %v", once, mock.eps)
	}
	fast, slow := candidate{eps: 8000}, candidate{eps: 1000, elo: 100}
	if d := fast.rating() - slow.rating(); math.Abs(d-(3*eloPerDoubling-100)) > 1e-9 {
		t.Errorf("three doublings against 100 Elo: %v", d)
	}
}
