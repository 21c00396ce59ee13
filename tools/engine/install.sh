#!/usr/bin/env bash
# Finds the Pulumi CLI and its language hosts, or gets them. In this order:
#
#   path      `pulumi` on PATH, if it is new enough
#   download  Pulumi's official installer, where its site can be reached, into our cache folder
#   build     from the Go module proxy into our cache folder; takes minutes, once
#
# Nothing is written outside of ${PERIMETER_CACHE:-${XDG_CACHE_HOME:-~/.cache}/pulumi-perimeter} and Go's own caches.
#
# usage: install.sh [--print-bin | --json | --env | --sdkgen] [--rebuild]
#   --print-bin  the folder to put first on PATH (also what no option prints)
#   --json       {"source", "version", "bin", "hosts": {name: {"path"} | {"missing": reason}}}
#   --env        shell code to eval
#   --sdkgen     builds only the SDK generator (needs Go) and prints its path
#   --rebuild    makes what is in the cache anew
#
# PERIMETER_ENGINE=path, download or build takes that way only.
set -euo pipefail
# shellcheck source=tools/engine/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# The oldest CLI that @pulumi/pulumi, as we require it, was released with.
oldest_minor=142
host_names="nodejs python go yaml java dotnet"
download_site=https://get.pulumi.com

answer=bin
rebuild=
for argument in "$@"; do
  case $argument in
    --print-bin) answer=bin ;;
    --json) answer=json ;;
    --env) answer="env" ;;
    --sdkgen) answer=sdkgen ;;
    --rebuild) rebuild=yes ;;
    *) fail "unknown option $argument (see the head of $0)" ;;
  esac
done

way=${PERIMETER_ENGINE:-auto}
case $way in
  auto | path | download | build) ;;
  *) fail "PERIMETER_ENGINE is \"$way\"; it can be path, download, build or auto" ;;
esac

# --- a: the user's own ------------------------------------------------------------------------------------------------

# Prints where a program is: beside the real CLI, or on PATH. usage: find_beside DIR NAME
find_beside() {
  if [ -x "$1/$2" ]; then
    echo "$1/$2"
  else
    command -v "$2" || true
  fi
}

