package bus

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

func serve(t *testing.T, o ServerOptions) *Server {
	t.Helper()
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	s, err := Serve(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func connect(t *testing.T, a Address, again func()) *nats.Conn {
	t.Helper()
	c, err := a.Connect("test", again)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// A token does not travel beyond this machine in the clear.
func TestAddress(t *testing.T) {
	for _, c := range []struct {
		at   Address
		want string // of the error; empty: none
	}{
		{Address{}, "no server"},
		{Address{Server: "hub"}, "missing port"},
		{Address{Server: "hub:4222"}, "name it tls://hub:4222, or give --ca"},
		{Address{Server: "nats://hub:4222"}, "name it tls://hub:4222"},
		{Address{Server: "tls://hub:4222"}, ""},
		{Address{Server: "hub:4222", CA: "cert.pem"}, ""},
		{Address{Server: "127.0.0.1:1"}, ""},
		{Address{Server: "[::1]:1"}, ""},
		{Address{Server: "nats://localhost:1"}, ""},
		{Address{Server: "tls://a:1,b:2"}, "server b:2 beyond this machine"},
		{Address{Server: "127.0.0.1:1,"}, "missing port"},
	} {
		if err := c.at.Validate(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.at, err, c.want)
		}
	}
}

// All that is wrong with a server's options is reported at once, and a server that cannot begin says why.
func TestServerOptions(t *testing.T) {
	taken := serve(t, ServerOptions{})
	none := filepath.Join(t.TempDir(), "none")
	for _, c := range []struct {
		o    ServerOptions
		want []string
	}{
		{ServerOptions{Listen: "0.0.0.0:0"}, []string{"--token: none for", "--tls-cert: none for"}},
		{ServerOptions{Listen: ":4222", Token: "t"}, []string{"--tls-cert: none for"}},
		{ServerOptions{Listen: "127.0.0.1"}, []string{"--listen", "missing port"}},
		{ServerOptions{Listen: "127.0.0.1:port"}, []string{"port"}},
		{ServerOptions{Listen: "127.0.0.1:0", Cert: "c"}, []string{"--tls-cert and --tls-key need each other"}},
		{ServerOptions{Listen: "127.0.0.1:0", Cert: none, Key: none}, []string{"TLS", none}},
		{ServerOptions{Listen: taken.Address()}, []string{"in use"}},
	} {
		s, err := Serve(c.o)
		if err == nil {
			s.Close()
			t.Errorf("%+v is served", c.o)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: %v, want %q", c.o, err, want)
			}
		}
	}
	t.Setenv("TMPDIR", none)
	if s, err := Serve(ServerOptions{Listen: "127.0.0.1:0", Streams: true}); err == nil || !strings.Contains(err.Error(), none) {
		t.Errorf("without a folder: %v, %v", s, err)
	}
}

func TestConnectFails(t *testing.T) {
	s := serve(t, ServerOptions{Token: "secret"})
	nothing := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(nothing, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at   Address
		is   error
		want string
	}{
		{Address{Server: s.Address()}, ErrToken, s.Address()},
		{Address{Server: s.Address(), Token: "other"}, ErrToken, "token refused"},
		{Address{Server: "127.0.0.1:1"}, ErrNoServer, "tesla fleet serve starts one"},
		{Address{Server: s.Address(), CA: nothing + "x"}, os.ErrNotExist, "--ca"},
		{Address{Server: s.Address(), CA: nothing}, nil, "no certificate in PEM"},
		{Address{}, nil, "no server"},
	} {
		conn, err := c.at.Connect("test", nil)
		if err == nil {
			conn.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%+v: %v, want %q", c.at, err, c.want)
		}
	}
}

// A connection outlives its server: it is made again when one is there, and whoever wants to know is told.
func TestReconnects(t *testing.T) {
	s := serve(t, ServerOptions{Token: "t"})
	at := Address{Server: s.Address(), Token: "t"}
	again := make(chan struct{}, 1)
	conn := connect(t, at, func() { again <- struct{}{} })
	heard, err := conn.SubscribeSync("x")
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	serve(t, ServerOptions{Listen: at.Server, Token: "t"})
	select {
	case <-again:
	case <-time.After(20 * time.Second):
		t.Fatal("the connection is not made again")
	}
	if err := errors.Join(conn.Publish("x", []byte("hello")), conn.Flush()); err != nil {
		t.Fatal(err)
	}
	if m, err := heard.NextMsg(10 * time.Second); err != nil || string(m.Data) != "hello" {
		t.Errorf("%v, %v", m, err)
	}
}

// A message may have 8 MB, and no more.
func TestPayload(t *testing.T) {
	conn := connect(t, Address{Server: serve(t, ServerOptions{}).Address()}, nil)
	heard, err := conn.SubscribeSync("x")
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Publish("x", make([]byte, maxPayload+1)); !errors.Is(err, nats.ErrMaxPayload) {
		t.Errorf("a longer message: %v", err)
	}
	if err := conn.Publish("x", make([]byte, maxPayload)); err != nil {
		t.Fatal(err)
	}
	if m, err := heard.NextMsg(10 * time.Second); err != nil || len(m.Data) != maxPayload {
		t.Error(err)
	}
}

// Streams are in memory: one on the disk is refused, and the folder that JetStream wants is empty of files, and gone at the
// end. A server without streams has none.
func TestStreams(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s := serve(t, ServerOptions{Streams: true})
	js, err := jetstream.New(connect(t, Address{Server: s.Address()}, nil))
	if err != nil {
		t.Fatal(err)
	}
	stream := jetstream.StreamConfig{Name: "memory", Subjects: []string{"m.>"}, Storage: jetstream.MemoryStorage}
	if _, err := js.CreateStream(t.Context(), stream); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if _, err := js.Publish(t.Context(), "m.x", make([]byte, 1<<16)); err != nil {
			t.Fatal(err)
		}
	}
	files := 0
	err = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files++
		}
		return err
	})
	if err != nil || files > 0 {
		t.Errorf("%d files are in the folder, %v", files, err)
	}
	file := jetstream.StreamConfig{Name: "file", Subjects: []string{"f.>"}, Storage: jetstream.FileStorage}
	if _, err := js.CreateStream(t.Context(), file); err == nil {
		if _, err = js.Publish(t.Context(), "f.x", nil); err == nil { // the limit is passed
			_, err = js.Publish(t.Context(), "f.x", nil)
		}
		if err == nil {
			t.Error("a stream is kept on the disk")
		}
	}
	s.Close()
	if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
		t.Errorf("%v is left, %v", list, err)
	}
	js, err = jetstream.New(connect(t, Address{Server: serve(t, ServerOptions{}).Address()}, nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), stream); err == nil {
		t.Error("a server without streams has one")
	}
}

// A server that loses its streams ends with an error. Another one waits until it is told to end.
func TestWait(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*watchTime/2)
	defer cancel()
	s := serve(t, ServerOptions{Streams: true})
	if err := s.Wait(ctx); err != nil || ctx.Err() == nil {
		t.Errorf("%v, %v", err, ctx.Err())
	}
	if err := s.server.DisableJetStream(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := s.Wait(ctx); err == nil || !strings.Contains(err.Error(), "streams of the server lost: ") {
		t.Error(err)
	}
}
