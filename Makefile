# Tesla. `make help` lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help tools fetch run build test format lint nocgo unit race signature games test-long soak speedup fuzz perft train-nnue train-eut clean

EXE ?= build/tesla
# The commit is stamped into the binary where this is a git checkout that git will read.
VCS := $(shell git rev-parse HEAD >/dev/null 2>&1 && echo true || echo false)
BUILD = CGO_ENABLED=1 go build -trimpath -buildvcs=$(VCS)
TESLA = build/tesla-test
# The longest first, for they run side by side.
CONCURRENT = ./lab/match ./bestfirst ./uci ./alphabeta ./nnue ./batcher ./puct ./lab/speedup ./tt128 ./treesearch
# The packages with files for one architecture only; test-long builds all of them for another.
BYARCH = ./memory ./nnue
# Tests that are slow under the race detector and of one goroutine, or like others that are run: test-long runs them so, too.
ALONE = 'PartsMatter|AgainstOther|PGNIsMadeAgain|ResumeFromNothing|TestReport|BootstrapNormal|TestSearch/default|MateLines|PolicyBlindness|MinimaxValues|TestReclaim|TestShare|TestSearch/other/Mates|TestJudge|ResumeTorn|TestKill$$|Reproducible|TestTable$$'
FUZZTIME ?= 30s
# Black, with an isolated pawn and free pieces, is to move.
POSITION = r1bq1rk1/pp2bppp/2n2n2/3p4/3N4/2N1B1P1/PP2PPBP/R2Q1RK1 b - - 4 10

help: ## list the targets
	@sed -n 's/^\([a-z -]*\):.*## /\1\t/p' Makefile | expand -t 12

tools: # what the other targets need, said at once
	@missing=; for tool in go gcc npm; do command -v $$tool >/dev/null || missing="$$missing $$tool"; done; \
	if [ -n "$$missing" ]; then echo "needed, but not found:$$missing (Go 1.26, a C compiler, npm to fetch ONNX Runtime)" >&2; exit 1; fi

fetch: tools
	scripts/fetch-onnxruntime.sh

run: fetch ## build, and watch Tesla think about a middlegame for ten seconds
	$(BUILD) -o build/tesla ./cmd/tesla
	build/tesla analyze --movetime 10s --fen '$(POSITION)'

build: ## build the program: make build EXE=path
	@for tool in go gcc; do command -v $$tool >/dev/null || { echo "needed, but not found: $$tool" >&2; exit 1; }; done
	$(BUILD) -o $(EXE) ./cmd/tesla

test: tools format lint nocgo unit race signature games ## every check; under ten minutes on two cores
	@echo "make test: all passed"

format:
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then echo "not formatted by gofmt:" $$files >&2; exit 1; fi

lint:
	go vet -buildvcs=false ./...
	go tool staticcheck ./...

nocgo:
	CGO_ENABLED=0 go build -buildvcs=false ./...
	GOARCH=arm64 CGO_ENABLED=0 go build -buildvcs=false $(BYARCH)

unit: fetch
	TESLA_REQUIRE_ORT=1 go test ./...

race: fetch
	go test -race -short -skip $(ALONE) $(CONCURRENT)

$(TESLA): FORCE
	@CGO_ENABLED=1 go build -buildvcs=$(VCS) -o $@ ./cmd/tesla # no -trimpath: what the tests compiled serves
FORCE:

# The signature of the fixed bench must be that of the newest "Bench: N" trailer: play has not changed unnoticed.
signature: tools $(TESLA)
	@want=$$(git log -1 --format=%B --grep='^Bench: [0-9]' 2>/dev/null | sed -n 's/^Bench: \([0-9]*\).*/\1/p' | tail -1) || true; \
	if [ -z "$$want" ]; then echo "signature: skipped, no commit here has a Bench trailer"; exit 0; fi; \
	got=$$($(TESLA) bench --backend mock | sed -n 's/^signature //p'); \
	if [ "$$got" != "$$want" ]; then echo "signature: bench gives $$got, the newest Bench trailer says $$want" >&2; exit 1; fi; \
	echo "signature: $$got"

games: tools $(TESLA)
	@for player in search=bestfirst,backend=mock search=bestfirst,backend=nnue,option.LeafDepth=1 \
		search=puct,backend=nnue,option.LeafDepth=0 search=lazysmp search=mtdf search=pvsplit search=jamboree; do \
	out=$$($(TESLA) match --a $$player,name=a --b $$player,name=b --games 10 --nodes 50 --maxmoves 120 --json); \
	echo "games: $$player $$out"; \
	for want in '"games":10' '"crashes":0' '"timeouts":0' '"illegal":0'; do \
		grep -q "$$want[,}]" <<<"$$out" || { echo "games: $$want is missing" >&2; exit 1; }; done; done

test-long: test perft ## all of test, long tests, 10,000 simulated matches, a million incremental moves, 500 exact positions, all three times under the race detector, an arm64 build, deep perft
	GOARCH=arm64 CGO_ENABLED=0 go build ./...
	TESLA_LONG=1 go test -count=1 -run 'TestSPRTSimulation|200|FiveTimes' -v ./lab/match
	TESLA_LONG=1 go test -count=1 -run TestIncremental -v ./nnue
	TESLA_LONG=1 go test -count=1 -run TestMethodsAreExact -timeout 60m -v ./alphabeta
	go test -race -count=3 -timeout 60m ./...

soak: tools ## an hour at full speed and ten thousand searches, and nothing may grow
	TESLA_SOAK=1h go test -count=1 -run TestSoak -timeout 3h -v ./cmd/tesla

speedup: fetch $(TESLA) ## speed-up of two threads over one for bestfirst and alpha-beta, two hours on an idle machine
	$(TESLA) speedup --search bestfirst --backend cpu --threads 1,2 --report build/speedup/bestfirst
	@results=; for options in plain ''; do for search in pvsplit jamboree mtdf lazysmp; do \
		folder=build/speedup/$$search$${options:+-$$options}; \
		$(TESLA) speedup --search $$search --backend nnue --search-options "$$options" --threads 2 --report $$folder; \
		results="$$results $$search$${options:+,$$options}=$$folder/speedup.json"; done; done; \
	go run ./scripts/alphabeta/compare -threads 2 -plot build/speedup/parallel.svg $$results

fuzz: tools ## each fuzz target for FUZZTIME (30s)
	@go list -f '{{.Dir}} {{.ImportPath}}' ./... | while read -r dir package; do \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $$dir/*_test.go 2>/dev/null); do \
			echo "$$package $$target"; go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package; done; done

perft: tools $(TESLA) ## deep perft of the initial position and another, against known counts
	@check() { got=$$($(TESLA) perft $$1 --fen "$$2" | tail -1); echo "$$got"; \
		case "$$got" in *" $$3 nodes"*) ;; *) echo "perft: want $$3 nodes" >&2; exit 1;; esac; }; \
	check 7 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1' 3195901860; \
	check 6 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1' 8031647685

# GAMES are files of games, text or as tesla datagen makes them; what a run needs and leaves is said in scripts/train.sh.
train-nnue train-eut: train-%: fetch ## from games to a net, which replaces the old one if it is stronger: make train-eut GAMES="a.games b.txt"
	@[ -n "$(GAMES)" ] || { echo "make $@: GAMES names no files of games; scripts/train/README.md says how to make some" >&2; exit 2; }
	scripts/train.sh $* build/$@ $(GAMES)

clean: ## remove what was built
	rm -rf build
