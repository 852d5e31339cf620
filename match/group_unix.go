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
