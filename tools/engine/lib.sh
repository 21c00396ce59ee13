# shellcheck shell=bash disable=SC2034
# Shared by the scripts of this folder: the cache, messages, a lock, and long commands that say how far they are.

# Keep in step with cli/go.mod and tests/engine/tooling/programs/go/go.mod.
PULUMI_VERSION=3.250.0

tools_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache_dir=${PERIMETER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pulumi-perimeter}
held_lock=
work_dir=
job=

# Messages go to stderr: stdout is the answer.
say() { printf 'engine: %s\n' "$*" >&2; }

fail() {
  say "$@"
  exit 1
}

# What is in the cache is run, so it must not be another user's: only a real directory of this user's (or of root's, who
# could change anything anyway) that no group and not everybody can write to. tests/support/cache.ts asks for the same.
require_private_cache() {
  local mode owner problem=
  # Nobody but this user writes to what is made from here on.
  umask "$(printf '%04o' $((0$(umask) | 0022)))"
  if ! (umask 077 && mkdir -p "$cache_dir"); then fail "the cache folder $cache_dir cannot be made"; fi
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
  fail "remove it, or set PERIMETER_CACHE to a folder of your own that nobody else can write to"
}

# A short name for what is on stdin.
digest() {
  if command -v sha256sum >/dev/null; then
    sha256sum
  elif command -v shasum >/dev/null; then
    shasum -a 256
  else
    cksum | tr ' ' '-'
  fi | cut -c 1-12
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

# One builder at a time. A lock whose owner has died is taken over. usage: lock TARGET
lock() {
  local path=$1.lock owner said='' tries=0
  mkdir -p "$(dirname "$path")"
  until mkdir "$path" 2>/dev/null; do
    owner=$(cat "$path/pid" 2>/dev/null || true)
    if [ -n "$owner" ] && ! kill -0 "$owner" 2>/dev/null; then
      # The move lets one waiter only remove the dead lock.
      if mv "$path" "$path.dead.$$" 2>/dev/null; then rm -rf "${path:?}.dead.$$"; fi
      continue
    fi
    # Between mkdir and the writing of the pid there is no owner; a lock that stays so is a dead one too.
    if [ -z "$owner" ]; then tries=$((tries + 1)); else tries=0; fi
    if [ "$tries" -gt 10 ]; then
      if mv "$path" "$path.dead.$$" 2>/dev/null; then rm -rf "${path:?}.dead.$$"; fi
      continue
    fi
    if [ -z "$said" ]; then say "waiting for process ${owner:-unknown}, which is preparing the same thing"; fi
    said=yes
    sleep 1
  done
  echo $$ >"$path/pid"
  held_lock=$path
}

unlock() {
  rm -rf "${held_lock:?}"
  held_lock=
}

# A folder beside the target to build in: moving it into place is one step, so nobody sees a half-made one.
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

# Runs a command and says every 30 s that it is still at it. Its output is shown only if it fails.
# If PROGRESS names a function, what that prints about the log is part of the message.
# usage: run_long LABEL LOG COMMAND...
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

# The last line a command left, fit for a one-line message and for JSON.
reason_from() { grep -v '^[[:space:]]*$' "$1" | tail -n 1 | tr -d '"\134' | tr -c '[:print:]\n' ' ' | cut -c 1-300; }

# Go 1.21 and newer fetch the version named in go.mod by themselves.
go_problem() {
  local version minor
  if ! command -v go >/dev/null; then
    echo "Go is not on PATH"
    return
  fi
  version=$(go env GOVERSION 2>/dev/null | sed 's/^go//')
  minor=${version#*.}
  minor=${minor%%[!0-9]*}
  if [ "${version%%.*}" = 1 ] && [ "${minor:-0}" -lt 21 ]; then echo "Go $version is older than 1.21"; fi
}

# Only for a subshell (a job, a substitution): it becomes the command, so that ending the job ends the command.
# usage: in_module NAME go-arguments...
in_module() {
  cd "$tools_dir/$1" || return
  shift
  # The user's flags are for the user's modules: -mod=vendor would break ours.
  GOFLAGS="-mod=readonly -buildvcs=false" GOWORK=off exec go "$@"
}
