#!/usr/bin/env bash
# examples/share.py with NumPy on the cpu device; skipped where no python3 has NumPy.
# TEST: optimised
set -euo pipefail
source "$SOURCE/tests/python.sh"
case "${SANITIZE:-}" in ?*) echo "skipped: Python does not load a library with sanitizers"; exit 77 ;; esac
python=$(python_with numpy) || { echo "skipped: no python3 has NumPy (Debian, Ubuntu: python3-numpy)"; exit 77; }
RECHENWERK_LIBRARY=$BUILD/librechenwerk.so "$python" -B "$SOURCE/examples/share.py" cpu
