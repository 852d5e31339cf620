// The game on the board: a start, a line of moves, and where in it the board is. The rules come from the server.
import {post} from "./api.js"

export class Line {
	// changed is called when the board shows another position, failed with a text when the server refuses something.
	constructor({changed, failed}) {
		this.changed = changed
		this.failed = failed
		this.start = ""
		this.initial = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1" // the same, once a game is loaded
		this.main = []    // the game that was loaded, or played here first
		this.moves = []   // the line that is shown, in UCI
		this.at = 0       // plies of it that are on the board
		this.plies = []   // of the line: {uci, san, fen, check, number, black}
		this.ruling = null // of the position on the board
		this.asked = 0
	}

	// game is what the server is to search.
	get game() {
		return {start: this.start, moves: this.moves.slice(0, this.at)}
	}

	get legal() {
		return this.ruling?.legal ?? []
	}

	// aside tells whether the line has left the main one.
	get aside() {
		return this.moves.some((m, i) => m !== this.main[i])
	}

	// load shows another game, at a ply. What the server refuses is not loaded.
	async load(start, moves, at = moves.length, main = moves) {
		const whole = await this.ask({start, moves})
		if (!whole) {
			return false
		}
		Object.assign(this, {start: whole.start, moves: whole.plies.map(p => p.uci), main: [...main], plies: whole.plies, initial: whole.start})
		this.notes = whole.notes ?? []
		await this.go(at)
		return true
	}

	// go shows the position after some plies of the line.
	async go(at) {
		this.at = Math.max(0, Math.min(at, this.moves.length))
		this.ruling = null
		this.changed()
		const asked = ++this.asked
		const ruling = await this.ask(this.game)
		if (ruling && asked === this.asked) {
			this.ruling = ruling
			this.changed()
		}
	}

	// play plays moves from the position on the board.
	async play(...moves) {
		if (moves.every((m, i) => this.moves[this.at + i] === m)) {
			return this.go(this.at + moves.length)
		}
		const line = [...this.moves.slice(0, this.at), ...moves]
		const whole = await this.ask({start: this.start, moves: line})
		if (!whole) {
			this.changed() // the board shows the position again
			return
		}
		const grows = !this.aside && this.at === this.main.length
		this.moves = whole.plies.map(p => p.uci)
		this.plies = whole.plies
		if (grows) {
			this.main = [...this.moves]
		}
		return this.go(this.moves.length)
	}

	// back takes the last move back for good.
	async back() {
		if (this.at === 0) {
			return
		}
		const grown = !this.aside
		this.moves = this.moves.slice(0, this.at - 1)
		this.plies = this.plies.slice(0, this.at - 1)
		if (grown) {
			this.main = [...this.moves]
		}
		return this.go(this.moves.length)
	}

	// rejoin returns to the main line, at the position where this one left it.
	async rejoin() {
		const left = this.moves.findIndex((m, i) => m !== this.main[i])
		return this.load(this.start, this.main, Math.min(this.at, left < 0 ? this.at : left))
	}

	// position is what the board shows.
	get position() {
		const last = this.plies[this.at - 1]
		return last ? {fen: last.fen, last: last.uci, check: last.check ?? ""} : {fen: this.initial, last: "", check: this.ruling?.check ?? ""}
	}

	// inTurn calls a function when the rules of the position on the board are known, and what was begun before so has ended.
	inTurn(act) {
		this.turn = Promise.resolve(this.turn).then(() => this.settled()).then(act)
	}

	async settled() {
		for (let last; last !== this.answer; await last) {
			last = this.answer
		}
	}

	// ask asks the server what the rules say of a game: null where it refuses the game.
	ask(game) {
		this.answer = post("/api/rules", game).catch(e => {
			this.failed(e.message)
			return null
		})
		return this.answer
	}
}
