// A game against the engine: the clock and the course of the game are kept here, the rules and the engine's moves come from
// the server.
import {get, post} from "./api.js"
import {Board} from "./board.js"
import {Clock, face} from "./clock.js"
import {$, make, setText, store} from "./dom.js"
import {Line} from "./line.js"
import {Session} from "./session.js"
import {matching} from "./typed.js"

const short = 10000 // ms: the clock warns

class Play {
	constructor() {
		this.mine = "w"
		this.over = true
		this.clock = new Clock({changed: () => this.showClocks(), fell: side => this.fell(side)})
		this.board = new Board($("board"), {onMove: uci => this.play(uci), legal: () => this.myTurn ? this.line.legal : []})
		this.line = new Line({changed: () => this.show(), failed: text => this.trouble(text)})
	}

	async begin() {
		this.listen()
		const all = await get("/api/options")
		Object.assign($("elo"), {min: all.elo[0], max: all.elo[1]})
		$("elo").value = store.get("elo") ?? 1500
		this.showElo()
		await this.line.load("", [])
		this.session = new Session("play", {
			status: s => this.status(s), snapshot: () => {}, done: d => this.replied(d), trouble: text => this.connection(text),
		})
	}

	listen() {
		const on = (id, event, handle) => $(id).addEventListener(event, handle)
		on("setup", "submit", e => {
			e.preventDefault()
			this.start()
		})
		on("elo", "input", () => this.showElo())
		on("limited", "change", () => this.showElo())
		on("move-form", "submit", e => {
			e.preventDefault()
			this.typed()
		})
		on("flip", "click", () => this.flip())
		on("resign", "click", () => this.end(this.mine === "w" ? "0-1" : "1-0", `${this.mine === "w" ? "White" : "Black"} resigns`))
		on("copy", "click", () => navigator.clipboard ? navigator.clipboard.writeText($("pgn").value) : $("pgn").select())
		on("save", "click", () => this.save())
		on("analyse", "click", () => {
			store.set("analysis", {...store.get("analysis"), start: this.line.start, moves: this.line.moves, main: this.line.moves, at: this.line.moves.length, running: false})
			location.href = "/"
		})
		document.addEventListener("keydown", e => {
			if (e.key === "f" && !e.target.closest("input, textarea, select") && !e.ctrlKey && !e.metaKey) {
				this.flip()
			}
		})
	}

	showElo() {
		const full = $("limited").value === "full"
		$("elo").disabled = full
		setText($("elo-out"), full ? "" : $("elo").value)
		store.set("elo", $("elo").value)
	}

	get turn() {
		return this.line.ruling?.black ? "b" : "w"
	}

	get myTurn() {
		return !this.over && this.line.ruling !== null && this.turn === this.mine
	}

	// start begins a game.
	async start() {
		this.trouble("")
		const colour = $("colour").value
		this.mine = colour === "r" ? "wb"[Math.floor(2 * Math.random())] : colour
		const minutes = Number($("minutes").value), increment = Number($("increment").value)
		if (!(minutes > 0)) {
			this.trouble("a game needs minutes on the clock")
			return
		}
		this.control = `${Math.round(60 * minutes)}+${increment}`
		this.strength = $("limited").value === "full" ? "" : $("elo").value
		this.comments = []
		$("pgn").value = ""
		this.result = ""
		this.fresh = true
		this.over = true
		await this.line.load("", [])
		this.over = false
		if (this.board.flipped !== (this.mine === "b")) {
			await this.flip()
		}
		this.names()
		this.clock.set(60000 * minutes, 1000 * increment)
		this.clock.start("w")
		this.next()
	}

	names() {
		const engine = "Tesla" + (this.strength ? ` (${this.strength})` : "")
		const top = this.board.flipped ? "w" : "b"
		setText($("name-top"), top === this.mine ? "You" : engine)
		setText($("name-bottom"), top === this.mine ? engine : "You")
	}

	async flip() {
		await this.board.flip()
		this.names()
		this.showClocks()
	}

	// play makes the player's move.
	async play(uci) {
		if (!this.myTurn) {
			return
		}
		this.clock.press()
		this.comments.push("")
		await this.line.play(uci)
		this.next()
	}

	// typed makes a move that was typed, in SAN or UCI.
	typed() {
		const text = $("move").value.trim()
		$("move").value = ""
		this.line.inTurn(() => {
			const uci = this.line.ruling && matching(this.line.ruling, text)
			if (!this.myTurn || !uci) {
				this.trouble(this.myTurn ? `${text} is not a legal move here` : "it is not your turn")
				$("move").value ||= text
				return
			}
			this.trouble("")
			return this.play(uci)
		})
	}

