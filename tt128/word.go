//go:build !race && !386 && !arm && !mips && !mipsle

package tt128

import "sync/atomic"

func load(p *uint64) uint64 { return atomic.LoadUint64(p) }

// store is plain on purpose: see the race policy in the package comment.
func store(p *uint64, v uint64) { *p = v }
