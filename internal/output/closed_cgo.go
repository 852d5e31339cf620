//go:build cgo && unix

package output

/*
#include <fcntl.h>

// Go's runtime opens /dev/null in place of a standard output that is closed, so this looks before the runtime starts.
static int closed;
__attribute__((constructor)) static void look(void) { closed = fcntl(1, F_GETFD) < 0; }
static int closed_at_start(void) { return closed; }
*/
import "C"

// closedAtStart reports whether the program was started without a standard output.
func closedAtStart() bool { return C.closed_at_start() != 0 }
