package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/spf13/pflag"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/gzip" // requests may be compressed so
	health "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	"tesla/batcher"
	"tesla/batcher/remote/kserve"
	"tesla/models/eut"
)

const (
	// grace is the time that requests have to be answered once the server is told to end.
	grace = 2 * time.Second
	// hung is the time after which a part of a request that the backend has not computed counts as hung.
	hung = 10 * time.Second
	// memoryLimit is where the garbage collector works harder, in bytes: messages come faster than it would collect them.
	memoryLimit = 1 << 30
	// tokenVariable is the environment variable of the token, for a server and for its clients.
	tokenVariable = "TESLA_SERVER_TOKEN"
)

// ServerOptions say how a net is served.
type ServerOptions struct {
	Model     string // its name
	Version   string // of this program
	Token     string // that a request must bring; empty: that of the environment, if there is one, else none
	Cert, Key string // files of the certificate and its key, PEM; empty: nothing is encrypted
}

// Help tells users what a server does and which limits it has.
var Help = fmt.Sprintf(`Evaluates for engines whose backend is remote, by the KServe v2 inference protocol over gRPC; the health service of gRPC is
there as well. NVIDIA Triton with the graph of the same net serves, too.

Beyond this machine, set a token and a certificate: without them whoever reaches the address can use the server, and connections
are not encrypted. A request has at most as many rows as a batch of the backend, and at most as many as have an answer of %d MiB:
clients of gRPC accept no larger one by default. With the built-in net that is 253. The server takes %d requests at once, %d of
these on one connection. It refuses others as ResourceExhausted. Clients read the limits in the metadata of the model. A signal
ends the server: requests that it has are answered, which takes at most %v.`,
	usualMessage>>20, maxRequests, maxPerClient, grace)

// Example is a use of the command for the help.
const Example = `  tesla serve --backend cuda --listen 0.0.0.0:8001 --tls-cert cert.pem --tls-key key.pem --token SECRET
  tesla serve --export repository`

// AddFlags adds the flags that set the options.
func (o *ServerOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Model, "model", DefaultModel, "name of the model")
	f.StringVar(&o.Token, "token", "", "token that clients must bring (default: "+tokenVariable+" of the environment, else none)")
	f.StringVar(&o.Cert, "tls-cert", "", "PEM file of a certificate, to encrypt connections with")
	f.StringVar(&o.Key, "tls-key", "", "PEM file of its private key")
}

// Validate is an error unless certificate and key are both there, or both missing.
func (o *ServerOptions) Validate() error {
	if (o.Cert == "") != (o.Key == "") {
		return errors.New("--tls-cert and --tls-key need each other")
	}
	return nil
}

// CloseServed closes a backend after Serve has returned err, unless the backend still computes.
func CloseServed(b batcher.Backend, err error) error {
	if errors.Is(err, batcher.ErrHung) {
		return err
	}
	return errors.Join(err, b.Close())
}

// Server serves one model. What one client does changes neither the answers of the others nor, beyond their share of
// the backend, their speed: see admission and queue.
type Server struct {
	kserve.UnimplementedGRPCInferenceServiceServer
	health.UnimplementedHealthServer
	model     string
	version   string // of this program
	info      batcher.Info
	checker   *eut.Checker
	columns   int // of a row of input
	maxRows   int // of a request
	admission *admission
	queue     *queue
	options   []grpc.ServerOption
}

