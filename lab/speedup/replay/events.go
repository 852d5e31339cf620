package replay

import (
	"slices"
	"time"
)

// step goes on to the next event. Of events at the same time the one of the first processor comes first.
func (r *run) step() {
	var p *processor
	for i := range r.processors {
		if q := &r.processors[i]; q.busy && (p == nil || q.due < p.due) {
			p = q
		}
	}
	r.now = p.due
	j, to := p.job, p.to
	p.busy, p.job, p.to = false, nil, nil
	switch {
	case to != nil:
		to.coming--
		r.work(p, to)
	case j == nil:
		r.seek(p)
	case j.next < len(j.task.Parts):
		r.fork(p, j)
	case j.of == nil:
		r.ended = true
	default:
		r.finish(p, j)
	}
}

// compute has p search a number of nodes of a job, after a delay.
func (r *run) compute(p *processor, j *job, nodes int64, delay time.Duration) {
	if p.busy { // it unwinds
		delay = max(delay, p.due-r.now)
	}
	took := time.Duration(nodes) * r.Node
	p.job, p.busy, p.since = j, true, r.now+delay
	p.due = p.since + took
	r.Busy += took
}

// fork begins the next part of a job.
func (r *run) fork(p *processor, j *job) {
	f := j.task.Parts[j.next].Fork
	pt := &point{Fork: f, owner: j, by: p}
	if f.Left > 0 {
		pt.behind = r.behind(f)
	}
	j.next++
	r.open = append(r.open, pt)
	if r.Scheduler != Greedy {
		p.waiting = append(p.waiting, pt)
	}
	r.work(p, pt)
	if r.Scheduler != Offers {
		for i := range r.processors {
			r.seek(&r.processors[i])
		}
	}
}

// work has p take a move of pt, or something else.
func (r *run) work(p *processor, pt *point) {
	if pt.over || pt.left() == 0 {
		r.settle(p, pt)
		r.seek(p)
		return
	}
	j := pt.take()
	r.compute(p, j, j.task.Lead, 0)
	if r.Scheduler == Offers {
		for i := range r.processors {
			if q := &r.processors[i]; !q.busy && q.allowed(pt) && pt.left() > pt.coming {
				r.send(q, pt)
			}
		}
	}
}

// send has p go to pt.
func (r *run) send(p *processor, pt *point) {
	r.Messages++
	pt.coming++
	p.busy, p.to, p.due = true, pt, r.now+r.Message
}

// seek has p, where it is free, join the deepest fork that has a move for it.
func (r *run) seek(p *processor) {
	if p.busy || r.Scheduler == Offers {
		return
	}
	var best *point
	for _, pt := range r.open {
		if pt.left() > pt.coming && (best == nil || pt.Depth > best.Depth) && p.allowed(pt) {
			best = pt
		}
	}
	if best != nil {
		r.send(p, best)
	}
}

// finish ends a move.
func (r *run) finish(p *processor, j *job) {
	pt := j.of
	pt.running--
	if j.task == pt.behind {
		r.Wasted += r.now - p.since
	}
	if pt.Cut && j.move == len(pt.Moves)-1 {
		delay := r.cut(pt)
		r.leave(p, pt, delay)
		r.seek(p)
		return
	}
	r.work(p, pt)
}

// settle goes on with the owner of a point whose moves are all done.
func (r *run) settle(p *processor, pt *point) {
	if !pt.over && pt.left() == 0 && pt.running == 0 && pt.coming == 0 {
		r.leave(p, pt, 0)
	}
}

// leave ends a point, and goes on with its owner: p, which has done the last of it, does, or the owner's processor.
func (r *run) leave(p *processor, pt *point, delay time.Duration) {
	pt.over = true
	r.open = slices.DeleteFunc(r.open, func(other *point) bool { return other.under(pt) })
	next := p
	if r.Scheduler != Greedy {
		if next = pt.by; next != p {
			delay = max(delay, r.Message)
		}
		next.waiting = next.waiting[:len(next.waiting)-1]
	}
	r.compute(next, pt.owner, pt.owner.task.Parts[pt.owner.next-1].After, delay)
}

// cut ends all work below a point. It returns how long its owner must wait for that.
func (r *run) cut(pt *point) (delay time.Duration) {
	unwind := time.Duration(unwindNodes) * r.Node
	if r.Scheduler == Greedy {
		unwind = 0
	}
	for i := range r.processors {
		p := &r.processors[i]
		waited := len(p.waiting)
		for last := len(p.waiting) - 1; last >= 0 && p.waiting[last] != pt && p.waiting[last].under(pt); last-- {
			p.waiting = p.waiting[:last]
		}
		if !p.within(pt) && len(p.waiting) == waited {
			continue
		}
		if p.job != nil {
			r.Busy -= p.due - max(r.now, p.since)
			r.Wasted += max(0, r.now-p.since)
		}
		p.busy, p.job, p.to, p.due = true, nil, nil, r.now+unwind
		delay = unwind
	}
	return delay
}
