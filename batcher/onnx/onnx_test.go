//go:build cgo

package onnx

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"tesla/batcher"
	"tesla/batcher/batchertest"
	"tesla/models"
	"tesla/models/eut"
)

// message builds protobuf messages for tiny ONNX graphs.
type message []byte

func (m message) bytes(number protowire.Number, b []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, number, protowire.BytesType), b)
}

func (m message) text(number protowire.Number, s string) message { return m.bytes(number, []byte(s)) }

func (m message) int(number protowire.Number, v uint64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, number, protowire.VarintType), v)
}

// ONNX element types.
const (
	onnxFloat = 1
	onnxInt32 = 6
)

// onnxValue is a ValueInfoProto: a tensor [N, columns], or [batch, columns] where batch is not zero.
func onnxValue(name string, kind, batch, columns uint64) message {
	first := message{}.text(2, "N")
	if batch != 0 {
		first = message{}.int(1, batch)
	}
	shape := message{}.bytes(1, first).bytes(1, message{}.int(1, columns))
	tensor := message{}.int(1, kind).bytes(2, shape)
	return message{}.text(1, name).bytes(2, message{}.bytes(1, tensor))
}

// castGraph is an ONNX model that casts its input to float and calls it output.
func castGraph(input message, inputName string, output message, outputName string) []byte {
	to := message{}.text(1, "to").int(3, onnxFloat).int(20, 2)
	node := message{}.text(1, inputName).text(2, outputName).text(4, "Cast").bytes(5, to)
	graph := message{}.bytes(1, node).text(2, "test").bytes(11, input).bytes(12, output)
	return message{}.int(1, 8).bytes(7, graph).bytes(8, message{}.text(1, "").int(2, 17))
}

// testRow is the length of a row of input for a net of width 4.
const testRow = 4 + 704

