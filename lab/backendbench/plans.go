package backendbench

import (
	"fmt"
	"strings"
	"time"

	"tesla/batcher"
	"tesla/engine"
)

// Plan is what was measured of a plan: a way in which a backend computes batches.
type Plan struct {
	Plan  string  `json:"plan"`
	Rate  float64 `json:"rate"` // evaluations a second of several callers, by which plans are compared
	Rows  []Row   `json:"rows"`
	Error string  `json:"error,omitempty"` // why there are no rows
}

// RunPlans measures each plan of a backend at batches of 1, 2, 4 and so on up to most, each for about budget. The best is kept for
// the next start on this machine. tell is called after each.
func RunPlans(set engine.Settings, opts batcher.Options, most int, budget time.Duration, tell func(text string)) (plans []Plan, err error) {
	err = engine.MeasurePlans(set, opts, sizes(most), budget, func(p batcher.Plan) {
		plans = append(plans, Plan{p.Name, p.Rate, rowsOf(p.Rows), p.Error})
		tell(plans[len(plans)-1].title())
	})
	return plans, err
}

func (p *Plan) title() string {
	if p.Error != "" {
		return p.Plan + ": " + p.Error
	}
	return fmt.Sprintf("%s: %.0f evaluations a second", p.Plan, p.Rate)
}

func (p *Plan) write(out *strings.Builder) {
	fmt.Fprintf(out, "%s\n", p.title())
	if p.Error == "" {
		writeRows(out, p.Rows)
	}
	out.WriteString("\n")
}
