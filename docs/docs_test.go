// Package docs holds no code. Its tests keep the documentation of the project in order: links lead somewhere, pages
// stay short, every record of an experiment is complete and listed, and the picture of the packages is true.
package docs

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = ".."

// Limits of the house rules.
const (
	mostWords       = 1500 // of a page in docs
	mostReadmeLines = 120
)

// read returns a file as text.
func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// filesOf are the files of the project whose names end in an extension.
func filesOf(t *testing.T, ext string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := path != root && strings.HasPrefix(d.Name(), ".")
		if d.IsDir() && (hidden || d.Name() == "build" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !d.IsDir() && filepath.Ext(path) == ext {
			all = append(all, path)
		}
		return nil
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("%d files %s found: %v", len(all), ext, err)
	}
	return all
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	dropped = regexp.MustCompile(`[^a-z0-9 _-]`)
)

// anchors are the names by which links find the headings of a page, as GitHub makes them.
func anchors(text string) (all []string) {
	for _, h := range heading.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-"))
	}
	return all
}

func TestLinks(t *testing.T) {
	for _, page := range filesOf(t, ".md") {
		for _, m := range link.FindAllStringSubmatch(read(t, page), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			target := page
			if file != "" {
				target = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: link to %s: there is no such file", page, m[1])
			} else if anchor != "" && !slices.Contains(anchors(read(t, target)), anchor) {
				t.Errorf("%s: link to %s: the page has no such heading", page, m[1])
			}
		}
	}
}

// Comments of the code that name a page name one that is there.
func TestCommentsNamePages(t *testing.T) {
	page := regexp.MustCompile(`\bdocs/[\w/-]+\.(?:md|svg)\b`)
	for _, file := range filesOf(t, ".go") {
		for _, name := range page.FindAllString(read(t, file), -1) {
			if _, err := os.Stat(filepath.Join(root, name)); err != nil {
				t.Errorf("%s names %s: there is no such file", file, name)
			}
		}
	}
}

func TestPagesAreShort(t *testing.T) {
	explanations, err := filepath.Glob("*.md")
	if err != nil || len(explanations) == 0 {
		t.Fatalf("%d pages found: %v", len(explanations), err)
	}
	for _, page := range explanations {
		words := slices.DeleteFunc(strings.Fields(read(t, page)), func(w string) bool { return strings.Trim(w, "|-") == "" })
		if len(words) > mostWords {
			t.Errorf("%s has %d words, at most %d are allowed", page, len(words), mostWords)
		}
	}
	if lines := strings.Count(read(t, filepath.Join(root, "README.md")), "\n"); lines > mostReadmeLines {
		t.Errorf("README.md has %d lines, at most %d are allowed", lines, mostReadmeLines)
	}
}

// Every record answers the four questions, has its number in its title, numbers have no gap, and the index lists it.
func TestRecords(t *testing.T) {
	records, err := filepath.Glob("log/[0-9]*.md")
	if err != nil || len(records) == 0 {
		t.Fatalf("%d records found: %v", len(records), err)
	}
	index := read(t, "log/README.md")
	for i, record := range records { // sorted by name
		text, name := read(t, record), filepath.Base(record)
		number, _, _ := strings.Cut(name, "-")
		if want := fmt.Sprintf("%04d", i+1); number != want {
			t.Errorf("%s: its number should be %s", record, want)
		}
		if !strings.HasPrefix(text, "# "+number+" ") {
			t.Errorf("%s: its title does not begin with its number", record)
		}
		var found []string
		for _, h := range heading.FindAllStringSubmatch(text, -1)[1:] {
			found = append(found, h[1])
		}
		if want := []string{"Question", "Setup", "Result", "Decision"}; !slices.Equal(found, want) {
			t.Errorf("%s has the headings %q, want %q", record, found, want)
		}
		if strings.Count(index, "["+number+"]("+name+")") != 1 {
			t.Errorf("%s: log/README.md does not list it once", record)
		}
	}
}

var (
	dotNode = regexp.MustCompile(`(?m)^\t(\w+) \[label="([^"\\]*)`)
	dotEdge = regexp.MustCompile(`(?m)^\t(\w+) -> \{?([\w ]+)`)
)

// rooms reads rooms.dot: the room of each package, and the rooms to which its arrows lead, over others too.
func rooms(t *testing.T) (roomOf map[string]string, below map[string]map[string]bool) {
	text := read(t, "rooms.dot")
	roomOf, arrows := map[string]string{}, map[string][]string{}
	for _, m := range dotNode.FindAllStringSubmatch(text, -1) {
		for _, name := range strings.Split(m[2], ", ") {
			roomOf[name] = m[1]
		}
	}
	for _, m := range dotEdge.FindAllStringSubmatch(text, -1) {
		arrows[m[1]] = append(arrows[m[1]], strings.Fields(m[2])...)
	}
	below = map[string]map[string]bool{}
	var walk func(from, at string)
	walk = func(from, at string) {
		for _, to := range arrows[at] {
			if !below[from][to] {
				below[from][to] = true
				walk(from, to)
			}
		}
	}
	for _, room := range roomOf {
		below[room] = map[string]bool{}
		walk(room, room)
	}
	return roomOf, below
}

// The picture of the rooms is true: every package has a room, and imports follow the arrows.
func TestRooms(t *testing.T) {
	roomOf, below := rooms(t)
	find := func(pkg string) string {
		for at := pkg; at != "."; at = path.Dir(at) {
			if room := roomOf[at]; room != "" {
				return room
			}
		}
		return ""
	}
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "tesla/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		pkg := strings.TrimPrefix(words[0], "tesla/")
		if pkg == "docs" || strings.HasPrefix(pkg, "internal/") {
			continue
		}
		room := find(pkg)
		if room == "" {
			t.Errorf("rooms.dot has no room for %s", pkg)
			continue
		}
		for _, w := range words[1:] {
			imported, ours := strings.CutPrefix(w, "tesla/")
			ours = ours && !strings.HasPrefix(imported, "internal/")
			if to := find(imported); ours && to != room && !below[room][to] {
				t.Errorf("%s imports %s: no arrow of rooms.dot leads from %s to %q", pkg, imported, room, to)
			}
		}
	}
}
