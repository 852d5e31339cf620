// Package clienttest is a UCI engine for tests, with good manners or bad ones. The test binary is the engine: its
// TestMain calls Main, and Script writes the program that starts it.
package clienttest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// The environment of an engine: how it misbehaves, and a mark that the processes it starts inherit.
const (
	modeVariable  = "TESLA_TEST_ENGINE"
	tokenVariable = "TESLA_TEST_TOKEN"
)

// FloodBytes is the output of one move of the modes flood and complain.
const FloodBytes = 4 << 20

// Main is the engine if this process was started by a Script, and reports whether it was.
func Main() bool {
	mode := os.Getenv(modeVariable)
	if mode != "" {
		run(mode)
	}
	return mode != ""
}

// Script writes a program that runs the test binary as an engine in the given mode. "sound" has no faults.
func Script(t testing.TB, mode string) (path string) {
	t.Helper()
	path, err := Engine(t.TempDir(), mode)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Engine is Script for examples: it writes the program into a folder.
func Engine(dir, mode string) (path string, err error) {
	path = filepath.Join(dir, mode)
	text := fmt.Sprintf("#!/bin/sh\n%s=%s %s=%s exec %s\n", modeVariable, mode, tokenVariable, path, os.Args[0])
	return path, WriteScript(path, text)
}

// WriteScript writes a program. No other goroutine forks while the file is open: its child would hold the file open for
// writing, and to start the program would fail as "text file busy".
func WriteScript(path, text string) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, []byte(text), 0o755)
}

// LeftOver returns the running processes of the engine that a script has started, children included. Zombies have no
// environment and are not among them.
func LeftOver(t testing.TB, script string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil && bytes.Contains(text, []byte(tokenVariable+"="+script)) {
			found = append(found, f)
		}
	}
	return found
}
