package client

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tesla/internal/cores"
	"tesla/uci/client/clienttest"
)

// TestPinned asks a pinned process for its cores.
func TestPinned(t *testing.T) {
	if !cores.CanPin {
		t.Skip("not on this system")
	}
	allowed := cores.Allowed()
	want := allowed[len(allowed)-1:]
	dir := t.TempDir()
	script := filepath.Join(dir, "engine")
	text := "#!/bin/sh\ngrep Cpus_allowed_list /proc/self/status >&2\n"
	if err := clienttest.WriteScript(script, text); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	ignore, keep := func([]byte, time.Time) {}, func(b []byte, _ time.Time) { said.Write(b) }
	p, err := startProcess(&Config{Path: script, Dir: dir, Cores: want}, ignore, keep)
	if err != nil {
		t.Fatal(err)
	}
	if !p.wait(30 * time.Second) {
		t.Fatal("it does not end")
	}
	if got := strings.Fields(said.String()); len(got) != 2 || got[1] != fmt.Sprint(want[0]) {
		t.Errorf("%q, want core %d", said.String(), want[0])
	}
	if after := cores.Allowed(); !slices.Equal(after, allowed) {
		t.Errorf("this process has cores %v now, had %v", after, allowed)
	}
	if _, err := startProcess(&Config{Path: script, Cores: []int{1023}}, nil, nil); err == nil {
		t.Error("pinned to a core that is not there")
	}
}
