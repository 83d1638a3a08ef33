#!/usr/bin/env bash
# The figures of docs/performance.md are those that docs/images/performance/make.sh draws from its tables, byte by byte,
# and all of them are on the page. Environment: SOURCE, RECHENWERK.
set -euo pipefail
folder=$SOURCE/docs/images/performance
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
fail() { echo "FAIL: $*"; bad=1; }

BUILD=$(dirname "$RECHENWERK") "$folder/make.sh" "$work"
for picture in "$folder"/*.png "$work"/*.png; do
    name=$(basename "$picture")
    grep -qF "performance/$name)" "$SOURCE/docs/performance.md" || fail "$name is not on the page"
    cmp -s "$folder/$name" "$work/$name" || fail "$name differs: run docs/images/performance/make.sh and look at it"
done
[ "$(ls "$work" | wc -l)" -ge 6 ] || fail "only $(ls "$work" | wc -l) figures"
exit $bad
