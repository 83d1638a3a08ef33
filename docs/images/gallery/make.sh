#!/usr/bin/env bash
# Draws the pictures of docs/methods/image-gallery.md: the test picture, and what the commands of the page make of it.
#   docs/images/gallery/make.sh [FOLDER]      default: this folder
# Environment: RECHENWERK, the command (default: build/rechenwerk).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
command=${RECHENWERK:-$here/../../../build/rechenwerk}
command=$(cd "$(dirname "$command")" && pwd)/$(basename "$command")
cd "${1:-$here}"

rechenwerk() { "$command" "$@" --force --quiet; }
export LC_ALL=C
awk -f "$here/picture.awk" >picture.ppm
rechenwerk image picture.ppm picture.png --op clip
rm picture.ppm
# shellcheck disable=SC2016 # backquotes of Markdown
# the commands are the text between backquotes that begins so; | is \| in a table
grep -oE '`rechenwerk [^`]*`' "$here/../../methods/image-gallery.md" |
    sed -e 's/`//g' -e 's/\\|/|/g' | while IFS= read -r line; do
    eval "$line" || { echo "make.sh: failed: $line" >&2; exit 1; }
done
