//go:build cgo && unix

package batcher

/*
#include <signal.h>

// Go's handlers are kept as they are in the kernel: the runtime does not know that another library has taken them over.
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

// keepSignals calls f, and gives signals the handlers back that they had before. The libraries of GPUs take some over, and
// Ctrl-C then kills the process instead of ending a search.
func keepSignals(f func() error) error {
	keepingSignals.Lock()
	defer keepingSignals.Unlock()
	C.keep_signals()
	defer C.restore_signals()
	return f()
}
