package bestfirst

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"
)

// FuzzReadFit reads any text as a change model. The tables of one that it accepts can be made.
func FuzzReadFit(f *testing.F) {
	for _, name := range []string{"fits/eut-s.json", "fits/nnue.json"} {
		text, err := fits.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	text, err := fits.ReadFile("fits/nnue.json")
	if err != nil {
		f.Fatal(err)
	}
	edited := append([]byte("\ufeff"), bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))...)
	if fit, err := ReadFit(edited); err != nil || fit.Net == "" {
		f.Errorf("with a byte order mark and CRLF: %+v (%v)", fit, err)
	}
	f.Add(edited)
	f.Add([]byte(`{"power":1e308,"nu":1.0000001,"spread":1e-308,"share":[1e-300,5]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		fit, err := ReadFit(text)
		if err != nil {
			return
		}
		if math.IsNaN(fit.Scale(0.1)) {
			t.Errorf("%q: the scale is not a number", text)
		}
		again, err := json.Marshal(fit)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := ReadFit(again); err != nil || back != fit {
			t.Errorf("%q reads back as %+v (%v)", text, back, err)
		}
	})
}
