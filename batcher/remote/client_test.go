package remote

import (
	"context"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	health "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"tesla/batcher"
	"tesla/batcher/remote/kserve"
	"tesla/internal/loopback/loopbacktest"
)

// A server with certificate and token is asked with both, and by nobody else; its health may be asked by anyone.
func TestTokenAndTLS(t *testing.T) {
	cert, key := loopbacktest.Certificate(t)
	b := newSteady(builtIn(t), nil)
	secret, stop := startWith(t, b, "", ServerOptions{Model: "tesla", Token: "sesame", Cert: cert, Key: key})
	defer stop()
	open, stopOpen := startWith(t, b, "", ServerOptions{Model: "tesla", Token: "sesame"})
	defer stopOpen()
	for _, c := range []struct {
		name    string
		address Address
		want    string
	}{
		{"both", Address{"grpcs://" + secret, "sesame", cert}, ""},
		{"token alone", Address{"grpc://" + open + "/tesla", "sesame", ""}, ""},
		{"no token", Address{"grpcs://" + secret, "", cert}, "asks for a token"},
		{"wrong token", Address{open, "sesame!", ""}, "asks for a token"},
		{"unknown certificate", Address{"grpcs://" + secret, "sesame", ""}, "certificate"},
		{"not encrypted", Address{secret, "sesame", ""}, "Unavailable"},
		{"CA without grpcs", Address{secret, "", cert}, "grpcs://"},
		{"CA file missing", Address{"grpcs://" + secret, "", "/nonexistent"}, "nonexistent"},
		{"CA file without certificate", Address{"grpcs://" + secret, "", key}, "no certificate"},
	} {
		r, err := Open(c.address, builtIn(t), batcher.Options{MaxBatch: 8})
		if err == nil {
			err = r.Evaluate(items(4))
			r.Close()
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: the token is in the error: %v", c.name, err)
		}
	}
	t.Setenv(tokenVariable, "sesame")
	r, err := Open(Address{Server: open}, builtIn(t), batcher.Options{MaxBatch: 8})
	if err != nil {
		t.Fatalf("token of the environment: %v", err)
	}
	r.Close()
}

func TestHealth(t *testing.T) {
	permits := make(chan struct{})
	address, stop := startWith(t, newSteady(builtIn(t), permits), "", ServerOptions{Model: "tesla", Token: "sesame"})
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithPerRPCCredentials(bearerToken{token: "sesame"}))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	open, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	ctx := within(t, 10*time.Second)
	for service, want := range map[string]codes.Code{"": codes.OK, "inference.GRPCInferenceService": codes.OK, "chess": codes.NotFound} {
		if answer, err := health.NewHealthClient(open).Check(ctx, &health.HealthCheckRequest{Service: service}); status.Code(err) != want ||
			err == nil && answer.Status != health.HealthCheckResponse_SERVING {
			t.Errorf("%q: %v, %v", service, answer, err)
		}
	}
	client := kserve.NewGRPCInferenceServiceClient(conn)
	if live, err := client.ServerLive(ctx, &kserve.ServerLiveRequest{}); err != nil || !live.Live {
		t.Errorf("%v, %v", live, err)
	}
	if ready, err := client.ServerReady(ctx, &kserve.ServerReadyRequest{}); err != nil || !ready.Ready {
		t.Errorf("%v, %v", ready, err)
	}
	if ready, err := client.ModelReady(ctx, &kserve.ModelReadyRequest{Name: "tesla", Version: "1"}); err != nil || ready.Ready {
		t.Errorf("another version: %v, %v", ready, err)
	}
	close(permits)
	stop()
}

func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		address string
		options ServerOptions
		want    string
	}{
		{"127.0.0.1:1", ServerOptions{}, ""},
		{"[::1]:1", ServerOptions{}, ""},
		{"0.0.0.0:1", ServerOptions{Cert: "c", Key: "k"}, "whoever"},
		{"[::]:1", ServerOptions{Token: "t"}, "unencrypted"},
		{"0.0.0.0:1", ServerOptions{Token: "t", Cert: "c", Key: "k"}, ""},
	} {
		at, err := net.ResolveTCPAddr("tcp", c.address)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(c.options.Warnings(at), ""); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.address, got, c.want)
		}
	}
}

type inference = func(context.Context, *kserve.ModelInferRequest) (*kserve.ModelInferResponse, error)

// strange is a server of the protocol, such as Triton, that has no limits to tell and goes wrong as it is told.
type strange struct {
	kserve.UnimplementedGRPCInferenceServiceServer
	meta  *kserve.ModelMetadataResponse
	infer atomic.Pointer[inference] // a call that its client gave up can still begin
	calls atomic.Int32
}

func (s *strange) ModelMetadata(context.Context, *kserve.ModelMetadataRequest) (*kserve.ModelMetadataResponse, error) {
	return s.meta, nil
}

func (s *strange) ModelInfer(ctx context.Context, r *kserve.ModelInferRequest) (*kserve.ModelInferResponse, error) {
	s.calls.Add(1)
	return (*s.infer.Load())(ctx, r)
}

