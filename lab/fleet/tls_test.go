package fleet

import (
	"strings"
	"testing"

	"tesla/internal/bus"
	"tesla/internal/loopback/loopbacktest"
)

// A server that is there already, with TLS and a token, is prepared by its URL. A worker and a host play by that URL the
// games of one process. Without the token or the right certificate nobody gets in.
func TestForeignServerWithTLS(t *testing.T) {
	cert, key := loopbacktest.Certificate(t)
	server, err := bus.Serve(bus.ServerOptions{Listen: "127.0.0.1:0", Token: "secret", Streams: true, Cert: cert, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	other, _ := loopbacktest.Certificate(t)
	url := "tls://" + server.Address()
	for _, c := range []struct {
		at   bus.Address
		want string
	}{
		{bus.Address{Server: url, Token: "wrong", CA: cert}, "token refused"},
		{bus.Address{Server: url, Token: "secret"}, "certificate"},
		{bus.Address{Server: url, Token: "secret", CA: other}, "certificate"},
		{bus.Address{Server: url, Token: "secret", CA: key}, "no certificate in PEM"},
	} {
		if err := Prepare(t.Context(), c.at); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.at, err, c.want)
		}
	}
	at := bus.Address{Server: url, Token: "secret", CA: cert}
	if err := Prepare(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	alone := game(t, 4)
	play(t, alone)
	start(t, workerAt(t, at, "w"))
	shared := fleetOf(game(t, 4), at)
	play(t, shared)
	same(t, games(t, shared.Files.Journal), games(t, alone.Files.Journal))
}
