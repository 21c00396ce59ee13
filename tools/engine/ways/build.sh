# shellcheck shell=bash disable=SC2034,SC2154
# install.sh: the CLI, its hosts and the SDK generator, built from the Go module proxy.

# shellcheck source=tools/engine/late-lists.sh
. "$tools_dir/late-lists.sh"

build_dir=$cache_dir/engine/v$PULUMI_VERSION-$({
  platform
  cat "$tools_dir"/{"$cli_module",hosts,"$yaml_module"}/go.{mod,sum} "$tools_dir"/launchers/* "$tools_dir/late-lists.sh"
} | digest)

need_go() {
  local problem
  problem=$(go_problem)
  if [ -z "$problem" ]; then return; fi
  say "$1, and $problem."
  say "Either install the Pulumi CLI 3.$oldest_minor.0 or newer (https://www.pulumi.com/docs/install/) and have it on PATH,"
  say "or install Go $(go_needed) or newer (https://go.dev/dl/), and run this again."
  exit 1
}

compiled() { echo "$(grep -c '^[a-z0-9.-]*[/a-z]' "$1") of at most $package_count packages compiled"; }

# Builds programs of one module into the bin folder. usage: build_module LABEL MODULE FLAG... PATTERN
build_module() {
  local label=$1 module=$2 log=$work_dir/build.log
  shift 2
  # Listing first downloads the sources, and counts the packages.
  if ! run_long "$label, fetching sources" "$log" in_module "$module" list -deps "${@: -1}"; then return 1; fi
  package_count=$(grep -c . "$log")
  mkdir -p "$work_dir/bin"
  PROGRESS=compiled run_long "$label, compiling" "$log" in_module "$module" build -v -o "$work_dir/bin/" "$@"
}

# If a host cannot be built, only its language is missing. usage: lose_host NAMES
lose_host() {
  local name reason
  reason=$(reason_from "$work_dir/build.log")
  for name in $1; do
    printf '%s\tpulumi-language-%s could not be built here: %s\n' "$name" "$name" "$reason" >>"$work_dir/missing"
  done
}

nodejs_dir=$build_dir-nodejs
nodejs_host=github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs

build_cli() {
  local version=github.com/pulumi/pulumi/sdk/v3/go/common/version.Version
  # The CLI that was built for Node.js programs is the same.
  if [ -x "$nodejs_dir/bin/pulumi" ]; then
    mkdir -p "$work_dir/bin"
    cp "$nodejs_dir/bin/pulumi" "$work_dir/bin/"
    return
  fi
  say "$1 Pulumi CLI $PULUMI_VERSION (4 to 7 minutes the first time on two cores)…"
  if ! build_module "Pulumi CLI" "$cli_module" -ldflags "-s -w -X $version=v$PULUMI_VERSION" "-modfile=$(late_lists)" tool; then
    fail "the Pulumi CLI could not be built. With an installed CLI (https://www.pulumi.com/docs/install/) on PATH it need not be."
  fi
}

build_nodejs_host() {
  local name
  say "[2/2] language host for Node.js (about 10 s)…"
  if ! build_module "language host" hosts -ldflags "-s -w" "$nodejs_host"; then lose_host nodejs; fi
  for name in python go yaml java dotnet; do
    printf '%s\tits language host was not requested (PERIMETER_ENGINE_HOSTS)\n' "$name" >>"$work_dir/missing"
  done
}

build_all_hosts() {
  local sdk name
  say "[2/3] language hosts for Node.js, Python and Go (about 15 s)…"
  if build_module "language hosts" hosts -ldflags "-s -w" tool; then
    sdk=$(in_module hosts list -m -f '{{.Dir}}' github.com/pulumi/pulumi/sdk/v3)
    install -m 755 "$sdk/python/cmd/pulumi-language-python-exec" "$work_dir/bin/"
  else
    lose_host "nodejs python go"
  fi
  say "[3/3] language host for YAML (about 30 s)…"
  if ! build_module "YAML host" "$yaml_module" -ldflags "-s -w" tool; then lose_host yaml; fi
  for name in java dotnet; do
    printf '%s\tits language host is not available from the Go module proxy; install the Pulumi CLI to use it\n' "$name" \
      >>"$work_dir/missing"
  done
}

use_build() {
  local start=$SECONDS
  target=$build_dir
  # An engine with all hosts also runs Node.js programs.
  if [ "$hosts" = nodejs ] && [ ! -d "$build_dir" ]; then target=$nodejs_dir; fi
  if [ ! -d "$target" ]; then
    need_go "The Pulumi CLI must be built"
    # One lock for both: they build the same CLI.
    lock "$build_dir"
    if [ ! -d "$target" ]; then
      start_work "$target"
      if [ "$target" = "$nodejs_dir" ]; then
        build_cli "[1/2]"
        build_nodejs_host
      else
        build_cli "[1/3]"
        build_all_hosts
      fi
      add_launcher
      rm -rf "$work_dir"/{build.log,go.mod,go.sum,lists}
      echo "$PULUMI_VERSION" >"$work_dir/version"
      finish_work "$target"
      remove_unused "$cache_dir/engine"
      say "done in $(elapsed $((SECONDS - start)))"
    fi
    unlock
  fi
  source=build
}

# Builds generators of which the hosts of the CLI's version have their own, and sets `target`. usage: use_generator NAME MODULE...
use_generator() {
  local name=$1 module
  shift
  target=$cache_dir/engine/$name-$({
    platform
    for module in "$@"; do cat "$tools_dir/$module"/go.{mod,sum} "$tools_dir/$module/cmd/$name"*/*.go; done
  } | digest)
  if [ ! -d "$target" ]; then
    need_go "The generator $name must be built"
    lock "$target"
    if [ ! -d "$target" ]; then
      start_work "$target"
      say "[1/1] generator $name (about 2 minutes the first time)…"
      for module in "$@"; do
        build_module "generator $name" "$module" -ldflags "-s -w" "./cmd/$name..." || exit 1
      done
      rm -f "$work_dir/build.log"
      "link_$name"
      finish_work "$target"
      remove_unused "$cache_dir/engine"
    fi
    unlock
  fi
  mark_used "$target"
}

link_sdkgen() { :; }

use_sdkgen() {
  use_generator sdkgen cli
  echo "$target/bin/sdkgen"
}

# The engine finds hosts by their names.
link_programgen() {
  local name
  for name in nodejs python go; do ln -s programgen "$work_dir/bin/pulumi-language-$name"; done
  ln -s programgen-yaml "$work_dir/bin/pulumi-language-yaml"
}

use_programgen() {
  use_generator programgen cli yaml
  echo "$target/bin"
}
