// The best lines, the evaluation bar and the numbers beside them.
import {$, make, setText} from "./dom.js"
import {count, mayFlip, percent, score, seconds} from "./format.js"

export class Lines {
	// play is called with the moves, in UCI, up to the one that was clicked.
	constructor(play) {
		this.play = play
		this.flipped = false
	}

	// room keeps place for a number of lines.
	room(lines) {
		while ($("lines").children.length < lines) {
			$("lines").append(make("li", {}, make("span", {class: "score"}), make("span", {class: "pv"})))
		}
		while ($("lines").children.length > lines) {
			$("lines").lastChild.remove()
		}
	}

	clear() {
		for (const id of ["depth", "evals", "rate", "time"]) {
			setText($(id), "–")
		}
		this.sure()
		for (const li of $("lines").children) {
			setText(li.firstChild, "")
			li.lastChild.replaceChildren()
		}
	}

	// show shows a snapshot of a search from a position: number is that of its move.
	show(s, number) {
		setText($("depth"), `${s.depth}/${s.selDepth}`)
		setText($("evals"), count(s.evals))
		setText($("rate"), count(s.rate))
		setText($("time"), seconds(s.ms))
		this.sure(s.lines[0]?.sure, s.evals)
		const items = [...$("lines").children]
		items.forEach((li, i) => {
			const line = s.lines[i]
			setText(li.firstChild, line ? score(line.score, s.black) : "")
			this.write(li.lastChild, line ? line.moves : [], s.black, number)
		})
		if (s.lines.length > 0) {
			this.bar(s.lines[0], s.black)
		}
	}

	// sure shows how sure the search is of its first move, and with a dashed line that it may still flip. What was stated at less
	// effort is soft.
	sure(sure, evals) {
		const {best, at, stays} = sure ?? {}
		setText($("sure"), best ? percent(best) : "–")
		$("sure").classList.toggle("flips", mayFlip(sure))
		$("sure").classList.toggle("soft", best > 0 && at < evals / 2)
		$("sure").title = (best ? `no move is better by more than 0.02 points: ${percent(best)}, stated at ${count(at)}` : "nothing is stated: see docs/sure.md") +
			(stays ? `; it stays first after ten times the effort: ${percent(stays)}` : "")
	}

	// write writes a line as buttons, one for each move.
	write(box, moves, black, number) {
		const key = moves.map(m => m.uci).join(" ")
		if (box.dataset.key === key) {
			return
		}
		box.dataset.key = key
		box.replaceChildren(...moves.flatMap((m, i) => {
			const white = (i % 2 === 0) !== black
			const n = number + Math.floor((i + (black ? 1 : 0)) / 2)
			const before = white ? `${n}.` : i === 0 ? `${n}…` : ""
			const b = make("button", {text: before + m.san, tabindex: i === 0 ? 0 : -1, onclick: () => this.play(...moves.slice(0, i + 1).map(m => m.uci))})
			return [b, " "]
		}))
	}

	// bar shows the value of the best line as White's.
	bar(line, black) {
		const [w, d, l] = black ? [...line.wdl].reverse() : line.wdl
		const white = line.score.mate ? ((line.score.mate > 0) !== black ? 1 : 0) : (w + d / 2) / 1000
		$("bar-black").style.height = (100 * (1 - white)).toFixed(1) + "%"
		const text = score(line.score, black)
		setText($("bar-score"), line.score.mate ? text : Math.abs(line.score.cp / 100).toFixed(1))
		$("bar-score").className = (white < .5) !== this.flipped ? "high" : ""
		$("bar").classList.toggle("flipped", this.flipped)
		$("bar").setAttribute("aria-label", "Evaluation " + text)
		$("wdl").setAttribute("aria-label", `White wins ${w / 10} %, draw ${d / 10} %, Black wins ${l / 10} %`)
		;[w, d, l].forEach((share, i) => {
			const part = $("wdl").children[i]
			part.style.width = share / 10 + "%"
			setText(part, share >= 90 ? Math.round(share / 10) + "%" : "")
		})
	}
}
