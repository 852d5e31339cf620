// Moves that are typed.

// matching is the legal move, in UCI, that a text names in SAN or UCI; undefined where there is none. Marks of check,
// capture and pawn promotion may be missing.
export function matching(ruling, text) {
	const plain = s => s.trim().replace(/[+#x=:-]/g, "").replace(/0/g, "O")
	const at = ruling.sans.findIndex(san => plain(san) === plain(text))
	return at >= 0 ? ruling.legal[at] : ruling.legal.find(uci => uci === text.trim().toLowerCase())
}
