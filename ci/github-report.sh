#!/usr/bin/env bash
# Keeps the answer in $PERIMETER_ANSWER up to date on GitHub: as one comment on the pull request, or as one issue that is open
# while the exit code of the answer is not 0. Without an exit code there is no answer: the comment or the issue says so, because
# an earlier answer must not stay. Needs curl and jq, which GitHub's runners have.
#
# PERIMETER_REPORT: comment or issue; PERIMETER_PULL_REQUEST: the number, for comment; PERIMETER_CODE; PERIMETER_TOKEN
# PERIMETER_JOB: the name of the job, for an answer about several stacks
# For a run without an answer: PERIMETER_COMMAND, PERIMETER_STACK, PERIMETER_PROJECT_FOLDER
set -euo pipefail

# The stacks, one on each line.
stacks=$(grep . <<<"$PERIMETER_STACK" || true)

# The name of the project, by its file: in JSON, or a line of YAML.
project() {
  local name file folder=$PERIMETER_PROJECT_FOLDER
  # The stack may have the folder of its project in front, or the names of an organization and a project.
  if [ "${stacks%/*}" != "$stacks" ] && [ -d "$folder/${stacks%/*}" ]; then folder=$folder/${stacks%/*}; fi
  for name in Pulumi.yaml Pulumi.yml Pulumi.json; do
    file=$folder/$name
    if [ ! -e "$file" ]; then continue; fi
    jq --raw-output '.name // empty' "$file" 2>/dev/null || sed -n "s/^name: *[\"']\{0,1\}\([A-Za-z0-9_.-]*\).*/\1/p" "$file" | head -n 1
    return
  done
}

# The text of a run without an answer. Its first line is that of the answers about the stack.
failed() {
  local name run=$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID
  name=stacks
  if [ "$(wc -l <<<"$stacks")" -le 1 ]; then
    name=$(jq --null-input --raw-output --arg project "$(project)" --arg stack "${stacks##*/}" \
      '[$project, $stack] | map(select(. != "") | @uri) | join("/")')
  fi
  printf '<!-- perimeter-%s: %s -->\n### Access review failed\n\n' "$PERIMETER_COMMAND" "$name"
  printf 'There is no answer about `%s`: [the log of the run](%s) says why. An earlier answer does not count any more.\n' "$name" "$run"
}

answer=$PERIMETER_ANSWER/access.md
if [ -z "${PERIMETER_CODE:-}" ]; then
  answer=$(mktemp)
  failed >"$answer"
  cat "$answer" >>"$GITHUB_STEP_SUMMARY"
fi
repository=$GITHUB_API_URL/repos/$GITHUB_REPOSITORY
# The first line names the stack, in a comment that GitHub does not show. Several stacks may be others with each push, so the job
# tells their answer from those of other jobs.
marker=$(head -n 1 "$answer")
if [ "${marker%": stacks -->"}" != "$marker" ]; then
  job=$(jq --null-input --raw-output --arg job "$PERIMETER_JOB" '$job | @uri')
  marker="${marker%" -->"} of $job -->"
  of_job=$(mktemp)
  printf '%s\n' "$marker" | cat - <(tail -n +2 "$answer") >"$of_job"
  answer=$of_job
fi

# The token is not an argument, because other users of the machine see the arguments of processes.
github() {
  curl --silent --show-error --fail-with-body --header "Accept: application/vnd.github+json" \
    --config <(printf 'header = "Authorization: Bearer %s"\n' "$PERIMETER_TOKEN") "$@"
}

# The number of the first comment or issue in a list that a bot wrote and whose first line is the marker.
# $1: URL of the list, with a query; $2: id or number
found() {
  local page=1 list
  while true; do
    # A command substitution does not end when a command in it fails.
    list=$(github "$1&per_page=100&page=$page") || return 1
    if [ "$(jq length <<<"$list")" = 0 ]; then return 0; fi
    local match
    match=$(jq --raw-output --arg marker "$marker" --arg field "$2" \
      '[.[] | select(.user.type == "Bot" and .pull_request == null and ((.body // "") | split("\n")[0] // "" | rtrimstr("\r")) == $marker)][0][$field] // empty' \
      <<<"$list") || return 1
    if [ -n "$match" ]; then
      echo "$match"
      return
    fi
    page=$((page + 1))
  done
}

write() { # $1: method, $2: URL, then options of jq that make the body
  local method=$1 url=$2
  shift 2
  jq --null-input --rawfile body "$answer" "$@" | github --request "$method" --data @- --output /dev/null "$url"
}

case $PERIMETER_REPORT in
  comment)
    if [ -z "${PERIMETER_PULL_REQUEST:-}" ]; then
      echo "error: there is no pull request to comment on: use report: issue, or report: none" >&2
      exit 1
    fi
    comments=$repository/issues/$PERIMETER_PULL_REQUEST/comments
    comment=$(found "$comments?sort=created" id)
    if [ -n "$comment" ]; then
      write PATCH "$repository/issues/comments/$comment" '{body: $body}'
    else
      write POST "$comments" '{body: $body}'
    fi
    ;;
  issue)
    issue=$(found "$repository/issues?state=open" number)
    if [ "$PERIMETER_CODE" = 0 ]; then
      if [ -n "$issue" ]; then write PATCH "$repository/issues/$issue" '{body: $body, state: "closed"}'; fi
    elif [ -n "$issue" ]; then
      write PATCH "$repository/issues/$issue" '{body: $body}'
    else
      write POST "$repository/issues" --arg title "$(sed -n 's/^### //p' "$answer" | head -n 1)" '{title: $title, body: $body}'
    fi
    ;;
  *)
    echo "error: report is comment, issue or none, and not $PERIMETER_REPORT" >&2
    exit 1
    ;;
esac
