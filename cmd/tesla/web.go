package main

import (
	"fmt"
	"net"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tesla/engine"
	"tesla/lab/web"
)

type webOptions struct {
	set             engine.Settings
	listen, matches string
	open            bool
}

func webCommand() *cobra.Command {
	return command(&cobra.Command{Use: "web", Short: "serve a page to watch analyses and matches, and to play",
		Long:    web.Help,
		Example: "  tesla web --open\n  tesla web --listen 0.0.0.0:8090 --matches results"}, &webOptions{set: treeSettings()})
}

func (o *webOptions) AddFlags(f *pflag.FlagSet) {
	settingsFlags(f, &o.set, "search", "search-options", "backend", "weights", "threads", "hash")
	f.StringVar(&o.listen, "listen", "127.0.0.1:8090", "address to listen on; port 0: a free one")
	f.StringVar(&o.matches, "matches", ".", "folder of match journals, or one journal, to show; empty: none")
	f.BoolVar(&o.open, "open", false, "open the page in the browser")
}

func (o *webOptions) Validate([]string) error {
	if _, _, err := net.SplitHostPort(o.listen); err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	return o.set.Validate()
}

func (o *webOptions) Run(c *cobra.Command) error {
	if c.Flags().Changed("matches") && o.matches != "" {
		if _, err := os.Stat(o.matches); err != nil {
			return fmt.Errorf("--matches: %w", err)
		}
	}
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	server, url, err := web.Start(listener.Addr(), o.set, o.matches)
	if err != nil {
		return err
	}
	fmt.Fprintln(c.OutOrStdout(), url)
	if o.open {
		tellNotes(c, web.Open(url))
	}
	return server.Serve(c.Context(), listener)
}
