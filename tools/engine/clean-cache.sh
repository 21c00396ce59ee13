#!/usr/bin/env bash
# Removes the folders of install.sh, python.sh and the tests from the cache folder, by name, and no other files.
set -euo pipefail
# shellcheck source=tools/engine/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

for folder in "$cache_dir"/{engine,python,pack,sdk,pycache} "$cache_dir"/node-*; do
  if [ -d "$folder" ]; then
    rm -rf "${folder:?}"
    say "removed $folder"
  fi
done
rmdir "$cache_dir" 2>/dev/null || true
