# The front door: one word per job, and no logic here. Each job is a script in Scripts/ that says what it does.

.PHONY: help setup build demo test check check-full gates-for-change format lint coverage docs allocations test-long sanitize
.PHONY: apple-check fuzz fuzz-smoke guides snippets pictures examples products without-postgres sim sim-agent bench soak soak-short soak-vault soak-agent soak-agent-kills
.PHONY: interop-ble-setup interop-ble interop-ble-full interop-herald interop-web interop interop-agent interop-agent-short
.PHONY: desk credential-checks request-checks model-request interop-credentials interop-smuggling floods fresh-root debian-13 install uninstall deb
.PHONY: outages transcripts deb-roots image tag clean
.DEFAULT_GOAL := help

help: ## this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 26

setup: ## install what is missing (Debian 12)
	@Scripts/setup.sh all

build: ## the release binaries, .build/release/symbolon and symbolon-lab
	@Scripts/build.sh

install: build ## the program, man pages, completions and the cloud agent's unit, below PREFIX (/usr/local), after DESTDIR
	@PREFIX="$(or $(PREFIX),/usr/local)" DESTDIR="$(DESTDIR)" Scripts/install.sh

uninstall: ## take away what `make install` with the same PREFIX and DESTDIR put there
	@PREFIX="$(or $(PREFIX),/usr/local)" DESTDIR="$(DESTDIR)" Scripts/install.sh --remove

deb: ## a Debian package of the last commit, in .build-deb
	@Scripts/deb.sh

deb-roots: ## that package in new roots of Debian 12 and 13: installed, run, upgraded, removed (root)
	@Scripts/deb-roots.sh

tag: ## tags the last commit as the release of the program's version
	@Scripts/tag.sh

image: ## an OCI image of that package, in .build-image (root)
	@Scripts/image.sh

demo: ## a credential crosses from a wallet to a verifier over the virtual radio
	@Scripts/demo.sh

test: ## every test; T="Vault Aries/PickupClientTests" those of these modules and suites, and builds what they need
	@Scripts/test.sh $(T)

check: ## what continuous integration runs before every landing; eleven minutes
	@Scripts/check.sh

check-full: ## every gate: `make check`, then the long ones of Scripts/gates.table; 75 minutes
	@Scripts/check-full.sh

gates-for-change: ## the long gates whose folders changed since SINCE (origin/main); RUN=1 runs them
	@SINCE="$(SINCE)" RUN="$(RUN)" Scripts/gates-for-change.sh

test-long: ## the suites that have a full size, at their full size
	@Scripts/test-long.sh

format: ## rewrite the sources in the house's format
	@Scripts/format.sh

lint: ## complain about what is not in the house's format
	@Scripts/lint.sh

sanitize: ## tests under the thread and the address sanitizer
	@Scripts/sanitize.sh

fuzz: ## every fuzz target for a minute
	@Scripts/fuzz.sh 60

fuzz-smoke: ## every fuzz target for five seconds
	@Scripts/fuzz.sh 5

guides: build ## every command of README, manual and guides, with the release program
	@Scripts/guides.sh

snippets: ## the Swift code of README, manual, guides and articles, compiled with the last debug build, and run where marked
	@Scripts/snippets.sh

pictures: build ## the pictures of the README, from real runs
	@Scripts/pictures.py

examples: ## the example packages, built and run as an app would
	@Scripts/examples.sh

apple-check: ## hand-over and proximity as on Apple's systems, over stand-ins for CoreBluetooth and CryptoKit
	@Scripts/apple-check.sh

products: ## packages that depend on this one by git URL, one for each library, built and run
	@Scripts/products.sh

coverage: ## line coverage per module, from the last `make test`
	@Scripts/coverage.sh

docs: ## the API documentation, in .build-docs/site
	@Scripts/docs.sh

allocations: ## blocks of memory that a chunk costs, against thresholds
	@Scripts/allocations.sh

sim: ## SEEDS (2000) simulated hand-overs under faults, and as many whose seeds the commit decides
	@Scripts/sim.sh $(SEEDS)

sim-agent: ## SEEDS (500) simulated runs of a cloud agent under faults
	@Scripts/sim-agent.sh $(SEEDS)

