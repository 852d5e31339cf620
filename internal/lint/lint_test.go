// Package lint holds the source to the limits of the house that no linter checks: the length of a function and of a comment, words
// of comments and of errors, and which package may import which.
package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	root        = "../.."
	build       = "build" // the folder of what was built
	maxFunction = 70      // lines, from func to the closing brace
	maxComment  = 140     // columns
	tab         = 4       // columns of a tab
)

// Folders, each with the packages below it.
var (
	instruments = []string{"cmd", "lab", "scripts"}
	engines     = []string{"batcher", "bestfirst", "engine", "models", "nnue", "search/alphabeta", "search/treemachine",
		"search/treesearch", "tt128"}
)

// source is a Go file of the module that was not generated.
type source struct {
	path string // relative to the root
	file *ast.File
	set  *token.FileSet
	text []string // its lines
}

func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (d.Name() == build || strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if !ast.IsGenerated(file) {
			all = append(all, source{filepath.ToSlash(path[len(root)+1:]), file, set, strings.Split(string(text), "\n")})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestFunctionLength(t *testing.T) {
	for _, s := range sources(t) {
		if strings.HasSuffix(s.path, "_test.go") {
			continue
		}
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				if n := s.set.Position(f.End()).Line - s.set.Position(f.Pos()).Line + 1; n > maxFunction {
					t.Errorf("%s: %s has %d lines, at most %d", s.path, f.Name.Name, n, maxFunction)
				}
			}
		}
	}
}

// What CONTRIBUTING.md does not want to read. An error is a noun: "no file F", not "there is no file F".
var (
	phrases   = regexp.MustCompile(`tells ` + `whether|as many as ` + `may be|\blike` + `wise\b|as is ` + `said|what ` + `hangs|of like ` + `structure`)
	sentences = regexp.MustCompile(`^"(%[a-z]: )*(there (is|are)|it (is|has|was|does)) |is there (already|twice)`)
)

// Comments are short lines in plain words, and say what a function reports as Go's own packages do.
func TestComments(t *testing.T) {
	for _, s := range sources(t) {
		for _, group := range s.file.Comments {
			for n := s.set.Position(group.Pos()).Line; n <= s.set.Position(group.End()).Line; n++ {
				line := s.text[n-1]
				if utf8.RuneCountInString(line)+(tab-1)*strings.Count(line, "\t") > maxComment {
					t.Errorf("%s:%d: a line with a comment is above %d columns", s.path, n, maxComment)
				}
				if comment := line[max(0, strings.Index(line, "//")):]; phrases.MatchString(comment) {
					t.Errorf("%s:%d: %q", s.path, n, phrases.FindString(comment))
				}
			}
		}
	}
}

func TestErrors(t *testing.T) {
	count := 0
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			text, isText := call.Args[0].(*ast.BasicLit)
			name, selects := call.Fun.(*ast.SelectorExpr)
			if isText && selects && (name.Sel.Name == "Errorf" && of(name, "fmt") || name.Sel.Name == "New" && of(name, "errors")) {
				count++
				if sentences.MatchString(text.Value) {
					t.Errorf("%s: an error that is no noun: %s", s.set.Position(text.Pos()), text.Value)
				}
			}
			return true
		})
	}
	if count == 0 {
		t.Error("no error was found")
	}
}

// of reports whether a selector is of a package of the standard library.
func of(s *ast.SelectorExpr, name string) bool {
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == name
}

// Imports point downward: the engine does not know the commands and instruments that use it, and uci knows no engine.
// Tests may import what they need.
func TestImports(t *testing.T) {
	in := func(path string, folders []string) bool {
		return slices.ContainsFunc(folders, func(folder string) bool { return strings.HasPrefix(path+"/", folder+"/") })
	}
	count := 0
	for _, s := range sources(t) {
		if strings.HasSuffix(s.path, "_test.go") {
			continue
		}
		instrument, protocol := in(s.path, instruments), in(s.path, []string{"uci"})
		for _, i := range s.file.Imports {
			path, own := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), "tesla/")
			if !own {
				continue
			}
			count++
			if in(path, instruments) && !instrument || in(path, engines) && protocol {
				t.Errorf("%s may not import %s", s.path, path)
			}
		}
	}
	if count == 0 {
		t.Error("no import of a package of this module was found")
	}
}
