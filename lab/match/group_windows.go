package match

import (
	"os/exec"
	"strconv"
)

func ownGroup(*exec.Cmd) {}

// killGroup ends the engine and what it has started; of one that has ended nothing is left to do.
func killGroup(cmd *exec.Cmd) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
	_ = cmd.Process.Kill()
}

// killRest does nothing: here a process does not lead to those that it started once it has ended.
func killRest(*exec.Cmd) {}

// askGroup does nothing: a program without a window cannot be asked.
func askGroup(*exec.Cmd) {}
