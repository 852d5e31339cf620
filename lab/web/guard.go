package web

import (
	"crypto/subtle"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strings"

	"tesla/internal/loopback"
)

// mostBody is the bytes of the largest body that is read: a file of games.
const mostBody = 4 << 20

// tokenCookie holds the token once the address with the token has been opened.
const tokenCookie = "tesla-token"

// guard is what every request must pass: the name of the host, so that no other site's name can be made to point here
// (DNS rebinding); the origin, so that no other site's page can change anything; the token where there is one.
func (s *Server) guard(next http.Handler) http.Handler {
	next = http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", s.policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		if !s.hostAllowed(r.Host) {
			fail(w, &problem{http.StatusMisdirectedRequest, errors.New("this server does not answer to the name " + clean(r.Host))})
			return
		}
		if s.cfg.Token != "" && !s.admit(w, r) {
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, mostBody)
		next.ServeHTTP(w, r)
	})
}

// hostAllowed reports whether a Host header names this server: the host that it listens on, or an address, which no other
// site can own. A server on loopback answers to loopback addresses and localhost alone.
func (s *Server) hostAllowed(host string) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.Trim(host, "[]"), "80"
	}
	own, ownPort, err := net.SplitHostPort(s.cfg.Address)
	if err != nil || port != ownPort {
		return false
	}
	switch {
	case name == own:
		return true
	case OnLoopback(s.cfg.Address):
		return loopback.Is(name)
	}
	return net.ParseIP(name) != nil || name == "localhost" || s.cfg.Name != "" && strings.EqualFold(name, s.cfg.Name)
}

// OnLoopback reports whether an address HOST:PORT can be reached from this machine alone.
func OnLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && loopback.Is(host)
}

// admit checks the token of a request, in the cookie or, when the page is first opened, in the address. It answers those
// that it does not admit.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) bool {
	right := func(token string) bool {
		return subtle.ConstantTimeCompare([]byte(token), []byte(s.cfg.Token)) == 1
	}
	if c, err := r.Cookie(tokenCookie); err == nil && right(c.Value) {
		return true
	}
	if r.Method == http.MethodGet && right(r.URL.Query().Get("token")) {
		http.SetCookie(w, &http.Cookie{Name: tokenCookie, Value: s.cfg.Token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
		http.Redirect(w, r, r.URL.EscapedPath(), http.StatusSeeOther) // the token does not stay in the address
		return false
	}
	fail(w, &problem{http.StatusUnauthorized, errors.New("no token: open the address that tesla web printed")})
	return false
}

// clean is a text from a request as it may stand in a message.
func clean(text string) string {
	const most = 80
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text[:min(len(text), most)])
}

// quiet is a log that drops what net/http says of bad clients.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }
