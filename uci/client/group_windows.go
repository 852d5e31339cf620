package client

import (
	"os/exec"
	"strconv"
)

// ownGroup does nothing: killGroup finds the children by their parent.
func ownGroup(*exec.Cmd) {}

// killGroup kills the engine and the processes that it has started. Where they have ended there is nothing to do.
func killGroup(cmd *exec.Cmd) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
	_ = cmd.Process.Kill()
}

// killRest does nothing: once a process has ended, the system does not tell which processes it started.
func killRest(*exec.Cmd) {}

// terminateGroup does nothing: a program without a window cannot be asked to end.
func terminateGroup(*exec.Cmd) {}
