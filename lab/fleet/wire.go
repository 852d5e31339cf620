// Package fleet plays the games of matches, and those of training data, on many machines.
//
// A host has a run, workers play its games, and a NATS server (package bus) stands between them. The unit of work is a pair
// of games, or a block of games for training. What a run is, and what its lines say, only its own package knows: lab/match or
// lab/datagen. Package lab/work is what they and the fleet have in common.
//
//	host                            server, in memory                worker
//	unit k  ──publish──▶  stream: units that nobody has  ──lease──▶  plays it; "in progress" each beat
//	file    ◀──request────────────── lines of unit k ──────────────  asks again until the host answers
//	synced  ──reply────────────────────────────────────────────────▶ acknowledges the unit, which leaves the stream
//
// # Invariants
//
// The file of the run, a journal or a file of games, is the record: a unit leaves the stream only after its games are in
// that file and synced. A unit that is in neither is published again at the next beat. So any process may be killed, and the
// server may forget all: games in progress are played again, and nothing else happens. A game whose number the file has is
// passed over, so none counts twice.
//
// The server keeps no file. Nets and other files of a run are with its host, which gives them to workers that ask: as long as
// the run lasts, and piece by piece.
//
// A worker plays for a run only after its host has admitted it: with the same commit, the same bench signature on each core,
// the same nets and programs. The host checks that the moves of each game are legal and that the rules give the game its
// result. It watches the worker's clock, and compares its results in a match with those of the others.
//
// All that says who is there expires by itself: runs, their progress, and workers are entries of a bucket that are written
// again each beat.
package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tesla/lab/datagen"
	"tesla/lab/match"
	"tesla/lab/work"
)

// Names on the server.
const (
	streamName = "tesla-work"
	unitsOf    = "tesla.work." // run and unit follow
	runsOf     = "tesla.run."  // run and what is asked follow
	bucketName = "tesla-beats"
	runKey     = "run."
	stateKey   = "state."
	workerKey  = "worker."
)

// Beat is the time between two signs of life, of a process or of a unit in progress.
const Beat = 30 * time.Second

// In units of a beat.
const (
	leaseBeats = 4  // a unit without a sign of life goes to another worker: 120 s
	goneBeats  = 12 // a process without one is forgotten: 360 s, as fishtest has it
)

const (
	askTime   = 5 * time.Second     // for the server to answer
	unitsLife = 30 * 24 * time.Hour // of a unit whose host never came back
)

// hello is what a worker says of itself when it asks to be admitted to a run, and in each beat.
type hello struct {
	Worker   string        `json:"worker"`
	Commit   string        `json:"commit"`
	Proof    Proof         `json:"proof"`
	Clock    time.Duration `json:"clock_ns"` // since the worker began, by its own clock
	Problem  string        `json:"problem"`  // why it cannot play the run's games; empty: it can
	Identity string        `json:"identity"` // drawn when the worker began, so that two of one name are told apart
}

// result are the games of a unit.
type result struct {
	Worker   string            `json:"worker"`
	Identity string            `json:"identity"`
	Clock    time.Duration     `json:"clock_ns"`
	Lines    []json.RawMessage `json:"lines"` // see work.Run
}

// receipt is the host's answer to a hello, or to a result.
type receipt struct {
	Join    bool    `json:"join"`    // the worker has to be admitted first: the host was started again
	Refused string  `json:"refused"` // why; empty: it is admitted, or the result is in the file of the run
	Factor  float64 `json:"factor"`  // by which an admitted worker multiplies clocks
}

// offer is a run as its host offers it.
type offer struct {
	Kind   string          `json:"kind"`
	Commit string          `json:"commit"` // of the host's program
	Weight int             `json:"weight"`
	Order  json.RawMessage `json:"order"`
}

func (o *offer) read() (order work.Order, err error) {
	switch o.Kind {
	case work.Match:
		order = &match.Order{}
	case work.Data:
		order = &datagen.Order{}
	default:
		return nil, fmt.Errorf("unknown kind of run %q", o.Kind)
	}
	return order, json.Unmarshal(o.Order, order)
}

// store is the server's side of a fleet.
type store struct {
	conn  *nats.Conn
	js    jetstream.JetStream
	beat  time.Duration
	units jetstream.Stream
	beats jetstream.KeyValue
}

// openStore makes what is missing on the server, and opens it.
func openStore(ctx context.Context, conn *nats.Conn, beat time.Duration) (*store, error) {
	s := &store{conn: conn, beat: beat}
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, err
	}
	s.js = js
	return s, s.ensure(ctx)
}

// ensure makes what is missing on the server: it may have been started again.
func (s *store) ensure(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	units, err := s.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: streamName, Subjects: []string{unitsOf + "*.*"},
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.MemoryStorage, MaxAge: unitsLife,
		MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true})
	var beats jetstream.KeyValue
	if err == nil {
		beats, err = s.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: bucketName, TTL: goneBeats * s.beat, Storage: jetstream.MemoryStorage})
	}
	if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
		err = errors.New("no JetStream in the server")
	}
	if err != nil {
		return fmt.Errorf("fleet: preparing the server: %w", err)
	}
	s.units, s.beats = units, beats
	return nil
}

// put writes an entry of the bucket.
func (s *store) put(ctx context.Context, key string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	_, err = s.beats.Put(ctx, key, text)
	return err
}

// entries calls f with each entry whose key begins with the prefix, without the prefix.
func (s *store) entries(ctx context.Context, prefix string, f func(key string, text []byte) error) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	keys, err := s.beats.ListKeysFiltered(ctx, prefix+">")
	if err != nil {
		return err
	}
	defer func() { _ = keys.Stop() }() // it may have stopped
	for key := range keys.Keys() {
		entry, err := s.beats.Get(ctx, key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			continue // it has just expired
		}
		if err == nil {
			err = f(strings.TrimPrefix(key, prefix), entry.Value())
		}
		if err != nil {
			return fmt.Errorf("entry %s: %w", key, err)
		}
	}
	return ctx.Err()
}
