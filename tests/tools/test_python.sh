#!/usr/bin/env bash
# An expression, an integration, solves and errors through tools/python/rechenwerk.py, and the program of
# docs/how-to/use-from-python.md. Environment: SOURCE, BUILD.
set -euo pipefail
case "${SANITIZE:-}" in ?*) echo "skipped: Python does not load a library with sanitizers"; exit 77 ;; esac
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export RECHENWERK_LIBRARY=$BUILD/librechenwerk.so PYTHONPATH=$SOURCE/tools/python
python3 -B "$SOURCE/tests/tools/python_test.py"
awk '/^```python/ { open = 1; next } /^```/ { open = 0 } open' "$SOURCE/docs/how-to/use-from-python.md" |
    python3 -B - >page.txt
cat page.txt
awk 'END { exit !($1 > 1274.999 && $1 < 1275.001) }' page.txt # n (n + 2) / 8
