// Package uci speaks the Universal Chess Interface (Kahlen and Meyer-Kahlen 2000, as engines use it today): text in,
// text out.
//
// One select loop (session.run) owns all state and writes all output. Lines come to it from a reader goroutine, events
// from at most one job (loading or searching) and from asides (go perft, eval, bench); these own nothing but what they
// were given. So there is no lock in this package, and isready is answered whatever the engine is doing.
//
// A line that has to wait for the job (position, go, setoption, ucinewgame while it runs) is queued, and so is
// everything after it but isready. A line in the queue stops an infinite search; a bounded one is waited for.
//
// Invariants: every go is answered by exactly one bestmove, a legal move or 0000 where there is none, after at least
// one info with a score; an infinite or pondering search is answered only after stop, ponderhit, quit or the end of
// input. Malformed input changes nothing and is answered by an info string that begins with "error:".
package uci
