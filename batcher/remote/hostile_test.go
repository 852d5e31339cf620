package remote

import (
	"context"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"tesla/batcher"
	"tesla/batcher/remote/kserve"
	"tesla/internal/slow"
	"tesla/models/eut"
)

// steady is a backend that answers each row with the same outputs. It may wait for a permit before each part.
type steady struct {
	batcher.Backend
	model   string
	columns int
	permits chan struct{} // nil: no wait
	parts   atomic.Int32
	single  atomic.Int32 // number of the first part that had one row
}

func newSteady(n *eut.Net, permits chan struct{}) *steady {
	return &steady{Backend: batcher.NewMock(batcher.Options{}), model: n.ShortHash(), columns: n.Row(), permits: permits}
}

func (s *steady) Info() batcher.Info {
	info := s.Backend.Info()
	info.Name, info.Model = "cpu", s.model
	return info
}

func (s *steady) Row() int { return s.columns }

func (s *steady) Infer(n int, _ []int32, out [3][]float32) error {
	if number := s.parts.Add(1); n == 1 {
		s.single.CompareAndSwap(0, number)
	}
	if s.permits != nil {
		<-s.permits
	}
	for i := range n {
		out[0][3*i], out[0][3*i+1], out[0][3*i+2], out[1][i] = 0.5, 0.25, 0.25, 0.1
	}
	return nil
}

// mostRows is the number of rows of the largest request for the built-in net.
const mostRows = 253

// dial makes a client of the protocol.
func dial(t testing.TB, address string) kserve.GRPCInferenceServiceClient {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(1<<30), grpc.MaxCallSendMsgSize(1<<30)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return kserve.NewGRPCInferenceServiceClient(conn)
}

// encoded are n rows of positions.
func encoded(t testing.TB, weights *eut.Net, n int) (data []byte) {
	t.Helper()
	encoder, row := eut.NewEncoder(weights), make([]int32, weights.Row())
	for _, it := range batcher.Walk(n) {
		encoder.Encode(&it.Position, row)
		for _, x := range row {
			data = binary.LittleEndian.AppendUint32(data, uint32(x))
		}
	}
	return data
}

// asking is a request for the evaluation of rows.
func asking(rows int, data []byte) *kserve.ModelInferRequest {
	return &kserve.ModelInferRequest{ModelName: "tesla", RawInputContents: [][]byte{data},
		Inputs: []*kserve.ModelInferRequest_InferInputTensor{{Name: "acc", Datatype: "INT32", Shape: []int64{int64(rows), int64(len(data) / 4 / rows)}}}}
}

func within(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// Rows that no position has are refused, with the column, before the backend gets them; the next request is answered.
func TestRowsOfNoPosition(t *testing.T) {
	b, weights := newSteady(builtIn(t), nil), builtIn(t)
	address, stop := start(t, b, "", "tesla")
	defer stop()
	client := dial(t, address)
	valid := encoded(t, weights, 2)
	for at, want := range map[int]string{0: "column 0", weights.Width: "square 0 has piece", weights.Width + 64: "attacks", weights.Width + 128: "kings",
		weights.Row() - 1: "byte for each rank"} {
		for _, value := range []uint32{0x7f7f7f7f, 1 << 31} {
			bad := append([]byte{}, valid...)
			binary.LittleEndian.PutUint32(bad[len(bad)/2+4*at:], value)
			_, err := client.ModelInfer(within(t, 20*time.Second), asking(2, bad))
			if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "row 1") || !strings.Contains(err.Error(), want) {
				t.Errorf("column %d: %v, want %q", at, err, want)
			}
		}
	}
	if b.parts.Load() != 0 {
		t.Errorf("the backend got %d parts", b.parts.Load())
	}
	request := asking(2, valid)
	request.Outputs = []*kserve.ModelInferRequest_InferRequestedOutputTensor{{Name: "sigma"}}
	answer, err := client.ModelInfer(within(t, 20*time.Second), request)
	if err != nil || len(answer.Outputs) != 1 || answer.Outputs[0].Name != "sigma" || len(answer.RawOutputContents) != 1 || len(answer.RawOutputContents[0]) != 8 {
		t.Errorf("%v, %v", answer, err)
	}
	request.Outputs[0].Name = "elo"
	if _, err := client.ModelInfer(within(t, 20*time.Second), request); status.Code(err) != codes.InvalidArgument {
		t.Errorf("an output that is not there: %v", err)
	}
}

