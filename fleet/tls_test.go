package fleet

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tesla/bus"
)

// certificate makes a certificate for loopback, and returns its file and that of its key.
func certificate(t testing.TB) (cert, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, block := range map[string]*pem.Block{"cert": {Type: "CERTIFICATE", Bytes: der}, "key": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "cert"), filepath.Join(dir, "key")
}

// A server that is there already, with TLS and a token, is prepared by its URL. A worker and a host play by that URL the
// games of one process. Without the token or the right certificate nobody gets in.
func TestForeignServerWithTLS(t *testing.T) {
	cert, key := certificate(t)
	server, err := bus.Serve(bus.ServerOptions{Listen: "127.0.0.1:0", Token: "secret", Dir: t.TempDir(), Cert: cert, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	other, _ := certificate(t)
	url := "tls://" + server.Address()
	for _, c := range []struct {
		at   bus.Address
		want string
	}{
		{bus.Address{Server: url, Token: "wrong", CA: cert}, "refuses the token"},
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
