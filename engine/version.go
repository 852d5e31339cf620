package engine

import (
	"runtime/debug"
	"strings"
)

// release is the semantic version of a release, such as 1.2.0. The build of a release sets it (scripts/release.sh), by
// the linker's -X tesla/engine.release=1.2.0. Empty: this is no release.
var release string

// next is the release that comes next: the first heading of CHANGELOG.md.
const next = "0.9.0"

// Version is the release; otherwise the next one, marked as in development, with the commit where the build says it. Both
// are semantic versions.
func Version() string {
	if release != "" {
		return release
	}
	version := next + "-dev"
	if commit := Commit(); commit != unknown {
		version += "+" + strings.Replace(commit, "+", ".changed", 1)
	}
	return version
}

const unknown = "unknown"

// Commit is the revision that the program was built from, shortened, with + where the tree was changed; "unknown"
// where the build does not say.
func Commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return unknown
	}
	revision, changed := unknown, ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			revision = s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+"
		}
	}
	return revision + changed
}
