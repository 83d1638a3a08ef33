#!/usr/bin/env bash
# The figures of docs/performance.md are those that docs/images/performance/make.sh draws from its tables, up to 1 of
# 255, and all of them are on the page. Environment: SOURCE, RECHENWERK.
set -euo pipefail
export LC_ALL=C
. "$SOURCE/tests/docs/difference.sh"
folder=$SOURCE/docs/images/performance
build=$(dirname "$RECHENWERK")
if ldd "$build/librechenwerk.so" | grep -q 'lib[at]san'; then
    echo "a sanitized library: nothing is linked with it here"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/made"
cd "$work"
bad=0
fail() { echo "FAIL: $*"; bad=1; }

BUILD=$build "$folder/make.sh" "$work/made"
for picture in "$folder"/*.png made/*.png; do
    name=$(basename "$picture")
    grep -qF "performance/$name)" "$SOURCE/docs/performance.md" || fail "$name is not on the page"
    [ -f "$folder/$name" ] && [ -f "made/$name" ] && { cmp -s "$folder/$name" "made/$name" ||
        [ "$(difference "$folder/$name" "made/$name" || true)" -le 1 ]; } ||
        fail "$name differs: run docs/images/performance/make.sh and look at it"
done
[ "$(ls made | wc -l)" -ge 6 ] || fail "only $(ls made | wc -l) figures"
exit $bad
