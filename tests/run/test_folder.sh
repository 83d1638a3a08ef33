#!/bin/bash
# What --force and --restart do to a results folder: only files that the folder's own list names are touched, links
# inside are never followed, the results of an earlier run come back when the new one gets no checkpoint, also after
# kill -9 between any two steps of moving them. Environment: RECHENWERK, the command.
# shellcheck source=tests/run/heat.sh
. "$(dirname "${BASH_SOURCE[0]}")/heat.sh" || exit 1

# ---- what no run wrote stays ----
expect 0 "" run heat.yaml -o r -q
mkdir prec
echo precious > prec/data.h5
echo mine > r/figures/mypaper.png
echo mine > r/fields/mine.h5
echo mine > r/notes.txt
expect 0 "" run heat.yaml -o r -q --force
for f in figures/mypaper.png fields/mine.h5 notes.txt; do
    [ "$(cat "r/$f" 2> /dev/null)" = mine ] || fail "--force has removed $f"
done
[ -e r/.previous ] || [ -e r/.discarded ] && fail "the earlier results are still there"
expect 0 "" run heat.yaml -o r -q -f -s output.figures=[] -s output.fields=[] -s output.every=0.02
[ -e r/figures/u-000000.png ] || [ -e r/fields/000000.h5 ] || [ -e r/vti ] &&
    fail "--force leaves files of the earlier run"
[ -e r/figures/mypaper.png ] || fail "figures/mypaper.png is gone"

