//go:build !linux

package cores

// CanPin reports whether Pin has an effect on this system.
const CanPin = false

// Allowed returns the cores of the machine by number.
func Allowed() []int { return counted() }

// Pin has no effect on this system.
func Pin([]int) (release func(), err error) { return func() {}, nil }
