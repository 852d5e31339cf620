package engine

import (
	"tesla/batcher"
	"tesla/models"
	"tesla/nnue"
	"tesla/uci"
)

// OpenBackend opens the backend of the settings alone.
func OpenBackend(set uci.Settings, opts batcher.Options) (batcher.Backend, models.Net, []string, error) {
	return openBackend(source{name: set.Backend, weights: set.WeightsFile, server: set.Server, threads: opts.Threads,
		batch: opts.MaxBatch, sums: opts.Sums})
}

// NNUEOf is nnueOf, for cmd/tesla.
func NNUEOf(net models.Net) (*nnue.Net, error) { return nnueOf(net) }

// Room is room, for cmd/tesla.
func Room(batch int) int { return room(batch) }