# ---- a link to another folder, in place of a subfolder ----
expect 0 "" run heat.yaml -o link -q
cp link/fields/*.h5 prec/
mv link/fields aside
ln -s ../prec link/fields
before=$(state link) there=$(state prec)
for how in --force --restart; do
    expect 2 "'fields' is a link, but a run writes a folder there" run heat.yaml -o link $how -s output.every=0.005
    [ "$(state prec)" = "$there" ] || fail "$how follows the link r/fields"
    [ "$(state link)" = "$before" ] || fail "a refused $how has changed the folder"
done
rm link/fields
mv aside link/fields

# ---- a listed file that is a link or a folder now; a file that no run wrote where this one has to write ----
ln -sf ../../prec/data.h5 link/fields/000001.h5
expect 2 "'fields/000001.h5' is a link, but a run writes a file there" run heat.yaml -o link -f
[ "$(cat prec/data.h5)" = precious ] || fail "the target of a link is changed"
rm link/fields/000001.h5
mkdir link/fields/000001.h5
expect 2 "'fields/000001.h5' is a folder, but a run writes a file there" run heat.yaml -o link -f
rmdir link/fields/000001.h5
ln -s /dev/null link/figures/u-000007.png
expect 2 "'figures/u-000007.png' is a link" run heat.yaml -o link -f
rm link/figures/u-000007.png
echo mine > link/figures/u-000009.png
expect 2 "'figures/u-000009.png' is not in run.files, the list of files that runs have written here: move it away" \
    run heat.yaml -o link -f
[ "$(cat link/figures/u-000009.png)" = mine ] || fail "a file that is not in the list is changed"
rm link/figures/u-000009.png
expect 0 "" run heat.yaml -o link -q -f
mv link/run.files list
ln -s ../list link/run.files
expect 1 "run.files" run heat.yaml -o link -f
rm link/run.files
mv list link/run.files

# ---- lists that lie ----
for line in ../prec/data.h5 /etc/passwd fields/../../prec/data.h5 notes.txt fields/ab/c fields/..; do
    cp -r link lies
    echo "$line" >> lies/run.files
    expect 2 "is not the list of files that a run has written" run heat.yaml -o lies -f
    [ "$(cat prec/data.h5)" = precious ] || fail "the list may name $line"
    rm -r lies
done
cp -r link lies
printf 'fields/0000' >> lies/run.files # half a line: its file was never begun
expect 0 "" run heat.yaml -o lies -q -f
grep -qx 'fields/0000' lies/run.files && fail "half a line of run.files is taken for a name"

# ---- a folder from before there were lists ----
rm lies/run.files
expect 2 "(older versions wrote no list)" run heat.yaml -o lies -f
expect 0 "" run heat.yaml -o lies -q --restart -s time.end=0.03
grep -qx checkpoint.h5 lies/run.files || fail "a continued run keeps no list"

# ---- the folder itself may be a link that the user gives ----
mkdir far
ln -s far near
expect 0 "" run heat.yaml -o near -q
expect 0 "" run heat.yaml -o near -q -f
if [ ! -L near ] || [ ! -s far/checkpoint.h5 ]; then fail "a results folder given as a link"; fi

# ---- a new run that fails before its first checkpoint: the earlier results come back ----
before=$(state link)
expect 3 "the earlier results in 'link' are restored" \
    run heat.yaml -o link -f -s 'equations=du/dt = laplace(u) + 1/(u-u)'
[ "$(state link)" = "$before" ] || fail "the results before a failed --force: $(diff <(echo "$before") <(state link))"
expect 0 "" run heat.yaml -o link -q --restart -s time.end=0.025
expect 0 "" run heat.yaml -o link -q -f

# ---- kill -9 while files are moved: every state on the way is recovered from ----
before=$(state link)
names=$(tail -n +2 link/run.files | grep -v '/$')
total=$(echo "$names" | wc -l)
for moved in 0 1 5 "$total"; do # the list is copied, some files are moved
    rm -rf k
    cp -r link k
    mkdir -p k/.previous/{fields,vti,figures}
    cp k/run.files k/.previous/
    for f in $(echo "$names" | head -n "$moved"); do mv "k/$f" "k/.previous/$f"; done
    expect 0 "" run heat.yaml -o k -q --restart # nothing is left to do but to write the last files again
    [ "$(state k)" = "$before" ] || fail "killed after $moved moves: $(diff <(echo "$before") <(state k))"
done
for files in 0 2; do # all are moved, the new run has begun and perhaps written
    rm -rf k
    cp -r link k
    mkdir k/.previous
    mv k/fields k/vti k/figures k/.previous/
    find k -maxdepth 1 -type f -exec mv {} k/.previous/ \;
    { echo "rechenwerk files of another run"; printf 'series.csv\nfields/\nfields/000000.h5\n'; } > k/run.files
    if [ $files = 2 ]; then
        mkdir k/fields
        echo new > k/series.csv
        echo new > k/fields/000000.h5
    fi
    expect 2 "is not empty" run heat.yaml -o k
    expect 0 "" run heat.yaml -o k -q --restart
    [ "$(state k)" = "$before" ] || fail "killed before the first checkpoint: $(diff <(echo "$before") <(state k))"
done
mkdir k/.previous # the new run has a checkpoint: the earlier results are to go
cp link/run.files link/series.csv k/.previous/
{ echo "rechenwerk files of another run"; tail -n +2 link/run.files; } > k/run.files
expect 0 "" run heat.yaml -o k -q --restart
[ "$(state k)" = "$before" ] || fail "killed after the first checkpoint: $(diff <(echo "$before") <(state k))"
mkdir k/.discarded
cp link/run.files link/series.csv k/.discarded/
expect 0 "" run heat.yaml -o k -q --restart
[ -e k/.discarded ] && fail "what was to be removed is still there"

# ---- a user's own .previous ----
mkdir k/.previous
echo mine > k/.previous/mine
expect 1 "cannot make '.previous'" run heat.yaml -o k -f
[ "$(cat k/.previous/mine)" = mine ] || fail "a folder .previous of the user's is changed"
rm -r k/.previous
[ "$(state k)" = "$before" ] || fail "a refused --force has changed the folder"

# ---- nothing is left of a run that fails before its first output ----
expect 3 "'u_mean' is infinite" run heat.yaml -o none -s fields.u.initial=1e308
[ -e none ] && fail "a run without an output leaves $(find none)"
mkdir none
echo mine > none/mine
expect 2 "is not empty" run heat.yaml -o none
expect 3 "" run heat.yaml -o none -f -s fields.u.initial=1e308
[ "$(find none -type f)" = none/mine ] || fail "a run without an output leaves $(find none)"
[ $bad -eq 0 ]
