// A game against the engine: the clock and the course of the game are kept here, the rules and the engine's moves come from
// the server.
import {get, post} from "./api.js"
import {Board} from "./board.js"
import {Clock, face} from "./clock.js"
import {$, Complaint, make, setText, store} from "./dom.js"
import {Line} from "./line.js"
import {Session} from "./session.js"
import {pause} from "./pause.js"
import {matching} from "./typed.js"

const short = 10000      // ms: the clock warns
const keepEvery = 1000   // ms
const quietPlies = 20    // before, the engine declines a draw
const fairScore = 10     // centipawns: the engine accepts a draw where it is not better than this

class Play {
	constructor() {
		this.mine = "w"
		this.over = true
		this.trouble = new Complaint()
		this.clock = new Clock({changed: () => this.showClocks(), fell: side => this.fell(side)})
		this.board = new Board($("board"), {onMove: uci => this.play(uci), legal: () => this.myTurn ? this.line.legal : []})
		this.line = new Line({changed: () => this.show(), failed: text => this.trouble.say(text)})
	}

	async begin() {
		this.listen()
		const all = await get("/api/options")
		Object.assign($("elo"), {min: all.elo[0], max: all.elo[1]})
		$("elo").value = store.get("elo") ?? 1500
		this.showElo()
		const saved = store.get("play")
		if (!saved || !await this.resume(saved)) {
			await this.line.load("", [])
		}
		this.session = new Session("play", {
			status: s => this.status(s), snapshot: () => {}, done: d => this.replied(d), trouble: text => this.trouble.connection(text),
		})
		if (this.waits) {
			this.session.restore(this.wish)
		} else {
			this.next()
		}
		setInterval(() => this.keep(), keepEvery)
		addEventListener("pagehide", () => this.keep())
	}

	// keep keeps the game for a reload.
	keep() {
		const {mine, over, control, strength, fresh, waits, wish, due, said, offered, lefts, result, why} = this
		store.set("play", {mine, over, control, strength, fresh, waits, wish, due, said, offered, lefts, result, why, record: this.line.record(), clock: this.clock.state,
			pgn: $("pgn").value, flipped: this.board.flipped})
	}

