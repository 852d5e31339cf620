package remote

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"tesla/batcher"
	"tesla/batcher/remote/kserve"
)

// summing is a backend whose outputs tell each row from others.
type summing struct{ *steady }

func (s summing) Infer(n int, rows []int32, out [3][]float32) error {
	for i := range n {
		sum := 0.0
		for k, x := range rows[i*s.columns : (i+1)*s.columns] {
			sum = math.Mod(sum*31+float64(x)+float64(k), 9973)
		}
		for k, o := range batcher.GraphOutputs {
			for c := range o.Columns {
				out[k][i*o.Columns+c] = float32(sum + float64(k) + float64(c)/8192)
			}
		}
	}
	return nil
}

// usual makes a client with the limits that clients of gRPC have by default.
func usual(t *testing.T, address string, options ...grpc.DialOption) kserve.GRPCInferenceServiceClient {
	t.Helper()
	conn, err := grpc.NewClient(address, append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return kserve.NewGRPCInferenceServiceClient(conn)
}

// typedOf is a request with typed contents instead of raw ones.
func typedOf(r *kserve.ModelInferRequest) *kserve.ModelInferRequest {
	typed := proto.Clone(r).(*kserve.ModelInferRequest)
	values := make([]int32, len(r.RawInputContents[0])/4)
	decodeRows(r.RawInputContents[0], values)
	typed.RawInputContents = nil
	typed.Inputs[0].Contents = &kserve.InferTensorContents{IntContents: values}
	return typed
}

// rawOf are the outputs of an answer as bytes, whichever form it has. An answer has one form.
func rawOf(t *testing.T, a *kserve.ModelInferResponse, typed bool) (all [][]byte) {
	t.Helper()
	for i, o := range a.Outputs {
		if typed != (o.Contents != nil) || typed != (len(a.RawOutputContents) == 0) {
			t.Fatalf("output %d: contents %v, %d raw ones; typed %v", i, o.Contents != nil, len(a.RawOutputContents), typed)
		}
		if !typed {
			all = append(all, a.RawOutputContents[i])
			continue
		}
		var data []byte
		for _, x := range o.Contents.Fp32Contents {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		}
		all = append(all, data)
	}
	return all
}

// A request with typed contents is answered with the same numbers as one with raw contents, and in the form in which it came:
// packed, value by value, and in pieces.
func TestTypedContents(t *testing.T) {
	weights := builtIn(t)
	address, stop := start(t, summing{newSteady(weights, nil)}, "", "tesla")
	defer stop()
	client := usual(t, address)
	for _, rows := range []int{1, 3, mostRows} {
		raw := asking(rows, encoded(t, weights, rows))
		raw.Id = "request 7"
		raw.Parameters = map[string]*kserve.InferParameter{"priority": {ParameterChoice: &kserve.InferParameter_Uint64Param{Uint64Param: 1}}}
		for _, asked := range [][]string{nil, {"policy", "wdl"}, {"sigma"}} {
			raw.Outputs = nil
			for _, name := range asked {
				raw.Outputs = append(raw.Outputs, &kserve.ModelInferRequest_InferRequestedOutputTensor{Name: name})
			}
			want, err := client.ModelInfer(within(t, 20*time.Second), raw)
			if err != nil {
				t.Fatal(err)
			}
			got, err := client.ModelInfer(within(t, 20*time.Second), typedOf(raw))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.EqualFunc(rawOf(t, got, true), rawOf(t, want, false), slices.Equal) {
				t.Errorf("%d rows, outputs %v: the numbers are others", rows, asked)
			}
			if got.Id != raw.Id || got.ModelName != "tesla" || got.ModelVersion != weights.ShortHash() {
				t.Errorf("%d rows: %q %q %q", rows, got.Id, got.ModelName, got.ModelVersion)
			}
			for i, o := range got.Outputs {
				if w := want.Outputs[i]; o.Name != w.Name || o.Datatype != "FP32" || !slices.Equal(o.Shape, w.Shape) || len(asked) > 0 && o.Name != asked[i] {
					t.Errorf("output %d: %v %v %v, want %v %v", i, o.Name, o.Datatype, o.Shape, w.Name, w.Shape)
				}
			}
		}
	}
}

// unusual are the same typed contents as other writers of protobuf may put them.
func unusual(t *testing.T, r *kserve.ModelInferRequest, each func(values []int32) (contents [][]byte)) []byte {
	t.Helper()
	typed := typedOf(r)
	contents := each(typed.Inputs[0].Contents.IntContents)
	typed.Inputs[0].Contents = nil
	input, err := proto.Marshal(typed.Inputs[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range contents {
		input = protowire.AppendBytes(protowire.AppendTag(input, inputContents, protowire.BytesType), c)
	}
	typed.Inputs = nil
	head, err := proto.Marshal(typed)
	if err != nil {
		t.Fatal(err)
	}
	return protowire.AppendBytes(protowire.AppendTag(head, inputs, protowire.BytesType), input)
}

// packed are values as a packed field of contents.
func packed(field protowire.Number, values []int32) []byte {
	var list []byte
	for _, x := range values {
		list = protowire.AppendVarint(list, uint64(int64(x)))
	}
	return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), list)
}

func TestOtherWriters(t *testing.T) {
	weights := builtIn(t)
	address, stop := start(t, summing{newSteady(weights, nil)}, "", "tesla")
	defer stop()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.ForceCodecV2(raw{})))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	request := asking(2, encoded(t, weights, 2))
	want, err := usual(t, address).ModelInfer(within(t, 20*time.Second), request)
	if err != nil {
		t.Fatal(err)
	}
	single := func(values []int32) (c []byte) {
		for _, x := range values {
			c = protowire.AppendVarint(protowire.AppendTag(c, intContents, protowire.VarintType), uint64(int64(x)))
		}
		return c
	}
	for _, c := range []struct {
		name, want string // want: of the refusal; empty: it is answered
		write      func(values []int32) [][]byte
	}{
		{"single values", "", func(v []int32) [][]byte { return [][]byte{single(v)} }},
		{"pieces", "", func(v []int32) [][]byte {
			return [][]byte{packed(intContents, v[:7]), {}, single(v[7:9]), append(packed(intContents, v[9:1000]), packed(intContents, v[1000:])...)}
		}},
		{"empty", "no contents", func([]int32) [][]byte { return [][]byte{{}} }},
		{"no contents", "no contents", func([]int32) [][]byte { return nil }},
		{"short", "3007 int_contents, want 3008", func(v []int32) [][]byte { return [][]byte{packed(intContents, v[1:])} }},
		{"long", "more than the 3008", func(v []int32) [][]byte { return [][]byte{packed(intContents, v), packed(intContents, v[:1])} }},
		{"int64", "in int64_contents", func(v []int32) [][]byte { return [][]byte{packed(3, v)} }},
		{"fp32", "in fp32_contents", func(v []int32) [][]byte { return [][]byte{packed(6, v)} }},
		{"unknown", "in an unknown field", func(v []int32) [][]byte { return [][]byte{packed(99, v)} }},
		{"floats", "no integers", func([]int32) [][]byte {
			return [][]byte{protowire.AppendFixed32(protowire.AppendTag(nil, intContents, protowire.Fixed32Type), 1)}
		}},
		{"cut", "no ModelInferRequest", func(v []int32) [][]byte { c := packed(intContents, v); return [][]byte{c[:len(c)-1]} }},
		{"half a value", "no ModelInferRequest", func([]int32) [][]byte {
			return [][]byte{protowire.AppendBytes(protowire.AppendTag(nil, intContents, protowire.BytesType), []byte{0x80})}
		}},
		{"nonsense", "row 0 is of no position", func(v []int32) [][]byte {
			return [][]byte{packed(intContents, slices.Repeat([]int32{math.MinInt32}, len(v)))}
		}},
		{"many pieces", "pieces of contents", func(v []int32) [][]byte { return slices.Repeat([][]byte{packed(intContents, v[:1])}, 99) }},
	} {
		var reply []byte
		err := conn.Invoke(within(t, 20*time.Second), inferMethod, unusual(t, request, c.write), &reply)
		var got kserve.ModelInferResponse
		switch {
		case c.want != "":
			if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", c.name, err, c.want)
			}
		case err != nil || proto.Unmarshal(reply, &got) != nil:
			t.Errorf("%s: %v", c.name, err)
		case !slices.EqualFunc(rawOf(t, &got, true), rawOf(t, want, false), slices.Equal):
			t.Errorf("%s: the numbers are others", c.name)
		}
	}
	both := typedOf(request)
	both.RawInputContents = request.RawInputContents
	if _, err := usual(t, address).ModelInfer(within(t, 20*time.Second), both); status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "both") {
		t.Errorf("both forms: %v", err)
	}
}

