// Package browsertest tests the pages of tesla web in Chromium, with the program as it is built. It is a module of its own,
// so that the engine does not depend on what drives a browser. scripts/browser.sh runs it.
//
// TESLA names the program and BROWSER the browser. Any error that a page logs fails the test that opened it.
package browsertest

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long a page may take to show something. It is long because other tests share the processors.
const patience = 3 * time.Minute

// browser is the context of the one browser that all tests share.
var browser context.Context

func TestMain(m *testing.M) {
	if os.Getenv("TESLA") == "" || os.Getenv("BROWSER") == "" {
		fmt.Fprintln(os.Stderr, "browsertest: SKIPPED: TESLA names no program or BROWSER no browser; run scripts/browser.sh")
		return
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(os.Getenv("BROWSER")), chromedp.NoSandbox,
		chromedp.Flag("disable-gpu", true), chromedp.WSURLReadTimeout(time.Minute))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	if err := chromedp.Do(ctx); err != nil { // which starts the browser
		fmt.Fprintln(os.Stderr, "browsertest: the browser does not start:", err)
		os.Exit(1)
	}
	browser = ctx
	code := m.Run()
	cancel()
	stop()
	os.Exit(code)
}

// server is a running `tesla web`.
type server struct {
	t       *testing.T
	url     string // without the slash at its end
	command *exec.Cmd
	ended   chan error
}

// serve starts the program on a port; "0" is a free one. More flags may follow.
func serve(t *testing.T, port string, flags ...string) *server {
	t.Helper()
	args := append([]string{"web", "--listen", "127.0.0.1:" + port, "--threads", "1", "--hash", "16"}, flags...)
	s := &server{t: t, command: exec.Command(os.Getenv("TESLA"), args...), ended: make(chan error, 1)}
	s.command.Stderr = os.Stderr
	out, err := s.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	go func() { s.ended <- s.command.Wait() }()
	if err != nil {
		t.Fatalf("tesla web printed no address: %v", err)
	}
	s.url = strings.TrimSuffix(strings.TrimSpace(line), "/")
	t.Cleanup(s.interrupt)
	return s
}

// interrupt ends the server as Ctrl-C does: it must end with 0.
func (s *server) interrupt() {
	if s.command.ProcessState != nil {
		return
	}
	if err := s.command.Process.Signal(syscall.SIGINT); err != nil {
		return // it was killed
	}
	select {
	case err := <-s.ended:
		if err != nil {
			s.t.Errorf("tesla web after SIGINT: %v", err)
		}
	case <-time.After(patience):
		_ = s.command.Process.Kill()
		s.t.Error("tesla web does not end on SIGINT")
	}
}

// kill ends the server at once.
func (s *server) kill() {
	s.t.Helper()
	if err := s.command.Process.Kill(); err != nil {
		s.t.Fatal(err)
	}
	<-s.ended
}

// page is a tab.
type page struct {
	t     *testing.T
	ctx   context.Context
	close context.CancelFunc

	mu     sync.Mutex
	errors []string // that the page logged
	away   bool     // the server is: that it cannot be reached is no error
}

// open opens a page in a tab of 1600 x 1000 and waits until it is ready.
func open(t *testing.T, url string) *page {
	t.Helper()
	p := tab(t, 1600)
	p.do(chromedp.Navigate(url))
	p.wait(`document.body.dataset.ready === "1"`)
	return p
}

// tab opens an empty tab, in a window of its own: one in the background draws nothing. What the page logs as an error fails the test.
func tab(t *testing.T, width int) *page {
	t.Helper()
	p := &page{t: t}
	ctx, stop := chromedp.NewContext(browser, chromedp.WithNewBrowserContext(), chromedp.WithListener(p.hear))
	p.ctx, p.close = ctx, stop
	p.ready() // without a limit of time, which would end the tab
	p.theme("light", width)
	t.Cleanup(func() {
		stop()
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, text := range p.errors {
			t.Errorf("the page logged: %s", text)
		}
	})
	return p
}

func (p *page) hear(e any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := e.(type) {
	case *runtime.EventExceptionThrown:
		p.errors = append(p.errors, thrown(e.ExceptionDetails))
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError && !p.away {
			p.errors = append(p.errors, e.Entry.Text+" "+e.Entry.URL)
		}
	}
}

