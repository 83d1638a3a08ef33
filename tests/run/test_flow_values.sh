#!/usr/bin/env bash
# The table of plane flows beside published values: a run that fails and a wrong argument end it. Long: coarse grids,
# all within their tolerances; a value outside ends it with 1. Environment: SOURCE, RECHENWERK, RECHENWERK_TEST_LONG.
# TEST: optimised
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
values="$SOURCE/bench/flow_values.sh"
if RECHENWERK=false bash "$values" quick "$work/none" >"$work/table" 2>&1; then
    echo "runs that fail pass"; exit 1
fi
grep -q 'the run failed (1)' "$work/table"
status=0
bash "$values" fast "$work/none" >"$work/said" 2>&1 || status=$?
[ "$status" = 2 ] && grep -q 'fast is unknown: quick, usual or all' "$work/said"
[ "${RECHENWERK_TEST_LONG:-}" = 1 ] || exit 0
bash "$values" -d cpu quick "$work/values" >"$work/table" || { cat "$work/table"; exit 1; }
rows=$(grep -c '^|' "$work/table")
[ "$rows" -ge 35 ] || { echo "only $rows rows"; cat "$work/table"; exit 1; }
sed 's/-0.099616/-0.0997/' "$values" >"$work/other.sh"
if bash "$work/other.sh" -d cpu quick "$work/other" >"$work/table" 2>&1; then
    echo "a value outside its tolerance passes"; cat "$work/table"; exit 1
fi
grep -q 'psi_min | -0.0996164 | -0.0997 | 2.0e-05 | S, \*\*outside\*\* |' "$work/table"
