// A tab's session at the server: it is opened, kept over a reload, and opened anew where it has ended or the server was
// started again. What the tab wants is sent as a whole (the wish); the server makes it so.
//
//	const session = new Session("analysis", {status, snapshot, done, trouble})
//	session.want({game, options, limits, run, forget})
import {listen, post, remove} from "./api.js"
import {store} from "./dom.js"

const again = 1000 // ms until a server that was away is asked again

export class Session {
	// on.status, on.snapshot and on.done take events of the present wish; on.trouble takes a text, or "" when all is well
	// again.
	constructor(name, on) {
		this.name = name
		this.on = on
		this.wish = null
		this.serial = store.get(name + "-serial") ?? 0
		this.id = null
		this.sending = false
		this.unsent = false
		this.open(store.get(name + "-id"))
	}

	// want says what the tab wants from now on. What differs in more than run begins something new: events of what was
	// before are dropped.
	want(wish) {
		const content = JSON.stringify({...wish, run: 0})
		if (content !== this.content || wish.run && !this.wish?.run) {
			this.serial++
			this.content = content
			store.set(this.name + "-serial", this.serial)
		}
		this.wish = {...wish, serial: this.serial}
		this.send()
	}

	// restore is want for what was wanted before a reload: the search goes on where the session still lives.
	restore(wish) {
		this.content = JSON.stringify({...wish, run: 0})
		this.wish = {...wish, serial: this.serial}
		this.send()
	}

	// end ends the session and its search.
	async end() {
		this.source?.close()
		store.set(this.name + "-id", null)
		await remove("/api/session/" + this.id)
	}

	async open(id) {
		try {
			this.id = id ?? (await post("/api/session")).id
		} catch (e) {
			this.on.trouble(e.message)
			setTimeout(() => this.open(null), again)
			return
		}
		store.set(this.name + "-id", this.id)
		const current = handle => data => {
			if (data.serial === this.serial) {
				handle(data)
			}
		}
		this.source = listen(`/api/session/${this.id}/events`,
			{status: current(this.on.status), snapshot: current(this.on.snapshot), done: current(this.on.done)},
			state => this.heard(state))
	}

	heard(state) {
		if (state === "open") {
			document.body.dataset.ready = "1"
			this.on.trouble("")
			this.unsent = true
			this.send()
		} else if (state === "lost") {
			delete document.body.dataset.ready
			this.on.trouble("the connection to the server is lost: trying again")
		} else { // there is no such session any more, or another tab has it
			delete document.body.dataset.ready
			this.id = null
			setTimeout(() => this.open(null), this.refused ? again : 0)
			this.refused = true
		}
		if (state === "open") {
			this.refused = false
		}
	}

	// send sends the newest wish; while one is on its way, the next waits, and only the last of several is sent.
	async send() {
		if (!this.wish || !this.id || this.sending) {
			this.unsent = true
			return
		}
		this.sending = true
		this.unsent = false
		try {
			await post("/api/session/" + this.id, this.wish)
			this.on.trouble("")
		} catch (e) {
			if (e.status !== 404 && e.status !== 0) { // otherwise the stream ends too, and tells
				this.on.trouble(e.message)
			}
		}
		this.sending = false
		if (this.unsent) {
			this.send()
		}
	}
}
