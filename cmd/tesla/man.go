package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"tesla/engine"
	"tesla/internal/output"
)

// manCommand writes the manual pages that are in the archives of a release.
func manCommand() *cobra.Command {
	return &cobra.Command{Use: "man FOLDER", Short: "write a manual page of each command into a folder", Hidden: true, Args: checkArguments, Example: "tesla man pages",
		RunE: func(c *cobra.Command, args []string) error {
			root := c.Root()
			root.DisableAutoGenTag = true // it is the day on which the page was made
			pages := pagesOf(root)
			var files []output.File
			for name := range pages {
				files = append(files, output.File{Name: name, Ours: isPage})
			}
			err := output.Folder(args[0], files...)
			for name, page := range pages {
				header := &doc.GenManHeader{Section: "1", Source: "Tesla " + engine.Version(), Manual: "Tesla"}
				if err == nil {
					err = output.Write(filepath.Join(args[0], name), isPage, func(w io.Writer) error { return doc.GenMan(page, header, w) })
				}
			}
			if err != nil {
				return fmt.Errorf("man: %w", err)
			}
			return nil
		}}
}

// pagesOf are the commands that have a page, by the names of its file.
func pagesOf(c *cobra.Command) map[string]*cobra.Command {
	all := map[string]*cobra.Command{strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1": c}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && !sub.IsAdditionalHelpTopicCommand() {
			maps.Copy(all, pagesOf(sub))
		}
	}
	return all
}

// isPage recognizes a manual page of this program.
func isPage(head []byte) bool { return bytes.Contains(head, []byte(`.TH "TESLA`)) }
