# One word per job, and no logic here. Each job is a script in Scripts/ that says what it does. `make help` lists them in this order,
# below the lines that begin with #: and are headings.

.PHONY: demo build install test format lint check gates-for-change docs help setup deb deb-roots image tag uninstall clean guides
.PHONY: snippets examples products pictures transcripts check-full test-long sanitize coverage allocations fuzz fuzz-smoke sim sim-agent
.PHONY: apple-check without-postgres fresh-root debian-13 credential-checks request-checks model-request desk interop interop-agent
.PHONY: interop-agent-short interop-credentials interop-request interop-web interop-smuggling interop-ble-setup interop-ble
.PHONY: interop-ble-full interop-herald bench soak soak-short soak-vault soak-agent soak-agent-kills floods outages failover-agent
.DEFAULT_GOAL := help

#: Every day

demo: ## build, and hand a credential from a wallet to a verifier over a simulated radio; two minutes
	@Scripts/demo.sh

build: ## build .build/release/symbolon and symbolon-lab
	@Scripts/build.sh

install: ## install what `make build` built below PREFIX (/usr/local), after DESTDIR
	@PREFIX="$(or $(PREFIX),/usr/local)" DESTDIR="$(DESTDIR)" Scripts/install.sh

test: ## run all tests; T="Vault Aries/PickupClientTests" runs those of these modules and suites
	@Scripts/test.sh $(T)

format: ## format the sources
	@Scripts/format.sh

lint: ## report what is not formatted
	@Scripts/lint.sh

check: ## run what continuous integration runs before each change lands; 15 minutes
	@Scripts/check.sh

gates-for-change: ## the long gates whose folders changed since SINCE (origin/main); RUN=1 runs them
	@SINCE="$(SINCE)" RUN="$(RUN)" Scripts/gates-for-change.sh

docs: ## build the API documentation in .build-docs/site
	@Scripts/docs.sh

help: ## this list
	@awk -F ':.*## ' '/^#: / { print gap substr($$0, 4); gap = "\n" } /^[a-z0-9-]+:.*## / { printf "  make %-20s %s\n", $$1, $$2 }' Makefile

#: Packages and releases

setup: ## install missing packages (Debian 12)
	@Scripts/setup.sh all

deb: ## build a Debian package of the last commit in .build-deb, and try it in a new root
	@Scripts/deb.sh

deb-roots: ## that package in new roots of Debian 12 and 13: installed, run, upgraded, removed (root)
	@Scripts/deb-roots.sh

image: ## an OCI image of that package, in .build-image (root)
	@Scripts/image.sh

tag: ## tag the last commit as the release of the program's version
	@Scripts/tag.sh

uninstall: ## remove what `make install` with the same PREFIX and DESTDIR installed
	@PREFIX="$(or $(PREFIX),/usr/local)" DESTDIR="$(DESTDIR)" Scripts/install.sh --remove

clean: ## remove everything that was built
	@rm -rf .build .build-*

#: Pages and examples

guides: build ## run every command of README, manual and guides with the release program
	@Scripts/guides.sh

snippets: ## compile the Swift code of README, manual, guides and articles, and run what is marked
	@Scripts/snippets.sh

examples: ## the example packages, built and run as an app would
	@Scripts/examples.sh

products: ## packages that depend on this one by git URL, one for each library, built and run
	@Scripts/products.sh

pictures: build ## the pictures of the README, from real runs
	@Tests/Interop/screens/pictures.py

transcripts: ## receive and send in terminals of 80 by 24, stage by stage, and the code on the screen read back
	@Scripts/transcripts.sh

#: All gates

check-full: ## every gate: `make check`, then the long ones of Scripts/gates.table; 100 minutes
	@Scripts/check-full.sh

test-long: ## the suites that have a full size, at their full size
	@Scripts/test-long.sh

sanitize: ## tests under the thread and the address sanitizer
	@Scripts/sanitize.sh

coverage: ## line coverage per module, from the last `make test`
	@Scripts/coverage.sh

allocations: ## blocks of memory that a chunk costs, against thresholds
	@Scripts/allocations.sh

fuzz: ## every fuzz target for a minute
	@Scripts/fuzz.sh 60

fuzz-smoke: ## every fuzz target for five seconds
	@Scripts/fuzz.sh 5

sim: ## SEEDS (2000) simulated hand-overs under faults, and as many whose seeds the commit decides
	@Scripts/sim.sh $(SEEDS)

sim-agent: ## SEEDS (500) simulated runs of a cloud agent under faults
	@Scripts/sim-agent.sh $(SEEDS)

