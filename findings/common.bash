# shellcheck shell=bash
# Common to the scripts of this folder: a temporary folder, pinned packages in it, a talk with an engine, expectations.

work=$(mktemp -d)
failed=0
export ORT_DISABLE_TELEMETRY=1 # see onnxruntime-telemetry.sh

leave() {
	if [ -n "${talk_PID:-}" ]; then kill "$talk_PID" 2>/dev/null || true; fi
	rm -rf "$work"
}
trap leave EXIT

# stop ends a script that cannot be run here.
stop() {
	echo "cannot run here: $*" >&2
	exit 2
}

# need stops where a tool is missing.
need() {
	local tool
	for tool; do command -v "$tool" >/dev/null || stop "$tool is not installed"; done
}

# deb NAME VERSION unpacks a Debian package into $work/root.
deb() {
	need apt-get dpkg-deb
	echo "Debian $1 $2"
	(cd "$work" && apt-get -qq -o APT::Sandbox::User=root download "$1=$2") ||
		stop "apt-get cannot download $1=$2 (apt-get update first?)"
	LD_LIBRARY_PATH=$work/root/usr/lib/$(uname -m)-linux-gnu
	export LD_LIBRARY_PATH
	dpkg-deb -x "$work/${1}_${2//:/%3a}"_*.deb "$work/root"
}

# js PACKAGE@VERSION... installs npm packages, without their install scripts.
js() {
	need node npm
	echo "npm $*"
	npm install --prefix "$work" --no-audit --no-fund --ignore-scripts --silent "$@" || stop "npm cannot install $*"
}

# modules MODULE@VERSION... begins a Go module that requires these, in $work/go; its downloads stay in $work.
modules() {
	need go
	echo "Go $*"
	export GOPATH="$work/path" GOFLAGS=-modcacherw GOWORK=off
	mkdir "$work/go"
	(cd "$work/go" && go mod init finding && go get "$@") >"$work/get.log" 2>&1 || {
		cat "$work/get.log" >&2
		stop "go cannot get $*"
	}
}

# build makes the program $work/go/finding of the Go source on standard input.
build() {
	cat >"$work/go/main.go"
	(cd "$work/go" && go build -o finding .) || stop "the Go program does not build"
}

# begin COMMAND... starts a UCI engine in $work and waits until it has named itself.
begin() {
	coproc talk { cd "$work" && exec "$@" 2>&1; }
	exec {from}<&"${talk[0]}" {to}>&"${talk[1]}" # a pipeline does not inherit those of a coprocess
	send uci
	await uciok 20 >/dev/null || stop "$1 does not answer uci"
}

# quit ends the engine.
quit() {
	kill "$talk_PID" 2>/dev/null || true
	wait "$talk_PID" 2>/dev/null || true
	exec {from}<&- {to}>&-
}

# send LINE... sends lines to the engine.
send() { printf '%s\n' "$@" >&"$to"; }

# await WORD SECONDS prints the lines of the engine up to one that begins with WORD. It fails if none comes in time.
await() {
	local line end=$((SECONDS + $2))
	while [ "$SECONDS" -le "$end" ] && read -r -t "$2" line <&"$from"; do
		line=${line%$'\r'}
		printf '%s\n' "$line"
		case $line in "$1"*) return 0 ;; esac
	done
	return 1
}

# expect WHAT WANTED GOT prints what was got, and marks the script as failed if it is not what is wanted.
expect() {
	if [ "$2" = "$3" ]; then
		printf '  %s: %s\n' "$1" "$3"
	else
		printf '  %s: CHANGED\n    was: %s\n    now: %s\n' "$1" "$2" "$3"
		failed=1
	fi
}

# finish ends the script: with 1 if something changed.
finish() {
	if [ "$failed" = 0 ]; then echo "as described"; else echo "the finding does not hold any more"; fi
	exit "$failed"
}
