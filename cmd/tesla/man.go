package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"tesla/engine"
	"tesla/internal/output"
)

// manCommand writes the manual pages that are in the archives of a release.
func manCommand() *cobra.Command {
	return &cobra.Command{Use: "man FOLDER", Short: "write a manual page of each command into a folder", Hidden: true,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := output.Folder(args[0]); err != nil {
				return fmt.Errorf("man: %w", err)
			}
			root := c.Root()
			root.DisableAutoGenTag = true // it is the day on which the page was made
			header := &doc.GenManHeader{Section: "1", Source: "Tesla " + engine.Version(), Manual: "Tesla"}
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return fmt.Errorf("man: %w", err)
			}
			return nil
		}}
}
