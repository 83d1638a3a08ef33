#!/bin/bash
# The times in run.json: their sum is the total, compiling is not booked on steps, and steps that are only put into a
# queue are booked when they are done (with OpenCL, in the long version). Environment: RECHENWERK,
# RECHENWERK_TEST_LONG.
# shellcheck source=tests/tools/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tools/expect.sh" || exit 1

cat > heat.yaml <<'END'
problem: pde
grid: {size: [64, 64], extent: [1, 1]}
fields: {u: {initial: "sin(pi*x)*sin(pi*y)", boundary: "0"}}
equations: "du/dt = 0.01*laplace(u)"
time: {end: 0.5, method: auto, rtol: 1e-5}
output: {every: 0.1, figures: []}
checkpoint: {steps: 3}
END

# seconds FOLDER NAME: a member of "seconds"
seconds() { sed -n '/"seconds": {/,/}/s/^ *"'"$2"'": \([^,]*\),*$/\1/p' "$1/run.json"; }
# holds TEXT EXPRESSION: an inequality of awk's
holds() { awk "BEGIN { exit !($2) }" || fail "$1: not $2"; }

sums() {
    local total=0 part
    for part in create compile steps output checkpoint; do
        holds "$1: $part" "$(seconds "$1" $part) >= 0"
        total="$total + $(seconds "$1" $part)"
    done
    holds "$1: the sum of the times" \
        "($total) - $(seconds "$1" total) < 1e-6 && $(seconds "$1" total) - ($total) < 1e-6"
}

expect 0 "" run heat.yaml -o cold -q --no-cache
sums cold
holds "compiling for auto" "$(seconds cold compile) > 3*$(seconds cold steps)"
holds "a checkpoint each 3 steps" "$(seconds cold checkpoint) > 0"
expect 0 "" run heat.yaml -o cold -q --restart -s time.end=0.6
sums cold

# 4000 steps of rk4 in a queue: nearly all of the time is theirs
if [ "${RECHENWERK_TEST_LONG:-}" = 1 ] && "$command" info 2> /dev/null | grep -q 'opencl:0'; then
    queued=(heat.yaml -o queue -d opencl:0 -q -f -s time.method=rk4 -s time.step=1e-4 -s time.end=0.4 -s output.every=0
        -s output.fields=[] -s checkpoint.steps=0)
    expect 0 "" run "${queued[@]}" # compiles
    expect 0 "" run "${queued[@]}"
    sums queue
    holds "steps in a queue" "$(seconds queue steps) > ($(seconds queue output) + $(seconds queue checkpoint))"
else
    echo "no OpenCL, or the short version: queued steps are not tried"
fi

if [ $bad -gt 0 ]; then echo "$bad failures"; exit 1; fi
echo "all good"
