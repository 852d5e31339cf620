// The page of analysis: it joins the board, the game on it, the session at the server and what shows the search.
import {get, post} from "./api.js"
import {Board} from "./board.js"
import {$, make, numbered, setText, store} from "./dom.js"
import {Gauges} from "./gauges.js"
import {History} from "./history.js"
import {Line} from "./line.js"
import {Lines} from "./lines.js"
import {Roots} from "./roots.js"
import {Session} from "./session.js"
import {Tree} from "./tree.js"
import {matching} from "./typed.js"

const mostArrows = 5, leastShare = .03, mostHovered = 6

// Why a search stopped, by search.End.
const reasons = {
	"stopped": "Stopped.",
	"limit": "Stopped: the limit is reached.",
	"limit of evaluations": "Stopped: the limit of evaluations is reached.",
	"limit of depth": "Stopped: the limit of depth is reached.",
	"mate found": "Stopped: the mate is proven.",
	"out of time": "Stopped: its time is over.",
	"satisfied": "Satisfied: more time is expected to gain less than it is worth.",
	"proven": "Proven: the score is certain, there is nothing left to find out.",
	"nothing left to search": "Stopped: nothing is left to search.",
}
const limitDefaults = {evals: 100000, time: 30, clock: 5}

class Analysis {
	constructor() {
		this.running = false
		this.remarks = [] // of the game that was loaded: {plies, text, moves}
		this.starting = true // nothing is said to the server yet
		this.shown = new Map() // the last snapshot of each position that was searched, by game
		this.board = new Board($("board"), {onMove: uci => this.line.play(uci), legal: () => this.line.legal})
		this.line = new Line({changed: () => this.moved(), failed: text => this.trouble(text)})
		this.lines = new Lines((...moves) => this.line.play(...moves))
		this.roots = new Roots({hover: moves => this.hover(moves), play: uci => this.line.play(uci)})
		this.tree = new Tree({hover: moves => this.hover(moves)})
		this.history = new History()
		this.gauges = new Gauges()
	}

	async begin() {
		const saved = store.get("analysis") ?? {}
		this.running = saved.running ?? false
		this.listen()
		await this.choices(saved.settings)
		if (saved.flipped) {
			await this.flip()
		}
		const fen = new URLSearchParams(location.search).get("fen")
		if (!await this.line.load(saved.start ?? fen ?? "", saved.moves ?? [], saved.at, saved.main)) {
			await this.line.load("", [])
		}
		this.starting = false
		this.remarks = saved.remarks ?? []
		this.showRemarks()
		this.session = new Session("analysis", {
			status: s => this.status(s), snapshot: s => this.snapshot(s), done: d => this.done(d), trouble: text => this.connection(text),
		})
		this.session.restore(this.wish)
		this.showRunning()
	}

	// choices fills the fields for searcher and backend.
	async choices(saved) {
		let all
		try {
			all = await get("/api/options")
		} catch (e) {
			this.trouble(e.message)
			setTimeout(() => location.reload(), 2000)
			return
		}
		this.trees = all.searches.filter(s => s.tree).map(s => s.name)
		$("search").replaceChildren(...all.searches.map(s => make("option", {text: s.name})))
		$("backend").replaceChildren(...all.backends.map(b => make("option", {text: b.name + (b.ok ? "" : " (not here)"), value: b.name, disabled: !b.ok, title: b.text})))
		$("threads").max = all.threads
		$("multipv").max = all.lines
		const settings = saved ?? {search: all.set.search, backend: all.set.backend, threads: all.set.threads, multipv: 3, stop: "never", limit: ""}
		for (const [id, value] of Object.entries(settings)) {
			$(id).value = value
		}
		this.lines.room(Number($("multipv").value))
		this.showLimit()
	}

	get settings() {
		return Object.fromEntries(["search", "backend", "threads", "multipv", "stop", "limit"].map(id => [id, $(id).value]))
	}

