// Package web serves the page of `tesla web`: an analysis to watch, a game against the engine, matches.
//
// Files: server.go routes and configuration; pages.go the pages and what they load; start.go how the command starts
// it; guard.go what every request must pass; answer.go JSON in and out; stream.go server-sent events; rules.go the
// rules of chess for the page; session.go the sessions of tabs; wish.go what a tab can want; worker.go the goroutine
// that searches; view.go a search as JSON; explain.go why a move is not played; choices.go
// what can be chosen; match.go the folder of matches; matchstream.go a match that is followed; page/ their sources, all
// of them embedded.
//
// # Sessions
//
// A tab creates a session, holds its event stream open, and says what it wants as a whole: game, settings, limits, and
// whether to search (wish). The session makes it so, and tells what happens in events. A wish that differs from the one
// before replaces it. A session whose stream has been closed for a few seconds ends, with its search.
//
// # Invariants
//
// A session has one goroutine, which alone uses its engine. Nothing waits for a slow browser: of each kind of event only
// the newest is kept. Every list, body and number of sessions and streams is bounded.
package web
