package remote

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"

	"tesla/batcher/remote/kserve"
)

// Limits of a server. The largest requests, of 253 rows as typed contents, take 4 MB, and so do their answers: that and the
// number of requests bounds the memory that clients hold, below 1 GiB.
const (
	usualMessage   = 4 << 20   // bytes of the largest answer that clients of gRPC accept by default
	maxRequests    = 192       // evaluations at once: each counts from its first byte to the last byte of its answer
	maxPerClient   = 8         // requests of each kind at once on one connection
	maxOthers      = 64        // other requests at once
	maxStreams     = 32        // streams of a connection: HTTP/2 has the client wait beyond
	maxConnections = 1024      // open connections
	maxRefusals    = 10_000    // refused requests of a connection, which is closed then: gRPC keeps a little of each until that
	maxHead        = 16 << 10  // bytes of a request beside its rows, and bytes of its headers
	answerMemory   = 256 << 20 // bytes of answers that are being computed or that their clients have not yet read
	answersAtOnce  = 2         // answers of the largest size that fit into a connection's share of this memory
)

// patience is how long a connection has to be made, a request to arrive and an answer to be read.
const patience = 30 * time.Second

// How long a client may neither send nor read where others need its place: one that has more requests than the others,
// and any.
const (
	brief = 250 * time.Millisecond
	haste = 10 * time.Second
)

// admission lets connections and requests in, and counts them.
type admission struct {
	token   [sha256.Size]byte // its digest
	guarded bool              // requests must bring the token
	answers *semaphore.Weighted
	share   int64 // bytes of answers that a connection may have

	mu       sync.Mutex
	ending   bool
	conns    map[*connection]struct{}
	requests [2]int               // by ticket.kind
	waits    map[*ticket]struct{} // those where the server waits for the client
}

func newAdmission(token string, largestAnswer int) *admission {
	return &admission{token: sha256.Sum256([]byte(token)), guarded: token != "", answers: semaphore.NewWeighted(answerMemory),
		share: answersAtOnce * int64(largestAnswer), conns: map[*connection]struct{}{}, waits: map[*ticket]struct{}{}}
}

// connection is one of a client.
type connection struct {
	net.Conn
	admission *admission
	answers   *semaphore.Weighted
	moved     atomic.Int64 // bytes, both ways

	// guarded by admission.mu
	requests [2]int // by ticket.kind
	refusals int
	used     time.Time // when it was made, or its last request began

	jobs []*job // guarded by queue.mu: those with rows that no worker has taken, oldest first
}

// admitting is a listener that admits connections.
type admitting struct {
	net.Listener
	admission *admission
}

func (g admitting) Accept() (net.Conn, error) {
	for {
		conn, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if c := g.admission.connect(conn); c != nil {
			return c, nil
		}
		conn.Close()
	}
}

// connect admits a connection, or returns nil. Beyond maxConnections it closes one without requests: the
// one with the most refusals, and of equals the one that was used least recently.
func (a *admission) connect(conn net.Conn) *connection {
	c := &connection{Conn: conn, admission: a, answers: semaphore.NewWeighted(a.share), used: time.Now()}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ending {
		return nil
	}
	if len(a.conns) >= maxConnections {
		var worst *connection
		for o := range a.conns {
			if o.requests == [2]int{} && (worst == nil || cmp.Or(cmp.Compare(worst.refusals, o.refusals), o.used.Compare(worst.used)) < 0) {
				worst = o
			}
		}
		if worst == nil {
			return nil
		}
		delete(a.conns, worst)
		worst.Conn.Close()
	}
	a.conns[c] = struct{}{}
	return c
}

// address is that of a connection as the peer of gRPC, with the way back to it.
type address struct {
	net.Addr
	conn *connection
}

func (c *connection) RemoteAddr() net.Addr { return address{c.Conn.RemoteAddr(), c} }

func (c *connection) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.moved.Add(int64(n))
	return n, err
}

// Write implements net.Conn. It does not wait forever for a client that does not read.
func (c *connection) Write(b []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(b)
	c.moved.Add(int64(n))
	return n, err
}

func (c *connection) Close() error {
	c.admission.mu.Lock()
	delete(c.admission.conns, c)
	c.admission.mu.Unlock()
	return c.Conn.Close()
}

// stop refuses connections and requests from now on, and closes connections without requests.
func (a *admission) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ending = true
	for c := range a.conns {
		if c.requests == [2]int{} {
			c.Conn.Close()
		}
	}
}

func (a *admission) stopping() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ending
}

// closeAll closes all connections.
func (a *admission) closeAll() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for c := range a.conns {
		c.Conn.Close()
	}
}

// Kinds of requests.
const (
	others = iota
	evaluations
)

// ticket is the admission of a request.
type ticket struct {
	conn  *connection
	kind  int
	timer *time.Timer // evicts the connection, unless the request arrives, or the answer is read, in time
	leave func() bool // stops that the end of the request's context gives the ticket back

	// guarded by admission.mu
	since  time.Time // when the server began to wait for the client
	moved  int64     // connection.moved at that time
	waits  bool      // the server waits for the client: it is in admission.waits
	ended  bool
	answer int64 // bytes of answers that it holds
}

type ticketKey struct{}

func ticketOf(ctx context.Context) *ticket { return ctx.Value(ticketKey{}).(*ticket) }

// tap decides whether a request may begin, before any of it but the headers has arrived. It must not block: the
// connection waits for it.
func (a *admission) tap(ctx context.Context, info *tap.Info) (context.Context, error) {
	from, ok := peer.FromContext(ctx)
	if !ok {
		return ctx, status.Error(codes.Internal, "a request without a peer")
	}
	t := &ticket{conn: from.Addr.(address).conn, kind: others}
	if info.FullMethodName == kserve.GRPCInferenceService_ModelInfer_FullMethodName {
		t.kind = evaluations
	}
	if err := a.admit(t, info); err != nil {
		return ctx, err
	}
	ctx = context.WithValue(ctx, ticketKey{}, t)
	t.leave = context.AfterFunc(ctx, t.giveBack)
	return ctx, nil
}

