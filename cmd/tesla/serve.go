package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"tesla/batcher"
	"tesla/batcher/remote"
	engines "tesla/engine"
	"tesla/models"
)

func serveCommand() *cobra.Command {
	c := &cobra.Command{Use: "serve", Short: "evaluate for engines on other machines", Args: cobra.NoArgs,
		Long: "Evaluates by cuda, tensorrt or cpu (auto is cpu) for engines whose backend is remote, by the KServe v2 inference protocol\n" +
			"over gRPC, without encryption: for networks that you trust. NVIDIA Triton with the graph of the same net does as well."}
	set := settingsFlags(c, "backend", "weights", "threads")
	listen := c.Flags().String("listen", "127.0.0.1:8001", "address to listen on")
	model := c.Flags().String("model", remote.DefaultModel, "name of the model")
	export := c.Flags().String("export", "", "serve nothing: write a model repository for NVIDIA Triton into this folder")
	c.RunE = func(c *cobra.Command, _ []string) (err error) {
		if set.Backend == "auto" {
			set.Backend = "cpu"
		}
		if err := checkSettings(set); err != nil {
			return err
		}
		if *export != "" {
			weights, err := models.OpenEUT(set.WeightsFile)
			if err != nil {
				return err
			}
			return remote.Export(*export, *model, weights)
		}
		b, _, notes, err := engines.OpenBackend(*set, batcher.Options{Threads: set.Threads, Sums: true})
		tellNotes(c, notes)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, b.Close()) }()
		backend, ok := b.(batcher.Inferer)
		if !ok {
			return usage("serve: backend %s computes no graph: want cuda, tensorrt or cpu", set.Backend)
		}
		listener, err := net.Listen("tcp", *listen)
		if err != nil {
			return err
		}
		ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		fmt.Fprintf(c.OutOrStdout(), "%s: model %s, net %s %s, backend %s\n", listener.Addr(), *model, b.Info().ModelName, b.Info().Model, b.Info().Name)
		return remote.Serve(ctx, listener, *model, backend)
	}
	return c
}