	get wish() {
		const s = this.settings, number = Number(s.limit)
		const limits = {lines: Number(s.multipv), evals: 0, depth: 0, moveTime: 0, clock: false, time: [0, 0], inc: [0, 0]}
		if (s.stop === "evals") {
			limits.evals = number
		} else if (s.stop === "time") {
			limits.moveTime = Math.round(1000 * number)
		} else if (s.stop === "clock") {
			limits.clock = true
			limits.time = [60000 * number, 60000 * number]
		}
		return {
			game: this.line.game, options: {Search: s.search, Backend: s.backend, Threads: s.threads}, limits,
			run: this.running && !this.line.ruling?.outcome, forget: false,
		}
	}

	// say tells the server what is wanted, and keeps it for a reload.
	say() {
		if (this.starting) {
			return
		}
		this.save()
		this.session.want(this.wish)
	}

	save() {
		const {start, moves, at, main} = this.line
		store.set("analysis", {start, moves, at, main, remarks: this.remarks, settings: this.settings, running: this.running, flipped: this.board.flipped})
	}

	listen() {
		const on = (id, event, handle) => $(id).addEventListener(event, handle)
		on("first", "click", () => this.line.go(0))
		on("previous", "click", () => this.line.go(this.line.at - 1))
		on("next", "click", () => this.line.go(this.line.at + 1))
		on("last", "click", () => this.line.go(this.line.moves.length))
		on("back", "click", () => this.line.back())
		on("rejoin", "click", () => this.line.rejoin())
		on("flip", "click", () => this.flip())
		on("run", "click", () => this.run(!this.running))
		on("reset", "click", () => this.load("", []))
		for (const id of ["search", "backend", "threads", "multipv", "limit"]) {
			on(id, "change", () => this.set())
		}
		on("stop", "change", () => {
			$("limit").value = limitDefaults[$("stop").value] ?? ""
			this.showLimit()
			this.set()
		})
		on("move-form", "submit", e => this.typed(e))
		on("fen-form", "submit", e => {
			e.preventDefault()
			this.load($("fen").value, [])
		})
		on("pgn-read", "click", () => this.readPGN($("pgn").value))
		on("pgn-write", "click", () => this.writePGN())
		on("pgn-file", "change", e => e.target.files[0] && this.readPGN(e.target.files[0]))
		on("games", "change", () => this.pickGame())
		document.addEventListener("keydown", e => this.key(e))
		document.addEventListener("paste", e => this.pasted(e))
	}

	key(e) {
		if (e.target.closest?.("input, textarea, select") || e.ctrlKey || e.metaKey || e.altKey) {
			return
		}
		const keys = {
			ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last", Backspace: "back", f: "flip",
		}
		if (keys[e.key]) {
			$(keys[e.key]).click()
		} else if (e.key === " " && !e.target.closest?.("button, summary, a")) {
			$("run").click()
		} else if (e.key === "m") {
			$("move").focus()
		} else {
			return
		}
		e.preventDefault()
	}

	// set is called when a field of the search was changed.
	set() {
		for (const id of ["threads", "multipv"]) {
			const field = $(id)
			field.value = Math.max(1, Math.min(Number(field.max), Math.round(Number(field.value)) || 1))
		}
		if ($("stop").value !== "never" && !(Number($("limit").value) > 0)) {
			$("limit").value = limitDefaults[$("stop").value]
		}
		this.lines.room(Number($("multipv").value))
		this.shown.clear()
		this.say()
	}

	showLimit() {
		$("limit").disabled = $("stop").value === "never"
	}

	run(on) {
		this.running = on
		this.showRunning()
		this.say()
	}

	showRunning() {
		setText($("run"), this.running ? "Stop" : "Start")
		$("run").classList.toggle("on", this.running)
	}

	async flip() {
		await this.board.flip()
		this.lines.flipped = this.board.flipped
		$("bar").classList.toggle("flipped", this.board.flipped)
		this.show()
		this.save()
	}

