package treesearch

import "testing"

type tuning struct {
	Width  float64 `plain:"0.5" deepened:"0" max:"4" step:"0.1" text:"a width"`
	Plies  int     `plain:"3" max:"9" text:"some plies"`
	Shared bool    `plain:"on" deepened:"off" text:"a switch"`
}

// What tags declare is read, and a field without a default for deepened leaves has the other one.
func TestTunables(t *testing.T) {
	var plain, deepened tuning
	SetDefaults(&plain, RegimeOf(false))
	SetDefaults(&deepened, RegimeOf(true))
	if plain != (tuning{0.5, 3, true}) || deepened != (tuning{0, 3, false}) {
		t.Errorf("defaults %v and %v", plain, deepened)
	}
	all := Tunables(&plain)
	if len(all) != 3 || all[0].Name != "width" || all[0].Max != 4 || all[0].Step != 0.1 || all[0].Text != "a width" {
		t.Errorf("%+v", all)
	}
	if all[1].Max != 9 || all[1].Step != 0 || all[1].Defaults[Deepened] != "3" || all[2].Max != 1 {
		t.Errorf("%+v", all)
	}
}

// A wrong tag is found by the first who reads it.
func TestWrongTags(t *testing.T) {
	for name, options := range map[string]any{
		"max": &struct {
			X float64 `plain:"1" max:"x"`
		}{},
		"a number": &struct {
			X float64 `plain:"on"`
		}{},
		"a switch": &struct {
			X bool `plain:"1"`
		}{},
		"no default": &struct {
			X int `max:"3"`
		}{},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: accepted", name)
				}
			}()
			SetDefaults(options, Plain)
		}()
	}
}
