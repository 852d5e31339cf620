# Tesla. `make help` lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help fetch run build test format lint nocgo unit race signature games browser bench test-long soak speedup fuzz perft train-nnue train-eut size clean FORCE

EXE ?= build/tesla
# The packages net and os/user without cgo, so that builds with and without it share nearly all that they compile.
export GOFLAGS := $(GOFLAGS) -tags=netgo,osusergo
# The commit is stamped into the binary where this is a git checkout that git will read.
VCS := $(shell git rev-parse HEAD >/dev/null 2>&1 && echo true || echo false)
BUILD = CGO_ENABLED=1 go build -trimpath -buildvcs=$(VCS)
TESLA = build/tesla-test
# The packages in which goroutines share memory, for the race detector. The longest first, for they run side by side.
# test-long runs all packages under it.
CONCURRENT = ./lab/match/... ./bestfirst ./uci/... ./search/alphabeta ./nnue ./batcher ./batcher/onnx ./batcher/remote ./tt128 ./search/treesearch ./lab/watchdog ./lab/sweep ./tablebase/syzygy/generate ./tablebase/gaviota ./tablebase/tablefile ./tablebase
FUZZTIME ?= 30s
# The commit that bench compares with. Empty: the newest tag, or the commit before this one.
BASE ?=
# Black, with an isolated pawn and free pieces, is to move.
POSITION = r1bq1rk1/pp2bppp/2n2n2/3p4/3N4/2N1B1P1/PP2PPBP/R2Q1RK1 b - - 4 10

help: ## list the targets
	@sed -n 's/^\([a-z -]*\):.*## /\1\t/p' Makefile | expand -t 24

fetch:
	@scripts/need.sh go gcc npm
	scripts/fetch-onnxruntime.sh

run: fetch ## build, and watch Tesla think about a middlegame for ten seconds
	$(BUILD) -o build/tesla ./cmd/tesla
	build/tesla analyze --search bestfirst --backend cpu --movetime 10s --fen '$(POSITION)'

build: ## build the program: make build EXE=path
	@scripts/need.sh go gcc
	$(BUILD) -o $(EXE) ./cmd/tesla

test: fetch format lint nocgo unit race signature games browser ## every check; six minutes on two cores, eighteen where nothing is cached
	@echo "make test: all passed"

format:
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then echo "not formatted by gofmt:" $$files >&2; exit 1; fi

lint: ## staticcheck, errorlint, misspell, shellcheck where it is installed
	scripts/lint.sh

nocgo:
	CGO_ENABLED=0 go build -buildvcs=false -o build/tesla-nocgo ./cmd/tesla

unit: fetch
	TESLA_REQUIRE_ORT=1 go test -vet=all ./...

# Without the tests that call slow.Test, and without go vet, which unit has run.
race: fetch
	go test -race -short -vet=off $(CONCURRENT)

$(TESLA): FORCE
	@CGO_ENABLED=1 go build -buildvcs=$(VCS) -o $@ ./cmd/tesla # no -trimpath: what the tests compiled serves
FORCE:

signature: $(TESLA) ## check that no searcher plays otherwise than the newest Bench trailer says
	scripts/signature.sh $(TESLA)

games: $(TESLA)
	scripts/selfplay.sh $(TESLA)

browser: $(TESLA) ## the pages of tesla web in Chromium; skipped where there is none
	scripts/browser.sh $(TESLA)

bench: ## compare benchmarks with those of another commit by benchstat: make bench BASE=commit
	scripts/bench.sh $(BASE)

test-long: test perft ## all of test, the long tests, fuzzing, everything three times under the race detector, deep perft
	scripts/fuzz.sh 60s
	for p in linux/arm64 windows/amd64 darwin/arm64; do GOOS=$${p%/*} GOARCH=$${p#*/} CGO_ENABLED=0 go build -buildvcs=false ./...; done
	TESLA_LONG=1 go test -count=1 -run 'TestSPRTSimulation|200|FiveTimes' -v ./lab/match
	TESLA_LONG=1 go test -count=1 -run TestSaveMillion -v ./bestfirst
	TESLA_LONG=1 go test -count=1 -run TestIncremental -v ./nnue
	TESLA_LONG=1 go test -count=1 -run 'TestCrowd|TestRandomFrames|TestTwoServers' -v ./batcher/remote
	TESLA_LONG=1 go test -count=1 -run 'TestKilled|TestOverhead|TestPlan' -timeout 60m -v ./lab/fleet
	TESLA_LONG=1 go test -count=1 -run 'TestCorruptedFiles|TestDamagedFiles' -v ./tablebase/syzygy/generate ./tablebase/gaviota
	TESLA_LONG=1 go test -count=1 -run TestProven -timeout 60m -v ./lab/suite
	TESLA_LONG=1 go test -count=1 -run TestDriversAreExact -timeout 60m -v ./search/alphabeta
	TESLA_LONG=1 go test -count=1 -run 'TestUCIFuzz|TestMates|TestKilledDatagen' -timeout 60m -v ./cmd/tesla
	TESLA_LONG=1 go test -count=1 -run TestCostOfWatching -v ./lab/web
	scripts/device-check-test.sh
	scripts/train-test.sh
	go test -race -count=3 -timeout 60m ./...

soak: ## an hour at full speed and ten thousand searches, and nothing may grow
	TESLA_SOAK=1h go test -count=1 -run TestSoak -timeout 3h -v ./cmd/tesla

speedup: fetch $(TESLA) ## speed-up of two threads over one for bestfirst and alpha-beta, two hours on an idle machine
	scripts/speedup.sh $(TESLA)

fuzz: ## each fuzz target for FUZZTIME (30s)
	scripts/fuzz.sh $(FUZZTIME)

perft: $(TESLA) ## deep perft of the initial position and another, against known counts
	scripts/perft.sh $(TESLA)

# GAMES are files of games, text or as tesla datagen makes them; what a run needs and leaves is said in scripts/train.sh.
train-nnue train-eut: train-%: fetch ## from games to a net, which replaces the old one if it is stronger: make train-eut GAMES="a.games b.txt"
	@[ -n "$(GAMES)" ] || { echo "make $@: GAMES names no files of games; scripts/train/README.md says how to make some" >&2; exit 2; }
	scripts/train.sh $* build/$@ $(GAMES)

size: ## lines of code and tests, words of docs, options, flags, imports between packages
	@scripts/size.sh

clean: ## remove what was built
	rm -rf build
