#!/usr/bin/env bash
# Layers: an include may only point down (docs/dev/architecture.md); the command uses public headers only,
# the writer of JSON and the tables of what measures.
set -euo pipefail
cd "${SOURCE:-$(dirname "$0")/../..}"

declare -A rank=([core]=0 [param]=1 [files]=1 [depgraph]=1 [codelet]=1 [kernels]=1 [device]=2 [field]=3 [operator]=3
    [expr]=3 [sparse]=4 [ode]=4 [stencil]=4 [fft]=4 [image]=5 [precond]=5 [multiblock]=5 [krylov]=6 [io]=7
    [stream]=8 [signal]=9 [run]=9 [selftest]=10 [bench]=10 [lab]=10)
bad=0 seen=0
report() { echo "$1: $2 includes $3: $4"; bad=1; }

while IFS=: read -r file line text; do
    seen=$((seen + 1))
    from=${file#src/} from=${from%%/*}
    to=${text#*\"} to=${to%%/*}
    [ "$to" = rechenwerk ] && continue
    if [ -z "${rank[$from]:-}" ]; then report "$file:$line" "$from" "$to" "folder $from has no place in the layers"
    elif [ -z "${rank[$to]:-}" ]; then report "$file:$line" "$from" "$to" "folder $to has no place in the layers"
    elif [ "$from" != "$to" ] && [ "${rank[$to]}" -ge "${rank[$from]}" ]; then
        report "$file:$line" "$from" "$to" "the arrow points up or sideways"
    elif [ "$from" != sparse ] && [[ $text =~ sparse/(sparse|multiply|tuning)\.h ]]; then
        report "$file:$line" "$from" "${text#*\"}" "a matrix is read in src/sparse only; others use sparse/host.h"
    elif [ "$from" = device ] && [ "$to" = files ]; then
        report "$file:$line" "$from" "$to" "devices know no file formats"
    fi
done < <(grep -rnE '^#include "[a-z]+/' src --include='*.c' --include='*.h')

while IFS=: read -r file line text; do
    seen=$((seen + 1))
    case $text in
    *'"rechenwerk/'* | *'"rechenwerk_build.h"'* | *'"core/json.h"'* | *'"bench/benchmarks.h"'* | *'"lab/studies.h"'*) ;;
    *'"'*/*) report "$file:$line" tools "${text#*\"}" "public headers only" ;;
    esac
done < <(grep -rnE '^#include "' tools --include='*.c' --include='*.h')

# In src/expr, of the files that write kernels: an include names a lower one, or the file's own header.
declare -A part=([tuning]=0 [emitter]=1 [nodes]=2 [arguments]=3 [reductions]=3 [sides]=3 [loads]=4 [strategy]=4
    [front]=5 [plain]=6 [fused]=6 [wave]=6 [rings]=6 [kernel]=7)
while IFS=: read -r file line text; do
    from=$(basename "${file%.*}") to=$(basename "${text#*\"}" .h\")
    [ -n "${part[$from]:-}" ] && [ -n "${part[$to]:-}" ] && [ "$from" != "$to" ] && [ "$to" != kernel ] || continue
    seen=$((seen + 1))
    [ "${part[$to]}" -lt "${part[$from]}" ] ||
        report "$file:$line" "$from" "$to" "a file that writes kernels uses those below it alone"
done < <(grep -rnE '^#include "expr/' src/expr --include='*.c' --include='*.h')

# Tests lie as what they test: tests/X for src/X, and a few that test the whole.
for folder in tests/*/; do
    case $(basename "$folder") in docs | fortran | fuzz | install | tools) continue ;; esac
    [ -d "src/$(basename "$folder")" ] || { echo "$folder: src has no such folder"; bad=1; }
done

[ "$seen" -gt 100 ] || { echo "only $seen includes found: is SOURCE right?"; exit 1; }
[ "$bad" = 0 ] && echo "$seen includes, all point down"
exit "$bad"