// admit counts a request, or is the reason why it is refused.
func (a *admission) admit(t *ticket, info *tap.Info) (err error) {
	known := a.knows(info)
	a.mu.Lock()
	defer a.mu.Unlock()
	c := t.conn
	switch most := [2]int{maxOthers, maxRequests}[t.kind]; {
	case !known:
		err = status.Error(codes.Unauthenticated, "this server asks for a token: metadata authorization: Bearer TOKEN")
	case a.ending:
		err = status.Error(codes.Unavailable, "the server is ending")
	case c.requests[t.kind] >= maxPerClient:
		err = status.Errorf(codes.ResourceExhausted, "a connection may have %d requests at once", maxPerClient)
	case a.requests[t.kind] >= most && !a.makeRoom(t.kind, c):
		err = status.Errorf(codes.ResourceExhausted, "the server takes %d requests at once", most)
	}
	if err != nil {
		if c.refusals++; c.refusals == maxRefusals {
			c.Conn.Close()
		}
		return err
	}
	a.requests[t.kind]++
	c.requests[t.kind]++
	c.used = time.Now()
	t.timer = time.AfterFunc(patience, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if t.waits {
			a.evict(c)
		}
	})
	a.wait(t)
	return nil
}

// wait notes that the server waits for the client of a request.
func (a *admission) wait(t *ticket) {
	t.since, t.moved, t.waits = time.Now(), t.conn.moved.Load(), true
	a.waits[t] = struct{}{}
}

// makeRoom evicts, for a request of a newcomer, a connection that has kept the server waiting too long for a request of
// this kind without sending or reading. A client that does send or read, however slowly the machine lets it, stays.
func (a *admission) makeRoom(kind int, newcomer *connection) bool {
	var worst *ticket
	for t := range a.waits {
		limit := haste
		if t.conn.requests[kind] > newcomer.requests[kind]+1 {
			limit = brief
		}
		if t.kind == kind && time.Since(t.since) >= limit && t.idles() && (worst == nil || t.worse(worst)) {
			worst = t
		}
	}
	if worst == nil {
		return false
	}
	a.evict(worst.conn)
	return true
}

// worse reports whether t keeps the server waiting on a connection with more requests than another of its kind or, of as many, for
// longer.
func (t *ticket) worse(o *ticket) bool {
	return cmp.Or(cmp.Compare(o.conn.requests[t.kind], t.conn.requests[t.kind]), t.since.Compare(o.since)) < 0
}

// idles reports whether the connection has moved less than a KB for each of its requests since the server began to wait.
func (t *ticket) idles() bool {
	return (t.conn.moved.Load()-t.moved)/int64(t.conn.requests[t.kind]) < 1<<10
}

// evict closes a connection, and ends its requests for which the server waits.
func (a *admission) evict(c *connection) {
	for t := range a.waits {
		if t.conn == c {
			a.end(t)
		}
	}
	c.Conn.Close()
}

// end ends a request, once.
func (a *admission) end(t *ticket) {
	if t.ended {
		return
	}
	t.ended = true
	a.stopWaiting(t)
	a.requests[t.kind]--
	t.conn.requests[t.kind]--
	if t.answer > 0 {
		a.release(t)
	}
}

// stopWaiting notes that it is no longer the client's turn.
func (a *admission) stopWaiting(t *ticket) {
	t.timer.Stop()
	t.waits = false
	delete(a.waits, t)
}

// knows reports whether a request brings the token, where one is needed: the health service answers anyone.
func (a *admission) knows(info *tap.Info) bool {
	if !a.guarded || strings.HasPrefix(info.FullMethodName, "/grpc.health.v1.Health/") {
		return true
	}
	for _, value := range info.Header.Get("authorization") {
		if value, ok := strings.CutPrefix(value, bearer); ok {
			got := sha256.Sum256([]byte(value)) // so that the time of the comparison says nothing of the token, not even its length
			return subtle.ConstantTimeCompare(got[:], a.token[:]) == 1
		}
	}
	return false
}

// bearer is what comes before the token in the metadata.
const bearer = "Bearer "

// arrived notes that the request has arrived as a whole.
func (t *ticket) arrived() {
	a := t.conn.admission
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopWaiting(t)
}

// reserve waits until there is memory for an answer.
func (t *ticket) reserve(ctx context.Context, size int) error {
	c, n := t.conn, int64(size)
	if err := c.answers.Acquire(ctx, n); err != nil {
		return err
	}
	if err := c.admission.answers.Acquire(ctx, n); err != nil {
		c.answers.Release(n)
		return err
	}
	c.admission.mu.Lock()
	defer c.admission.mu.Unlock()
	if t.answer = n; t.ended { // meanwhile
		c.admission.release(t)
	}
	return nil
}

// release gives back the memory of an answer.
func (a *admission) release(t *ticket) {
	a.answers.Release(t.answer)
	t.conn.answers.Release(t.answer)
}

// sent notes that gRPC has the answer, which gives the ticket back when it is released. From now on the client has
// patience to read it.
func (t *ticket) sent() {
	a := t.conn.admission
	if !t.leave() {
		return // the request was given up
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !t.ended {
		t.timer.Reset(patience)
		a.wait(t)
	}
}

// giveBack ends the request. Later calls do nothing.
func (t *ticket) giveBack() {
	a := t.conn.admission
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end(t)
}