// What a client asks of Triton's extensions is refused where it would change the answer.
func TestExtensions(t *testing.T) {
	weights := builtIn(t)
	address, stop := start(t, newSteady(weights, nil), "", "tesla")
	defer stop()
	client := usual(t, address)
	parameter := func(name string) map[string]*kserve.InferParameter {
		return map[string]*kserve.InferParameter{name: {ParameterChoice: &kserve.InferParameter_Int64Param{Int64Param: 3}}}
	}
	for name, want := range map[string]codes.Code{"classification": codes.InvalidArgument, "shared_memory_region": codes.InvalidArgument, "binary_data": codes.OK} {
		for _, set := range []func(r *kserve.ModelInferRequest){
			func(r *kserve.ModelInferRequest) { r.Inputs[0].Parameters = parameter(name) },
			func(r *kserve.ModelInferRequest) {
				r.Outputs = []*kserve.ModelInferRequest_InferRequestedOutputTensor{{Name: "wdl", Parameters: parameter(name)}}
			},
		} {
			request := asking(1, encoded(t, weights, 1))
			set(request)
			if _, err := client.ModelInfer(within(t, 20*time.Second), request); status.Code(err) != want || err != nil && !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v, want %v", name, err, want)
			}
		}
	}
}

// A client with the limits of gRPC's defaults gets the answer to each request that the server takes, with the longest id, in
// both forms; what is beyond is refused before it is computed.
func TestUsualClient(t *testing.T) {
	weights := builtIn(t)
	b := newSteady(weights, nil)
	address, stop := start(t, b, "", "tesla")
	defer stop()
	client := usual(t, address)
	request := asking(mostRows, encoded(t, weights, mostRows))
	request.Id = strings.Repeat("i", maxHead-200)
	for _, r := range []*kserve.ModelInferRequest{request, typedOf(request)} {
		if answer, err := client.ModelInfer(within(t, 20*time.Second), r); err != nil || answer.Id != request.Id {
			t.Errorf("%d rows: %v", mostRows, err)
		}
	}
	computed := b.parts.Load()
	request = asking(mostRows+1, encoded(t, weights, mostRows+1))
	_, err := client.ModelInfer(within(t, 20*time.Second), request)
	if status.Code(err) != codes.ResourceExhausted || !strings.Contains(err.Error(), "the server takes 253 in a request") || b.parts.Load() != computed {
		t.Errorf("%v, %d parts computed", err, b.parts.Load()-computed)
	}
}

