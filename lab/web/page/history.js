// The best move and its value over the time of a search.
import {$} from "./dom.js"
import {Chart} from "./chart.js"
import {mayFlip, seconds} from "./format.js"

const most = 1500 // points; beyond, every other one is dropped

export class History {
	constructor() {
		this.chart = new Chart($("history"), {
			height: 170, span: 8, band: [1, 2],
			series: [{label: "in 90 of 100", color: "--accent-soft", width: 0, gaps: true}, {color: "--accent-soft", width: 0, gaps: true},
				{label: "score", color: "--accent", width: 2}], marks: [{label: "may still flip", color: "--warn"}],
			x: v => seconds(v * 1000), y: v => v.toFixed(0) + "%",
			draw: (plot, css) => this.names(plot, css),
		})
		this.clear()
	}

	clear() {
		this.points = [] // {t, score, best, low, high, flips}, in per cent
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
		const sure = line.sure?.high ? [100 * line.sure.low, 100 * line.sure.high] : [null, null]
		const [low, high] = s.black && sure[0] !== null ? [100 - sure[1], 100 - sure[0]] : sure
		const point = {t: s.ms / 1000, score: (w + d / 2) / 10, best: line.moves[0].san, low, high, flips: mayFlip(line.sure)}
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
		this.chart.set([..."t low high score".split(" ").map(key => this.points.map(p => p[key]))])
	}

	// flips draws a dashed mark along the time in which the choice could still flip.
	flips(plot, css) {
		const {ctx, bbox} = plot, ratio = devicePixelRatio, y = bbox.top + bbox.height - 3 * ratio
		ctx.strokeStyle = css("--warn")
		ctx.lineWidth = 3 * ratio
		ctx.setLineDash([5 * ratio, 3 * ratio])
		this.points.forEach((p, i) => {
			if (p.flips) {
				const x = plot.valToPos(p.t, "x", true), next = this.points[i + 1]
				ctx.beginPath()
				ctx.moveTo(x, y)
				ctx.lineTo(Math.max(next ? plot.valToPos(next.t, "x", true) : 0, x + 8 * ratio), y)
				ctx.stroke()
			}
		})
		ctx.setLineDash([])
		ctx.lineWidth = ratio
	}

	// names writes the best move where it changes.
	names(plot, css) {
		const {ctx, bbox} = plot, ratio = devicePixelRatio
		ctx.save()
		this.flips(plot, css)
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
