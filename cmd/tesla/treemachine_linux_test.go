package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tesla/internal/bus"
	"tesla/uci/client/clienttest"
)

// childrenOf are the processes that a process has started.
func childrenOf(t *testing.T, pid int) (children []int) {
	t.Helper()
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, name := range files {
		text, _ := os.ReadFile(name) // a thread may have ended
		for _, word := range strings.Fields(string(text)) {
			if n, err := strconv.Atoi(word); err == nil {
				children = append(children, n)
			}
		}
	}
	return children
}

// answer reads the lines up to one with a word, which is the last.
func (p *program) answer(t *testing.T, word string) string {
	t.Helper()
	var all []string
	limit := time.After(30 * time.Second)
	for {
		select {
		case l, ok := <-p.lines:
			if !ok {
				t.Fatalf("it ended before %s: %v %s", word, all, &p.stderr)
			}
			if all = append(all, l.text); strings.HasPrefix(l.text, word) {
				return strings.Join(all, "\n")
			}
		case <-limit:
			t.Fatalf("no %s: %v %s", word, all, &p.stderr)
		}
	}
}

// reported reads reports up to one of at least a depth, and a time after the search began.
func (p *program) reported(t *testing.T, depth int, least time.Duration) {
	t.Helper()
	for ms := least.Milliseconds(); ; {
		all := p.answer(t, "info depth")
		report := depthAndTime.FindStringSubmatch(all[strings.LastIndexByte(all, '\n')+1:])
		if report == nil {
			continue // it is about a move of the root
		}
		at, _ := strconv.Atoi(report[1]) // digits
		took, _ := strconv.ParseInt(report[2], 10, 64)
		if at >= depth && took >= ms {
			return
		}
	}
}

var depthAndTime = regexp.MustCompile(`^info depth (\d+) .* time (\d+) `)

func (p *program) tell(lines ...string) { fmt.Fprintln(p.in, strings.Join(lines, "\n")) }

// TestTreeMachine plays on two worker processes by both methods, and kills one and then the other in the middle of a
// search: the search goes on, and then fails with a move. The processes end with the program.
func TestTreeMachine(t *testing.T) {
	for words, deep := range map[string]int{"": 6, "pvsplit=on": 12} {
		p := startProgram(t)
		p.tell("setoption name Search value treemachine", "setoption name Threads value 2", "setoption name Hash value 1",
			"setoption name VerboseMoveStats value true", "setoption name SearchOptions value "+words, "isready")
		if out := p.answer(t, "readyok"); strings.Contains(out, "error") {
			t.Fatal(out)
		}
		workers := childrenOf(t, p.cmd.Process.Pid)
		if len(workers) != 2 {
			t.Fatalf("%d worker processes", len(workers))
		}
		kill := func(pid int) { // it returns when the program knows, and is about to tell the tree
			if worker, err := os.FindProcess(pid); err != nil || worker.Kill() != nil {
				t.Error("a worker is gone")
			}
			for end := time.Now().Add(30 * time.Second); slices.Contains(childrenOf(t, p.cmd.Process.Pid), pid); time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("the program has not seen a worker end")
				}
			}
		}
		begun := time.Now()
		p.tell("go infinite")
		p.answer(t, "info depth 3")
		kill(workers[0])
		p.reported(t, deep, time.Since(begun)+500*time.Millisecond) // the tree has long been told
		p.tell("stop")
		if out := p.answer(t, "bestmove"); !strings.Contains(out, "tree machine: 1 nodes") || strings.Contains(out, "error") || strings.Contains(out, "bestmove 0000") {
			t.Errorf("%q, one worker killed: %s", words, out)
		}
		p.tell("go infinite")
		p.answer(t, "info depth")
		kill(workers[1])
		p.answer(t, "info string error: treemachine: all nodes of the tree are gone")
		p.tell("stop")
		if out := p.answer(t, "bestmove"); strings.Contains(out, "bestmove 0000") {
			t.Errorf("%q, both workers killed: %s", words, out)
		}
		if code, err := p.end(5 * time.Second); code != exitDone || err != nil {
			t.Errorf("%q: exit code %d, %v", words, code, err)
		}
	}
}

// TestTreeMachineHosts has the tree of a file, one of whose nodes is on another host and one below it: a node server
// starts them, on a bus with a token. A wrong file, and a host without a node server, are named by line and by name, and
// something plays instead. The nodes of a file that names a UCI engine search with it, and end with it.
func TestTreeMachineHosts(t *testing.T) {
	server, err := bus.Serve(bus.ServerOptions{Listen: "127.0.0.1:0", Token: "T"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	_, file := written(t)
	at := "bus " + server.Address() + " token=T\n"
	startProgram(t, "fleet", "node", server.Address(), "--token", "T", "--host", "far").answer(t, "far: nodes are started here")
	p := startProgram(t)
	p.tell("setoption name Search value treemachine", "setoption name Hash value 1", "setoption name VerboseMoveStats value true")
	search := func(hosts, limit string) string {
		p.tell("setoption name Hosts value "+hosts, "isready", "go "+limit)
		return p.answer(t, "bestmove")
	}
	for _, c := range []struct{ hosts, want string }{
		{file("wrong", at+"root: n1@local\nn9: n2@local\n"), `wrong: line 3: no parent of node "n9"`},
		{file("absent", at+"root: n1@nowhere\n"), "node n1 on host nowhere: no answer from a node server"},
		{file("strange", at+"engine sh\nroot: n1@far\n"), "engine sh not allowed by the node server"},
	} {
		if out := search(c.hosts, "evals 100"); !strings.Contains(out, c.want) || !strings.Contains(out, "searching with lazysmp on") {
			t.Errorf("want %s: %s", c.want, out)
		}
	}
	out := search(file("right", at+"root: n1@far\nn1: n2@local n3@local\n"), "depth 4")
	if !strings.Contains(out, "tree machine: 3 nodes") || strings.Contains(out, "error") {
		t.Error(out)
	}
	out = search(file("foreign", "engine "+clienttest.Script(t, "sound")+"; Hash=2\nroot: n1@local n2@local\n"), "evals 100")
	if !strings.Contains(out, "tree machine: 2 nodes") || strings.Contains(out, "error") || !strings.Contains(out, "score cp ") {
		t.Error(out)
	}
	out = search(file("crashing", "engine "+clienttest.Script(t, "crash")+"\nroot: n1@local\n"), "evals 100")
	if !strings.Contains(out, "error: treemachine: all nodes of the tree are gone") || strings.Contains(out, "bestmove 0000") {
		t.Error(out)
	}
	if code, err := p.end(5 * time.Second); code != exitDone || err != nil {
		t.Errorf("exit code %d, %v", code, err)
	}
	if !strings.Contains(p.stderr.String(), "the test engine crashes") {
		t.Errorf("why the node has ended: %s", p.stderr.String())
	}
}
