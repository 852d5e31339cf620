// Package sweep does the same work in each of many positions: it is the one loop behind bench, suite, puzzles, regret,
// speedup, siblings, calibrate, backendbench and the tools of scripts that search positions. Package match and package datagen
// deal their games to workers by it.
//
//	r, err := sweep.Searches(ctx, &sweep.Sweep{Steps: len(positions), What: "positions"}, searchers,
//		func(ctx context.Context, s *sweep.Searcher, i int) (board.Move, error) {
//			found, err := s.FromNothing(ctx, &positions[i], limits, nil)
//			return found.Best, err
//		})
//
// # Invariants
//
// A failure is never turned into a result: a search that fails, panics, is stuck, is interrupted or finds no move ends the
// sweep with the reason, and nothing of it is kept. What a journal keeps is on the disk before the next step begins, so a
// sweep that is killed and resumed at any moment gives the results of one that was not.
package sweep

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"tesla/lab/view"
)

// Sweep says how many steps there are, and how they are done.
type Sweep struct {
	Steps    int
	Workers  int            // steps at the same time; 0: one
	What     string         // what the steps are, for Progress, such as "positions"
	Progress *view.Progress // nil: none
	More     func() string  // what Progress shows beside the numbers; nil: nothing
	Resumed  func() bool    // reports whether a journal had all steps so far, see Journal.Resumed; nil: it had none

	mu         sync.Mutex // guards what follows
	next, done int
}

// Each has workers do the steps from 0 to Steps-1, each once and in this order. A worker is a call of work: it makes what it
// needs and does the steps that it is given until there are no more. The first error of a worker ends the others, by their
// context, and is returned, and so is the error of ctx.
func (s *Sweep) Each(ctx context.Context, work func(ctx context.Context, steps iter.Seq[int]) error) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	s.next, s.done = 0, 0
	s.Progress.Begin()
	defer s.Progress.End()
	steps := func(yield func(int) bool) {
		for {
			step, ok := s.take()
			if !ok || ctx.Err() != nil || !yield(step) || ctx.Err() != nil {
				return
			}
			s.tell()
		}
	}
	var wait sync.WaitGroup
	for range min(max(1, s.Workers), max(1, s.Steps)) {
		wait.Go(func() {
			if err := work(ctx, steps); err != nil {
				fail(err)
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}

// take is the next step that nobody does.
func (s *Sweep) take() (step int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	step = s.next
	s.next++
	return step, step < s.Steps
}

// tell shows that one more step is done.
func (s *Sweep) tell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
	if s.Resumed != nil && s.Resumed() {
		s.Progress.Skip(s.done)
	}
	more := ""
	if s.More != nil {
		more = s.More()
	}
	s.Progress.Draw(s.done, s.Steps, s.What, more)
}

// Searches has each searcher do all steps, one searcher after the other, and returns what do returned by searcher and step.
// With several workers each has a searcher of its own. A searcher is opened when it first searches.
func Searches[R any](ctx context.Context, s *Sweep, by []Searcher, do func(ctx context.Context, s *Searcher, step int) (R, error)) ([][]R, error) {
	results := make([][]R, len(by))
	for k := range results {
		results[k] = make([]R, s.Steps)
	}
	each := s.Steps
	all := &Sweep{Steps: len(by) * each, Workers: s.Workers, What: s.What, Progress: s.Progress, More: s.More, Resumed: s.Resumed}
	err := all.Each(ctx, func(ctx context.Context, steps iter.Seq[int]) (err error) {
		var now Searcher
		at := -1
		defer func() { err = errors.Join(err, now.Close()) }()
		for step := range steps {
			k, i := step/each, step%each
			if k != at {
				if err := now.Close(); err != nil {
					return err
				}
				now, at = Searcher{Name: by[k].Name, Open: by[k].Open}, k
			}
			if results[k][i], err = do(ctx, &now, i); err != nil {
				return fmt.Errorf("%s: %w", now.Name, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}

// With has one searcher do all steps.
func (s *Sweep) With(ctx context.Context, by Searcher, do func(ctx context.Context, s *Searcher, step int) error) error {
	_, err := Searches(ctx, s, []Searcher{by}, func(ctx context.Context, one *Searcher, step int) (none struct{}, err error) {
		return none, do(ctx, one, step)
	})
	return err
}
