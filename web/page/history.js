// The best move and its value over the time of a search.
import {$} from "./dom.js"
import {Chart} from "./chart.js"
import {seconds} from "./format.js"

const most = 1500 // points; beyond, every other one is dropped

export class History {
	constructor() {
		this.chart = new Chart($("history"), {
			height: 170, span: 8,
			series: [{label: "score", color: "--accent", width: 2}],
			x: v => seconds(v * 1000), y: v => v.toFixed(0) + "%",
			draw: (plot, css) => this.names(plot, css),
		})
		this.clear()
	}

	clear() {
		this.points = [] // {t, score, best}
		this.every = 1
		this.skipped = 0
		this.draw()
	}

	show(s) {
		const line = s.lines[0]
		if (!line?.moves.length) {
			return
		}
		const [w, d] = s.black ? [line.wdl[2], line.wdl[1]] : line.wdl
		const point = {t: s.ms / 1000, score: (w + d / 2) / 10, best: line.moves[0].san}
		const last = this.points.at(-1)
		if (last && last.t > point.t) { // a new search of the same position: its time goes on
			this.clear()
		}
		if (last?.best === point.best && ++this.skipped < this.every && !s.end) {
			return
		}
		this.skipped = 0
		this.points.push(point)
		if (this.points.length > most) {
			this.points = this.points.filter((p, i) => i % 2 === 0 || p.best !== this.points[i - 1].best)
			this.every *= 2
		}
		this.draw()
	}

	draw() {
		this.chart.set([this.points.map(p => p.t), this.points.map(p => p.score)])
	}

	// names writes the best move where it changes.
	names(plot, css) {
		const {ctx, bbox} = plot, ratio = devicePixelRatio
		ctx.save()
		ctx.font = `${11 * ratio}px ${getComputedStyle(document.body).fontFamily}`
		ctx.textAlign = "left"
		ctx.textBaseline = "alphabetic"
		ctx.fillStyle = css("--ink")
		ctx.strokeStyle = css("--warn")
		ctx.globalAlpha = .9
		let right = -Infinity
		this.points.forEach((p, i) => {
			if (i > 0 && this.points[i - 1].best === p.best) {
				return
			}
			const x = plot.valToPos(p.t, "x", true)
			ctx.globalAlpha = .35
			ctx.beginPath()
			ctx.moveTo(x, bbox.top)
			ctx.lineTo(x, bbox.top + bbox.height)
			ctx.stroke()
			ctx.globalAlpha = .95
			if (x > right) {
				ctx.fillText(p.best, x + 3 * ratio, bbox.top + 11 * ratio)
				right = x + ctx.measureText(p.best).width + 8 * ratio
			}
		})
		ctx.restore()
	}
}
