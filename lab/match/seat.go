package match

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"tesla/board"
	"tesla/lab/match/player"
	"tesla/search"
	"tesla/uci/client"
)

// How a player fails. A player that crashed or hangs is closed and replaced. errSearch ends the match: the evaluation
// of a player in process failed, and the game in hand says nothing about either player.
var (
	errSearch  = errors.New("the search failed")
	errCrash   = client.ErrCrash
	errHang    = client.ErrHang
	errIllegal = client.ErrIllegal
)

// startTries is how often in a row a player is started before the match is given up.
const startTries = 3

// reply is a move and what its player said about it. A time is zero where the search did not begin, or no move came.
type reply struct {
	move    board.Move
	ponder  board.Move // the answer that its player expects; NullMove: it named none
	info    search.Info
	scored  bool          // info holds a score
	took    time.Duration // the time that the clock is charged: arrived less begun where a move came
	begun   time.Time     // just before the player was told to go
	arrived time.Time     // when its move was there
}

// instance is a running player. Its methods block until the player has answered, or at most for the time that they say.
// Errors wrap errSearch, errCrash, errHang or errIllegal, or are those of ctx.
type instance interface {
	// NewGame waits for Patience.Start at most.
	NewGame(ctx context.Context) error
	// move searches the game's position. After allowance, or when ctx ends, the player is told to stop, and given
	// Patience.Grace.
	move(ctx context.Context, g *board.Game, limits search.Limits, allowance time.Duration) (reply, error)
	// ponder begins to search a position that the opponent's next move may bring about. It does not wait for the player.
	// hit or miss must follow before any other call.
	ponder(ctx context.Context, g *board.Game, limits search.Limits) error
	// hit says that the opponent has made that move, and waits as move does.
	hit(ctx context.Context, allowance time.Duration) (reply, error)
	// miss ends the search. It waits for Patience.Grace at most.
	miss(ctx context.Context) error
	Close()
	// Kill ends the player without asking it to quit, where that can be done.
	Kill()
}

// seat is one player at one board: who it is, and the instance that plays, which is nil until it is needed.
type seat struct {
	config    *Config
	spec      *player.Player
	name      string
	condition player.Condition
	session   player.Session // of a player in process
	chess960  bool
	shared    *shared
	side      int // index of the player: 0 is A
	slot      slot
	instance  instance
	made      time.Duration // how long the slowest searcher of this seat took to be made; 0: none was
	foreign   bool          // it is known by its name: only Tesla tells backend and net
	size      string        // of an engine: see sizeText
	fresh     bool          // the instance has begun a new game and not moved
	ponders   bool          // it may ponder
	pondering bool          // it ponders now
	expected  board.Move    // the opponent's move on which it ponders, or pondered last
	hangs     int           // searches in process that hung, in a row
	happenings
}

// ready starts the player where none runs, and begins a new game. A player that crashes or hangs in doing so is
// replaced. An error means that it did so three times in a row, or cannot be started for a reason that another try
// would not change.
func (s *seat) ready(ctx context.Context) error {
	if s.fresh {
		s.fresh = false
		return nil
	}
	for started := 0; ; {
		if s.instance == nil {
			started++
		}
		err := s.begin(ctx)
		if err == nil {
			return nil
		}
		s.close()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case !errors.Is(err, errCrash) && !errors.Is(err, errHang):
			return fmt.Errorf("starting %s: %w", s.name, err)
		case started == startTries:
			return fmt.Errorf("starting %s, %d times in a row: %w", s.name, started, err)
		}
		s.happened(restarted, 1, fmt.Sprintf("it is started again: %v", err))
	}
}

func (s *seat) begin(ctx context.Context) (err error) {
	switch {
	case s.instance != nil:
	case s.spec.Cmd != "":
		s.instance, err = startEngine(ctx, s)
	default:
		s.instance, err = startLocal(ctx, s)
	}
	if err != nil {
		return err
	}
	if err := s.instance.NewGame(ctx); err != nil {
		return fmt.Errorf("new game: %w", err)
	}
	return nil
}

// abandoned counts a hang of a searcher in process, whose memory stays, and reports whether there were startTries in a row.
func (s *seat) abandoned() bool {
	if _, inProcess := s.instance.(*local); !inProcess {
		return false
	}
	s.hangs++
	return s.hangs == startTries
}

// closeAll closes the players of some seats, or kills them where the match was interrupted: each may take its time.
func closeAll(ctx context.Context, seats []*seat) {
	var closing sync.WaitGroup
	for _, s := range seats {
		closing.Go(func() {
			if ctx.Err() != nil && s.instance != nil {
				s.instance.Kill()
				s.instance = nil
			}
			s.close()
		})
	}
	closing.Wait()
}

func (s *seat) close() {
	s.fresh = false
	if s.instance != nil {
		s.instance.Close()
		s.instance = nil
	}
}
