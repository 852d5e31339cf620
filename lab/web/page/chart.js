// A plot over time or games, by uPlot (vendor/uplot, loaded as a script before the modules), in the colours of the page. It
// follows the width of its element and the theme. Several series have a legend, for which the element has room above the plot.
//
//	const chart = new Chart(element, {height: 160, series: [{label, color: "--accent", width, dash}], x: value => text, y: …})
//	chart.set([xs, ys, …])
import {make} from "./dom.js"

const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim()
const steps = [1, 2, 5].flatMap(n => [1, 10, 100, 1e3, 1e4, 1e5, 1e6].map(unit => n * unit)).sort((a, b) => a - b)

export class Chart {
	// options.span is the least range of the y axis; options.whole says that x counts things, moves for one; options.draw is
	// called after each drawing with the plot; options.band are the numbers of the two series, the first is 1, between which it is
	// filled in the colour of the first; a series of gaps has them;
	// options.marks are what the legend names beside the series.
	constructor(box, options) {
		this.box = box
		this.options = options
		this.data = [[], ...options.series.map(() => [])]
		const named = [...options.series, ...options.marks ?? []].filter(s => s.label)
		if (named.length > 1) {
			box.append(make("p", {class: "legend"}, ...named.map(s => make("span", {class: s.color.slice(2)}, make("i"), s.label))))
		}
		this.make()
		new ResizeObserver(() => this.plot.setSize({width: this.box.clientWidth, height: options.height})).observe(box)
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.make())
	}

	make() {
		this.plot?.destroy()
		const {series, height, x, y, whole, span = 0, draw, band} = this.options
		const font = "11px " + getComputedStyle(document.body).fontFamily
		const axis = {stroke: css("--soft"), grid: {stroke: css("--line"), width: 1}, ticks: {show: false}, font}
		this.plot = new uPlot({
			width: this.box.clientWidth, height,
			legend: {show: false},
			cursor: {drag: {x: false, y: false}, points: {show: false}},
			scales: {x: {time: false}, y: {range: (_, low, high) => range(low, high, span)}},
			axes: [
				{...axis, size: 24, values: (_, all) => all.map(x ?? String), space: 60, ...whole && {incrs: steps}},
				{...axis, size: 44, values: (_, all) => all.map(y ?? String), space: 28},
			],
			series: [{}, ...series.map(s => ({label: s.label, stroke: css(s.color), width: s.width ?? 2, dash: s.dash, points: {show: false}, spanGaps: !s.gaps}))],
			bands: band ? [{series: [Math.max(...band), Math.min(...band)], fill: css(series[band[0] - 1].color)}] : [],
			hooks: {draw: draw ? [plot => draw(plot, css)] : []},
		}, this.data, this.box)
	}

	set(data) {
		this.data = data
		this.plot.setData(data)
	}

	// redraw calls options.draw anew. The ranges stay those of the data: a redrawing that sets them would set the old ones where
	// set was called just before, since uPlot finds the new ones later.
	redraw() {
		this.plot.redraw(false)
	}
}

// range is that of an axis: what there is, and at least span.
function range(low, high, span) {
	if (low == null) {
		return [0, span || 1]
	}
	const middle = (low + high) / 2, half = Math.max(high - low, span) / 2 * 1.1 || .5
	return [middle - half, middle + half]
}
