package remote

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"tesla/batcher"
	"tesla/batcher/onnx"
	"tesla/batcher/remote/kserve"
	"tesla/board"
	"tesla/models"
	"tesla/models/eut"
)

// local is the backend of a server. It skips the test where ONNX Runtime is not installed.
func local(t *testing.T) batcher.Inferer {
	t.Helper()
	b, err := onnx.New("cpu", builtIn(t), batcher.Options{MaxBatch: 16, Sums: true})
	if err != nil {
		if os.Getenv("TESLA_REQUIRE_ORT") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	t.Cleanup(func() { b.Close() })
	return b.(batcher.Inferer)
}

// builtIn is the built-in net.
func builtIn(t *testing.T) *eut.Net {
	t.Helper()
	net, err := models.Default()
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// start serves a model at an address; an empty one means any. It returns the address and a function that ends the
// server.
func start(t *testing.T, b batcher.Inferer, address, model string) (string, func()) {
	t.Helper()
	return startWith(t, b, address, ServerOptions{Model: model})
}

// startWith is start with more options.
func startWith(t *testing.T, b batcher.Inferer, address string, o ServerOptions) (string, func()) {
	t.Helper()
	server, err := NewServer(b, builtIn(t), o)
	if err != nil {
		t.Fatal(err)
	}
	if address == "" {
		address = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, listener) }()
	return listener.Addr().String(), func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// items are n positions with their moves, the same ones at each call.
func items(n int) (all []*batcher.Item) {
	g := board.NewGame(board.StartPosition())
	for len(all) < n {
		moves := g.Pos.LegalMoves(nil)
		all = append(all, &batcher.Item{Position: g.Pos, Moves: moves})
		g.Play(moves[7*len(all)%len(moves)])
	}
	return all
}

// A server gives the answers of its backend.
func TestRemote(t *testing.T) {
	b := local(t)
	address, stop := start(t, b, "", "tesla")
	defer stop()
	r, err := Open(Address{Server: address}, builtIn(t), batcher.Options{MaxBatch: 64})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, want := items(50), items(50) // more than the server's backend takes at once
	if err := r.Evaluate(got); err != nil {
		t.Fatal(err)
	}
	for part := range slices.Chunk(want, b.Info().MaxBatch) {
		if err := b.Evaluate(part); err != nil {
			t.Fatal(err)
		}
	}
	for i := range got {
		if math.Abs(float64(got[i].Eval.Q-want[i].Eval.Q)) > 1e-5 || len(got[i].Policy) != len(got[i].Moves) {
			t.Fatalf("item %d: %+v, want %+v", i, got[i].Eval, want[i].Eval)
		}
		for k := range got[i].Policy {
			if math.Abs(float64(got[i].Policy[k]-want[i].Policy[k])) > 1e-5 {
				t.Fatalf("item %d: policy %v, want %v", i, got[i].Policy, want[i].Policy)
			}
		}
	}
	if err := r.Evaluate(nil); err != nil {
		t.Error(err)
	}
}

// A batch fails while the server is away, and succeeds again when it is back.
func TestReconnects(t *testing.T) {
	b := local(t)
	address, stop := start(t, b, "", "tesla")
	r, err := Open(Address{Server: address}, builtIn(t), batcher.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	g := batcher.NewGuard(r, batcher.GuardOptions{Tell: func(text string) { told = append(told, text) },
		Spare: func() (batcher.Backend, error) { return batcher.NewMock(batcher.Options{}), nil }})
	defer g.Close()
	if err := g.Evaluate(items(4)); err != nil {
		t.Fatal(err)
	}
	stop()
	if err := g.Evaluate(items(4)); err != nil || len(told) != 1 || !strings.Contains(told[0], "mock takes over") {
		t.Fatalf("%v, told %q", err, told)
	}
	_, stop = start(t, b, address, "tesla")
	defer stop()
	for end := time.Now().Add(20 * time.Second); len(told) == 1 && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if err := g.Evaluate(items(4)); err != nil {
			t.Fatal(err)
		}
	}
	if len(told) != 2 || !strings.Contains(told[1], "again") {
		t.Errorf("told %q", told)
	}
}

// dying is a backend whose batches fail after a while, once it is ill.
type dying struct {
	batcher.Inferer
	wait time.Duration
	ill  *atomic.Bool
}

func (d dying) Infer(n int, rows []int32, out [3][]float32) error {
	if !d.ill.Load() {
		return d.Inferer.Infer(n, rows, out)
	}
	time.Sleep(d.wait)
	return os.ErrDeadlineExceeded
}

// lying is a backend that spoils one output of its net while it is ill.
type lying struct {
	batcher.Inferer
	output int
	ill    *atomic.Bool
}

func (l lying) Infer(n int, rows []int32, out [3][]float32) error {
	err := l.Inferer.Infer(n, rows, out)
	for i := range out[l.output] {
		if l.ill.Load() {
			out[l.output][i] = float32(math.Inf(1))
		}
	}
	return err
}

// A server whose answer is not a net's answer is an error of the batch that names the output and the position.
func TestServerLies(t *testing.T) {
	b := local(t)
	for output, want := range []string{"output value", "output sigma", "output policy"} {
		ill := new(atomic.Bool)
		address, stop := start(t, lying{b, output, ill}, "", "tesla")
		r, err := Open(Address{Server: address}, builtIn(t), batcher.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ill.Store(true)
		asked := items(4)
		if err := r.Evaluate(asked); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), asked[0].Position.FEN(false)) {
			t.Errorf("%v, want an error with %q and the position", err, want)
		}
		ill.Store(false)
		if err := r.Evaluate(asked); err != nil {
			t.Errorf("after a lie: %v", err)
		}
		r.Close()
		stop()
	}
}

// An error of the server, or an answer that is late, is an error of the batch.
func TestServerFails(t *testing.T) {
	b := local(t)
	for want, d := range map[string]dying{"Internal": {b, 0, new(atomic.Bool)}, "DeadlineExceeded": {b, 3 * time.Second, new(atomic.Bool)}} {
		address, stop := start(t, d, "", "tesla")
		r, err := Open(Address{Server: address}, builtIn(t), batcher.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d.ill.Store(true)
		began := time.Now()
		if err := r.Evaluate(items(4)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if took := time.Since(began); took > 3500*time.Millisecond {
			t.Errorf("%s after %v", want, took)
		}
		r.Close()
		stop()
	}
}

func TestOpenFails(t *testing.T) {
	address, stop := start(t, local(t), "", "other")
	defer stop()
	for server, want := range map[string]string{"": "no server", address: "no model \"tesla\"", "127.0.0.1:1": "127.0.0.1:1"} {
		b, err := Open(Address{Server: server}, builtIn(t), batcher.Options{})
		if err == nil {
			b.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", server, err, want)
		}
	}
	b, err := Open(Address{Server: address + "/other"}, builtIn(t), batcher.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b.Close()
}

// A request that does not fit the model is refused with the reason.
func TestBadRequests(t *testing.T) {
	b := local(t)
	weights := builtIn(t)
	address, stop := start(t, b, "", "tesla")
	defer stop()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	client := kserve.NewGRPCInferenceServiceClient(conn)
	row := int64(weights.Row())
	for name, c := range map[string]struct {
		model, input, kind string
		shape              []int64
		bytes              int64
		want               codes.Code
	}{
		"sound": {"tesla", "acc", "INT32", []int64{2, row}, 8 * row, codes.OK},
		"model": {"chess", "acc", "INT32", []int64{2, row}, 8 * row, codes.NotFound},
		"input": {"tesla", "board", "INT32", []int64{2, row}, 8 * row, codes.InvalidArgument},
		"type":  {"tesla", "acc", "FP32", []int64{2, row}, 8 * row, codes.InvalidArgument},
		"width": {"tesla", "acc", "INT32", []int64{2, row + 1}, 8 * row, codes.InvalidArgument},
		"rows":  {"tesla", "acc", "INT32", []int64{-2, row}, 8 * row, codes.InvalidArgument},
		"many":  {"tesla", "acc", "INT32", []int64{1 << 40, row}, 8 * row, codes.ResourceExhausted},
		"short": {"tesla", "acc", "INT32", []int64{2, row}, 8*row - 1, codes.InvalidArgument},
		"shape": {"tesla", "acc", "INT32", nil, 8 * row, codes.InvalidArgument},
	} {
		_, err := client.ModelInfer(context.Background(), &kserve.ModelInferRequest{ModelName: c.model,
			Inputs:           []*kserve.ModelInferRequest_InferInputTensor{{Name: c.input, Datatype: c.kind, Shape: c.shape}},
			RawInputContents: [][]byte{make([]byte, c.bytes)}})
		if status.Code(err) != c.want {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if _, err := client.ModelInfer(context.Background(), &kserve.ModelInferRequest{ModelName: "tesla"}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("no input: %v", err)
	}
	ready, err := client.ModelReady(context.Background(), &kserve.ModelReadyRequest{Name: "tesla"})
	if err != nil || !ready.Ready {
		t.Errorf("ready %v, %v", ready, err)
	}
}

// The repository for Triton has the net's graph, and a configuration that describes it.
func TestExport(t *testing.T) {
	weights := builtIn(t)
	dir := t.TempDir()
	if err := Export(dir, "chess", weights); err != nil {
		t.Fatal(err)
	}
	graph, err := os.ReadFile(filepath.Join(dir, "chess", "1", "model.onnx"))
	if err != nil || !bytes.Equal(graph, weights.Graph) {
		t.Errorf("%v, or another graph", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "chess", "config.pbtxt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`name: "chess"`, fmt.Sprintf(`{ name: "acc" data_type: TYPE_INT32 dims: [ -1, %d ] }`, weights.Row()), `"policy" data_type: TYPE_FP32 dims: [ -1, 4120 ]`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s\nwant %s", text, want)
		}
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Export(file, "chess", weights); err == nil {
		t.Error("a file was taken for a folder")
	}
}
