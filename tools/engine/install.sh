#!/usr/bin/env bash
# Finds the Pulumi CLI and its language hosts, or gets them. In this order:
#
#   path      `pulumi` on PATH, if it is new enough
#   download  the archive of Pulumi's release, checked against its SHA-256, into our cache folder
#   build     from the Go module proxy into our cache folder; takes minutes, once
#
# Nothing is written outside of ${PERIMETER_CACHE:-${XDG_CACHE_HOME:-~/.cache}/pulumi-perimeter} and Go's own caches.
#
# usage: install.sh [--json | --sdkgen | --programgen]
#   (nothing)     prints the folder to put first on PATH
#   --json        {"source", "version", "bin", "hosts": {name: {"path"} | {"missing": reason}}}
#   --sdkgen      builds only the SDK generator (needs Go) and prints its path
#   --programgen  builds only hosts that generate programs (needs Go), and prints their folder. It goes first on PATH for
#                 `pulumi import` if the other hosts were built, because these are too old to generate programs
#
# PERIMETER_ENGINE=path, download or build takes that way only. PERIMETER_ENGINE_HOSTS=nodejs builds the language host of
# Node.js alone, where hosts have to be built. PERIMETER_ENGINE_VERSION=earlier downloads or builds the engine of May 2026.
# PERIMETER_ENGINE_SITE is a mirror of Pulumi's releases: below it are a folder for each version, v3.1.0, and in that the archives
# and the list of their digests.
set -euo pipefail
# shellcheck source=tools/engine/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# The oldest CLI that @pulumi/pulumi, as we require it, was released with.
oldest_minor=142
host_names="nodejs python go yaml java dotnet"
download_site=${PERIMETER_ENGINE_SITE:-https://github.com/pulumi/pulumi/releases/download}

answer=bin
for argument in "$@"; do
  case $argument in
    --json) answer=json ;;
    --sdkgen | --programgen) answer=${argument#--} ;;
    *) fail "unknown option $argument (see the head of $0)" ;;
  esac
done

way=${PERIMETER_ENGINE:-auto}
case $way in
  auto | path | download | build) ;;
  *) fail "PERIMETER_ENGINE is \"$way\"; it can be path, download, build or auto" ;;
esac
hosts=${PERIMETER_ENGINE_HOSTS:-all}
case ${PERIMETER_ENGINE_VERSION:-} in
  '' | earlier) ;;
  *) fail "PERIMETER_ENGINE_VERSION is \"$PERIMETER_ENGINE_VERSION\"; it can be earlier, or be left out" ;;
esac
case $hosts in
  all | nodejs) ;;
  *) fail "PERIMETER_ENGINE_HOSTS is \"$hosts\"; it can be nodejs or all" ;;
esac

add_launcher() {
  if [ ! -e "$work_dir/bin/pulumi-resource-pulumi-nodejs" ]; then
    cp "$tools_dir/launchers/pulumi-resource-pulumi-nodejs" "$work_dir/bin/"
  fi
}

# shellcheck source=tools/engine/ways/path.sh
. "$tools_dir/ways/path.sh"
# shellcheck source=tools/engine/ways/download.sh
. "$tools_dir/ways/download.sh"
# shellcheck source=tools/engine/ways/build.sh
. "$tools_dir/ways/build.sh"

case $answer in
  sdkgen | programgen)
    "use_$answer"
    exit
    ;;
esac

target=
source=
# A way that fails prints the reason and leaves `source` empty. Their exit status is not used: `use_path || …` would let them
# continue after an error.
if [ "$way" = path ] || [ "$way" = auto ]; then use_path; fi
if [ -z "$source" ] && [ "$way" = download ]; then use_download; fi
# A cached engine needs no check whether the site can be reached.
if [ -z "$source" ] && [ "$way" = auto ]; then
  if { [ -d "$build_dir" ] || { [ "$hosts" = nodejs ] && [ -d "$nodejs_dir" ]; }; } && [ ! -d "$download_dir" ]; then
    use_build
  else
    use_download
  fi
fi
if [ -z "$source" ] && { [ "$way" = build ] || [ "$way" = auto ]; }; then use_build; fi
if [ -n "$source" ] && [ ! -x "$target/bin/pulumi" ]; then fail "there is no pulumi in $target/bin"; fi
if [ -n "$source" ]; then mark_used "$target"; fi
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
  bin)
    say "using Pulumi $(cat "$target/version") ($source)"
    if [ -e "$target/missing" ]; then
      while IFS=$(printf '\t') read -r name reason; do say "no $name: $reason"; done <"$target/missing"
    fi
    echo "$target/bin"
    ;;
esac
