package treemachine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func hostsFile(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hosts")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The tree of the paper's figure 2.
func TestReadHosts(t *testing.T) {
	h, err := ReadHosts(hostsFile(t, "# figure 2\nbus 127.0.0.1:4222 token=T\nengine a b; Hash = 64;Skill Level=20\nroot: N1@sunwapta N2@sunwapta N3@sunnybrook # three\nN3: N4@jasper N5@local\n"))
	if err != nil {
		t.Fatal(err)
	}
	if e := h.Engine; e == nil || fmt.Sprint(*e) != "{a b [Hash=64 Skill Level=20]}" {
		t.Errorf("engine %+v", e)
	}
	var text []string
	var list func(depth int, nodes []*Node)
	list = func(depth int, nodes []*Node) {
		for _, n := range nodes {
			text = append(text, strings.Repeat("-", depth)+n.Name+"@"+n.Host)
			list(depth+1, n.Children)
		}
	}
	list(0, h.Children)
	if got, want := strings.Join(text, " "), "N1@sunwapta N2@sunwapta N3@sunnybrook -N4@jasper -N5@local"; got != want || h.Bus.Token != "T" {
		t.Errorf("%s, %+v", got, h.Bus)
	}
}

func TestReadHostsRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "no line with the children of root",
		"root n1@local\n":                    `line 1: "root n1@local": want "bus HOST:PORT", "engine PROGRAM", or a node`,
		"root: n1@local\n\nn2: n3@local\n":   `line 3: no parent of node "n2"`,
		"root: n1@local n1@local\n":          "line 1: node n1 twice",
		"root: n1@local\nroot: n2@local\n":   "line 2: second line with the children of root, first is line 1",
		"root: n1\n":                         `line 1: "n1": want NAME@HOST`,
		"root: n.1@local\n":                  `line 1: "n.1@local": want NAME@HOST`,
		"root:\n":                            "line 1: no children of node root",
		"root: n1@far\n":                     "line 1: nodes on other hosts without a line with the bus",
		"bus far:4222\nroot: n1@local\n":     "line 1: server far:4222 beyond this machine without TLS",
		"engine a; Hash\n":                   `line 1: "Hash": want options after the program of an engine`,
		"engine a\nengine b\n":               "line 2: a second engine",
		"bus 127.0.0.1:1 key=x\n":            `line 1: "key=x": want token=TOKEN`,
		"bus 127.0.0.1:1\nbus 127.0.0.1:2\n": "line 2: a second bus",
	} {
		if _, err := ReadHosts(hostsFile(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := ReadHosts(filepath.Join(t.TempDir(), "none")); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("no file: %v", err)
	}
}
