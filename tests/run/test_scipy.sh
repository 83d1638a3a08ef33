#!/usr/bin/env bash
# Steady cases, each solver, against a matrix assembled and solved by SciPy. Environment: RECHENWERK, SOURCE.
set -euo pipefail
source "$SOURCE/tests/python.sh"
python=$(python_with scipy h5py) || { echo "skipped: no python3 with SciPy and h5py"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$python" -B "$SOURCE/tests/run/scipy_elliptic.py" "$RECHENWERK"
