#!/bin/bash
# What a restart may change and what it refuses, with the name of the setting; outputs after an end between or on
# them; outputs of another kind from then on. Other compilers and OpenCL only in the long version. Environment:
# RECHENWERK, RECHENWERK_TEST_LONG.
# shellcheck source=tests/tools/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tools/expect.sh" || exit 1
export RECHENWERK_CACHE="${RECHENWERK_CACHE:-$work/cache}"

cat > two.yaml <<'END'
problem: pde
grid: {size: [12, 12], extent: [1, 1]}
parameters: {D: 0.1}
fields:
  u: {initial: "exp(-60*((x-0.3)^2 + (y-0.6)^2))", boundary: "0"}
  v: {initial: "0", boundary: "0"}
equations: "du/dt = D*laplace(u)\ndv/dt = D*laplace(v) + u"
time: {end: 1, method: rkc2, rtol: 1e-5}
output: {every: 0.1, figures: []}
END
times() { tail -n +2 "$1/series.csv" | cut -d, -f1 | tr '\n' ' '; }
again() { rm -rf r && cp -r half r; }

# ---- an end on an output: the same bytes as without it, though 3*0.1 is not 0.3; an end between outputs: they come
# where they would ---
for method in rkc2 rk4; do
    [ $method = rk4 ] && [ "${RECHENWERK_TEST_LONG:-}" != 1 ] && continue
    how=(-q -s "time.method=$method")
    [ $method = rk4 ] && how+=(-s time.step=0.003)
    rm -rf whole parts
    expect 0 "" run two.yaml -o whole "${how[@]}"
    for until in 0.3 0.7; do
        expect 0 "" run two.yaml -o parts "${how[@]}" -u $until "$([ -e parts ] && echo --restart || echo --force)"
        [ "$(times parts | wc -w)" = "$(awk "BEGIN { print int(10*$until + 1.5) }")" ] ||
            fail "$method until $until: outputs at $(times parts)"
    done
    expect 0 "" run two.yaml -o parts "${how[@]}" --restart
    for f in series.csv fields/000003.h5 fields/000004.h5 fields/000010.h5 fields.xdmf fields.pvd; do
        cmp -s "whole/$f" "parts/$f" || fail "$method: $f differs after ends at 0.3 and 0.7"
    done
    rm -rf parts
    expect 0 "" run two.yaml -o parts "${how[@]}" -u 0.25
    expect 0 "" run two.yaml -o parts "${how[@]:1}" --restart
    grep -q 't = 0.25, may have cut a step' err || fail "$method: nothing is said about the end at 0.25: $(cat err)"
    [ "$(times parts | sed 's/0.25 //')" = "$(times whole)" ] ||
        fail "$method: an end at 0.25 shifts outputs: $(times parts)"
done

# the method of auto depends on the end
expect 0 "" run two.yaml -o automatic -q -s time.method=auto -u 0.3
expect 0 "method dp5, which auto chose for the earlier end, t = 0.3" \
    run two.yaml -o automatic -s time.method=auto --restart
grep -q 'cut a step' err && fail "an end on an output cuts a step: $(cat err)"

# ---- the earlier end is judged by the earlier outputs, and outputs that end steps elsewhere are reported ----
# continues SETTINGS LATER: the run `odd` with SETTINGS (a list, may be empty), continued to 0.9 with the settings
# LATER; its warnings are in err
continues() {
    local before=() after=() s
    for s in $1; do before+=(-s "$s"); done
    for s in $2; do after+=(-s "$s"); done
    rm -rf odd
    expect 0 "" run two.yaml -o odd -q -u 0.5 "${before[@]}"
    expect 0 "" run two.yaml -o odd --restart -u 0.9 "${after[@]}"
}
says() { grep -q "$1" err || fail "'$1' is not said: $(cat err)"; }
silent() { grep -q "$1" err && fail "'$1' is said: $(cat err)"; }
continues output.every=0.3 output.every=0.25
says 't = 0.5, may have cut a step'
says 'the run continues with output.every: 0.25 instead of 0.3'
continues "" output.every=0.3
silent 'cut a step'
says 'the run continues with output.every: 0.3 instead of 0.1'
continues output.every=0 output.every=0.1
says 't = 0.5, may have cut a step'
says 'continues with output.every: 0.1 instead of 0'
continues "" ""
silent 'the run continues with\|cut a step'
continues "" 'output.every_steps=7 output.vti=no output.colormap=diverging'
silent 'the run continues with\|cut a step'
continues output.interpolate=0.01 output.interpolate=0.01
says 't = 0.5, may have cut a step'
silent 'the run continues with'
continues output.interpolate=0.01 'output.interpolate=0.01 output.every=0.2'
silent 'the run continues with'
continues output.interpolate=0.01 output.interpolate=1e-6
says 'continues with output.interpolate: 1e-6 instead of 0.01'
continues output.interpolate=0.01 'output.interpolate=0 output.every=0.25'
says 't = 0.5, may have cut a step'
says 'continues with output.interpolate: not set instead of 0.01'
says 'continues with output.every: 0.25 instead of 0.1'