// lose says whether the server may be away.
func (p *page) lose(away bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away = away
}

// ready opens the tab.
func (p *page) ready() {
	p.t.Helper()
	if err := chromedp.Do(p.ctx); err != nil {
		p.t.Fatal(err)
	}
}

func (p *page) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 2*patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// ask evaluates an expression.
func ask[T any](p *page, expression string) (value T) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 2*patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// run runs a script for what it does.
func (p *page) run(script string) {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](script))
}

// text is the text of an element.
func (p *page) text(selector string) string {
	p.t.Helper()
	return ask[string](p, fmt.Sprintf("document.querySelector(%q)?.textContent ?? ''", selector))
}

// wait waits until an expression is true.
func (p *page) wait(condition string) {
	p.t.Helper()
	holds := "(() => { try { return Boolean(" + condition + ") } catch { return false } })()" // a page that is being loaded lacks much
	for end := time.Now().Add(patience); !ask[bool](p, holds); time.Sleep(25 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("the page never came to %s; it says: %.600s", condition, ask[string](p, "document.body?.innerText ?? ''"))
		}
	}
}

// changes waits until the text of an element is another one.
func (p *page) changes(selector string) {
	p.t.Helper()
	p.wait(fmt.Sprintf("document.querySelector(%q).textContent !== %q", selector, p.text(selector)))
}

func (p *page) click(selector string) {
	p.t.Helper()
	p.do(chromedp.Click(chromedp.CSS(selector)))
}

// fill types a value into a field and submits its form.
func (p *page) fill(selector, value string) {
	p.t.Helper()
	p.run(fmt.Sprintf("{ const e = document.querySelector(%q); e.value = %q; e.form.requestSubmit() }", selector, value))
}

func (p *page) key(keys string) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys))
}

// hover moves the mouse over an element.
func (p *page) hover(selector string) {
	p.t.Helper()
	at := ask[[]float64](p, fmt.Sprintf("(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector(%q).getBoundingClientRect())", selector))
	p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]))
}

// square clicks on a square of the board.
func (p *page) square(name string) {
	p.t.Helper()
	at := ask[[]float64](p, fmt.Sprintf("(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector('#board .square[data-square=%s]').getBoundingClientRect())", name))
	p.do(chromedp.MouseClickXY(at[0], at[1]))
}

// shifts begins to add up the layout shifts that nobody's input caused; see steady. Bars, and moves in the table and lines,
// which change their order as they are searched, are meant to move.
func (p *page) shifts() {
	p.t.Helper()
	p.run(`const ordered = s => (s.node?.closest ? s.node : s.node?.parentElement)?.closest("#moves tbody, #lines, #tree, #bar, #wdl")
		window.shifted = 0; window.movers = []; new PerformanceObserver(l => l.getEntries().filter(e => !e.hadRecentInput && !e.sources.every(ordered)).forEach(e => {
		window.shifted += e.value
		window.movers.push(...e.sources.filter(s => !ordered(s)).map(s => (s.node?.outerHTML ?? "text in " + s.node?.parentElement?.outerHTML).slice(0, 120)))
	})).observe({type: "layout-shift"})`)
}

// steady checks that nothing moved since shifts.
func (p *page) steady() {
	p.t.Helper()
	if moved := ask[float64](p, "window.shifted"); moved > 0.005 {
		p.t.Errorf("the layout moved by %.3f while numbers changed: %v", moved, ask[[]string](p, "window.movers.slice(0, 8)"))
	}
}

// theme shows the page light or dark, at a width, and without animations, which cost time.
func (p *page) theme(name string, width int) {
	p.t.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"}}}
	p.do(chromedp.EmulateViewport(int64(width), 1000), chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, media)
		return err
	}))
}

// thrown is an exception in words.
func thrown(d *runtime.ExceptionDetails) string {
	text := d.Text
	if d.Exception != nil {
		text += " " + d.Exception.Description
	}
	return fmt.Sprintf("%s (%s:%d)", text, d.URL, d.LineNumber+1)
}
