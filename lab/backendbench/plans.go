package backendbench

import (
	"fmt"
	"strings"
	"time"

	"tesla/batcher"
	"tesla/engine"
)

// RunPlans measures each plan of a backend at batches of 1, 2, 4 and so on up to most, each for about budget. The best is kept for
// the next start on this machine. tell is called after each.
func RunPlans(set engine.Settings, opts batcher.Options, most int, budget time.Duration, tell func(text string)) (plans []batcher.Plan, err error) {
	err = engine.MeasurePlans(set, opts, sizes(most), budget, func(p batcher.Plan) {
		plans = append(plans, p)
		tell(titleOf(&p))
	})
	return plans, err
}

func titleOf(p *batcher.Plan) string {
	if p.Error != "" {
		return p.Name + ": " + p.Error
	}
	return fmt.Sprintf("%s: %.0f evaluations a second", p.Name, p.Rate)
}

func writePlan(out *strings.Builder, p *batcher.Plan) {
	fmt.Fprintf(out, "%s\n", titleOf(p))
	if p.Error == "" {
		writeRows(out, p.Rows)
	}
	out.WriteString("\n")
}
