package bus

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// certificate writes a certificate of its own for an address of this machine, with its key.
func certificate(t *testing.T, ip string, until time.Time) (cert, key string) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: until,
		IPAddresses: []net.IP{net.ParseIP(ip)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	der, err := x509.CreateCertificate(rand.Reader, form, form, public, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	err = errors.Join(os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600),
		os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	return cert, key
}

// A server with TLS is asked only where its certificate is trusted, is of its address and has not run out; the error says
// which of these it is, and no token is sent before.
func TestTLS(t *testing.T) {
	tomorrow := time.Now().Add(24 * time.Hour)
	cert, key := certificate(t, "127.0.0.1", tomorrow)
	other, otherKey := certificate(t, "127.0.0.2", tomorrow)
	old, oldKey := certificate(t, "127.0.0.1", time.Now().Add(-time.Hour))
	good := serve(t, ServerOptions{Cert: cert, Key: key, Token: "secret"})
	elsewhere := serve(t, ServerOptions{Cert: other, Key: otherKey, Token: "secret"})
	late := serve(t, ServerOptions{Cert: old, Key: oldKey, Token: "secret"})
	plain := serve(t, ServerOptions{Token: "secret"})
	for name, c := range map[string]struct {
		at   Address
		want string // of the error; empty: none
	}{
		"trusted":                  {Address{Server: good.Address(), CA: cert, Token: "secret"}, ""},
		"by a URL":                 {Address{Server: encrypted + good.Address(), CA: cert, Token: "secret"}, ""},
		"another token":            {Address{Server: good.Address(), CA: cert, Token: "guess"}, "token refused"},
		"not trusted":              {Address{Server: good.Address(), CA: other, Token: "secret"}, "unknown authority"},
		"no certificates named":    {Address{Server: encrypted + good.Address(), Token: "secret"}, "unknown authority"},
		"of another address":       {Address{Server: elsewhere.Address(), CA: other, Token: "secret"}, "valid for 127.0.0.2"},
		"run out":                  {Address{Server: late.Address(), CA: old, Token: "secret"}, "expired"},
		"a server without TLS":     {Address{Server: encrypted + plain.Address(), CA: cert, Token: "secret"}, "secure"},
		"no TLS, and certificates": {Address{Server: plain.Address(), CA: cert, Token: "secret"}, "secure"},
	} {
		conn, err := c.at.Connect("test", nil)
		if err == nil {
			conn.Close()
		}
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.at.Server)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	for _, bad := range []ServerOptions{{Cert: cert, Key: otherKey}, {Cert: key, Key: cert}} {
		bad.Listen = "127.0.0.1:0"
		if s, err := Serve(bad); err == nil || !strings.Contains(err.Error(), "TLS") {
			t.Errorf("a key of another certificate: %v, %v", s, err)
		}
	}
}

// A connection outlives a server that comes back with another token for a while, as where it was begun by a wrong command.
func TestTokenChanges(t *testing.T) {
	s := serve(t, ServerOptions{Token: "right"})
	at := Address{Server: s.Address(), Token: "right"}
	again := make(chan struct{}, 1)
	conn := connect(t, at, func() { again <- struct{}{} })
	s.Close()
	wrong := serve(t, ServerOptions{Listen: at.Server, Token: "wrong"})
	time.Sleep(4 * reconnectWait) // it is refused more than once
	wrong.Close()
	serve(t, ServerOptions{Listen: at.Server, Token: "right"})
	select {
	case <-again:
	case <-time.After(10 * time.Second):
		t.Fatalf("the connection is not made again: closed %t", conn.IsClosed())
	}
}
