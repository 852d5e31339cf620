// The moves of a game with their variations, comments, marks and clocks, as a text of buttons.
import {$, make, numbered, setText} from "./dom.js"
import {isMain, markOf, wordsOf} from "./line.js"

export class Moves {
	constructor(line) {
		this.line = line
	}

	show() {
		const {line} = this
		if (this.written !== line.root || this.version !== line.version) {
			this.written = line.root
			this.version = line.version
			const box = $("game")
			box.replaceChildren()
			this.say(box, line.root.comment)
			this.write(box, line.root, true, 0)
		}
		this.current?.removeAttribute("aria-current")
		this.current = line.node.button
		this.current?.setAttribute("aria-current", "true")
		const box = $("game"), top = (this.current?.offsetTop ?? 0) - box.offsetTop
		if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - 30) {
			box.scrollTop = top - box.clientHeight / 2
		}
		const clock = black => line.path.findLast(n => Boolean(n.black) === black && clockOf(n))
		const [white, black] = [clock(false), clock(true)]
		setText($("clocks"), white || black ? `White ${clockOf(white) ?? "–"} · Black ${clockOf(black) ?? "–"}` : "")
		$("promote").disabled = !line.aside
		$("delete").disabled = !line.node.parent
		$("undo").disabled = line.undone.length === 0
		$("mark").disabled = !line.node.parent
		$("explain").disabled = !line.node.parent
		$("mark").value = markOf(line.node)
		if (this.remarked !== line.node || document.activeElement !== $("comment")) { // not what is being written
			this.remarked = line.node
			$("comment").value = wordsOf(line.node.comment)
		}
	}

	// write writes what follows a move. numbers says that the next one has its number also where Black makes it.
	write(box, node, numbers, depth) {
		for (let kids = node.children; kids.length > 0; kids = node.children) {
			numbers = this.move(box, kids[0], numbers)
			for (const other of kids.slice(1)) {
				const part = make(depth === 0 ? "div" : "span", {class: "variation"})
				part.append(depth === 0 ? "" : "(")
				this.write(part, other, this.move(part, other, true), depth + 1)
				part.append(depth === 0 ? "" : ") ")
				box.append(part)
				numbers = true
			}
			node = kids[0]
		}
	}

	// move writes a move with what is said of it, and tells whether the next one needs its number.
	move(box, node, numbers) {
		this.say(box, node.before)
		node.button = make("button", {text: node.san + (node.marks ?? []).map(m => /^[!?]/.test(m) ? m : " " + m).join(""),
			class: isMain(node) ? "" : "off", onclick: () => this.line.visit(node)})
		box.append(numbered(node, numbers, node.button), " ")
		return this.say(box, node.comment)
	}

	say(box, comment) {
		const text = wordsOf(comment)
		if (text) {
			box.append(make("span", {class: "comment", text}), " ")
		}
		return text !== ""
	}
}

// clockOf is the time that a player had left after a move.
const clockOf = node => node?.comment?.match(/\[%clk\s+([\d:.]+)\s*\]/)?.[1]
