// Gauges of the evaluation side.
import {$, make, setText} from "./dom.js"
import {count, percent} from "./format.js"

// With local ones the search evaluates itself, without a device that takes batches.
const gauges = [
	{key: "fill", name: "batch fill", title: "leaves of a batch, as a share of the most that it may have", text: b => percent(b.mean / b.size), share: b => b.mean / b.size},
	{key: "mean", name: "leaves a batch", title: "leaves of a batch, without prefetched ones", text: b => b.mean.toFixed(1)},
	{key: "prefetched", name: "prefetched", title: "leaves of a batch that may be needed later", text: b => b.prefetched.toFixed(1)},
	{key: "net", local: true, name: "net, a second", title: "positions that the net evaluates in a second; quiet positions are among them", text: b => count(b.net)},
	{key: "idle", name: "device idle", title: "share of the time in which the net did not run", text: b => percent(b.idle), share: b => b.idle},
	{key: "promoting", name: "promoting", title: "share of the evaluations' time in which the promoter worked", text: b => percent(b.promoting), share: b => b.promoting},
	{key: "queue", name: "queue", title: "how long a batch waited, in milliseconds", text: b => b.queueMS.toFixed(2) + " ms"},
]

export class Gauges {
	constructor() {
		this.parts = gauges.map(g => {
			const value = make("b", {text: "–"})
			const bar = make("span")
			const box = $("gauges").appendChild(make("div", {class: "gauge", title: g.title}, value, g.name, ...g.share ? [make("i", {}, bar)] : []))
			return {value, bar, box}
		})
	}

	// local says whether the search evaluates itself.
	local(local) {
		gauges.forEach((g, i) => this.parts[i].box.classList.toggle("hidden", local && !g.local))
	}

	show(batches) {
		gauges.forEach((g, i) => {
			const {value, bar} = this.parts[i]
			setText(value, batches ? g.text(batches) : "–")
			bar.style.transform = `scaleX(${batches && g.share ? Math.max(0, Math.min(1, g.share(batches))).toFixed(3) : 0})`
		})
	}
}
