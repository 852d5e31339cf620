package treemachine

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"tesla/internal/bus"
	"tesla/uci/client"
)

// Root is the name of the process that searches for a move.
const Root = "root"

// local is the host on which a node's parent runs.
const local = "local"

// Node is a process of the tree.
type Node struct {
	Name     string
	Host     string // on which it runs: local, or the name of a node server
	Children []*Node
}

// Hosts is a tree of processes, and how they are connected.
type Hosts struct {
	Bus      bus.Address // of a NATS server; no server: the root has one, on loopback
	Engine   *Engine     // that searches on all nodes; nil: this program does
	Children []*Node     // of the root
}

// localTree is a root with n children on its own host.
func localTree(n int) *Hosts {
	h := &Hosts{}
	for i := range n {
		h.Children = append(h.Children, &Node{Name: "n" + strconv.Itoa(i+1), Host: local})
	}
	return h
}

// ReadHosts reads a file that describes a tree. Each line names a node and its children with their hosts, parents first:
//
//	# comment
//	bus tls://hub:4222 token=SECRET ca=cert.pem
//	engine stockfish; Hash=64; Skill Level=20
//	root: n1@local n2@sunwapta
//	n2: n3@local n4@jasper
//
// The error names the line.
func ReadHosts(path string) (*Hosts, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("hosts: %w", err)
	}
	defer f.Close() // it was only read
	r := hostsReader{nodes: map[string]*Node{Root: {Name: Root, Host: local}}, lines: map[string]int{}}
	lines, number := bufio.NewScanner(f), 0
	for lines.Scan() {
		number++
		text, _, _ := strings.Cut(lines.Text(), "#")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if err := r.line(text, number); err != nil {
			return nil, fmt.Errorf("hosts %s: line %d: %w", path, number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("hosts %s: line %d: %w", path, number+1, err)
	}
	if err := r.whole(); err != nil {
		return nil, fmt.Errorf("hosts %s: %w", path, err)
	}
	return &Hosts{r.bus, r.engine, r.nodes[Root].Children}, nil
}

type hostsReader struct {
	bus    bus.Address
	engine *Engine
	nodes  map[string]*Node // all that were named, by name
	lines  map[string]int   // where the children of a node are named
	remote int              // the first line with another host; 0: none
}

// word is the name of a node or of a host. It becomes a part of NATS subjects.
var word = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func (r *hostsReader) line(text string, number int) error {
	if address, ok := strings.CutPrefix(text, "bus "); ok {
		return r.readBus(strings.Fields(address))
	}
	if words, ok := strings.CutPrefix(text, "engine "); ok {
		return r.readEngine(strings.Split(words, ";"))
	}
	parent, children, ok := strings.Cut(text, ":")
	if !ok {
		return fmt.Errorf(`%q: want "bus HOST:PORT", "engine PROGRAM", or a node, a colon and its children as NAME@HOST`, text)
	}
	parent = strings.TrimSpace(parent)
	n := r.nodes[parent]
	if n == nil {
		return fmt.Errorf("no parent of node %q: the line that names it as a child comes first", parent)
	}
	if before := r.lines[parent]; before > 0 {
		return fmt.Errorf("second line with the children of %s, first is line %d", parent, before)
	}
	r.lines[parent] = number
	for _, child := range strings.Fields(children) {
		name, host, _ := strings.Cut(child, "@")
		switch {
		case !word.MatchString(name) || !word.MatchString(host):
			return fmt.Errorf("%q: want NAME@HOST, both of letters, digits, - and _", child)
		case r.nodes[name] != nil:
			return fmt.Errorf("node %s twice", name)
		case host != local && r.remote == 0:
			r.remote = number
		}
		r.nodes[name] = &Node{Name: name, Host: host}
		n.Children = append(n.Children, r.nodes[name])
	}
	if len(n.Children) == 0 {
		return fmt.Errorf("no children of node %s: leave the line out", parent)
	}
	return nil
}

func (r *hostsReader) readBus(words []string) error {
	if r.bus.Server != "" {
		return errors.New("a second bus")
	}
	for i, w := range words {
		name, value, _ := strings.Cut(w, "=")
		switch {
		case i == 0:
			r.bus.Server = w
		case name == "token" && value != "":
			r.bus.Token = value
		case name == "ca" && value != "":
			r.bus.CA = value
		default:
			return fmt.Errorf("%q: want token=TOKEN and ca=FILE after the address", w)
		}
	}
	return r.bus.Validate()
}

func (r *hostsReader) readEngine(words []string) error {
	if r.engine != nil {
		return errors.New("a second engine")
	}
	r.engine = &Engine{Path: strings.TrimSpace(words[0])}
	for _, w := range words[1:] {
		name, value, ok := strings.Cut(w, "=")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return fmt.Errorf("%q: want options after the program of an engine, each as ; NAME=VALUE", strings.TrimSpace(w))
		}
		r.engine.Options = append(r.engine.Options, client.Option{Name: name, Value: strings.TrimSpace(value)})
	}
	return nil
}

// whole checks what no single line shows.
func (r *hostsReader) whole() error {
	switch {
	case len(r.nodes[Root].Children) == 0:
		return fmt.Errorf("no line with the children of %s", Root)
	case r.remote > 0 && r.bus.Server == "":
		return fmt.Errorf("line %d: nodes on other hosts without a line with the bus that connects them", r.remote)
	}
	return nil
}
