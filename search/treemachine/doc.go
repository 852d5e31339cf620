// Package treemachine searches with a tree of processes: the virtual tree machine of Marsland, Olafsson and Schaeffer
// (1984) on NATS.
//
// The process that was asked for a move is the root. Each other node of the tree is a process of its own, on this
// machine or another, with tables of its own. A node talks to its parent and to its children and to no other node, by a
// port each (port.go): two NATS subjects. A file describes the tree (hosts.go). The root creates its children, these
// create theirs, and on other hosts a node server does it (station.go).
//
// The root asks for searches, its tasks. A node searches one task at a time (executor.go). It passes tasks that it has no
// time for on to its children (pool.go). Two methods make the tasks (searcher.go): principal variation splitting, whose
// tasks are moves of nodes of the principal variation, and best-first search, whose tasks are leaves of the promoter.
//
// Invariant: a task has the same result wherever and how often it is searched, as far as a search with tables can have.
// So a task that was lost is given again, to the same node or, where that is gone, to another one. The end of a task
// confirms all messages about it, and no message has to arrive (Saltzer, Reed and Clark 1984).
package treemachine