// A compressed request is answered.
func TestCompressed(t *testing.T) {
	weights := builtIn(t)
	address, stop := start(t, newSteady(weights, nil), "", "tesla")
	defer stop()
	client := usual(t, address, grpc.WithDefaultCallOptions(grpc.UseCompressor(gzip.Name)))
	if _, err := client.ModelInfer(within(t, 20*time.Second), asking(8, encoded(t, weights, 8))); err != nil {
		t.Error(err)
	}
	if live, err := client.ServerLive(within(t, 20*time.Second), &kserve.ServerLiveRequest{}); err != nil || !live.Live {
		t.Error(err)
	}
	// 8 MB of zeros are a few KB, and more than the largest request.
	if _, err := client.ModelInfer(within(t, 20*time.Second), asking(1, make([]byte, 8<<20))); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("a large message that is small on the way: %v", err)
	}
}

// The metadata are what the protocol's own definition has, which other programs' clients are generated from.
func TestMetadata(t *testing.T) {
	weights := builtIn(t)
	address, stop := startWith(t, newSteady(weights, nil), "", ServerOptions{Model: "tesla", Version: "0123456789ab"})
	defer stop()
	client := usual(t, address)
	ctx := within(t, 20*time.Second)
	server, err := client.ServerMetadata(ctx, &kserve.ServerMetadataRequest{})
	if err != nil || server.Name != "tesla" || server.Version != "0123456789ab" || len(server.Extensions) != 0 {
		t.Errorf("%v, %v", server, err)
	}
	for version, want := range map[string]bool{"": true, weights.ShortHash(): true, "1": false} {
		if r, err := client.ModelReady(ctx, &kserve.ModelReadyRequest{Name: "tesla", Version: version}); err != nil || r.Ready != want {
			t.Errorf("version %q: ready %v, %v", version, r, err)
		}
		if _, err := client.ModelMetadata(ctx, &kserve.ModelMetadataRequest{Name: "tesla", Version: version}); (status.Code(err) == codes.OK) != want {
			t.Errorf("version %q: %v", version, err)
		}
	}
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.ForceCodecV2(raw{})))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var reply []byte
	if err := conn.Invoke(context.Background(), kserve.GRPCInferenceService_ModelMetadata_FullMethodName, []byte("\x0a\x05tesla"), &reply); err != nil {
		t.Fatal(err)
	}
	properties := 0
	for len(reply) > 0 {
		number, _, size := protowire.ConsumeField(reply)
		if number == 6 { // map<string, string>: entries of two texts
			properties++
			_, _, tag := protowire.ConsumeTag(reply)
			entry, _ := protowire.ConsumeBytes(reply[tag:size])
			for want := protowire.Number(1); want <= 2; want++ {
				got, kind, tag := protowire.ConsumeTag(entry)
				text, n := protowire.ConsumeString(entry[tag:])
				if got != want || kind != protowire.BytesType || !utf8.ValidString(text) {
					t.Fatalf("entry %q", entry)
				}
				if _, err := strconv.Atoi(text); want == 2 && err != nil {
					t.Errorf("value %q", text)
				}
				entry = entry[tag+n:]
			}
		}
		reply = reply[size:]
	}
	if properties != 5 {
		t.Errorf("%d properties, want 5", properties)
	}
}
