// The live tree: the most visited moves as a picture that can be moved, enlarged, opened and closed. The order of siblings
// is that of their priors, which does not change, so nodes stay where they are while numbers grow.
import {$, draw, make, setText} from "./dom.js"
import {count, percent, signed} from "./format.js"

const width = 106, height = 36, columnStep = 138, rowStep = 42
const waits = {net: "net", tables: "tables", deeper: "deeper", below: ""}
const waitsFor = {
	"": "nothing: it can be promoted", net: "its first evaluation by the net", tables: "endgame tables", deeper: "a deeper search of its leaf",
	below: "evaluations below it",
}

export class Tree {
	// hover is called with the moves to the node that is pointed at, or with none; play with those moves.
	constructor({hover, play}) {
		this.hover = hover
		this.play = play
		this.nodes = new Map() // by path: what is drawn
		this.closed = new Set()
		this.chosen = ""
		this.view = {x: 0, y: 0, scale: .8}
		this.moved = false
		this.world = draw("g")
		this.edges = this.world.appendChild(draw("g"))
		this.boxes = this.world.appendChild(draw("g"))
		this.svg = draw("svg", {tabindex: 0, role: "tree", "aria-label": "The most visited moves. Arrows choose a move, Enter opens or closes it."}, this.world)
		this.box = $("tree")
		this.box.append(this.svg)
		this.listen()
	}

	listen() {
		let from = null
		this.svg.addEventListener("pointerdown", e => {
			from = {x: e.clientX - this.view.x, y: e.clientY - this.view.y}
			if (!e.target.closest(".node")) {
				this.svg.setPointerCapture(e.pointerId)
			}
		})
		this.svg.addEventListener("pointermove", e => {
			if (from && e.buttons) {
				this.moved = true
				this.move(e.clientX - from.x, e.clientY - from.y, this.view.scale)
			}
		})
		this.svg.addEventListener("pointerup", () => from = null)
		this.svg.addEventListener("pointerleave", () => this.hover([]))
		this.svg.addEventListener("wheel", e => {
			e.preventDefault()
			const r = this.svg.getBoundingClientRect()
			this.zoom(Math.exp(-e.deltaY / 500), e.clientX - r.left, e.clientY - r.top)
		}, {passive: false})
		this.svg.addEventListener("keydown", e => this.key(e))
		$("tree-in").addEventListener("click", () => this.zoom(1.3))
		$("tree-out").addEventListener("click", () => this.zoom(1 / 1.3))
		$("tree-fit").addEventListener("click", () => this.fit())
		$("tree-size").addEventListener("change", () => this.last && this.render(this.last))
		$("tree-hold").addEventListener("click", e => {
			const held = e.target.getAttribute("aria-pressed") !== "true"
			e.target.setAttribute("aria-pressed", held)
			this.held = held
			if (!held && this.last) {
				this.render(this.last)
			}
		})
		new ResizeObserver(() => this.moved || this.place()).observe(this.box)
	}

