#!/bin/bash
# Times that no clock but the machine's gives: compiling is not counted as steps, a time left that is not absurd while
# steps still grow, steps in a queue (with OpenCL, in the long version). Environment: RECHENWERK, RECHENWERK_TEST_LONG.
# shellcheck source=tests/tools/expect.sh
# TEST: optimised timing
. "$(dirname "${BASH_SOURCE[0]}")/../tools/expect.sh" || exit 1

cat > heat.yaml <<'END'
problem: pde
grid: {size: [96, 96], extent: [1, 1]}
fields: {u: {initial: "exp(-600*((x-0.3)^2 + (y-0.6)^2))", boundary: "0"}}
equations: "du/dt = laplace(u)"
time: {end: 10, rtol: 1e-7, method: rkc2}
output: {every: 2.5, fields: [], figures: []}
END

# seconds FOLDER NAME: a member of "seconds"
seconds() { sed -n '/"seconds": {/,/}/s/^ *"'"$2"'": \([^,]*\),*$/\1/p' "$1/run.json"; }
# holds TEXT EXPRESSION: an inequality of awk's
holds() { awk "BEGIN { exit !($2) }" || fail "$1: not $2"; }

expect 0 "" run heat.yaml -o cold -q --no-cache -s time.end=0.5 -s time.method=auto -s time.rtol=1e-5 \
    -s 'grid.size=[64, 64]' -s 'equations="du/dt = 0.01*laplace(u)"' -s checkpoint.steps=3
holds "compiling for auto" "$(seconds cold compile) > 3*$(seconds cold steps)"
holds "a checkpoint each 3 steps" "$(seconds cold checkpoint) > 0"

# the time left includes that of outputs, and a call that takes many steps is no growth of the step
elapsed() { # of the lines on stdin, in seconds
    sed -n 's/.*elapsed \([^,]*\),.*/\1/p' |
        awk '{ print $2 == "ms" ? $1/1000 : $2 == "min" ? 60*$1 + $3 : $2 == "s" ? $1 : -1 }'
}
cat > cell.yaml <<'END'
problem: rates
grid: {kind: cylinder, radius: 0.5, core: 0.2, length: 10.0, cells: [1, 1, 1]}
pump: {power: 10 W, wavelength: 808 nm, profile: "2/(pi*0.4^2)*exp(-2*r2/0.4^2)/10"}
mode: {profile: "2/(pi*0.25^2)*exp(-2*r2/0.25^2)"}
time: {end: 0.0006, steps: 6000}
output: {every: 1e-5, limits: [0, 1e12]}
END
expect 0 "" run cell.yaml -o cell --no-cache
grep -q '^output 0: .* step 0, elapsed [0-9.]* m\?s, ' err || fail "no line of output 0: $(head -1 err)"
sed -n '/^output 12:/p' err > line # a fifth of the run: four times as long remains
left=$(sed -n 's/.*remaining \([0-9]*\):\([0-9]*\)$/\1 \2/p' line | awk '{ print 60*$1 + $2 }')
awk -v a="$(elapsed < line)" -v b="$left" 'BEGIN { exit !(b > a) }' || fail "the time left omits outputs: $(cat line)"

# on_terminal ARGUMENTS...: a run on a terminal, its lines in the file `lines`
on_terminal() {
    script -qec "$command run heat.yaml -o terminal -f $*" /dev/null < /dev/null |
        tr '\r' '\n' | sed 's/\x1b\[K//' > lines
}
# left: the longest time left, in seconds
left() {
    sed -n 's/.*  remaining \([0-9:]*\)$/\1/p' lines |
        awk -F: '{ s = 0; for (i = 1; i <= NF; i++) s = 60*s + $i; if (s > m) m = s } END { print m + 0 }'
}
if command -v script > /dev/null && script -qec true /dev/null > /dev/null 2>&1; then
    # minutes and seconds left, never more than ten times what the run takes
    begin=$(date +%s)
    on_terminal --no-cache -s "'grid.size=[250, 250]'" -s time.rtol=1e-9 -u 2
    took=$(($(date +%s) - begin + 1))
    [ "$(left)" -le $((10 * took + 5)) ] || fail "a run of $took s has $(left) s left: $(grep -m3 remaining lines)"
    echo "a run of $took s: at most $(left) s left"
    # compiling in the first step does not count as its time
    on_terminal --no-cache -u 0.1 -s time.method=auto
    [ "$(left)" -le 3 ] || fail "compiling in the first step makes the time left $(left) s: $(grep -m3 remaining lines)"
else
    echo "no script: the line on a terminal is not tried"
fi

# 4000 steps of rk4 in a queue: nearly all of the time is theirs
if [ "${RECHENWERK_TEST_LONG:-}" = 1 ] && "$command" info 2> /dev/null | grep -q 'opencl:0'; then
    queued=(heat.yaml -o queue -d opencl:0 -q -f -s 'grid.size=[64, 64]' -s 'equations="du/dt = 0.01*laplace(u)"'
        -s time.method=rk4 -s time.step=1e-4 -s time.end=0.4 -s output.every=0 -s checkpoint.steps=0)
    expect 0 "" run "${queued[@]}" # compiles
    expect 0 "" run "${queued[@]}"
    holds "steps in a queue" "$(seconds queue steps) > ($(seconds queue output) + $(seconds queue checkpoint))"
else
    echo "no OpenCL, or the short version: queued steps are not tried"
fi

if [ $bad -gt 0 ]; then echo "$bad failures"; exit 1; fi
echo "all good"
