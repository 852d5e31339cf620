// The board: cm-chessboard with our pieces, and a layer over it for the last move, targets and arrows. All pages use it.
//
//	const board = new Board(element, {onMove: uci => …, legal: () => ["e2e4", …]})
//	board.show(fen, {last: "e2e4", check: "e8"})
//	board.arrows([{uci: "e2e4", share: 0.4}, …])
//
// legal says which moves may be made by mouse, in UCI; without onMove the board is for looking only.
import {Chessboard, COLOR, INPUT_EVENT_TYPE} from "./vendor/cm-chessboard/src/Chessboard.js"
import {PromotionDialog} from "./vendor/cm-chessboard/src/extensions/promotion-dialog/PromotionDialog.js"
import {draw} from "./dom.js"

// cm-chessboard moves the dragged piece by the attribute style, which the Content-Security-Policy of these pages forbids;
// the property is allowed.
const setAttribute = SVGElement.prototype.setAttribute
SVGElement.prototype.setAttribute = function (name, value) {
	if (name === "style") {
		this.style.cssText = value
	} else {
		setAttribute.call(this, name, value)
	}
}

const mostTargets = 28
const moving = 120 // ms that a piece moves

export class Board {
	constructor(box, {onMove, legal} = {}) {
		this.onMove = onMove
		this.legal = legal ?? (() => [])
		this.last = ""
		this.check = ""
		this.drawn = []
		const inner = box.appendChild(document.createElement("div"))
		this.chessboard = new Chessboard(inner, {
			assetsUrl: "/",
			style: {cssClass: "tesla", pieces: {file: "pieces/pieces.svg", tileSize: 40}, animationDuration: moving},
			extensions: [{class: PromotionDialog, props: {language: "en"}}],
		})
		this.marks = draw("svg", {viewBox: "0 0 8 8"}) // below the pieces
		this.chessboard.view.markersLayer.append(this.marks)
		this.shafts = box.appendChild(draw("svg", {class: "over", viewBox: "0 0 8 8", "aria-hidden": "true"}))
		if (onMove) {
			this.chessboard.enableMoveInput(e => this.input(e))
		}
	}

	get flipped() {
		return this.chessboard.getOrientation() === COLOR.black
	}

	// show puts a position on the board. last is the move that led there, check the square of a king in check.
	// Where positions follow each other faster than pieces move, they do not move: the board is not to be behind.
	show(fen, {last = "", check = ""} = {}) {
		this.last = last === "0000" ? "" : last // a null move
		this.check = check
		if (fen !== this.fen) {
			const now = performance.now()
			this.chessboard.setPosition(fen, now - (this.shown ?? 0) > moving)
			this.fen = fen
			this.shown = now
		} else {
			this.chessboard.setPosition(fen)
		}
		this.mark()
	}

	async flip() {
		await this.chessboard.setOrientation(this.flipped ? COLOR.white : COLOR.black)
		this.mark()
		this.arrows(this.drawn)
	}

	// input is cm-chessboard's: it asks which moves may begin, and tells what was moved.
	input(e) {
		const from = e.squareFrom ?? e.square
		switch (e.type) {
		case INPUT_EVENT_TYPE.moveInputStarted: {
			const moves = this.legal().filter(m => m.startsWith(from))
			this.mark(moves)
			return moves.length > 0
		}
		case INPUT_EVENT_TYPE.validateMoveInput: {
			const moves = this.legal().filter(m => m.startsWith(from + e.squareTo))
			if (moves.length > 1) {
				this.promote(from, e.squareTo)
				return true
			}
			if (moves.length === 1) {
				this.onMove(moves[0])
			}
			return moves.length === 1
		}
		case INPUT_EVENT_TYPE.moveInputCanceled:
		case INPUT_EVENT_TYPE.moveInputFinished:
			this.mark()
		}
	}

	// promote asks which piece a pawn becomes.
	promote(from, to) {
		const before = this.chessboard.getPosition()
		this.chessboard.showPromotionDialog(to, to[1] === "8" ? COLOR.white : COLOR.black, answer => {
			if (answer?.piece) {
				this.onMove(from + to + answer.piece[1])
			} else {
				this.chessboard.setPosition(before)
			}
		})
	}

	// mark draws the last move, a check, and the targets of moves.
	mark(moves = []) {
		const square = (name, cls) => {
			const [x, y] = this.corner(name)
			return draw("rect", {x, y, width: 1, height: 1, class: cls})
		}
		const marks = []
		if (this.last) {
			marks.push(square(this.last.slice(0, 2), "last-move"), square(this.last.slice(2, 4), "last-move"))
		}
		if (this.check) {
			marks.push(square(this.check, "check"))
		}
		const targets = [...new Set(moves.map(m => m.slice(2, 4)))].slice(0, mostTargets).map(name => {
			const [x, y] = this.corner(name)
			const capture = this.chessboard.getPiece(name)
			return draw("circle", {cx: x + .5, cy: y + .5, r: capture ? .44 : .15, class: "target" + (capture ? " capture" : "")})
		})
		this.marks.replaceChildren(...marks, ...targets)
	}

	// arrows draws moves {uci, share, hover, reply}: the width and the strength of an arrow grow with its share, 0 to 1.
	arrows(list) {
		this.drawn = list
		this.shafts.replaceChildren(...list.map(a => this.arrow(a)).reverse())
	}

	arrow({uci, share, hover, reply}) {
		const [x1, y1] = this.corner(uci.slice(0, 2))
		const [x2, y2] = this.corner(uci.slice(2, 4))
		const dx = x2 - x1, dy = y2 - y1, length = Math.hypot(dx, dy) || 1
		const half = .04 + .1 * Math.sqrt(share), head = .16 + .16 * Math.sqrt(share)
		const neck = length - .12 - 1.5 * head, tip = length - .12
		const points = [[.3, half], [neck, half], [neck, head], [tip, 0], [neck, -head], [neck, -half], [.3, -half]]
		const at = points.map(([along, side]) => {
			const x = x1 + .5 + (dx * along - dy * side) / length
			const y = y1 + .5 + (dy * along + dx * side) / length
			return `${x.toFixed(3)},${y.toFixed(3)}`
		})
		return draw("polygon", {points: at.join(" "), class: "arrow" + (hover ? " hover" : "") + (reply ? " reply" : ""), "fill-opacity": (.3 + .55 * share).toFixed(2), "data-move": uci})
	}

	// corner is the upper left corner of a square as the board lies.
	corner(name) {
		const file = name.charCodeAt(0) - 97, rank = name.charCodeAt(1) - 49
		return this.flipped ? [7 - file, rank] : [file, 7 - rank]
	}
}
