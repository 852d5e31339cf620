//go:build unix

package match

import (
	"os/exec"
	"syscall"
)

// ownGroup gives the engine a process group of its own, so that what it starts can be ended with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends the engine and what it has started; of one that has ended nothing is left to do.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// killRest ends what an engine that was just waited for has left behind. As long as anything runs in its group, the
// system gives the number to nobody else, and numbers come round much later than this is called.
func killRest(cmd *exec.Cmd) { killGroup(cmd) }

// askGroup asks the engine and what it has started to end, which they may ignore.
func askGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
