#!/usr/bin/env bash
# Seconds of tests, from the files that ctest --output-junit writes.
#   tests/times.sh slowest JUNIT.xml…    the 20 slowest, the sum of all
#   tests/times.sh costs JUNIT.xml…      tests/costs.txt, the table that CMake reads, with these seconds in it
#   tests/times.sh budgets JUNIT.xml     folders that take more seconds than tests/budgets.txt allows
# A machine may be slower than the one of tests/costs.txt: seconds are divided by the median of what each test takes
# compared with its cost there, between 1 and 2. A folder that grows shows then, and a machine that is busy does not.
set -euo pipefail

what=${1:-}
case $what in slowest | costs | budgets) shift ;; *) set -- ;; esac
if [ $# -eq 0 ]; then
    sed -n '2,5s/^# //p' "$0" >&2
    exit 2
fi
here=$(dirname "$0")
# NAME SECONDS, without the skipped ones
times=$(sed -n 's/.*<testcase name="\([^"]*\)".* time="\([0-9.e+-]*\)" status="\(run\|fail\)".*/\1 \2/p' "$@")
case $what in
costs)
    grep '^#' "$here/costs.txt"
    awk '/^[^#]/ { seconds[$1] = $2 } END { for (name in seconds) printf "%s %.1f\n", name, seconds[name] }' \
        "$here/costs.txt" - <<<"$times" | LC_ALL=C sort
    ;;
budgets)
    slower=$(awk 'NR == FNR { cost[$1] = $2; next } cost[$1] >= 1 { print $2 / cost[$1] }' \
        "$here/costs.txt" - <<<"$times" | sort -g |
        awk '{ r[NR] = $1 } END { m = NR ? r[int((NR + 1) / 2)] : 1; print (m < 1 ? 1 : m > 2 ? 2 : m) }')
    awk -v slower="$slower" 'NR == FNR { if (/^[^#]/) allowed[$1] = $2; next }
        { sub(/[.].*/, "", $1); seconds[$1] += $2 / slower; seconds["all"] += $2 / slower }
        END { for (folder in seconds) if (seconds[folder] > allowed[folder])
            printf "%s: %.0f s of one core, its budget in tests/budgets.txt is %d s\n", folder, seconds[folder],
                allowed[folder] }' "$here/budgets.txt" - <<<"$times" | sort
    ;;
slowest)
    awk '{ n++; sum += $2 } END { printf "The slowest of %d tests, %.0f s in all:\n", n, sum }' <<<"$times"
    # all of sort's output is read, so that it does not die of a closed pipe
    sort -k 2 -gr <<<"$times" | awk 'NR <= 20 { printf "%8.1f s  %s\n", $2, $1 }'
    ;;
esac
