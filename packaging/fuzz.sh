#!/usr/bin/env bash
# Runs each fuzz target for a while. Seeds of fuzz_NAME come from tests/fuzz/corpus/NAME and, for binary files, from the
# program BUILD/fuzz-seeds; a target without seeds is an error.
#   packaging/fuzz.sh BUILD SECONDS [TARGET…]
# Status 1 when a target failed; its input stays in BUILD, named in the output.
set -euo pipefail

build=$1 seconds=$2
targets=("$build"/fuzz/fuzz_*)
if [ $# -gt 2 ]; then targets=("${@:3}") targets=("${targets[@]/#/$build/fuzz/}"); fi
if [ ! -x "${targets[0]}" ]; then
    echo "fuzz.sh: no fuzz targets in $build/fuzz" >&2
    exit 1
fi
"$build/fuzz-seeds" "$build/seeds"
RW_FUZZ_SEEDS=$(cd "$build/seeds" && pwd)
export RW_FUZZ_SEEDS
failed=0
for target in "${targets[@]}"; do
    name=$(basename "$target")
    corpora=("$build/corpus/$name")
    mkdir -p "${corpora[0]}"
    for seeds in "tests/fuzz/corpus/${name#fuzz_}" "$build/seeds/${name#fuzz_}"; do
        if [ -d "$seeds" ]; then corpora+=("$seeds"); fi
    done
    if [ ${#corpora[@]} -lt 2 ]; then
        echo "fuzz.sh: $name has no seeds: put some into tests/fuzz/corpus/${name#fuzz_}, or write them in" \
            "tests/fuzz/seeds.c" >&2
        failed=1
    fi
    echo "-- $name: $seconds s"
    if ! "$target" -max_total_time="$seconds" -print_final_stats=1 -verbosity=0 -timeout=10 \
        -artifact_prefix="$build/$name-" "${corpora[@]}"; then
        echo "-- $name: FAILED; the input is $build/$name-…" >&2
        failed=1
    fi
done
exit $failed
