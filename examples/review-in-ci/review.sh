#!/usr/bin/env bash
# Previews the stack and judges who gains and who loses access. Writes review.md for the pull request.
# Exit codes: 0 nobody loses, 2 somebody loses or a rule bites, 3 something cannot be told, 1 no answer.
set -euo pipefail

# Of a preview that failed, the review tells the error.
pulumi preview --json --show-sames >plan.json || true
code=0
npx pulumi-perimeter review --plan plan.json --format markdown --output review.md || code=$?
cat review.md
exit "$code"
