package treemachine

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

// desk is a seat that keeps what it is sent.
type desk struct {
	seat
	got []string
}

func newDesk(name string) *desk {
	d := &desk{}
	d.seat = seat{name: name, send: func(m message) {
		id := m.ID
		if m.Task != nil {
			id = m.Task.ID
		}
		d.got = append(d.got, fmt.Sprint(m.Kind, id))
	}}
	return d
}

// answers notes which tasks are answered, and how.
type answers struct{ got []string }

func (a *answers) of(id uint64) func(result, error) {
	return func(r result, err error) { a.got = append(a.got, fmt.Sprint(id, r.Found.Value, err)) }
}

func (d *desk) want(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(d.got, want) {
		t.Errorf("%s got %v, want %v", d.name, d.got, want)
	}
	d.got = nil
}

// Tasks go to the seat with the fewest for its slots; others wait. The tasks of a seat that leaves go to the others, the
// oldest first, and with the last seat all end.
func TestPool(t *testing.T) {
	p, one, two, all := newPool(0), newDesk("one"), newDesk("two"), answers{}
	p.do(task{ID: 1}, all.of(1))
	if want := []string{"1 0 " + errNoNodes.Error()}; !slices.Equal(all.got, want) {
		t.Errorf("without a seat: %v", all.got)
	}
	p.join(&one.seat, 1)
	p.join(&two.seat, 2)
	for id := uint64(2); id < 7; id++ {
		p.do(task{ID: id, Key: id}, all.of(id))
	}
	one.want(t, "task2")
	two.want(t, "task3", "task4")
	if n := p.room(); n != -2 {
		t.Errorf("room %d", n)
	}
	p.drop(5, 3)
	two.want(t, "stop3", "task6")
	p.finish(result{ID: 3}) // too late
	p.leave(&two.seat)
	p.leave(&two.seat)
	one.want(t)
	all.got = nil
	r := result{ID: 2}
	r.Found.Value = 20
	p.finish(r)
	p.finish(r) // it was sent twice
	one.want(t, "task4")
	p.leave(&one.seat)
	slices.Sort(all.got)
	if want := []string{"2 20 <nil>", "4 0 " + errNoNodes.Error(), "6 0 " + errNoNodes.Error()}; !slices.Equal(all.got, want) {
		t.Errorf("%v, want %v", all.got, want)
	}
	if p.again.Load() != 3 {
		t.Errorf("%d given again", p.again.Load())
	}
}

// A task of which a node does not know is sent again, but not before the node can have told.
func TestPoolResends(t *testing.T) {
	p, one := newPool(1), newDesk("one")
	p.join(&one.seat, 1)
	for id := range uint64(2) {
		p.do(task{ID: id, Key: id}, func(result, error) { t.Error("nothing was found") })
	}
	one.want(t, "task0", "task1")
	p.compare(&one.seat, nil)
	one.want(t)
	for _, e := range p.tasks {
		e.at = time.Now().Add(-time.Minute)
	}
	p.compare(&one.seat, []uint64{1})
	one.want(t, "task0")
	if p.again.Load() != 1 {
		t.Errorf("%d given again", p.again.Load())
	}
}

// A node without work is given the task whose position it knows before older ones, and a node that has work is not.
func TestPoolPrefersWhoKnows(t *testing.T) {
	p, one, two := newPool(0), newDesk("one"), newDesk("two")
	p.join(&one.seat, 1)
	p.join(&two.seat, 1)
	for _, x := range []task{{ID: 1, Key: 1}, {ID: 2, Key: 2}, {ID: 3, Key: 3}, {ID: 4, Key: 2}, {ID: 5, Key: 1}} {
		p.do(x, func(result, error) {})
	}
	p.finish(result{ID: 2})
	two.want(t, "task2", "task4")
	p.finish(result{ID: 4})
	two.want(t, "task3")
	one.want(t, "task1")
}

// A search fails where the last node is gone, also between two tasks, when no answer says so.
func TestNoRoomAtAll(t *testing.T) {
	p, one, cancelled := newPool(0), newDesk("one"), false
	s := &Searcher{cancel: func() { cancelled = true }}
	s.pool = p
	c := &crew{Searcher: s}
	p.join(&one.seat, 1)
	if n := c.Room(); n != 2 || s.failed != nil {
		t.Errorf("room %d, %v", n, s.failed)
	}
	p.leave(&one.seat)
	if n := c.Room(); n != 0 || !errors.Is(s.failed, errNoNodes) || !cancelled {
		t.Errorf("room %d, %v, cancelled: %t", n, s.failed, cancelled)
	}
}
