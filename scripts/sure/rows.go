package main

import (
	"encoding/json"
	"io"

	"tesla/search/sure"
)

// Row is a look with what came of it, for fit.py. Features and PairFeatures are those of package sure.
type Row struct {
	Player  string       `json:"player"`
	Game    string       `json:"game"`
	Threads int          `json:"threads"`
	Effort  float64      `json:"effort"`
	Regret  float64      `json:"regret"` // expected points that the first move loses against the best
	Score   float64      `json:"score"`  // the reference's expected points of the first move
	Q       float64      `json:"q"`      //
	Stays   *bool        `json:"stays"`  // the first move is first after ten times the effort; nil: the search was shorter
	X       []float64    `json:"x"`      //
	Gap     *float64     `json:"gap"`    // in q, to the second move of a tree
	Pairs   [][4]float64 `json:"pairs"`  // of a tree: 1 where the reference thinks the first move better, a half where equal; PairVector
	Facts   *sure.Facts  `json:"facts"`  //
}

// header is the first row: the names of the features.
type header struct {
	Features []string  `json:"features"`
	Within   float64   `json:"within"`
	Players  []string  `json:"players"`
	Efforts  []float64 `json:"efforts"` // of the players
}

// writeRows writes the rows of a log, after a header.
func writeRows(out io.Writer, path string) error {
	to := json.NewEncoder(out)
	h := header{Features: sure.Features[:], Within: sure.Within}
	for _, p := range players {
		h.Players, h.Efforts = append(h.Players, p.name), append(h.Efforts, max(p.nodes, p.evals))
	}
	if err := to.Encode(h); err != nil {
		return err
	}
	return each(path, func(r *Record) error {
		top := 0.0
		for _, cp := range r.Scores {
			top = max(top, sure.Points(cp))
		}
		for _, who := range players {
			looks := r.Looks[who.name]
			for i := range looks {
				if err := to.Encode(row(r, who.name, looks, i, top)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func row(r *Record, player string, looks []Look, i int, top float64) *Row {
	l := &looks[i]
	f := &l.Facts
	x := sure.Vector(f)
	w := &Row{Player: player, Game: r.Game, Threads: r.Threads, Effort: f.Effort, Score: sure.Points(r.Scores[l.First]), Q: f.Q, X: x[:], Facts: f}
	w.Regret = top - w.Score
	for k := i; k < len(looks); k++ { // the last look before the effort is ten times as great, of a search that went on
		if looks[k].Facts.Effort*spacing >= 10*f.Effort {
			same := looks[k].First == l.First
			w.Stays = &same
			break
		}
	}
	second := -2.0
	for k := 1; k < len(f.Rivals); k++ {
		second = max(second, f.Rivals[k].Q)
		cp, scored := r.Scores[l.Rivals[k]]
		if !scored {
			continue
		}
		y := 0.5
		if own := r.Scores[l.First]; own != cp {
			y = 0
			if own > cp {
				y = 1
			}
		}
		v := sure.PairVector(f, k)
		w.Pairs = append(w.Pairs, [4]float64{y, v[0], v[1], v[2]})
	}
	if len(f.Rivals) > 1 {
		gap := f.Q - second
		w.Gap = &gap
	}
	return w
}
