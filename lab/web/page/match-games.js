// The list of the games of a match. Only the rows in sight exist, so that ten thousand games are no burden.
import {$, make, setText} from "./dom.js"

const height = 26 // px of a row, as in match.css
const spare = 6   // rows above and below those in sight

const outcome = r => r.failure ? "failed" : ["lost", "drawn", "won"][r.points]

export class GameList {
	// chosen is called with the row that is clicked, or stepped to by the keys.
	constructor(chosen) {
		this.box = $("rows")
		this.chosen = chosen
		this.all = []
		this.rows = []
		this.live = [] // games in progress
		this.players = []
		this.number = null
		this.room = this.box.appendChild(make("div", {class: "room"}))
		this.box.addEventListener("scroll", () => this.draw())
		$("filter").addEventListener("change", () => this.filter())
		new ResizeObserver(() => this.draw()).observe(this.box)
	}

	// show takes the games of a pairing. The newest is on top.
	show(rows, players) {
		this.all = rows
		this.players = players
		this.filter()
	}

	// play shows the games in progress, on top.
	play(games) {
		if (games.length !== this.live.length || games.some((g, i) => g.number !== this.live[i].number || g.plies !== this.live[i].plies)) {
			this.live = games
			this.filter()
		}
	}

	filter() {
		const wanted = $("filter").value
		const before = this.rows.length, top = this.box.scrollTop
		this.rows = this.all.filter(r => wanted === "all" || (wanted === "failed" ? r.failure : wanted === ["lost", "drawn", "won"][r.points])).reverse()
		if (wanted === "all") {
			this.rows.unshift(...this.live)
		}
		this.room.style.height = height * this.rows.length + "px"
		if (top > 0 && this.rows.length > before) { // the rows in sight stay in sight
			this.box.scrollTop = top + height * (this.rows.length - before)
		}
		setText($("shown"), `${this.rows.length} of ${this.all.length + this.live.length}`)
		this.draw()
	}

	choose(number) {
		this.number = number
		const i = this.rows.findIndex(r => r.number === number), top = i * height
		if (i >= 0 && (top < this.box.scrollTop || top + height > this.box.scrollTop + this.box.clientHeight)) {
			this.box.scrollTop = top - this.box.clientHeight / 2
		}
		this.draw()
	}

	// step chooses the game above (-1) or below (1) in the list.
	step(by) {
		const i = this.rows.findIndex(r => r.number === this.number)
		const row = this.rows[i < 0 ? 0 : i + by]
		if (row) {
			this.chosen(row)
		}
	}

	draw() {
		const from = Math.max(0, Math.floor(this.box.scrollTop / height) - spare)
		const to = Math.min(this.rows.length, Math.ceil((this.box.scrollTop + this.box.clientHeight) / height) + spare)
		this.box.replaceChildren(this.room, ...this.rows.slice(from, to).map((r, i) => this.row(r, from + i)))
	}

	row(r, at) {
		const element = make("div", {class: "row-of", role: "option", "aria-selected": String(r.number === this.number), "data-game": r.number + 1, onclick: () => this.chosen(r)},
			make("span", {text: r.number + 1}),
			make("span", {text: `${this.players[r.white]?.name} – ${this.players[r.black]?.name}`}),
			make("span", {text: r.fen ? "…" : r.result.replace("1/2-1/2", "½–½").replace("-", "–"), class: r.fen ? "" : outcome(r)}),
			make("span", {text: r.plies, title: "plies"}),
			r.fen ? make("span", {text: "is being played", class: "won"}) : make("span", {text: (r.failure ? r.failure + ": " : "") + r.reason, class: r.failure ? "failed" : "soft", title: r.reason}))
		element.style.top = at * height + "px"
		return element
	}
}
