#!/bin/bash
# run --json when something goes wrong: valid JSON with status, exit code and message, and a folder only where results
# are. Names of pictures that plot refuses. Environment: RECHENWERK.
# shellcheck source=tests/run/heat.sh
. "$(dirname "${BASH_SOURCE[0]}")/heat.sh" || exit 1

# says CODE STATUS FOLDER TEXT ARGUMENTS...: run --json gives these; FOLDER null: none, and no such folder is there
says() {
    local code=$1 status=$2 folder=$3 text=$4
    shift 4
    expect "$code" "\"status\": \"$status\", \"exit_code\": $code, \"message\": " run "$@" --json -q
    grep -qF "\"folder\": $folder," out || fail "run $*: not folder $folder: $(cat out)"
    [ -z "$text" ] || grep -q "\"message\": \"[^\"]*$text" out || fail "run $*: no '$text' in the message: $(cat out)"
    if command -v python3 > /dev/null; then
        python3 -c 'import json; json.load(open("out"))' || fail "run $*: no JSON: $(cat out)"
    fi
}
says 2 RW_ERR_INPUT null 'nowhere.yaml' nowhere.yaml -o none
says 2 RW_ERR_INPUT null 'nearest is time.end' heat.yaml -o none -s time.ende=1
says 4 RW_ERR_DEVICE null 'cuda' heat.yaml -o none -d cuda:99
says 5 RW_ERR_MEMORY null 'choose a smaller size' heat.yaml -o none -s 'grid.size=[30000000, 30000000]'
says 3 RW_ERR_NOT_CONVERGED null 'u_mean. is infinite' heat.yaml -o none -s fields.u.initial=1e308
[ -e none ] && fail "a run without an output leaves $(find none)"
says 0 RW_OK '"good"' '' heat.yaml -o good
says 2 RW_ERR_INPUT null 'is not empty' heat.yaml -o good
says 3 RW_ERR_NOT_CONVERGED '"check"' 'checks.m' \
    heat.yaml -o check -s 'checks={m: {value: mean(u), expect: 5, tolerance: 1}}'
grep -q '"reason": "check_failed"' out || fail "no reason: $(cat out)"

# ---- every command that has --json: one JSON object, also for a command line that is wrong ----
fails() {
    local code=$1 text=$2
    shift 2
    expect "$code" "\"exit_code\": $code, \"message\": " "$@" --json
    [ "$(wc -l < out)" = 1 ] || fail "$*: not one line: $(cat out)"
    grep -q "\"message\": \"[^\"]*$text" out || fail "$*: no '$text' in $(cat out)"
    if command -v python3 > /dev/null; then
        python3 -c 'import json; json.load(open("out"))' || fail "$*: no JSON: $(cat out)"
    fi
}
fails 2 'exclude each other' run heat.yaml --restart --force
fails 2 'an argument is missing' run
fails 2 'is not a number' run heat.yaml --until soon
fails 2 'nearest is --restart' run heat.yaml --restrat
for c in matrix solve spmv tune; do
    fails 2 'cannot open .none.mtx' $c none.mtx
    fails 2 'Matrix Market' $c heat.yaml
done
fails 2 'unexpected argument' info more
fails 2 'unknown list' list nothing
fails 2 'benchmark .*nothing.* is unknown' bench nothing
fails 4 'cuda' selftest -d cuda:99
fails 1 'the folder nowhere/: No such file' generate laplace -o nowhere/a.mtx --cells 10
expect 2 "" run heat.yaml -- --json
[ -s out ] && fail "--json after -- is an argument"

for name in pic.jpg pic.svg pic.PNG new.folder/pic.pdf; do
    expect 2 "pictures are written as .png: end the name in .png for one picture, or give a folder" plot good -o $name
    [ -e $name ] && fail "plot -o $name makes $(find $name)"
done
expect 0 "pics.v2/" plot good -o pics.v2/ # a folder on purpose
expect 0 "pics.v2/" plot good -o pics.v2  # one that is there
expect 0 "u.png" plot good -F u -o u.png
expect 2 "there is u_max" plot good -F u_mx -o none.png
mv good/fields.h5 away
expect 2 "no column 'u_mx' in series.csv; nearest is u_max" plot good -F u_mx -o none.png
mv away good/fields.h5
mv good/figures aside && mkdir elsewhere && ln -s ../elsewhere good/figures
expect 2 "'good/figures' is a link, which is not followed" plot good
[ -z "$(ls elsewhere)" ] || fail "plot follows the link good/figures"
rm good/figures && mv aside good/figures

if [ $bad -gt 0 ]; then echo "$bad failures"; exit 1; fi
echo "all good"
