# Writes the answer of `perimeter review` or `perimeter access` to $PERIMETER_ANSWER/access.{md,json,html}, and sets $code to its
# exit code: 0, 2 or 3. A command that fails ends the script with its message and exit code 1. To be sourced by bash -e.
#
# PERIMETER_COMMAND, PERIMETER_STACK, PERIMETER_VERSION, PERIMETER_ANSWER (a folder);
# PERIMETER_ARGUMENTS: more arguments, one on each line

case $PERIMETER_COMMAND in
  review | access) ;;
  *)
    echo "error: the command is review or access, and not $PERIMETER_COMMAND" >&2
    exit 1
    ;;
esac
# The answer of an earlier run must not be taken for this one.
rm -rf "$PERIMETER_ANSWER"
mkdir -p "$PERIMETER_ANSWER"
arguments=()
while IFS= read -r argument; do
  if [ -n "$argument" ]; then arguments+=("$argument"); fi
done <<<"${PERIMETER_ARGUMENTS:-}"
# A project that installs the package runs its own version.
package=pulumi-perimeter
if [ ! -e "$(npm root)/pulumi-perimeter" ]; then package=pulumi-perimeter@$PERIMETER_VERSION; fi
code=0
npx --yes "$package" "$PERIMETER_COMMAND" --stack "$PERIMETER_STACK" \
  --output "$PERIMETER_ANSWER/access.md" --output "$PERIMETER_ANSWER/access.json" --output "$PERIMETER_ANSWER/access.html" \
  ${arguments[@]+"${arguments[@]}"} || code=$?
case $code in
  0 | 2 | 3) ;;
  *) exit 1 ;;
esac
