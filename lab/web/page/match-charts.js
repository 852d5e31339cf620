// The plots of a match: Elo with its interval, and the LLR within its bounds, over the games of a pairing.
import {Chart} from "./chart.js"
import {$} from "./dom.js"

const mostPoints = 1000
const widest = 400 // Elo: where the interval is wider, a plot would show nothing else

export class MatchCharts {
	constructor() {
		this.elo = new Chart($("elo-chart"), {height: 150, span: 20, whole: true, series: [
			{label: "Elo", color: "--accent"}, {label: "95 % interval", color: "--soft", width: 1}, {color: "--soft", width: 1}]})
		this.llr = new Chart($("llr-chart"), {height: 150, span: 6, whole: true, series: [
			{label: "LLR", color: "--accent"}, {label: "H1", color: "--good", width: 1}, {label: "H0", color: "--bad", width: 1}]})
	}

	// show takes the games of a pairing in the order in which they ended.
	show(rows, pairing) {
		const step = Math.ceil(rows.length / mostPoints) || 1
		const some = rows.map((r, i) => ({...r, x: i + 1})).filter((r, i) => (i + 1) % step === 0 || i === rows.length - 1)
		const plotted = value => r => r.elo_error > widest || Math.abs(r.elo) > widest ? null : value(r)
		this.elo.set([some.map(r => r.x), some.map(plotted(r => r.elo)), some.map(plotted(r => r.elo + r.elo_error)), some.map(plotted(r => r.elo - r.elo_error))])
		const test = pairing?.sprt
		this.llr.set(test ? [some.map(r => r.x), some.map(r => r.llr), some.map(() => test.upper), some.map(() => test.lower)] : [[], [], [], []])
	}
}
