// Package remote evaluates positions on another machine, by the KServe v2 inference protocol over gRPC. Open returns a
// backend that asks a server; Serve is such a server, and NVIDIA Triton is another.
package remote

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"tesla/batcher"
	"tesla/batcher/remote/kserve"
	"tesla/models/eut"
)

const (
	// DefaultModel is the name of the model where the server's address does not give one.
	DefaultModel = "tesla"
	// deadline is the time that a batch may take.
	deadline = 2 * time.Second
	// hello is the time that the server has to describe its model.
	hello = 5 * time.Second
	// maxMessage is the size of the largest answer, in bytes: the policies of 1,024 positions take 17 MB.
	maxMessage = 64 << 20
)

// inFlight is the number of batches that a server is asked for at a time: one travels while another is computed.
const inFlight = 2

// client lets a server compute the graph of a net. It encodes positions and decodes the answers itself. After a
// connection has broken, it makes a new one.
type client struct {
	info   batcher.Info
	net    *eut.Net
	model  string
	most   atomic.Int64 // rows that the server takes in a request; 0: any number
	conn   *grpc.ClientConn
	client kserve.GRPCInferenceServiceClient
	desks  sync.Pool // of *desk
}

// desk is what a batch needs while it is evaluated.
type desk struct {
	encoder *eut.Encoder
	row     []int32
	in      []byte
	out     [len(batcher.GraphOutputs)][]float32 // of one position
}

// Open opens a backend that asks a server, or several whose names are separated by commas, see pool. A server's model must
// have the graph of net.
func Open(server Address, net *eut.Net, opts batcher.Options) (batcher.Backend, error) {
	if names := strings.Split(server.Server, ","); len(names) > 1 {
		return openPool(server, names, net, opts)
	}
	r, err := newClient(server, net, opts, retry)
	if err != nil {
		return nil, err
	}
	err = r.greet()
	if err == nil {
		r.info.Batch, r.info.Free, err = batcher.Sizes(r)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("server %s: %w", server.Server, err), r.Close())
	}
	return r, nil
}

// newClient makes a client that has not asked its server yet. config is the configuration of gRPC, see retry.
func newClient(server Address, net *eut.Net, opts batcher.Options, config string) (*client, error) {
	conn, model, err := server.connect(config)
	if err != nil {
		return nil, fmt.Errorf("server %s: %w", server.Server, err)
	}
	r := &client{net: net, model: model, conn: conn, client: kserve.NewGRPCInferenceServiceClient(conn),
		info: batcher.Info{Name: "remote", Model: net.ShortHash(), ModelName: net.Name, Library: "KServe v2 at " + server.Server,
			MaxBatch: opts.WithDefaults().MaxBatch, Threads: 1, Streams: inFlight, WantsQuiescence: true}}
	r.desks.New = func() any {
		d := &desk{encoder: eut.NewEncoder(net), row: make([]int32, net.Row())}
		for i, o := range batcher.GraphOutputs {
			d.out[i] = make([]float32, o.Columns)
		}
		return d
	}
	return r, nil
}

