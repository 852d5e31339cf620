package remote

import (
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tesla/batcher"
)

// delayed listens on loopback, and passes on what comes to an address and back, each after half of the delay.
func delayed(t *testing.T, to string, delay time.Duration) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var open []net.Conn
	var copying sync.WaitGroup
	t.Cleanup(func() {
		_ = listener.Close()
		mu.Lock()
		for _, c := range open {
			_ = c.Close()
		}
		mu.Unlock()
		copying.Wait()
	})
	copying.Go(func() {
		for {
			here, err := listener.Accept()
			if err != nil {
				return
			}
			there, err := net.Dial("tcp", to)
			if err != nil {
				_ = here.Close()
				continue
			}
			mu.Lock()
			open = append(open, here, there)
			mu.Unlock()
			copying.Go(func() { late(here, there, delay/2) })
			copying.Go(func() { late(there, here, delay/2) })
		}
	})
	return listener.Addr().String()
}

// late copies from one connection to another. What has been read waits in a queue until its time has come, so that the
// delay does not limit the rate.
func late(from io.ReadCloser, to io.WriteCloser, delay time.Duration) {
	type part struct {
		data []byte
		due  time.Time
	}
	parts := make(chan part, 1<<12)
	go func() {
		defer close(parts)
		for {
			data := make([]byte, 1<<16)
			n, err := from.Read(data)
			if err != nil {
				return
			}
			parts <- part{data[:n], time.Now().Add(delay)}
		}
	}()
	for p := range parts {
		time.Sleep(time.Until(p.due))
		if _, err := to.Write(p.data); err != nil {
			break
		}
	}
	_ = from.Close()
	_ = to.Close()
	for range parts { // the reader ends
	}
}

// rate is the evaluations a second of a backend that is kept as busy as it asks to be.
func rate(t *testing.T, b batcher.Backend, batches int) float64 {
	t.Helper()
	const size = 8
	var left atomic.Int64
	left.Store(int64(batches))
	began := time.Now()
	var callers sync.WaitGroup
	for range b.Info().Streams {
		callers.Go(func() {
			all := items(size)
			for left.Add(-1) >= 0 {
				if err := b.Evaluate(all); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	callers.Wait()
	return float64(batches*size) / time.Since(began).Seconds()
}

// Two servers that are far away evaluate nearly twice as much as one. They are 10 ms away in a long test, which wants an
// idle machine.
func TestTwoServers(t *testing.T) {
	n, delay, batches := builtIn(t), 80*time.Millisecond, 10
	if os.Getenv("TESLA_LONG") != "" {
		delay, batches = 10*time.Millisecond, 200
	}
	var at []string
	for range 2 {
		address, stop := start(t, newSteady(n, nil), "", "tesla")
		t.Cleanup(stop)
		at = append(at, delayed(t, address, delay))
	}
	one, err := Open(Address{Server: at[0]}, n, batcher.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	two, err := Open(Address{Server: at[0] + ", " + at[1]}, n, batcher.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer two.Close()
	best := 0.0
	for range 6 { // another program may have the cores for a while
		alone, both := rate(t, one, batches), rate(t, two, 2*batches)
		t.Logf("one server %.0f evaluations a second, two %.0f: %.2f times as many", alone, both, both/alone)
		if best = max(best, both/alone); best >= 1.8 {
			return
		}
	}
	t.Errorf("two servers evaluate %.2f times as much as one, want 1.8", best)
}

// A server that dies in the middle of a batch costs no batch, and gets batches again when it is back. A slow one gets less.
func TestServersDie(t *testing.T) {
	n := builtIn(t)
	slow, quick := newSteady(n, make(chan struct{})), newSteady(n, nil)
	ended := make(chan struct{})
	var permitting sync.WaitGroup
	permitting.Go(func() { // a batch each 100 ms, which is slow under the race detector, too
		for {
			select {
			case slow.permits <- struct{}{}:
				time.Sleep(100 * time.Millisecond)
			case <-ended:
				return
			}
		}
	})
	defer permitting.Wait()
	defer close(ended)
	first, stopFirst := start(t, slow, "", "tesla")
	defer stopFirst()
	second, stopSecond := start(t, quick, "", "tesla")
	r, err := Open(Address{Server: first + "," + second + "/tesla"}, n, batcher.Options{})
	if err != nil {
		stopSecond()
		t.Fatal(err)
	}
	defer r.Close()
	before := [2]int32{slow.parts.Load(), quick.parts.Load()}
	rate(t, r, 100)
	if s, q := slow.parts.Load()-before[0], quick.parts.Load()-before[1]; q < 2*s || s+q < 100 {
		t.Errorf("the slow server got %d batches, the quick one %d", s, q)
	}
	stopped := make(chan struct{})
	go func() {
		time.Sleep(10 * time.Millisecond)
		stopSecond()
		close(stopped)
	}()
	rate(t, r, 60) // none fails
	<-stopped
	rate(t, r, 4)
	again := quick.parts.Load()
	_, stopSecond = start(t, quick, second, "tesla")
	defer stopSecond()
	for end := time.Now().Add(20 * time.Second); quick.parts.Load() == again; {
		rate(t, r, 4)
		if time.Now().After(end) {
			t.Fatal("a server that is back gets nothing")
		}
	}
}

func TestPoolFails(t *testing.T) {
	n := builtIn(t)
	address, stop := start(t, newSteady(n, nil), "", "tesla")
	other := newSteady(n, nil)
	other.model = strings.Repeat("0", len(other.model))
	wrong, stopWrong := start(t, other, "", "tesla")
	defer stopWrong()
	for _, c := range []struct{ servers, want string }{
		{address + "," + wrong, "is net 000000000000"}, {"127.0.0.1:1,127.0.0.1:2", "server 127.0.0.1:2"}, {address + ",", "no server"},
	} {
		if _, err := Open(Address{Server: c.servers}, n, batcher.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.servers, err, c.want)
		}
	}
	r, err := Open(Address{Server: address + ",127.0.0.1:1"}, n, batcher.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Evaluate(items(3)); err != nil {
		t.Error(err)
	}
	stop()
	if err := r.Evaluate(items(3)); err == nil || !strings.Contains(err.Error(), address) {
		t.Errorf("with no server left: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