	move(x, y, scale) {
		this.view = {x, y, scale}
		this.world.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${scale.toFixed(3)})`)
	}

	zoom(by, x = this.box.clientWidth / 2, y = this.box.clientHeight / 2) {
		const scale = Math.max(.15, Math.min(2.5, this.view.scale * by)), ratio = scale / this.view.scale
		this.moved = true
		this.move(x - (x - this.view.x) * ratio, y - (y - this.view.y) * ratio, scale)
	}

	// fit shows all of the tree; place shows its beginning in a size that can be read.
	fit() {
		if (!this.last) {
			return
		}
		this.moved = true
		const scale = Math.min(1, this.box.clientWidth / (this.right + 20), this.box.clientHeight / (this.bottom + 20))
		this.move(10, (this.box.clientHeight - this.bottom * scale) / 2, scale)
	}

	place() {
		this.moved = false
		if (!this.last) {
			return
		}
		const scale = Math.max(.62, Math.min(1, this.box.clientWidth / (this.right + 20), this.box.clientHeight / (this.bottom + 20)))
		const whole = this.bottom * scale <= this.box.clientHeight
		this.move(10, whole ? (this.box.clientHeight - this.bottom * scale) / 2 : this.box.clientHeight / 2 - this.rootY * scale, scale)
	}

	clear(text) {
		this.last = null
		this.closed.clear()
		this.nodes.clear()
		this.edges.replaceChildren()
		this.boxes.replaceChildren()
		this.chosen = ""
		this.moved = false
		setText($("detail"), text)
	}

	// show takes the nodes of a snapshot.
	show(tree) {
		this.last = tree
		if (!this.held) {
			this.render(tree)
		}
	}

	render(tree) {
		const list = this.layout(tree.slice(0, Number($("tree-size").value)))
		for (const [path, n] of this.nodes) {
			if (!list.some(m => m.path === path)) {
				n.g.remove()
				n.edge?.remove()
				this.nodes.delete(path)
			}
		}
		for (const n of list) {
			this.paint(n)
		}
		if (!this.moved) {
			this.place()
		}
		this.describe()
	}

	// layout gives each node that is to be seen a path and a place.
	layout(tree) {
		const all = tree.map((n, i) => ({...n, index: i, children: []}))
		for (const n of all.slice(1)) {
			all[n.parent].children.push(n)
		}
		const seen = []
		let row = 0
		this.right = this.bottom = 0
		const lay = (n, path, depth, above) => {
			n.path = path
			n.above = above
			n.x = depth * columnStep
			n.depth = depth
			n.hidden = this.closed.has(path) ? n.children.length : 0
			seen.push(n)
			const children = n.hidden ? [] : n.children.sort((a, b) => b.prior - a.prior)
			if (children.length === 0) {
				n.y = row++ * rowStep
			} else {
				children.forEach(c => lay(c, path + " " + c.uci, depth + 1, n))
				n.y = (children[0].y + children.at(-1).y) / 2
			}
			this.right = Math.max(this.right, n.x + width)
			this.bottom = Math.max(this.bottom, n.y + height)
		}
		lay(all[0], "", 0, null)
		this.rootY = all[0].y
		return seen
	}

	paint(n) {
		let d = this.nodes.get(n.path)
		if (!d) {
			d = this.add(n.path)
			this.nodes.set(n.path, d)
		}
		d.n = n
		d.g.setAttribute("transform", `translate(${n.x} ${n.y.toFixed(1)})`)
		const classes = ["node", n.best && "best", n.waits && n.waits !== "below" && "waits", n.proven && "proven", this.chosen === n.path && "chosen"]
		d.g.setAttribute("class", classes.filter(Boolean).join(" "))
		setText(d.san, n.san ?? "root")
		setText(d.n1, count(n.n) + (n.pending ? ` +${n.pending}` : ""))
		setText(d.q, n.q === undefined ? "–" : signed(n.q, 3))
		setText(d.sigma, n.sigma ? "±" + n.sigma.toFixed(2) : "")
		setText(d.mark, n.hidden ? `▸ ${n.hidden}` : n.again ? "↩" : waits[n.waits ?? ""] ?? "")
		const q = n.q ?? 0
		d.tint.style.fill = q >= 0 ? "var(--good)" : "var(--bad)"
		d.tint.style.fillOpacity = Math.min(.42, .06 + Math.abs(q) * .6).toFixed(2)
		d.g.setAttribute("aria-level", n.depth + 1)
		if (n.above) {
			d.edge ??= this.edges.appendChild(draw("path"))
			const x = n.above.x + width, y = n.above.y + height / 2, y2 = n.y + height / 2, half = (columnStep - width) / 2
			d.edge.setAttribute("d", `M${x} ${y.toFixed(1)}C${x + half} ${y.toFixed(1)} ${x + half} ${y2.toFixed(1)} ${n.x} ${y2.toFixed(1)}`)
			d.edge.setAttribute("class", n.best ? "best" : "")
			d.edge.style.strokeWidth = (1 + 4 * Math.sqrt(n.n / Math.max(1, this.last[0].n))).toFixed(1)
		}
	}

	add(path) {
		const part = (cls, x, y, anchor = "start") => draw("text", {class: cls, x, y, "text-anchor": anchor})
		const d = {
			san: part("san", 8, 15), n1: part("small", width - 7, 15, "end"), q: part("", 8, 29), sigma: part("small", width - 7, 29, "end"),
			mark: part("mark", width / 2, height + 8, "middle"), tint: draw("rect", {class: "tint", width, height}),
		}
		d.g = draw("g", {class: "node", role: "treeitem"}, draw("rect", {width, height}), d.tint, d.san, d.n1, d.q, d.sigma, d.mark)
		d.g.addEventListener("pointerenter", () => this.point(path))
		d.g.addEventListener("click", () => {
			this.choose(path)
			this.toggle(path)
		})
		this.boxes.append(d.g)
		return d
	}

	movesTo(path) {
		const moves = []
		for (let n = this.nodes.get(path)?.n; n?.above; n = n.above) {
			moves.unshift(n)
		}
		return moves
	}

	point(path) {
		this.pointed = path
		this.hover(this.movesTo(path))
		this.describe()
	}

	choose(path) {
		const old = this.nodes.get(this.chosen)
		old?.g.classList.remove("chosen")
		this.chosen = path
		this.nodes.get(path)?.g.classList.add("chosen")
		this.point(path)
	}

	// toggle opens or closes a node.
	toggle(path) {
		if (!this.closed.delete(path) && this.nodes.get(path)?.n.children.length) {
			this.closed.add(path)
		}
		this.render(this.last)
	}

	// describe says all that is known of the node that was pointed at last.
	describe() {
		const n = this.nodes.get(this.pointed ?? "")?.n
		if (!n) {
			return
		}
		const line = this.movesTo(n.path)
		const facts = [`${count(n.n)} evaluations` + (n.pending ? `, ${n.pending} pending` : "")]
		if (n.q !== undefined) {
			facts.push(`q ${signed(n.q, 3)}`)
		}
		if (n.net !== undefined) {
			facts.push(`net ${signed(n.net, 3)}`)
		}
		if (n.above) {
			facts.push(`prior ${percent(n.prior, 1)}`)
		}
		if (n.sigma) {
			facts.push(`sigma ${n.sigma.toFixed(3)}`)
		}
		if (n.gap && !n.proven) {
			facts.push(n.gap < 0 ? `must fall by ${(-n.gap).toFixed(3)} to be disproved` : `must rise by ${n.gap.toFixed(3)} to be best`)
		}
		facts.push(n.proven ? "proven" : "waits for " + waitsFor[n.waits ?? ""])
		if (n.again) {
			facts.push("shared with another line")
		}
		const text = (line.map(m => m.san).join(" ") || "the position") + ": " + facts.join(" · ")
		if ($("detail").dataset.text !== text) {
			$("detail").dataset.text = text
			$("detail").replaceChildren(make("b", {text: line.map(m => m.san).join(" ") || "the position"}), " " + facts.join(" · "))
		}
	}

	key(e) {
		const n = this.nodes.get(this.chosen)?.n
		if (!n) {
			return
		}
		const visible = c => this.nodes.has(c.path)
		const siblings = n.above?.children.filter(visible) ?? [n]
		const at = siblings.indexOf(n)
		const to = {
			ArrowLeft: n.above, ArrowUp: siblings[at - 1], ArrowDown: siblings[at + 1],
			ArrowRight: n.children.filter(visible).find(c => c.best) ?? n.children.filter(visible)[0],
		}
		if (e.key in to) {
			if (to[e.key]) {
				this.choose(to[e.key].path)
				this.reveal(to[e.key])
			}
		} else if (e.key === "Enter") {
			this.toggle(n.path)
		} else if (e.key === "+" || e.key === "-") {
			this.zoom(e.key === "+" ? 1.3 : 1 / 1.3)
		} else if (e.key === "0") {
			this.fit()
		} else if (e.key === "Escape") {
			this.hover([])
			this.svg.blur()
		} else {
			return
		}
		e.preventDefault()
		e.stopPropagation()
	}

	// reveal moves the picture so that a node is in it.
	reveal(n) {
		const {x, y, scale} = this.view, w = this.box.clientWidth, h = this.box.clientHeight
		const left = x + n.x * scale, top = y + n.y * scale
		const dx = left < 10 ? 10 - left : Math.min(0, w - 10 - (left + width * scale))
		const dy = top < 10 ? 10 - top : Math.min(0, h - 14 - (top + height * scale))
		if (dx || dy) {
			this.moved = true
			this.move(x + dx, y + dy, scale)
		}
	}
}
