# shellcheck shell=bash disable=SC2034 Shared by the scripts of this folder: the cache, messages, a lock, and progress of
# long commands.

# The engine of `make test`. Keep in step with newest/cli/go.mod.
PULUMI_VERSION=3.274.1
# The modules of the CLI and of the YAML host, if they have to be built.
cli_module=newest/cli
yaml_module=newest/yaml
# The SDK of Python programs, and the engine that `make test PERIMETER_ENGINE_VERSION=earlier` tests with. Keep in step with
# cli/go.mod and tests/engine/tooling/programs/go/go.mod.
SDK_VERSION=3.250.0
if [ "${PERIMETER_ENGINE_VERSION:-}" = earlier ]; then
  PULUMI_VERSION=$SDK_VERSION
  cli_module=cli
  yaml_module=yaml
fi

tools_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache_dir=${PERIMETER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pulumi-perimeter}
held_lock=
work_dir=
job=

# Messages go to stderr: stdout is the result.
say() { printf 'engine: %s\n' "$*" >&2; }

fail() {
  say "$@"
  exit 1
}

# Programs in the cache are executed, so no other user may write to it: it must be a real directory that belongs to this user
# (or to root), without write permission for group and others. tests/support/cache.ts has the same check.
require_private_cache() {
  local mode owner problem=
  # Only this user can write to files that are created from here on.
  umask "$(printf '%04o' $((0$(umask) | 0022)))"
  if ! (umask 077 && mkdir -p "$cache_dir"); then fail "the cache folder $cache_dir cannot be created"; fi
  if [ -L "$cache_dir" ] || [ ! -d "$cache_dir" ]; then
    problem="is not a directory"
  else
    # shellcheck disable=SC2012 # The one way to ask for mode and owner on Linux and macOS alike.
    read -r mode _ owner _ < <(ls -ldn "$cache_dir")
    case $mode in ?????w* | ????????w*) problem="can be written to by others" ;; esac
    if [ "$owner" != "$EUID" ] && [ "$owner" != 0 ]; then problem="belongs to another user ($owner)"; fi
  fi
  if [ -z "$problem" ]; then return; fi
  say "the cache folder $cache_dir $problem, so what is in it may be another user's:"
  fail "remove it, or set PERIMETER_CACHE to a folder that only you can write to"
}

# A short hash of stdin.
digest() { { sha256 || cksum | tr ' ' '-'; } | cut -c 1-12; }

# The SHA-256 of stdin, in hexadecimal. Fails without reading if no program can compute it.
sha256() {
  if command -v sha256sum >/dev/null; then
    sha256sum
  elif command -v shasum >/dev/null; then
    shasum -a 256
  else
    return 1
  fi | cut -d ' ' -f 1
}

platform() { uname -sm | tr 'A-Z ' 'a-z-'; }

clean_up() {
  if [ -n "$job" ]; then
    kill "$job" 2>/dev/null || true
    wait "$job" 2>/dev/null || true
  fi
  if [ -n "$work_dir" ]; then rm -rf "${work_dir:?}"; fi
  if [ -n "$held_lock" ]; then rm -rf "${held_lock:?}"; fi
}
require_private_cache
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# The start time of a process, in the system's form: it distinguishes a later process with the same id.
start_of() {
  if [ -r "/proc/$1/stat" ]; then
    # The 22nd field. The second one is the program's name in brackets, which may hold blanks.
    sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20
  else
    ps -o lstart= -p "$1" 2>/dev/null
  fi
}

