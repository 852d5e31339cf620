package fleet

import (
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

// queue is a fleet as a closed queueing network: slots that play a unit for think, and a host that takes the units one
// after the other, each in serve. It returns the units a second that some slots finish, by mean value analysis (Reiser and
// Lavenberg 1980).
func queue(slots int, think, serve time.Duration) (rate float64) {
	waiting := 0.0 // units at the host
	for n := 1; n <= slots; n++ {
		at := serve.Seconds() * (1 + waiting)
		rate = float64(n) / (think.Seconds() + at)
		waiting = rate * at
	}
	return rate
}

// TestPlan measures what the host needs for a unit, foretells by it the speed of 2, 4 and 8 worker processes whose players
// wait and do not compute, and measures that. Then it says what larger fleets would give (docs/plan.md).
func TestPlan(t *testing.T) {
	if os.Getenv("TESLA_LONG") == "" {
		t.Skip("TESLA_LONG is not set")
	}
	measure := func(role string, processes, units int) (each time.Duration) {
		at := serve(t, "")
		for i := range processes {
			c := exec.Command(os.Args[0], "-test.run=^TestProcess$")
			c.Env = append(os.Environ(), roleVariable+"="+role+" w"+strconv.Itoa(i), atVariable+"="+at.Server)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = c.Process.Kill()
				_ = c.Wait()
			}()
		}
		await(t, "the workers", func() bool { s, err := Look(t.Context(), at); return err == nil && len(s.Workers) == processes })
		c := fleetOf(game(t, 2*units), at)
		c.Distributor.(*Host).Beat = Beat
		began := time.Now()
		play(t, c)
		return time.Since(began) / time.Duration(units)
	}
	host := measure("hasty", 2, 400)
	think := measure("player", 1, 10) - host
	t.Logf("the host takes %v for a unit, a slot plays %v", host.Round(10*time.Microsecond), think.Round(time.Millisecond))
	for _, n := range []int{2, 4, 8} {
		want, got := queue(n, think, host), 1/measure("player", n, 10*n).Seconds()
		t.Logf("%d processes: %.2f units a second, foretold %.2f", n, got, want)
		if got < 0.9*want || got > 1.1*want {
			t.Errorf("%d processes: want %.2f", n, want)
		}
	}
	for _, game := range []time.Duration{time.Second, 10 * time.Second, time.Minute} {
		for _, n := range []int{64, 1000} {
			rate := queue(n, 2*game, host)
			t.Logf("games of %v, %d slots: %.0f games a minute, %.0f %% of what the slots could", game, n, 120*rate, 100*rate*2*game.Seconds()/float64(n))
		}
	}
}
