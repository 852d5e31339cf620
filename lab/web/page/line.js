// The game on the board: a start, a tree of moves, and where in it the board is. The rules come from the server.
//
// A node is a move {uci, san, fen, check, number, black, before, glyphs, marks, comment} with its parent and its children, the
// main one first. A record is a game as the server reads and writes it: its nodes in a list, each with the number of its parent.
import {post} from "./api.js"

const initial = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1" // until a game is loaded
const mostUndone = 50

export class Line {
	// changed is called when the board shows another position, failed with a text when the server refuses something.
	constructor({changed, failed}) {
		this.changed = changed
		this.failed = failed
		this.version = 0 // another one when the tree has changed
		this.undone = []
		this.set({start: "", nodes: []})
	}

	// game is what the server is to search.
	get game() {
		return {start: this.start, moves: this.path.map(n => n.uci)}
	}

	// path are the moves that led to the position on the board.
	get path() {
		return pathTo(this.node)
	}

	// plies are those of the line that is shown: the path, and where it went on when it was last gone through.
	get plies() {
		const all = this.path
		for (let n = next(this.node); n; n = next(n)) {
			all.push(n)
		}
		return all
	}

	get at() {
		return this.path.length
	}

	get legal() {
		return this.ruling?.legal ?? []
	}

	// ruling is what the rules say of the position on the board; null while it is not known.
	get ruling() {
		return this.node.ruling ?? null
	}

	// aside tells whether the position is in a variation.
	get aside() {
		return this.path.some(n => !isMain(n))
	}

	// load shows another game, at its end. What the server refuses is not loaded.
	async load(start, moves) {
		const whole = await this.ask({start, moves})
		if (!whole) {
			return false
		}
		this.notes = whole.notes ?? []
		this.take({start: whole.start, nodes: whole.plies.map((p, i) => ({parent: i, ...p})), at: whole.plies.length})
		return true
	}

	// take shows the game of a record, at the node of the number at.
	take(record) {
		this.keep()
		this.set(record)
		this.visit(this.node)
	}

	set({start, check, tags, comment, result, nodes, at = 0}) {
		const root = {children: [], parent: null, fen: start || initial, check, comment}
		const all = [root]
		for (const {parent, ...move} of nodes) {
			const node = {...move, parent: all[parent], children: []}
			node.parent.children.push(node)
			all.push(node)
		}
		Object.assign(this, {start: start ?? "", root, tags: tags ?? [], result: result ?? "*", node: all[at] ?? root})
		this.version++
	}

	// record is the game as a record.
	record() {
		const nodes = []
		let at = 0
		const write = (node, number) => {
			for (let kids = node.children; kids.length > 0; kids = node.children) { // down the line, to spare the stack
				const numbers = kids.map(({children, parent, ruling, last, button, ...move}) => nodes.push({parent: number, ...move}))
				at = numbers[kids.indexOf(this.node)] ?? at
				kids.slice(1).forEach((k, i) => write(k, numbers[i + 1]))
				node = kids[0]
				number = numbers[0]
			}
		}
		write(this.root, 0)
		const {start, root: {check, comment}, tags, result} = this
		return {start, check, tags, comment, result, nodes, at}
	}

	// keep keeps the game, so that undo brings it back.
	keep() {
		if (this.root.children.length > 0 || this.start) {
			this.undone = [...this.undone.slice(1 - mostUndone), this.record()]
		}
	}

	undo() {
		const record = this.undone.pop()
		if (record) {
			this.set(record)
			this.visit(this.node)
		}
	}

	// visit puts the position after a move on the board.
	visit(node) {
		this.node = node
		for (let n = node; n.parent; n = n.parent) {
			n.parent.last = n
		}
		this.changed()
		if (!node.ruling) {
			this.rule()
		}
	}

	// go shows the position after some plies of the line.
	go(at) {
		this.visit(this.plies[Math.min(at, this.plies.length) - 1] ?? this.root)
	}

