package remote

import (
	"context"
	"encoding/binary"
	"math"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"tesla/batcher"
	"tesla/batcher/remote/kserve"
)

// maxRows is the largest number of positions in a request.
const maxRows = 4096

// server serves one model.
type server struct {
	kserve.UnimplementedGRPCInferenceServiceServer
	model   string
	backend batcher.Inferer
}

// Serve answers requests on a listener, with the net of the backend, until ctx ends. Then it answers pending requests
// and closes the listener.
func Serve(ctx context.Context, listener net.Listener, model string, backend batcher.Inferer) error {
	g := grpc.NewServer(grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage))
	kserve.RegisterGRPCInferenceServiceServer(g, &server{model: model, backend: backend})
	end := context.AfterFunc(ctx, g.GracefulStop)
	defer end()
	return g.Serve(listener)
}

// known is an error unless model is the name of the server's model.
func (s *server) known(model string) error {
	if model != s.model {
		return status.Errorf(codes.NotFound, "there is no model %q here, only %q", model, s.model)
	}
	return nil
}

// ModelReady implements kserve.GRPCInferenceServiceServer.
func (s *server) ModelReady(_ context.Context, r *kserve.ModelReadyRequest) (*kserve.ModelReadyResponse, error) {
	return &kserve.ModelReadyResponse{Ready: r.Name == s.model}, nil
}

// ModelMetadata implements kserve.GRPCInferenceServiceServer. The version is the hash of the net.
func (s *server) ModelMetadata(_ context.Context, r *kserve.ModelMetadataRequest) (*kserve.ModelMetadataResponse, error) {
	if err := s.known(r.Name); err != nil {
		return nil, err
	}
	tensor := func(name, kind string, columns int) *kserve.ModelMetadataResponse_TensorMetadata {
		return &kserve.ModelMetadataResponse_TensorMetadata{Name: name, Datatype: kind, Shape: []int64{-1, int64(columns)}}
	}
	m := &kserve.ModelMetadataResponse{Name: s.model, Versions: []string{s.backend.Info().Model}, Platform: "onnxruntime_onnx",
		Inputs: []*kserve.ModelMetadataResponse_TensorMetadata{tensor(batcher.GraphInput, "INT32", s.backend.Row())}}
	for _, o := range batcher.GraphOutputs {
		m.Outputs = append(m.Outputs, tensor(o.Name, "FP32", o.Columns))
	}
	return m, nil
}

// ModelInfer implements kserve.GRPCInferenceServiceServer, for one raw input. It answers with all outputs.
func (s *server) ModelInfer(_ context.Context, r *kserve.ModelInferRequest) (*kserve.ModelInferResponse, error) {
	if err := s.known(r.ModelName); err != nil {
		return nil, err
	}
	n, err := s.rows(r)
	if err != nil {
		return nil, err
	}
	acc := make([]int32, n*s.backend.Row())
	for i := range acc {
		acc[i] = int32(binary.LittleEndian.Uint32(r.RawInputContents[0][4*i:]))
	}
	var out [len(batcher.GraphOutputs)][]float32
	for k, o := range batcher.GraphOutputs {
		out[k] = make([]float32, n*o.Columns)
	}
	if err := s.backend.Infer(n, acc, out); err != nil {
		return nil, status.Errorf(codes.Internal, "%v", err)
	}
	answer := &kserve.ModelInferResponse{ModelName: s.model, ModelVersion: s.backend.Info().Model, Id: r.Id}
	for k, o := range batcher.GraphOutputs {
		answer.Outputs = append(answer.Outputs, &kserve.ModelInferResponse_InferOutputTensor{Name: o.Name, Datatype: "FP32",
			Shape: []int64{int64(n), int64(o.Columns)}})
		raw := make([]byte, 0, 4*len(out[k]))
		for _, x := range out[k] {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
		}
		answer.RawOutputContents = append(answer.RawOutputContents, raw)
	}
	return answer, nil
}

// rows is the number of positions in a request, or the reason why it is refused.
func (s *server) rows(r *kserve.ModelInferRequest) (int, error) {
	if len(r.Inputs) != 1 || len(r.RawInputContents) != 1 {
		return 0, status.Errorf(codes.InvalidArgument, "%d inputs with %d raw contents, want 1", len(r.Inputs), len(r.RawInputContents))
	}
	in := r.Inputs[0]
	if in.Name != batcher.GraphInput || in.Datatype != "INT32" || len(in.Shape) != 2 || in.Shape[1] != int64(s.backend.Row()) || in.Shape[0] < 1 || in.Shape[0] > maxRows {
		return 0, status.Errorf(codes.InvalidArgument, "input %q %s %v, want %q INT32 [1..%d %d]", in.Name, in.Datatype, in.Shape, batcher.GraphInput, maxRows, s.backend.Row())
	}
	n := int(in.Shape[0])
	if got := len(r.RawInputContents[0]); got != 4*n*s.backend.Row() {
		return 0, status.Errorf(codes.InvalidArgument, "the input has %d bytes, want %d", got, 4*n*s.backend.Row())
	}
	return n, nil
}
