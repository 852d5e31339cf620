//go:build cgo

package onnx

/*
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
static void trim(void) { malloc_trim(0); }
#else
static void trim(void) {}
#endif
*/
import "C"

// trim gives the system back what the C library keeps of freed memory: glibc keeps what a session took in each of the
// threads' arenas, for sessions to come, and those run on other threads.
func trim() { C.trim() }
