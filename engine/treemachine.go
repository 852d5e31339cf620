package engine

import (
	"tesla/search"
	"tesla/search/treemachine"
	"tesla/tablebase"
)

// treeMachine makes the searcher whose nodes are processes.
func (e *Engine) treeMachine(b parts, set *Settings, words treemachine.Words, prober *tablebase.Prober) (search.Searcher, error) {
	net, err := nnueOf(b.net)
	if err != nil {
		return nil, err
	}
	fit, err := set.fit(b.net.Path)
	if err != nil {
		return nil, err
	}
	return treemachine.New(treemachine.Config{
		Words: words, Hosts: set.Hosts, Nodes: set.Threads, Commit: Commit(), Net: net, Weights: b.net.Path, Table: e.table,
		LeafDepth: set.leafDepth(b.Info().Name), TreeMemory: set.TreeMemory << 20, Backend: b.Backend, Tables: prober,
		Fit: fit, Verbose: set.VerboseMoveStats,
	})
}
