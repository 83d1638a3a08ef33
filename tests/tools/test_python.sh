#!/usr/bin/env bash
# An expression, an integration, solves, NumPy arrays and errors through tools/python/rechenwerk.py, and every block of
# docs/how-to/use-from-python.md. Blocks are skipped only for packages that are missing. Environment: SOURCE, BUILD.
set -euo pipefail
source "$SOURCE/tests/python.sh"
case "${SANITIZE:-}" in ?*) echo "skipped: Python does not load a library with sanitizers"; exit 77 ;; esac
python=$(python_with numpy scipy xarray) || python=$(python_with numpy) || python=$(python_with sys) ||
    { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export RECHENWERK_LIBRARY=$BUILD/librechenwerk.so PYTHONPATH=$SOURCE/tools/python
"$python" -B "$SOURCE/tests/tools/python_test.py"
"$python" -c 'import numpy' 2>/dev/null || { echo "not run, without NumPy: use-from-python.md"; exit 0; }
export MPLBACKEND=agg MPLCONFIGDIR=$work
"$python" -B "$SOURCE/tests/tools/page_test.py" "$SOURCE/docs/how-to/use-from-python.md"
