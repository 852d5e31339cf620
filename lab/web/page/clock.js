// A chess clock with an increment. Times are in milliseconds; sides are "w" and "b".

export class Clock {
	// changed is called when what is shown may have changed, fell when a side's time is over.
	constructor({changed, fell}) {
		this.changed = changed
		this.fell = fell
		this.left = {w: 0, b: 0}
		this.increment = 0
		this.side = null // whose clock runs
		setInterval(() => this.tick(), 100)
	}

	set(time, increment) {
		this.left = {w: time, b: time}
		this.increment = increment
		this.side = null
		this.changed()
	}

	// state is all of the clock, for a reload: the time goes on meanwhile.
	get state() {
		return {left: {w: this.of("w"), b: this.of("b")}, increment: this.increment, side: this.side, at: Date.now()}
	}

	set state({left, increment, side, at}) {
		Object.assign(this, {left, increment, side, since: performance.now() - (Date.now() - at)})
		this.changed()
	}

	// reset sets what both sides have left, and starts the clock of a side.
	reset(left, side) {
		this.left = {...left}
		this.start(side)
	}

	// of is what a side has left.
	of(side) {
		return this.left[side] - (this.side === side ? performance.now() - this.since : 0)
	}

	start(side) {
		this.side = side
		this.since = performance.now()
		this.changed()
	}

	// press ends the turn of the side whose clock runs. spent replaces the time that has passed, where it is known better.
	press(spent) {
		const side = this.side
		this.left[side] -= spent ?? performance.now() - this.since
		this.left[side] += this.increment
		this.start(side === "w" ? "b" : "w")
	}

	stop() {
		if (this.side) {
			this.left[this.side] = Math.max(0, this.of(this.side))
			this.side = null
		}
		this.changed()
	}

	tick() {
		if (!this.side) {
			return
		}
		this.changed()
		if (this.of(this.side) <= 0) {
			const side = this.side
			this.left[side] = 0
			this.side = null
			this.changed()
			this.fell(side)
		}
	}
}

// face is a time as a clock shows it: 4:59, or 9.8 when little is left.
export function face(ms) {
	const s = Math.max(0, ms) / 1000
	if (s < 10) {
		return s.toFixed(1)
	}
	const two = n => String(Math.floor(n)).padStart(2, "0"), whole = Math.ceil(s)
	return whole >= 3600 ? `${Math.floor(whole / 3600)}:${two(whole / 60 % 60)}:${two(whole % 60)}` : `${Math.floor(whole / 60)}:${two(whole % 60)}`
}
