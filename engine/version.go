package engine

import "runtime/debug"

// release is the semantic version of a release, such as 1.2.0. The build of a release sets it (scripts/release.sh), by
// the linker's -X tesla/engine.release=1.2.0. Empty: this is no release.
var release string

// Version is the release, and otherwise the commit. It is "development" where the build says neither.
func Version() string {
	switch commit := Commit(); {
	case release != "":
		return release
	case commit != unknown:
		return commit
	}
	return "development"
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
