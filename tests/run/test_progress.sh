#!/bin/bash
# What a run prints on its way: on a terminal which of how many programs is compiled and a time left that is not
# absurd while steps still grow; without one a line for each output; nothing with --quiet. Environment: RECHENWERK.
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

begin=$(date +%s%N)
expect 0 "" run heat.yaml -o plain --no-cache
seconds=$((($(date +%s%N) - begin) / 1000000000))
[ "$(grep -c '^output [0-4]: t = .* of 10 ([0-9]* %), step [0-9]*, elapsed .*, remaining ' err)" = 5 ] ||
    fail "no line for each output: $(cat err)"
[ "$(grep -vc compil err)" = 5 ] || fail "other lines: $(cat err)"
# elapsed counts from the start of the command, with reading and compiling
elapsed() { # of the lines on stdin, in seconds
    sed -n 's/.*elapsed \([^,]*\),.*/\1/p' |
        awk '{ print $2 == "ms" ? $1/1000 : $2 == "min" ? 60*$1 + $3 : $2 == "s" ? $1 : -1 }'
}
shown=$(elapsed < err | tail -1)
awk -v a="$shown" -v b="$seconds" 'BEGIN { exit !(a >= b - 1 && a <= b + 1) }' ||
    fail "elapsed $shown after $seconds s"

# the time left includes that of outputs, and a call that takes many steps is no growth of the step
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

# pictures that are drawn again at the end are no silence; where the limits are given there are none
grep '^drawing' err && fail "pictures are drawn again with given limits"
expect 0 "" run heat.yaml -o again -s output.fields=[u] -s output.figures=[u] -s output.limits=run -s \
    'fields.u.initial="0.001*sin(pi*x)*sin(pi*y)"' -s 'equations="du/dt = laplace(u) + 1"' -u 0.1 -s output.every=0.02
grep -q '^drawing pictures of u again with the final limits ([1-5]), elapsed ' err ||
    fail "no line that pictures are drawn again: $(cat err)"

# a compiler that takes long is no silence: of this one the first call takes 12 s
cat > slow-cc <<END
#!/bin/sh
case "\$*" in *program.so*) mkdir "$work/called" 2> /dev/null && sleep 12 ;; esac
exec cc "\$@"
END
chmod +x slow-cc
RECHENWERK_CC=$work/slow-cc expect 0 "" run heat.yaml -o slow --no-cache -u 0.1
grep -qE '^1[0-9] s: compiling [0-9]+ of [0-9]+, ' err || fail "no message that a program is being compiled: $(cat err)"
grep -qE '^compiled .* in 1[0-9](\.[0-9])? s$' err || fail "no message that a program has been compiled: $(cat err)"
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
    begin=$(date +%s)
    on_terminal --no-cache -s "'grid.size=[250, 250]'" -s time.rtol=1e-9 -u 2
    took=$(($(date +%s) - begin + 1))
    counted lines || fail "not all programs are counted: $(grep compiling lines)"
    grep -q '^100 %' lines || fail "no last line: $(tail -3 lines)"
    # minutes and seconds left, never more than ten times what the run takes
    worst=$(sed -n 's/.*  remaining \([0-9:]*\)$/\1/p' lines |
        awk -F: '{ s = 0; for (i = 1; i <= NF; i++) s = 60*s + $i; if (s > m) m = s } END { print m + 0 }')
    [ "$worst" -le $((10 * took + 5)) ] || fail "a run of $took s has $worst s left: $(grep -m3 'left' lines)"
    echo "a run of $took s: at most $worst s left"

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
    # compiling in the first step does not count as its time
    worst=$(sed -n 's/.*  remaining \([0-9:]*\)$/\1/p' lines |
        awk -F: '{ s = 60*$1 + $2; if (s > m) m = s } END { print m + 0 }')
    [ "$worst" -le 3 ] || fail "compiling in the first step makes the time left $worst s: $(grep -m3 left lines)"
else
    echo "no script: the line on a terminal is not looked at"
fi

if [ $bad -gt 0 ]; then echo "$bad failures"; exit 1; fi
echo "all good"
