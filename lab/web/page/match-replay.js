// The replay of a game: the board, its moves, and what both players said of them.
import {get} from "./api.js"
import {Board} from "./board.js"
import {Chart} from "./chart.js"
import {$, make, numbered, setText, store} from "./dom.js"
import {count, score, seconds} from "./format.js"

const initial = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1" // until a game is chosen
const most = 10 // pawns: a score beyond is plotted as this

// pawns is a score as seen from White, as it is plotted.
function pawns(p) {
	const value = (p.score.mate ? Math.sign(p.score.mate) * most : p.score.cp / 100) * (p.black ? -1 : 1)
	return Math.max(-most, Math.min(most, value))
}

// moment is where a ply is in the plot: a move of Black stands half a move behind White's.
const moment = ply => ply.number + (ply.black ? .5 : 0)

export class Replay {
	// failed takes a text; step is called with -1 and 1 for the game above and below in the list.
	constructor(name, failed, step) {
		this.name = name
		this.failed = failed
		this.number = null  // of the game that is replayed
		this.watched = null // of the game in progress that is on the board
		this.game = null
		this.at = 0
		this.board = new Board($("board"))
		this.board.show(initial)
		this.chart = new Chart($("score-chart"), {height: 150, span: 2, y: v => v.toFixed(1), whole: true, draw: (plot, css) => this.here(plot, css),
			series: [{label: "White", color: "--accent"}, {label: "Black", color: "--warn"}]})
		const on = (id, handle) => $(id).addEventListener("click", handle)
		on("first", () => this.go(0))
		on("previous", () => this.go(this.at - 1))
		on("next", () => this.go(this.at + 1))
		on("last", () => this.go(Infinity))
		on("flip", () => this.flip())
		on("analyse", () => this.analyse())
		document.addEventListener("keydown", e => {
			if (e.target.closest("input, textarea, select") || e.ctrlKey || e.metaKey || e.altKey) {
				return
			}
			const keys = {ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last", f: "flip"}
			if (keys[e.key]) {
				$(keys[e.key]).click()
			} else if (e.key === "ArrowUp" || e.key === "ArrowDown") {
				step(e.key === "ArrowUp" ? -1 : 1)
			} else {
				return
			}
			e.preventDefault()
		})
		this.buttons()
	}

	// open loads a game and shows it from the end of its opening.
	async open(number) {
		this.number = number
		this.watched = null
		let game
		try {
			game = await get(`/api/matches/${encodeURIComponent(this.name)}/games/${number}`)
		} catch (e) {
			this.failed(e.message)
			return
		}
		if (number !== this.number) { // another one was chosen meanwhile
			return
		}
		this.game = game
		const {plies} = game
		setText($("game-title"), `Game ${number + 1}: ${game.white} – ${game.black} ${game.result}`)
		setText($("ending"), game.reason)
		this.writeMoves()
		const said = black => plies.map(p => p.score && Boolean(p.black) === black ? pawns(p) : null)
		this.chart.set([plies.map(moment), said(false), said(true)])
		this.names()
		const opening = plies.findIndex(p => !p.book)
		this.go(opening < 0 ? 0 : opening)
	}

	// watch shows a game in progress {number, white, black, fen, last, check, plies} as it stands.
	watch(live, players) {
		if (this.watched !== live.number) {
			this.number = null
			this.watched = live.number
			this.game = null
			$("moves").replaceChildren()
			this.chart.set([[], [], []])
			this.buttons()
			this.showSaid()
		}
		this.board.show(live.fen, live)
		this.playing = {white: players[live.white].name, black: players[live.black].name}
		setText($("game-title"), `Game ${live.number + 1}: ${this.playing.white} – ${this.playing.black}`)
		setText($("ending"), `It is being played: ${live.plies} plies.`)
		this.names()
	}

	writeMoves() {
		$("moves").replaceChildren(...this.game.plies.flatMap((p, i) => [numbered(p, i === 0,
			make("button", {text: p.san, "data-ply": i + 1, class: p.book ? "book" : "", onclick: () => this.go(i + 1)})), " "]))
	}

	// go shows the position after some plies.
	go(at) {
		if (!this.game) {
			return
		}
		const {plies, start, check} = this.game
		this.at = Math.max(0, Math.min(at, plies.length))
		const last = plies[this.at - 1]
		this.board.show(last?.fen ?? start, {last: last?.uci, check: last ? last.check : check})
		this.buttons()
		this.showSaid()
		const box = $("moves")
		box.querySelector("[aria-current]")?.removeAttribute("aria-current")
		const button = box.querySelector(`[data-ply="${this.at}"]`)
		button?.setAttribute("aria-current", "true")
		const top = button?.offsetTop ?? 0
		if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - 30) {
			box.scrollTop = top - box.clientHeight / 2
		}
		this.chart.redraw()
	}

	buttons() {
		const end = this.game?.plies.length ?? 0
		for (const [id, off] of [["first", this.at === 0], ["previous", this.at === 0], ["next", this.at === end], ["last", this.at === end]]) {
			$(id).disabled = off
		}
		$("analyse").disabled = !this.game
	}

	async flip() {
		await this.board.flip()
		this.names()
		this.showSaid()
	}

	names() {
		const {white, black} = this.game ?? this.playing ?? {white: "–", black: "–"}
		setText($("name-top"), this.board.flipped ? white : black)
		setText($("name-bottom"), this.board.flipped ? black : white)
	}

	// showSaid shows what each side said of its last move before the position, scores as seen from White.
	showSaid() {
		const text = black => {
			const p = this.game?.plies.slice(0, this.at).findLast(x => Boolean(x.black) === black && !x.book)
			if (!p) {
				return ""
			}
			const parts = [p.score ? score(p.score, p.black) : "no score", p.depth ? `depth ${p.depth}` : "", p.evals ? `${count(p.evals)} evaluations` : p.nodes ? `${count(p.nodes)} nodes` : "", seconds(p.ms)]
			return parts.filter(Boolean).join(" · ")
		}
		setText($("said-top"), text(!this.board.flipped))
		setText($("said-bottom"), text(this.board.flipped))
	}

	// here draws a line into the plot where the board is.
	here(plot, css) {
		if (!this.game) {
			return
		}
		const x = Math.round(plot.valToPos(this.at > 0 ? moment(this.game.plies[this.at - 1]) : plot.scales.x.min, "x", true)), {ctx} = plot
		ctx.save()
		ctx.strokeStyle = css("--soft")
		ctx.beginPath()
		ctx.moveTo(x, plot.bbox.top)
		ctx.lineTo(x, plot.bbox.top + plot.bbox.height)
		ctx.stroke()
		ctx.restore()
	}

	// analyse opens the game in the page of analysis, at this position.
	analyse() {
		const nodes = this.game.plies.map(({uci, san, fen, check, number, black, ...said}, i) => ({parent: i, uci, san, fen, check, number, black,
			comment: said.score ? score(said.score, black) : undefined}))
		const {start, check, white, black, result} = this.game
		store.set("game", {start, check, result, nodes, at: this.at, tags: [{name: "White", value: white}, {name: "Black", value: black}]})
		store.set("analysis", {...store.get("analysis"), running: false})
		location.href = "/"
	}
}
