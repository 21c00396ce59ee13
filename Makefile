# The commands of this project. `make demo` and `make test` set up all that they need. Works with GNU make 3.81 (the version
# of macOS) and newer, where each recipe line runs in a separate shell that continues after a failure. So commands in one
# line are joined by && or handle the failure. CI runs it on macOS.
SHELL := bash
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

# npm's record of what it installed. When it is older than the lock file, packages must be installed.
installed := node_modules/.package-lock.json
built := .cache/build.stamp
plugin := .cache/plugin.stamp
executable := .cache/executable.stamp
bin := node_modules/.bin
run := node -r ./tools/register.cjs

sources := $(shell find access picture provider emulator cli -type f -not -name '*.test.ts' 2>/dev/null)
# Files of the npm packages that are not compiled.
packed := README.md LICENSE CHANGELOG.md sdk/schema.json $(shell find docs sdk/nodejs -type f -not -path '*/node_modules/*' -not -path '*/bin/*' 2>/dev/null)
# The folders that tools/dependency-cruiser.cjs checks; the other programs of examples/ import SDKs that are not installed here.
cruised := access picture provider emulator cli tools bench tests examples/firewall-typescript
shell_scripts := .ci/run $(shell find tools/engine -name '*.sh') $(wildcard tools/engine/launchers/*)
go_files := $(shell find tools tests examples bench -name '*.go' -not -path '*/node_modules/*' 2>/dev/null)

.PHONY: help
help: ## Lists these commands
	@printf 'usage: make COMMAND\n\n'
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

# The demo is a TypeScript program: if language hosts must be built, the host of Node.js is enough.
.PHONY: demo
demo: ## Shows the provider on the real Pulumi engine, offline
	@PERIMETER_ENGINE_HOSTS=nodejs $(MAKE) --no-print-directory setup
	@PERIMETER_ENGINE_HOSTS=nodejs $(run) tools/demo/main.ts

.PHONY: test
test: setup ## Runs the tests that CI runs for each change (about 5 minutes on two cores)
	@$(MAKE) -s --no-print-directory executable
	@$(bin)/jest $(JEST_ARGS)

# Adds more cases of what `make test` checks (tests/support/test-all.ts). A release runs it.
.PHONY: test-all
test-all: ## Runs all tests (about three times as long)
	@PERIMETER_TESTS=all $(MAKE) -s --no-print-directory test

# The suites beside the code, and those on the emulator that take no more than a few seconds. It needs no Pulumi CLI.
.PHONY: test-quick
test-quick: build executable ## Runs the tests that need no engine and take seconds
	@$(bin)/jest --selectProjects unit integration --filter '$(CURDIR)/tools/quick-tests.cjs' $(JEST_ARGS)

# The engine is downloaded while npm installs and TypeScript compiles. A make with -j already runs these in parallel.
.PHONY: setup
setup: node
	@$(MAKE) -s --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j2) engine build

.PHONY: build
build: $(built) $(plugin) ## Compiles to dist/, and the plugin to bin/

$(built): $(installed) tsconfig.json tools/tsconfig.build.json require-node.cjs $(sources)
	@echo "build: compiling to dist/…"
	@rm -rf .cache/dist && mkdir -p .cache
	@node node_modules/typescript7/bin/tsc -p tools/tsconfig.build.json --outDir .cache/dist
	@# Moved at the end: after a failure the old folder remains, and readers never see a partial folder.
	@rm -rf dist && mv .cache/dist dist
	@touch $@

$(plugin): $(installed) package.json require-node.cjs $(sources) tools/run.ts $(wildcard tools/build-plugin*.ts)
	@echo "build: bundling the plugin to bin/…"
	@mkdir -p .cache && $(run) tools/build-plugin.ts >/dev/null
	@touch $@

# The plugin for this platform that needs no Node.js. Engines download this form.
.PHONY: executable
executable: $(executable)

$(executable): $(plugin)
	@echo "build: compiling the plugin that needs no Node.js…"
	@mkdir -p .cache && $(run) tools/build-plugin.ts --executable >/dev/null
	@touch $@

.PHONY: executables
executables: $(installed) ## Compiles plugins that need no Node.js to bin/, one for each platform
	@echo "executables: compiling for each platform (about 20 s)…"
	@$(run) tools/build-plugin.ts --all

# The examples and README's quick start install pulumi-perimeter.tgz, and the SDK pulumi-perimeter-sdk.tgz.
.PHONY: package
package: pulumi-perimeter.tgz ## Packs the npm packages into this folder, for projects on this machine
	@echo "To install the provider in a project:  npm install '$(CURDIR)/pulumi-perimeter.tgz'"
	@echo "The SDK for programs of the plugin:    npm install '$(CURDIR)/pulumi-perimeter-sdk.tgz'"

# The SDK is packed first, so the provider's package is the newer one.
pulumi-perimeter.tgz: $(built) package.json $(packed)
	@echo "package: packing…"
	@$(run) tools/release/main.ts --here

# tag=vX.Y.Z fails when package.json or CHANGELOG.md is not ready for this version.
.PHONY: release
release: engine build ## Builds a release into release/, then installs and runs it
	@$(run) tools/release/main.ts $(if $(tag),--tag '$(tag)')
	@echo "release: installing and running the packages…"
	@PERIMETER_TESTS=all PERIMETER_RELEASE=release $(bin)/jest tests/release

.PHONY: lint
lint: $(installed) ## Checks formatting, style, types and scripts
	@echo "lint: formatting (prettier)…" && $(bin)/prettier --check --log-level=warn --cache --cache-location=.cache/prettier .
	@echo "lint: imports (dependency-cruiser)…" && $(bin)/depcruise --config tools/dependency-cruiser.cjs --output-type err-long $(cruised)
	@echo "lint: types and style (tsc, eslint)…" && $(run) tools/lint.ts
	@echo "lint: shell scripts…" && for script in $(shell_scripts); do bash -n "$$script" || exit; done
	@if command -v shellcheck >/dev/null; then shellcheck -x $(shell_scripts); else echo "lint: shellcheck is not installed; checked only the syntax"; fi
	@if command -v go >/dev/null; then \
	  echo "lint: Go (gofmt, vet)…" && \
	  unformatted=$$(gofmt -l $(go_files)) && \
	  if [ -n "$$unformatted" ]; then echo "not formatted by gofmt: $$unformatted" >&2; exit 1; fi && \
	  for module in cli yaml; do (cd tools/engine/$$module && GOFLAGS=-mod=readonly GOWORK=off go vet ./...) || exit; done; \
	else echo "lint: Go is not installed; skipped the Go code"; fi

# Downloads the package of the documents, about 17 MB.
.PHONY: discovery
discovery: $(installed) ## Writes the files from Google's discovery documents, then all derived files
	@$(run) tools/discovery/main.ts
	@$(MAKE) -s --no-print-directory generate

.PHONY: generate
generate: $(installed) ## Writes the files derived from definitions: schema, SDKs, pages, tables
	@$(run) tools/generate/main.ts

.PHONY: screenshots
screenshots: engine build ## Takes the pictures in docs/images/: of terminals, of the console, of a review
	@$(run) tools/pictures/main.ts
	@$(run) tools/console/screenshots.ts

.PHONY: record-states
record-states: engine build executable ## Records the states that this version writes, which later versions must be able to read
	@$(run) tools/release/record-states.ts

# before=FOLDER: also measures an earlier version, in a folder where `make build` ran. only="up cpu": measures only these.
.PHONY: bench
bench: setup $(executable) ## Measures against peers that it builds, and writes docs/performance.md
	@PERIMETER_BENCH_BEFORE='$(before)' $(run) bench/main.ts $(only)

.PHONY: bench-quick
bench-quick: setup $(executable) ## Checks with small numbers that all benches work
	@PERIMETER_BENCH_BEFORE='$(before)' $(run) bench/main.ts --quick $(only)

.PHONY: engine
engine: node ## Finds or installs the Pulumi CLI and its language hosts
	@tools/engine/install.sh >/dev/null

.PHONY: clean
clean: ## Removes build results from this folder
	@rm -rf dist bin .cache coverage *.tgz
	@echo "clean: removed dist, bin, .cache, coverage and packages (node_modules stays; the engine too, see clean-cache)"

.PHONY: clean-cache
clean-cache: ## Removes caches outside of this folder
	@tools/engine/clean-cache.sh

# Checks for Node.js first, so that a missing Node.js gives one clear error.
.PHONY: node
node:
	@if ! command -v node >/dev/null || ! command -v npm >/dev/null; then \
	  echo "Node.js 20.19 or newer with npm must be on PATH: https://nodejs.org/" >&2; exit 1; fi
	@node require-node.cjs

$(installed): package-lock.json | node
	@echo "npm: installing dependencies (about half a minute the first time)…"
	@start=$$SECONDS && npm ci --loglevel=error --no-progress >/dev/null && echo "npm: done in $$((SECONDS - start)) s"
	@touch $@
