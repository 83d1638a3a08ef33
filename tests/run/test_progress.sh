#!/bin/bash
# What a run prints on its way: on a terminal which of how many programs is compiled; without one a line for each
# output; nothing with --quiet. What depends on the machine's speed is in test_timing.sh. Environment: RECHENWERK.
# shellcheck source=tests/tools/expect.sh
# TEST: optimised
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
[ "$(grep -c '^output [0-4]: t = .* of 10 ([0-9]* %), step [0-9]*, elapsed .*, remaining ' err)" = 5 ] ||
    fail "no line for each output: $(cat err)"
[ "$(grep -vc compil err)" = 5 ] || fail "other lines: $(cat err)"
# elapsed counts from the start of the command, with reading and compiling: no less than these, no more than all
seconds() { sed -n '/"seconds": {/,/}/s/^ *"'"$1"'": \([^,]*\),*$/\1/p' plain/run.json; }
shown=$(sed -n 's/.*elapsed \([^,]*\),.*/\1/p' err | tail -1 |
    awk '{ print $2 == "ms" ? $1/1000 : $2 == "min" ? 60*$1 + $3 : $2 == "s" ? $1 : -1 }')
awk -v a="$shown" -v b="$(seconds create)" -v c="$(seconds compile)" -v all="$(seconds total)" \
    'BEGIN { exit !(a >= 0.95 * (b + c) - 0.1 && a <= 1.05 * all + 0.1) }' ||
    fail "elapsed $shown: $(grep -A8 '"seconds"' plain/run.json)"
# the parts of the time add up to all of it, also of a run that continues
sums() {
    { for part in total create compile steps output checkpoint; do seconds $part; done; } |
        awk '{ s += NR == 1 ? -$1 : $1; if ($1 < 0) bad = 1 } END { exit bad || NR != 6 || s*s > 1e-12 }' ||
        fail "sums: $(grep -A8 '"seconds"' plain/run.json)"
}
sums
expect 0 "" run heat.yaml -o plain -q --restart -s time.end=11 -s checkpoint.steps=3
sums
awk -v a="$(seconds checkpoint)" 'BEGIN { exit !(a > 0) }' || fail "checkpoints take no time"

# pictures that are drawn again at the end are no silence; where the limits are given there are none
expect 0 "" run heat.yaml -o given -s output.fields=[u] -s output.figures=[u] -s 'output.limits=[0, 1]' -u 0.1
grep '^drawing' err && fail "pictures are drawn again with given limits"
expect 0 "" run heat.yaml -o again -s output.fields=[u] -s output.figures=[u] -s output.limits=run -s \
    'fields.u.initial="0.001*sin(pi*x)*sin(pi*y)"' -s 'equations="du/dt = laplace(u) + 1"' -u 0.1 -s output.every=0.02
grep -q '^drawing pictures of u again with the final limits ([1-5]), elapsed ' err ||
    fail "no line that pictures are drawn again: $(cat err)"

# a compiler that takes long is no silence: this one goes on when the run has said so
cat > slow-cc <<END
#!/bin/sh
case "\$*" in *program.so*) mkdir "$work/called" 2> /dev/null &&
    until grep -q ' s: compiling ' "$work/err"; do sleep 0.1; done ;; esac
exec cc "\$@"
END
chmod +x slow-cc
RECHENWERK_CC=$work/slow-cc expect 0 "" run heat.yaml -o slow --no-cache -u 0.1
grep -qE '^[1-9][0-9]+ s: compiling [0-9]+ of [0-9]+, ' err ||
    fail "no message that a program is being compiled: $(cat err)"
grep -qE '^compiled .* in ([1-9][0-9]+(\.[0-9])? s|[0-9]+ min.*)$' err ||
    fail "no message that a program has been compiled: $(cat err)"
expect 0 "" run heat.yaml -o quiet -q
[ -s err ] && fail "--quiet prints $(cat err)"

# on_terminal ARGUMENTS...: a run on a terminal, its lines in the file `lines`
on_terminal() {
    script -qec "$command run heat.yaml -o terminal -f $*" /dev/null < /dev/null |
        tr '\r' '\n' | sed 's/\x1b\[K//' > lines
}
# counted LINES: "compiling 1 of 9", ..., "compiling 9 of 9", and nothing else about compiling
counted() {
    awk '/^compiling/ { n++; if (n == 1) total = $4; if ($0 != "compiling " n " of " total) bad = 1 }
        END { exit bad || n < 2 || n != total }' "$1"
}

if command -v script > /dev/null && script -qec true /dev/null > /dev/null 2>&1; then
    on_terminal --no-cache -s "'grid.size=[250, 250]'" -s time.rtol=1e-9 -u 2
    counted lines || fail "not all programs are counted: $(grep compiling lines)"
    grep -q '^100 %' lines || fail "no last line: $(tail -3 lines)"
    # what the cache has is not counted
    export RECHENWERK_CACHE=$work/cache
    on_terminal -u 0.1
    counted lines || fail "not all programs are counted: $(grep compiling lines)"
    all=$(grep -c compiling lines)
    on_terminal -u 0.1
    grep compiling lines && fail "programs in the cache are compiled"
    on_terminal -u 0.1 -s "'fields.u.initial=\"exp(-300*x)\"'"
    [ "$(grep compiling lines)" = "compiling 1 of 1" ] || fail "one new program of $all: $(grep compiling lines)"

    # programs of a method that is chosen at the first step come on top
    on_terminal --no-cache -u 0.1 -s time.method=auto
    awk '/^compiling/ { n++; if ($2 != n || (NF == 4 && $4 < n)) bad = 1
            if (NF == 4 && $4 != total) { total = $4; groups++ } }
        END { exit bad || groups != 3 }' lines || fail "programs of auto: $(grep compiling lines)"
else
    echo "no script: the line on a terminal is not looked at"
fi

if [ $bad -gt 0 ]; then echo "$bad failures"; exit 1; fi
echo "all good"
