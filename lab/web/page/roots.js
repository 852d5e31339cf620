// The table of root moves.
import {$, make, setText} from "./dom.js"
import {count, mayFlip, percent, signed} from "./format.js"

// gained is an expected gain in five letters at most, so that its column does not move the others.
const gained = x => x < 9.995 ? x.toFixed(2) : count(x)

const cells = ["san", "n", "share", "prior", "q", "range", "sigma", "gain", "ask"]

export class Roots {
	// hover is called with the moves of a line, or with none; play with a move; ask with one that is to be explained.
	constructor({hover, play, ask}) {
		this.hover = hover
		this.play = play
		this.ask = ask
		this.key = "n"
		this.down = true
		this.rows = new Map()
		this.body = $("moves").tBodies[0]
		for (const b of $("moves").querySelectorAll("thead button")) {
			b.addEventListener("click", () => this.sort(b.dataset.key))
		}
		this.body.addEventListener("mouseleave", () => this.hover([]))
	}

	sort(key) {
		this.down = key === this.key ? !this.down : key !== "san"
		this.key = key
		for (const th of $("moves").querySelectorAll("th")) {
			const own = th.firstChild?.dataset?.key === key
			th.setAttribute("aria-sort", own ? (this.down ? "descending" : "ascending") : "none")
		}
		this.order()
	}

	clear() {
		this.rows.clear()
		this.roots = []
		this.body.replaceChildren()
	}

	// show shows root moves, the best first, and what is stated of it.
	show(roots, sure) {
		const all = roots.reduce((sum, r) => sum + r.n, 0) || 1
		this.roots = roots.map((r, i) => ({...r, share: r.n / all, best: i === 0}))
		for (const uci of this.rows.keys()) {
			if (!roots.some(r => r.uci === uci)) {
				this.rows.get(uci).remove()
				this.rows.delete(uci)
			}
		}
		this.scale(sure)
		for (const r of this.roots) {
			this.fill(this.rows.get(r.uci) ?? this.add(r), r)
		}
		this.order()
	}

	add(r) {
		const row = make("tr", {tabindex: 0, "data-move": r.uci,
			onmouseenter: () => this.hover(row.line), onfocus: () => this.hover(row.line), onblur: () => this.hover([]),
			onclick: () => this.play(r.uci), onkeydown: e => e.key === "Enter" && this.play(r.uci)},
		...cells.map(key => make("td", {class: key})))
		row.children[2].append(make("span"), make("i"))
		row.children[5].append(make("i"), make("b"))
		row.lastChild.append(make("button", {text: "?", title: "Why not this move?", "aria-label": "Why not " + r.san + "?",
			onclick: e => (e.stopPropagation(), this.ask(r)), onkeydown: e => e.stopPropagation()}))
		this.rows.set(r.uci, row)
		return row
	}

	// scale says which expected points the whiskers lie between: the interval of the first move, and what is near it. Without an
	// interval its sigma is taken.
	scale(sure) {
		this.sure = sure
		const first = this.roots[0]
		const [low, high] = first ? this.span(first) : [0, 1]
		const width = Math.max(high - low, .04)
		this.from = Math.max(0, low - width)
		this.to = Math.min(1, high + width / 2)
	}

	// span is what the whisker of a move shows, in expected points: the 90 % interval where it is stated, of the first move alone, else
	// the sigma of the change model.
	span(r) {
		const middle = (1 + r.q) / 2
		return r.best && this.sure?.high ? [this.sure.low, this.sure.high] : [middle - r.sigma / 2, middle + r.sigma / 2]
	}

	whisker(cell, r) {
		const at = v => Math.max(0, Math.min(1, (v - this.from) / (this.to - this.from)))
		const known = r.n > 0 || r.proven, [low, high] = this.span(r)
		cell.classList.toggle("hidden-whisker", !known)
		cell.classList.toggle("stated", r.best && this.sure?.high > 0)
		cell.firstChild.style.transform = `translateX(${(100 * at(low)).toFixed(1)}%) scaleX(${(at(high) - at(low)).toFixed(3)})`
		cell.lastChild.style.transform = `translateX(${(100 * at((1 + r.q) / 2)).toFixed(1)}%)`
		cell.title = !known ? "" : `${low.toFixed(2)} to ${high.toFixed(2)} points, ` + (r.best && this.sure?.high ?
			"in 90 of 100 cases" + (this.sure.held ? ", by the last width that was stated" : "") : "by sigma of the change model") + (r.behind ? `; the first move is better: ${percent(r.behind)}` : "")
	}

	fill(row, r) {
		row.line = r.line
		row.classList.toggle("best", r.best)
		row.classList.toggle("flips", r.best && mayFlip(this.sure))
		const texts = [r.san + (r.proven ? " ✓" : ""), count(r.n), null, percent(r.prior, 1), r.n || r.proven ? signed(r.q, 3) : "–",
			null, r.sigma ? r.sigma.toFixed(3) : "–", r.gain ? gained(1e6 * r.gain) : "–"]
		texts.forEach((text, i) => text !== null && setText(row.children[i], text))
		setText(row.children[2].firstChild, percent(r.share, 1))
		row.children[2].lastChild.style.transform = `scaleX(${r.share.toFixed(3)})`
		this.whisker(row.children[5], r)
		row.children[0].title = r.line.map(m => m.san).join(" ")
	}

	// order brings the rows into order. Those that lie right stay, and so does what has the focus.
	order() {
		const value = r => r[this.key]
		const sorted = [...this.roots ?? []].sort((a, b) => {
			const order = this.key === "san" ? a.san.localeCompare(b.san) : value(a) - value(b)
			return (this.down ? -order : order) || b.n - a.n || b.prior - a.prior
		})
		sorted.forEach((r, i) => {
			const row = this.rows.get(r.uci)
			if (this.body.children[i] !== row) {
				this.body.insertBefore(row, this.body.children[i] ?? null)
			}
		})
	}
}
