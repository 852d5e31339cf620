package web

import (
	"context"
	"net"
	"net/http"
	"time"

	"tesla/engine"
)

// Config is what a Server needs. Start from DefaultConfig.
type Config struct {
	Settings engine.Settings // of a session that asks for no others
	Address  string          // where the server listens, HOST:PORT: what a Host header may name
	Name     string          // of this machine, which a Host header may name too; empty: none
	Token    string          // that every request must bring; empty: none is asked for
	Matches  string          // a folder of journals, or one journal, for the page of matches; empty: none

	Sessions int           // most sessions at a time
	Streams  int           // most event streams at a time
	Patience time.Duration // how long an event may take to be written; beyond, the stream ends
	Grace    time.Duration // how long a session outlives its stream: a reload takes less
}

// DefaultConfig is the configuration for an address.
func DefaultConfig(address string) Config {
	return Config{Settings: engine.Default(), Address: address, Sessions: 8, Streams: 64, Patience: 5 * time.Second, Grace: 4 * time.Second}
}

// Server serves the page. It implements http.Handler.
type Server struct {
	cfg      Config
	handler  http.Handler
	files    map[string]file
	policy   string // Content-Security-Policy
	sessions sessions
	matches  matches
	streams  chan struct{} // a token for each open stream
	explains chan struct{} // a token for the explanation that is searched
	closing  chan struct{}
}

// New makes a server. Close ends its sessions.
func New(cfg Config) (*Server, error) {
	s := &Server{cfg: cfg, streams: make(chan struct{}, cfg.Streams), explains: make(chan struct{}, 1), closing: make(chan struct{})}
	s.sessions.cfg, s.sessions.open = &s.cfg, map[string]*session{}
	go probed() // which takes a moment: the page asks for it first
	var err error
	if s.files, s.policy, err = readFiles(); err != nil {
		return nil, err
	}
	s.handler = s.guard(s.routes())
	return s, nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// routes are the paths that are served. Whatever changes something is a POST, so that no link can do it.
func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	for pattern, h := range map[string]handler{
		"GET /":                                s.serveFile,
		"POST /api/rules":                      s.rules,
		"POST /api/pgn/read":                   s.readPGN,
		"POST /api/pgn/write":                  s.writePGN,
		"POST /api/explain":                    s.explain,
		"GET /api/options":                     s.options,
		"POST /api/session":                    s.openSession,
		"POST /api/session/{id}":               s.takeWish,
		"DELETE /api/session/{id}":             s.endSession,
		"GET /api/session/{id}/events":         s.sessionEvents,
		"GET /api/matches":                     s.listMatches,
		"GET /api/matches/{name}/events":       s.matchEvents,
		"GET /api/matches/{name}/games/{game}": s.matchGame,
	} {
		mux.Handle(pattern, h)
	}
	return mux
}

// Limits of a connection. A stream has its own, see stream.go.
const (
	headerTime  = 5 * time.Second
	bodyTime    = 10 * time.Second
	answerTime  = 20 * time.Second
	idleTime    = time.Minute
	headerBytes = 16 << 10
	endingTime  = 2 * time.Second
)

// Serve answers the requests that come to a listener until ctx ends, and then ends all sessions.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{Handler: s, ReadHeaderTimeout: headerTime, ReadTimeout: bodyTime, WriteTimeout: answerTime, IdleTimeout: idleTime,
		MaxHeaderBytes: headerBytes, ErrorLog: quiet()}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	select {
	case err := <-served:
		s.Close()
		return err
	case <-ctx.Done():
	}
	s.Close() // which ends the streams, for which Shutdown would wait
	ending, cancel := context.WithTimeout(context.Background(), endingTime)
	defer cancel()
	var err error
	if server.Shutdown(ending) != nil { // a browser is slow
		err = server.Close()
	}
	<-served // always ErrServerClosed
	return err
}

// Close ends all streams and sessions, and waits for their searches to end. It may be called once.
func (s *Server) Close() {
	close(s.closing)
	s.sessions.close()
}