// sound is a good answer.
func sound(_ context.Context, r *kserve.ModelInferRequest) (*kserve.ModelInferResponse, error) {
	n := r.Inputs[0].Shape[0]
	answer := &kserve.ModelInferResponse{ModelName: r.ModelName, ModelVersion: "1"}
	for _, o := range batcher.GraphOutputs {
		answer.Outputs = append(answer.Outputs, &kserve.ModelInferResponse_InferOutputTensor{Name: o.Name, Datatype: "FP32", Shape: []int64{n, int64(o.Columns)}})
		row := make([]byte, 4*o.Columns)
		if o.Columns <= 3 {
			for i := range o.Columns {
				copy(row[4*i:], []byte{0, 0, 0x80, 0x3e}) // 0.25
			}
			copy(row[4*(o.Columns-1):], []byte{0, 0, 0, 0x3f}) // 0.5
		}
		answer.RawOutputContents = append(answer.RawOutputContents, []byte(strings.Repeat(string(row), int(n))))
	}
	return answer, nil
}

// A client of a server that goes wrong gets an error that says how, in time, and asks the same connection again. Where
// the server has no room for a moment, the client does not even notice.
func TestStrangeServers(t *testing.T) {
	spoilt := func(spoil func(*kserve.ModelInferResponse)) inference {
		return func(ctx context.Context, r *kserve.ModelInferRequest) (*kserve.ModelInferResponse, error) {
			answer, err := sound(ctx, r)
			spoil(answer)
			return answer, err
		}
	}
	columns := builtIn(t).Row()
	s := &strange{meta: &kserve.ModelMetadataResponse{Name: "tesla", Versions: []string{"1"}, Platform: "onnxruntime_onnx",
		Inputs: []*kserve.ModelMetadataResponse_TensorMetadata{{Name: "acc", Datatype: "INT32", Shape: []int64{-1, int64(columns)}}}}}
	for _, o := range batcher.GraphOutputs {
		s.meta.Outputs = append(s.meta.Outputs, &kserve.ModelMetadataResponse_TensorMetadata{Name: o.Name, Datatype: "FP32", Shape: []int64{-1, int64(o.Columns)}})
	}
	good := inference(sound)
	s.infer.Store(&good)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := grpc.NewServer(grpc.MaxRecvMsgSize(maxMessage))
	kserve.RegisterGRPCInferenceServiceServer(g, s)
	go g.Serve(listener)
	t.Cleanup(g.Stop)
	r, err := Open(Address{Server: listener.Addr().String()}, builtIn(t), batcher.Options{MaxBatch: 512})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Evaluate(batcher.Walk(512)); err != nil {
		t.Fatalf("a batch of 512, for a server without limits: %v", err)
	}
	for _, c := range []struct {
		name, want string
		infer      inference
	}{
		{"too few rows", "output wdl is FP32 [3 3], want FP32 [4 3]", spoilt(func(a *kserve.ModelInferResponse) { a.Outputs[0].Shape[0]-- })},
		{"too few bytes", "output sigma has 12 bytes, want 16", spoilt(func(a *kserve.ModelInferResponse) { a.RawOutputContents[1] = a.RawOutputContents[1][4:] })},
		{"another shape", "output policy is FP32", spoilt(func(a *kserve.ModelInferResponse) { a.Outputs[2].Shape = []int64{4120, 4} })},
		{"another type", "FP16", spoilt(func(a *kserve.ModelInferResponse) { a.Outputs[1].Datatype = "FP16" })},
		{"no output", "output wdl has 0 bytes", spoilt(func(a *kserve.ModelInferResponse) { a.Outputs[0].Name = "value" })},
		{"no contents", "contents of 0", spoilt(func(a *kserve.ModelInferResponse) { a.RawOutputContents = nil })},
		{"NaN", "NaN", spoilt(func(a *kserve.ModelInferResponse) { copy(a.RawOutputContents[1][4:], []byte{0, 0, 0xc0, 0x7f}) })},
		{"hangs", "no answer in 2s", func(ctx context.Context, _ *kserve.ModelInferRequest) (*kserve.ModelInferResponse, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}},
	} {
		s.infer.Store(&c.infer)
		began := time.Now()
		if err := r.Evaluate(items(4)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if took := time.Since(began); took > 2*deadline {
			t.Errorf("%s: after %v", c.name, took)
		}
	}
	busyOnce := func(ctx context.Context, r *kserve.ModelInferRequest) (*kserve.ModelInferResponse, error) {
		if s.calls.Load() == 1 {
			return nil, status.Error(codes.ResourceExhausted, "busy")
		}
		return sound(ctx, r)
	}
	s.infer.Store(&busyOnce)
	if s.calls.Store(0); r.Evaluate(items(4)) != nil || s.calls.Load() != 2 {
		t.Errorf("a busy server was asked %d times, want 2 and an answer", s.calls.Load())
	}
}

// A server that dies in the middle of a batch is an error of the batch at once; when it is back, the client asks it.
func TestServerDies(t *testing.T) {
	permits := make(chan struct{})
	b := newSteady(builtIn(t), permits)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, err := NewServer(b, builtIn(t), ServerOptions{Model: "tesla"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, listener) }()
	var permitting sync.WaitGroup
	permitting.Go(func() {
		for {
			select {
			case permits <- struct{}{}:
			case <-ctx.Done():
				return
			}
		}
	})
	r, err := Open(Address{Server: listener.Addr().String()}, builtIn(t), batcher.Options{MaxBatch: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cancel()
	server.admission.closeAll()
	began := time.Now()
	if err := r.Evaluate(items(4)); status.Code(err) == codes.OK || time.Since(began) > 2*deadline {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	permitting.Wait()
	close(permits)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	_, stop := start(t, b, listener.Addr().String(), "tesla")
	defer stop()
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if err := r.Evaluate(items(4)); err == nil {
			break
		} else if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}