	// next looks at the position after a move: the game is over, or the engine is to move, or the player.
	next() {
		const {ruling} = this.line
		if (this.over || !ruling) {
			return
		}
		if (ruling.outcome) {
			this.end(ruling.result, ruling.outcome)
		} else if (this.turn !== this.mine) {
			setText($("state"), "Tesla thinks.")
			this.think()
		} else {
			setText($("state"), "Your move.")
		}
		this.buttons()
	}

	think() {
		const me = this.mine, engine = me === "w" ? "b" : "w"
		const time = [Math.max(1, Math.round(this.clock.of(engine))), Math.max(1, Math.round(this.clock.of(me)))]
		this.session.want({
			game: this.line.game,
			options: this.strength ? {UCI_LimitStrength: "true", UCI_Elo: this.strength} : {},
			limits: {lines: 1, evals: 0, depth: 0, moveTime: 0, clock: true, time, inc: [this.clock.increment, this.clock.increment]},
			run: true, forget: this.fresh,
		})
		this.fresh = false
		this.waits = true
	}

	// replied takes the engine's move.
	async replied(d) {
		if (this.over || !this.waits) {
			return
		}
		this.waits = false
		if (d.error || !d.best) {
			this.clock.stop()
			this.trouble(d.error ?? "the engine made no move")
			return
		}
		this.clock.press()
		this.comments.push(d.score ? `${d.score.mate ? "#" + d.score.mate : (d.score.cp / 100).toFixed(2)} ${(d.ms / 1000).toFixed(1)}s` : "")
		await this.line.play(d.best)
		this.next()
	}

	fell(side) {
		this.end(side === "w" ? "0-1" : "1-0", `${side === "w" ? "White" : "Black"} ran out of time`)
	}

	// end ends the game, and writes it as PGN.
	async end(result, why) {
		this.over = true
		this.waits = false
		this.result = result
		this.clock.stop()
		if (this.session.wish) { // else the engine was not asked in this game, nor before
			this.session.want({...this.session.wish, run: false})
		}
		const won = result === "1/2-1/2" ? "A draw" : (result === "1-0") === (this.mine === "w") ? "You win" : "Tesla wins"
		setText($("state"), `${won}: ${why}. ${result}`)
		this.buttons()
		const engine = "Tesla" + (this.strength ? ` (UCI_Elo ${this.strength})` : "")
		const {start, moves} = this.line
		try {
			const {pgn} = await post("/api/pgn/write", {start, moves, white: this.mine === "w" ? "You" : engine, black: this.mine === "b" ? "You" : engine,
				result, ending: why, clock: this.control, comments: this.comments})
			$("pgn").value = pgn
		} catch (e) {
			this.trouble(e.message)
		}
		this.buttons()
	}

	buttons() {
		$("resign").disabled = this.over
		for (const id of ["copy", "save", "analyse"]) {
			$(id).disabled = !$("pgn").value
		}
	}

	save() {
		const link = make("a", {href: URL.createObjectURL(new Blob([$("pgn").value], {type: "application/x-chess-pgn"})), download: "tesla.pgn"})
		link.click()
		setTimeout(() => URL.revokeObjectURL(link.href), 1000)
	}

	show() {
		const {position, plies} = this.line
		this.board.show(position.fen, position)
		const rows = []
		plies.forEach((p, i) => {
			if (!p.black || i === 0) {
				rows.push(make("li", {}, make("span", {class: "soft", text: p.number + "."}), ...p.black ? [make("span", {text: "…"})] : []))
			}
			rows.at(-1).append(make("span", {text: p.san, class: i === plies.length - 1 ? "last" : ""}))
		})
		$("moves").replaceChildren(make("ol", {}, ...rows))
		$("moves").scrollTop = $("moves").scrollHeight
	}

	showClocks() {
		for (const [id, side] of [["clock-top", this.board?.flipped ? "w" : "b"], ["clock-bottom", this.board?.flipped ? "b" : "w"]]) {
			const left = this.clock.of(side)
			setText($(id), face(left))
			$(id).classList.toggle("runs", this.clock.side === side)
			$(id).classList.toggle("short", !this.over && left < short)
		}
	}

	status(s) {
		if (s.backend) {
			setText($("net"), [s.search, `${s.backend} ${s.net === s.backend ? "" : s.net}`.trim(), `${s.threads} thread${s.threads > 1 ? "s" : ""}`].join(" · "))
		}
	}

	connection(text) {
		if (text || this.lost) {
			this.lost = text !== ""
			this.trouble(text)
		}
	}

	trouble(text) {
		setText($("trouble"), text)
		$("trouble").classList.toggle("hidden", !text)
	}
}

await new Play().begin()
