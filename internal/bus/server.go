package bus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
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
	Streams   bool   // it keeps streams, in memory; otherwise it passes messages on only
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
			errs = append(errs, fmt.Errorf("--token: none for %s, which is beyond this machine", o.Listen))
		}
		if o.Cert == "" {
			errs = append(errs, fmt.Errorf("--tls-cert: none for %s, which is beyond this machine: give --tls-cert and --tls-key", o.Listen))
		}
	}
	return errors.Join(errs...)
}

// onLoopback reports whether an address, host:port, can be reached from this machine alone.
func onLoopback(address string) (bool, error) {
	host, _, err := net.SplitHostPort(address)
	return err == nil && loopback.Is(host), err
}

const (
	startTime  = 10 * time.Second // for the server to start
	maxPayload = 8 << 20          // bytes of a message: two long games with all their moves
	watchTime  = time.Second      // between two looks whether the streams are there
)

// noStore is the limit of what the streams may keep on the disk, in bytes: they are in memory, so that no full or lost disk
// is felt. JetStream takes 0 for its own choice.
const noStore = 1

// Server is a NATS server in this process.
type Server struct {
	server  *server.Server
	streams bool
	folder  string // JetStream begins only with one that it can write to; empty without streams
	log     *failures
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
		MaxPayload: maxPayload, JetStream: o.Streams, JetStreamMaxStore: noStore, DisableJetStreamBanner: true}
	if o.Cert != "" {
		options.TLS, options.TLSTimeout = true, server.TLS_TIMEOUT.Seconds()
		if options.TLSConfig, err = server.GenTLSConfig(&server.TLSConfigOpts{CertFile: o.Cert, KeyFile: o.Key}); err != nil {
			return nil, fmt.Errorf("TLS: %w", err)
		}
	}
	s := &Server{streams: o.Streams, log: &failures{}}
	if o.Streams {
		if s.folder, err = os.MkdirTemp("", "tesla-fleet-*"); err != nil {
			return nil, err
		}
		options.StoreDir = s.folder
	}
	if s.server, err = server.NewServer(options); err != nil {
		s.removeFolder()
		return nil, err
	}
	s.server.SetLoggerV2(s.log, false, false, false)
	s.server.Start()
	if !s.server.ReadyForConnections(startTime) || s.lame() {
		s.Close()
		return nil, fmt.Errorf("server not started: %s", s.log.text())
	}
	return s, nil
}

// Address is where the server listens, host:port.
func (s *Server) Address() string { return s.server.Addr().String() }

// lame reports whether the streams are not there that should be.
func (s *Server) lame() bool { return s.streams && !s.server.JetStreamEnabled() }

// Wait waits until ctx ends. It is an error if the server loses its streams before that: it would answer nobody.
func (s *Server) Wait(ctx context.Context) error {
	look := time.NewTicker(watchTime)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
			if s.lame() {
				return fmt.Errorf("streams of the server lost: %s", s.log.text())
			}
		}
	}
}

// Close ends the server.
func (s *Server) Close() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
	s.removeFolder()
}

func (s *Server) removeFolder() {
	if s.folder != "" {
		_ = os.RemoveAll(s.folder) // nothing of worth is there
	}
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
	return cmp.Or(f.last, "no reason is known")
}

// The methods of server.Logger.

func (f *failures) Noticef(string, ...any)         {}
func (f *failures) Warnf(string, ...any)           {}
func (f *failures) Fatalf(format string, v ...any) { f.keep(format, v...) }
func (f *failures) Errorf(format string, v ...any) { f.keep(format, v...) }
func (f *failures) Debugf(format string, v ...any) {}
func (f *failures) Tracef(format string, v ...any) {}
