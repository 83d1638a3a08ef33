#!/usr/bin/env bash
# examples/share.py with NumPy on the cpu device; skipped where python3 has no NumPy.
set -euo pipefail
python3 -c 'import numpy' 2>/dev/null || { echo "python3 has no NumPy"; exit 77; }
RECHENWERK_LIBRARY=$BUILD/librechenwerk.so python3 "$SOURCE/examples/share.py" cpu
