#!/usr/bin/env bash
# Previews the stack and judges who gains and who loses access. Writes review.md for the pull request.
# Exit codes: 0 nobody loses, 2 somebody loses or a change violates a rule, 3 something is unknown, 1 the review failed.
set -euo pipefail

# A review of an earlier run must not be taken for this one.
rm -f review.md
# If the preview fails, the review shows the preview's error.
pulumi preview --json --show-sames >plan.json || true
code=0
npx --no-install pulumi-perimeter review --plan plan.json --format markdown --output review.md || code=$?
if [ -e review.md ]; then cat review.md; fi
exit "$code"
