package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The text names each module that the program is linked from, with its terms, and each file that is built in.
func TestGenerate(t *testing.T) {
	text, err := generate([]string{"linux/amd64", "windows/amd64"})
	if err != nil {
		t.Fatal(err)
	}
	terms := map[string]string{}
	for part := range strings.SplitSeq(string(text), strings.Repeat("=", 80)+"\n") {
		head, rest, _ := strings.Cut(part, "\n")
		name, _, _ := strings.Cut(head, " ")
		terms[name] = rest
	}
	c := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", program)
	c.Env = append(c.Environ(), "CGO_ENABLED=0", "GOOS=windows", "GOARCH=amd64")
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	names := append(slices.Compact(strings.Fields(string(out))), "Go")
	if !slices.Contains(names, "github.com/spf13/cobra") || !slices.Contains(names, "tesla") {
		t.Fatalf("go list names the modules %q", names)
	}
	for _, name := range names {
		if rest := terms[name]; name != "tesla" && !strings.Contains(rest, "opyright") {
			t.Errorf("%s has the terms %.100q", name, rest)
		}
	}
	for _, file := range []string{"models/nnue.tesla: ", "models/eut-s.tesla: ", "bestfirst/fits/nnue.json: ", "lab/match/balanced.txt: "} {
		if !strings.Contains(string(text), "\n"+file) {
			t.Errorf("%s is not named", file)
		}
	}
}

func TestUnknownParts(t *testing.T) {
	if _, err := originOf("lab/match/stolen.bin"); err == nil || !strings.Contains(err.Error(), "stolen.bin") {
		t.Errorf("an embedded file of unknown origin: %v", err)
	}
	if err := writeTerms(&strings.Builder{}, module{"example.org/free", "v1.0.0", t.TempDir()}); err == nil ||
		!strings.Contains(err.Error(), "example.org/free v1.0.0: no licence file") {
		t.Errorf("a module without a licence: %v", err)
	}
	if _, err := generate([]string{"linux"}); err == nil || !strings.Contains(err.Error(), `platform "linux"`) {
		t.Errorf("a system without a kind of processor: %v", err)
	}
}
