// Package speedup measures what more threads give a searcher: how much sooner the same work is done, and where the
// rest of the threads' time goes.
//
// # What is measured
//
// Speed-up is the time of one thread of the baseline divided by the time of N threads of the searcher, for the same
// work on the same position from cleared tables. The baseline of an alpha-beta driver is the one-thread plain PVS of
// the same core, pruning and depth; a searcher without such a core (the best-first search) is compared with itself on
// one thread, and its work is a number of evaluations instead of a depth. Work is the most that the baseline finishes
// within a limit: the last depth, or the last power of two. The searches of one position alternate, baseline and each
// number of threads in turn, so that a drift of the machine meets all alike.
//
// Overheads are those of T. A. Marsland, M. Olafsson and J. Schaeffer, Multi-processor game-tree search (1984), all
// relative to the baseline's time:
//
//	TO = N T_N / T_1 - 1 = CO + SO + SY   time
//	CO = messages x cost of one / T_1     communication
//	SO = nodes_N / nodes_1 - 1            search
//	SY = TO - CO - SO                     synchronization, and all else: slower nodes, a machine that is shared
//
// The ceiling says what the machine can give: N searches of the baseline side by side, which share no memory and wait
// for nobody, against one alone. A speed-up near it owes what it lacks to the machine.
//
// # Invariants
//
// A run is a fixed sequence of steps, one search each (a ceiling's side-by-side searches are one step). Each finished
// step is a line of the journal, on disk before the next begins; a resumed run takes what is there and goes on, so
// that killing and resuming at any instant gives the records of an undisturbed run. A search that was cancelled is in
// no record; one that the limit cut short is only in the record of the trial that it was.
//
// # Caveats
//
// Times are wall-clock times: other work on the machine is in them. The interval tells what other positions and other
// repeats would have given on this machine, not on another.
package speedup
