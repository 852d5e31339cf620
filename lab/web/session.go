package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"time"
)

// session is what a tab has at the server: a worker that searches, and the newest event of each kind for the tab's
// stream.
type session struct {
	id     string
	parent *sessions
	worker worker
	ended  chan struct{} // closed when the worker has ended, its engine too

	mu       sync.Mutex
	wish     wish
	stop     context.CancelFunc // ends the worker
	wake     chan struct{}      // of the open stream
	news     map[string]news
	version  int64       // of the newest news
	attached bool        // a stream is open
	since    time.Time   // no stream has been open
	leaving  *time.Timer // ends the session where no stream is opened again
}

// news is the newest event of a kind.
type news struct {
	version int64
	make    func() any // its data, made when it is sent
}

// publish makes an event the newest of its kind. data is called by the goroutine of the stream, when it sends the event.
func (x *session) publish(name string, data func() any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.version++
	x.news[name] = news{x.version, data}
	rouse(x.wake)
}

// after returns the events that are newer than a version, in their order, and the newest version.
func (x *session) after(version int64) (events []event, newest int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	names := slices.SortedFunc(maps.Keys(x.news), func(a, b string) int { return cmp.Compare(x.news[a].version, x.news[b].version) })
	for _, name := range names {
		if n := x.news[name]; n.version > version {
			events = append(events, event{name, n.make})
		}
	}
	return events, x.version
}

// attach makes a stream the session's, which has one. It waits for a moment where the one before is about to end: a page
// is loaded again.
func (x *session) attach() (wake chan struct{}, err error) {
	const patience, step = 500 * time.Millisecond, 10 * time.Millisecond
	for waited := time.Duration(0); ; waited += step {
		x.mu.Lock()
		if !x.attached {
			break
		}
		x.mu.Unlock()
		if waited >= patience {
			return nil, &problem{http.StatusConflict, errors.New("another tab watches this session")}
		}
		time.Sleep(step)
	}
	defer x.mu.Unlock()
	x.attached = true
	x.leaving.Stop()
	x.wake = make(chan struct{}, 1)
	return x.wake, nil
}

// detach notes that the session's stream is closed.
func (x *session) detach() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.attached, x.since = false, time.Now()
	x.leaving.Reset(x.parent.cfg.Grace)
}

// want makes the worker do what a wish says, unless it does so already.
func (x *session) want(w wish, o order) {
	x.mu.Lock()
	same := reflect.DeepEqual(w, x.wish)
	x.wish = w
	x.mu.Unlock()
	if !same {
		x.worker.take(o)
	}
}

// sessions are the open sessions of a server.
type sessions struct {
	cfg *Config

	mu     sync.Mutex
	open   map[string]*session
	closed bool
	all    sync.WaitGroup // of workers
}

// add opens a session. Where there are as many as there may be, it ends the one that has been without a stream for the
// longest time; where all have one it is an error.
func (s *sessions) add() (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, &problem{http.StatusServiceUnavailable, errors.New("the server ends")}
	}
	if len(s.open) >= s.cfg.Sessions {
		idle := s.longestAlone()
		if idle == nil {
			return nil, &problem{http.StatusServiceUnavailable, fmt.Errorf("%d analyses or games are open, more are not: close a tab", len(s.open))}
		}
		s.drop(idle)
	}
	ctx, stop := context.WithCancel(context.Background())
	x := &session{id: rand.Text(), parent: s, stop: stop, wake: make(chan struct{}, 1), news: map[string]news{}, since: time.Now(), ended: make(chan struct{})}
	x.worker.session, x.worker.orders = x, make(chan order, 1)
	x.leaving = time.AfterFunc(s.cfg.Grace, func() { s.leave(x) })
	s.open[x.id] = x
	s.all.Go(func() {
		x.worker.run(ctx)
		close(x.ended)
		x.mu.Lock()
		defer x.mu.Unlock()
		rouse(x.wake) // so that the stream ends
	})
	return x, nil
}

// longestAlone is the session that has been without a stream for the longest time, or nil.
func (s *sessions) longestAlone() (found *session) {
	for _, x := range s.open {
		x.mu.Lock()
		if !x.attached && (found == nil || x.since.Before(found.since)) {
			found = x
		}
		x.mu.Unlock()
	}
	return found
}

// leave ends a session whose stream has been closed for the time of grace.
func (s *sessions) leave(x *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.mu.Lock()
	attached := x.attached
	x.mu.Unlock()
	if !attached {
		s.drop(x)
	}
}

// drop ends a session. Its worker ends in its own time. s.mu is held.
func (s *sessions) drop(x *session) {
	delete(s.open, x.id)
	x.leaving.Stop()
	x.stop()
}

// get finds a session.
func (s *sessions) get(id string) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.open[id]; x != nil {
		return x, nil
	}
	return nil, &problem{http.StatusNotFound, errors.New("no such session: it has ended, or the server was started anew")}
}

// close ends all sessions and waits for their workers.
func (s *sessions) close() {
	s.mu.Lock()
	s.closed = true
	for _, x := range s.open {
		s.drop(x)
	}
	s.mu.Unlock()
	s.all.Wait()
}

func (s *Server) openSession(w http.ResponseWriter, _ *http.Request) error {
	x, err := s.sessions.add()
	if err != nil {
		return err
	}
	return answer(w, map[string]string{"id": x.id})
}

// endSession answers DELETE /api/session/{id}. It returns when the search has ended.
func (s *Server) endSession(w http.ResponseWriter, r *http.Request) error {
	x, err := s.sessions.get(r.PathValue("id"))
	if err != nil {
		return err
	}
	s.sessions.mu.Lock()
	s.sessions.drop(x)
	s.sessions.mu.Unlock()
	<-x.ended
	return answer(w, struct{}{})
}

// takeWish answers POST /api/session/{id}: what the tab wants from now on.
func (s *Server) takeWish(w http.ResponseWriter, r *http.Request) error {
	x, err := s.sessions.get(r.PathValue("id"))
	if err != nil {
		return err
	}
	var asked wish
	if err := read(r, &asked); err != nil {
		return err
	}
	o, err := asked.order(s.cfg.Settings)
	if err != nil {
		return err
	}
	x.want(asked, o)
	return answer(w, struct{}{})
}

// sessionEvents answers GET /api/session/{id}/events: the session's stream.
func (s *Server) sessionEvents(w http.ResponseWriter, r *http.Request) error {
	x, err := s.sessions.get(r.PathValue("id"))
	if err != nil {
		return err
	}
	wake, err := x.attach()
	if err != nil {
		return err
	}
	defer x.detach()
	version := int64(0)
	return s.stream(w, r, wake, func() (events []event, more bool) {
		events, version = x.after(version)
		select {
		case <-x.ended:
			return events, false
		default:
			return events, true
		}
	})
}
