//go:build !linux

package match

import "os/exec"

const pinning = false

func machineCores() []int { return countedCores() }

func startOn(cmd *exec.Cmd, _ []int) error { return cmd.Start() }
