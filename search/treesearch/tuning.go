package treesearch

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"tesla/search"
)

// Regime is how leaves get their values. Each regime has its own defaults: the values of deepened leaves are to be
// trusted more, the policy less, and trees of them are small.
type Regime string

const (
	// Plain leaves have the backend's value, after quiescence.
	Plain Regime = "plain"
	// Deepened leaves have the value of an alpha-beta search, by a Deepener.
	Deepened Regime = "deepened"
)

// Tunable is a field of a search's Tuning, as the field's tag declares it:
//
//	FPU float64 `plain:"0.057" deepened:"0" max:"4" step:"0.05" text:"q that an untried edge is worth less"`
//
// deepened may be left out where both regimes have one default, and step where it makes no sense to tune the field. A
// switch is a bool, on or off. Numbers go from 0 to max.
type Tunable struct {
	Name     string // the word that sets it, see search.SetOptions
	Text     string
	Defaults map[Regime]string
	Max      float64 // of a switch 1
	Step     float64 // by which tuning moves it at first; 0: it is not tuned
}

// Tunables are the fields of the struct that tuning points to. It panics where a tag is wrong: a test calls it for each
// Tuning.
func Tunables(tuning any) (all []Tunable) {
	for _, f := range reflect.VisibleFields(reflect.TypeOf(tuning).Elem()) {
		t := Tunable{Name: strings.ToLower(f.Name), Text: f.Tag.Get("text"), Max: 1,
			Defaults: map[Regime]string{Plain: f.Tag.Get(string(Plain)), Deepened: f.Tag.Get(string(Deepened))}}
		if t.Defaults[Deepened] == "" {
			t.Defaults[Deepened] = t.Defaults[Plain]
		}
		for tag, to := range map[string]*float64{"max": &t.Max, "step": &t.Step} {
			if text, ok := f.Tag.Lookup(tag); ok {
				x, err := strconv.ParseFloat(text, 64)
				if err != nil {
					panic(fmt.Sprintf("%s: %s: %v", f.Name, tag, err))
				}
				*to = x
			}
		}
		all = append(all, t)
	}
	return all
}

// SetDefaults sets the struct that tuning points to the defaults of a regime.
func SetDefaults(tuning any, regime Regime) {
	for _, t := range Tunables(tuning) {
		if err := search.SetOptions(tuning, t.Name+"="+t.Defaults[regime]); err != nil {
			panic(fmt.Sprintf("%s: %v", regime, err))
		}
	}
}

// RegimeOf is the regime of leaves that are deepened or not.
func RegimeOf(deepened bool) Regime {
	if deepened {
		return Deepened
	}
	return Plain
}
