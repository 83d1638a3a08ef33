#!/usr/bin/env bash
# The gallery of image filters: docs/images/gallery/make.sh runs each command of docs/methods/image-gallery.md; every
# operation of `rechenwerk list filters` appears; the pictures are those of the folder, up to 1 of 255, and all of these
# are on the page. So do the pictures of README.md and of multi-block grids.
# Environment: SOURCE, RECHENWERK.
set -euo pipefail
export LC_ALL=C
. "$SOURCE/tests/docs/difference.sh"
page=$SOURCE/docs/methods/image-gallery.md
folder=$SOURCE/docs/images/gallery
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
bad=0
fail() { echo "FAIL: $*"; bad=1; }

"$folder/make.sh" "$work"
for operation in $("$RECHENWERK" list filters | sed -n 's/^\([a-z][a-z0-9]*\) .*/\1/p'); do
    grep -qE "([\"|]|--op )$operation([\":| \`]|\\\\)|\`rechenwerk $operation " "$page" ||
        fail "$operation is not in the gallery"
done

made=0
for picture in "$folder"/*.png; do
    name=$(basename "$picture")
    grep -qF "gallery/$name)" "$page" || fail "$name is not on the page"
    [ -f "$name" ] || { fail "no command makes $name"; continue; }
    cmp -s "$picture" "$name" || [ "$(difference "$picture" "$name" || true)" -le 1 ] ||
        fail "$name differs: run docs/images/gallery/make.sh and look at it"
    made=$((made + 1))
done
[ $made -ge 40 ] || fail "only $made pictures"
for name in *.png; do [ -f "$folder/$name" ] || fail "$name is missing in docs/images/gallery"; done
# pictures of other pages, by the commands of their captions
same() { # PICTURE OF MADE
    cmp -s "$SOURCE/docs/images/$1" "$2" || [ "$(difference "$SOURCE/docs/images/$1" "$2" || true)" -le 8 ] ||
        fail "docs/images/$1 differs from what its page's command makes"
}
"$RECHENWERK" run "$SOURCE/cases/fitzhugh-nagumo.yaml" -o spiral -q
same spiral.png spiral/figures/u-000003.png
command=$(sed -n 's/^rechenwerk \(generate trace .* ring.mtx\).*/\1/p' "$SOURCE/docs/methods/multiblock.md")
# shellcheck disable=SC2086
"$RECHENWERK" $command > /dev/null
"$RECHENWERK" matrix ring.mtx -o ring.png > /dev/null
same multiblock.png ring.png
echo "$made pictures"
exit $bad
