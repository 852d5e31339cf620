//go:build !unix && !windows

package match

import "os/exec"

func ownGroup(*exec.Cmd) {}

// killGroup ends the engine; of one that has ended nothing is left to do.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

// killRest does nothing.
func killRest(*exec.Cmd) {}

// askGroup does nothing.
func askGroup(*exec.Cmd) {}
