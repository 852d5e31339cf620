// The table of root moves.
import {$, make, setText} from "./dom.js"
import {count, percent, signed, three} from "./format.js"

const cells = ["san", "n", "share", "prior", "q", "sigma", "gain"]

export class Roots {
	// hover is called with the moves of a line, or with none; play with a move.
	constructor({hover, play}) {
		this.hover = hover
		this.play = play
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
			const own = th.firstChild.dataset.key === key
			th.setAttribute("aria-sort", own ? (this.down ? "descending" : "ascending") : "none")
		}
		this.order()
	}

	clear() {
		this.rows.clear()
		this.roots = []
		this.body.replaceChildren()
	}

	show(roots) {
		const all = roots.reduce((sum, r) => sum + r.n, 0) || 1
		this.roots = roots.map((r, i) => ({...r, share: r.n / all, best: i === 0}))
		for (const uci of this.rows.keys()) {
			if (!roots.some(r => r.uci === uci)) {
				this.rows.get(uci).remove()
				this.rows.delete(uci)
			}
		}
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
		this.rows.set(r.uci, row)
		return row
	}

	fill(row, r) {
		row.line = r.line
		row.classList.toggle("best", r.best)
		const texts = [r.san + (r.proven ? " ✓" : ""), count(r.n), null, percent(r.prior, 1), r.n || r.proven ? signed(r.q, 3) : "–",
			r.sigma ? r.sigma.toFixed(3) : "–", r.gain ? r.gain < 1e-3 ? three(1e6 * r.gain) : count(1e6 * r.gain) : "–"]
		texts.forEach((text, i) => text !== null && setText(row.children[i], text))
		setText(row.children[2].firstChild, percent(r.share, 1))
		row.children[2].lastChild.style.transform = `scaleX(${r.share.toFixed(3)})`
		row.title = r.line.map(m => m.san).join(" ")
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
