#!/usr/bin/env bash
# Seconds of tests, from the files that ctest --output-junit writes.
#   tests/times.sh slowest JUNIT.xml…    the 20 slowest, the sum of all
#   tests/times.sh costs JUNIT.xml…      the table that CMake reads, for tests/costs.txt
set -euo pipefail

what=${1:-}
case $what in slowest | costs) shift ;; *) set -- ;; esac
if [ $# -eq 0 ]; then
    sed -n '2,4s/^# //p' "$0" >&2
    exit 2
fi
# NAME SECONDS, without the skipped ones
times=$(sed -n 's/.*<testcase name="\([^"]*\)".* time="\([0-9.e+-]*\)" status="\(run\|fail\)".*/\1 \2/p' "$@")
if [ "$what" = costs ]; then
    echo "# Seconds of each test in a first run on two cores, by \`tests/times.sh costs\`. ctest starts the" \
        "slowest first."
    awk '{ printf "%s %.1f\n", $1, $2 }' <<<"$times" | LC_ALL=C sort
else
    awk '{ n++; sum += $2 } END { printf "The slowest of %d tests, %.0f s in all:\n", n, sum }' <<<"$times"
    # all of sort's output is read, so that it does not die of a closed pipe
    sort -k 2 -gr <<<"$times" | awk 'NR <= 20 { printf "%8.1f s  %s\n", $2, $1 }'
fi
