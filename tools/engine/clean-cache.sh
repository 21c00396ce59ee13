#!/usr/bin/env bash
# Removes what install.sh and python.sh keep in the cache folder, by name, and nothing else that may be there.
set -euo pipefail
# shellcheck source=tools/engine/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

for name in engine python; do
  if [ -d "$cache_dir/$name" ]; then
    rm -rf "${cache_dir:?}/${name:?}"
    say "removed $cache_dir/$name"
  fi
done
rmdir "$cache_dir" 2>/dev/null || true
