# shellcheck shell=bash disable=SC2034,SC2154
# install.sh: the user's own CLI, on PATH.

# Prints the path of a program: next to the real CLI, or on PATH. usage: find_beside DIR NAME
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

# The result is a folder of links, so that adding it to PATH adds only Pulumi's programs.
use_path() {
  local cli version minor beside name found
  cli=$(type -P pulumi || true)
  if [ -z "$cli" ]; then return; fi
  version=$(PULUMI_SKIP_UPDATE_CHECK=1 "$cli" version 2>/dev/null | sed 's/^v//' || true)
  minor=$(echo "$version" | cut -d . -f 2)
  case $version in
    3.[0-9]*) if [ "$minor" -lt "$oldest_minor" ]; then minor=; fi ;;
    *) minor= ;;
  esac
  if [ -z "$minor" ]; then
    say "$cli is version ${version:-unknown}; 3.$oldest_minor.0 or newer is needed, so it is not used"
    return
  fi

  beside=$(dirname "$(real_path "$cli")")
  target=$cache_dir/engine/path-$(echo "$cli $beside $version $PATH" | digest)
  if [ ! -d "$target" ]; then
    lock "$target"
    # Another caller may have made it while this one waited.
    if [ ! -d "$target" ]; then
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
          printf '%s\tpulumi-language-%s is neither next to %s nor on PATH\n' "$name" "$name" "$cli" >>"$work_dir/missing"
        fi
      done
      add_launcher
      echo "$version" >"$work_dir/version"
      finish_work "$target"
      remove_unused "$cache_dir/engine"
    fi
    unlock
  fi
  source=path
}
