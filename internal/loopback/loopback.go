// Package loopback tells which hosts are this machine alone. What listens elsewhere needs a token, and mostly TLS.
package loopback

import "net"

// Is reports whether a host, by its name or its IP address, can be reached from this machine alone.
func Is(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
