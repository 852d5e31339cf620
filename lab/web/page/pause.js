// How long a person would think. An engine at a rating answers at once, which nobody likes to play against.

const movesLeft = 40    // that a player thinks are to come
const opening = 8       // moves, which are known by heart
const least = 400       // ms
const most = 20000      // ms

// pause is the time in ms for the next move of a line, of a player who has time left and an increment. It is a share of both, and
// varies; known moves, forced ones and recaptures are quick.
export function pause(line, left, increment, chance = Math.random()) {
	const {path, ruling} = line
	const usual = left / movesLeft + .8 * increment
	const last = path.at(-1), quick = path.length < 2 * opening || ruling.legal.length === 1 || last && /x/.test(last.san) && ruling.legal.some(m => m.slice(2, 4) === last.uci.slice(2, 4))
	const time = usual * (quick ? .15 + .35 * chance : .4 + 1.4 * chance * chance + .3 * chance)
	return Math.round(Math.max(Math.min(least, left / movesLeft), Math.min(time, most, left / 8)))
}
