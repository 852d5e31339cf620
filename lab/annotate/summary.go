package annotate

import (
	"encoding/json"
	"fmt"
	"io"
)

// Summary is what was found in one game.
type Summary struct {
	Game    int     `json:"game"` // of the file, from 1
	White   string  `json:"white"`
	Black   string  `json:"black"`
	Result  string  `json:"result"`
	ECO     string  `json:"eco,omitempty"`
	Opening string  `json:"opening,omitempty"`
	Theory  int     `json:"theory"` // plies
	Sides   [2]Side `json:"sides"`  // White, Black
}

func (f *File) tell(asked int, effort float64) error {
	result := struct {
		Games     int       `json:"games"`
		Skipped   int       `json:"skipped"`
		Positions int       `json:"positions"`
		Searches  int       `json:"searches"`
		Effort    float64   `json:"effort"` // mean of a position, in limits
		Summaries []Summary `json:"summaries"`
		Label
	}{len(f.games), len(f.bad), f.searches(), asked, effort / float64(max(1, f.searches())), []Summary{}, f.label}
	for _, g := range f.games {
		if g.searches() == 0 {
			continue
		}
		s := Summary{g.Number, g.Tag("White"), g.Tag("Black"), g.Result, g.opening.Code, g.opening.Name, g.theory, [2]Side{g.white, g.black}}
		result.Summaries = append(result.Summaries, s)
	}
	if f.cfg.JSON {
		if err := json.NewEncoder(f.cfg.Print).Encode(result); err != nil {
			return fmt.Errorf("writing JSON: %w", err)
		}
		return nil
	}
	return f.print(f.cfg.Print, result.Summaries)
}

func (f *File) print(w io.Writer, all []Summary) error {
	for i := range all {
		s := &all[i]
		name := s.ECO
		if s.Opening != "" {
			name += " " + s.Opening
		}
		if _, err := fmt.Fprintf(w, "game %d: %s - %s %s  %s\n  White: %s\n  Black: %s\n", s.Game, s.White, s.Black, s.Result, name,
			&s.Sides[0], &s.Sides[1]); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s: %d games, %d of them judged\n", f.cfg.Out, len(f.games), len(all))
	return err
}
