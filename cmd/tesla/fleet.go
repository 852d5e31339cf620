package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tesla/engine"
	"tesla/internal/bus"
	"tesla/lab/fleet"
	"tesla/nnue"
	"tesla/search/treemachine"
)

// Commands run side by side in tests, so this is set before any of them.
func init() { treemachine.NodeArguments = []string{"fleet", "node"} }

func fleetCommand() *cobra.Command {
	c := &cobra.Command{Use: "fleet", Short: "play matches, and games for training, on many machines", Args: checkArguments, RunE: needCommand,
		Long: "One machine serves, others work, and tesla match or tesla datagen with --fleet HOST:PORT has its games played by them.",
		Example: "  tesla fleet serve --listen 127.0.0.1:4222\n  tesla fleet work 127.0.0.1:4222 --slots 2\n" +
			"  tesla match --a search=bestfirst --b search=puct --evals 400 --games 400 --journal match.jsonl --fleet 127.0.0.1:4222"}
	c.AddCommand(command(&cobra.Command{Use: "serve", Short: "serve the work of a fleet"}, &fleetServeOptions{}),
		command(&cobra.Command{Use: "work HOST:PORT", Short: "play games for the runs of a fleet", Example: "  tesla fleet work 127.0.0.1:4222 --slots 2"}, &fleetWorkOptions{}),
		command(&cobra.Command{Use: "node [HOST:PORT]", Short: "start the processes that tree machines have on this host",
			Long: "Starts processes for the searches with Search=treemachine whose file of hosts names this host."}, &fleetNodeOptions{}),
		command(&cobra.Command{Use: "status HOST:PORT", Short: "say who works, and how the runs are", Example: "  tesla fleet status 127.0.0.1:4222"}, &fleetStatusOptions{}))
	return c
}

type fleetServeOptions struct {
	serve bus.ServerOptions
	nats  string
	ca    string
}

func (o *fleetServeOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.serve.Listen, "listen", "127.0.0.1:4222", "address to listen on; beyond this machine a token and TLS are needed")
	f.StringVar(&o.serve.Token, "token", "", "token that workers and matches must bring")
	f.StringVar(&o.serve.Cert, "tls-cert", "", "PEM file of a certificate, to encrypt connections with")
	f.StringVar(&o.serve.Key, "tls-key", "", "PEM file of its private key")
	f.StringVar(&o.nats, "nats", "", "do not serve: prepare this NATS cluster, which then serves; URLs, separated by commas")
	f.StringVar(&o.ca, "ca", "", "with --nats: PEM file of the certificates that are trusted")
}

func (o *fleetServeOptions) Validate([]string) error {
	if o.nats != "" {
		return o.cluster().Validate()
	}
	o.serve.Streams = true
	return o.serve.Validate()
}

func (o *fleetServeOptions) cluster() *bus.Address {
	return &bus.Address{Server: o.nats, Token: o.serve.Token, CA: o.ca}
}

func (o *fleetServeOptions) Run(c *cobra.Command) error {
	if o.nats != "" {
		return fleet.Prepare(c.Context(), *o.cluster())
	}
	s, err := bus.Serve(o.serve)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.OutOrStdout(), "%s: the fleet is served\n", s.Address())
	defer s.Close()
	return s.Wait(c.Context())
}

func fleetFlags(f *pflag.FlagSet, at *bus.Address) {
	f.StringVar(&at.Token, "token", "", "token of the fleet's server")
	f.StringVar(&at.CA, "ca", "", "PEM file of the certificates that are trusted, for a server with TLS")
}

// hostFlags adds the flags of a run whose games a fleet plays.
func hostFlags(f *pflag.FlagSet, h *fleet.Host) {
	f.StringVar(&h.Address.Server, "fleet", "", "have the games played by the workers of this fleet, HOST:PORT")
	fleetFlags(f, &h.Address)
	numberFlag(f, &h.Weight, "weight", 1, "share of the fleet among its runs (default 1)")
}

type fleetWorkOptions struct{ worker fleet.Worker }

func (o *fleetWorkOptions) AddFlags(f *pflag.FlagSet) {
	fleetFlags(f, &o.worker.Address)
	numberFlag(f, &o.worker.Slots, "slots", 1, "games at a time (default 1)")
	f.StringVar(&o.worker.Name, "name", "", "name of this worker (default: of the machine, with the number of the process)")
	f.StringVar(&o.worker.Dir, "dir", "", "folder for nets that are fetched (default: in the user's caches)")
}

func (o *fleetWorkOptions) Validate(args []string) (err error) {
	w := &o.worker
	w.Address.Server, w.Slots = args[0], max(w.Slots, 1)
	w.Commit, w.Prove = engine.Commit(), fleet.Bench
	w.InProcess = inProcess
	w.Kernel, err = nnue.Kernel()
	return errors.Join(err, w.Address.Validate())
}

func (o *fleetWorkOptions) Run(c *cobra.Command) error {
	o.worker.Out = c.OutOrStdout()
	err := o.worker.Run(c.Context())
	if errors.Is(err, context.Canceled) {
		return nil // it was told to end
	}
	return err
}

type fleetNodeOptions struct {
	at           bus.Address
	host, engine string
}

func (o *fleetNodeOptions) AddFlags(f *pflag.FlagSet) {
	fleetFlags(f, &o.at)
	f.StringVar(&o.host, "host", "", "name of this host in the files of hosts")
	f.StringVar(&o.engine, "engine", "", "UCI engine that nodes here may search with, as the files of hosts name it")
}

func (o *fleetNodeOptions) Validate(args []string) error {
	if len(args) == 0 {
		return nil // this process is a node
	}
	o.at.Server = args[0]
	return o.at.Validate()
}

func (o *fleetNodeOptions) Run(c *cobra.Command) error {
	if o.at.Server == "" {
		return treemachine.RunNode(c.Context(), engine.Commit())
	}
	ready := func() { fmt.Fprintf(c.OutOrStdout(), "%s: nodes are started here\n", o.host) }
	return treemachine.ServeHost(c.Context(), o.at, o.host, o.engine, ready)
}

type fleetStatusOptions struct {
	at   bus.Address
	json bool
}

func (o *fleetStatusOptions) AddFlags(f *pflag.FlagSet) {
	fleetFlags(f, &o.at)
	jsonFlag(f, &o.json)
}

func (o *fleetStatusOptions) Validate(args []string) error {
	o.at.Server = args[0]
	return o.at.Validate()
}

func (o *fleetStatusOptions) Run(c *cobra.Command) error {
	s, err := fleet.Look(c.Context(), o.at)
	if err != nil {
		return err
	}
	return printResult(c, s, o.json)
}
