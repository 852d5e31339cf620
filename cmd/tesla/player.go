package main

import (
	"cmp"
	"fmt"
	"strconv"

	"tesla/batcher"
	"tesla/engine"
	"tesla/lab/match/player"
	"tesla/search"
)

// inProcess makes and describes players in process.
var inProcess = player.InProcess{Searcher: openPlayer, Net: netOf, OnDevice: onDevice}

// settingsOf are the settings of a player in process. Its keys and its options set them by the one list of options, as
// flags and setoption do.
func settingsOf(p player.Player) (engine.Settings, error) {
	set := engine.Default()
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	keys := []player.Option{{Name: "search", Value: p.Search}, {Name: "backend", Value: p.Backend}, {Name: "weights", Value: p.Weights},
		{Name: "threads", Value: number(p.Threads)}, {Name: "hash", Value: number(p.Hash)}}
	for _, key := range keys {
		if key.Value == "" {
			continue
		}
		if err := set.Set(key.Name, key.Value); err != nil {
			return set, err
		}
	}
	for _, o := range p.Options {
		if err := set.Set(o.Name, o.Value); err != nil {
			return set, err
		}
	}
	return set, set.Validate()
}

// checkPlayers reports the players in process whose settings are wrong.
func checkPlayers(players ...player.Player) error {
	for i, p := range players {
		if p.Cmd != "" {
			continue
		}
		if _, err := settingsOf(p); err != nil {
			return fmt.Errorf("player %s: %w", cmp.Or(p.Name, strconv.Itoa(i+1)), err)
		}
	}
	return nil
}

// openPlayer makes the searcher of a player in process.
func openPlayer(p player.Player) (search.Searcher, error) {
	set, err := settingsOf(p)
	if err != nil {
		return nil, err
	}
	s, _, err := engine.Open(set)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// onDevice reports whether a player in process computes on the accelerator.
func onDevice(p player.Player) bool {
	set, err := settingsOf(p)
	return err == nil && engine.OnDevice(set)
}

// netOf is the hash of the net that a player in process evaluates with.
func netOf(p player.Player) (string, error) {
	set, err := settingsOf(p)
	if err != nil {
		return "", err
	}
	b, _, _, err := engine.OpenBackend(set, batcher.Options{})
	if err != nil {
		return "", err
	}
	return b.Info().Model, b.Close()
}
