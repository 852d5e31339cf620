//go:build cgo

package onnx

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"tesla/internal/output"
)

const (
	// plansVersion is the version of the file of plans. A file of another version counts as missing.
	plansVersion = 3
	// maxPlansFile is the size of the largest file of plans that is read, in bytes: thousands of plans.
	maxPlansFile = 1 << 20
)

// plansFile is the content of the file that keeps plans. Its keys say what they were measured for. A plan is decoded when it
// is asked for, so that a damaged one costs no other.
type plansFile struct {
	Version int                        `json:"version"`
	Plans   map[string]json.RawMessage `json:"plans"`
}

// cacheFolder is the program's folder in the user's cache folder. It may not exist.
func cacheFolder() (string, error) {
	base, err := os.UserCacheDir()
	if err == nil && !filepath.IsAbs(base) {
		err = fmt.Errorf("the user's cache folder %s is not an absolute path", base)
	}
	return filepath.Join(base, "tesla"), err
}

func plansPath() (string, error) {
	folder, err := cacheFolder()
	return filepath.Join(folder, "plans.json"), err
}

// readPlans reads the file of plans. A missing file has none.
func readPlans() (f plansFile, err error) {
	f = plansFile{plansVersion, map[string]json.RawMessage{}}
	path, err := plansPath()
	if err != nil {
		return f, nil // there is no such folder, so nothing was kept
	}
	in, err := output.OpenRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, maxPlansFile+1))
	if err == nil && len(data) > maxPlansFile {
		err = fmt.Errorf("more than %d bytes", maxPlansFile)
	}
	var read plansFile
	if err == nil {
		err = json.Unmarshal(data, &read)
	}
	if err == nil && (read.Version != plansVersion || read.Plans == nil) {
		err = fmt.Errorf("version %d, this program reads version %d", read.Version, plansVersion)
	}
	if err != nil {
		return f, fmt.Errorf("%s: %w", path, err)
	}
	return read, nil
}

// knownPlan is the plan of a key; nil if the file has none. It is an error unless the plan is one of those that would be
// measured, with sizes up to maxBatch: what a file says is not to be trusted.
func knownPlan(key string, plans []plan, maxBatch int) (*plan, error) {
	f, err := readPlans()
	if err != nil {
		return nil, err
	}
	text, ok := f.Plans[key]
	if !ok {
		return nil, nil
	}
	var p plan
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, err
	}
	most := max(laneStep, maxBatch)
	if !slices.Contains(plans, p.unsized()) || p.Batch < 1 || p.Batch > most || p.Free < 1 || p.Free > most {
		return nil, fmt.Errorf("%s is not a plan for %s", text, key)
	}
	return &p, nil
}

// rememberPlan adds a plan to the file. It replaces the file as a whole, since another process may be reading it. Of two
// processes that add plans at the same time, the plan of one may be lost: it is measured again.
func rememberPlan(key string, p plan) error {
	path, err := plansPath()
	if err != nil {
		return err
	}
	f, _ := readPlans() // one that cannot be read is begun anew
	if f.Plans[key], err = json.Marshal(p); err != nil {
		return err
	}
	data, err := json.MarshalIndent(f, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return output.WriteBytes(path, output.Any, append(data, '\n'))
}
