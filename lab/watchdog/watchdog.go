// Package watchdog calls what may hang: a search on a device that does not answer, a searcher that is being made, a
// library that closes. No call keeps its caller for longer than a grace time after its context has ended.
//
// Go cannot stop a goroutine. A call that does not return is abandoned: its goroutine and its memory stay until it
// returns or the program ends. The invariant: after that, nothing of the caller is touched by the call, and the caller
// touches nothing of what was called.
package watchdog

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// Grace is the usual grace time: a search that obeys its context returns in milliseconds.
const Grace = 2 * time.Second

// ErrHang is the error of a call that was abandoned.
var ErrHang = errors.New("no answer")

// Panic is the error of a call that panicked.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("panic: %v\n%s", p.Value, p.Stack) }

// Call calls f in a goroutine of its own and returns what it returned, or a *Panic. When f has not returned at the end
// of the grace time after ctx has ended, Call returns ErrHang. What f returns later goes to late, which may be nil; an
// error or a panic that comes later is dropped.
func Call[T any](ctx context.Context, grace time.Duration, f func() (T, error), late func(T)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if r := recover(); r != nil {
				o.err = &Panic{r, debug.Stack()}
			}
			done <- o
		}()
		o.value, o.err = f()
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case o := <-done:
		return o.value, o.err
	case <-timer.C:
	}
	if late != nil {
		go func() {
			if o := <-done; o.err == nil {
				late(o.value)
			}
		}()
	}
	var none T
	return none, ErrHang
}
