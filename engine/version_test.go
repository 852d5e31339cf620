package engine

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// A release is named by its version, any other program by the next one, which is the first heading of the changelog.
func TestVersion(t *testing.T) {
	semantic := regexp.MustCompile(`^\d+\.\d+\.\d+-dev(\+[0-9a-f]+(\.changed)?)?$`)
	if got := Version(); !semantic.MatchString(got) {
		t.Errorf("no release: %q", got)
	}
	log, err := os.ReadFile("../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	if _, after, _ := strings.Cut(string(log), "\n## ["); !strings.HasPrefix(after, next+"]") {
		t.Errorf("the next release is %s, the changelog begins with %.10s", next, after)
	}
	release = "1.2.0"
	defer func() { release = "" }()
	if got := Version(); got != "1.2.0" {
		t.Errorf("a release: %q", got)
	}
}
