// Package docs holds no code. Its tests keep the documentation of the project in order: links lead somewhere, files
// and tests that are named exist, pages stay short, every record is complete and listed, and the picture of the packages is true.
package docs

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const root = ".."

// Limits of the house rules.
const (
	mostWords       = 1500 // of a page in docs or docs/log
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
	record  = regexp.MustCompile(`<a id="(\d+)"></a>`)

	testFunc = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
)

// anchors are the names by which links find a place of a page: of its headings, as GitHub makes them, and of records.
func anchors(text string) (all []string) {
	for _, m := range record.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
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

// Comments of the code that name a page, or a place in one, name one that is there.
func TestCommentsNamePages(t *testing.T) {
	page := regexp.MustCompile(`\b(docs/[\w/-]+\.(?:md|svg))(?:#([\w-]+))?`)
	for _, file := range filesOf(t, ".go") {
		for _, m := range page.FindAllStringSubmatch(read(t, file), -1) {
			target := filepath.Join(root, m[1])
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s names %s: there is no such file", file, m[1])
			} else if m[2] != "" && !slices.Contains(anchors(read(t, target)), m[2]) {
				t.Errorf("%s names %s: the page has no such heading or record", file, m[0])
			}
		}
	}
}

// testsOf are the tests of a file, as pages name them: TestX, and package.TestX with the folder of the package, whole or its last part.
func testsOf(t *testing.T, file string) (all []string) {
	folder, err := filepath.Rel(root, filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range testFunc.FindAllStringSubmatch(read(t, file), -1) {
		all = append(all, m[1], filepath.ToSlash(folder)+"."+m[1], filepath.Base(folder)+"."+m[1])
	}
	return all
}

// A page that names a file or a test of the source names one that is there, and so does a package comment of its own files.
func TestPagesNameFiles(t *testing.T) {
	sources, tests := map[string]bool{}, map[string]bool{}
	for _, file := range filesOf(t, ".go") {
		sources[filepath.Base(file)] = true
		if strings.HasSuffix(file, "_test.go") {
			for _, name := range testsOf(t, file) {
				tests[name] = true
			}
		}
	}
	inPage := regexp.MustCompile("`((?:[\\w-]+/)*([\\w-]+\\.go))`")
	testInPage := regexp.MustCompile("`((?:[\\w/-]+\\.)?Test\\w+)`")
	for _, page := range filesOf(t, ".md") {
		if filepath.Base(page) == "CHANGELOG.md" || filepath.Dir(page) == filepath.Join(root, "docs", "log") {
			continue // names of their time
		}
		for _, m := range inPage.FindAllStringSubmatch(read(t, page), -1) {
			_, err := os.Stat(filepath.Join(root, m[1]))
			if err != nil && (m[1] != m[2] || !sources[m[2]]) {
				t.Errorf("%s names %s: there is no such file", page, m[1])
			}
		}
		for _, m := range testInPage.FindAllStringSubmatch(read(t, page), -1) {
			if !tests[m[1]] {
				t.Errorf("%s names %s: there is no such test", page, m[1])
			}
		}
	}
	inComment := regexp.MustCompile(`(?:^|[^\w./-])([\w-]+\.go)\b`)
	for _, file := range filesOf(t, ".go") {
		if filepath.Base(file) != "doc.go" {
			continue
		}
		comment, _, _ := strings.Cut(read(t, file), "\npackage ")
		for _, m := range inComment.FindAllStringSubmatch(comment, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), m[1])); err != nil {
				t.Errorf("%s names %s: there is no such file", file, m[1])
			}
		}
	}
}

func TestPagesAreShort(t *testing.T) {
	explanations, err := filepath.Glob("*.md")
	themes, err2 := filepath.Glob("log/*.md")
	if err != nil || err2 != nil || len(explanations) == 0 || len(themes) == 0 {
		t.Fatalf("%d pages, %d of records found: %v %v", len(explanations), len(themes), err, err2)
	}
	for _, page := range append(explanations, themes...) {
		words := slices.DeleteFunc(strings.Fields(read(t, page)), func(w string) bool { return strings.Trim(w, "|-") == "" })
		if len(words) > mostWords {
			t.Errorf("%s has %d words, at most %d are allowed", page, len(words), mostWords)
		}
	}
	if lines := strings.Count(read(t, filepath.Join(root, "README.md")), "\n"); lines > mostReadmeLines {
		t.Errorf("README.md has %d lines, at most %d are allowed", lines, mostReadmeLines)
	}
}

// listed reads the index of records: the page of each number. A row of it has a page and its numbers, "0010 to 0012, 0016".
func listed(t *testing.T) map[string]string {
	row, numbers := regexp.MustCompile(`(?m)^\| \[[^]]+\]\((\w+\.md)\) \| (.*) \|$`), regexp.MustCompile(`(\d{4})(?: to (\d{4}))?`)
	pages := map[string]string{}
	for _, m := range row.FindAllStringSubmatch(read(t, "log/README.md"), -1) {
		for _, n := range numbers.FindAllStringSubmatch(m[2], -1) {
			first, _ := strconv.Atoi(n[1])
			last, _ := strconv.Atoi(cmp.Or(n[2], n[1]))
			for i := first; i <= last; i++ {
				pages[fmt.Sprintf("%04d", i)] = filepath.Join("log", m[1])
			}
		}
	}
	return pages
}

// A record is a row of the table of its theme: number, question and setup, result, decision. Numbers have no gap, each
// is there once, and log/README.md says on which page.
func TestRecords(t *testing.T) {
	themes, err := filepath.Glob("log/[a-z]*.md")
	if err != nil || len(themes) == 0 {
		t.Fatalf("%d pages of records found: %v", len(themes), err)
	}
	pageOf := map[string]string{}
	for _, page := range themes {
		for line := range strings.Lines(read(t, page)) {
			m := record.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			if other := pageOf[m[1]]; other != "" {
				t.Errorf("%s has record %s, and so has %s", page, m[1], other)
			}
			pageOf[m[1]] = page
			cells := strings.Split(strings.Trim(line, "|\n "), " | ")
			if len(cells) != 4 || cells[0] != m[0]+m[1] || slices.Contains(cells, "") {
				t.Errorf("%s: record %s is not a row of number, question, result and decision: %q", page, m[1], cells)
			}
		}
	}
	for i := range len(pageOf) {
		if number := fmt.Sprintf("%04d", i+1); pageOf[number] == "" {
			t.Errorf("%d records, and none has the number %s", len(pageOf), number)
		}
	}
	if index := listed(t); !maps.Equal(index, pageOf) {
		for number, page := range pageOf {
			if index[number] != page {
				t.Errorf("log/README.md has record %s on %q, and it is on %s", number, index[number], page)
			}
		}
		if len(index) > len(pageOf) {
			t.Errorf("log/README.md lists %d records, and the pages have %d", len(index), len(pageOf))
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

// The picture of the rooms is true: every package has a room, every room a folder, and imports follow the arrows.
func TestRooms(t *testing.T) {
	roomOf, below := rooms(t)
	for name := range roomOf {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Errorf("rooms.dot has a room for %s: there is no such folder", name)
		}
	}
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
