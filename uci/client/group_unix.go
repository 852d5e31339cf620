//go:build unix

package client

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the engine into a process group of its own, so that the processes that it starts can be ended with
// it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the engine and the processes that it has started. Where they have ended there is nothing to do.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// killRest kills what an engine that has just been waited for has left behind. While a process of its group runs, the
// system gives the number of the group to no other, and numbers come round much later than this is called.
func killRest(cmd *exec.Cmd) { killGroup(cmd) }

// terminateGroup sends SIGTERM to the engine and the processes that it has started. They may ignore it.
func terminateGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
