#!/usr/bin/env bash
# Generates docs/reference/api.json, docs/reference/api.md and src/core/members.h from the headers and from the
# parameter tables of the shared libraries, which must be built.
#   tools/api/make.sh [OUTPUT]      OUTPUT: the folder to write to (default: the checkout)
# Environment: BUILD (default: build), PYTHON (default: the first of python3, /usr/bin/python3 that has pycparser).
# Status 77 when pycparser is missing.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$source/build}
for python in ${PYTHON:-python3 /usr/bin/python3}; do
    if "$python" -c 'import pycparser' 2>/dev/null; then
        exec "$python" -B "$source/tools/api/make.py" "$source" "$build" "${1:-$source}"
    fi
done
echo "make.sh: python3 has no pycparser (Debian, Ubuntu: apt install python3-pycparser)" >&2
exit 77
