package bus

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"tesla/internal/loopback"

	"github.com/nats-io/nats-server/v2/server"
)

// ServerOptions say where and how a server of a fleet serves.
type ServerOptions struct {
	Listen    string // host:port
	Token     string // that clients must give; empty: none, on loopback only
	Dir       string // folder of its streams; empty: it has none and passes messages on only
	Cert, Key string // PEM files for TLS; empty: none, on loopback only
}

// Validate reports all that is wrong with the options, joined. Beyond loopback a token and TLS are required.
func (o *ServerOptions) Validate() error {
	var errs []error
	local, err := onLoopback(o.Listen)
	if err != nil {
		errs = append(errs, fmt.Errorf("--listen: %w", err))
	}
	if (o.Cert == "") != (o.Key == "") {
		errs = append(errs, errors.New("--tls-cert and --tls-key need each other"))
	}
	if err == nil && !local {
		if o.Token == "" {
			errs = append(errs, fmt.Errorf("--token: %s is beyond this machine, where a fleet needs a token", o.Listen))
		}
		if o.Cert == "" {
			errs = append(errs, fmt.Errorf("--tls-cert: %s is beyond this machine, where a fleet needs TLS: give --tls-cert and --tls-key", o.Listen))
		}
	}
	return errors.Join(errs...)
}

// onLoopback tells whether an address, host:port, can be reached from this machine alone.
func onLoopback(address string) (bool, error) {
	host, _, err := net.SplitHostPort(address)
	return err == nil && loopback.Is(host), err
}

const (
	startTime  = 10 * time.Second // for the server to start
	maxPayload = 8 << 20          // bytes of a message: two long games with all their moves
)

// Server is a NATS server in this process.
type Server struct {
	server *server.Server
	log    *failures
}

// Serve starts a server. It is ready when Serve returns.
func Serve(o ServerOptions) (*Server, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	host, port, _ := net.SplitHostPort(o.Listen) // Validate has read it
	number, err := strconv.Atoi(port)
	if err != nil {
		return nil, fmt.Errorf("port %q: %w", port, err)
	}
	probe, err := net.Listen("tcp", o.Listen) // the server itself would only log that the port is taken
	if err != nil {
		return nil, err
	}
	if err := probe.Close(); err != nil {
		return nil, err
	}
	options := &server.Options{ServerName: "tesla", Host: host, Port: cmp.Or(number, server.RANDOM_PORT), Authorization: o.Token, NoSigs: true,
		MaxPayload: maxPayload, JetStream: o.Dir != "", StoreDir: o.Dir, SyncAlways: true, DisableJetStreamBanner: true}
	if o.Cert != "" {
		options.TLS, options.TLSTimeout = true, server.TLS_TIMEOUT.Seconds()
		if options.TLSConfig, err = server.GenTLSConfig(&server.TLSConfigOpts{CertFile: o.Cert, KeyFile: o.Key}); err != nil {
			return nil, fmt.Errorf("TLS: %w", err)
		}
	}
	s := &Server{log: &failures{}}
	if s.server, err = server.NewServer(options); err != nil {
		return nil, err
	}
	s.server.SetLoggerV2(s.log, false, false, false)
	s.server.Start()
	if !s.server.ReadyForConnections(startTime) || s.server.JetStreamEnabled() != options.JetStream {
		s.Close()
		return nil, fmt.Errorf("the server does not start: %s", cmp.Or(s.log.text(), "no reason is known"))
	}
	return s, nil
}

// Address is where the server listens, host:port.
func (s *Server) Address() string { return s.server.Addr().String() }

// Close ends the server, and waits until its files are closed.
func (s *Server) Close() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
}

// failures is a logger of a server that keeps the last failure.
type failures struct {
	mu   sync.Mutex
	last string
}

func (f *failures) keep(format string, v ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last = fmt.Sprintf(format, v...)
}

func (f *failures) text() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last
}

// The methods of server.Logger.

func (f *failures) Noticef(string, ...any)         {}
func (f *failures) Warnf(string, ...any)           {}
func (f *failures) Fatalf(format string, v ...any) { f.keep(format, v...) }
func (f *failures) Errorf(format string, v ...any) { f.keep(format, v...) }
func (f *failures) Debugf(format string, v ...any) {}
func (f *failures) Tracef(format string, v ...any) {}
