package uci

import (
	"fmt"
	"math/rand/v2"

	"tesla/board"
	"tesla/board/book"
	"tesla/search"
)

// openBook reads the book of the option BookFile. Where it cannot be read there is none.
func (s *session) openBook() {
	s.book = nil
	if s.prefs.bookFile == "" {
		return
	}
	b, err := book.Open(s.prefs.bookFile)
	if err != nil {
		s.prefs.bookFile = ""
		s.fail("option BookFile: %v", err)
		return
	}
	s.book = b
	s.tell(fmt.Sprintf("book %s: %d entries", s.prefs.bookFile, b.Len()))
}

// fromBook answers a go by a move of the book, where one is to be played and the book has one. A search that has no end,
// or is asked for certain moves or a mate, is one of analysis, in which no book plays.
func (s *session) fromBook(j job) bool {
	lim := &j.limits
	if s.book == nil || !s.prefs.ownBook || int(j.pos.Fullmove) > s.prefs.bookDepth || lim.Infinite || lim.Ponder || lim.Mate > 0 || len(lim.SearchMoves) > 0 {
		return false
	}
	m, ok := s.book.Pick(j.game, rand.Float64())
	if !ok {
		return false
	}
	line := []board.Move{m}
	after := j.game.Clone()
	after.Play(m)
	if replies := s.book.Moves(after); len(replies) > 0 && replies[0].Weight > 0 {
		line = append(line, replies[0].Move)
	}
	s.tell(fmt.Sprintf("%s is one of %d moves of the book", j.pos.UCI(m, s.prefs.chess960), len(s.book.Moves(j.game))))
	j.cancel = func() {}
	s.job = j
	s.finish(&done{search: true, result: search.Result{Best: m, Info: search.Info{WDL: drawn, PV: line}}})
	return true
}
