// Why a move is not played: the server searches, and says it in words.
import {post} from "./api.js"
import {$, setText} from "./dom.js"

export class Why {
	// options are those of the search, as the server takes them.
	constructor(options) {
		this.options = options
		$("why-close").addEventListener("click", () => this.close())
	}

	// ask asks about a move {uci, san} of the position that a game leads to.
	async ask(game, {uci, san}) {
		const asked = this.asked = {} // an answer to an earlier question is dropped
		setText($("why-title"), `Why not ${san}?`)
		this.say("Searching: the position, and the one after the move.")
		$("why-not").classList.remove("hidden")
		$("why-not").scrollIntoView({block: "nearest"})
		let text
		try {
			text = (await post("/api/explain", {game, move: uci, options: this.options()})).text
		} catch (e) {
			text = e.message
		}
		if (this.asked === asked) {
			this.say(text)
			this.answered = true
		}
	}

	say(text) {
		this.answered = false
		setText($("why-text"), text)
	}

	close() {
		this.asked = null
		$("why-not").classList.add("hidden")
	}

	// moved is called when another position is on the board. An answer that was read there is out of place.
	moved() {
		if (this.answered) {
			this.close()
		}
	}
}
