package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

//go:embed page
var embedded embed.FS

// page is a page as frame.html is filled with it.
type page struct {
	Name   string // of its files: NAME.html is the body, NAME.css its style, NAME.js the module that begins
	Path   string
	Label  string // in the list of pages
	Title  string
	Plots  bool     // it has some
	styles []string // besides those of all pages

	Style   string   // all style sheets
	Modules []string // that NAME.js imports, and those that these import: the browser fetches them all at once
	Body    string
	All     []*page
}

// Style sheets of some pages.
const (
	promotion = "vendor/cm-chessboard/assets/extensions/promotion-dialog/promotion-dialog.css"
	plots     = "vendor/uplot/dist/uPlot.min.css"
)

// pages are those that are served. Their style sheets stand in the page itself, so that it is painted as soon as it is there.
func pages() []*page {
	return []*page{
		{Name: "analysis", Path: "/", Label: "Analysis", Title: "analysis", Plots: true, styles: []string{promotion, plots}},
		{Name: "play", Path: "/play", Label: "Game", Title: "a game", styles: []string{promotion}},
		matchPage(),
	}
}

func matchPage() *page {
	return &page{Name: "match", Path: "/match", Label: "Matches", Title: "matches", Plots: true, styles: []string{plots}}
}

// file is a file that is served.
type file struct {
	data      []byte
	kind, tag string // Content-Type and ETag
}

func newFile(data []byte, kind string) file {
	sum := sha256.Sum256(data)
	return file{data, kind, `"` + hex.EncodeToString(sum[:8]) + `"`}
}

// readFiles reads what is served, by the paths that a browser asks for, and makes the policy that allows it.
func readFiles() (all map[string]file, policy string, err error) {
	all = map[string]file{}
	root, err := fs.Sub(embedded, "page")
	if err != nil {
		return nil, "", err
	}
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if ext := path.Ext(name); err != nil || d.IsDir() || ext == ".html" || ext == ".css" { // which the pages contain
			return err
		}
		data, err := fs.ReadFile(root, name)
		all["/"+name] = newFile(data, kindOf(name))
		return err
	})
	if err != nil {
		return nil, "", err
	}
	list := pages()
	for _, p := range list {
		p.All = list
		err := p.read(root)
		var data []byte
		if err == nil {
			data, err = fill(root, "frame.html", p)
		}
		if err != nil {
			return nil, "", fmt.Errorf("page %s: %w", p.Name, err)
		}
		all[p.Path] = newFile(data, kindOf(".html"))
	}
	return all, policyOf(list), nil
}

// read reads the files of the page.
func (p *page) read(root fs.FS) error {
	body, err := fs.ReadFile(root, p.Name+".html")
	if err != nil {
		return err
	}
	p.Body = string(body)
	for _, name := range append([]string{"vendor/cm-chessboard/assets/chessboard.css", "style.css", p.Name + ".css"}, p.styles...) {
		style, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		p.Style += string(style)
	}
	return p.follow(root, p.Name+".js")
}

// fill is a template that is filled.
func fill(root fs.FS, name string, with any) ([]byte, error) {
	frame, err := template.ParseFS(root, name)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = frame.Execute(&text, with)
	return text.Bytes(), err
}

// imported finds the module that an import names.
var imported = regexp.MustCompile(`(?m)^import .* from "(\.[^"]+)"`)

// follow adds the modules that a module imports.
func (p *page) follow(root fs.FS, module string) error {
	text, err := fs.ReadFile(root, module)
	if err != nil {
		return err
	}
	for _, found := range imported.FindAllSubmatch(text, -1) {
		name := path.Join(path.Dir(module), string(found[1]))
		if slices.Contains(p.Modules, "/"+name) {
			continue
		}
		p.Modules = append(p.Modules, "/"+name)
		if err := p.follow(root, name); err != nil {
			return err
		}
	}
	return nil
}

// policyOf is the Content-Security-Policy: a page may load what this server serves, and nothing else. No inline script is
// allowed, no frame, and of inline styles only those of the pages, by their hashes.
func policyOf(list []*page) string {
	var styles strings.Builder
	for _, p := range list {
		sum := sha256.Sum256([]byte(p.Style))
		styles.WriteString(" 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'")
	}
	return "default-src 'none'; script-src 'self'; style-src" + styles.String() + "; img-src 'self' data:; connect-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// kinds are the types of files that the system's table may not know, or know otherwise.
var kinds = map[string]string{".js": "text/javascript; charset=utf-8", ".html": "text/html; charset=utf-8", ".svg": "image/svg+xml",
	"": "text/plain; charset=utf-8"}

func kindOf(name string) string {
	if kind, ok := kinds[path.Ext(name)]; ok {
		return kind
	}
	return mime.TypeByExtension(path.Ext(name))
}

// serveFile serves a page, or a file of one. The browser asks again each time, and is told when nothing has changed.
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) error {
	f, ok := s.files[r.URL.Path]
	if !ok {
		return &problem{http.StatusNotFound, errors.New("no such page: " + clean(r.URL.Path))}
	}
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", f.tag)
	if r.Header.Get("If-None-Match") == f.tag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Type", f.kind)
	if r.Method != http.MethodHead {
		_, _ = w.Write(f.data) // the browser is gone where this fails
	}
	return nil
}
