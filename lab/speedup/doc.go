// Package speedup measures how much sooner a searcher does the same work with more threads, and where the rest of the
// threads' time goes.
//
// # What is measured
//
// Speed-up is the time of one thread of the baseline divided by the time of N threads of the searcher, for the same
// work in the same position from cleared tables. The baseline of an alpha-beta driver is the one-thread plain PVS of
// the same core, with the same pruning and depth. A searcher without such a core, the best-first search, is compared
// with itself on one thread, and its work is a number of evaluations instead of a depth. The work is the most that
// the baseline finishes within a limit: the last depth, or the last power of two. In each position the baseline and
// each number of threads take turns, so that a drift of the machine affects all of them equally.
//
// The overheads are those of T. A. Marsland, M. Olafsson and J. Schaeffer, Multi-processor game-tree search (1984),
// all relative to the time of the baseline:
//
//	TO = N T_N / T_1 - 1 = CO + SO + SY   time
//	CO = messages x cost of one / T_1     communication
//	SO = nodes_N / nodes_1 - 1            search
//	SY = TO - CO - SO                     synchronization and the rest: slower nodes, a shared machine
//
// The ceiling is what the machine can give: N searches of the baseline run at the same time, without shared memory
// and without waiting, compared with one alone. Where a speed-up is near the ceiling, the machine limits it and not
// the search.
//
// # Invariants
//
// A run is a fixed sequence of steps. Each is one search, or the N searches of a ceiling. Each finished step is a
// line of the journal, which is on the disk before the next step begins. A resumed run takes over the steps that are
// there, so a run that is killed and resumed at any moment gives the records of an undisturbed run. A search that was
// cancelled or failed has no record. A search that the limit stopped appears only as a trial that did not finish.
//
// # Caveats
//
// Times are wall-clock times, so they include other work on the machine. The interval covers the choice of positions
// and repeats on this machine. It does not cover other machines.
package speedup
