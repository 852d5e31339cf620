package bestfirst

import (
	"context"
	"io"
	"os"
	"testing"
	"time"

	"tesla/batcher"
	"tesla/search"
	"tesla/tablebase"
	"tesla/tablebase/tablefile"
	"tesla/tablebase/tabletest"
)

// tableSuite tests what a search does near endgame tables. It makes the tables once.
func tableSuite(t *testing.T, open opener) {
	dir := tabletest.Folder(t)
	for name, test := range map[string]func(*testing.T, opener, string){"Values": tableValues, "Repeats": tablesRepeat,
		"SlowDisk": slowDisk, "RealTables": realTables, "StopWithProbes": stopWithProbes} {
		t.Run(name, func(t *testing.T) { test(t, open, dir) })
	}
}

// nearTables is a position of four pieces, drawn, in whose lines pawns are taken.
const nearTables = "8/8/3p4/3k4/8/2P5/3K4/8 w - - 0 1"

// Captures lead to positions that the tables know, and the values are theirs.
func tableValues(t *testing.T, open opener, dir string) {
	for fen, want := range map[string][2]int{ // the least and the most score
		"8/8/8/3k4/8/1n6/1R6/1K6 w - - 0 1": {search.TableScore - 10000 - 5, search.TableScore - 10000}, // wins a knight
	} {
		for _, mode := range []tablebase.Mode{tablebase.Hard, tablebase.Off} {
			s := open(t, newMock(t), setup{Tables: tabletest.Open(t, dir, mode)})
			r := find(t, s, gameOf(t, fen), search.Limits{Evals: 400})
			s.Check(t)
			score := r.Info.Score
			if known := score.Mate == 0 && score.CP >= want[0] && score.CP <= want[1]; !known && mode == tablebase.Hard {
				t.Errorf("%s: %+v, want %v", fen, score, want)
			} else if score.IsTable() && mode == tablebase.Off {
				t.Errorf("%s: %+v without the tables", fen, score)
			}
			if (r.Info.TBHits > 0) != (mode == tablebase.Hard) && want[0] > 0 {
				t.Errorf("%s: %d hits", fen, r.Info.TBHits)
			}
		}
	}
}

// A search without a clock gives the same result with an empty cache of tables and with a full one.
func tablesRepeat(t *testing.T, open opener, dir string) {
	b := tabletest.Open(t, dir, tablebase.Hard)
	var first search.Result
	for i := range 2 {
		r := find(t, open(t, newMock(t), setup{Tables: b}), gameOf(t, nearTables), search.Limits{Evals: 500})
		if r.Info.Time = 0; i == 0 {
			first = r
		} else if r.Best != first.Best || r.Info.Score != first.Info.Score || r.Info.Evals != first.Info.Evals || r.Info.Depth != first.Info.Depth {
			t.Errorf("%+v, then %+v", first, r)
		}
	}
}

// slowReader is a disk whose reads take a while.
type slowReader struct {
	io.ReaderAt
	each time.Duration
}

func (s slowReader) ReadAt(b []byte, at int64) (int, error) {
	time.Sleep(s.each)
	return s.ReaderAt.ReadAt(b, at)
}

func withSlowDisk(t testing.TB, each time.Duration) {
	tablefile.ReadThrough(func(r io.ReaderAt) io.ReaderAt { return slowReader{r, each} })
	t.Cleanup(func() { tablefile.ReadThrough(nil) })
}

// steady is a backend that takes a millisecond for each batch, on whatever machine.
type steady struct{ batcher.Backend }

func (b steady) Evaluate(items []*batcher.Item) error {
	time.Sleep(time.Millisecond)
	return b.Backend.Evaluate(items)
}

// A slow disk does not keep a search from its other leaves, as it does one that waits.
func slowDisk(t *testing.T, open opener, dir string) {
	const long, each = 400 * time.Millisecond, 60 * time.Millisecond
	paths := tablebase.Paths{Syzygy: dir}
	memory := evalsASecond(t, open, paths, tablebase.Soft, 0, nearTables, long)
	asynchronous := evalsASecond(t, open, paths, tablebase.Soft, each, nearTables, long)
	blocking := evalsASecond(t, open, paths, tablebase.Hard, each, nearTables, long)
	t.Logf("evaluations a second: %.0f from memory, %.0f from a slow disk, %.0f waiting for it", memory, asynchronous, blocking)
	if asynchronous < 1.3*blocking {
		t.Errorf("%.0f evaluations a second, %.0f by a search that waits", asynchronous, blocking)
	}
}

// evalsASecond is the rate of a search for some time in a position, with reads that take a while.
func evalsASecond(t *testing.T, open opener, paths tablebase.Paths, mode tablebase.Mode, each time.Duration, fen string, long time.Duration) float64 {
	tablefile.ReadThrough(nil)
	if each > 0 {
		withSlowDisk(t, each)
	}
	s := open(t, steady{newMock(t)}, setup{Tables: tabletest.OpenBoth(t, paths, mode), BatchSize: 8})
	r := find(t, s, gameOf(t, fen), search.Limits{MoveTime: long})
	s.Check(t)
	return float64(r.Info.Evals) / r.Info.Time.Seconds()
}

// realTables measures, for a folder of tables of each format that an environment variable names, what reads of 5 ms cost a
// search near tables of four pieces.
func realTables(t *testing.T, open opener, _ string) {
	const each = 5 * time.Millisecond
	for name, paths := range map[string]tablebase.Paths{
		"TESLA_SYZYGY":  {Syzygy: os.Getenv("TESLA_SYZYGY")},
		"TESLA_GAVIOTA": {Gaviota: os.Getenv("TESLA_GAVIOTA")},
	} {
		t.Run(name, func(t *testing.T) {
			if paths == (tablebase.Paths{}) {
				t.Skip(name + " names no folder of tables")
			}
			for _, fen := range []string{"8/8/3p4/3k4/1r6/2P5/3K4/5R2 w - - 0 1", "8/2p5/3p4/3k4/8/2P2P2/3K4/8 w - - 0 1"} {
				for _, long := range []time.Duration{time.Second, 5 * time.Second} {
					rate := func(mode tablebase.Mode, each time.Duration) float64 {
						return evalsASecond(t, open, paths, mode, each, fen, long)
					}
					t.Logf("%s, %v: evaluations a second: %.0f from memory, %.0f from a slow disk, %.0f waiting for it, %.0f without tables",
						fen, long, rate(tablebase.Soft, 0), rate(tablebase.Soft, each), rate(tablebase.Hard, each), rate(tablebase.Off, 0))
				}
			}
		})
	}
}

// A search ends by its clock or by a stop though leaves wait for the tables, all of them in the end, and a further
// search can be made.
func stopWithProbes(t *testing.T, open opener, dir string) {
	withSlowDisk(t, 100*time.Millisecond)
	for name, limits := range map[string]search.Limits{"clock": {MoveTime: 40 * time.Millisecond}, "stop": {Infinite: true}} {
		b := tabletest.Open(t, dir, tablebase.Soft)
		s, g := open(t, newMock(t), setup{Tables: b}), gameOf(t, "8/8/8/8/8/1nk5/8/1R1K4 w - - 0 1")
		for range 2 {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			if limits.Infinite {
				time.AfterFunc(40*time.Millisecond, cancel)
			}
			if r, err := s.Search(ctx, g, limits, nil); err != nil || !g.Pos.IsLegal(r.Best) || ctx.Err() == context.DeadlineExceeded {
				t.Errorf("%s: move %v, %v, error %v", name, r.Best, ctx.Err(), err)
			}
			cancel()
			s.Check(t)
		}
	}
}