	async load(start, moves, at, remarks = []) {
		this.trouble("")
		if (await this.line.load(start, moves, at)) {
			this.remarks = remarks
			this.showRemarks()
			this.save()
			$("fen").value = ""
			if (this.line.notes.length > 0) {
				this.trouble(this.line.notes.join("; "))
			}
		}
	}

	// typed plays a move that was typed, in SAN or UCI.
	typed(e) {
		e.preventDefault()
		const text = $("move").value.trim()
		$("move").value = ""
		this.line.inTurn(() => {
			const {ruling} = this.line
			if (!text || !ruling) {
				return
			}
			const uci = matching(ruling, text)
			if (!uci) {
				this.trouble(`${text} is not a legal move here`)
				$("move").value ||= text
				return
			}
			this.trouble("")
			return this.line.play(uci)
		})
	}

	pasted(e) {
		if (e.target.closest("input, textarea")) {
			return
		}
		const text = e.clipboardData.getData("text").trim()
		if (/^[pnbrqkPNBRQK1-8]+(\/[pnbrqkPNBRQK1-8]+){7}\s/.test(text + " ")) {
			this.load(text, [])
		} else if (text) {
			this.readPGN(text)
		}
	}

	// readPGN reads games from a text or a file.
	async readPGN(from) {
		try {
			const {games, more} = await post("/api/pgn/read", from instanceof Blob ? from : {text: from})
			this.games = games
			$("games").replaceChildren(...games.map((g, i) => make("option", {text: `${g.title} ${g.result ?? ""}`, value: i})))
			$("games").classList.toggle("hidden", games.length < 2)
			$("pgn-box").open ||= games.length > 1
			await this.pickGame()
			if (more) {
				this.trouble(`the first ${games.length} games are listed`)
			}
		} catch (e) {
			this.trouble(e.message)
		}
	}

	async pickGame() {
		const game = this.games[Number($("games").value) || 0]
		await this.load(game.start, game.moves, 0, game.remarks)
		if (game.notes?.length) {
			this.trouble(game.notes.join("; "))
		}
	}

	async writePGN() {
		const {start, moves, ruling} = this.line
		try {
			const {pgn} = await post("/api/pgn/write", {start, moves, white: "", black: "", result: ruling?.result || "*", ending: "", clock: "", comments: []})
			$("pgn").value = pgn
		} catch (e) {
			this.trouble(e.message)
		}
	}

	// moved is called when the board shows another position: at once, and again when the rules of it are known.
	moved() {
		const {ruling, position} = this.line
		this.board.show(position.fen, position)
		this.writeGame()
		this.showRemarks()
		for (const [id, off] of [["first", this.line.at === 0], ["previous", this.line.at === 0], ["back", this.line.at === 0],
			["next", this.line.at === this.line.moves.length], ["last", this.line.at === this.line.moves.length], ["rejoin", !this.line.aside]]) {
			$(id).disabled = off
		}
		if (!ruling) {
			return
		}
		$("fen").placeholder = ruling.fen
		$("legal").replaceChildren(...ruling.sans.map(san => make("option", {value: san})))
		const key = JSON.stringify(this.line.game)
		if (key !== this.position) {
			this.position = key
			this.history.clear()
			this.tree.clear("")
			this.roots.clear()
			this.gauges.show(null)
			this.why(ruling.outcome ? `The game is over: ${ruling.outcome}.` : this.running ? "" : "Start the search, or make moves on the board.")
			this.show()
		}
		this.say()
	}

	// number is that of the move to be made on the board.
	get number() {
		return Number(this.line.ruling?.fen.split(" ")[5] ?? 1)
	}

