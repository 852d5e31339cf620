// Package bus connects the processes of a fleet by NATS: an embedded server, and connections to it or to a foreign
// cluster.
//
// Nothing that the server keeps is a record: what counts is in the file of whoever gave out the work. So it keeps all of it
// in memory, and its disk may be full or lost.
package bus

import (
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// Address says where the server of a fleet is, and how it is asked.
type Address struct {
	Server string // host:port, or URLs of a NATS cluster, separated by commas
	Token  string // that the server asks for; empty: none
	CA     string // PEM file of the certificates that are trusted; empty: the system's
}

const (
	encrypted     = "tls://"
	connectTime   = 5 * time.Second
	reconnectWait = 200 * time.Millisecond // between two tries to reach a server that is gone
	pingInterval  = 10 * time.Second       // a server that does not answer two pings is gone
)

var (
	// ErrToken is wrapped by the error of Connect where the server refused the token.
	ErrToken = errors.New("token refused by the server")
	// ErrNoServer is wrapped by the error of Connect where no server answers.
	ErrNoServer = errors.New("no answer from a server; tesla fleet serve starts one")
)

// Validate reports what is wrong with the address. The token must not travel beyond this machine in the clear.
func (a *Address) Validate() error {
	if a.Server == "" {
		return errors.New("no server: name one, as host:port")
	}
	for _, one := range strings.Split(a.Server, ",") {
		_, rest, named := strings.Cut(one, "://")
		if !named {
			rest = one
		}
		local, err := onLoopback(rest)
		if err != nil {
			return fmt.Errorf("server %s: %w", one, err)
		}
		if !local && a.CA == "" && !strings.HasPrefix(one, encrypted) {
			return fmt.Errorf("server %s beyond this machine without TLS: name it %s%s, or give --ca", one, encrypted, rest)
		}
	}
	return nil
}

// Connect connects. The connection is made again whenever it breaks, for as long as it takes. again, where not nil, is
// then called.
func (a *Address) Connect(name string, again func()) (*nats.Conn, error) {
	if err := a.Validate(); err != nil {
		return nil, err
	}
	options := []nats.Option{nats.Name(name), nats.Token(a.Token), nats.Timeout(connectTime), nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait),
		nats.IgnoreAuthErrorAbort(), // a server may come back with another token for a while
		nats.PingInterval(pingInterval), nats.ReconnectHandler(func(*nats.Conn) {
			if again != nil {
				again()
			}
		}), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})} // the default one prints
	if a.CA != "" {
		pem, err := os.ReadFile(a.CA)
		if err == nil && !x509.NewCertPool().AppendCertsFromPEM(pem) {
			err = fmt.Errorf("%s: no certificate in PEM", a.CA)
		}
		if err != nil {
			return nil, fmt.Errorf("--ca: %w", err)
		}
		options = append(options, nats.RootCAs(a.CA))
	}
	c, err := nats.Connect(a.Server, options...)
	switch {
	case errors.Is(err, nats.ErrAuthorization):
		err = ErrToken
	case errors.Is(err, nats.ErrNoServers), errors.Is(err, nats.ErrTimeout):
		err = ErrNoServer
	}
	if err != nil {
		return nil, fmt.Errorf("fleet %s: %w", a.Server, err)
	}
	return c, nil
}
