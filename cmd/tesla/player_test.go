package main

import (
	"strings"
	"testing"

	"tesla/engine"
	"tesla/lab/match/player"
)

// A player's keys and options set the same settings as flags and setoption.
func TestPlayerSettings(t *testing.T) {
	p, err := player.Parse("name=x,search=PUCT,backend=remote,weights=net.tesla,threads=3,hash=5,evals=9,option.server=gpu:8001," +
		"option.BatchSize=7,option.TreeMemory=9,option.LeafDepth=-1,option.SearchOptions='cpuct=1.5 evidence=0',option.UCI_LimitStrength=true," +
		"option.UCI_Elo=1500,option.VerboseMoveStats=true")
	if err != nil {
		t.Fatal(err)
	}
	_, err = settingsOf(p)
	if err == nil || !strings.Contains(err.Error(), `SearchOptions: "evidence=0"`) {
		t.Errorf("words of another search: %v", err)
	}
	p.Options[4].Value = "cpuct=1.5"
	set, err := settingsOf(p)
	if err != nil {
		t.Fatal(err)
	}
	want := engine.Default()
	want.Threads, want.Hash, want.LimitStrength, want.Elo, want.Search, want.Backend, want.WeightsFile = 3, 5, true, 1500, "puct", "remote", "net.tesla"
	want.Server, want.BatchSize, want.TreeMemory, want.LeafDepth, want.SearchOptions, want.VerboseMoveStats = "gpu:8001", 7, 9, -1, "cpuct=1.5", true
	if set != want {
		t.Errorf("%+v, want %+v", set, want)
	}
	if set, err := settingsOf(player.Player{}); err != nil || set != engine.Default() {
		t.Errorf("%+v, %v", set, err)
	}
	if onDevice(player.Player{Search: "lazysmp", Backend: "cuda"}) || !onDevice(player.Player{Options: []player.Option{{Name: "Backend", Value: "cuda"}}}) {
		t.Error("alpha-beta evaluates with nnue whatever the backend, and an option can name the backend")
	}
}
