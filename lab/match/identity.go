package match

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"tesla/batcher"
	"tesla/board"
	"tesla/lab/watchdog"
	"tesla/search"
	"tesla/uci/client"
)

// What a player plays with is told by the searcher in process, and by Tesla as an engine in a line such as
//
//	info string backend cpu, net eut-s c5a25b0d9fc6, 2 threads
//
// Other engines have no word for it.
var backendLine = regexp.MustCompile(`^backend ([^ ,]+), net ([^,]*)`)

// playsText is a backend with its net, if it has one.
func playsText(backend, net string) string {
	if net = strings.TrimSpace(net); net == "" {
		return "backend " + backend
	}
	return "backend " + backend + ", net " + net
}

// sizeText is the threads and the memory of a player; empty where neither is known.
func sizeText(threads, hash string) (text string) {
	if threads != "" {
		text += ", threads " + threads
	}
	if hash != "" {
		text += ", hash " + hash + " MiB"
	}
	return text
}

// playsOf is what a searcher in process plays with; empty: not known.
func playsOf(w *watchdog.Searcher) string {
	s, ok := search.As[interface{ Backend() batcher.Info }](w.Unwrap())
	if !ok {
		return ""
	}
	info := s.Backend()
	text := playsText(info.Name, info.ModelName+" "+info.Model)
	if s, ok := search.As[interface{ Size() (threads, hash int) }](w.Unwrap()); ok {
		threads, hash := s.Size()
		text += sizeText(strconv.Itoa(threads), strconv.Itoa(hash))
	}
	return text
}

// hear takes an "info string" of an engine.
func (s *seat) hear(text string) {
	if found := backendLine.FindStringSubmatch(text); found != nil && !s.foreign {
		s.identify(playsText(found[1], found[2]) + s.size)
	} else if strings.HasPrefix(strings.ToLower(text), "error") {
		s.happened(errorSaid, 1, text)
	}
}

// identify takes what the seat's player plays with. It must be the same in all games of a match.
func (s *seat) identify(plays string) {
	if plays == "" {
		return
	}
	if first := s.shared.identify(s.side, plays); first != "" {
		s.happened(otherNet, 1, fmt.Sprintf("it plays with %s, not with %s as at first", plays, first))
	}
}

// prepare starts the seat's player before the first game, and refuses one that does not play as it was asked to. A
// Tesla in a process of its own opens its backend in its first search, so it makes one.
func (s *seat) prepare(ctx context.Context) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	s.fresh = true
	if e, ok := s.instance.(*engine); ok && strings.HasPrefix(e.ID(), "Tesla") {
		limits, patience := search.Limits{Nodes: 1}, &s.config.Patience
		_, err := e.Search(ctx, board.NewGame(board.StartPosition()), limits, patience.Start, patience.Grace)
		if err == nil {
			err = e.NewGame(ctx)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("starting %s: its first search: %w", s.name, err)
		}
	}
	for _, kind := range []incident{errorSaid, otherNet} {
		if text := s.text(kind); text != "" {
			return fmt.Errorf("wrong settings of %s: %w: %s", s.name, client.ErrOption, text)
		}
	}
	plays, _ := s.shared.identity(s.side)
	asked := cmp.Or(s.spec.Backend, s.spec.Option("Backend"))
	backend, _, _ := strings.Cut(strings.TrimPrefix(plays, "backend "), ",")
	if asked != "" && backend != "" && !strings.EqualFold(asked, "auto") && !strings.EqualFold(asked, backend) {
		return fmt.Errorf("wrong settings of %s: %s, want %s", s.name, plays, asked)
	}
	return nil
}
