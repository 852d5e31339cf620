package match

import (
	"fmt"
	"slices"
	"time"

	"tesla/lab/journal"
	"tesla/lab/match/player"
)

// Order is all that another process needs to know to play games of a match. It implements work.Order.
type Order struct {
	Plan
	Conditions []player.Condition `json:"conditions"` // of each player
	Identities []string           `json:"identities"` // of each player
	Devices    int                `json:"devices"`
}

func (m *matchRun) newOrder() (Order, error) {
	c := m.config
	o := Order{Plan: c.Plan, Devices: c.Machine.Devices}
	o.Adjudication.tables = nil // whoever plays opens them
	for i := range c.Players {
		identity, err := m.identity(i)
		if err != nil {
			return o, fmt.Errorf("%s: %w", m.names[i], err)
		}
		o.Identities, o.Conditions = append(o.Identities, identity), append(o.Conditions, c.condition(&c.Players[i]))
	}
	return o, nil
}

// identity is the hash of a player's program, or of its net in process; empty: not known.
func (m *matchRun) identity(i int) (string, error) {
	if p := &m.config.Players[i]; p.Cmd != "" {
		return journal.ProgramHash(p.Cmd)
	}
	return m.nets[i], nil
}

// config is the configuration of the match, for a process that plays at most the given number of its games at a time.
func (o *Order) config(atATime int, in player.InProcess) Config {
	c := Default()
	c.Plan, c.InProcess = o.Plan, in
	c.Machine.Concurrency, c.Machine.Devices = atATime, o.Devices
	c.Players = slices.Clone(o.Players)
	for i := range c.Players {
		c.Players[i].Condition = o.Conditions[i]
	}
	return c
}

// check reports what the order lacks.
func (o *Order) check() error {
	if n := len(o.Players); n < 2 || len(o.Conditions) != n || len(o.Identities) != n {
		return fmt.Errorf("an order of %d players with %d conditions and %d identities", n, len(o.Conditions), len(o.Identities))
	}
	return nil
}

// Files implements work.Order: they are nets and openings.
func (o *Order) Files() (paths []*string) {
	for i := range o.Players {
		paths = append(paths, o.Players[i].Files()...)
	}
	if _, builtIn := books[o.Openings.File]; !builtIn {
		paths = append(paths, &o.Openings.File)
	}
	return paths
}

// clone is a copy whose Files can be changed.
func (o *Order) clone() *Order {
	c := *o
	c.Players = slices.Clone(o.Players)
	for i := range c.Players {
		c.Players[i].Options = slices.Clone(c.Players[i].Options)
	}
	return &c
}

// timed reports whether a player's time is limited, so that the speed of a machine matters.
func timed(c player.Condition) bool { return c.MoveTime > 0 || c.Clock != (player.Clock{}) }

// scaled is the condition on a machine where everything takes the given number of times as long.
func scaled(c player.Condition, factor float64) player.Condition {
	for _, d := range []*time.Duration{&c.Clock.Base, &c.Clock.Increment, &c.MoveTime} {
		*d = time.Duration(float64(*d) * factor)
	}
	return c
}