# output.every_steps leaves the steps as they are
expect 0 "" run two.yaml -o byhalf -q -s output.every_steps=7
expect 0 "" run two.yaml -o whole0 -q
[ "$(tail -1 byhalf/series.csv)" = "$(tail -1 whole0/series.csv)" ] || fail "output.every_steps changes the steps"

# an earlier end with a unit
cat > pumped.yaml <<'END'
problem: rates
grid: {kind: box, length: 4, width: [1, 1], cells: [2, 2, 2]}
pump: {profile: "1/4"}
mode: {profile: "1"}
time: {end: 1 us, method: adaptive}
output: {every: 3e-7, figures: []}
END
expect 0 "" run pumped.yaml -o pumped -q
expect 0 "the earlier end, t = 1e-06, may have cut a step" run pumped.yaml -o pumped --restart -s 'time.end=2 us'

# ---- an end before the checkpoint: refused, and nothing changes ----
expect 0 "" run two.yaml -o ended -q -u 0.5
cp -r ended before
later="give an end of 0.5 or later, or begin again with --force"
expect 2 "time.end = 0.3 is before the state in 'ended/checkpoint.h5', t = 0.5: $later" \
    run two.yaml -o ended --restart -u 0.3
expect 2 "time.end = 0.49999 is before" run two.yaml -o ended --restart -s time.end=0.49999
expect 2 "time.end = 0.3 is before" run two.yaml -o ended --restart -u 0.3 -s output.every=0.07
diff -r before ended || fail "a refused end has changed the folder"
expect 0 "" run two.yaml -o ended -q --restart -u 0.5
rm -rf ended # 3*0.1 is above 0.3, where the run ended
expect 0 "" run two.yaml -o ended -q -u 0.3
expect 0 "" run two.yaml -o ended -q --restart -u 0.3 -s output.every=0.07

# ---- no checkpoint: results stay ----
rm before/checkpoint.h5
cp -r before bare
expect 2 "results folder 'bare' has no checkpoint.h5 to continue from: begin again with --force" \
    run two.yaml -o bare --restart -u 0.5
diff -r before bare || fail "a restart without a checkpoint has changed the folder"
expect 2 "has no checkpoint.h5 to continue from: begin again with --force" \
    run two.yaml -o bare --restart -u 0.5 -s parameters.D=1
ln -s nowhere bare/checkpoint.h5
expect 2 "has no checkpoint.h5 to continue from" run two.yaml -o bare --restart -u 0.5
rm bare/checkpoint.h5
expect 0 "" run two.yaml -o bare -q -f -u 0.5
expect 3 "there is no checkpoint yet" run two.yaml -o fell -s 'equations=du/dt = laplace(u) + 1/(u-u); dv/dt = u'
expect 2 "has no checkpoint.h5 to continue from: run without --restart" run two.yaml -o fell --restart # another case
expect 3 "there is no checkpoint yet" \
    run two.yaml -o fell --restart -s 'equations=du/dt = laplace(u) + 1/(u-u); dv/dt = u'
[ -e fell/fields/000000.h5 ] || fail "the beginning of a run is not begun again"
touch fell/notes
expect 2 "begin again with --force" \
    run two.yaml -o fell --restart -s 'equations=du/dt = laplace(u) + 1/(u-u); dv/dt = u'
[ -e fell/fields/000000.h5 ] || fail "a refused restart removes the initial state"

# ---- what may change ----
expect 0 "" run two.yaml -o half -q -u 0.5
again
expect 0 "the run continues with time.rtol: 1e-6 instead of 1e-5" run two.yaml -o r --restart -s time.rtol=1e-6
again
expect 0 "" run two.yaml -o r -q --restart -s output.every=0.05
[ "$(times r | wc -w)" = 16 ] || fail "output.every=0.05 from 0.5 on: $(times r)"
again
expect 0 "" run two.yaml -o r -q --restart -s output.every=0.3
[ "$(times r)" = "$(times half)0.59999999999999998 0.89999999999999991 1 " ] ||
    fail "output.every=0.3 from 0.5 on: $(times r)"
for change in time.atol=1e-9 time.max_step=0.01 time.max_stages=50 'time.spectral_radius="4e3"' output.every_steps=7 \
    checkpoint.steps=9 reproducible=yes title=new time.end=0.8 time.record=no 'output.figures=[u]' 'checks={}'; do
    again
    expect 0 "" run two.yaml -o r -q --restart -s "$change"
