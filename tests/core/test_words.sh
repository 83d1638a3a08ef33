#!/usr/bin/env bash
# Phrases that are never right in headers, messages, help and pages (docs/dev/naming.md). Engineering notes are
# excepted.
set -euo pipefail
cd "${SOURCE:-$(dirname "$0")/../..}"

never='without it\b|if left out|the usual\b|whole numbers?\b|\btold\b|\bbehind\b|do(es)? not bear'
never+='|comes? to something worse'
found=$({
    grep -rnE "$never" include README.md CHANGELOG.md CONTRIBUTING.md docs \
        --include='*.h' --include='*.f90' --include='*.md' |
        grep -vE '^docs/dev/(notes/|naming\.md)'
    grep -rnE "\"[^\"]*($never)[^\"]*\"" src tools --include='*.c' --include='*.h' --include='*.def'
} | grep -v 'src/kernels/' || true)
[ -z "$found" ] && exit 0
printf '%s\n' "$found"
echo "these lines have phrases that docs/dev/naming.md replaces"
exit 1
