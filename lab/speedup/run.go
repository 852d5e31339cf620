package speedup

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"tesla/board"
	"tesla/lab/sweep"
	"tesla/lab/watchdog"
	"tesla/search"
)

// Run does the measurement. When it is cancelled or a search fails, it returns the error beside the result of the
// finished positions, which is nil where there are none. The journal has every finished search.
func Run(ctx context.Context, config Config) (_ *Result, err error) {
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("speedup: %w", err)
	}
	config = config.withDefaults()
	config.Journal.Tell = config.Tell
	j, err := sweep.OpenJournal(config.Journal, config.header(), stepOf)
	if err != nil {
		return nil, fmt.Errorf("speedup: %w", err)
	}
	r := &runner{config: &config, journal: j, lanes: map[lane]*sweep.Searcher{}}
	defer func() { err = errors.Join(j.End(err), r.close()) }()
	var rows []samples
	all := &sweep.Sweep{Steps: len(config.Positions), What: "positions", Progress: config.Progress, Resumed: j.Resumed}
	err = all.Each(ctx, func(ctx context.Context, steps iter.Seq[int]) error {
		for i := range steps {
			s, err := r.position(ctx, i)
			if err != nil {
				return fmt.Errorf("speedup: position %s: %w", config.Positions[i].ID, err)
			}
			rows = append(rows, s)
			config.Tell(s.progress(&config, i))
		}
		return nil
	})
	return newResult(&config, rows), err
}

// runner does the steps that the journal lacks.
type runner struct {
	config  *Config
	journal *sweep.Journal[step, record]
	lanes   map[lane]*sweep.Searcher
}

// lane names a searcher that stays open during the run.
type lane struct {
	base    bool
	threads int // of the driver
	copy    int // number of the copy of the baseline, in a side step
}

// samples are the measurements of one position.
type samples struct {
	work   int64
	base   []record
	driver [][]record // by index in Config.Threads; nil for the baseline itself
	side   [][]record // by index in Config.Threads; nil for one thread
}

// position does all steps of one position.
func (r *runner) position(ctx context.Context, i int) (samples, error) {
	threads := r.config.Threads
	s := samples{driver: make([][]record, len(threads)), side: make([][]record, len(threads))}
	var err error
	if s.work, err = r.findWork(ctx, i); err != nil {
		return s, err
	}
	for repeat := 1; repeat <= r.config.Repeat; repeat++ {
		at := step{Kind: kindBase, Position: i + 1, Repeat: repeat, Threads: 1, Work: s.work}
		if err := r.keep(ctx, at, &s.base); err != nil {
			return s, err
		}
		for k, n := range threads {
			at.Threads = n
			if at.Kind = kindDriver; n > 1 || !r.config.Driver.Own {
				if err := r.keep(ctx, at, &s.driver[k]); err != nil {
					return s, err
				}
			}
			if at.Kind = kindSide; n > 1 {
				if err := r.keep(ctx, at, &s.side[k]); err != nil {
					return s, err
				}
			}
		}
	}
	return s, nil
}

// keep does a step and appends its record.
func (r *runner) keep(ctx context.Context, at step, to *[]record) error {
	rec, err := r.do(ctx, at)
	if err != nil {
		return fmt.Errorf("repeat %d, %s with %d: %w", at.Repeat, at.Kind, at.Threads, err)
	}
	*to = append(*to, rec)
	return nil
}

// findWork is the most work that the baseline finishes within the limit, tried from the least up. Where a search ends
// before its work is done, at a mate or a tree that is searched to its end, more work would repeat the same search.
func (r *runner) findWork(ctx context.Context, i int) (int64, error) {
	if r.config.Work > 0 {
		return r.config.Work, nil
	}
	unit, found := r.config.Driver.Unit, int64(0)
	for work := int64(1); work > 0; work = unit.next(work) {
		rec, err := r.do(ctx, step{Kind: kindTrial, Position: i + 1, Threads: 1, Work: work})
		if err != nil {
			return 0, fmt.Errorf("trial of %s %d: %w", unit, work, err)
		}
		if !rec.Finished {
			break
		}
		found = work
		if rec.Reached < work {
			break
		}
	}
	if found == 0 {
		return 0, fmt.Errorf("baseline that does not finish %s 1 within %v: more time is needed", unit, r.config.Limit)
	}
	return found, nil
}

// do is the record of a step, from the journal or from a search that it does now.
func (r *runner) do(ctx context.Context, at step) (record, error) {
	return r.journal.Do(at, func() (record, error) {
		if err := ctx.Err(); err != nil {
			return record{}, err
		}
		rec, err := r.measure(ctx, at)
		rec.step = at
		return rec, err
	})
}

// measure does the search, or searches, of a step.
func (r *runner) measure(ctx context.Context, at step) (record, error) {
	pos := &r.config.Positions[at.Position-1]
	switch at.Kind {
	case kindSide:
		return r.sideBySide(ctx, pos, at)
	case kindTrial:
		return r.trial(ctx, pos, at.Work)
	}
	s, err := r.searcher(ctx, lane{base: at.Kind == kindBase, threads: at.Threads}, pos, at.Work)
	if err != nil {
		return record{}, err
	}
	return r.search(ctx, s, pos, at.Work)
}

