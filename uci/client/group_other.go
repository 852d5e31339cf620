//go:build !unix && !windows

package client

import "os/exec"

// ownGroup does nothing: this system has no process groups.
func ownGroup(*exec.Cmd) {}

// killGroup kills the engine alone. Where it has ended there is nothing to do.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func killRest(*exec.Cmd) {}

// terminateGroup does nothing.
func terminateGroup(*exec.Cmd) {}