done

# ---- what may not ----
refused() { # refused KEY BEFORE NOW: the value given is NOW
    again
    expect 2 "checkpoint of another case: $1: $2 in the checkpoint, $3 in the case" \
        run two.yaml -o r --restart -s "$1=$3"
    diff -r half r > /dev/null || fail "a refused restart has changed the folder"
}
refused parameters.D 0.1 0.2
refused time.start 0 0.1
refused fields.v.initial '"0"' 1
refused fields.v.boundary '"0"' '"1"'
if [ "${RECHENWERK_TEST_LONG:-}" = 1 ]; then # these compile
    refused grid.size '[12, 12]' '[10, 12]'
    refused grid.precision f64 f32
    refused time.method rkc2 rock4
fi
again
expect 2 "equations: [" run two.yaml -o r --restart -s 'equations=["du/dt = laplace(u)", "dv/dt = u"]'
expect 2 "output.interpolate: not set in the checkpoint, 0.01 in the case" \
    run two.yaml -o r --restart -s output.interpolate=0.01
cat > laser.yaml <<'END'
problem: rates
grid: {kind: box, length: 4, width: [1, 1], cells: [2, 2, 2]}
pump: {profile: "1/4"}
mode: {profile: "1"}
time: {end: 1e-6, steps: 100}
output: {figures: []}
END
expect 0 "" run laser.yaml -o laser -q
expect 2 "time.end: 1e-6 in the checkpoint, 2e-06 in the case" run laser.yaml -o laser --restart -s time.end=2e-06
expect 2 "time.steps: 100 in the checkpoint, 200 in the case" run laser.yaml -o laser --restart -s time.steps=200

# ---- another back end: one line says so, and the run goes on; equal runs write equal checkpoints ----
cp -r half same
expect 0 "" run two.yaml -o same --restart
grep -q 'device or compiler' err && fail "the same back end is called another one: $(cat err)"
grep -q '"compiler": "..*"' same/run.json || fail "run.json names no compiler"
again
differ="(device check, was cpu; kind of device check, was cpu"
expect 0 "continues on another device or compiler: results may differ in the last bits $differ" \
    run two.yaml -o r --restart -d check -u 0.52
for cc in clang gcc; do
    [ "${RECHENWERK_TEST_LONG:-}" = 1 ] || continue
    path=$(command -v $cc) || continue
    [ "$(readlink -f "$path")" = "$(readlink -f "$(command -v cc)")" ] && continue
    again
    RECHENWERK_CC=$path expect 0 "continues on another device or compiler" run two.yaml -o r --restart -u 0.6
    grep -q "device or compiler.*compiler [^,]*$cc" err || fail "$cc is not named: $(cat err)"
done
if [ "${RECHENWERK_TEST_LONG:-}" = 1 ] && "$command" info 2> /dev/null | grep -q opencl:0; then
    again
    expect 0 "kind of device opencl, was cpu" run two.yaml -o r --restart -d opencl:0 -u 0.6
fi
for i in 1 2; do
    expect 0 "" run two.yaml -o "equal$i" -q -u 0.5
    second=$(date +%s)
    while [ "$(date +%s)" = "$second" ]; do sleep 0.1; done # a date in the file would show
    expect 0 "" run two.yaml -o "equal$i" -q --restart
done
cmp equal1/checkpoint.h5 equal2/checkpoint.h5 || fail "equal runs write different checkpoints"

# ---- outputs of another kind from the restart on ----
again
expect 0 "" run two.yaml -o r -q --restart -s 'output.fields=[v]' -s output.vti=no -u 0.8
expect 0 "" run two.yaml -o r -q --restart -s 'output.fields=[u]'
[ "$(grep -c ':/u' r/fields.xdmf) $(grep -c ':/v' r/fields.xdmf)" = "8 9" ] ||
    fail "fields.xdmf: $(grep ':/' r/fields.xdmf)"
[ "$(grep -c vti/ r/fields.pvd)" = 8 ] || fail "fields.pvd: $(grep vti/ r/fields.pvd)"
while read -r set; do
    [ -e "r/${set%%:*}" ] || fail "fields.xdmf names $set"
done < <(grep -o 'fields/[0-9]*.h5:/.' r/fields.xdmf)
while read -r file; do
    [ -e "r/$file" ] || fail "fields.pvd names $file"
done < <(grep -o 'vti/[0-9]*.vti' r/fields.pvd)
expect 0 "" plot r -o pictures -q -F u
expect 2 "holds no field 'u'" plot r -o pictures -q -F u -t 0.7

if [ $bad -gt 0 ]; then echo "$bad failures"; exit 1; fi
echo "all good"
