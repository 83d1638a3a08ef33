#!/bin/bash
# What a run prints on its way: on a terminal a line while programs are compiled and a time left that is not absurd while steps still
# grow; without one a line for each output; nothing with --quiet. Environment: RECHENWERK.
# shellcheck source=tests/tools/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tools/expect.sh" || exit 1

cat > heat.yaml <<'END'
problem: pde
grid: {size: [96, 96], extent: [1, 1]}
fields: {u: {initial: "exp(-600*((x-0.3)^2 + (y-0.6)^2))", boundary: "0"}}
equations: "du/dt = laplace(u)"
time: {end: 10, rtol: 1e-7, method: rkc2}
output: {every: 2.5, fields: [], figures: []}
END

expect 0 "" run heat.yaml -o plain --no-cache
[ "$(grep -c '^output [0-4]: t = .* of 10 ([0-9]* %), step [0-9]*, after .*, left ' err)" = 5 ] || fail "no line for each output: $(cat err)"
[ "$(wc -l < err)" = 5 ] || fail "other lines: $(cat err)"
expect 0 "" run heat.yaml -o quiet -q
[ -s err ] && fail "--quiet prints $(cat err)"

if command -v script > /dev/null && script -qec true /dev/null > /dev/null 2>&1; then
    begin=$(date +%s)
    script -qec "$command run heat.yaml -o terminal --no-cache -s 'grid.size=[250, 250]' -s time.rtol=1e-9 -u 2" /dev/null > typed < /dev/null
    took=$(($(date +%s) - begin + 1))
    tr '\r' '\n' < typed | sed 's/\x1b\[K//' > lines
    grep -q '^compiling program 1: ' lines || fail "no line while programs are compiled: $(head -5 lines)"
    grep -q '^100 %' lines || fail "no last line: $(tail -3 lines)"
    # minutes and seconds left, never more than ten times what the run takes
    worst=$(sed -n 's/.*  left \([0-9:]*\)$/\1/p' lines | awk -F: '{ s = 0; for (i = 1; i <= NF; i++) s = 60*s + $i; if (s > m) m = s } END { print m + 0 }')
    [ "$worst" -le $((10 * took + 5)) ] || fail "a run of $took s has $worst s left: $(grep -m3 'left' lines)"
    echo "a run of $took s: at most $worst s left"
else
    echo "no script: the line on a terminal is not looked at"
fi

if [ $bad -gt 0 ]; then echo "$bad failures"; exit 1; fi
echo "all good"
