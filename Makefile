# The commands of this project. `make demo` and `make test` set up all that they need.
# For GNU make 3.81, which macOS has, and newer: each line of a recipe is a shell of its own that goes on after a failure, so
# commands in one line are joined by && or say what happens then. tests/lint/makefile.test.ts holds it.
SHELL := bash
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

# npm's own record of what it installed: newer than the lock file, or there is something to install.
installed := node_modules/.package-lock.json
built := .cache/build.stamp
plugin := .cache/plugin.stamp
executable := .cache/executable.stamp
bin := node_modules/.bin
run := node -r ./tools/register.cjs

sources := $(shell find access-picture provider emulator cli -type f -not -name '*.test.ts' 2>/dev/null)
# Where .dependency-cruiser.cjs looks; the other programs of examples/ import SDKs that are not installed here.
cruised := access-picture provider emulator cli tools bench tests examples/firewall-typescript
shell_scripts := .ci/run $(shell find tools/engine -name '*.sh') $(wildcard tools/engine/launchers/*)
go_files := $(shell find tools tests examples bench -name '*.go' -not -path '*/node_modules/*' 2>/dev/null)

.PHONY: help
help: ## Lists these commands
	@printf 'usage: make COMMAND\n\n'
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

# Its program is in TypeScript: where language hosts have to be built, that one is enough.
.PHONY: demo
demo: ## Shows the provider on the real Pulumi engine, offline
	@PERIMETER_ENGINE_HOSTS=nodejs $(MAKE) --no-print-directory setup
	@PERIMETER_ENGINE_HOSTS=nodejs $(run) tools/demo/main.ts

.PHONY: test
test: setup ## Runs all tests
	@$(bin)/jest $(JEST_ARGS)

# The engine comes from elsewhere while npm installs and TypeScript compiles. A make that runs jobs already shares them.
.PHONY: setup
setup: node
	@$(MAKE) -s --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j2) engine build

.PHONY: build
build: $(built) $(plugin) ## Compiles to dist/, and the plugin to bin/

$(built): $(installed) tsconfig.json tsconfig.build.json $(sources)
	@echo "build: compiling to dist/…"
	@rm -rf .cache/dist && mkdir -p .cache
	@$(bin)/tsc -p tsconfig.build.json --outDir .cache/dist
	@# Moved at the end: a failure leaves what was there, and nobody sees half of it.
	@rm -rf dist && mv .cache/dist dist
	@touch $@

$(plugin): $(installed) package.json $(sources) tools/run.ts $(wildcard tools/build-plugin*.ts)
	@echo "build: bundling the plugin to bin/…"
	@mkdir -p .cache && $(run) tools/build-plugin.ts >/dev/null
	@touch $@

# The plugin of this platform that needs no Node.js.
$(executable): $(plugin)
	@echo "build: compiling the plugin that needs no Node.js…"
	@mkdir -p .cache && $(run) tools/build-plugin.ts --executable >/dev/null
	@touch $@

.PHONY: executables
executables: $(installed) ## Compiles plugins that need no Node.js to bin/, one for each platform
	@echo "executables: compiling for each platform (about 20 s)…"
	@$(run) tools/build-plugin.ts --all

# tag=vX.Y.Z refuses where package.json or CHANGELOG.md are not ready for it.
.PHONY: release
release: engine build ## Builds all that a release publishes into release/, then installs and runs it
	@$(run) tools/release/main.ts $(if $(tag),--tag '$(tag)')
	@echo "release: installing and running all of it…"
	@PERIMETER_RELEASE=release $(bin)/jest tests/release

.PHONY: lint
lint: $(installed) ## Checks formatting, style, types and scripts
	@echo "lint: formatting (prettier)…" && $(bin)/prettier --check --log-level=warn --cache --cache-location=.cache/prettier .
	@echo "lint: imports (dependency-cruiser)…" && $(bin)/depcruise --output-type err-long $(cruised)
	@echo "lint: types and style (tsc, eslint)…" && $(run) tools/lint.ts
	@echo "lint: shell scripts…" && for script in $(shell_scripts); do bash -n "$$script" || exit; done
	@if command -v shellcheck >/dev/null; then shellcheck -x $(shell_scripts); else echo "lint: no shellcheck here, so syntax only"; fi
	@if command -v go >/dev/null; then \
	  echo "lint: Go (gofmt, vet)…" && \
	  unformatted=$$(gofmt -l $(go_files)) && \
	  if [ -n "$$unformatted" ]; then echo "not formatted by gofmt: $$unformatted" >&2; exit 1; fi && \
	  cd tools/engine/cli && GOFLAGS=-mod=readonly GOWORK=off go vet ./...; \
	else echo "lint: no Go here, so its code is not checked"; fi

.PHONY: generate
generate: $(installed) ## Writes what follows from the definitions: schema, SDKs, pages, tables
	@$(run) tools/generate/main.ts

.PHONY: screenshots
screenshots: engine build ## Takes the pictures in docs/images/: of terminals, of the console, of a review
	@$(run) tools/pictures/main.ts
	@$(run) tools/console/screenshots.ts

# before=FOLDER: an earlier version, in which `make build` ran, takes turns with this one. only="up cpu": these alone.
.PHONY: bench
bench: setup $(executable) ## Measures, against peers that it builds, and writes docs/performance.md
	@PERIMETER_BENCH_BEFORE='$(before)' $(run) bench/main.ts $(only)

.PHONY: bench-quick
bench-quick: setup $(executable) ## Shows that all of the benches work, with small numbers
	@PERIMETER_BENCH_BEFORE='$(before)' $(run) bench/main.ts --quick $(only)

.PHONY: engine
engine: node ## Finds the Pulumi CLI and its language hosts, or gets them
	@tools/engine/install.sh >/dev/null

.PHONY: clean
clean: ## Removes what was built in this folder
	@rm -rf dist bin .cache coverage
	@echo "clean: removed dist, bin, .cache and coverage (node_modules stays; the engine too, see clean-cache)"

.PHONY: clean-cache
clean-cache: ## Removes what is cached outside of this folder
	@tools/engine/clean-cache.sh

# Said once and plainly, before anything fails for it.
.PHONY: node
node:
	@if ! command -v node >/dev/null || ! command -v npm >/dev/null; then \
	  echo "Node.js 20.19 or newer and its npm are needed, and not on PATH: https://nodejs.org/" >&2; exit 1; fi
	@node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' || { \
	  echo "Node.js 20.19 or newer is needed; this is $$(node --version): https://nodejs.org/" >&2; exit 1; }

$(installed): package-lock.json | node
	@echo "npm: installing dependencies (about half a minute the first time)…"
	@start=$$SECONDS && npm ci --loglevel=error --no-progress >/dev/null && echo "npm: done in $$((SECONDS - start)) s"
	@touch $@
