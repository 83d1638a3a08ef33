#!/bin/bash
# Pictures of results that are there: outputs without a file, files of plot in run.files, titles and settings that have
# no effect, settings of another folder. Environment: RECHENWERK, the command; SOURCE, the source tree.
# shellcheck source=tests/run/heat.sh
. "$(dirname "${BASH_SOURCE[0]}")/heat.sh" || exit 1

# the last command has warned of this, or of nothing
warned() { grep -q "warning: .*$1" err || fail "no warning '$1': $(cat err)"; }
quiet() { ! grep warning err || fail "a warning"; }
same() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; }
differ() { cmp -s "$1" "$2" && fail "$1 and $2 are equal"; }

# ---- outputs without a file ----
cat > grow.yaml <<'END'
problem: pde
grid: {size: [8, 8], extent: [1, 1]}
fields: {u: {initial: "x"}}
equations: "du/dt = u"
time: {end: 0.4, method: dp5}
output: {every: 0.2, fields: [], figures: [], vti: false}
END
expect 0 "" run grow.yaml -q -o late
expect 2 "output.fields" plot late -F u
expect 0 "" run grow.yaml -q -o late --restart --until 1 -s output.fields=[u] -s output.figures=[u]
times=(0 0.2 0.4 0.6 0.8 1)
for k in 3 4 5; do
    expect 0 "" plot late -F u -t ${times[k]} -o late-$k.png
    same late-$k.png late/figures/u-00000$k.png
    expect 0 "" plot late/fields/00000$k.h5 -o late-$k.png --force
    same late-$k.png late/figures/u-00000$k.png
done
expect 0 "" plot late -F u -t 0.2 -o first.png
warned "the output at t = 0.2 has no file fields/000001.h5 .*: t = 0.6 is drawn"
same first.png late/figures/u-000003.png
# a file in the middle that the user has removed: the limits are those of the others, and the nearest other is drawn
expect 0 "" run grow.yaml -q -o full --until 1 -s output.fields=[u] -s output.figures=[u]
cp -r full gap
rm gap/fields/000002.h5
for t in 0 0.2 0.6; do
    expect 0 "" plot full -F u -t $t -o full.png --force
    expect 0 "" plot gap -F u -t $t -o gap.png --force
    quiet
    same full.png gap.png