// A message that is no request, or would take far more memory than it has bytes, is refused.
func TestMalformedMessages(t *testing.T) {
	address, stop := start(t, newSteady(builtIn(t), nil), "", "tesla")
	defer stop()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.ForceCodecV2(raw{})))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	row := builtIn(t).Row()
	for _, c := range []struct {
		name, method, message string
		want                  codes.Code
	}{
		{"noise", "ModelInfer", "\xff\xff\xff", codes.InvalidArgument},
		{"nothing", "ModelInfer", "", codes.NotFound},
		{"half a million inputs", "ModelInfer", strings.Repeat("\x2a\x00", 1<<19), codes.InvalidArgument},
		{"half a million contents", "ModelInfer", strings.Repeat("\x3a\x00", 1<<19), codes.InvalidArgument},
		{"no text", "ModelInfer", "\x0a\x02\xff\xfe", codes.InvalidArgument},
		{"large", "ModelInfer", strings.Repeat("\x00", 4*row*1024), codes.ResourceExhausted},
		{"large metadata", "ModelMetadata", "\x0a\x80\x80\x40" + strings.Repeat("x", 1<<20), codes.Internal},
		{"no method", "ModelConfig", "", codes.Unimplemented},
	} {
		var answer []byte
		err := conn.Invoke(within(t, 20*time.Second), "/inference.GRPCInferenceService/"+c.method, []byte(c.message), &answer)
		if status.Code(err) != c.want {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// The limits are in the metadata, and what is beyond them is refused as exhausted.
func TestLimits(t *testing.T) {
	slow.Test(t) // hundreds of connections; TestTurns runs the same goroutines
	permits := make(chan struct{})
	b := newSteady(builtIn(t), permits)
	weights := builtIn(t)
	address, stop := start(t, b, "", "tesla")
	defer stop()
	client := dial(t, address)
	meta, err := client.ModelMetadata(within(t, 20*time.Second), &kserve.ModelMetadataRequest{Name: "tesla"})
	if err != nil {
		t.Fatal(err)
	}
	limit := func(name string) int {
		n, err := strconv.Atoi(meta.Properties[name])
		if err != nil {
			t.Error(name, err)
		}
		return n
	}
	if limit("max_rows") != mostRows || limit("max_requests") != maxRequests ||
		limit("max_memory_bytes") < 100<<20 || limit("max_memory_bytes") > 1<<30 {
		t.Errorf("%v", meta.Properties)
	}
	for _, rows := range []int{mostRows + 1, 4096} {
		if _, err := client.ModelInfer(within(t, 20*time.Second), asking(rows, make([]byte, 4*rows*weights.Row()))); status.Code(err) != codes.ResourceExhausted {
			t.Errorf("%d rows: %v", rows, err)
		}
	}
	one := asking(1, encoded(t, weights, 1))
	var wait sync.WaitGroup
	var answered, refused atomic.Int32
	ask := func(c kserve.GRPCInferenceServiceClient) {
		wait.Go(func() {
			switch _, err := c.ModelInfer(within(t, 20*time.Second), one); status.Code(err) {
			case codes.OK:
				answered.Add(1)
			case codes.ResourceExhausted:
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	const connections = maxRequests/maxPerClient + 2
	for range connections {
		c := dial(t, address)
		for range maxPerClient + 1 {
			ask(c)
		}
	}
	const beyond = connections*(maxPerClient+1) - maxRequests
	for end := time.Now().Add(10 * time.Second); refused.Load() < beyond && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
	}
	if refused.Load() != beyond {
		t.Errorf("%d were refused, want %d", refused.Load(), beyond)
	}
	close(permits)
	wait.Wait()
	if answered.Load() != maxRequests {
		t.Errorf("%d were answered, want %d", answered.Load(), maxRequests)
	}
	if _, err := client.ModelInfer(within(t, 20*time.Second), one); err != nil {
		t.Errorf("after the crowd: %v", err)
	}
}

// Connections take turns: a client that asks for little does not wait until another's large requests are done. A
// request that is cancelled is not computed.
func TestTurns(t *testing.T) {
	permits := make(chan struct{})
	b, weights := newSteady(builtIn(t), permits), builtIn(t)
	address, stop := start(t, b, "", "tesla")
	defer stop()
	greedy, cancelled := dial(t, address), dial(t, address)
	const parts = (mostRows + least - 1) / least // of a request
	large := asking(mostRows, encoded(t, weights, mostRows))
	var wait sync.WaitGroup
	for range maxPerClient {
		wait.Go(func() { greedy.ModelInfer(within(t, 20*time.Second), large) })
	}
	for b.parts.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	if _, err := cancelled.ModelInfer(within(t, 100*time.Millisecond), large); status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("%v", err)
	}
	modest, one := dial(t, address), asking(1, encoded(t, weights, 1))
	if _, err := modest.ServerLive(within(t, 20*time.Second), &kserve.ServerLiveRequest{}); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := modest.ModelInfer(within(t, 20*time.Second), one)
		done <- err
	}()
	time.Sleep(200 * time.Millisecond)
	close(permits)
	if err := <-done; err != nil || b.single.Load() > 8 {
		t.Errorf("%v, its part was number %d of %d", err, b.single.Load(), maxPerClient*parts)
	}
	wait.Wait()
	if computed := int(b.parts.Load()); computed != maxPerClient*parts+1 {
		t.Errorf("%d parts were computed, want none of the cancelled request", computed)
	}
}

// rawPeer speaks HTTP/2 frame by frame.
type rawPeer struct {
	net.Conn
	*http2.Framer
}

func newRawPeer(t testing.TB, address string) rawPeer {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	p := rawPeer{conn, http2.NewFramer(conn, conn)}
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		t.Fatal(err)
	}
	// Without a window, no answer can be sent.
	if err := p.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}); err != nil {
		t.Fatal(err)
	}
	return p
}