	// resume goes on with a game after a reload. The clock has run meanwhile.
	async resume({record, clock, pgn, flipped, ...saved}) {
		Object.assign(this, saved)
		const {over} = this
		this.over = true // nothing happens before all is there
		this.line.take(record)
		await this.line.asking
		if (!this.line.ruling) {
			return false
		}
		this.over = over
		if (flipped) {
			await this.board.flip()
		}
		this.names()
		if (this.control) { // a game was begun
			this.clock.state = clock
			$("pgn").value = pgn
			setText($("state"), this.result ? this.verdict() : this.waits ? "Tesla thinks." : "")
		}
		this.buttons()
		return true
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
		on("draw", "click", () => this.offer())
		on("back", "click", () => this.back())
		on("copy", "click", () => navigator.clipboard ? navigator.clipboard.writeText($("pgn").value) : $("pgn").select())
		on("save", "click", () => this.save())
		on("analyse", "click", () => {
			store.set("game", this.line.record())
			store.set("analysis", {...store.get("analysis"), running: false})
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

	get engine() {
		return this.mine === "w" ? "b" : "w"
	}

	get myTurn() {
		return !this.over && this.line.ruling !== null && this.turn === this.mine
	}

	// start begins a game.
	async start() {
		const colour = $("colour").value
		this.mine = colour === "r" ? "wb"[Math.floor(2 * Math.random())] : colour
		const minutes = Number($("minutes").value), increment = Number($("increment").value)
		if (!(minutes > 0)) {
			this.trouble.say("a game needs minutes on the clock")
			return
		}
		this.control = `${Math.round(60 * minutes)}+${increment}`
		this.strength = $("limited").value === "full" ? "" : $("elo").value
		$("pgn").value = ""
		this.result = ""
		this.fresh = true
		this.over = true
		this.waits = false
		this.said = null
		this.offered = -1
		this.lefts = []
		clearTimeout(this.pausing)
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

	// press ends the turn on the clock, whose times it keeps for a take-back.
	press() {
		this.lefts.push({...this.clock.state.left})
		this.clock.press()
	}

	// play makes the player's move.
	async play(uci) {
		if (!this.myTurn) {
			return
		}
		this.press()
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
				this.trouble.say(this.myTurn ? `${text} is not a legal move here` : "it is not your turn")
				$("move").value ||= text
				return
			}
			return this.play(uci)
		})
	}

	// next looks at the position after a move: the game is over, or the engine is to move, or the player.
	async next() {
		await this.line.asking
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
		this.keep()
	}

	think() {
		const time = [this.engine, this.mine].map(side => Math.max(1, Math.round(this.clock.of(side))))
		this.due = Date.now() + (this.strength ? pause(this.line, time[0], this.clock.increment) : 0)
		this.wish = {
			game: this.line.game,
			options: {Search: "auto", ...this.strength && {UCI_LimitStrength: "true", UCI_Elo: this.strength}},
			limits: {lines: 1, evals: 0, depth: 0, moveTime: 0, clock: true, time, inc: [this.clock.increment, this.clock.increment]},
			run: true, forget: this.fresh,
		}
		this.session.want(this.wish)
		this.fresh = false
		this.waits = true
	}

	// replied takes the engine's move, and makes it when its time has come.
	replied(d) {
		if (this.over || !this.waits) {
			return
		}
		if (d.error || !d.best) {
			this.waits = false
			this.clock.stop()
			this.trouble.say(d.error ?? "the engine made no move")
			return
		}
		clearTimeout(this.pausing)
		this.pausing = setTimeout(() => this.answer(d), this.due - Date.now())
	}

	async answer(d) {
		if (this.over || !this.waits) {
			return
		}
		this.waits = false
		this.said = d.score ?? null
		this.press()
		await this.line.play(d.best)
		this.line.node.comment = d.score ? `${d.score.mate ? "#" + d.score.mate : (d.score.cp / 100).toFixed(2)} ${(d.ms / 1000).toFixed(1)}s` : ""
		this.next()
	}

	// offer offers a draw. The engine takes it where it is not better, but not in the opening.
	offer() {
		const plies = this.line.at, {said} = this
		if (!said || plies < quietPlies || said.mate > 0 || !said.mate && said.cp > fairScore) {
			this.offered = plies
			setText($("state"), "Tesla declines the draw." + (this.myTurn ? " Your move." : ""))
			this.buttons()
			return
		}
		this.end("1/2-1/2", "agreed")
	}

	// back takes back the player's last move, with the answer to it.
	back() {
		if (this.waits) { // the engine thinks about the move that is taken back
			this.waits = false
			clearTimeout(this.pausing)
			this.session.want({...this.session.wish, run: false})
		}
		const plies = this.turn === this.mine ? 2 : 1
		for (let i = 0; i < plies; i++) {
			this.line.remove()
		}
		this.lefts.length -= plies - 1
		this.clock.reset(this.lefts.pop(), this.mine)
		this.said = null
		this.next()
	}

	fell(side) {
		this.end(side === "w" ? "0-1" : "1-0", `${side === "w" ? "White" : "Black"} ran out of time`)
	}

	// end ends the game, and writes it as PGN.
	async end(result, why) {
		Object.assign(this, {over: true, waits: false, result, why})
		clearTimeout(this.pausing)
		this.clock.stop()
		if (this.session?.wish) { // else the engine was not asked in this game, nor before
			this.session.want({...this.session.wish, run: false})
		}
		setText($("state"), this.verdict())
		this.buttons()
		const {node, root} = this.line
		const last = node === root ? root : node
		last.comment = [last.comment, why].filter(Boolean).join(", ")
		this.line.tags = this.tags()
		this.line.result = result
		try {
			const {start, tags, comment, nodes} = this.line.record()
			const {pgn} = await post("/api/pgn/write", {start, tags, comment: comment ?? "", nodes, result})
			$("pgn").value = pgn
		} catch (e) {
			this.trouble.say(e.message)
		}
		this.buttons()
		this.keep()
	}

	verdict() {
		const won = this.result === "1/2-1/2" ? "A draw" : (this.result === "1-0") === (this.mine === "w") ? "You win" : "Tesla wins"
		return `${won}: ${this.why}. ${this.result}`
	}

	tags() {
		const engine = "Tesla" + (this.strength ? ` (UCI_Elo ${this.strength})` : ""), today = new Date()
		const date = [today.getFullYear(), today.getMonth() + 1, today.getDate()].map(n => String(n).padStart(2, "0")).join(".")
		return Object.entries({Event: "game against Tesla", Site: "tesla web", Date: date, Round: "-", White: this.mine === "w" ? "You" : engine,
			Black: this.mine === "b" ? "You" : engine, TimeControl: this.control}).map(([name, value]) => ({name, value}))
	}

	buttons() {
		const plies = this.line.at
		$("resign").disabled = this.over
		$("draw").disabled = this.over || plies === 0 || this.offered === plies
		$("back").disabled = this.over || plies < (this.turn === this.mine ? 2 : 1)
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
}

await new Play().begin()
