# shellcheck shell=bash disable=SC2154
# install.sh: a shorter start of the CLI that is built here.
#
# `pulumi config set` recognizes passwords with two libraries, which unpack their lists of names and passwords whenever the
# CLI starts: more than half of the processor time of a short command. The build uses copies that unpack them at first use.
# The earlier CLI has two libraries, the newest one.

# Copies the libraries into $work_dir, with a go.mod that names the copies, and prints the path of this go.mod. Prints nothing
# if a library cannot be fetched.
late_lists() {
  local module from copy
  cp "$tools_dir/$cli_module"/go.{mod,sum} "$work_dir/"
  for module in github.com/nbutton23/zxcvbn-go github.com/ccojocar/zxcvbn-go; do
    if ! grep -q "^[[:space:]]*$module " "$work_dir/go.mod"; then continue; fi
    from=$(in_module "$cli_module" mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
    if [ -z "$from" ]; then return; fi
    copy=$work_dir/lists/$module
    mkdir -p "$(dirname "$copy")"
    cp -R "$from" "$copy"
    chmod -R u+w "$copy"
    sed 's/^func init() {/func Read() {/' "$from/frequency/frequency.go" >"$copy/frequency/frequency.go"
    # `Omnimatch` calls `loadFrequencyList` when no list is loaded.
    sed -e '/^func init() {/,/^}/d' -e 's/^func loadFrequencyList() {/& frequency.Read();/' \
      "$from/matching/matching.go" >"$copy/matching/matching.go"
    printf 'replace %s => %s\n' "$module" "$copy" >>"$work_dir/go.mod"
    if [ ! -f "$copy/go.mod" ]; then printf 'module %s\n' "$module" >"$copy/go.mod"; fi
  done
  echo "$work_dir/go.mod"
}
