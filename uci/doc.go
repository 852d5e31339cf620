// Package uci speaks the Universal Chess Interface (Kahlen and Meyer-Kahlen 2000, as engines use it today): text in,
// text out.
//
// One select loop (session.run) owns all state and writes all output. Lines come to it from a reader goroutine, events
// from at most one job (loading or searching) and from asides (go perft, eval, bench); these own nothing but what they
// were given. So there is no lock in this package, and isready is answered whatever the engine is doing.
//
// A line that has to wait for the job (position, go, setoption, ucinewgame while it runs) is queued, and so is
// everything after it. A line in the queue stops an infinite search; a bounded one is waited for. isready waits for a
// loading, because readyok says that the next go is searched at once; beside a search it is answered at once. What
// setoption and ucinewgame change is prepared at the next isready, or unasked after a moment of silence.
//
// Invariants: every go is answered by exactly one bestmove, after at least one info with a score; where there is no
// legal move or no position it is 0000. A go is never answered by a move of another position than the last one given:
// after a position command that cannot be read there is none. An infinite or pondering search is answered only after
// stop, ponderhit, quit, the end of input or a line that waits for it. Other malformed input changes nothing and is
// answered by an info string that begins with "error:".
package uci
