// The page of matches: the list of the journals of a folder, and one match, which is followed while it is played.
import {get, listen} from "./api.js"
import {$, make, setText} from "./dom.js"
import {percent, signed, three} from "./format.js"
import {MatchCharts} from "./match-charts.js"
import {GameList} from "./match-games.js"
import {Replay} from "./match-replay.js"

const listEvery = 3000 // ms until the folder is read again
const endless = 2000   // Elo that stands for an infinite difference
const quietest = 5     // the match stands still when no game ended for that many times the usual time

const parameters = new URLSearchParams(location.search)
const {report} = document.body.dataset // the name of the match, where the page is a file that holds it

function trouble(id, text) {
	setText($(id), text)
	$(id).classList.toggle("hidden", !text)
}

// elo is a difference with its interval, as far as there are any.
function elo(value, error) {
	if (Math.abs(value) >= endless) {
		return value < 0 ? "−∞" : "+∞"
	}
	return signed(value, 1) + (error < endless ? ` ± ${error.toFixed(1)}` : "")
}

// lasting is a time in words: 40 s, 12 min, 3 h 05 min.
function lasting(s) {
	if (s < 90) {
		return `${Math.round(s)} s`
	}
	const minutes = Math.round(s / 60)
	return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`
}

// showList shows the matches of the folder, and again in a while.
async function showList() {
	try {
		const {matches, more} = await get("/api/matches")
		trouble("list-trouble", "")
		setText($("list-note"), matches.length === 0 ? "There is no journal of a match in this folder. tesla match --journal FILE writes one." :
			more ? `The ${matches.length} newest journals; there are more files.` : `${matches.length} ${matches.length === 1 ? "journal" : "journals"}.`)
		const text = JSON.stringify(matches)
		if ($("matches").dataset.text !== text) {
			$("matches").dataset.text = text
			const focused = document.activeElement?.dataset?.name
			$("matches").tBodies[0].replaceChildren(...matches.map(listRow))
			if (focused) {
				document.querySelector(`#matches a[data-name="${CSS.escape(focused)}"]`)?.focus()
			}
		}
	} catch (e) {
		trouble("list-trouble", e.message)
	}
	document.body.dataset.ready = "1"
	setTimeout(showList, listEvery)
}

function listRow(m) {
	const players = m.players.length === 2 ? m.players.join(" – ") : m.players.length > 2 ? `${m.players[0]} and ${m.players.length - 1} others` : ""
	const name = make("td", {}, make("a", {href: "/match?name=" + encodeURIComponent(m.name), text: m.name, "data-name": m.name}), " ", make("span", {class: "soft", text: players}))
	const changed = new Date(m.changed).toLocaleString([], {dateStyle: "short", timeStyle: "short"})
	if (m.error) {
		return make("tr", {}, name, make("td", {class: "bad", colspan: 3, text: m.error}), make("td", {text: changed}))
	}
	return make("tr", {}, name, make("td", {text: `${m.games}${m.reading ? "…" : ""} / ${m.total}`}), make("td", {text: m.score.join(" ")}),
		make("td", {text: m.games ? elo(m.elo, m.elo_error) : "–"}), make("td", {text: changed}))
}

class Match {
	constructor(name) {
		this.name = name
		this.pairing = 0
		this.rows = []
		this.live = [] // games in progress
		this.charts = new MatchCharts()
		this.replay = new Replay(name, text => trouble("trouble", text), step => this.list.step(step))
		this.list = new GameList(row => row.fen ? this.watch(row) : this.open(row.number))
		document.title = `Tesla: ${name}`
		$("test").value = parameters.get("sprt") ?? ""
		$("test-form").addEventListener("submit", e => {
			e.preventDefault()
			this.address("sprt", $("test").value.trim())
			this.follow()
		})
		$("pairing").addEventListener("change", () => {
			this.pairing = Number($("pairing").value)
			this.showRows()
			this.showState()
		})
		setInterval(() => this.showCourse(), 1000)
		this.follow()
	}

	// address keeps a choice in the address, so that a reload and a link show the same.
	address(key, value) {
		if (value) {
			parameters.set(key, value)
		} else {
			parameters.delete(key)
		}
		if (!report) {
			history.replaceState(null, "", "?" + parameters)
		}
	}

	// follow opens the stream of the match. One that comes back begins from the first game.
	follow() {
		this.source?.close()
		const sprt = parameters.get("sprt")
		const path = `/api/matches/${encodeURIComponent(this.name)}/events` + (sprt ? "?sprt=" + encodeURIComponent(sprt) : "")
		this.source = listen(path, {
			anew: () => {
				this.rows = []
			},
			games: rows => this.rows.push(...rows),
			live: games => {
				this.live = games
				if (this.state?.players) {
					this.showLive()
				}
			},
			state: s => this.take(s),
		}, async state => {
			if (state === "open") {
				this.rows = []
				trouble("trouble", "")
				return
			}
			delete document.body.dataset.ready
			if (state === "lost") {
				trouble("trouble", "the connection to the server is lost: trying again")
				return
			}
			const answer = await fetch(path).catch(() => null) // which says why the stream is refused
			trouble("trouble", (await answer?.json().catch(() => null))?.error ?? "the server refuses to show this match")
			setTimeout(() => this.follow(), listEvery)
		})
	}

	open(number) {
		this.address("game", String(number + 1))
		this.list.choose(number)
		this.replay.open(number)
	}

	// watch shows a game in progress, until it ends.
	watch(game) {
		this.address("game", "")
		this.list.choose(game.number)
		this.replay.watch(game, this.state.players)
	}

