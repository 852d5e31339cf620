# shellcheck shell=bash
# Large files in pieces, for a machine to which little can be sent at a time. Sourced by scripts that have a function fail.

# cut_up NAME SIZE: writes standard input as the files NAME.part000, NAME.part001 and so on.
cut_up() { split -d -a 3 -b "$2" - "$1.part"; }

# check_pieces SUMS FILES...: compares files, wherever they lie, with SUMS, and leaves them in the order of SUMS in `found`.
check_pieces() {
	local list=$1 sum name file path missing="" damaged=""
	shift
	[ -s "$list" ] || fail "$list is missing: it goes with the pieces"
	found=()
	while read -r sum name; do
		file=
		for path in "$@"; do [ "${path##*/}" != "$name" ] || file=$path; done
		if [ ! -f "$file" ]; then
			missing+=" $name"
		elif [ "$(sha256sum <"$file")" != "$sum  -" ]; then
			damaged+=" $name"
		fi
		found+=("$file")
	done <"$list"
	[ -z "$damaged" ] || fail "damaged:$damaged${missing:+; missing:$missing}"
	[ -z "$missing" ] || fail "missing:$missing; the others are sound"
}

# pack_pieces SOURCE FOLDER SIZE: a folder as FOLDER/pieces/*, with SHA256SUMS. Compresses by COMPRESS, a command; cat leaves it as it is.
pack_pieces() {
	local work=$2/packing
	[ ! -e "$2/pieces" ] || fail "$2/pieces is there already"
	rm -rf "$work"
	mkdir -p "$work"
	tar -C "$1" -cf - . | ${COMPRESS:-cat} | cut_up "$work/pieces" "$3"
	(cd "$work" && sha256sum -- * >../SHA256SUMS && mv ../SHA256SUMS .)
	mv "$work" "$2/pieces"
	du -h "$2/pieces"/*
}

# unpack_pieces FOLDER TARGET [PIECES...]: the reverse. The pieces are those of FOLDER/pieces, or those that are named.
unpack_pieces() {
	local list=$1/pieces/SHA256SUMS target=$2 path
	if [ $# -gt 2 ]; then shift 2; else set -- "$1/pieces"/*; fi
	for path in "$@"; do [ "${path##*/}" != SHA256SUMS ] || list=$path; done
	check_pieces "$list" "$@"
	rm -rf "$target"
	mkdir -p "$target"
	cat "${found[@]}" | ${COMPRESS:-cat} ${COMPRESS:+-d} | tar -C "$target" -xf -
}