real_path() {
  local path=$1 link
  while [ -L "$path" ]; do
    link=$(readlink "$path")
    case $link in
      /*) path=$link ;;
      *) path=$(dirname "$path")/$link ;;
    esac
  done
  echo "$(cd "$(dirname "$path")" && pwd)/$(basename "$path")"
}

# The result is a folder of links, so that having it first on PATH brings in Pulumi's programs and nothing else.
use_path() {
  local cli version minor beside name found
  cli=$(type -P pulumi || true)
  if [ -z "$cli" ]; then return 1; fi
  version=$(PULUMI_SKIP_UPDATE_CHECK=1 "$cli" version 2>/dev/null | sed 's/^v//' || true)
  minor=$(echo "$version" | cut -d . -f 2)
  case $version in
    3.[0-9]*) if [ "$minor" -lt "$oldest_minor" ]; then minor=; fi ;;
    *) minor= ;;
  esac
  if [ -z "$minor" ]; then
    say "$cli is version ${version:-unknown}; 3.$oldest_minor.0 or newer is needed, so it is not used"
    return 1
  fi

  beside=$(dirname "$(real_path "$cli")")
  target=$cache_dir/engine/path-$(echo "$cli $beside $version $PATH" | digest)
  if [ ! -d "$target" ] || [ -n "$rebuild" ]; then
    lock "$target"
    start_work "$target"
    mkdir "$work_dir/bin"
    ln -s "$cli" "$work_dir/bin/pulumi"
    for name in pulumi-language-python-exec pulumi-resource-pulumi-nodejs pulumi-resource-pulumi-python; do
      found=$(find_beside "$beside" "$name")
      if [ -n "$found" ]; then ln -s "$found" "$work_dir/bin/$name"; fi
    done
    for name in $host_names; do
      found=$(find_beside "$beside" "pulumi-language-$name")
      if [ -n "$found" ]; then
        ln -s "$found" "$work_dir/bin/pulumi-language-$name"
      else
        printf '%s\tpulumi-language-%s is neither beside %s nor on PATH\n' "$name" "$name" "$cli" >>"$work_dir/missing"
      fi
    done
    add_launcher
    echo "$version" >"$work_dir/version"
    finish_work "$target"
    unlock
  fi
  source=path
}

add_launcher() {
  if [ ! -e "$work_dir/bin/pulumi-resource-pulumi-nodejs" ]; then
    cp "$tools_dir/launchers/pulumi-resource-pulumi-nodejs" "$work_dir/bin/"
  fi
}

# --- b: the official installer ----------------------------------------------------------------------------------------

download_dir=$cache_dir/engine/download-v$PULUMI_VERSION-$(platform)

use_download() {
  local log name
  if [ -d "$download_dir" ] && [ -z "$rebuild" ]; then
    target=$download_dir
    source=download
    return
  fi
  if ! command -v curl >/dev/null; then
    say "no curl, so the official installer cannot be fetched"
    return 1
  fi
  lock "$download_dir"
  if [ ! -d "$download_dir" ] || [ -n "$rebuild" ]; then
    start_work "$download_dir"
    log=$work_dir/install.log
    if ! curl -fsSL --connect-timeout 3 --max-time 8 -o "$work_dir/install.sh" "$download_site/install.sh" 2>"$log"; then
      say "the official installer cannot be reached from here ($(reason_from "$log"))"
      discard_work
      return 1
    fi
    say "[1/1] Pulumi CLI $PULUMI_VERSION with the official installer (about 150 MB)…"
    # HOME is ours for the length of the installation: it must not touch the user's profile or ~/.pulumi.
    mkdir "$work_dir/home"
    if ! run_long "official installer" "$log" limited 600 env HOME="$work_dir/home" \
      sh "$work_dir/install.sh" --version "$PULUMI_VERSION" --install-root "$work_dir" --no-edit-path; then
      discard_work
      return 1
    fi
    rm -rf "${work_dir:?}/home" "${work_dir:?}/install.sh"
    if [ ! -x "$work_dir/bin/pulumi" ]; then
      say "the official installer left no bin/pulumi"
      discard_work
      return 1
    fi
    for name in $host_names; do
      if [ ! -x "$work_dir/bin/pulumi-language-$name" ]; then
        printf '%s\tpulumi-language-%s is not part of the official CLI %s for this platform\n' \
          "$name" "$name" "$PULUMI_VERSION" >>"$work_dir/missing"
      fi
    done
    add_launcher
    echo "$PULUMI_VERSION" >"$work_dir/version"
    finish_work "$download_dir"
  fi
  unlock
  target=$download_dir
  source=download
}

discard_work() {
  rm -rf "${work_dir:?}"
  work_dir=
  unlock
}

# Only for a subshell, like in_module. usage: limited SECONDS COMMAND...
limited() {
  if command -v timeout >/dev/null; then exec timeout "$@"; else exec "${@:2}"; fi
}

# --- c: built from the Go module proxy --------------------------------------------------------------------------------

build_dir=$cache_dir/engine/v$PULUMI_VERSION-$({
  platform
  cat "$tools_dir"/{cli,hosts,yaml}/go.{mod,sum} "$tools_dir"/launchers/*
} | digest)

need_go() {
  local problem
  problem=$(go_problem)
  if [ -z "$problem" ]; then return; fi
  say "$1, and $problem."
  say "Either install the Pulumi CLI 3.$oldest_minor.0 or newer (https://www.pulumi.com/docs/install/) and have it on PATH,"
  say "or install Go 1.25 or newer (https://go.dev/dl/), and run this again."
  exit 1
}

compiled() { echo "$(grep -c '^[a-z0-9.-]*[/a-z]' "$1") of at most $package_count packages compiled"; }

# Builds programs of one module into the bin folder. usage: build_module LABEL MODULE FLAG... PATTERN
build_module() {
  local label=$1 module=$2 log=$work_dir/build.log
  shift 2
  # Listing first fetches the sources, and tells how many packages there are.
  if ! run_long "$label, fetching sources" "$log" in_module "$module" list -deps "${@: -1}"; then return 1; fi
  package_count=$(grep -c . "$log")
  mkdir -p "$work_dir/bin"
  PROGRESS=compiled run_long "$label, compiling" "$log" in_module "$module" build -v -o "$work_dir/bin/" "$@"
}

# A host that cannot be built costs its language only. usage: lose_host NAMES
lose_host() {
  local name reason
  reason=$(reason_from "$work_dir/build.log")
  for name in $1; do
    printf '%s\tpulumi-language-%s could not be built here: %s\n' "$name" "$name" "$reason" >>"$work_dir/missing"
  done
}

use_build() {
  local start=$SECONDS sdk version=github.com/pulumi/pulumi/sdk/v3/go/common/version.Version
  if [ ! -d "$build_dir" ] || [ -n "$rebuild" ]; then
    need_go "The Pulumi CLI has to be built here"
    lock "$build_dir"
    if [ ! -d "$build_dir" ] || [ -n "$rebuild" ]; then
      start_work "$build_dir"
      say "[1/3] Pulumi CLI $PULUMI_VERSION (4 to 7 minutes the first time on two cores)…"
      if ! build_module "Pulumi CLI" cli -ldflags "-s -w -X $version=v$PULUMI_VERSION" tool; then
        fail "the Pulumi CLI could not be built. With an installed CLI (https://www.pulumi.com/docs/install/) on PATH it need not be."
      fi
      say "[2/3] language hosts for Node.js, Python and Go (about 15 s)…"
      if build_module "language hosts" hosts -ldflags "-s -w" tool; then
        sdk=$(in_module hosts list -m -f '{{.Dir}}' github.com/pulumi/pulumi/sdk/v3)
        install -m 755 "$sdk/python/cmd/pulumi-language-python-exec" "$work_dir/bin/"
      else
        lose_host "nodejs python go"
      fi
      say "[3/3] language host for YAML (about 30 s)…"
      if ! build_module "YAML host" yaml -ldflags "-s -w" tool; then lose_host yaml; fi
      for name in java dotnet; do
        printf '%s\tits language host cannot be had from the Go module proxy; install the Pulumi CLI to use it\n' "$name" \
          >>"$work_dir/missing"
      done
      add_launcher
      rm -f "$work_dir/build.log"
      echo "$PULUMI_VERSION" >"$work_dir/version"
      finish_work "$build_dir"
      say "done in $(elapsed $((SECONDS - start)))"
    fi
    unlock
  fi
  target=$build_dir
  source=build
}

# --- the SDK generator ------------------------------------------------------------------------------------------------

use_sdkgen() {
  local target
  target=$cache_dir/engine/sdkgen-$({
    platform
    cat "$tools_dir"/cli/go.{mod,sum} "$tools_dir"/cli/cmd/sdkgen/*.go
  } | digest)
  if [ ! -d "$target" ] || [ -n "$rebuild" ]; then
    need_go "The SDK generator has to be built here"
    lock "$target"
    if [ ! -d "$target" ] || [ -n "$rebuild" ]; then
      start_work "$target"
      say "[1/1] SDK generator (about 2 minutes the first time)…"
      build_module "SDK generator" cli -ldflags "-s -w" ./cmd/sdkgen || exit 1
      rm -f "$work_dir/build.log"
      finish_work "$target"
    fi
    unlock
  fi
  echo "$target/bin/sdkgen"
}

# --- the answer -------------------------------------------------------------------------------------------------------

if [ "$answer" = sdkgen ]; then
  use_sdkgen
  exit
fi

target=
source=
if [ "$way" = path ] || [ "$way" = auto ]; then use_path || true; fi
if [ -z "$source" ] && [ "$way" = download ]; then use_download || true; fi
# What is in the cache spares the question whether the site can be reached.
if [ -z "$source" ] && [ "$way" = auto ]; then
  if [ -d "$build_dir" ] && [ ! -d "$download_dir" ] && [ -z "$rebuild" ]; then
    use_build
  else
    use_download || true
  fi
fi
if [ -z "$source" ] && { [ "$way" = build ] || [ "$way" = auto ]; }; then use_build; fi
if [ -n "$source" ] && [ ! -x "$target/bin/pulumi" ]; then fail "there is no pulumi in $target/bin"; fi
if [ -z "$source" ]; then fail "no engine by way of \"$way\" (PERIMETER_ENGINE)"; fi

print_json() {
  local name missing separator=
  printf '{"source":"%s","version":"%s","bin":"%s","hosts":{' "$source" "$(cat "$target/version")" "$target/bin"
  for name in $host_names; do
    missing=$(grep "^$name	" "$target/missing" 2>/dev/null | cut -f 2 || true)
    if [ -n "$missing" ]; then
      printf '%s"%s":{"missing":"%s"}' "$separator" "$name" "$missing"
    else
      printf '%s"%s":{"path":"%s"}' "$separator" "$name" "$target/bin/pulumi-language-$name"
    fi
    separator=,
  done
  printf '}}\n'
}

case $answer in
  json) print_json ;;
  env)
    # shellcheck disable=SC2016 # the reader's PATH, not ours
    printf 'export PATH=%q:$PATH\n' "$target/bin"
    ;;
  bin)
    say "using Pulumi $(cat "$target/version") ($source)"
    if [ -e "$target/missing" ]; then
      while IFS=$(printf '\t') read -r name reason; do say "no $name: $reason"; done <"$target/missing"
    fi
    echo "$target/bin"
    ;;
esac
