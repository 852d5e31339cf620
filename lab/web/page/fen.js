// Positions in the forms in which people have them.

// fenOf is the FEN in a text: the text itself, that of a tag [FEN "…"], of a command "position fen …", or of an address with ?fen=
// or of an analysis or editor of Lichess. It is empty where there is none.
export function fenOf(text) {
	const found = text.match(/\[FEN\s+"([^"]*)"\s*\]/i)?.[1] ?? inAddress(text.trim()) ?? text.replace(/^\s*(position\s+)?fen\s+/i, "")
	const fen = found.replace(/["'\s_]+/g, " ").trim()
	return /^[pnbrqk1-8]+(\/[pnbrqk1-8]+){7}(\s|$)/i.test(fen) ? fen : ""
}

function inAddress(text) {
	const named = text.match(/[?&]fen=([^&#\s]*)/i)?.[1].replace(/\+/g, " ")
	const path = named ?? text.match(/^(?:https?:\/\/)?(?:www\.)?lichess\.org\/(?:analysis|editor)\/(?:(?:standard|chess960|fromPosition)\/)?([^?#\s]+)/i)?.[1]
	try {
		return path && decodeURIComponent(path)
	} catch {
		return path
	}
}
