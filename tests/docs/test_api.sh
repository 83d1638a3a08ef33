#!/usr/bin/env bash
# docs/reference/api.md, api.json and src/core/members.h are what tools/api/make.sh gives, and the description is
# complete (tests/docs/api_test.py). Environment: SOURCE, BUILD, CC.
set -euo pipefail
case "${SANITIZE:-}" in ?*) echo "skipped: Python does not load a library with sanitizers"; exit 77 ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for PYTHON in python3 /usr/bin/python3 none; do
    "$PYTHON" -c 'import pycparser' 2>/dev/null && break
done
[ "$PYTHON" != none ] || { echo "skipped: python3 has no pycparser"; exit 77; }
export PYTHON
"$SOURCE/tools/api/make.sh" "$work"
bad=0
for file in docs/reference/api.json docs/reference/api.md src/core/members.h; do
    diff "$SOURCE/$file" "$work/$file" >"$work/difference" && continue
    echo "$file is not up to date: run tools/api/make.sh"
    head -n 20 "$work/difference"
    bad=1
done
RECHENWERK_LIBRARY=$BUILD/librechenwerk.so "$PYTHON" -B "$SOURCE/tests/docs/api_test.py" "$SOURCE" "$work" || bad=1
exit $bad