	// showLive shows the games in progress: one of them on the board, unless a finished game was chosen.
	showLive() {
		const games = this.live.filter(g => g.pairing === this.pairing), {watched, number} = this.replay
		this.list.play(games)
		const same = games.find(g => g.number === watched)
		if (same) {
			this.replay.watch(same, this.state.players)
		} else if (watched !== null && this.rows.some(r => r.number === watched)) {
			games.length > 0 ? this.watch(games[0]) : this.open(watched)
		} else if (number === null && watched === null && games.length > 0 && !parameters.get("game")) {
			this.watch(games[0])
		}
	}

	take(s) {
		this.state = s
		this.heard = performance.now()
		trouble("trouble", s.error ?? "")
		const many = s.pairings.length > 1
		$("pairing-box").classList.toggle("hidden", !many)
		if (many && $("pairing").length !== s.pairings.length) {
			$("pairing").replaceChildren(...s.pairings.map((p, i) => make("option", {value: i, text: `${p.first} – ${p.second}`})))
		}
		if (s.own && !parameters.get("sprt")) {
			$("test").placeholder = s.test
		}
		this.showRows()
		this.showState()
		if (!s.reading) {
			document.body.dataset.ready = "1"
			const game = Number(parameters.get("game"))
			if (game > 0 && this.replay.number === null && this.rows.some(r => r.number === game - 1)) {
				this.open(game - 1)
			}
		}
	}

	showRows() {
		const rows = this.rows.filter(r => r.pairing === this.pairing)
		this.list.show(rows, this.state.players ?? [])
		this.charts.show(rows, this.state.pairings[this.pairing])
		this.showLive()
	}

	showState() {
		const s = this.state, p = s.pairings[this.pairing]
		if (!p) {
			return
		}
		setText($("title"), `${p.first} – ${p.second}`)
		setText($("games"), `${s.played} / ${s.total}`)
		$("progress").max = s.total
		$("progress").value = s.played
		setText($("score"), `+${p.wins} =${p.draws} −${p.losses}`)
		setText($("elo"), p.games ? elo(p.elo, p.elo_error) : "–")
		setText($("nelo"), p.games ? elo(p.nelo, p.nelo_error) : "–")
		setText($("los"), p.games ? percent(p.los, 1) : "–")
		const failed = p.crashes + p.timeouts + p.illegal
		setText($("failures"), failed ? `${p.first} ${p.forfeits[0]}, ${p.second} ${p.forfeits[1]}` : "none")
		$("failures").classList.toggle("bad", failed > 0)
		$("failures").title = `crashes ${p.crashes}, on time ${p.timeouts}, illegal moves ${p.illegal}`
		const ratings = s.players.length > 2 ? [s.ratings.map(r => `${r.name} ${elo(r.elo, r.elo_error)}`).join(", ")] : []
		setText($("players"), [s.head, ...ratings].join("\n"))
		this.showTest(p.sprt)
		this.showPairs(p.ptnml)
		this.showCourse()
	}

	showTest(t) {
		$("llr").style.setProperty("--at", t ? percent(Math.max(0, Math.min(1, (this.llr - t.lower) / (t.upper - t.lower))), 2) : "-9px")
		setText($("llr-value"), t ? `LLR ${signed(this.llr, 2)}` : "no test")
		setText($("llr-lower"), t ? signed(t.lower, 2) : "–")
		setText($("llr-upper"), t ? signed(t.upper, 2) : "–")
		setText($("decision"), t ? `${t.elo0} or ${t.elo1} ${t.logistic ? "Elo" : "normalized Elo"}: ${t.decision}` : "")
	}

	get llr() {
		return this.state.pairings[this.pairing].llr
	}

	showPairs(counts) {
		const most = Math.max(1, ...counts), box = $("pairs")
		if (box.children.length === 0) {
			box.append(...["0", "½", "1", "1½", "2"].map(points => make("div", {}, make("i"), make("b"), make("span", {text: points}))))
		}
		counts.forEach((n, i) => {
			const [bar, text] = box.children[i].children
			bar.style.setProperty("--share", n / most)
			setText(text, String(n))
		})
		box.setAttribute("aria-label", `Pairs by points of the first player: 0 points ${counts[0]}, half ${counts[1]}, one ${counts[2]}, one and a half ${counts[3]}, two ${counts[4]}`)
	}

	// showCourse tells whether the match goes on, its pace and what is left.
	showCourse() {
		const s = this.state
		if (!s?.pairings.length) {
			return
		}
		const quiet = s.quiet + (performance.now() - this.heard) / 1000
		const decision = s.pairings[0].sprt?.decision
		const over = s.played >= s.total || s.own && decision !== "undecided"
		const still = s.quiet >= 0 && quiet > Math.max(30, s.pace > 0 ? quietest / s.pace : 0)
		setText($("pace"), s.pace > 0 ? three(60 * s.pace) : "–")
		setText($("left"), over ? "none" : s.pace > 0 && !still ? lasting((s.total - s.played) / s.pace) : "–")
		const last = s.quiet >= 0 ? `the last game ended ${lasting(quiet)} ago` : "no game has ended"
		setText($("course"), s.reading ? "The journal is being read." : s.played >= s.total ? "All games are played." :
			report ? `A report after ${s.played} of ${s.total} games.` : over ? `The test has decided: ${decision}.` : still ? `It stands still: ${last}.` : `It is being played: ${last}.`)
	}
}

const name = report ?? parameters.get("name")
$(name ? "match" : "list").classList.remove("hidden")
if (name) {
	$("keys").classList.remove("hidden")
	new Match(name)
} else {
	await showList()
}
