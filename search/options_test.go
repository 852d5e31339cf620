package search

import (
	"strings"
	"testing"
)

func TestSetOptions(t *testing.T) {
	type inner struct{ Fast bool }
	type options struct {
		inner
		Plies, Men int `max:"50"`
		Count      int
		Share      float64
		Reach      float64 `max:"10"`
	}
	var o options
	if err := SetOptions(&o, " FAST=on plies=50 count=1000 share=0.5 reach=10"); err != nil {
		t.Error(err)
	}
	if want := (options{inner: inner{true}, Plies: 50, Count: 1000, Share: 0.5, Reach: 10}); o != want {
		t.Errorf("%+v, want %+v", o, want)
	}
	o.Fast = false
	if err := SetOptions(&o, "Fast"); err != nil || !o.Fast {
		t.Error("the name of a bool alone:", err)
	}
	for _, c := range [][2]string{
		{"wings=on", "the options are fast, plies, men, count, share, reach"}, {"inner=1", "no option"}, {"fast=", "neither on nor off"}, {"plies", "not an integer"},
		{"plies=51", "from 0 to 50"}, {"plies=2.5", "not an integer"}, {"count=1001", "from 0 to 1000"}, {"count=-1", "not an integer"},
		{"share=1.1", "from 0 to 1"}, {"share=NaN", "not a number"}, {"reach=11", "from 0 to 10"},
	} {
		if err := SetOptions(&o, c[0]); err == nil || !strings.Contains(err.Error(), c[1]) || !strings.Contains(err.Error(), c[0]) {
			t.Errorf("%s: %v, want %q", c[0], err, c[1])
		}
	}
}