// begin begins a request.
func (p rawPeer) begin(stream uint32, method string) error {
	var block strings.Builder
	e := hpack.NewEncoder(&block)
	for _, f := range [][2]string{{":method", "POST"}, {":scheme", "http"}, {":path", method}, {":authority", "tesla"}, {"content-type", "application/grpc"}, {"te", "trailers"}} {
		if err := e.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]}); err != nil {
			return err
		}
	}
	return p.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: []byte(block.String()), EndHeaders: true})
}

const inferMethod = "/inference.GRPCInferenceService/ModelInfer"

// A server ends within seconds although connections are half open, requests never arrive, and answers are not read. What
// it was asked before is answered.
func TestEnds(t *testing.T) {
	permits := make(chan struct{})
	b, weights := newSteady(builtIn(t), permits), builtIn(t)
	address, stop := start(t, b, "", "tesla")
	for range 20 {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	for range 5 {
		p := newRawPeer(t, address)
		for _, stream := range []uint32{1, 3} {
			if err := p.begin(stream, inferMethod); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.WriteData(1, false, []byte{0, 0, 1}); err != nil {
			t.Fatal(err)
		}
	}
	reader := newRawPeer(t, address)
	if err := reader.begin(1, "/inference.GRPCInferenceService/ServerLive"); err != nil {
		t.Fatal(err)
	}
	if err := reader.WriteData(1, true, make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	go func() {
		_, err := dial(t, address).ModelInfer(within(t, 20*time.Second), asking(1, encoded(t, weights, 1)))
		answered <- err
	}()
	for b.parts.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	began := time.Now()
	time.AfterFunc(300*time.Millisecond, func() { close(permits) })
	stop()
	if err := <-answered; err != nil {
		t.Errorf("a request from before the end: %v", err)
	}
	if took := time.Since(began); took > grace+2*time.Second {
		t.Errorf("ended after %v", took)
	}
}

// Random frames do no harm: one second, or a minute with TESLA_LONG.
func TestRandomFrames(t *testing.T) {
	address, stop := start(t, newSteady(builtIn(t), nil), "", "tesla")
	defer stop()
	length := time.Second
	if os.Getenv("TESLA_LONG") == "1" {
		length = time.Minute
	}
	end := time.Now().Add(length)
	var wait sync.WaitGroup
	var connections atomic.Int64
	for k := range 8 {
		wait.Go(func() {
			for seed := uint64(0); time.Now().Before(end); seed++ {
				sendRandomFrames(address, rand.New(rand.NewPCG(uint64(k), seed)))
				connections.Add(1)
			}
		})
	}
	client, one := dial(t, address), asking(1, encoded(t, builtIn(t), 1))
	asked := 0
	for ; time.Now().Before(end); asked++ {
		if _, err := client.ModelInfer(within(t, 20*time.Second), one); err != nil {
			t.Fatalf("request %d: %v", asked, err)
		}
	}
	wait.Wait()
	t.Logf("%d connections of random frames, %d requests answered", connections.Load(), asked)
}

// sendRandomFrames makes a connection and sends noise, until the server has had enough of it.
func sendRandomFrames(address string, random *rand.Rand) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer conn.Close()
	go io.Copy(io.Discard, conn)
	if random.IntN(8) > 0 {
		io.WriteString(conn, http2.ClientPreface)
	}
	p := rawPeer{conn, http2.NewFramer(conn, nil)}
	p.AllowIllegalWrites = true
	noise := func() []byte {
		b := make([]byte, random.IntN(300))
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		return b
	}
	for stream := uint32(1); stream < 60; stream++ {
		var err error
		switch random.IntN(8) {
		case 0:
			err = p.begin(stream|1, inferMethod)
		case 1:
			err = p.WriteData(stream, random.IntN(2) == 0, noise())
		case 2:
			err = p.WriteSettings(http2.Setting{ID: http2.SettingID(random.IntN(8)), Val: random.Uint32()})
		case 3:
			err = p.WriteWindowUpdate(stream, random.Uint32())
		case 4:
			err = p.WriteRSTStream(stream|1, http2.ErrCodeCancel)
		case 5:
			err = p.WriteHeaders(http2.HeadersFrameParam{StreamID: stream | 1, BlockFragment: noise(), EndHeaders: random.IntN(2) == 0, EndStream: random.IntN(2) == 0})
		case 6:
			err = p.WriteRawFrame(http2.FrameType(random.IntN(12)), http2.Flags(random.Uint32()), random.Uint32()>>random.IntN(32), noise())
		case 7:
			_, err = conn.Write(noise())
		}
		if err != nil {
			return
		}
	}
}

// wire is an encoded message.
func wire(t testing.TB, m proto.Message) []byte {
	t.Helper()
	data, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// raw is a codec that sends bytes as they are.
type raw struct{}

func (raw) Name() string { return "proto" }

func (raw) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}

func (raw) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = data.Materialize()
	return nil
}
