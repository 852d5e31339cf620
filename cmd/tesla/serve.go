package main

import (
	"errors"
	"fmt"
	"net"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tesla/batcher"
	"tesla/batcher/remote"
	"tesla/engine"
	"tesla/models"
)

type serveOptions struct {
	set                   engine.Settings
	listen, model, export string
}

func serveCommand() *cobra.Command {
	return command(&cobra.Command{Use: "serve", Short: "evaluate for engines on other machines",
		Long: "Evaluates by cuda, tensorrt or cpu (auto means cpu) for engines whose backend is remote, by the KServe v2 inference protocol\n" +
			"over gRPC. Nothing is encrypted: use it in networks that you trust. NVIDIA Triton with the graph of the same net serves as well.",
		Example: "  tesla serve --backend cuda --listen 0.0.0.0:8001\n  tesla serve --export repository"}, &serveOptions{set: defaultSettings()})
}

func (o *serveOptions) AddFlags(f *pflag.FlagSet) {
	settingsFlags(f, &o.set, "backend", "weights", "threads")
	f.StringVar(&o.listen, "listen", "127.0.0.1:8001", "address to listen on")
	f.StringVar(&o.model, "model", remote.DefaultModel, "name of the model")
	f.StringVar(&o.export, "export", "", "do not serve: write a model repository for NVIDIA Triton into this folder")
}

func (o *serveOptions) Validate([]string) error {
	if o.set.Backend == "auto" {
		o.set.Backend = "cpu"
	}
	return o.set.Validate()
}

func (o *serveOptions) Run(c *cobra.Command) (err error) {
	if o.export != "" {
		weights, err := models.OpenEUT(o.set.WeightsFile)
		if err != nil {
			return err
		}
		return remote.Export(o.export, o.model, weights)
	}
	b, _, notes, err := engine.OpenBackend(o.set, batcher.Options{Sums: true})
	tellNotes(c, notes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	backend, ok := b.(batcher.Inferer)
	if !ok {
		return usage("serve: backend %s computes no graph: want cuda, tensorrt or cpu", o.set.Backend)
	}
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	ctx, stop := interruptible(c)
	defer stop()
	info := b.Info()
	fmt.Fprintf(c.OutOrStdout(), "%s: model %s, net %s %s, backend %s\n", listener.Addr(), o.model, info.ModelName, info.Model, info.Name)
	return remote.Serve(ctx, listener, o.model, backend)
}
