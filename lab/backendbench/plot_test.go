package backendbench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tesla/batcher"
)

func TestPlotRates(t *testing.T) {
	rows := []batcher.Row{{Batch: 1, EPSMedian: 100, RawEPS: 120}, {Batch: 16, EPSMedian: 900, RawEPS: 1000}}
	file := filepath.Join(t.TempDir(), "rates.svg")
	if err := plotRates(rows, file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), "<svg") || !strings.Contains(string(text), "the net alone") {
		t.Errorf("%v: %.80s", err, text)
	}
	if err := plotRates(rows, filepath.Join(t.TempDir(), "none", "rates.svg")); err == nil {
		t.Error("a plot into a folder that is missing")
	}
}
