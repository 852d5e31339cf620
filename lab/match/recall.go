package match

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"time"

	"tesla/lab/match/player"
	"tesla/lab/match/stats"
)

// Recall sets what determines the match of a journal: players, conditions, openings, adjudication and test. Resuming then
// compares it with the journal, as it does with any configuration.
func (c *Config) Recall(path string) error {
	h, err := headerOf(path)
	if err != nil {
		return fmt.Errorf("--journal: %w", err)
	}
	if h.Tables != "" {
		return fmt.Errorf("--resume: the match of %s has --syzygy: give the whole command", path)
	}
	c.Players = nil
	for i := range h.Players {
		p := h.Players[i].Player
		p.Name = h.Players[i].Name
		if p.Condition, err = player.ParseCondition(h.Players[i].Condition); err != nil {
			return fmt.Errorf("%s: player %s: %w", path, p.Name, err)
		}
		c.Players = append(c.Players, p)
	}
	c.Format, c.Games, c.Ponder, c.Adjudication.MaxMoves = h.Format, h.Games, h.Ponder, h.MaxMoves
	c.Openings = Openings{File: h.Openings, Order: h.Order, Seed: h.Seed, Plies: h.Plies, Chess960: h.Chess960}
	var errs []error
	read := func(text string, set func() error) {
		if text != "" {
			errs = append(errs, set())
		}
	}
	read(h.Resign, func() (err error) { c.Adjudication.Resign, err = ParseResign(h.Resign); return err })
	read(h.Draw, func() (err error) { c.Adjudication.Draw, err = ParseDraw(h.Draw); return err })
	read(h.SPRT, func() (err error) { c.SPRT, err = stats.ParseSPRT(h.SPRT); return err })
	for _, d := range []struct {
		text string
		to   *time.Duration
	}{{h.Margin, &c.Patience.Margin}, {h.Hang, &c.Patience.Hang}, {h.Grace, &c.Patience.Grace}, {h.Overhead, &c.Patience.Overhead}} {
		read(d.text, func() (err error) { *d.to, err = time.ParseDuration(d.text); return err })
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// headerOf reads the first line of a journal.
func headerOf(path string) (*header, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	const most = 1 << 20
	line, err := bufio.NewReaderSize(f, most).ReadSlice('\n')
	if err != nil {
		return nil, fmt.Errorf("%s: no whole first line of a journal", path)
	}
	h, err := readHeader(line)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return h, nil
}