# Whether the owner of a lock is still running. usage: is_alive "PID START"
is_alive() {
  local pid=${1%% *} start=${1#* }
  kill -0 "$pid" 2>/dev/null && [ "$(start_of "$pid")" = "$start" ]
}

# One builder at a time. A lock whose owner has died is taken over. usage: lock TARGET
lock() {
  local path=$1.lock owner error said='' ownerless=0 failures=0
  mkdir -p "$(dirname "$path")"
  until error=$(mkdir "$path" 2>&1); do
    if [ -d "$path" ]; then
      owner=$(cat "$path/owner" 2>/dev/null || true)
      # A lock has no owner between its mkdir and the writing of the owner. A lock that stays without an owner is dead, too.
      if [ -z "$owner" ]; then ownerless=$((ownerless + 1)); else ownerless=0; fi
      if [ "$ownerless" -le 10 ] && { [ -z "$owner" ] || is_alive "$owner"; }; then
        if [ -z "$said" ]; then say "waiting for process ${owner%% *}, which is preparing the same thing"; fi
        said=yes
        failures=0
        sleep 1
        continue
      fi
      # The move makes sure that only one waiter removes the dead lock.
      if error=$(mv "$path" "$path.dead.$$" 2>&1); then
        rm -rf "${path:?}.dead.$$"
        continue
      fi
    fi
    # Another process may have removed the lock in the meantime. Otherwise the disk is full or the folder is read-only.
    failures=$((failures + 1))
    if [ "$failures" -ge 3 ]; then fail "the lock $path cannot be created: $error"; fi
    sleep 0.2
  done
  held_lock=$path
  if ! error=$({ echo "$$ $(start_of $$)" >"$path/owner"; } 2>&1); then
    fail "the lock $path cannot be written: ${error##*: }"
  fi
}

unlock() {
  rm -rf "${held_lock:?}"
  held_lock=
}

# The cache keeps recently used folders: checkouts of other versions use it, too.
DAYS_KEPT=14

# A folder's modification time is the time of its last use. If we cannot write to it, its owner removes it.
mark_used() { touch -c "$1" 2>/dev/null || true; }

# Removes the folders of FOLDER that were not used recently, and the remains of killed builds. usage: remove_unused FOLDER
remove_unused() {
  local old
  find "$1" -mindepth 1 -maxdepth 1 -type d -mtime "+$DAYS_KEPT" 2>/dev/null | while IFS= read -r old; do
    if rm -rf "${old:?}" 2>/dev/null; then say "removed $old, which was not used for $DAYS_KEPT days"; fi
  done
}

# A folder next to the target to build in: it is moved into place in one step, so nobody sees a partial build.
start_work() {
  mkdir -p "$(dirname "$1")"
  work_dir=$(mktemp -d "$1.part.XXXXXX")
}

# usage: finish_work TARGET
finish_work() {
  if [ -e "$1" ]; then mv "$1" "$work_dir.old"; fi
  mv "$work_dir" "$1"
  rm -rf "${work_dir:?}.old"
  work_dir=
}

elapsed() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# Runs a command and reports every 30 s that it is still running. Shows its output only if it fails. If PROGRESS names a
# function, the message includes its output about the log. usage: run_long LABEL LOG COMMAND...
run_long() {
  local label=$1 log=$2 start=$SECONDS next=30 now status=0 detail
  shift 2
  "$@" >"$log" 2>&1 &
  job=$!
  while kill -0 "$job" 2>/dev/null; do
    sleep 0.3
    now=$((SECONDS - start))
    if [ "$now" -ge "$next" ]; then
      detail=
      if [ -n "${PROGRESS:-}" ]; then detail=$("$PROGRESS" "$log"); fi
      say "$label: $(elapsed "$now")${detail:+, $detail}"
      next=$((now + 30))
    fi
  done
  wait "$job" || status=$?
  job=
  took=$((SECONDS - start))
  if [ "$status" -ne 0 ]; then
    say "$label: failed after $(elapsed "$took"); the last lines of its output:"
    tail -n 15 "$log" >&2
  fi
  return "$status"
}

# The last output line of a command, in a form for a one-line message and for JSON.
reason_from() { grep -v '^[[:space:]]*$' "$1" | tail -n 1 | tr -d '"\134' | tr -c '[:print:]\n' ' ' | cut -c 1-300; }

# The newest Go version that a go.mod of this folder requires.
go_needed() { sed -n 's/^go //p' "$tools_dir"/{"$cli_module",hosts,"$yaml_module"}/go.mod | sort -t . -k 1,1n -k 2,2n -k 3,3n | tail -n 1; }

# Why the build cannot run with the installed Go; empty if it can. Asks for the version of the installed Go, independent of a
# go.mod above the current folder.
go_problem() {
  local version needed allowed
  if ! command -v go >/dev/null; then
    echo "Go is not on PATH"
    return
  fi
  version=$(cd / && GOTOOLCHAIN=local go env GOVERSION 2>/dev/null | sed 's/^go//; s/[^0-9.].*//')
  needed=$(go_needed)
  if is_at_least "$version" "$needed"; then return; fi
  if ! is_at_least "$version" 1.21; then
    echo "Go ${version:-of an unknown version} is older than 1.21, and the build needs $needed"
    return
  fi
  # Go 1.21 and newer download the version that a go.mod names, unless GOTOOLCHAIN forbids it.
  allowed=$(cd / && go env GOTOOLCHAIN 2>/dev/null)
  case $allowed in
    local | path | *+path) echo "Go $version is older than $needed, and GOTOOLCHAIN=$allowed keeps it from downloading that" ;;
  esac
}

# usage: is_at_least VERSION LOWEST, both of up to three numbers
is_at_least() {
  local -a version lowest
  local index
  IFS=. read -r -a version <<<"$1"
  IFS=. read -r -a lowest <<<"$2"
  for index in 0 1 2; do
    if [ "${version[index]:-0}" -ne "${lowest[index]:-0}" ]; then
      [ "${version[index]:-0}" -gt "${lowest[index]:-0}" ]
      return
    fi
  done
}

# Only for a subshell (a job, a substitution): it becomes the command, so that ending the job ends the command.
# usage: in_module NAME go-arguments...
in_module() {
  cd "$tools_dir/$1" || return
  shift
  # The user's flags are for the user's modules: -mod=vendor would break ours.
  GOFLAGS="-mod=readonly -buildvcs=false" GOWORK=off exec go "$@"
}
