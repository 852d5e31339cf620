//go:build cgo && unix

package onnx

/*
#include <signal.h>

// Go's handlers are saved as the kernel has them: the runtime does not know that another library has replaced them.
enum { signals = 65 };
static struct sigaction kept[signals];

static void keep_signals(void) {
	for (int i = 1; i < signals; i++)
		sigaction(i, 0, &kept[i]);
}

static void restore_signals(void) {
	for (int i = 1; i < signals; i++)
		sigaction(i, &kept[i], 0);
}
*/
import "C"

import "sync"

var keepingSignals sync.Mutex

// keepSignals calls f and then restores all signal handlers. The libraries of GPUs replace some of them; without this,
// Ctrl-C would kill the process instead of ending a search.
func keepSignals(f func() error) error {
	keepingSignals.Lock()
	defer keepingSignals.Unlock()
	C.keep_signals()
	defer C.restore_signals()
	return f()
}
