package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"tesla/batcher"
	"tesla/board"
	"tesla/lab/speedup"
	"tesla/models"
	"tesla/search"
	"tesla/tt128"
	"tesla/uci"
)

// searchPair sets the evaluations of a search beside those of the net alone, in batches of the same size.
type searchPair struct {
	EPS    float64 `json:"eps"` // net evaluations a second, those of quiet positions included
	RawEPS float64 `json:"raw_eps"`
	Batch  float64 `json:"batch"`     // mean
	Idle   float64 `json:"idle"`      // share of the search in which the net did not run
	Used   float64 `json:"promoting"` // share of the evaluations' time that the search used
}

type searchResult struct {
	Search string       `json:"search"`
	Pairs  []searchPair `json:"pairs"`
	Ratio  float64      `json:"ratio"` // of a search's rate to the raw one, median
}

// evaluating is a search that evaluates in batches.
type evaluating interface {
	search.Searcher
	Evaluation() batcher.Stats
}

// measureSearch searches positions for so long each, and has the net run alone for as long after each.
func measureSearch(ctx context.Context, b batcher.Backend, net models.Net, set uci.Settings, pairs int, each time.Duration) (r searchResult, err error) {
	r.Search = set.Search
	positions, err := speedup.ParsePositions(speedup.BratkoKopec)
	if err != nil {
		return r, err
	}
	table, err := tt128.New(set.Hash)
	if err != nil {
		return r, err
	}
	defer table.Close()
	set.LeafDepth, set.SearchOptions = 0, "" // leaves that are searched leave the net idle
	s, err := (&engine{table: table, net: net}).makeSearcher(b, set)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	e, ok := s.(evaluating)
	if !ok {
		return r, usage("backendbench: --search %s does not evaluate in batches", set.Search)
	}
	var ratios []float64
	for i := range pairs {
		p, err := measurePair(ctx, b, e, &positions[i%len(positions)].Board, each)
		if err != nil {
			return r, err
		}
		r.Pairs = append(r.Pairs, p)
		ratios = append(ratios, p.EPS/p.RawEPS)
	}
	slices.Sort(ratios)
	r.Ratio = ratios[len(ratios)/2]
	return r, nil
}

func measurePair(ctx context.Context, b batcher.Backend, e evaluating, pos *board.Position, each time.Duration) (p searchPair, err error) {
	e.NewGame()
	was := e.Evaluation()
	_, err = e.Search(ctx, board.NewGame(*pos), search.Limits{MoveTime: each, MultiPV: 1}, func(search.Info) {})
	s := e.Evaluation().Since(was)
	if err := errors.Join(ctx.Err(), err); err != nil {
		return p, err
	}
	p.Batch = float64(s.Items) / float64(max(1, s.Batches))
	p.EPS = float64(s.Items) / s.Elapsed.Seconds()
	p.Idle, p.Used = s.NetIdle(), s.Used()
	p.RawEPS, err = batcher.RawRate(b, max(1, int(p.Batch)), each)
	return p, err
}