// netOf is a net of width 4 with a graph.
func netOf(t *testing.T, graph []byte) *eut.Net {
	t.Helper()
	header, err := json.Marshal(eut.Header{
		Name: "test", Arch: "eut", Features: eut.Features, Width: 4, Policy: eut.PolicySize,
		Segments: map[string][2]int{"num": {0, 4}},
	})
	if err != nil {
		t.Fatal(err)
	}
	b := binary.LittleEndian.AppendUint32([]byte(eut.Magic+"\x02\x00\x00\x00"), uint32(len(header)))
	b = append(append(b, header...), make([]byte, eut.Features*4*4)...)
	b = append(binary.LittleEndian.AppendUint64(b, uint64(len(graph))), graph...)
	sum := sha256.Sum256(b)
	net, err := eut.Parse(append(b, sum[:]...))
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// openCPU opens the cpu backend with the built-in net, or skips the test where ONNX Runtime is not installed.
// TESLA_REQUIRE_ORT=1 makes its absence a failure.
func openCPU(t testing.TB, opts batcher.Options) *backend {
	t.Helper()
	b, err := New("cpu", builtIn(t), opts)
	return opened(t, b, err)
}

// openCPUPlan is openCPU with a given plan.
func openCPUPlan(t testing.TB, opts batcher.Options, p plan) *backend {
	t.Helper()
	opts = opts.WithDefaults()
	open, err := opener("cpu", builtIn(t), opts)
	if err != nil {
		return opened(t, nil, err)
	}
	b, err := open(p)
	return opened(t, b, err)
}

func opened(t testing.TB, b batcher.Backend, err error) *backend {
	t.Helper()
	if err != nil {
		if os.Getenv("TESLA_REQUIRE_ORT") == "1" {
			t.Fatalf("TESLA_REQUIRE_ORT=1: %v", err)
		}
		t.Skipf("no ONNX Runtime here: %v", err)
	}
	t.Cleanup(func() { b.Close() })
	return b.(*backend)
}

func builtIn(t testing.TB) *eut.Net {
	t.Helper()
	net, err := models.Default()
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// The cpu backend, alone and behind decorators, passes the suite of all backends.
func TestSuite(t *testing.T) {
	full := batcher.Options{MaxBatch: batchertest.MaxBatch}
	for name, open := range map[string]func(t *testing.T) batcher.Backend{
		"cpu": func(t *testing.T) batcher.Backend { return openCPU(t, full) },
		"cpu, 3 threads": func(t *testing.T) batcher.Backend {
			return openCPU(t, batcher.Options{MaxBatch: batchertest.MaxBatch, Threads: 3})
		},
		"cpu+cache": func(t *testing.T) batcher.Backend { return batcher.NewCache(openCPU(t, full), 1<<20) },
		"cpu+guard": func(t *testing.T) batcher.Backend { return batcher.NewGuard(openCPU(t, full), batcher.GuardOptions{}) },
	} {
		t.Run(name, func(t *testing.T) { batchertest.Run(t, open) })
	}
}

func TestWrongSignature(t *testing.T) {
	openCPU(t, batcher.Options{}) // skips where there is no library
	in, out := onnxValue("acc", onnxInt32, 0, testRow), onnxValue("wdl", onnxFloat, 0, testRow)
	for _, test := range []struct {
		name  string
		graph []byte
		want  string
	}{
		{"no ONNX", []byte("no graph at all"), "reading the graph"},
		{"input name", castGraph(onnxValue("x", onnxInt32, 0, testRow), "x", out, "wdl"), `no input acc in the graph, but ["x"]`},
		{"input type", castGraph(onnxValue("acc", onnxFloat, 0, testRow), "acc", out, "wdl"), "input acc is"},
		{"input width", castGraph(onnxValue("acc", onnxInt32, 0, 6), "acc", onnxValue("wdl", onnxFloat, 0, 6), "wdl"), "want"},
		{"fixed batch", castGraph(onnxValue("acc", onnxInt32, 1, testRow), "acc", onnxValue("wdl", onnxFloat, 1, testRow), "wdl"), "[N 708]"},
		{"output shape", castGraph(in, "acc", out, "wdl"), "output wdl is"},
		{"output name", castGraph(in, "acc", onnxValue("y", onnxFloat, 0, testRow), "y"), `no output wdl in the graph, but ["y"]`},
		{"outputs missing", castGraph(onnxValue("acc", onnxInt32, 0, testRow), "acc", onnxValue("wdl", onnxFloat, 0, testRow), "wdl"), "want"},
	} {
		_, err := New("cpu", netOf(t, test.graph), batcher.Options{})
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "net test (") {
			t.Errorf("%s: %v, want an error with %q", test.name, err, test.want)
		} else {
			t.Logf("%s: %v", test.name, err)
		}
	}
}

// openVariable makes this binary open the backend that the variable names, print the result and exit. A process loads
// one library only, so each wrong library needs a process of its own.
const openVariable = "TESLA_TEST_OPEN"

func TestMain(m *testing.M) {
	name := os.Getenv(openVariable)
	if name == "" {
		os.Exit(m.Run())
	}
	net, err := models.Default()
	if err == nil {
		var b batcher.Backend
		if b, err = New(name, net, batcher.Options{}); err == nil {
			_, _, err = Tune(b)
		}
	}
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	fmt.Println("opened")
	os.Exit(0)
}

// openIn opens a backend in another process, with environment variables added, and returns what that prints.
func openIn(t *testing.T, name string, environment ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), openVariable+"="+name), environment...)
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out)
}

