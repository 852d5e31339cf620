package web

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"tesla/internal/output"
	"tesla/lab/match"
	"tesla/lab/match/stats"
)

// mostReplays is how many games of a report have their moves, the first ones.
const mostReplays = 2000

// reportMark is in the head of each report.
const reportMark = `content="tesla match --report"`

// report is the page of a match as report.html is filled with it: one file, which needs no server.
type report struct {
	*page
	Match   string // name
	Mark    string
	Imports string // import map of the modules
	Plot    string // URL of the script that draws plots
	Sprite  string // of the pieces
	Saved   string // what the server would answer, packed
}

// CheckReport reports why no report could be written to a file. Only an earlier report is replaced.
func CheckReport(file string) error {
	if err := output.Check(file, isReport); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

func isReport(head []byte) bool { return bytes.Contains(head, []byte(reportMark)) }

// WriteReport writes the page of a match with all its games into one file. journal is the file that was read. The test is that
// of the journal where none is given.
func WriteReport(file string, f *match.Follower, journal string, test *stats.SPRT) error {
	from, err := os.Open(journal)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	defer from.Close()
	text, err := reportOf(filepath.Base(file), f, from, cmp.Or(test, f.Header.Test))
	if err == nil {
		err = output.WriteBytes(file, isReport, text)
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

func reportOf(name string, f *match.Follower, from *os.File, test *stats.SPRT) ([]byte, error) {
	root, err := fs.Sub(embedded, "page")
	if err != nil {
		return nil, err
	}
	r := report{page: matchPage(), Match: html.EscapeString(name), Mark: reportMark}
	if err := r.read(root); err != nil {
		return nil, err
	}
	if r.Imports, err = r.importMap(root); err != nil {
		return nil, err
	}
	plot, err := fs.ReadFile(root, "vendor/uplot/dist/uPlot.iife.min.js")
	if err != nil {
		return nil, err
	}
	sprite, err := fs.ReadFile(root, "pieces/pieces.svg")
	if err != nil {
		return nil, err
	}
	r.Plot, r.Sprite = scriptURL(plot), string(sprite)
	if r.Saved, err = saved(f, from, test); err != nil {
		return nil, err
	}
	return fill(root, "report.html", r)
}

// importMap names the modules of the page by URLs that hold them. The one that asks the server is replaced.
func (p *page) importMap(root fs.FS) (string, error) {
	imports := map[string]string{}
	for _, module := range append(p.Modules, "/"+p.Name+".js") {
		source := module
		if module == "/api.js" {
			source = "/report-api.js"
		}
		text, err := fs.ReadFile(root, source[1:])
		if err != nil {
			return "", err
		}
		text = imported.ReplaceAllFunc(text, func(line []byte) []byte {
			to := string(imported.FindSubmatch(line)[1])
			return bytes.Replace(line, []byte(`"`+to+`"`), []byte(`"tesla:`+path.Join(path.Dir(module), to)+`"`), 1)
		})
		imports["tesla:"+module] = scriptURL(text)
	}
	text, err := json.Marshal(map[string]any{"imports": imports})
	return string(text), err
}

func scriptURL(text []byte) string {
	return "data:text/javascript;base64," + base64.StdEncoding.EncodeToString(text)
}

// saved is what the server would say of the match, as JSON, which is packed by gzip and written in base64.
func saved(f *match.Follower, from *os.File, test *stats.SPRT) (string, error) {
	var x watch
	all := struct {
		Rows  []row            `json:"rows"`
		State state            `json:"state"`
		Games map[int]replayed `json:"games"`
	}{Rows: x.rows(f, test, len(f.Games)), Games: map[int]replayed{}}
	all.State = x.state(f, test)
	if pairings := all.State.Pairings; len(pairings) == 1 {
		all.State.Head += "\n" + strings.TrimSpace(pairings[0].Text())
	}
	for i := range f.Games[:min(len(f.Games), mostReplays)] {
		g := &f.Games[i]
		played, moves, err := f.Replay(from, g.Number)
		if errors.Is(err, fs.ErrNotExist) { // of a PGN file
			break
		}
		if err != nil {
			return "", err
		}
		all.Games[g.Number] = shownGame(g, played, moves)
	}
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	if err := json.NewEncoder(zip).Encode(all); err != nil {
		return "", err
	}
	err := zip.Close()
	return base64.StdEncoding.EncodeToString(packed.Bytes()), err
}
