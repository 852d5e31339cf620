package web

import (
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"

	"tesla/engine"
)

// Help describes the command.
const Help = `Serves a page for a browser: analyses to watch, with the tree as it grows; a game against the engine; matches.

The first line of standard output is the address of the page. An interrupt ends the server and all searches. The flags
set what a new analysis begins with; the page can change searcher, backend, threads and lines.

The page is for this machine alone unless --listen says otherwise. Elsewhere it asks for a token, which the address that
is printed contains, and which TESLA_WEB_TOKEN of the environment can set. What passes over the network is not encrypted.`

// Start makes the server that listens at an address, and the address of its page. Where others than this machine can
// reach it, it asks for the token of the environment, or a new one.
func Start(at net.Addr, set engine.Settings, matches string) (s *Server, url string, err error) {
	cfg := DefaultConfig(at.String())
	cfg.Settings, cfg.Matches = set, matches
	if !OnLoopback(cfg.Address) {
		cfg.Name, _ = os.Hostname() // without one, addresses alone are answered to
		if cfg.Token = os.Getenv("TESLA_WEB_TOKEN"); cfg.Token == "" {
			cfg.Token = rand.Text()
		}
	}
	s, err = New(cfg)
	return s, cfg.url(), err
}

// url is the address of the page for a browser on this machine.
func (c *Config) url() string {
	host, port, err := net.SplitHostPort(c.Address)
	if err != nil {
		return c.Address
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() && c.Name != "" {
		host = c.Name
	}
	url := "http://" + net.JoinHostPort(host, port) + "/"
	if c.Token != "" {
		url += "?token=" + c.Token
	}
	return url
}

// Open opens an address in the user's browser. Notes say why it could not.
func Open(url string) (notes []string) {
	name, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	c := exec.Command(name, args...)
	if err := c.Start(); err != nil {
		return []string{fmt.Sprintf("--open: %v", err)}
	}
	go func() { _ = c.Wait() }() // the browser's end means nothing
	return nil
}
