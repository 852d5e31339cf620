// Package remote has positions evaluated on another machine, by the KServe v2 inference protocol over gRPC: Open is a backend that
// asks, Serve answers, as NVIDIA Triton does.
package remote

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"tesla/eut"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"tesla/batcher"
	"tesla/batcher/remote/kserve"
	"tesla/models"
)

const (
	// DefaultModel is asked for where the server's address does not name one.
	DefaultModel = "tesla"
	// deadline is for a batch; hello for the first words.
	deadline = 2 * time.Second
	hello    = 5 * time.Second
	// maxMessage bounds a message, bytes: the policies of 1,024 positions take 17 MB.
	maxMessage = 64 << 20
)

// client has a server compute a net's graph. It encodes positions and reads the answers itself. A connection that breaks is made
// again by the next batch.
type client struct {
	info   batcher.Info
	net    *eut.Net
	model  string
	conn   *grpc.ClientConn
	client kserve.GRPCInferenceServiceClient

	mu      sync.Mutex // one batch at a time
	encoder *eut.Encoder
	row     []int32
	in      []byte
	out     [len(batcher.GraphOutputs)][]float32 // of one position
}

// Open opens the backend that asks the server at "host:port" or "host:port/model". The server's model must be that of the net file
// weights (empty: the embedded net).
func Open(server, weights string, opts batcher.Options) (batcher.Backend, error) {
	if server == "" {
		return nil, errors.New("backend remote: no server: name one, as host:port or host:port/model")
	}
	net, err := models.Load(weights)
	if err != nil {
		return nil, fmt.Errorf("backend remote: %w", err)
	}
	if opts.MaxBatch == 0 {
		opts.MaxBatch = batcher.DefaultMaxBatch
	}
	address, model, named := strings.Cut(server, "/")
	if !named {
		model = DefaultModel
	}
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)))
	if err != nil {
		return nil, fmt.Errorf("backend remote: server %s: %w", server, err)
	}
	r := &client{net: net, model: model, conn: conn, client: kserve.NewGRPCInferenceServiceClient(conn),
		encoder: eut.NewEncoder(net), row: make([]int32, net.Row()),
		info: batcher.Info{Name: "remote", Weights: weights, Model: net.ShortHash(), ModelName: net.Name, Library: "KServe v2 at " + server,
			MaxBatch: opts.MaxBatch, Threads: 1, Streams: 1, WantsQuiescence: true}}
	for i, o := range batcher.GraphOutputs {
		r.out[i] = make([]float32, o.Columns)
	}
	err = r.greet()
	if err == nil {
		r.info.Batch, r.info.Free, err = batcher.Sizes(r)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("backend remote: server %s: %w", server, err), conn.Close())
	}
	return r, nil
}

// greet checks that the server has the model, and that its graph is the net's.
func (r *client) greet() error {
	ctx, cancel := context.WithTimeout(context.Background(), hello)
	defer cancel()
	meta, err := r.client.ModelMetadata(ctx, &kserve.ModelMetadataRequest{Name: r.model})
	if err != nil {
		return fmt.Errorf("model %s: %w", r.model, err)
	}
	for _, v := range meta.Versions { // Serve's is the net's hash, Triton's a small number
		if len(v) == len(r.info.Model) && v != r.info.Model {
			return fmt.Errorf("model %s is the net %s, want %s", r.model, v, r.info.Model)
		}
	}
	if err := checkTensor("input", meta.Inputs, batcher.GraphInput, "INT32", r.net.Row()); err != nil {
		return fmt.Errorf("model %s: %w", r.model, err)
	}
	for _, o := range batcher.GraphOutputs {
		if err := checkTensor("output", meta.Outputs, o.Name, "FP32", o.Columns); err != nil {
			return fmt.Errorf("model %s: %w", r.model, err)
		}
	}
	return nil
}

// checkTensor looks for a tensor called name of the type and with so many columns.
func checkTensor(role string, have []*kserve.ModelMetadataResponse_TensorMetadata, name, kind string, columns int) error {
	for _, t := range have {
		if t.Name != name {
			continue
		}
		if t.Datatype != kind || len(t.Shape) != 2 || t.Shape[1] != int64(columns) {
			return fmt.Errorf("%s %s is %s %v, want %s [-1 %d]", role, name, t.Datatype, t.Shape, kind, columns)
		}
		return nil
	}
	return fmt.Errorf("there is no %s %s", role, name)
}

// Info implements Backend.
func (r *client) Info() batcher.Info { return r.info }

// Evaluate implements Backend. Calls from several goroutines take turns.
func (r *client) Evaluate(items []*batcher.Item) error {
	if err := r.info.Admits(len(items)); err != nil {
		return err
	}
	if len(items) == 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.in = r.in[:0]
	for _, it := range items {
		r.encoder.Encode(&it.Position, r.row)
		for _, x := range r.row {
			r.in = binary.LittleEndian.AppendUint32(r.in, uint32(x))
		}
	}
	outputs, err := r.infer(len(items))
	if err != nil {
		return fmt.Errorf("backend remote: %s: batch of %d: %w", r.info.Library, len(items), err)
	}
	for i, it := range items {
		for k := range r.out {
			decode(outputs[k][4*i*len(r.out[k]):], r.out[k])
		}
		it.Answer(r.out[0], r.out[1], r.out[2])
	}
	return nil
}

// infer has the server compute n rows, and returns the bytes of the outputs.
func (r *client) infer(n int) (outputs [len(batcher.GraphOutputs)][]byte, err error) {
	request := &kserve.ModelInferRequest{ModelName: r.model, RawInputContents: [][]byte{r.in},
		Inputs: []*kserve.ModelInferRequest_InferInputTensor{{Name: batcher.GraphInput, Datatype: "INT32", Shape: []int64{int64(n), int64(r.net.Row())}}}}
	for _, o := range batcher.GraphOutputs {
		request.Outputs = append(request.Outputs, &kserve.ModelInferRequest_InferRequestedOutputTensor{Name: o.Name})
	}
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	answer, err := r.client.ModelInfer(ctx, request)
	if err != nil {
		return outputs, err
	}
	if len(answer.RawOutputContents) != len(answer.Outputs) {
		return outputs, fmt.Errorf("%d outputs and the contents of %d", len(answer.Outputs), len(answer.RawOutputContents))
	}
	for k, want := range batcher.GraphOutputs {
		for i, o := range answer.Outputs {
			if o.Name == want.Name {
				outputs[k] = answer.RawOutputContents[i]
			}
		}
		if got := len(outputs[k]); got != 4*n*want.Columns {
			return outputs, fmt.Errorf("output %s has %d bytes, want %d", want.Name, got, 4*n*want.Columns)
		}
	}
	return outputs, nil
}

// decode reads float32, little-endian.
func decode(data []byte, to []float32) {
	for i := range to {
		to[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
}

// Close implements Backend.
func (r *client) Close() error { return r.conn.Close() }
