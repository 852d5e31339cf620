package remote

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"tesla/batcher"
	"tesla/batcher/onnx"
	"tesla/batcher/remote/kserve"
	"tesla/models"
	"tesla/models/eut"
)

// serveVariable makes the test binary a server of the built-in net, on the backend of this name.
const serveVariable = "TESLA_TEST_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serveVariable) != "" {
		if err := serveForTest(os.Getenv(serveVariable)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// Clients are answered while hostile ones do their worst, and the server's memory stays below 1.5 GB. With TESLA_LONG
// there are 200 clients and 10 hostile ones, and the server computes the net.
func TestCrowd(t *testing.T) {
	clients, hostiles, backend := 10, 5, "steady"
	if os.Getenv("TESLA_LONG") == "1" {
		clients, hostiles, backend = 200, 10, "cpu"
		local(t)
	}
	address, memory := startProcess(t, backend)
	weights := builtIn(t)
	ctx, cancel := context.WithCancel(context.Background())
	var hostile sync.WaitGroup
	for k := range hostiles {
		hostile.Go(func() { doWorst(ctx, t, address, k, weights) })
	}
	time.Sleep(300 * time.Millisecond)
	request := asking(64, encoded(t, weights, 64))
	var wait sync.WaitGroup
	var slowest atomic.Int64
	began := time.Now()
	for i := range clients {
		wait.Go(func() {
			client, ctx := dial(t, address), within(t, 5*time.Minute)
			answer, err := client.ModelInfer(ctx, request)
			for status.Code(err) == codes.ResourceExhausted && ctx.Err() == nil {
				time.Sleep(50 * time.Millisecond)
				answer, err = client.ModelInfer(ctx, request)
			}
			if err != nil || len(answer.RawOutputContents) != 3 || len(answer.RawOutputContents[2]) != 4*64*eut.PolicySize {
				t.Errorf("client %d: %v", i, err)
			}
			slowest.Store(max(slowest.Load(), int64(time.Since(began))))
		})
	}
	wait.Wait()
	cancel()
	hostile.Wait()
	peak := memory()
	t.Logf("%d clients were answered within %v, the server held at most %d MB", clients, time.Duration(slowest.Load()).Round(time.Millisecond), peak>>20)
	if peak > 1500<<20 {
		t.Errorf("the server held %d MB", peak>>20)
	}
}

// doWorst is a hostile client until ctx ends. k says which of five kinds.
func doWorst(ctx context.Context, t *testing.T, address string, k int, weights *eut.Net) {
	row := weights.Row()
	switch k % 5 {
	case 0, 1: // the largest requests there are, of positions or of nonsense
		client, request := dial(t, address), asking(mostRows, make([]byte, 4*mostRows*row))
		if k%5 == 1 {
			request.RawInputContents = nil
			request.Inputs[0].Contents = &kserve.InferTensorContents{IntContents: slices.Repeat([]int32{-1}, mostRows*row)}
		}
		var wait sync.WaitGroup
		for range maxPerClient {
			wait.Go(func() {
				for ctx.Err() == nil {
					client.ModelInfer(ctx, request)
				}
			})
		}
		wait.Wait()
	case 2: // answers that it never reads
		for ctx.Err() == nil {
			p := newRawPeer(t, address)
			for stream := uint32(1); stream < 20; stream += 2 {
				message := append([]byte{0, 0, 0, 0, 0}, wire(t, asking(mostRows, make([]byte, 4*mostRows*row)))...)
				binary.BigEndian.PutUint32(message[1:], uint32(len(message)-5))
				if p.begin(stream, inferMethod) != nil {
					break
				}
				for len(message) > 0 {
					n := min(len(message), 16<<10)
					p.SetWriteDeadline(time.Now().Add(time.Second))
					if p.WriteData(stream, n == len(message), message[:n]) != nil {
						break
					}
					message = message[n:]
				}
			}
			select {
			case <-ctx.Done():
			case <-time.After(2 * time.Second):
			}
		}
	case 3: // half-open connections, requests that never arrive
		for range 100 {
			if ctx.Err() != nil {
				return
			}
			p := newRawPeer(t, address)
			for stream := uint32(1); stream < 40; stream += 2 {
				p.begin(stream, inferMethod)
				p.WriteData(stream, false, []byte{0, 0, 0x10, 0, 0, 1})
			}
		}
		<-ctx.Done()
	case 4: // noise
		for seed := uint64(0); ctx.Err() == nil; seed++ {
			sendRandomFrames(address, rand.New(rand.NewPCG(uint64(k), seed)))
		}
	}
}

// startProcess starts a server of the built-in net in a process of its own, on the backend cpu or steady. memory is the
// most that it has held, in bytes.
func startProcess(t *testing.T, backend string) (address string, memory func() int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	server := exec.Command(self)
	server.Env, server.Stderr = append(os.Environ(), serveVariable+"="+backend), os.Stderr
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		began := time.Now()
		if err := server.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		if err := server.Wait(); err != nil || time.Since(began) > 2*grace {
			t.Errorf("the server ended after %v: %v", time.Since(began), err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line), func() int {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", server.Process.Pid))
		if err != nil {
			t.Skip(err)
		}
		var peak int
		_, rest, _ := strings.Cut(string(text), "VmHWM:")
		if _, err := fmt.Sscan(rest, &peak); err != nil {
			t.Fatal(err)
		}
		return peak << 10
	}
}

// serveForTest serves the built-in net on one thread until an interrupt.
func serveForTest(backend string) error {
	weights, err := models.Default()
	if err != nil {
		return err
	}
	b := batcher.Backend(newSteady(weights, nil))
	if backend == "cpu" {
		if b, err = onnx.New("cpu", weights, batcher.Options{Sums: true}); err != nil {
			return err
		}
	}
	server, err := NewServer(b, weights, ServerOptions{Model: DefaultModel})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fmt.Println(listener.Addr())
	return CloseServed(b, server.Serve(ctx, listener))
}
