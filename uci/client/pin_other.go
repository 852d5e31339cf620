//go:build !linux

package client

import "os/exec"

// CanPin reports whether Config.Cores has an effect on this system.
const CanPin = false

// Cores returns the cores of the machine by number.
func Cores() []int { return countedCores() }

// startOn starts the command. On this system it is not pinned.
func startOn(cmd *exec.Cmd, _ []int) error { return cmd.Start() }
