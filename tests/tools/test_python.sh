#!/usr/bin/env bash
# An expression, an integration, solves, NumPy arrays and errors through tools/python/rechenwerk.py.
# Environment: SOURCE, BUILD.
set -euo pipefail
source "$SOURCE/tests/python.sh"
case "${SANITIZE:-}" in ?*) echo "skipped: Python does not load a library with sanitizers"; exit 77 ;; esac
python=$(python_with numpy) || python=$(python_with sys) || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export RECHENWERK_LIBRARY=$BUILD/librechenwerk.so PYTHONPATH=$SOURCE/tools/python
"$python" -B "$SOURCE/tests/tools/python_test.py"