	// rule asks for the rules of the position on the board. Positions that were left before the server answered are not asked for.
	rule() {
		this.asking ??= (async () => {
			while (!this.node.ruling) {
				const node = this.node, ruling = await this.ask(this.game)
				if (!ruling) {
					break
				}
				const {fen, black, legal, sans, check, outcome, result} = ruling
				node.ruling = {fen, black, legal, sans, check, outcome, result}
			}
			this.asking = null
			if (this.ruling) {
				this.changed()
			}
		})()
	}

	// play plays moves from the position on the board: those of the tree, or a variation.
	async play(...moves) {
		const follow = (node, moves) => moves.reduce((n, m) => n?.children.find(c => c.uci === m), node)
		const known = follow(this.node, moves)
		if (known) {
			return this.visit(known)
		}
		let node = this.node
		const before = pathTo(node)
		const whole = await this.ask({start: this.start, moves: [...before.map(n => n.uci), ...moves]})
		if (!whole) {
			this.changed() // the board shows the position again
			return
		}
		for (const ply of whole.plies.slice(before.length)) {
			let child = node.children.find(c => c.uci === ply.uci)
			if (!child) {
				child = {...ply, parent: node, children: []}
				node.children.push(child)
			}
			node = child
		}
		this.version++
		this.visit(node)
	}

	// remove removes a move and all that follows it.
	remove(node = this.node) {
		if (!node.parent) {
			return
		}
		this.keep()
		const {parent} = node
		parent.children.splice(parent.children.indexOf(node), 1)
		parent.last = null
		this.version++
		this.visit(parent)
	}

	// remark gives the move on the board a mark, a NAG of 1 to 6 or 0 for none, and a comment; the start has a comment alone. What
	// programs wrote into the comment stays.
	remark(mark, text) {
		const {node} = this, sign = signs[mark - 1]
		const comment = [text.replaceAll("{", "(").replaceAll("}", ")").trim(), ...node.comment?.match(commands) ?? []].filter(Boolean).join(" ")
		if (comment === (node.comment ?? "") && mark === markOf(node)) {
			return
		}
		this.keep()
		node.comment = comment
		if (node.parent && mark !== markOf(node)) {
			node.glyphs = [...mark ? [mark] : [], ...(node.glyphs ?? []).filter(g => g > signs.length)]
			node.marks = [...mark ? [sign] : [], ...(node.marks ?? []).filter(m => !signs.includes(m))]
		}
		this.version++
		this.visit(node)
	}

	// promote makes the variation of the position the main line where it begins.
	promote() {
		const first = this.path.findLast(n => !isMain(n))
		if (first) {
			this.keep()
			const {children} = first.parent
			children.unshift(...children.splice(children.indexOf(first), 1))
			this.version++
			this.visit(this.node)
		}
	}

	// rejoin returns to the main line, at the position where this one left it.
	rejoin() {
		const first = this.path.find(n => !isMain(n))
		if (first) {
			first.parent.last = null
			this.visit(first.parent)
		}
	}

	// position is what the board shows.
	get position() {
		const {fen, uci, check, ruling} = this.node
		return {fen, last: uci ?? "", check: check ?? ruling?.check ?? ""}
	}

	// inTurn calls a function when the rules of the position on the board are known, and what was begun before so has ended.
	inTurn(act) {
		this.turn = Promise.resolve(this.turn).then(() => this.settled()).then(act)
	}

	async settled() {
		for (let last; last !== this.answer || this.asking; await (this.asking ?? last)) {
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

export const commands = /\[%[^\]]*\]/g // that programs write into comments

export const signs = ["!", "?", "!!", "??", "!?", "?!"] // of the NAGs from 1

// markOf is the first NAG of a move that is a mark, 0 where there is none.
export const markOf = node => node.glyphs?.find(g => g >= 1 && g <= signs.length) ?? 0

// wordsOf is a comment without what programs wrote into it.
export const wordsOf = comment => (comment ?? "").replace(commands, "").trim()

export const isMain = node => node.parent.children[0] === node

const next = node => node.last ?? node.children[0]

function pathTo(node) {
	const all = []
	for (let n = node; n.parent; n = n.parent) {
		all.push(n)
	}
	return all.reverse()
}
