package remote

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"
)

// Address says where a server is and how it is asked.
type Address struct {
	Server string // host:port or host:port/model, after grpcs:// where the connection is to be encrypted; several, with commas
	Token  string // that the server asks for; empty: that of the environment, if there is one
	CA     string // PEM file of the certificates that are trusted beside the system's; empty: none
}

// Schemes of an address. One without a scheme is plain.
const (
	plain     = "grpc://"
	encrypted = "grpcs://"
)

// retry asks again where the server had no room, or where the connection broke: an evaluation has no side effects. A
// server that is away is asked four times in all, within half a second.
const retry = `{"methodConfig": [{"name": [{"service": "inference.GRPCInferenceService"}], "retryPolicy": {"maxAttempts": 4,
	"initialBackoff": "0.05s", "maxBackoff": "0.4s", "backoffMultiplier": 3, "retryableStatusCodes": ["UNAVAILABLE", "RESOURCE_EXHAUSTED"]}}]}`

// noRetry asks once: another server is asked instead.
const noRetry = `{}`

// connect makes a connection that opens when it is first used. It returns the name of the model as well.
func (a Address) connect(config string) (conn *grpc.ClientConn, model string, err error) {
	if a.Server == "" {
		return nil, "", errors.New("no server: name one, as host:port or host:port/model")
	}
	target, secret := strings.CutPrefix(a.Server, encrypted)
	target, model, named := strings.Cut(strings.TrimPrefix(target, plain), "/")
	if !named {
		model = DefaultModel
	}
	security := insecure.NewCredentials()
	switch {
	case secret:
		if security, err = a.tls(); err != nil {
			return nil, "", err
		}
	case a.CA != "":
		return nil, "", fmt.Errorf("a CA file is for encrypted connections: name the server as %s%s", encrypted, a.Server)
	}
	options := []grpc.DialOption{grpc.WithTransportCredentials(security), grpc.WithDefaultServiceConfig(config),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage), grpc.MaxRetryRPCBufferSize(maxMessage)),
		// gRPC would wait up to two minutes before it tries again to connect.
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 2, Jitter: 0.2, MaxDelay: time.Second}, MinConnectTimeout: deadline}),
		// A server that is gone without a word, such as a machine without power, is noticed.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 20 * time.Second, Timeout: deadline})}
	if token := cmp.Or(a.Token, os.Getenv(tokenVariable)); token != "" {
		options = append(options, grpc.WithPerRPCCredentials(bearerToken{token, secret}))
	}
	conn, err = grpc.NewClient(target, options...)
	return conn, model, err
}

// tls are the credentials of an encrypted connection.
func (a Address) tls() (credentials.TransportCredentials, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if a.CA != "" {
		pem, err := os.ReadFile(a.CA)
		if err != nil {
			return nil, fmt.Errorf("CA file: %w", err)
		}
		if config.RootCAs, err = x509.SystemCertPool(); err != nil {
			config.RootCAs = x509.NewCertPool()
		}
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("CA file %s: no certificate in PEM", a.CA)
		}
	}
	return credentials.NewTLS(config), nil
}

// bearerToken adds a token to each request.
type bearerToken struct {
	token  string
	secret bool // the connection is encrypted
}

func (b bearerToken) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": bearer + b.token}, nil
}

// RequireTransportSecurity implements credentials.PerRPCCredentials. In networks that are trusted, a token may travel
// in the clear.
func (b bearerToken) RequireTransportSecurity() bool { return b.secret }

// unreachable reports whether an error is that no server answers, and not what a server answers.
func unreachable(err error) bool {
	code := status.Code(err)
	return code == codes.Unavailable || code == codes.DeadlineExceeded
}
