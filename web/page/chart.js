// A plot over time or games, by uPlot (vendor/uplot, loaded as a script before the modules), in the colours of the page. It
// follows the width of its element and the theme.
//
//	const chart = new Chart(element, {height: 160, series: [{label, color: "--accent", width, fill}], x: value => text, y: …})
//	chart.set([xs, ys, …])

const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

export class Chart {
	// options.span is the least range of the y axis; options.draw is called after each drawing with the plot.
	constructor(box, options) {
		this.box = box
		this.options = options
		this.data = [[], ...options.series.map(() => [])]
		this.make()
		new ResizeObserver(() => this.plot.setSize({width: this.box.clientWidth, height: options.height})).observe(box)
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.make())
	}

	make() {
		this.plot?.destroy()
		const {series, height, x, y, span = 0, draw} = this.options
		const axis = {stroke: css("--soft"), grid: {stroke: css("--line"), width: 1}, ticks: {show: false}, font: "11px system-ui, sans-serif"}
		this.plot = new uPlot({
			width: this.box.clientWidth, height,
			legend: {show: false},
			cursor: {drag: {x: false, y: false}, points: {show: false}},
			scales: {x: {time: false}, y: {range: (_, low, high) => range(low, high, span)}},
			axes: [
				{...axis, size: 24, values: (_, all) => all.map(x ?? String), space: 60},
				{...axis, size: 44, values: (_, all) => all.map(y ?? String), space: 28},
			],
			series: [{}, ...series.map(s => ({
				label: s.label, stroke: css(s.color), width: s.width ?? 2, fill: s.fill && css(s.fill), points: {show: false}, spanGaps: true, paths: s.steps && uPlot.paths.stepped({align: 1}),
			}))],
			hooks: {draw: draw ? [plot => draw(plot, css)] : []},
		}, this.data, this.box)
	}

	set(data) {
		this.data = data
		this.plot.setData(data)
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
