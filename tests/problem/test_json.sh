#!/bin/bash
# run --json when something goes wrong: valid JSON with status, exit code and message, and a folder only where results are. Names of
# pictures that plot refuses. Environment: RECHENWERK.
# shellcheck source=tests/tools/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tools/expect.sh" || exit 1
export RECHENWERK_CACHE="${RECHENWERK_CACHE:-$work/cache}"

cat > heat.yaml <<'END'
problem: pde
grid: {size: [12, 12], extent: [1, 1]}
fields: {u: {initial: "sin(pi*x)*sin(pi*y)", boundary: "0"}}
equations: "du/dt = laplace(u)"
time: {end: 0.02, rtol: 1e-4}
output: {every: 0.01}
END

# says CODE STATUS FOLDER TEXT ARGUMENTS...: run --json gives these; FOLDER null: none, and no such folder is there
says() {
    local code=$1 status=$2 folder=$3 text=$4
    shift 4
    expect "$code" "\"status\": \"$status\", \"exit_code\": $code, \"message\": " run "$@" --json -q
    grep -qF "\"folder\": $folder," out || fail "run $*: not folder $folder: $(cat out)"
    [ -z "$text" ] || grep -q "\"message\": \"[^\"]*$text" out || fail "run $*: no '$text' in the message: $(cat out)"
    if command -v python3 > /dev/null; then python3 -c 'import json; json.load(open("out"))' || fail "run $*: no JSON: $(cat out)"; fi
}
says 2 RW_ERR_INPUT null 'nowhere.yaml' nowhere.yaml -o none
says 2 RW_ERR_INPUT null 'nearest is time.end' heat.yaml -o none -s time.ende=1
says 4 RW_ERR_DEVICE null 'cuda' heat.yaml -o none -d cuda:99
says 5 RW_ERR_MEMORY null 'choose a smaller size' heat.yaml -o none -s 'grid.size=[30000000, 30000000]'
says 3 RW_ERR_NOT_CONVERGED null 'u_mean. is infinite' heat.yaml -o none -s fields.u.initial=1e308
[ -e none ] && fail "a run without an output leaves $(find none)"
says 0 RW_OK '"good"' '' heat.yaml -o good
says 2 RW_ERR_INPUT null 'is not empty' heat.yaml -o good
says 3 RW_ERR_NOT_CONVERGED '"check"' 'checks.m' heat.yaml -o check -s 'checks={m: {value: mean(u), expect: 5, tolerance: 1}}'
grep -q '"reason": "check_failed"' out || fail "no reason: $(cat out)"

for name in pic.jpg pic.svg pic.PNG new.folder/pic.pdf; do
    expect 2 "pictures are written as .png: end the name in .png for one picture, or give a folder" plot good -o $name
    [ -e $name ] && fail "plot -o $name makes $(find $name)"
done
expect 0 "pics.v2/" plot good -o pics.v2/ # a folder on purpose
expect 0 "pics.v2/" plot good -o pics.v2  # one that is there
expect 0 "u.png" plot good -F u -o u.png

if [ $bad -gt 0 ]; then echo "$bad failures"; exit 1; fi
echo "all good"
