# Two commands do everything on a fresh machine: `make demo` and `make test`.
# Both fetch the Go modules and, where apt can, a Chromium.

GO      ?= go
GOFLAGS ?= -mod=readonly -buildvcs=false
export GOFLAGS
BIN     := $(CURDIR)/dist/snapscope
SHELL   := /bin/bash
BENCHED = $(shell grep -rl --include=*_test.go "^func Benchmark" . | xargs -n1 dirname | sort -u | grep -v session/browser)
TIME    ?= 30s
PAGES   ?=
# The build's stamp: the tag's version, or the last tag's with the commit behind
# it. The date is the commit's, so that every build of a commit is the same.
VERSION := $(shell git describe --tags --match 'v[0-9]*' --dirty=.dirty 2>/dev/null | sed 's/^v//')
VERSION := $(or $(VERSION),0.0.0-dev)
COMMIT  := $(shell git rev-parse HEAD 2>/dev/null)
DATE    := $(shell TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd 2>/dev/null)
STAMP   := -X main.builtVersion=$(VERSION) -X main.builtCommit=$(COMMIT) -X main.builtDate=$(DATE)
RACE    := $(shell command -v cc >/dev/null 2>&1 && echo -race)

.PHONY: compared fleet test-fleet test-fleet-alone fleet-cross node help demo build install test test-live lint deadcode cross unit dist portable torture mutants stress golden conformance settle-live settle-cost bench bench-capture fuzz pictures savings varied tune-grid recordings chromium tmux clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-15s %s\n", $$1, $$2}'

demo: chromium-soft build ## the tour: a real Chromium on the demo site, in the debugger
	@$(BIN) demo

build: ## build dist/snapscope
	@mkdir -p dist
	$(GO) build -ldflags '$(STAMP)' -o $(BIN) ./cmd/snapscope

install: ## install snapscope into GOBIN
	$(GO) install -ldflags '$(STAMP)' ./cmd/snapscope

dist: chromium-soft tmux ## the archives and npm packages of a release, checked and tried, in dist/release
	$(GO) run ./cmd/dist -again -try

test: chromium tmux lint cross unit ## linters and every test, browser and terminal included

lint: deadcode ## gofumpt, go vet, staticcheck, deadcode
	@bad=$$($(GO) tool gofumpt -l $$(git ls-files '*.go')); if [ -n "$$bad" ]; then echo "not formatted (run: go tool gofumpt -w .):"; echo "$$bad"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

# A package whose name ends in "test" is there for tests of several others.
deadcode: ## what no program of the project calls
	@out=$$($(GO) tool deadcode ./... | grep -vE '^[^:]*test/'); [ -z "$$out" ] || { echo "$$out"; exit 1; }

# Nothing is compiled for them: all is read from its source, to find what does not fit.
cross: ## what does not compile on the systems that are not this one, tests included
	@check=$$($(GO) tool -n deadcode) && for os in linux darwin windows; do \
	  [ $$os = "$$($(GO) env GOOS)" ] || { echo "types for $$os"; CGO_ENABLED=0 GOOS=$$os $$check -test ./... >/dev/null || exit 1; }; done

# A package that starts goroutines or shares memory, it or its tests, is tested
# with the race detector. The others are arithmetic: there it would find nothing
# and take five times as long. So it is with four packages, of which only SHARED
# is: the importers, but for following a file; the ledger, but for what it counts on
# goroutines; the command line, whose tests run programs, but for the seats; the
# attacks, which are programs, too. And so it is with single tests of the raced packages: LONG are
# thousands of simulations or counts one after the other, pages of a browser one
# after the other, and what measures memory, of which the detector takes some of its
# own. They are run without it, once. `make stress` leaves nothing out.
SHARES  := ^[[:space:]]+go (func|[a-zA-Z])|"sync|t\.Parallel
APART   := snapscope/(replay/transcript|session/ledger|cmd/snapscope|cmd/torture)
APARTIN := ./replay/transcript ./session/ledger ./cmd/snapscope
SHARED  := Follow|ReadyChangesNoFigure|LawsOfEveryReport|TwoSeats|APISeat|AttachStops|Commands/mcp$$
LONG    := OnRecordedSessions|OnOtherSessions|AStoppedSearch|DecidingWithoutFigures|TwoHundred|Conformance|RefsOverTime|LargePage|GrowthIsLinear|FactorOfTheFirstHalf|IndentsOfEveryLength|OddTexts|OnSnapshots|MemoryIsFlat|ALineWithoutAnEnd|ALargeRequest|MoreThan64MB|MemoryStaysFlat|SnapshotsReadAlike