// NewServer returns a server of a backend that evaluates net. The caller closes the backend after Serve.
func NewServer(b batcher.Backend, net *eut.Net, o ServerOptions) (*Server, error) {
	backend, ok := b.(batcher.Inferer)
	if !ok {
		return nil, fmt.Errorf("no graph of backend %s", b.Info().Name)
	}
	if backend.Row() != net.Row() {
		return nil, fmt.Errorf("the backend reads rows of %d columns, net %s has %d", backend.Row(), net.Name, net.Row())
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	s := &Server{model: o.Model, version: o.Version, info: backend.Info(), checker: eut.NewChecker(net), columns: net.Row()}
	s.maxRows = min(s.info.MaxBatch, (usualMessage-maxHead-len(o.Model)-outputHead*len(batcher.GraphOutputs))/s.answerBytes(1))
	s.admission = newAdmission(o.token(), s.answerBytes(s.maxRows))
	s.queue = newQueue(backend, s.columns)
	if o.Cert != "" {
		tls, err := credentials.NewServerTLSFromFile(o.Cert, o.Key)
		if err != nil {
			return nil, fmt.Errorf("TLS: %w", err)
		}
		s.options = append(s.options, grpc.Creds(tls))
	}
	return s, nil
}

// String names what is served.
func (s *Server) String() string {
	return fmt.Sprintf("model %s, net %s %s, backend %s", s.model, s.info.ModelName, s.info.Model, s.info.Name)
}

// token is the token of the options, or of the environment.
func (o *ServerOptions) token() string { return cmp.Or(o.Token, os.Getenv(tokenVariable)) }

// Warnings tell the user what is open to whom at the address on which a server with these options listens.
func (o *ServerOptions) Warnings(address net.Addr) []string {
	at, err := netip.ParseAddrPort(address.String())
	switch {
	case err == nil && at.Addr().IsLoopback():
		return nil
	case o.token() == "":
		return []string{fmt.Sprintf("%s: whoever reaches this address can use the server: --token or %s asks for a token", address, tokenVariable)}
	case o.Cert == "":
		return []string{fmt.Sprintf("%s: token and positions travel unencrypted: --tls-cert and --tls-key encrypt them", address)}
	}
	return nil
}

// requestBytes is the size of the largest request: rows as typed contents, and a head with the names.
func (s *Server) requestBytes() int { return valueBytes*s.maxRows*s.columns + maxHead }

// answerBytes is the size of the answer to n rows, but for its head.
func (s *Server) answerBytes(n int) (size int) {
	for _, o := range batcher.GraphOutputs {
		size += 4 * n * o.Columns
	}
	return size
}

// Serve answers requests on a listener until ctx ends. Then it answers pending requests, for which it has grace, and
// closes the listener and every connection. Its error wraps batcher.ErrHung where the backend is still computing; then
// the backend must not be closed.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(memoryLimit))
	g := grpc.NewServer(append(s.options,
		grpc.ForceServerCodecV2(codec{encoding.GetCodecV2("proto")}),
		grpc.MaxRecvMsgSize(s.requestBytes()),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.MaxHeaderListSize(maxHead),
		// Fixed windows: gRPC would let a fast connection buffer 16 MB, in each stream.
		grpc.InitialWindowSize(1<<20), grpc.InitialConnWindowSize(4<<20),
		grpc.ConnectionTimeout(patience),
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: 10 * time.Minute, Time: 30 * time.Second, Timeout: patience}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 10 * time.Second, PermitWithoutStream: true}),
		grpc.InTapHandle(s.admission.tap),
		grpc.UnaryInterceptor(func(ctx context.Context, in any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
			ticketOf(ctx).arrived()
			plainAnswer(ctx)
			return handle(ctx, in)
		}))...)
	service := kserve.GRPCInferenceService_ServiceDesc
	service.Methods = append([]grpc.MethodDesc{}, service.Methods...)
	for i, m := range service.Methods {
		if m.MethodName == "ModelInfer" {
			service.Methods[i].Handler = handleInfer
		}
	}
	g.RegisterService(&service, s)
	health.RegisterHealthServer(g, s)
	s.queue.start(s.info.Streams)
	end := context.AfterFunc(ctx, func() { s.stop(g) })
	err := g.Serve(admitting{listener, s.admission})
	end()
	return errors.Join(err, s.queue.stop())
}

// stop ends g: at once where no request is pending, else within grace.
func (s *Server) stop(g *grpc.Server) {
	s.admission.stop()
	// gRPC does not stop while a connection is being made, which a client can delay, nor while a client does not read.
	force := time.AfterFunc(grace, func() {
		s.admission.closeAll()
		g.Stop()
	})
	g.GracefulStop()
	force.Stop()
}