// trial searches with the baseline, at most until the limit.
func (r *runner) trial(ctx context.Context, pos *Position, work int64) (record, error) {
	s, err := r.searcher(ctx, lane{base: true, threads: 1}, pos, work)
	if err != nil {
		return record{}, err
	}
	limited, cancel := context.WithTimeout(ctx, r.config.Limit)
	defer cancel()
	rec, err := r.search(limited, s, pos, work)
	if ctx.Err() != nil {
		return rec, ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, watchdog.ErrHang) {
		rec.Finished, err = false, nil
	}
	rec.Finished = rec.Finished && rec.Seconds <= r.config.Limit.Seconds()
	return rec, err
}

// search times one search from cleared tables. Where it was cancelled, the error stands beside the record of what was
// done.
func (r *runner) search(ctx context.Context, s *sweep.Searcher, pos *Position, work int64) (record, error) {
	if err := s.NewGame(ctx); err != nil {
		return record{}, err
	}
	unit := r.config.Driver.Unit
	g := board.NewGame(pos.Board)
	start := r.config.Now()
	res, err := s.Search(ctx, g, unit.limits(work), func(search.Info) {})
	took := r.config.Now().Sub(start)
	rec := record{
		Nodes: max(0, res.Info.Nodes), Seconds: max(0, took.Seconds()), Reached: unit.reached(&res.Info),
		Finished: err == nil, Best: pos.Board.UCI(res.Best, false),
	}
	if m, ok := search.As[Messenger](s); ok {
		rec.Messages, rec.Cost = max(0, m.Messages()), max(0, m.MessageCost().Seconds())
		rec.Idle, rec.Path = max(0, m.Idle().Seconds()), max(0, m.Path())
	}
	return rec, err
}

// sideBySide times searches of the baseline that run at the same time, one for each thread of the step, from their
// common start to the end of the last. The searchers share nothing. Nodes is the sum, and the move is that of the
// first.
func (r *runner) sideBySide(ctx context.Context, pos *Position, at step) (record, error) {
	team := make([]*sweep.Searcher, at.Threads)
	for i := range team {
		s, err := r.searcher(ctx, lane{base: true, threads: 1, copy: i}, pos, at.Work)
		if err == nil {
			err = s.NewGame(ctx)
		}
		if err != nil {
			return record{}, err
		}
		team[i] = s
	}
	var done sync.WaitGroup
	begin := make(chan struct{})
	results, failures := make([]search.Result, len(team)), make([]error, len(team))
	for i, s := range team {
		g := board.NewGame(pos.Board)
		done.Go(func() {
			<-begin
			results[i], failures[i] = s.Search(ctx, g, r.config.Driver.Unit.limits(at.Work), func(search.Info) {})
		})
	}
	start := r.config.Now()
	close(begin)
	done.Wait()
	took := r.config.Now().Sub(start)
	if err := errors.Join(append(failures, ctx.Err())...); err != nil {
		return record{}, err
	}
	rec := record{Seconds: max(0, took.Seconds()), Finished: true, Best: pos.Board.UCI(results[0].Best, false),
		Reached: r.config.Driver.Unit.reached(&results[0].Info)}
	for i := range results {
		rec.Nodes += max(0, results[i].Info.Nodes)
	}
	return rec, nil
}

// searcher is the searcher of a lane. At its first use it searches once untimed, so that no record includes the cost of
// touching memory for the first time.
func (r *runner) searcher(ctx context.Context, l lane, pos *Position, work int64) (*sweep.Searcher, error) {
	if s := r.lanes[l]; s != nil {
		return s, nil
	}
	s := &sweep.Searcher{Open: r.config.Driver.Baseline}
	if !l.base {
		s.Open = func() (search.Searcher, error) { return r.config.Driver.Open(l.threads) }
	}
	if err := s.NewGame(ctx); err != nil {
		return nil, fmt.Errorf("opening %s with %d threads: %w", r.config.Driver.Name, l.threads, err)
	}
	r.lanes[l] = s
	_, err := r.search(ctx, s, pos, work)
	return s, err
}

func (r *runner) close() error {
	var errs []error
	for l, s := range r.lanes {
		if err := s.Close(); err != nil {
			errs = append(errs, fmt.Errorf("closing %s with %d threads: %w", r.config.Driver.Name, l.threads, err))
		}
	}
	return errors.Join(errs...)
}

// progress is the result of one position as a line of text.
func (s *samples) progress(c *Config, i int) string {
	text := fmt.Sprintf("position %d of %d, %s: %s %d, %v", i+1, len(c.Positions), c.Positions[i].ID, c.Driver.Unit, s.work,
		time.Duration(1e9*median(seconds(s.base))).Round(time.Microsecond))
	for k, n := range c.Threads {
		if s.driver[k] != nil {
			text += fmt.Sprintf("; %d threads %.2f", n, ratio(median(seconds(s.base)), median(seconds(s.driver[k])),
				leastSeconds))
		}
	}
	return text
}
