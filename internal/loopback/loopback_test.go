package loopback

import "testing"

func TestIs(t *testing.T) {
	for host, want := range map[string]bool{"localhost": true, "127.0.0.1": true, "127.9.9.9": true, "::1": true,
		"": false, "0.0.0.0": false, "::": false, "192.168.1.5": false, "hub": false, "localhost.example": false} {
		if got := Is(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}