apple-check: ## hand-over and proximity as on Apple's systems, over stand-ins for CoreBluetooth and CryptoKit
	@Scripts/apple-check.sh

without-postgres: ## the command compiled without the trait PostgreSQL
	@Scripts/without-postgres.sh

fresh-root: ## the two commands of the README in a new root of Debian 12, and the program in one without a toolchain (root)
	@Scripts/fresh-root.sh

debian-13: ## both web modules built and tested in a new root of Debian 13, and the program serving there (root)
	@Scripts/debian-13.sh

#: Checks of credentials, requests and the desk

credential-checks: ## takes out each check of credentials in turn, and says whether the kit of forgeries notices
	@Scripts/credential-checks.sh

request-checks: ## each check of requests and answers taken out, and the attack that then succeeds
	@Scripts/request-checks.sh

model-request: ## a model of handshake, request and binding in maude, and SEEDS (100) traces of our cores against it
	@Scripts/model-request.sh $(SEEDS)

desk: ## the page of `symbolon desk` in a real Chromium, MINUTES (30) wallets in its long part, PARTS of it
	@MINUTES="$(or $(MINUTES),30)" PARTS="$(PARTS)" Scripts/desk.sh

#: Runs with other programs

interop: ## live agents of ACA-Py from PyPI against our command, in both roles and behind mediators
	@Scripts/interop.sh

interop-agent: ## our cloud agent among agents of ACA-Py, scripts and our wallet, MESSAGES (1000) each way in each case
	@MESSAGES="$(MESSAGES)" SEED="$(SEED)" PARTS="$(PARTS)" ONLY="$(ONLY)" Scripts/interop-agent.sh

interop-agent-short: ## the same with 25 messages each way, with SQLite and with PostgreSQL
	@MESSAGES=25 PARTS="sqlite postgres" Scripts/interop-agent.sh

interop-credentials: ## the kit of forged credentials against libraries from PyPI, and SD-JWTs of theirs against ours
	@Scripts/interop-credentials.sh

interop-request: ## an independent reader of the vectors of the profile for requests, over cryptography from PyPI
	@Scripts/interop-request.sh

interop-web: ## curl, Node, aiohttp, websockets and wrk against our HTTP and WebSocket, with figures
	@Scripts/interop-web.sh

interop-smuggling: ## 4,140 requests, most of them malformed, to our HTTP server: alone and behind nginx and HAProxy
	@Scripts/interop-smuggling.sh

interop-ble-setup: ## what running a real BlueZ without Bluetooth hardware takes (root, Debian 12)
	@Scripts/interop-ble-setup.sh

interop-ble: ## a real BlueZ in an emulated machine: the seam's rules, faults, all wallets and verifiers (root, Debian 12)
	@Scripts/interop-ble-conformance.sh air
	@Scripts/interop-ble-faults.sh some
	@Scripts/interop-ble-matrix.sh

interop-ble-full: ## the same on both airs, with all faults and every credential, and how fast it is; an hour
	@Scripts/interop-ble-conformance.sh
	@Scripts/interop-ble-faults.sh all
	@Scripts/interop-ble-throughput.sh
	@Scripts/interop-ble-matrix.sh --full

interop-herald: ## the proximity sensor on a real BlueZ, among phones that speak Herald (root, Debian 12)
	@Scripts/interop-herald.sh

#: Load and endurance

bench: ## figures as JSON Lines: hand-overs, cores beside bare libraries, a cloud agent beside ACA-Py
	@Scripts/bench.sh

soak: ## a thousand transfers between real processes, with restarts and cancels; long
	@Scripts/soak.sh

soak-short: ## all soaks in short form
	@Scripts/soak-short.sh

soak-vault: ## two hundred kills of processes that write into a vault, and two at it for a minute
	@Scripts/soak-vault.sh

soak-agent: ## a cloud agent at work for MINUTES (120): mail, clients that come and go, its memory and its queue
	@Scripts/soak-agent.sh

soak-agent-kills: ## a hundred kills of a cloud agent under load with SQLite, and a hundred of one of two on a PostgreSQL
	@Scripts/soak-agent-kills.sh

floods: ## a cloud agent flooded from one source, while clients of other sources use it
	@Scripts/floods.sh

outages: ## a cloud agent under load while its disk is full, and while its database is away, a minute each
	@Scripts/outages.sh

failover-agent: ## a cloud agent on PostgreSQL that fails over: CASES, each COUNT (1) times at moments that SEED decides (root)
	@CASES="$(CASES)" COUNT="$(COUNT)" SEED="$(SEED)" Scripts/failover-agent.sh