	writeGame() {
		const key = JSON.stringify([this.line.moves, this.line.main])
		if ($("game").dataset.key !== key) {
			$("game").dataset.key = key
			const parts = this.line.plies.flatMap((p, i) => [numbered(p, i === 0,
				make("button", {text: p.san, "data-ply": i + 1, class: p.uci === this.line.main[i] ? "" : "off", onclick: () => this.line.go(i + 1)})), " "])
			$("game").replaceChildren(...parts)
		}
		for (const b of $("game").querySelectorAll("button")) {
			const here = Number(b.dataset.ply) === this.line.at
			if (here && !b.hasAttribute("aria-current")) {
				b.setAttribute("aria-current", "true")
				const box = $("game"), top = b.offsetTop - box.offsetTop
				if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - 30) {
					box.scrollTop = top - box.clientHeight / 2
				}
			} else if (!here) {
				b.removeAttribute("aria-current")
			}
		}
	}

	// showRemarks shows what the file says at the position on the board: comments, and variations, which a click plays.
	showRemarks() {
		const {at, moves, main, start} = this.line
		const here = moves.slice(0, at).every((m, i) => m === main[i]) ? this.remarks.filter(r => r.plies === at) : []
		$("remarks").classList.toggle("hidden", this.remarks.length === 0)
		$("remarks").replaceChildren(...here.map(r => make("p", {}, r.moves ? make("button", {text: r.text, title: "Play this variation",
			onclick: () => this.line.load(start, [...main.slice(0, r.plies - 1), ...r.moves], r.plies, main)}) : r.text)))
	}

	status(s) {
		const parts = s.backend ? [s.search, `${s.backend} ${s.net === s.backend ? "" : s.net}`.trim(), `${s.threads} thread${s.threads > 1 ? "s" : ""}`] : []
		setText($("net"), parts.join(" · "))
		$("net").title = (s.notes ?? []).join("\n")
		if (s.state === "loading") {
			this.why("The net is being loaded.")
		} else if (s.state === "searching") {
			this.why("Searching.")
		}
		if (s.state !== "idle" && s.search && !s.tree) {
			this.tree.clear("An alpha-beta search keeps no tree that could be shown.")
		}
	}

	snapshot(s) {
		this.shown.set(this.position, s)
		if (this.shown.size > 300) {
			this.shown.delete(this.shown.keys().next().value)
		}
		this.history.show(s)
		this.show()
		if (s.end === "proven" || s.end === "nothing left to search") { // a search without limit waits for a stop
			this.why(reasons[s.end])
		}
	}

	// show shows what is known of the position on the board.
	show() {
		const s = this.shown.get(this.position)
		if (!s) {
			this.lines.clear()
			this.arrows([])
			return
		}
		this.lines.show(s, this.number)
		this.roots.show(s.roots ?? [])
		this.gauges.show(s.batches)
		if (s.tree) {
			this.tree.show(s.tree)
		}
		const all = (s.roots ?? []).reduce((sum, r) => sum + r.n, 0)
		const moves = s.roots ? s.roots.map(r => ({uci: r.uci, share: r.n / (all || 1)})) : s.lines.map((l, i) => ({uci: l.moves[0]?.uci, share: 1 / (i + 1)}))
		if (!all && s.roots) { // all is proven: no effort was needed
			moves.splice(0, moves.length, {uci: s.lines[0]?.moves[0]?.uci, share: .5})
		}
		this.arrows(moves.filter(m => m.uci && m.share >= leastShare).sort((a, b) => b.share - a.share).slice(0, mostArrows))
	}

	arrows(list) {
		this.best = list
		if (!this.hovered) {
			this.board.arrows(list)
		}
	}

	// hover shows a line on the board in place of the best moves.
	hover(moves) {
		this.hovered = moves.length > 0
		this.board.arrows(this.hovered ? moves.slice(0, mostHovered).map((m, i) => ({uci: m.uci, share: .6 / (i + 1), hover: i % 2 === 0, reply: i % 2 === 1})) : this.best ?? [])
	}

	done(d) {
		if (d.error) {
			this.why("The search failed: " + d.error, true)
		} else {
			this.why((reasons[d.end] ?? d.end) + (d.san ? ` Best move: ${d.san}.` : ""))
		}
		this.running = false
		this.showRunning()
		this.save()
	}

	why(text, bad = false) {
		setText($("why"), text)
		$("why").classList.toggle("bad", bad)
	}

	// connection takes what the session tells of the server. That all is well again takes back its own complaint alone.
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

await new Analysis().begin()
