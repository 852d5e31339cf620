// Command thirdparty writes the file THIRD_PARTY of a release: what is inside the programs for the given platforms, with
// the text of each licence. It fails where a module has no licence file, or an embedded file no known origin.
//
//	go run ./scripts/thirdparty linux/amd64 windows/amd64 >THIRD_PARTY
package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// program is the package of the program that is released.
const program = "tesla/cmd/tesla"

// module is a Go module that a program is linked from.
type module struct{ name, version, dir string }

// origins say where the files that are built into the program come from, by patterns of their paths. A pattern that ends in a
// slash stands for all files below.
var origins = []struct{ pattern, origin string }{
	{"models/*.tesla", "a net of this project, in the public domain (CC0 1.0)"},
	{"bestfirst/fits/*.json", "measured by this project, under its licence"},
	{"search/sure/models/*.json", "measured by this project, under its licence"},
	{"lab/match/*.txt", "openings drawn by this project, under its licence"},
	{"board/book/random.txt", "the random numbers that the format of Polyglot's books lists"},
	{"lab/annotate/openings.tsv.gz", "names of openings from github.com/lichess-org/chess-openings, in the public domain (CC0 1.0)"},
	{"lab/web/page/vendor/cm-chessboard/", "cm-chessboard, under the MIT licence below"},
	{"lab/web/page/vendor/uplot/", "uPlot, under the MIT licence below"},
	{"lab/web/page/pieces/", "drawn by this project, in the public domain (CC0 1.0)"},
	{"lab/web/page/", "written by this project, under its licence"},
	{"lab/speedup/bratko-kopec.epd", "the test positions of I. Bratko and D. Kopec (1982)"},
}

// licence is the name of a file with the terms of a module.
var licence = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.-](md|txt|sil))?$`)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: thirdparty OS/ARCH ...")
		os.Exit(2)
	}
	text, err := generate(os.Args[1:])
	if err == nil {
		_, err = os.Stdout.Write(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "thirdparty:", err)
		os.Exit(1)
	}
}

// generate is the text for the programs of some platforms.
func generate(platforms []string) ([]byte, error) {
	modules := map[string]module{}
	var files []string // that are built in
	for _, p := range platforms {
		system, arch, ok := strings.Cut(p, "/")
		if !ok {
			return nil, fmt.Errorf("platform %q, want one like linux/amd64", p)
		}
		lines, err := list(system, arch)
		if err != nil {
			return nil, err
		}
		for _, line := range lines {
			fields := strings.Split(line, "\t")
			if len(fields) == 1 {
				files = append(files, fields[0])
			} else {
				modules[fields[0]] = module{fields[0], fields[1], fields[2]}
			}
		}
	}
	slices.Sort(files)
	var b bytes.Buffer
	b.WriteString("What is inside the program tesla beside its own code, and the terms of each part.\n\nFiles that are built in:\n\n")
	for _, f := range slices.Compact(files) {
		origin, err := originOf(f)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s: %s\n", f, origin)
	}
	// The standard library and the runtime are linked into every program.
	out, err := exec.Command("go", "env", "GOVERSION", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	version, root, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	parts := []module{{"Go", version, root}}
	parts = append(parts, slices.SortedFunc(maps.Values(modules), func(x, y module) int { return cmp.Compare(x.name, y.name) })...)
	page, err := exec.Command("go", "list", "-f", "{{.Dir}}", "tesla/lab/web").Output()
	if err != nil {
		return nil, fmt.Errorf("go list tesla/lab/web: %w", err)
	}
	for _, vendored := range []module{{"cm-chessboard", "8.15.1", "cm-chessboard"}, {"uPlot", "1.6.32", "uplot"}} {
		vendored.dir = filepath.Join(strings.TrimSpace(string(page)), "page", "vendor", vendored.dir)
		parts = append(parts, vendored)
	}
	for _, m := range parts {
		if err := writeTerms(&b, m); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// list is a line for each package that the program of a platform is linked from, with the name, version and folder of its
// module, and a line for each file that is built in, with its path in this project.
func list(system, arch string) ([]string, error) {
	const format = `{{with .Module}}{{if .Main}}{{range $.EmbedFiles}}{{$.ImportPath}}/{{.}}
{{end}}{{else}}{{.Path}}	{{.Version}}	{{.Dir}}{{end}}{{end}}`
	c := exec.Command("go", "list", "-deps", "-f", format, program)
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go list for %s/%s: %w", system, arch, err)
	}
	lines := slices.DeleteFunc(strings.Split(string(out), "\n"), func(s string) bool { return s == "" })
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "tesla/")
	}
	return lines, nil
}

// originOf says where a file that is built in comes from.
func originOf(file string) (string, error) {
	for _, o := range origins {
		below := strings.HasSuffix(o.pattern, "/") && strings.HasPrefix(file, o.pattern)
		if match, err := path.Match(o.pattern, file); err != nil || match || below {
			return o.origin, err
		}
	}
	return "", fmt.Errorf("%s is built into the program: say in scripts/thirdparty where it comes from", file)
}

// writeTerms writes the licence files of a module, those in its folders too: a module may hold the work of several.
func writeTerms(w io.Writer, m module) error {
	fmt.Fprintf(w, "\n%s\n%s %s\n", strings.Repeat("=", 80), m.name, m.version)
	found := false
	err := filepath.WalkDir(m.dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(m.dir, file)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if m.name == "Go" && file != m.dir || d.Name() == "testdata" {
				return filepath.SkipDir
			}
			return nil
		}
		if !licence.MatchString(d.Name()) && filepath.Dir(inside) != "licenses" {
			return nil
		}
		text, err := os.ReadFile(file)
		found = found || err == nil
		fmt.Fprintf(w, "\n--- %s\n\n%s\n", filepath.ToSlash(inside), bytes.TrimSpace(text))
		return err
	})
	if err == nil && !found {
		err = errors.New("no licence file")
	}
	if err != nil {
		return fmt.Errorf("terms of %s %s: %w", m.name, m.version, err)
	}
	return nil
}
