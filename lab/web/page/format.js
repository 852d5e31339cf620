// Numbers and scores as text. All of a kind have the same width, so that nothing moves while they change.

// count is a number of evaluations: 950, 12.3k, 4.56M.
export function count(n) {
	for (const [size, unit] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
		if (n >= .9995 * size) { // which is rounded to size
			return three(n / size) + unit
		}
	}
	return String(Math.round(n))
}

// three is a number with three digits, or all those before its point: 0.123, 12.3, 2400.
export const three = n => n < 999.5 ? n.toPrecision(3) : String(Math.round(n))

export const percent = (share, digits = 0) => (100 * share).toFixed(digits) + "%"

// signed is a number with its sign: +0.123.
export const signed = (x, digits) => (x < 0 ? "−" : "+") + Math.abs(x).toFixed(digits)

// score is a score {cp, mate} of the side to move as seen from White: +0.35, #4, #−2.
export function score(s, black) {
	const side = black ? -1 : 1
	if (s.mate) {
		const mate = s.mate * side
		return "#" + (mate < 0 ? "−" : "") + Math.abs(mate)
	}
	return signed(side * s.cp / 100, 2)
}

// mayFlip tells whether the first move may still be another one after more effort: where P(stays) is stated and below 0.8.
export const mayFlip = sure => sure?.stays > 0 && sure.stays < .8

// seconds is a duration in ms: 0.4 s, 12 s, 3:05, 1:02:03.
export function seconds(ms) {
	const s = ms / 1000
	if (s < 10) {
		return s.toFixed(1) + " s"
	}
	if (s < 60) {
		return Math.floor(s) + " s"
	}
	const two = n => String(Math.floor(n)).padStart(2, "0")
	return s < 3600 ? `${Math.floor(s / 60)}:${two(s % 60)}` : `${Math.floor(s / 3600)}:${two(s / 60 % 60)}:${two(s % 60)}`
}
