package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// beatEvery is how often a comment is sent where there is nothing else, so that a lost browser is noticed.
const beatEvery = 10 * time.Second

// event is an event for a browser. What make returns is sent as JSON.
type event struct {
	name string
	make func() any
}

// stream answers a request with server-sent events until the browser is gone, the server closes, or next reports that
// there will be none. It refuses a stream beyond the limit with 503. wake is sent to when there may be an event; next
// then returns those there are, and is called once at the start. Events of which only the newest counts are dropped by
// next, not here: nothing is queued.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, wake <-chan struct{}, next func() (events []event, more bool)) error {
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		return &problem{http.StatusServiceUnavailable, fmt.Errorf("%d event streams are open, more are not served: close a tab", cap(s.streams))}
	}
	out := newSender(w, s.cfg.Patience)
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	for {
		events, more := next()
		for _, e := range events {
			if out.send(e) != nil {
				return nil // the browser is gone
			}
		}
		if !more {
			return nil
		}
		select {
		case <-wake:
		case <-beat.C:
			if out.beat() != nil {
				return nil
			}
		case <-r.Context().Done():
			return nil
		case <-s.closing:
			return nil
		}
	}
}

// rouse has a stream look for events, now or when it has sent those before.
func rouse(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

// sender writes events.
type sender struct {
	w        http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration
}

// newSender begins the answer.
func newSender(w http.ResponseWriter, patience time.Duration) *sender {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	out := &sender{w, http.NewResponseController(w), patience}
	_ = out.control.SetReadDeadline(time.Time{}) // that of the request; only a test's writer has none
	w.WriteHeader(http.StatusOK)
	_ = out.control.Flush() // the page knows now that the stream is open; the next write tells where this failed
	return out
}

func (s *sender) send(e event) error {
	text, err := json.Marshal(e.make())
	if err != nil {
		return fmt.Errorf("event %s: %w", e.name, err)
	}
	return s.write(fmt.Sprintf("event: %s\ndata: %s\n\n", e.name, text))
}

func (s *sender) beat() error { return s.write(": beat\n\n") }

func (s *sender) write(text string) error {
	if err := s.control.SetWriteDeadline(time.Now().Add(s.patience)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}
