# One word per job, and no logic here. Each job is a script in Scripts/ that says what it does. `make help` lists them in this order,
# below the lines that begin with #: and are headings. The long gates are rows of Scripts/gates.table, and no jobs.

.PHONY: demo build test check gate help setup format lint coverage docs guides snippets bench check-full gates-for-change install
.PHONY: uninstall deb tag clean
.DEFAULT_GOAL := help

#: First of all

demo: ## build, and hand a credential from a wallet to a verifier over a simulated radio; two minutes
	@Scripts/demo.sh

build: ## build .build/release/symbolon and symbolon-lab
	@Scripts/build.sh

test: ## run all tests; T="Vault Aries/PickupClientTests" runs those of these modules and suites
	@Scripts/test.sh $(T)

check: ## run what continuous integration runs before each change lands; 20 minutes
	@Scripts/check.sh

gate: ## run a long gate, G=floods; without G the gates are listed
	@Scripts/gates.sh $(G)

#: Every day

help: ## this list
	@awk -F ':.*## ' '/^#: / { print gap substr($$0, 4); gap = "\n" } /^[a-z0-9-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' Makefile

setup: ## install missing packages (Debian 12)
	@Scripts/setup.sh all

format: ## format the sources
	@Scripts/lint.sh --format

lint: ## report what is not formatted
	@Scripts/lint.sh

coverage: ## line coverage per module, from the last `make test`
	@Scripts/coverage.sh

docs: ## build the API documentation in .build-docs/site
	@Scripts/docs.sh

guides: build ## run every command of README, manual and guides with the release program
	@Scripts/guides.sh

snippets: ## compile the Swift code of README, manual, guides and articles, and run what is marked
	@Scripts/snippets.sh

bench: ## figures as JSON Lines: hand-overs, cores beside bare libraries, a cloud agent beside ACA-Py
	@Scripts/bench.sh

#: All gates

check-full: ## every gate of Scripts/gates.table, `make check` first; 195 minutes
	@Scripts/gates.sh --all

gates-for-change: ## the long gates whose folders changed since SINCE (origin/main); RUN=1 runs them after the check
	@Scripts/gates.sh --changed

#: Packages and releases

install: ## install what `make build` built below PREFIX (/usr/local), after DESTDIR
	@Scripts/install.sh

uninstall: ## remove what `make install` with the same PREFIX and DESTDIR installed
	@Scripts/install.sh --remove

deb: ## build a Debian package of the last commit in .build-deb, and try it in a new root
	@Scripts/deb.sh

tag: ## tag the last commit as the release of the program's version
	@Scripts/tag.sh

clean: ## remove everything that was built
	@rm -rf .build .build-*
