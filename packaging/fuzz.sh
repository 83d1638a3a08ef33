#!/usr/bin/env bash
# Runs each fuzz target for a while; seeds come from tests/fuzz/corpus/NAME for fuzz_NAME, where that folder exists.
#   packaging/fuzz.sh BUILD SECONDS
# Status 1 when a target failed; its input stays in BUILD, named in the output.
set -euo pipefail

build=$1 seconds=$2
targets=("$build"/fuzz/fuzz_*)
if [ ! -x "${targets[0]}" ]; then
    echo "fuzz.sh: no fuzz targets in $build/fuzz" >&2
    exit 1
fi
failed=0
for target in "${targets[@]}"; do
    name=$(basename "$target")
    corpora=("$build/corpus/$name")
    mkdir -p "${corpora[0]}"
    seeds=tests/fuzz/corpus/${name#fuzz_}
    if [ -d "$seeds" ]; then corpora+=("$seeds"); fi
    echo "-- $name: $seconds s"
    if ! "$target" -max_total_time="$seconds" -print_final_stats=1 -verbosity=0 -timeout=10 \
        -artifact_prefix="$build/$name-" "${corpora[@]}"; then
        echo "-- $name: FAILED; the input is $build/$name-…" >&2
        failed=1
    fi
done
exit $failed