// ready reports whether the server evaluates.
func (s *Server) ready() bool { return !s.admission.stopping() && !s.queue.stuck() }

// Check implements the health service of gRPC, for the server as a whole and for the service of KServe.
func (s *Server) Check(_ context.Context, r *health.HealthCheckRequest) (*health.HealthCheckResponse, error) {
	switch {
	case r.Service != "" && r.Service != kserve.GRPCInferenceService_ServiceDesc.ServiceName:
		return nil, status.Errorf(codes.NotFound, "no service %q here", clip(r.Service))
	case s.ready():
		return &health.HealthCheckResponse{Status: health.HealthCheckResponse_SERVING}, nil
	}
	return &health.HealthCheckResponse{Status: health.HealthCheckResponse_NOT_SERVING}, nil
}

func (s *Server) ServerLive(context.Context, *kserve.ServerLiveRequest) (*kserve.ServerLiveResponse, error) {
	return &kserve.ServerLiveResponse{Live: true}, nil
}

func (s *Server) ServerReady(context.Context, *kserve.ServerReadyRequest) (*kserve.ServerReadyResponse, error) {
	return &kserve.ServerReadyResponse{Ready: s.ready()}, nil
}

// ServerMetadata implements kserve.GRPCInferenceServiceServer. There are no extensions.
func (s *Server) ServerMetadata(context.Context, *kserve.ServerMetadataRequest) (*kserve.ServerMetadataResponse, error) {
	return &kserve.ServerMetadataResponse{Name: "tesla", Version: s.version}, nil
}

// known is an error unless there is a model of this name and version. An empty version means any.
func (s *Server) known(model, version string) error {
	if model != s.model {
		return status.Errorf(codes.NotFound, "no model %q here, only %q", clip(model), s.model)
	}
	if version != "" && version != s.info.Model {
		return status.Errorf(codes.NotFound, "no version %q of model %q here, only %q", clip(version), s.model, s.info.Model)
	}
	return nil
}

// clip is the beginning of a text that a client sent, for a message.
func clip(text string) string { return text[:min(len(text), 64)] }

func (s *Server) ModelReady(_ context.Context, r *kserve.ModelReadyRequest) (*kserve.ModelReadyResponse, error) {
	return &kserve.ModelReadyResponse{Ready: s.known(r.Name, r.Version) == nil && s.ready()}, nil
}

// maxRowsProperty is the limit among a model's properties that clients need.
const maxRowsProperty = "max_rows"

// ModelMetadata implements kserve.GRPCInferenceServiceServer. The version is the hash of the net, the properties are the limits
// of the server.
func (s *Server) ModelMetadata(_ context.Context, r *kserve.ModelMetadataRequest) (*kserve.ModelMetadataResponse, error) {
	if err := s.known(r.Name, r.Version); err != nil {
		return nil, err
	}
	tensor := func(name, kind string, columns int) *kserve.ModelMetadataResponse_TensorMetadata {
		return &kserve.ModelMetadataResponse_TensorMetadata{Name: name, Datatype: kind, Shape: []int64{-1, int64(columns)}}
	}
	m := &kserve.ModelMetadataResponse{Name: s.model, Versions: []string{s.info.Model}, Platform: "onnxruntime_onnx",
		Inputs: []*kserve.ModelMetadataResponse_TensorMetadata{tensor(batcher.GraphInput, "INT32", s.columns)}}
	for _, o := range batcher.GraphOutputs {
		m.Outputs = append(m.Outputs, tensor(o.Name, "FP32", o.Columns))
	}
	m.Properties = map[string]string{}
	for name, limit := range map[string]int{maxRowsProperty: s.maxRows, "max_requests": maxRequests, "max_requests_per_connection": maxPerClient,
		"max_request_bytes": s.requestBytes(), "max_memory_bytes": maxRequests*s.requestBytes() + answerMemory} {
		m.Properties[name] = strconv.Itoa(limit)
	}
	return m, nil
}
