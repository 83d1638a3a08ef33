#!/usr/bin/env bash
# Every case of cases/ runs on every device that is here, and its own checks hold. The check device, which is slow,
# gets a short piece of each case on a small grid. Short: the cpu and CUDA only. Environment: SOURCE, RECHENWERK,
# RECHENWERK_TEST_LONG.
# TEST: optimised
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$SOURCE/cases"

run() { # case device folder arguments …
    local case=$1 device=$2 folder=$3
    shift 3
    if ! "$RECHENWERK" run "$case" -d "$device" -o "$folder" -q "$@" >"$work/log" 2>&1; then
        echo "FAILED: $case on $device"; cat "$work/log"; exit 1
    fi
    echo "ok: $case on $device"
}

devices=cpu
"$RECHENWERK" info --json >"$work/info.json"
grep -q '"name": *"cuda:0"' "$work/info.json" && devices="$devices cuda:0"
run heat-1d.yaml cpu "$work/managed-cpu" --set memory=managed --set output.figures=[]
for case in *.yaml; do
    for device in $devices; do
        run "$case" "$device" "$work/$device-${case%.yaml}" --set output.figures=[] --set output.fields=[]
    done
    [ -f "expected/${case%.yaml}.png" ] || { echo "no picture of $case in cases/expected"; exit 1; }
done
[ "${RECHENWERK_TEST_LONG:-}" = 1 ] || exit 0
# OpenCL compiles for about a second a kernel: three cases that use all kinds of sides, one, two and three dimensions
if grep -q '"opencl:0"' "$work/info.json"; then
    for case in heat-1d heat-2d heat-3d; do
        run "$case.yaml" opencl:0 "$work/opencl-$case" --set output.figures=[] --set output.fields=[]
    done
    if "$RECHENWERK" run heat-1d.yaml -d opencl:0 -o "$work/managed" --set memory=managed >"$work/log" 2>&1 ||
        [ $? -ne 2 ] || ! grep -q 'memory = managed: opencl:0 has no managed memory' "$work/log"; then
        echo "FAILED: memory=managed on opencl:0"; cat "$work/log"; exit 1
    fi
fi
for case in *.yaml; do
    dimensions=$({ grep -o 'size: \[[^]]*\]' "$case" || true; } | tr -cd ,)
    case $dimensions in "") size='[33]' ;; ,) size='[21, 19]' ;; *) size='[9, 8, 10]' ;; esac
    change="grid.size=$size"
    extra=()
    if grep -q '^grid: none' "$case"; then
        change="grid=none"
    elif grep -q 'problem: rates' "$case"; then
        change="grid.cells=[2, 2, 1]" extra=(--set time.steps=20)
    fi
    if grep -q '^time: {.*end: steady' "$case"; then
        extra+=(--set time.tolerance=1)
    else
        end=$(grep -o 'time: {end: [0-9.e-]*' "$case" | grep -o '[0-9.e-]*$')
        short=$(awk -v end="$end" 'BEGIN { print end / 400 }')
        extra+=(--set "time.end=$short" --set "output.every=$short")
    fi
    run "$case" check "$work/check-${case%.yaml}" --set "$change" "${extra[@]}" --set checks={} \
        --set output.figures=[] --set output.fields=[]
done
