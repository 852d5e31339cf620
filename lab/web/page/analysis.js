// The page of analysis: it joins the board, the game on it, the session at the server and what shows the search.
import {get, post} from "./api.js"
import {Board} from "./board.js"
import {$, Complaint, make, setText, store} from "./dom.js"
import {fenOf} from "./fen.js"
import {Gauges} from "./gauges.js"
import {History} from "./history.js"
import {Line} from "./line.js"
import {Lines} from "./lines.js"
import {Moves} from "./moves.js"
import {Roots} from "./roots.js"
import {Session} from "./session.js"
import {Tree} from "./tree.js"
import {matching} from "./typed.js"
import {Why} from "./why.js"

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
		this.starting = true // nothing is said to the server yet
		this.trouble = new Complaint()
		this.shown = new Map() // the last snapshot of each position that was searched, by game
		this.board = new Board($("board"), {onMove: uci => this.line.play(uci), legal: () => this.line.legal})
		this.line = new Line({changed: () => this.moved(), failed: text => this.trouble.say(text)})
		this.moves = new Moves(this.line)
		this.lines = new Lines((...moves) => this.line.play(...moves))
		this.roots = new Roots({hover: moves => this.hover(moves), play: uci => this.line.play(uci), ask: r => this.whyNot.ask(this.line.game, r)})
		this.whyNot = new Why(() => this.options)
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
		await this.first(saved.address)
		this.starting = false
		this.session = new Session("analysis", {
			status: s => this.status(s), snapshot: s => this.snapshot(s), done: d => this.done(d), trouble: text => this.trouble.connection(text),
		})
		this.session.restore(this.wish)
		this.showRunning()
		const file = store.get("pgn")
		if (file) {
			await this.readPGN(new Blob([Uint8Array.from(file.text, c => c.charCodeAt(0))]), file.game, false)
		}
	}

	// first shows the game that was there before a reload, or the position that the address names where that is another one than
	// before: address.
	async first(address) {
		const saved = store.get("game")
		this.address = new URLSearchParams(location.search).get("fen") ?? ""
		if (this.address && this.address !== address) {
			await this.load(fenOf(this.address) || this.address)
		} else if (saved) {
			this.line.take(saved)
		}
		await this.line.asking
		if (!this.line.ruling) {
			await this.line.load("", [])
		}
		await this.line.asking
	}

	// choices fills the fields for searcher and backend.
	async choices(saved) {
		let all
		try {
			all = await get("/api/options")
		} catch (e) {
			this.trouble.say(e.message)
			setTimeout(() => location.reload(), 2000)
			return
		}
		this.trees = all.searches.filter(s => s.tree).map(s => s.name)
		$("search").replaceChildren(...all.searches.map(s => make("option", {text: s.name})))
		$("backend").replaceChildren(...all.backends.map(b => make("option", {text: b.name + (b.ok ? "" : " (not here)"), value: b.name, disabled: !b.ok, title: b.text})))
		$("threads").max = all.threads
		$("multipv").max = all.lines
		this.most = all.bytes
		const settings = saved ?? {search: all.set.search, backend: all.set.backend, threads: all.set.threads, multipv: 1, stop: "never", limit: ""}
		for (const [id, value] of Object.entries(settings)) {
			$(id).value = value
		}
		this.lines.room(Number($("multipv").value))
		this.showLimit()
		this.fold()
	}

	get settings() {
		return Object.fromEntries(["search", "backend", "threads", "multipv", "stop", "limit"].map(id => [id, $(id).value]))
	}

	get options() {
		return {Search: $("search").value, Backend: $("backend").value, Threads: $("threads").value}
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
			game: this.line.game, options: this.options, limits,
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
		if (this.saved !== this.line.version + "/" + this.position) {
			this.saved = this.line.version + "/" + this.position
			store.set("game", this.line.record())
		}
		store.set("analysis", {address: this.address, settings: this.settings, running: this.running, flipped: this.board.flipped})
	}

	listen() {
		const on = (id, event, handle) => $(id).addEventListener(event, handle)
		on("first", "click", () => this.line.go(0))
		on("previous", "click", () => this.line.go(this.line.at - 1))
		on("next", "click", () => this.line.go(this.line.at + 1))
		on("last", "click", () => this.line.go(Infinity))
		on("delete", "click", () => this.line.remove())
		on("promote", "click", () => this.line.promote())
		on("undo", "click", () => this.line.undo())
		on("explain", "click", () => this.whyNot.ask({start: this.line.start, moves: this.line.path.slice(0, -1).map(n => n.uci)}, this.line.node))
		on("mark", "change", () => this.remark())
		on("comment", "change", () => this.remark())
		on("remark-form", "submit", e => {
			e.preventDefault()
			this.remark()
		})
		on("rejoin", "click", () => this.line.rejoin())
		on("flip", "click", () => this.flip())
		on("run", "click", () => this.run(!this.running))
		on("reset", "click", () => this.load(""))
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
			this.load(fenOf($("fen").value) || $("fen").value)
		})
		on("pgn-read", "click", () => this.readPGN(new Blob([$("pgn").value])))
		on("pgn-write", "click", () => this.writePGN())
		on("pgn-file", "change", e => e.target.files[0] && this.readPGN(e.target.files[0]))
		on("games", "change", () => this.readPGN(this.file, Number($("games").value)))
		on("find", "input", () => this.listGames())
		document.addEventListener("keydown", e => this.key(e))
		document.addEventListener("paste", e => this.pasted(e))
	}

	key(e) {
		if (e.key === "z" && (e.ctrlKey || e.metaKey) && !e.target.closest?.("input, textarea, select")) {
			e.preventDefault()
			this.line.undo()
			return
		}
		if (e.target.closest?.("input, textarea, select") || e.ctrlKey || e.metaKey || e.altKey) {
			return
		}
		const keys = {
			ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last", Backspace: "delete", Delete: "delete", f: "flip",
		}
		if (keys[e.key]) {
			$(keys[e.key]).click()
		} else if (e.key === " " && !e.target.closest?.("button, summary, a")) {
			$("run").click()
		} else if (e.key === "m" || e.key === "c") {
			$(e.key === "m" ? "move" : "comment").focus()
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
		this.fold()
		this.shown.clear()
		this.say()
	}

	// fold folds the panels that a search without a tree leaves empty. Which one auto takes, the server tells later.
	fold(tree = $("search").value === "auto" || this.trees.includes($("search").value)) {
		document.querySelector("main").classList.toggle("plain", !tree)
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

	// load shows a position.
	async load(fen) {
		if (await this.line.load(fen, [])) {
			$("fen").value = ""
			this.trouble.say(this.line.notes.join("; "))
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
				this.trouble.say(`${text} is not a legal move here`)
				$("move").value ||= text
				return
			}
			this.trouble.say("")
			return this.line.play(uci)
		})
	}

	pasted(e) {
		if (e.target.closest("input, textarea")) {
			return
		}
		const text = e.clipboardData.getData("text").trim()
		if (fenOf(text) && !/^\s*(1\.|\[(?!FEN))/m.test(text)) { // a position alone
			this.load(fenOf(text))
		} else if (text) {
			this.readPGN(new Blob([text]))
		}
	}

	// readPGN reads a file of games, and shows one of them. What has no game changes nothing.
	async readPGN(file, number = 0, show = true) {
		try {
			if (file.size > this.most) {
				throw new Error(`the file has ${(file.size / 2 ** 20).toFixed(1)} MiB: at most ${this.most >> 20} MiB are taken, so split it`)
			}
			const {games, more, game} = await post("/api/pgn/read?game=" + number, file)
			this.picked = number
			if (this.file !== file) {
				this.file = file
				this.games = games
				$("find").value = ""
				this.listGames()
				$("games-box").classList.toggle("hidden", games.length < 2)
				$("pgn-box").open ||= games.length > 1
			}
			if (show) {
				const bytes = new Uint8Array(await file.arrayBuffer())
				store.set("pgn", {text: Array.from(bytes, b => String.fromCharCode(b)).join(""), game: number})
				store.set("game", game) // save comes when the server has told its positions
				this.line.take(game)
				this.trouble.say([...game.notes ?? [], ...more ? [`the first ${games.length} games are listed`] : []].join("; "))
			}
		} catch (e) {
			this.trouble.say(e.message)
		}
	}

	// listGames lists the games of the file whose titles have all words of the search.
	listGames() {
		const words = $("find").value.toLowerCase().split(/\s+/)
		const found = this.games.map((g, value) => ({text: `${g.title} ${g.result}`, value})).filter(g => words.every(w => g.text.toLowerCase().includes(w)))
		$("games").replaceChildren(...found.map(g => make("option", g)))
		$("games").value = this.picked
	}

	remark() {
		this.line.remark(Number($("mark").value), $("comment").value)
	}

	async writePGN() {
		try {
			const {start, tags, comment, result, nodes} = this.line.record()
			const {pgn} = await post("/api/pgn/write", {start, tags, comment: comment ?? "", result, nodes})
			$("pgn").value = pgn
		} catch (e) {
			this.trouble.say(e.message)
		}
	}

	// moved is called when the board shows another position: at once, and again when the rules of it are known.
	moved() {
		const {ruling, position} = this.line
		this.board.show(position.fen, position)
		this.moves.show()
		const {at, plies} = this.line
		for (const [id, off] of [["first", at === 0], ["previous", at === 0], ["next", at === plies.length], ["last", at === plies.length], ["rejoin", !this.line.aside]]) {
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
			this.whyNot.moved()
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

	status(s) {
		const parts = s.backend ? [s.search, `${s.backend} ${s.net === s.backend ? "" : s.net}`.trim(), `${s.threads} thread${s.threads > 1 ? "s" : ""}`] : []
		setText($("net"), parts.join(" · "))
		$("net").title = (s.notes ?? []).join("\n")
		if (s.state === "loading") {
			this.why("The net is being loaded.")
		} else if (s.state === "searching") {
			this.why("Searching.")
		}
		if (s.backend) {
			this.gauges.local(s.local)
		}
		if (s.state === "searching") {
			this.fold(s.tree)
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
		this.roots.show(s.roots ?? [], s.lines[0]?.sure)
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
}

await new Analysis().begin()