RACED   := $(GO) list -f '{{.ImportPath}} {{.Dir}}' ./... | while read p d; do if [ -n "$(RACE)" ] && grep -qE '$(SHARES)' "$$d"/*.go; then echo $$p; fi; done | grep -vxE '$(APART)'
LONGIN  := $(GO) list -f '{{.ImportPath}} {{.Dir}}' $$raced | while read p d; do ! grep -qsE '^func Test[A-Za-z0-9]*($(LONG))' "$$d"/*_test.go || echo $$p; done
# make lint has vetted all of it.
TEST    := $(GO) test -vet=off

# Both at once, each one package after the other: much of either is waiting for
# pages and terminals, and what has a time is not starved. All is compiled before
# anything is run, for the same reason; go list does that, and links nothing.
unit: compiled
	@$(MAKE) --no-print-directory -k -j2 raced plain

.PHONY: raced plain compiled
compiled:
	@raced=$$($(RACED)); echo "compiling the tests"; $(GO) list -export -test ./... >/dev/null && \
	{ [ -z "$$raced" ] || $(GO) list -export -test $(RACE) $$raced $(APARTIN) >/dev/null; }

raced:
	@raced=$$($(RACED)); failed=0; [ -n "$$raced" ] || exit 0; \
	$(TEST) -p 1 $(RACE) -skip '$(LONG)' $$raced || failed=1; $(TEST) $(RACE) $(APARTIN) -run '$(SHARED)' || failed=1; exit $$failed

plain:
	@raced=$$($(RACED)); failed=0; $(TEST) -p 1 $$($(GO) list ./... | grep -vxF "$$raced") || failed=1; \
	[ -z "$$raced" ] || $(TEST) -p 1 $$($(LONGIN)) -run '$(LONG)' || failed=1; exit $$failed

# Their tests drive a Chromium or a tmux.
HEAVY   := ./cmd/... ./session/browser/... ./snapshot/aria/... ./tui/...

portable: ## the tests that need neither a browser nor tmux
	$(GO) test $$($(GO) list ./... | grep -vxF "$$($(GO) list $(HEAVY))")

# The fleet is a module of its own, and the Temporal that it is tried with another:
# neither is in ./..., and the program has nothing of either.
FLEET   := cmd/snapscope-fleet

fleet: build ## build dist/snapscope-fleet and the server that its dev starts (minutes of compiling, the first time)
	cd $(FLEET) && $(GO) build -ldflags '$(STAMP)' -o $(CURDIR)/dist/snapscope-fleet .
	cd $(FLEET)/server && $(GO) build -ldflags '-s -w' -o $(CURDIR)/dist/snapscope-fleet-server .

test-fleet: fleet fleet-lint ## every test of the fleet, with a real Temporal, killed workers and a killed server
	cd $(FLEET) && SNAPSCOPE_FLEET_SERVER=$(CURDIR)/dist/snapscope-fleet-server SNAPSCOPE_PLAIN=$(BIN) $(GO) test -tags server -count=1 ./...

test-fleet-alone: fleet-lint ## the fleet's tests that need no server
	cd $(FLEET) && $(GO) test ./...

.PHONY: fleet-lint
fleet-lint:
	@check=$$($(GO) tool -n staticcheck) && cd $(FLEET) && $(GO) vet -tags server ./... && $$check -tags server ./... && cd server && $(GO) vet ./...

fleet-cross: ## go vet of the fleet for the systems that are not this one
	@cd $(FLEET) && for os in linux darwin windows; do \
	  [ $$os = "$$($(GO) env GOOS)" ] || { echo "GOOS=$$os go vet ./..."; GOOS=$$os $(GO) vet ./... || exit 1; }; done

stress: chromium tmux ## every test three times, in any order, with the race detector
	SNAPSCOPE_TEST_ALL=1 $(GO) test $(RACE) -count=3 -shuffle=on -timeout 60m ./...
	raced=$$($(RACED)); [ -z "$$raced" ] || SNAPSCOPE_TEST_ALL=1 $(GO) test -count=3 $$($(LONGIN)) -run '$(LONG)'

ONLY    ?=
torture: chromium build ## attacks from outside, tried and failed a row, into the README's table: make torture ONLY=kill,soak; all of them take three quarters of an hour
	$(GO) run ./cmd/torture -bin $(BIN) -only '$(ONLY)' -readme README.md

mutants: chromium ## defects planted into copies of the program: the attacks find each of them
	$(GO) run ./cmd/torture -mutants -only '$(ONLY)'

# The clients are fetched first; then nothing but loopback is there, where the system
# lets a user have a network of their own.
LIVE     = ../../dist/live.test -test.run 'Live$$' -test.v -test.timeout 240m
test-live: chromium node ## whole agents from npm (about 1 GB) against a scripted model: make test-live
	@mkdir -p dist
	$(GO) test -tags live -c -o dist/live.test ./cmd/snapscope
	cd cmd/snapscope && ../../dist/live.test -test.run TestFetchLive -test.v
	cd cmd/snapscope && if unshare -rn true 2>/dev/null; then unshare -rn sh -c 'ip link set lo up && exec "$$@"' live $(LIVE); else $(LIVE); fi

compared: LIVE += -test.run TestABLive -compared
compared: test-live ## what is predicted beside what is measured on whole agents, two hours, into docs/attach.md
	$(GO) test ./cmd/snapscope -count=1 -run TestDocumentsAreTrue/attach -docs

conformance: chromium node ## ask Playwright itself and print the agreement, page by page
	node testdata/aria/conformance.mjs $(PAGES)

settle-live: chromium node build ## the same steps by Playwright's MCP server and by us on six libraries (from npm), side by side
	node testdata/aria/moments.mjs $(BIN) $(PAGES)

settle-cost: chromium node build ## what each settling profile costs a step, beside Playwright's MCP server, on the same steps
	node testdata/aria/moments.mjs $(BIN) --costs $(PAGES)

bench-capture: chromium node build ## our capture time and Playwright's on ten large pages, as a ratio (OLD=binary: and an older build's)
	node testdata/aria/bench.mjs $(BIN) $(if $(OLD),--against $(OLD)) $(PAGES)

bench: ## the benchmarks behind the README's figures
	$(GO) test -run xxx -bench . -benchtime 1s $(BENCHED)

fuzz: ## every fuzz target for a while: make fuzz TIME=30s
	@for p in $$($(GO) list ./...); do \
	  for f in $$($(GO) test $$p -list '^Fuzz' 2>/dev/null | grep ^Fuzz); do \
	    echo "$$p $$f"; $(GO) test $$p -run xxx -fuzz "^$$f$$" -fuzztime $(TIME) -fuzzminimizetime 50x || exit 1; done; done

savings: chromium build ## the README's table of savings: drive every session of testdata/sessions, count by kind, write it
	@mkdir -p dist/savings && rm -f dist/savings/*.jsonl
	@for f in testdata/sessions/*.yaml; do $(BIN) run $$f --record dist/savings/$$(basename $$f .yaml).jsonl >/dev/null 2>dist/savings/log || { cat dist/savings/log; exit 1; }; done
	@$(GO) test ./cmd/snapscope -count=1 -run TestSavingsTable -savings $(CURDIR)/dist/savings >dist/savings/log || { cat dist/savings/log; exit 1; }
	@cat dist/savings/table.md

pictures: chromium tmux build ## make the README's pictures and the cast again
	$(GO) run ./cmd/pictures -bin $(BIN)

N       ?= 2000
varied: ## many recordings made of a few, for measurements: make varied DIR=/tmp/many N=2000
	$(GO) test ./replay/replaytest -count=1 -run TestMake -into '$(or $(DIR),$(CURDIR)/dist/varied)' -recordings $(N) -v

tune-grid: savings ## tune against an exhaustive grid on the sessions of make savings
	RECORDINGS=$(CURDIR)/dist/savings $(GO) test -tags grid ./replay/tune -run OnRecordings -v

recordings: chromium ## record the embedded recording again
	$(GO) test ./cmd/snapscope -run TestEmbeddedRecordingIsOfTheScript -record -count=1

# apt-get is used as root or through a sudo that asks nothing; anywhere else a
# sentence says what to install.
define apt
	if ! command -v apt-get >/dev/null; then echo "$(1) is missing: install it with your package manager, then run make again" >&2; exit 1; fi; \
	if [ "$$(id -u)" = 0 ]; then as=; elif sudo -n true 2>/dev/null; then as=sudo; else echo "$(1) is missing: run 'sudo apt-get install $(1)', then make again" >&2; exit 1; fi; \
	echo "installing $(1) with apt" >&2; \
	$$as apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$as apt-get install -y -qq --no-install-recommends $(1) >/dev/null
endef

have_chromium := command -v chromium || command -v chromium-browser || command -v google-chrome || command -v google-chrome-stable || [ -n "$$SNAPSCOPE_BROWSER" ]

.PHONY: chromium-soft
chromium:
	@($(have_chromium)) >/dev/null || { $(call apt,chromium); }

# The demo goes on without a browser: it then replays its recording and says so.
chromium-soft:
	@($(have_chromium)) >/dev/null || ( $(call apt,chromium) ) || true

# The oracle is Playwright's own library; the scripts fetch it by npm.
node:
	@command -v npm >/dev/null || { $(call apt,npm); }

tmux:
	@command -v tmux >/dev/null || { $(call apt,tmux); }
