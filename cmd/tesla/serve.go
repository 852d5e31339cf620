package main

import (
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tesla/batcher"
	"tesla/batcher/onnx"
	"tesla/batcher/remote"
	"tesla/engine"
	"tesla/models"
	"tesla/uci/option"
)

type serveOptions struct {
	set            engine.Settings
	serve          remote.ServerOptions
	listen, export string
}

func serveCommand() *cobra.Command {
	return command(&cobra.Command{Use: "serve", Short: "evaluate for engines on other machines", Long: remote.Help, Example: remote.Example}, &serveOptions{set: defaultSettings()})
}

func (o *serveOptions) AddFlags(f *pflag.FlagSet) {
	settingsFlags(f, &o.set, "weights", "threads")
	f.Var(option.Choice{To: &o.set.Backend, Of: append([]string{"auto"}, onnx.Names...)}, "backend", "what evaluates: "+strings.Join(onnx.Names, ", ")+"; auto means cpu")
	o.serve.AddFlags(f)
	f.StringVar(&o.listen, "listen", "127.0.0.1:8001", "address to listen on")
	f.StringVar(&o.export, "export", "", "do not serve: write a model repository for NVIDIA Triton into this folder")
}

func (o *serveOptions) Validate([]string) error {
	if o.set.Backend == "auto" {
		o.set.Backend = "cpu"
	}
	return errors.Join(o.set.Validate(), o.serve.Validate())
}

func (o *serveOptions) Run(c *cobra.Command) (err error) {
	if o.export != "" {
		weights, err := models.OpenEUT(o.set.WeightsFile)
		if err != nil {
			return err
		}
		return remote.Export(o.export, o.serve.Model, weights)
	}
	b, weights, err := openBackend(c, o.set, batcher.Options{Sums: true})
	if err != nil {
		return err
	}
	defer func() { err = remote.CloseServed(b, err) }()
	o.serve.Version = engine.Commit()
	server, err := remote.NewServer(b, weights.EUT, o.serve)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	tellNotes(c, o.serve.Warnings(listener.Addr()))
	ctx, stop := interruptible(c)
	defer stop()
	fmt.Fprintf(c.OutOrStdout(), "%s: %v\n", listener.Addr(), server)
	return server.Serve(ctx, listener)
}
