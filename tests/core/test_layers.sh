#!/usr/bin/env bash
# Layers: an include may only point down in src/layers.txt, where a public header belongs to its folder;
# docs/dev/architecture.md shows that table. The command uses public headers only, the writer of JSON and the tables of
# what measures.
set -euo pipefail
cd "${SOURCE:-$(dirname "$0")/../..}"

declare -A rank=() owner=() # of a folder: its paragraph; of a public header: its folder
bad=0 seen=0 paragraph=0
fail() { echo "$*"; bad=1; }
report() { fail "$1: $2 includes $3: $4"; }

while read -r part folder rest; do
    [ -n "$part" ] || { paragraph=$((paragraph + 1)); continue; }
    rank[$folder]=$paragraph
    [ "$part" = coming ] || [ -d "src/$folder" ] || fail "src/layers.txt: src/$folder does not exist"
    for header in ${rest%%  *}; do
        [ "$header" = - ] && continue
        owner[$header]=$folder
        [ -f "include/rechenwerk/$header" ] || fail "src/layers.txt: include/rechenwerk/$header does not exist"
    done
done < src/layers.txt
diff src/layers.txt <(sed -n '/^## Layers/,/^## /{/^```/,/^```/p}' docs/dev/architecture.md | sed '/^```/d') ||
    fail "docs/dev/architecture.md: the block under Layers differs from src/layers.txt"

# The names of all enumerations are one table: src/core/enumerations.c alone includes rechenwerk.h.
while IFS=: read -r file line text; do
    seen=$((seen + 1))
    from=${file#src/} from=${from%%/*} to=${text#*\"} to=${to%%\"*}
    [ "$from" = include ] && from=${owner[${file##*/}]:-${file##*/}}
    case $to in
    rechenwerk.h) [ "$file" = src/core/enumerations.c ] || report "$file:$line" "$from" "$to" "name what is used" ;;
    rechenwerk/*) to=${to#*/} to=${owner[$to]:-$to} ;;
    *) to=${to%%/*} ;;
    esac
    [ "$to" = rechenwerk.h ] && continue
    if [ -z "${rank[$from]:-}" ]; then report "$file:$line" "$from" "$to" "$from has no place in src/layers.txt"
    elif [ -z "${rank[$to]:-}" ]; then report "$file:$line" "$from" "$to" "$to has no place in src/layers.txt"
    elif [ "$from" != "$to" ] && [ "${rank[$to]}" -le "${rank[$from]}" ]; then
        report "$file:$line" "$from" "$to" "the arrow points up or sideways"
    elif [ "$from" != sparse ] && [[ $text =~ sparse/(sparse|multiply|tuning)\.h ]]; then
        report "$file:$line" "$from" "${text#*\"}" "a matrix is read in src/sparse only; others use sparse/host.h"
    fi
done < <(grep -rnE '^#include "([a-z_]+/|rechenwerk\.h)' src include/rechenwerk --include='*.c' --include='*.h')

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
