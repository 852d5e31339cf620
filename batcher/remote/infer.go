package remote

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"tesla/batcher"
	"tesla/batcher/remote/kserve"
)

// Fields that the server reads and writes by itself, see kserve.proto.
const (
	rawInput  = 7 // of ModelInferRequest
	rawOutput = 6 // of ModelInferResponse
)

// message is a request for an evaluation as it came: a few bytes of it could decode to a hundred times their size.
type message []byte

// answer is an encoded ModelInferResponse, so that the server holds outputs once. gRPC gives it back when it has been
// read, or never will be.
type answer struct {
	ticket *ticket
	data   []byte
	raw    [len(batcher.GraphOutputs)][]byte // the parts of data that hold the outputs; nil where one was not asked for
}

// codec hands requests for an evaluation and their answers over as they are, and refuses other messages that are large.
type codec struct{ encoding.CodecV2 }

// Marshal implements encoding.CodecV2.
func (c codec) Marshal(v any) (mem.BufferSlice, error) {
	if a, ok := v.(*answer); ok {
		a.ticket.sent()
		return mem.BufferSlice{mem.NewBuffer(&a.data, a)}, nil
	}
	return c.CodecV2.Marshal(v)
}

// Unmarshal implements encoding.CodecV2.
func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	if m, ok := v.(*message); ok {
		*m = data.Materialize()
		return nil
	}
	if data.Len() > maxHead {
		return errors.New("the message is too large")
	}
	return c.CodecV2.Unmarshal(data, v)
}

// Get implements mem.BufferPool. gRPC does not call it: an answer gives out nothing but itself.
func (a *answer) Get(length int) *[]byte { return mem.DefaultBufferPool().Get(length) }

// Put implements mem.BufferPool. It is called when gRPC releases the answer.
func (a *answer) Put(*[]byte) { a.ticket.giveBack() }

// request is a request for an evaluation that has been checked.
type request struct {
	id      string
	n       int    // rows
	rows    []byte // int32, little-endian
	typed   bool   // it came with typed contents, and is answered so
	outputs []int  // indexes of batcher.GraphOutputs, in the order of the answer
}

// handleInfer is the handler of ModelInfer. Unlike the generated one, it leaves decoding the message to the server.
func handleInfer(srv any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	var m message
	if err := decode(&m); err != nil {
		return nil, err
	}
	ticketOf(ctx).arrived()
	plainAnswer(ctx)
	return srv.(*Server).infer(ctx, m)
}

// plainAnswer has the answer to a request that came compressed not compressed: floats hardly shrink, and the time for it would
// be that of other clients.
func plainAnswer(ctx context.Context) {
	_ = grpc.SetSendCompressor(ctx, encoding.Identity) // it fails outside of a request only
}

