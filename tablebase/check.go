package tablebase

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tesla/gaviota"
	"tesla/syzygy"
)

// Folder is the result of CheckFolder.
type Folder struct {
	Files int       `json:"files"` // tables in the folder
	Bad   []BadFile `json:"bad"`
}

// BadFile is a table that has a fault.
type BadFile struct {
	File  string `json:"file"`
	Error string `json:"error"`
}

// CheckFolder checks the tables of both formats in a folder.
func CheckFolder(dir string) (r Folder, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return r, err
	}
	for _, e := range entries {
		check := syzygy.Check
		switch ext := filepath.Ext(e.Name()); {
		case strings.Contains(e.Name(), ".gtb"):
			check = gaviota.Check
		case ext != ".rtbw" && ext != ".rtbz":
			continue
		}
		r.Files++
		if err := check(filepath.Join(dir, e.Name())); err != nil {
			r.Bad = append(r.Bad, BadFile{e.Name(), err.Error()})
		}
	}
	return r, nil
}

// String is the error of each bad file, and a count.
func (r Folder) String() string {
	var b strings.Builder
	for _, f := range r.Bad {
		fmt.Fprintln(&b, f.Error)
	}
	fmt.Fprintf(&b, "%d tables, %d bad", r.Files, len(r.Bad))
	return b.String()
}
