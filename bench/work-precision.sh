#!/usr/bin/env bash
# Work and precision of our stabilised Runge-Kutta methods beside SUNDIALS' RKC2 and RKL2: for each of three problems
# the error against right-hand sides and against seconds, both programs from the same reference solutions, on this
# machine.
#
#   bench/work-precision.sh [FOLDER [ARGUMENT...]]    one core for seven minutes; the arguments go to the study:
#   bench/work-precision.sh results/front -s problems=front -s runs=10
#   bench/work-precision.sh results/cuda -d cuda:0
#
# FOLDER (results/precision) gets the tables and figures of `rechenwerk lab precision`, sundials.csv, and the reference
# solutions in references/. $RECHENWERK is the command; without it build/rechenwerk, which is built when it is missing.
# SUNDIALS 7.2 or newer is looked for in $SUNDIALS_DIR (its include and lib), else where the compiler $CC (cc) looks;
# without it ours are measured alone. Exit code: 0, else that of the command that failed.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
case ${1:-} in -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;; esac
folder=${1:-results/precision}
[ $# -gt 0 ] && shift
rechenwerk=${RECHENWERK:-$root/build/rechenwerk}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say() {
    printf '== %s  [%d s, load %s]\n' "$*" $SECONDS "$(cut -d ' ' -f 1 /proc/loadavg 2>/dev/null || echo unknown)"
}

if [ ! -x "$rechenwerk" ]; then
    say "building $rechenwerk"
    cmake -S "$root" -B "$root/build"
    cmake --build "$root/build" --target rechenwerk-command --parallel
fi

build_peer() {
    local flags=()
    [ -z "${SUNDIALS_DIR:-}" ] || flags=("-I$SUNDIALS_DIR/include" "-L$SUNDIALS_DIR/lib" "-Wl,-rpath,$SUNDIALS_DIR/lib")
    "${CC:-cc}" -std=c17 -O3 -march=native "${flags[@]}" "$root/bench/peers/sundials.c" -lsundials_arkode \
        -lsundials_nvecserial -lsundials_core -lm -o "$work/sundials" 2>"$work/log"
}

# The problems are those that have a reference; of the tables one head stays.
measure_peer() {
    local problem
    for problem in front source brusselator; do
        [ -f "$folder/references/$problem.f64" ] || continue
        say "SUNDIALS: $problem"
        "$work/sundials" $problem "$folder/references/$problem.f64" >>"$work/csv" ||
            say "SUNDIALS: $problem: not every integration finished"
    done
    awk 'NR == 1 || !/^problem,/' "$work/csv" >"$folder/sundials.csv"
}

mkdir -p "$folder/references"
rm -f "$folder"/references/{front,source,brusselator}.f64
peers=()
if build_peer; then
    say "reference solutions"
    "$rechenwerk" lab precision "$@" -t references -s "references=$folder/references" >/dev/null
    measure_peer
    peers=(-s "peers=$folder/sundials.csv")
else
    say "without SUNDIALS: bench/peers/sundials.c does not compile: $(grep -m 1 -i error "$work/log" ||
        head -n 1 "$work/log")"
    echo "   give its place as SUNDIALS_DIR=FOLDER, with include and lib in it"
fi
say "the study"
"$rechenwerk" lab precision "$@" -s "references=$folder/references" "${peers[@]}" -o "$folder"
say "done: $folder"
