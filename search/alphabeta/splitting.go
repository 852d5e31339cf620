package alphabeta

import (
	"runtime"
	"sync"
	"time"

	"tesla/board"
	"tesla/nnue"
	"tesla/tt128"
)

// splitting is the drivers pvsplit and jamboree: the threads of a team share out the moves of nodes, see split.go.
//
// Principal variation splitting (Marsland and Campbell 1982; Marsland, Olafsson and Schaeffer 1984): one thread
// searches the first move of a node of the principal variation. Then all threads search its siblings, with the value
// that it has.
//
// Jamboree (Kuszmaul 1994): one thread searches the first move of any node, or a share of its moves. Then all threads
// search the others. In the strong form they search them with a null window only, and those that exceed alpha are
// searched again afterwards, in order.
type splitting struct {
	solo
	team *team
}

// rule says at which nodes moves are shared out, and how.
type rule struct {
	principal  bool    // on the principal variation only
	depth      int     // the least depth
	sequential float64 // the share of the moves that one thread searches before
	ordered    bool    // moves that exceed alpha are searched again after all others, in order, with the whole window
	broadcast  bool    // searches that have begun use an alpha that was raised since
	resplit    bool    // threads without work take part below shared moves, too

	refutations, affinity bool // see Options
}

// newSplitting makes a Searcher whose threads are a team. A single thread is none.
func newSplitting(r rule, net *nnue.Net, table *tt128.Table, threads int, o Options) (*Searcher, error) {
	d := &splitting{team: &team{rule: r}}
	s, err := newSearcher(d, net, table, threads, o)
	if err != nil {
		return nil, err
	}
	if threads <= runtime.NumCPU() {
		d.team.spin = spin
	}
	if threads > 1 {
		for _, t := range s.threads {
			d.team.enlist(t)
		}
	}
	return s, nil
}

func (d *splitting) begin(*running) { d.team.roots = map[board.Move]remembered{} }

func (d *splitting) help(x *running, t *Thread, _ int) {
	for !t.member.idle(anywhere, x.quit) {
	}
}

// Messages is the number of parts of splits that threads gave each other in the last search.
func (s *Searcher) Messages() (n int64) {
	for _, t := range s.threads {
		if t.member != nil {
			n += t.member.messages
		}
	}
	return n
}

// Idle is the time that threads waited for work or for each other in the last search: the sum over the threads.
func (s *Searcher) Idle() (d time.Duration) {
	for _, t := range s.threads {
		if t.member != nil {
			d += t.member.idled
		}
	}
	return d
}

// Path is the critical path of the last search, in nodes: the longest chain of searches each of which had to wait for
// the one before, however many threads there are. It is 0 where no moves are shared out.
func (s *Searcher) Path() int64 {
	if m := s.threads[0].member; m != nil {
		return m.path()
	}
	return 0
}

// MessageCost is the time from giving a part of a split to a waiting thread to its beginning. It is measured at the
// first call.
func (s *Searcher) MessageCost() time.Duration { return messageCost() }

var messageCost = sync.OnceValue(func() time.Duration {
	const turns = 20000
	to, back := make(chan *split, 1), make(chan *split, 1)
	go func() {
		for m := range to {
			back <- m
		}
	}()
	start := time.Now()
	for range turns {
		to <- nil
		<-back
	}
	close(to)
	return time.Since(start) / (2 * turns)
})
