#!/usr/bin/env bash
# Draws the figures of docs/performance.md from its tables. A comment before a table says which columns become bars:
#   <!-- bars FILE.png COLUMN…: label of the axis -->
#   docs/images/performance/make.sh [FOLDER]      default: this folder
# Environment: BUILD, the build folder with the libraries (default: build).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
build=$(cd "${BUILD:-$root/build}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "${1:-$here}"

${CC:-cc} -D_GNU_SOURCE -I"$root/include" "$here/draw.c" -o "$work/draw" -L"$build" -lrechenwerk-run -lrechenwerk -lm \
    -Wl,-rpath,"$build"

# a file of commands: title, label, file, series; and one of rows for each figure
awk -F' *[|] *' -v work="$work" '
    function plain(text) { gsub(/`|\*\*/, "", text); return text }
    /^## / { title = substr($0, 4) }
    /^<!-- bars / {
        n = split($0, word, " "); file = word[3]; ncolumns = 0
        for (k = 4; k <= n; ++k) { column[++ncolumns] = word[k] + 0; if (word[k] ~ /:$/) break }
        label = $0; sub(/^[^:]*: /, "", label); sub(/ -->$/, "", label)
        row = 0; next
    }
    file != "" && /^\|/ {
        if (++row == 1) { series = ""; for (k = 1; k <= ncolumns; ++k) series = series "\t" plain($(column[k] + 1)) }
        if (row == 1) { print file "\t" title "\t" label series > (work "/figures") }
        if (row > 2) {
            line = plain($2); all = ""
            for (k = 1; k <= ncolumns; ++k) {
                value = $(column[k] + 1); gsub(/,/, "", value); line = line "\t" value; all = all value
            }
            if (all != "") print line > (work "/" file ".tsv")
        }
        next
    }
    row > 2 { file = "" }' "$root/docs/performance.md"

while IFS=$'\t' read -r -a figure; do
    "$work/draw" "${figure[@]}" <"$work/${figure[0]}.tsv"
done <"$work/figures"