done
expect 0 "" plot gap -F u -t 0.41 -o gap.png --force
warned "t = 0.4 has no file fields/000002.h5"
same gap.png full/figures/u-000003.png
mv gap/fields.h5 index # limits of all files, without the index too
expect 0 "" plot gap/fields/000001.h5 -o gap.png --force
same gap.png full/figures/u-000001.png
mv index gap/fields.h5
rm gap/fields/000005.h5
expect 0 "" plot gap -F u -o gap.png --force
warned "t = 1 has no file fields/000005.h5"
rm gap/fields/*
expect 2 "none of the 6 outputs has a file in fields/" plot gap -F u -o gap.png --force

# ---- one node: a line a field in the series, no pictures of single values unless a field is named ----
cat > node.yaml <<'END'
problem: pde
grid: {size: [1]}
fields: {u: {initial: "2", boundary: periodic}, v: {initial: "0", boundary: periodic}}
equations: "du/dt = v; dv/dt = 5*(1-u^2)*v - u"
time: {end: 10, method: dp5}
output: {every: 2}
END
listed() { [ "$(cd "$1" && echo *)" = "$2" ] || fail "$1 holds $(cd "$1" && echo *), not $2"; }
expect 0 ", 3 pictures" run node.yaml -o node
listed node/figures "series-step.png series-u_mean.png series-v_mean.png"
[ "$(head -1 node/series.csv)" = t,step,u_min,u_max,u_mean,v_min,v_max,v_mean ] || fail "$(head -1 node/series.csv)"
expect 0 "" plot node -o again
listed again "series-step.png series-u_mean.png series-v_mean.png"
expect 0 "" plot node -F u_min -o again
[ -e again/series-u_min.png ] || fail "no picture of u_min"
expect 0 "" plot node/fields/000002.h5 -F v -o v.png
expect 0 ", 9 pictures" run node.yaml -o node --force -s output.figures=[u]
# steps of one length have no picture
expect 0 ", 2 pictures" run node.yaml -o node --force -s time.method=rk4 -s time.step=0.01
listed node/figures "series-u_mean.png series-v_mean.png"

# ---- sections of fields on blocks are those of the run; z has its unit ----
cat > modes.yaml <<'END'
problem: rates
grid: {kind: cylinder, radius: 0.5, core: 0.2, length: 10.0, cells: [4, 4, 2]}
pump: {power: 10 W, wavelength: 808 nm, profile: "2/(pi*0.4^2)*exp(-2*r2/0.4^2)/10"}
modes:
  low: {profile: "2/(pi*0.25^2)*exp(-2*r2/0.25^2)"}
  wide: {profile: "2/(pi*0.3^2)*exp(-2*r2/0.3^2)"}
time: {end: 2e-6, steps: 40}
output: {every: 1e-6, figures: [inversion]}
END
expect 0 "" run modes.yaml -q -o modes
for k in 0 1 2; do
    expect 0 "" plot modes -F inversion -t ${k}e-6 -o sections
    expect 0 "" plot modes/fields/00000$k.h5 -F inversion -o of-file
    for section in across along; do
        same sections/inversion-00000$k-$section.png modes/figures/inversion-00000$k-$section.png
        same of-file/inversion-00000$k-$section.png modes/figures/inversion-00000$k-$section.png
    done
done
expect 0 "" plot modes -F inversion -o across.png
same across.png modes/figures/inversion-000002-across.png
expect 0 "modes/figures/mode_wide-000002-along.png" plot modes
expect 0 "" plot modes -F inversion -o other.png -s output.limits=[0,1]
quiet
differ across.png other.png
cp modes/fields/000001.h5 alone.h5
expect 0 "" run modes/settings.yaml -q -o again-modes # with the default of the section mode
expect 2 "fields on 5 blocks, whose grid is known from settings.yaml" plot alone.h5 -o alone

# ---- a column that settles early is drawn until then: what comes later does not change the picture ----
cat > settle.yaml <<'END'
problem: pde
grid: {size: [1]}
fields: {u: {initial: "1", boundary: periodic}}
equations: "du/dt = cos(40*t)*exp(-8*t) - 20*u"
time: {end: 10, method: rk4, step: 0.005}
output: {every: 5, series_steps: 2}
END
expect 0 "" run settle.yaml -q -o ten
expect 0 "" run settle.yaml -q -o twenty --until 20
expect 0 "" run settle.yaml -q -o one --until 1
same ten/figures/series-u_mean.png twenty/figures/series-u_mean.png
differ ten/figures/series-u_mean.png one/figures/series-u_mean.png

# ---- pictures in figures/ are the program's own ----
last=(-o own -q -s output.figures_every=last)
expect 0 "" run heat.yaml "${last[@]}"
expect 0 "" plot own -q -t 0
[ "$(grep -c '^figures/u-000000.png$' own/run.files)" = 1 ] ||
    fail "run.files does not list the picture: $(cat own/run.files)"
expect 0 "" plot own/ -q -t 0
expect 0 "" plot own/fields/000001.h5 -q -o own/figures
(cd own/figures && "$RECHENWERK" plot ../fields/000000.h5 -q) || fail "plot in figures/"
[ "$(sort own/run.files | uniq -d)" = "" ] || fail "run.files lists a picture twice"
[ -z "$(cd own && find . -type f | sed 's|^./||' | grep -vxFf run.files | grep -vx run.files)" ] ||
    fail "run.files is not complete"
expect 0 "" run heat.yaml "${last[@]}" --force
[ -e own/figures/u-000000.png ] && fail "--force leaves a picture of plot"
expect 0 "" plot own -q -t 0
expect 0 "" run heat.yaml "${last[@]}" --restart
# a folder without figures/
expect 0 "" run heat.yaml -q -o plain -s output.figures=[]
rm -rf plain/figures
expect 0 "plain/figures/u-000002.png" plot plain/
expect 0 "" run heat.yaml -q -o plain -s output.figures=[] --force
[ -z "$(ls plain/figures 2> /dev/null)" ] || fail "--force leaves pictures of plot"
# a folder without a list
rm own/run.files
expect 2 "is not in run.files" plot own -q
rm -r own/figures
expect 0 "" plot own -q
expect 0 "" plot own -q
# a file of somebody else
expect 0 "" run heat.yaml -q -o other -s output.figures_every=last
echo mine > mine
cp mine other/figures/u-000000.png
for how in "other -F u -t 0" "other/fields/000000.h5 -o other/figures"; do
    # shellcheck disable=SC2086
    expect 2 "'figures/u-000000.png' is not in run.files, the list of files that runs have written here: replace it" \
        plot $how
    cmp -s other/figures/u-000000.png mine || fail "plot $how replaces a file of somebody else"
done
grep -q u-000000.png other/run.files && fail "a refused picture is listed"
expect 0 "" plot other -F u -t 0 --force
cmp -s other/figures/u-000000.png mine && fail "--force does not replace the file"
expect 0 "" plot other -F u -t 0
# a link or a folder in its place
cp mine target
ln -sf ../../target other/figures/u-000000.png
for force in "" --force; do
    # shellcheck disable=SC2086
    expect 2 "'figures/u-000000.png' is a link" plot other -F u -t 0 $force
done
cmp -s target mine || fail "plot follows a link in figures/"
# files with names of the user's own in another folder, and one that is named, are not listed
expect 0 "" plot own -q -F u -o own/figures/paper.png
grep -q paper own/run.files && fail "a picture with the user's name is listed"
# while another process holds the folder
if command -v flock > /dev/null; then
    flock own "$RECHENWERK" plot own -q > out 2>&1 && fail "plot writes into a folder that is in use"
    grep -q "is writing into it: wait for its end, or choose another folder with -o" out ||
        fail "a folder in use: $(cat out)"
    flock own "$RECHENWERK" plot own -q -o elsewhere || fail "plot -o of a folder in use"
fi

# ---- titles, and settings without effect ----
small=(-q -o laser -s time.end=1e-6 -s time.steps=100 -s output.every=5e-7 -s 'checks={}')
expect 0 "" run "$SOURCE/cases/laser.yaml" "${small[@]}"
expect 0 "" plot laser -F photons -o photons.png
quiet
same photons.png laser/figures/series-photons.png
expect 0 "" plot laser -F photons -o titled.png -s title=Other
quiet
differ titled.png photons.png
expect 0 "" plot laser -F photons -o limits.png -s output.limits=frame -s title=Other -s output.colormap=diverging
warned "\-\-set output.limits, output.colormap has no effect on the pictures drawn"
same limits.png titled.png
expect 0 "" plot full -F u_max -o max.png -s output.limits=frame
warned "\-\-set output.limits has no effect"
expect 0 "" plot full -F u -o frame.png -s output.limits=frame -s output.colormap=diverging -s title=Other
quiet
expect 0 "" run grow.yaml -q -o unseen -s output.fields=[u]
expect 0 "" plot unseen -F u -o unseen.png -s output.limits=frame
quiet
expect 0 "" run grow.yaml -q -o line -s grid.size=8 -s grid.extent=1 -s output.fields=[u]
expect 0 "" plot line -F u -o line.png -s output.colormap=diverging -s output.limits=frame
warned "\-\-set output.colormap has no effect"

# ---- a file that lies elsewhere does not take the settings of the folder above ----
expect 0 "" run grow.yaml -q -o stranger -s output.fields=[u] -s output.limits=[0,9] -s title=Stranger
mkdir stranger/copies
cp full/fields/000002.h5 stranger/copies
cp full/fields/000002.h5 alone.h5
expect 0 "" plot alone.h5 -o alone.png
for path in stranger/copies/000002.h5 ./stranger/copies/../copies/000002.h5; do
    expect 0 "" plot $path -o copy.png --force
    same copy.png alone.png
done
(cd stranger/copies && "$RECHENWERK" plot 000002.h5 -q -o ../../copy.png --force) || fail "plot in copies/"
same copy.png alone.png
expect 2 "is not in the folder fields/ of results" \
    plot stranger/copies/000002.h5 -o copy.png --force -s title=Other
(cd stranger/fields && "$RECHENWERK" plot 000002.h5 -q -o ../../own.png) || fail "plot in fields/"
expect 0 "" plot stranger -F u -o stranger.png
same own.png stranger.png
differ own.png alone.png

# ---- pictures of series: none of a constant; spikes on a logarithmic axis ----
cat > spike.yaml <<'END'
problem: pde
grid: {size: [8], extent: [1]}
fields: {u: {initial: "1 + x"}, c: {initial: "2"}}
equations: ["du/dt = 20*cos(6.283185307*t)*u", "dc/dt = 0*c"]
time: {end: 1, method: dp5}
output: {every: 0.05, vti: false}
END
expect 0 "" run spike.yaml -q -o spike
[ -e spike/figures/series-u_max.png ] || fail "no picture of u_max"
for name in c_min c_max c_mean; do
    [ -e spike/figures/series-$name.png ] && fail "a picture of the constant $name"
done
expect 0 "" plot spike -q -o spike-again
[ "$(ls spike-again | grep -c series)" = "$(ls spike/figures | grep -c series)" ] || fail "plot draws other series"
expect 0 "" plot spike -F c_max -o constant.png # asked for by name

# ---- series.csv: names in the first line, units in series.json; in older folders in a line of series.csv ----
cat > units.yaml <<'END'
problem: pde
grid: {size: [8], extent: [1]}
fields: {u: {initial: "x", unit: K}}
equations: "du/dt = u"
time: {end: 0.4, method: dp5}
output: {every: 0.1}
END
expect 0 "" run units.yaml -q -o units
grep -q '#' units/series.csv && fail "series.csv has a comment: $(head -3 units/series.csv)"
[ "$(head -1 units/series.csv)" = t,step,u_min,u_max,u_mean ] || fail "names: $(head -1 units/series.csv)"
expect 0 "" plot units -F u_mean -o units.png
mv units/series.json series.json
expect 0 "" plot units -F u_mean -o bare.png
differ units.png bare.png
sed -i '1a # 1, 1, K, K, K' units/series.csv
expect 0 "" plot units -F u_mean -o older.png
same units.png older.png
echo '{}' > units/series.json
expect 2 "has no list 'columns'" plot units -F u_mean -o never.png

if [ $bad -gt 0 ]; then echo "$bad failures"; exit 1; fi
echo "all good"
