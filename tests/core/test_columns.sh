#!/usr/bin/env bash
# Lines of C, kernels, tables and Markdown end at 120 columns; rows of Markdown tables, which cannot be broken,
# excepted.
set -euo pipefail
cd "${SOURCE:-$(dirname "$0")/../..}"
export LC_ALL=C.UTF-8

long=$(find . -path './build*' -prune -o -path './.*' -prune -o -path ./results -prune -o -type f \
    \( -name '*.[chk]' -o -name '*.def' -o -name '*.sh' -o -name '*.awk' -o -name '*.py' -o -name '*.cmake' \
    -o -name '*.f90' -o -name '*.yaml' -o -name '*.md' -o -name CMakeLists.txt -o -name Makefile \) -print0 |
    xargs -0 grep -nHE '^.{121}' | grep -vE '^[^:]*\.md:[0-9]+:\|' || true)
[ -z "$long" ] && exit 0
printf '%s\n' "$long" | cut -c1-160
printf '%d lines are longer than 120 columns: break them; clang-format does it for C\n' "$(wc -l <<<"$long")"
exit 1