// infer evaluates the rows of a request. It checks them first, so that the backend gets no rows but those of positions.
func (s *Server) infer(ctx context.Context, m message) (any, error) {
	r, err := s.read(m)
	if err != nil {
		return nil, err
	}
	t := ticketOf(ctx)
	if err := t.reserve(ctx, s.answerBytes(r.n)); err != nil {
		return nil, status.FromContextError(err).Err()
	}
	a, err := s.newAnswer(r)
	if err != nil {
		return nil, err
	}
	a.ticket = t
	j := &job{ctx: ctx, request: r, answer: a, done: make(chan struct{})}
	s.queue.add(t.conn, j)
	select {
	case <-j.done:
	case <-ctx.Done(): // a worker that computes a part of the job goes on, into memory that nobody reads
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	if j.err != nil {
		return nil, status.Error(codes.Internal, j.err.Error())
	}
	return a, nil
}

// read checks a request, and is the reason why it is refused otherwise.
func (s *Server) read(m message) (request, error) {
	head, raw, typed, err := split(m)
	if err != nil {
		return request{}, err
	}
	var in kserve.ModelInferRequest
	if err := proto.Unmarshal(head, &in); err != nil {
		return request{}, status.Errorf(codes.InvalidArgument, "no ModelInferRequest: %v", err)
	}
	if err := s.known(in.ModelName, in.ModelVersion); err != nil {
		return request{}, err
	}
	r := request{id: in.Id, typed: len(typed) > 0}
	switch {
	case len(in.Inputs) != 1 || len(raw) > 1:
		return r, status.Errorf(codes.InvalidArgument, "%d inputs with %d raw contents, want 1", len(in.Inputs), len(raw))
	case len(raw) == 1 && r.typed:
		return r, status.Error(codes.InvalidArgument, "the input has both contents and raw_input_contents, want one of them")
	case len(raw) == 0 && !r.typed:
		return r, status.Error(codes.InvalidArgument, "no contents of the input, want its int_contents or raw_input_contents")
	}
	if err := honoured(&in); err != nil {
		return r, err
	}
	if r.n, err = s.shape(in.Inputs[0]); err != nil {
		return r, err
	}
	if r.typed {
		r.rows, err = decodeTyped(typed, r.n*s.columns)
	} else {
		r.rows, err = raw[0], nil
	}
	if err == nil {
		err = s.check(r.rows, r.n)
	}
	if err == nil {
		r.outputs, err = requested(in.Outputs)
	}
	return r, err
}

// honoured is an error where a parameter asks for something that would change the answer, and that the server does not do:
// the extensions of Triton for classes and for shared memory. Others, such as priorities, do not change it.
func honoured(in *kserve.ModelInferRequest) error {
	check := func(tensor string, parameters map[string]*kserve.InferParameter) error {
		for name := range parameters {
			if name == "classification" || strings.HasPrefix(name, "shared_memory") {
				return status.Errorf(codes.InvalidArgument, "parameter %q of %q: an extension that the server does not have", clip(name), clip(tensor))
			}
		}
		return nil
	}
	var errs []error
	for _, t := range in.Inputs {
		errs = append(errs, check(t.Name, t.Parameters))
	}
	for _, t := range in.Outputs {
		errs = append(errs, check(t.Name, t.Parameters))
	}
	return cmp.Or(errs...)
}

// split returns the contents in a request, raw and typed, and the request without them.
func split(m message) (head []byte, raw, typed [][]byte, err error) {
	for len(m) > 0 {
		number, kind, size := protowire.ConsumeField(m)
		if size < 0 {
			return nil, nil, nil, malformed(size)
		}
		_, _, tag := protowire.ConsumeTag(m)
		content, _ := protowire.ConsumeBytes(m[tag:size])
		switch {
		case number == rawInput && kind == protowire.BytesType:
			if raw = append(raw, content); len(raw) > maxInputs {
				return nil, nil, nil, status.Errorf(codes.InvalidArgument, "more than %d raw contents, want 1", maxInputs)
			}
		case number == inputs && kind == protowire.BytesType:
			input, contents, err := splitInput(content)
			if err != nil {
				return nil, nil, nil, err
			}
			typed = append(typed, contents...)
			head = protowire.AppendBytes(append(head, m[:tag]...), input)
		default:
			head = append(head, m[:size]...)
		}
		if len(head) > maxHead {
			return nil, nil, nil, status.Errorf(codes.InvalidArgument, "more than %d bytes beside the contents", maxHead)
		}
		m = m[size:]
	}
	return head, raw, typed, nil
}

// maxInputs is the number of raw contents, and of pieces of typed ones, that are counted for an error.
const maxInputs = 16

// shape is the number of rows of an input, by its shape.
func (s *Server) shape(in *kserve.ModelInferRequest_InferInputTensor) (int, error) {
	if in.Name != batcher.GraphInput || in.Datatype != "INT32" || len(in.Shape) != 2 || in.Shape[0] < 1 || in.Shape[1] != int64(s.columns) {
		return 0, status.Errorf(codes.InvalidArgument, "input %q %q %v, want %q INT32 [1..%d %d]", clip(in.Name), clip(in.Datatype), in.Shape[:min(len(in.Shape), 8)],
			batcher.GraphInput, s.maxRows, s.columns)
	}
	if in.Shape[0] > int64(s.maxRows) {
		return 0, status.Errorf(codes.ResourceExhausted, "%d rows, the server takes %d in a request", in.Shape[0], s.maxRows)
	}
	return int(in.Shape[0]), nil
}

// check is an error unless there are n rows, all of them such as positions have.
func (s *Server) check(data []byte, n int) error {
	if len(data) != 4*n*s.columns {
		return status.Errorf(codes.InvalidArgument, "the input has %d bytes, want %d", len(data), 4*n*s.columns)
	}
	row := make([]int32, s.columns)
	for i := range n {
		decodeRows(data[4*i*s.columns:], row)
		if err := s.checker.Check(row); err != nil {
			return status.Errorf(codes.InvalidArgument, "row %d is of no position: %v", i, err)
		}
	}
	return nil
}

// decodeRows reads little-endian int32 values until to is full.
func decodeRows(data []byte, to []int32) {
	for i := range to {
		to[i] = int32(binary.LittleEndian.Uint32(data[4*i:]))
	}
}

// requested are the indexes of the outputs that are asked for. None asked for means all.
func requested(asked []*kserve.ModelInferRequest_InferRequestedOutputTensor) (all []int, err error) {
	for _, o := range asked {
		k := slices.IndexFunc(batcher.GraphOutputs[:], func(have struct {
			Name    string
			Columns int
		}) bool {
			return have.Name == o.Name
		})
		if k < 0 || slices.Contains(all, k) {
			return nil, status.Errorf(codes.InvalidArgument, "output %q is not there, or asked for twice", clip(o.Name))
		}
		all = append(all, k)
	}
	if len(all) == 0 {
		all = []int{0, 1, 2}
	}
	return all, nil
}

// newAnswer is the answer to a request, with zeros as outputs.
func (s *Server) newAnswer(r request) (*answer, error) {
	head := &kserve.ModelInferResponse{ModelName: s.model, ModelVersion: s.info.Model, Id: r.id}
	var tensors [len(batcher.GraphOutputs)][]byte
	for _, k := range r.outputs {
		o := batcher.GraphOutputs[k]
		tensor := &kserve.ModelInferResponse_InferOutputTensor{Name: o.Name, Datatype: "FP32", Shape: []int64{int64(r.n), int64(o.Columns)}}
		if !r.typed {
			head.Outputs = append(head.Outputs, tensor)
			continue
		}
		var err error
		if tensors[k], err = proto.Marshal(tensor); err != nil {
			return nil, status.Errorf(codes.Internal, "encoding the answer: %v", err)
		}
	}
	data, err := proto.Marshal(head)
	if err != nil {
		return nil, status.Errorf(codes.InvalidArgument, "encoding the answer: %v", err)
	}
	data = slices.Grow(data, s.answerBytes(r.n)+outputHead*len(r.outputs)) // so that the outputs stay where they are
	a := &answer{}
	for _, k := range r.outputs {
		size := 4 * r.n * batcher.GraphOutputs[k].Columns
		if r.typed {
			data = appendTyped(data, tensors[k], size)
		} else {
			data = protowire.AppendVarint(protowire.AppendTag(data, rawOutput, protowire.BytesType), uint64(size))
			data = data[:len(data)+size]
		}
		a.raw[k] = data[len(data)-size:]
	}
	a.data = data
	return a, nil
}

// outputHead is more than what is written of an output beside its numbers, in bytes.
const outputHead = 128

// set writes rows of the outputs, from row from on.
func (a *answer) set(from, n int, out [len(batcher.GraphOutputs)][]float32) {
	for k, o := range batcher.GraphOutputs {
		if a.raw[k] == nil {
			continue
		}
		to := a.raw[k][4*from*o.Columns:]
		for i, x := range out[k][:n*o.Columns] {
			binary.LittleEndian.PutUint32(to[4*i:], math.Float32bits(x))
		}
	}
}