// greet asks the server for its model, and is an error unless the model's graph fits the net's.
func (r *client) greet() error {
	ctx, cancel := context.WithTimeout(context.Background(), hello)
	defer cancel()
	meta, err := r.client.ModelMetadata(ctx, &kserve.ModelMetadataRequest{Name: r.model})
	if err != nil {
		return fmt.Errorf("model %s: %w", r.model, err)
	}
	for _, v := range meta.Versions { // Serve gives the hash of its net, Triton a small number
		if len(v) == len(r.info.Model) && v != r.info.Model {
			return fmt.Errorf("model %s is net %s, want net %s", r.model, v, r.info.Model)
		}
	}
	if limit, ok := meta.Properties[maxRowsProperty]; ok { // Triton has no such property
		most, err := strconv.ParseInt(limit, 10, 32)
		if err != nil || most < 1 {
			return fmt.Errorf("model %s: %s is %q", r.model, maxRowsProperty, limit)
		}
		r.most.Store(most)
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

// checkTensor is an error unless there is a tensor of this name, type and number of columns.
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
	return fmt.Errorf("no %s %s", role, name)
}

func (r *client) Info() batcher.Info { return r.info }

// Evaluate implements batcher.Backend. Concurrent calls do not wait for each other.
func (r *client) Evaluate(items []*batcher.Item) error {
	if err := r.info.Admits(len(items)); err != nil {
		return err
	}
	if len(items) == 0 {
		return nil
	}
	d := r.desks.Get().(*desk)
	defer r.desks.Put(d)
	d.in = d.in[:0]
	for _, it := range items {
		d.encoder.Encode(&it.Position, d.row)
		for _, x := range d.row {
			d.in = binary.LittleEndian.AppendUint32(d.in, uint32(x))
		}
	}
	if err := r.inferAll(d, items); err != nil {
		return fmt.Errorf("backend remote: %s: batch of %d: %w", r.info.Library, len(items), err)
	}
	return nil
}

// inferAll fills the items, whose rows d.in holds. Where the server takes fewer rows in a request, it sends several of about
// the same size, all at once.
func (r *client) inferAll(d *desk, items []*batcher.Item) error {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	most := cmp.Or(int(r.most.Load()), len(items))
	requests := (len(items) + most - 1) / most
	most = (len(items) + requests - 1) / requests
	parts := slices.Collect(slices.Chunk(items, most))
	outputs, errs := make([]answers, len(parts)), make([]error, len(parts))
	var wait sync.WaitGroup
	for i, part := range parts {
		wait.Go(func() {
			if outputs[i], errs[i] = r.infer(ctx, d.in[4*i*most*r.net.Row():], len(part)); errs[i] != nil {
				cancel() // the others are asked for nothing
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil && status.Code(err) != codes.Canceled {
			return err
		}
	}
	for i, part := range parts {
		if errs[i] != nil {
			return errs[i]
		}
		for at, it := range part {
			for k := range d.out {
				decode(outputs[i][k][4*at*len(d.out[k]):], d.out[k])
			}
			if err := it.Answer(d.out[0], d.out[1], d.out[2]); err != nil {
				return err
			}
		}
	}
	return nil
}

// answers are the bytes of the outputs of a request.
type answers [len(batcher.GraphOutputs)][]byte

// infer lets the server compute the first n rows in data.
func (r *client) infer(ctx context.Context, data []byte, n int) (outputs answers, err error) {
	request := &kserve.ModelInferRequest{ModelName: r.model, RawInputContents: [][]byte{data[:4*n*r.net.Row()]},
		Inputs: []*kserve.ModelInferRequest_InferInputTensor{{Name: batcher.GraphInput, Datatype: "INT32", Shape: []int64{int64(n), int64(r.net.Row())}}}}
	for _, o := range batcher.GraphOutputs {
		request.Outputs = append(request.Outputs, &kserve.ModelInferRequest_InferRequestedOutputTensor{Name: o.Name})
	}
	answer, err := r.client.ModelInfer(ctx, request)
	if status.Code(err) == codes.DeadlineExceeded {
		return outputs, fmt.Errorf("no answer in %v: %w", deadline, err)
	}
	if err != nil {
		return outputs, err
	}
	if len(answer.RawOutputContents) != len(answer.Outputs) {
		return outputs, fmt.Errorf("the answer has %d outputs, but the contents of %d", len(answer.Outputs), len(answer.RawOutputContents))
	}
	for k, want := range batcher.GraphOutputs {
		for i, o := range answer.Outputs {
			if o.Name != want.Name {
				continue
			}
			if shape := []int64{int64(n), int64(want.Columns)}; o.Datatype != "FP32" || !slices.Equal(o.Shape, shape) {
				return outputs, fmt.Errorf("output %s is %s %v, want FP32 %v", o.Name, o.Datatype, o.Shape, shape)
			}
			outputs[k] = answer.RawOutputContents[i]
		}
		if got := len(outputs[k]); got != 4*n*want.Columns {
			return outputs, fmt.Errorf("output %s has %d bytes, want %d", want.Name, got, 4*n*want.Columns)
		}
	}
	return outputs, nil
}

// decode reads little-endian float32 values until to is full.
func decode(data []byte, to []float32) {
	for i := range to {
		to[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
}

func (r *client) Close() error { return r.conn.Close() }