without-postgres: ## the command compiled without the trait PostgreSQL
	@Scripts/without-postgres.sh

fresh-root: ## the two commands of the README in a new root of Debian 12, and the program in one without a toolchain (root)
	@Scripts/fresh-root.sh

debian-13: ## both web modules built and tested in a new root of Debian 13, and the program serving there (root)
	@Scripts/debian-13.sh

bench: ## figures as JSON Lines: hand-overs, cores beside bare libraries, a cloud agent beside ACA-Py
	@Scripts/bench.sh

soak: ## a thousand transfers between real processes, with restarts and cancels; long
	@Scripts/soak.sh

interop-ble-setup: ## what running a real BlueZ without Bluetooth hardware takes (root, Debian 12)
	@Scripts/interop-ble-setup.sh

soak-agent: ## a cloud agent at work for MINUTES (120): mail, clients that come and go, its memory and its queue
	@Scripts/soak-agent.sh

soak-short: ## all soaks in short form
	@Scripts/soak-short.sh

soak-vault: ## two hundred kills of processes that write into a vault, and two at it for a minute
	@Scripts/soak-vault.sh

soak-agent-kills: ## a hundred kills of a cloud agent under load with SQLite, and a hundred of one of two on a PostgreSQL
	@Scripts/soak-agent-kills.sh

interop-ble: ## a real BlueZ in an emulated machine: the seam's rules, faults, all wallets and verifiers (root, Debian 12)
	@Scripts/interop-ble-conformance.sh air
	@Scripts/interop-ble-faults.sh some
	@Scripts/interop-ble-matrix.sh

interop-herald: ## the proximity sensor on a real BlueZ, among phones that speak Herald (root, Debian 12)
	@Scripts/interop-herald.sh

interop-ble-full: ## the same on both airs, with all faults and every credential, and how fast it is; an hour
	@Scripts/interop-ble-conformance.sh
	@Scripts/interop-ble-faults.sh all
	@Scripts/interop-ble-throughput.sh
	@Scripts/interop-ble-matrix.sh --full

interop-web: ## curl, Node, aiohttp, websockets and wrk against our HTTP and WebSocket, with figures
	@Scripts/interop-web.sh

interop-smuggling: ## 4,140 requests, most of them malformed, to our HTTP server: alone and behind nginx and HAProxy
	@Scripts/interop-smuggling.sh

credential-checks: ## takes out each check of credentials in turn, and names the forgeries that then get through
	@Scripts/credential-checks.sh

interop-credentials: ## the kit of forged credentials against libraries from PyPI, and SD-JWTs of theirs against ours
	@Scripts/interop-credentials.sh

model-request: ## a model of handshake, request and binding in maude, and SEEDS (100) traces of our cores against it
	@Scripts/model-request.sh $(SEEDS)

request-checks: ## each check of requests and answers taken out, and the attack that then succeeds
	@Scripts/request-checks.sh

desk: ## the page of `symbolon desk` in a real Chromium, MINUTES (30) wallets in its long part, PARTS of it
	@MINUTES="$(or $(MINUTES),30)" PARTS="$(PARTS)" Scripts/desk.sh

interop-request: ## an independent reader of the vectors of the profile for requests, over cryptography from PyPI
	@Scripts/interop-request.sh

floods: ## a cloud agent flooded from one source, while clients of other sources use it
	@Scripts/floods.sh

transcripts: ## receive and send in terminals of 80 by 24, stage by stage, and the code on the screen read back
	@Scripts/transcripts.sh

outages: ## a cloud agent under load while its disk is full, and while its database is away, a minute each
	@Scripts/outages.sh

interop: ## live agents of ACA-Py from PyPI against our command, in both roles and behind mediators
	@Scripts/interop.sh

interop-agent: ## our cloud agent among agents of ACA-Py, scripts and our wallet, MESSAGES (1000) each way in each case
	@MESSAGES="$(MESSAGES)" SEED="$(SEED)" PARTS="$(PARTS)" ONLY="$(ONLY)" Scripts/interop-agent.sh

interop-agent-short: ## the same with 25 messages each way, with SQLite and with PostgreSQL
	@MESSAGES=25 PARTS="sqlite postgres" Scripts/interop-agent.sh

clean: ## remove everything that was built
	@rm -rf .build .build-*
