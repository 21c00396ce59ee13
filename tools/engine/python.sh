#!/usr/bin/env bash
# Creates a Python virtual environment with Pulumi's SDK in our cache folder, once, and prints its path. Exits with 3 and a
# one-line reason on stderr if Python or its packages are not available.
set -euo pipefail
# shellcheck source=tools/engine/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

unavailable() {
  say "$@"
  exit 3
}

python=$(command -v python3 || command -v python || true)
if [ -z "$python" ]; then unavailable "Python 3.10 or newer is not on PATH"; fi
# The path is part of the name: an environment is bound to the interpreter that made it.
identity=$("$python" -c 'import sys; print(sys.version_info >= (3, 10), sys.version.split()[0], sys.executable)')
if [ "${identity%% *}" != True ]; then unavailable "Python is older than 3.10: $identity"; fi

# Generated from python.in, with the SHA-256 of every file, so that a package index cannot replace a file later.
packages=$tools_dir/python.txt
target=$cache_dir/python/pulumi-$SDK_VERSION-$({
  platform
  echo "$identity"
  cat "$packages"
} | digest)
# An environment cannot be moved, so it is created in place, and the stamp marks it as complete.
stamp=$target/.complete
if [ ! -e "$stamp" ]; then
  lock "$target"
  if [ ! -e "$stamp" ]; then
    say "[1/1] Python environment with pulumi $SDK_VERSION (about 20 s the first time)…"
    log=$(mktemp "${TMPDIR:-/tmp}/pulumi-python.XXXXXX")
    if ! run_long "Python environment" "$log" "$python" -m venv --clear "$target" ||
      ! run_long "Python packages" "$log" "$target/bin/python" -m pip install --disable-pip-version-check \
        --no-input --require-hashes --only-binary :all: -r "$packages"; then
      reason=$(reason_from "$log")
      rm -f "$log"
      unavailable "no Python environment with pulumi $SDK_VERSION: $reason"
    fi
    rm -f "$log"
    touch "$stamp"
    remove_unused "$cache_dir/python"
  fi
  unlock
fi
mark_used "$target"
echo "$target"
