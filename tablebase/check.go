package tablebase

import (
	"bufio"
	"crypto/md5" // the lists of tables are made of it
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tesla/tablebase/gaviota"
	"tesla/tablebase/syzygy"
)

// SumsFile is the file of a folder that lists MD5 sums of its tables, as md5sum writes them.
const SumsFile = "checksum.md5"

// Folder is the result of CheckFolder.
type Folder struct {
	Files    int       `json:"files"`    // tables in the folder
	Verified int       `json:"verified"` // those that have a checksum, their own or one of SumsFile, which is right
	Bad      []BadFile `json:"bad"`
}

// BadFile is a table that has a fault.
type BadFile struct {
	File  string `json:"file"`
	Error string `json:"error"`
}

// CheckFolder checks the tables of both formats in a folder, and compares them with SumsFile if it is there. Tables that
// only the list has are no fault; a folder without tables is an error.
func CheckFolder(dir string) (r Folder, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return r, err
	}
	sums, err := readSums(filepath.Join(dir, SumsFile))
	if err != nil {
		return r, err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		var verified bool
		var err error
		switch ext := filepath.Ext(e.Name()); {
		case strings.Contains(e.Name(), ".gtb"):
			err = gaviota.Check(path)
		case ext == ".rtbw" || ext == ".rtbz":
			err = syzygy.Check(path)
			verified = err == nil
		default:
			continue
		}
		if sum, listed := sums[e.Name()]; listed && err == nil {
			verified, err = true, compareSum(path, sum)
		}
		r.Files++
		switch {
		case err != nil:
			r.Bad = append(r.Bad, BadFile{e.Name(), err.Error()})
		case verified:
			r.Verified++
		}
	}
	if r.Files == 0 {
		err = fmt.Errorf("%s: no table", dir)
	}
	return r, err
}

// readSums reads a list of MD5 sums, by the name of the file. There may be none.
func readSums(path string) (map[string]string, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sums := map[string]string{}
	lines := bufio.NewScanner(f)
	for number := 1; lines.Scan(); number++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		sum, err := hex.DecodeString(words[0])
		if err != nil || len(sum) != md5.Size || len(words) != 2 {
			return nil, fmt.Errorf("%s: line %d: want a sum and the name of a file, as md5sum writes them", path, number)
		}
		sums[filepath.Base(strings.TrimPrefix(words[1], "*"))] = string(sum) // * marks a binary file
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return sums, nil
}

func compareSum(path, want string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	hash := md5.New()
	if _, err := io.Copy(hash, f); err != nil {
		return fmt.Errorf("table %s: %w", path, err)
	}
	if string(hash.Sum(nil)) != want {
		return fmt.Errorf("table %s: MD5 sum other than in %s", path, SumsFile)
	}
	return nil
}

// String is the error of each bad file, and the counts.
func (r Folder) String() string {
	var b strings.Builder
	for _, f := range r.Bad {
		fmt.Fprintln(&b, f.Error)
	}
	fmt.Fprintf(&b, "%d tables, %d bad, %d with a right checksum", r.Files, len(r.Bad), r.Verified)
	return b.String()
}
