package engine

import (
	"strings"
	"testing"
)

// Every option sets a field of the settings, by its name and by its flag, and refuses what is out of its range.
func TestOptions(t *testing.T) {
	for _, c := range []struct{ name, flag, value, bad, want string }{
		{"Threads", "threads", "3", "0", "0 is not in 1..1024"},
		{"Hash", "hash", "5", "99999999", "99999999 is not in 1..33554432"},
		{"UCI_LimitStrength", "", "true", "1", "neither true nor false"},
		{"UCI_Elo", "", "1500", "100", "100 is not in 990..2560"},
		{"Search", "search", "puct", "minimax", "want one of auto, bestfirst, puct, lazysmp, mtdf, pvsplit, jamboree"},
		{"Backend", "backend", "mock", "abacus", "want one of auto, cuda, tensorrt, cpu, nnue, mock, remote"},
		{"WeightsFile", "weights", "net.tesla", "", ""},
		{"Server", "server", "gpu:8001/tesla", "", ""},
		{"ServerToken", "server-token", "sesame", "", ""},
		{"ServerCA", "server-ca", "ca.pem", "", ""},
		{"BatchSize", "", "7", "-1", "-1 is not in 0..1024"},
		{"TreeMemory", "", "9", "0", "0 is not in 1..33554432"},
		{"LeafDepth", "leaf-depth", "-1", "-2", "-2 is not in -1..20"},
		{"SearchOptions", "search-options", "evidence=0", "", ""},
		{"Hosts", "hosts", "tree.txt", "", ""},
		{"VerboseMoveStats", "", "true", "", "neither true nor false"},
		{"SyzygyPath", "syzygy", "a:b c", "", ""},
		{"SyzygyProbeDepth", "", "7", "0", "0 is not in 1..100"},
		{"Syzygy50MoveRule", "", "false", "off", "neither true nor false"},
		{"SyzygyProbeLimit", "", "5", "8", "8 is not in 0..7"},
		{"GaviotaTbPath", "gaviota", "a:b c", "", ""},
		{"GaviotaTbCache", "", "7", "0", "0 is not in 1..33554432"},
	} {
		set, value := Default(), map[string]string{}
		set.LeafDepth = 2
		before := set
		if err := set.Set(strings.ToLower(c.name), c.value); err != nil || set == before {
			t.Errorf("%s: %v, %+v", c.name, err, set)
		}
		for _, o := range set.Options() {
			value[o.Name] = o.String()
			if o.Name == c.name && (o.Flag != c.flag || o.Flag != "" && o.Help == "" || !o.Remake) {
				t.Errorf("%+v", o)
			}
		}
		if value[c.name] != c.value {
			t.Errorf("%s is %q, want %q", c.name, value[c.name], c.value)
		}
		if c.flag != "" {
			again := before
			if err := again.Set(c.flag, c.value); err != nil || again != set {
				t.Errorf("by the flag %s: %v, %+v", c.flag, err, again)
			}
		}
		if c.want == "" {
			continue
		}
		is := set
		if err := set.Set(c.name, c.bad); err == nil || !strings.Contains(err.Error(), "option "+c.name) || !strings.Contains(err.Error(), c.want) || set != is {
			t.Errorf("%s %q: %v, want %q", c.name, c.bad, err, c.want)
		}
	}
	set := Default()
	if n := len(set.Options()); n != 22 {
		t.Errorf("%d options, the table has 22", n)
	}
	if err := set.Set("Contempt", "1"); err == nil || !strings.Contains(err.Error(), `"Contempt": there are Threads, Hash`) {
		t.Error(err)
	}
}

// Validate names all that is wrong at once.
func TestValidate(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Error(err)
	}
	set := Default()
	set.Threads, set.Search, set.LeafDepth = 0, "minimax", 50
	for _, want := range []string{"Threads", "Search", "minimax", "LeafDepth", "50"} {
		if err := set.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for search, words := range map[string]string{"bestfirst": "cpuct=1", "puct": "evidence=0", "lazysmp": "plain=maybe"} {
		set := Default()
		set.Search, set.SearchOptions = search, words
		if err := set.Validate(); err == nil || !strings.Contains(err.Error(), "SearchOptions") || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", search, err)
		}
	}
}
