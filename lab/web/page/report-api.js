// What a report has in place of api.js: the file holds the match, so no server is asked.
const packed = Uint8Array.from(atob(document.getElementById("saved").textContent), c => c.charCodeAt(0))
const saved = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json()

export async function get(path) {
	const game = saved.games[path.split("/").at(-1)]
	if (!game) {
		throw new Error("this report does not have the moves of the game")
	}
	return game
}

export function listen(path, on, onState = () => {}) {
	setTimeout(() => {
		onState("open")
		on.games(saved.rows)
		on.state(saved.state)
	})
}