// ONNX Runtime leaves nothing behind, in the user's folders or the temporary one: its telemetry is off. What is kept is
// the plan.
func TestLeavesNothing(t *testing.T) {
	openCPU(t, batcher.Options{}) // skips where there is no library
	library, err := libraryPath()
	if err != nil {
		t.Fatal(err)
	}
	home, temporary := t.TempDir(), t.TempDir()
	if out := openIn(t, "cpu", libraryVariable+"="+library, "HOME="+home, "XDG_CACHE_HOME=", "TMPDIR="+temporary); out != "opened\n" {
		t.Fatal(out)
	}
	var found []string
	for _, folder := range []string{home, temporary} {
		if err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				found = append(found, path)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if want := filepath.Join(home, ".cache", "tesla", "plans.json"); !slices.Equal(found, []string{want}) {
		t.Errorf("files %q, want %s alone", found, want)
	}
}

func TestWrongLibraries(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.so")
	if err := os.WriteFile(text, []byte("this is no library\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, library string
		want          []string
	}{
		{"missing", dir + "/none.so", []string{libraryVariable, "none.so", "no such file"}},
		{"directory", dir, []string{"is a directory"}},
		{"text", text, []string{"loading " + text, "fetch-onnxruntime.sh"}},
		{"another library", compile(t, dir, "other", "int nothing(void) { return 0; }"), []string{"other.so: another library", "OrtGetApiBase"}},
		{"old version", compile(t, dir, "old", oldLibrary), []string{"old.so is version 1.10.0", oldestORT, "fetch-onnxruntime.sh"}},
	} {
		for _, backend := range []string{"cpu", "cuda"} {
			out := openIn(t, backend, libraryVariable+"="+test.library)
			for _, want := range append(test.want, "error: ") {
				if !strings.Contains(out, want) {
					t.Errorf("%s, %s: no %q in %q", test.name, backend, want, out)
				}
			}
		}
	}
	out := openIn(t, "cpu", libraryVariable+"=", "XDG_CACHE_HOME="+dir)
	if !strings.Contains(out, "ONNX Runtime is not installed") || !strings.Contains(out, "fetch-onnxruntime.sh") {
		t.Errorf("empty cache folder: %q", out)
	}
}

// oldLibrary is a library with the entry point of ONNX Runtime, but without the version of the API that is requested.
const oldLibrary = `
static const void *api(unsigned version) { return 0; }
static const char *name(void) { return "1.10.0"; }
static struct { const void *(*api)(unsigned); const char *(*name)(void); } base = {api, name};
const void *OrtGetApiBase(void) { return &base; }
`

// compile makes a shared library of C source, with the compiler that cgo needs anyway.
func compile(t *testing.T, dir, name, source string) string {
	t.Helper()
	c, so := filepath.Join(dir, name+".c"), filepath.Join(dir, name+".so")
	if err := os.WriteFile(c, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	compiler := os.Getenv("CC")
	if compiler == "" {
		compiler = "cc"
	}
	if out, err := exec.Command(compiler, "-shared", "-fPIC", "-o", so, c).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", compiler, err, out)
	}
	return so
}

// Rows that fail stay with the call that brought them: a smaller batch after it, which is padded, does not fail.
func TestRowsThatFail(t *testing.T) {
	b := openCPU(t, batcher.Options{Sums: true})
	outputs := func(n int) (out [3][]float32) {
		for k, o := range batcher.GraphOutputs {
			out[k] = make([]float32, n*o.Columns)
		}
		return out
	}
	bad := make([]int32, 8*b.Row())
	for i := range bad {
		bad[i] = 0x7f7f7f7f
	}
	good := make([]int32, b.Row())
	for range b.Info().Streams {
		if err := b.Infer(8, bad, outputs(8)); err == nil {
			t.Fatal("rows with codes that are out of range were computed")
		}
	}
	for range 2 * b.Info().Streams {
		if err := b.Infer(1, good, outputs(1)); err != nil {
			t.Error(err)
		}
	}
}

// TestCompany checks that a position's result does not depend on the batch and lane that it is computed in: to the
// last bit if the kernels of this machine allow it. The log says whether they do.
func TestCompany(t *testing.T) {
	one, two := openCPU(t, batcher.Options{}), openCPU(t, batcher.Options{Threads: 2})
	want := batcher.Walk(120)
	if err := one.Evaluate(want); err != nil {
		t.Fatal(err)
	}
	for _, b := range []batcher.Backend{one, two} {
		for _, size := range []int{1, 2, 3, 7, 24, 100} {
			got, changed := batcher.Walk(120), 0
			for at := 0; at < len(got); at += size {
				if err := b.Evaluate(got[at:min(at+size, len(got))]); err != nil {
					t.Fatal(err)
				}
			}
			for i := range want {
				switch d := want[i].Difference(got[i]); {
				case d > 1e-5:
					t.Errorf("batches of %d, %d threads: item %d differs by %v", size, b.Info().Threads, i, d)
				case d > 0:
					changed++
				}
			}
			t.Logf("batches of %d, %d threads: %d of %d results differ in some bit", size, b.Info().Threads, changed, len(want))
		}
	}
}

// Every plan gives the same results, except that threads that share an operator may round differently. Batches allocate
// nothing.
func TestPlans(t *testing.T) {
	want := batcher.Walk(60)
	if err := openCPU(t, batcher.Options{}).Evaluate(want); err != nil {
		t.Fatal(err)
	}
	for _, p := range append(plansOf("cpu", batcher.Options{Threads: 2}), plansOf("cuda", batcher.Options{Threads: 2})...) {
		if p.Half {
			continue // slow on a CPU; see TestGraphs
		}
		b := openCPUPlan(t, batcher.Options{Threads: 2}, p)
		var wait sync.WaitGroup
		for range 2 * b.Info().Streams {
			wait.Go(func() {
				got := batcher.Walk(60)
				for at := 0; at < len(got); at += 12 {
					if err := b.Evaluate(got[at : at+12]); err != nil {
						t.Error(p, err)
					}
				}
				for i := range want {
					if d := want[i].Difference(got[i]); d > 1e-5 || d > 0 && p.Shared == 1 && !p.Fused {
						t.Errorf("%v: item %d differs by %v", p, i, d)
					}
				}
			})
		}
		wait.Wait()
		items := batcher.Walk(16)
		ask := func() {
			if err := b.Evaluate(items); err != nil {
				t.Error(err)
			}
		}
		for range b.Info().Streams {
			ask() // each binds tensors for batches of this size
		}
		if n := testing.AllocsPerRun(5, ask); n > 0 {
			t.Errorf("%v: %v allocations a batch", p, n)
		}
		if busy := batcher.NetBusy(batcher.NewCache(b, 0)); busy <= 0 {
			t.Errorf("%v: the net ran for %v", p, busy)
		}
	}
}

// A server is sent sums, so none of its plans may read lists of features.
func TestPlansOfServers(t *testing.T) {
	for _, p := range plansOf("cuda", batcher.Options{Sums: true}) {
		if p.Listed {
			t.Errorf("%v", p)
		}
	}
}

// BenchmarkFirstLayer compares sums that are updated and sent with lists of features that the device sums, for the net
// file TESLA_NET, or the built-in net.
func BenchmarkFirstLayer(b *testing.B) {
	net, err := models.OpenEUT(os.Getenv("TESLA_NET"))
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range []plan{{}, {Listed: true}, {Fused: true}, {Fused: true, Listed: true}} {
		p.Streams, p.Turns, p.Parts, p.Shared = 1, 1, 1, 1
		b.Run(fmt.Sprintf("listed=%v/fused=%v", p.Listed, p.Fused), func(b *testing.B) {
			open, err := opener("cpu", net, batcher.Options{}.WithDefaults())
			if err != nil {
				b.Fatal(err)
			}
			backend, err := open(p)
			if err != nil {
				b.Fatal(err)
			}
			defer backend.Close()
			items := batcher.Walk(32 * 40)
			for i := range b.N {
				at := i % 40 * 32
				if err := backend.Evaluate(items[at : at+32]); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(32*b.N)/b.Elapsed().Seconds(), "evals/s")
		})
	}
}
