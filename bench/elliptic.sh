#!/usr/bin/env bash
# Poisson's equation by our multigrid and transforms next to multigrid of hypre (PFMG) and PETSc (DMDA), in one run:
# f64, cells, u = 0 on the sides, a random right-hand side, from 0 to a residual of 1e-8 |f| (bench/peers/poisson.h).
#
#   bench/elliptic.sh [FOLDER [ROUNDS [CORES [SIZE...]]]]      minutes; 5, 2 and the sizes 2048^2 128^3 are the defaults
#   bench/elliptic.sh results/small 1 2 256^2 32^3
#
# In each round our multigrid runs before every other row, with as many threads as the peers have processes. Each run is
# a process of its own: set-up, a solve to warm up, a timed solve. It recomputes the residual: a wrong solution ends the
# script. Nothing is bound to a core, and processes that wait yield theirs, so that other load stops neither side.
# FOLDER (results/elliptic) gets runs.csv, a line per run, and table.txt, which is printed too. `ratio` is the median
# over the rounds of the row's seconds divided by those of our multigrid just before; set-up is not in it.
#
# PETSc is found by pkg-config (Debian: petsc-dev), hypre in HYPRE_DIR or where the system has it (libhypre-dev); what
# is missing is left out and named. PETSC_EXTRA and HYPRE_EXTRA have more options (bench/peers/poisson.c); DEVICE is the
# device of our rows (cpu). Exit code: 0, else that of the command that failed.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
case ${1:-} in -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;; esac
folder=${1:-results/elliptic} rounds=${2:-5} cores=${3:-2}
sizes=("${@:4}")
[ ${#sizes[@]} -gt 0 ] || sizes=(2048^2 128^3)
build=${BUILD:-$root/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say() {
    printf '== %s  [%d s, load %s]\n' "$*" $SECONDS "$(cut -d ' ' -f 1 /proc/loadavg 2>/dev/null || echo unknown)"
}
mkdir -p "$folder"
runs=$folder/runs.csv
echo "size,round,library,variant,iterations,seconds,setup,residual" >"$runs"

say "building"
[ -f "$build/CMakeCache.txt" ] || cmake -S "$root" -B "$build" >/dev/null
cmake --build "$build" --target rechenwerk --parallel >/dev/null
"${CC:-cc}" -std=gnu17 -O3 -march=native -fopenmp "$root/bench/peers/elliptic.c" -I"$root/include" \
    -L"$build" -Wl,-rpath,"$build" -lrechenwerk -lm -o "$work/ours"
# build_peer NAME FLAG...
build_peer() {
    local name=$1
    shift
    mpicc -O3 -march=native -w "-D${name^^}" "$root/bench/peers/poisson.c" "$@" -lm -o "$work/$name" 2>"$work/log" ||
        say "without $name: $(grep -m 1 -i error "$work/log" || head -n 1 "$work/log")"
}
read -ra flags < <(pkg-config --cflags --libs petsc 2>/dev/null) || true
build_peer petsc "${flags[@]}"
flags=(-I/usr/include/hypre)
[ -z "${HYPRE_DIR:-}" ] || flags=("-I$HYPRE_DIR/include" "-L$HYPRE_DIR/lib" "-Wl,-rpath,$HYPRE_DIR/lib")
build_peer hypre "${flags[@]}" -lHYPRE

# one SIZE ROUND LIBRARY VARIANT [OPTION...]: a line of runs.csv.
one() {
    local size=$1 round=$2 library=$3 variant=$4
    shift 4
    if [ "$library" = ours ]; then
        RECHENWERK_OPTIMISE=first OMP_NUM_THREADS=$cores "$work/ours" "$size" "$variant" "${DEVICE:-cpu}"
    else
        OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
            mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n "$cores" "$work/$library" "$size" "$@"
    fi >"$work/line" 2>"$work/log" || { say "$library $variant, $size: $(head -n 3 "$work/log")"; return 1; }
    sed "s| |,|g; s|^|$size,$round,$library,$variant,|" "$work/line" >>"$runs"
}
# pair SIZE ROUND LIBRARY VARIANT [OPTION...]: our multigrid, then the row.
pair() {
    [ "$3" = ours ] || [ -x "$work/$3" ] || return 0
    one "$1" "$2" ours multigrid
    one "$@"
}

read -ra petsc_extra <<<"${PETSC_EXTRA:-}"
read -ra hypre_extra <<<"${HYPRE_EXTRA:-}"
for size in "${sizes[@]}"; do
    # V-cycles down to 8 cells along each axis, or an odd number. Sweeps of Gauss-Seidel, each process on its own cells:
    # two symmetric ones for cg, two forward ones alone.
    levels=1
    for ((n = ${size%^*}; n % 2 == 0 && n > 8; n /= 2)); do levels=$((levels + 1)); done
    petsc=(-pc_type mg -pc_mg_levels "$levels" -mg_levels_ksp_type richardson -mg_levels_pc_type sor
        -mg_levels_ksp_max_it 2 "${petsc_extra[@]}")
    for round in $(seq "$rounds"); do
        say "$size, round $round of $rounds on $cores cores"
        pair "$size" "$round" ours transform
        pair "$size" "$round" hypre PFMG "${hypre_extra[@]}"
        pair "$size" "$round" hypre "PFMG relax=3" relax=3 "${hypre_extra[@]}"
        pair "$size" "$round" hypre PCG+PFMG pcg "${hypre_extra[@]}"
        pair "$size" "$round" petsc cg+mg -ksp_type cg "${petsc[@]}"
        pair "$size" "$round" petsc richardson+mg -ksp_type richardson -mg_levels_pc_sor_local_forward "${petsc[@]}"
    done
done

awk -F, '
    function median(list, n, i, j, t, v) {
        n = split(list, v, " ")
        for (i = 2; i <= n; ++i)
            for (j = i; j > 1 && v[j] + 0 < v[j - 1] + 0; --j) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
        least = v[1]; most = v[n]
        return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
    }
    NR == 1 { next }
    {
        k = $1 "," $3 "," $4
        if (!(k in seconds)) order[++n] = k
        seconds[k] = seconds[k] " " $6; setup[k] = setup[k] " " $7; steps[k] = $5; residual[k] = $8
        if ($3 == "ours" && $4 == "multigrid") ours = $6
        else ratios[k] = ratios[k] " " $6 / ours
    }
    END {
        printf "%-8s %-6s %-14s %4s %10s %9s %8s %9s %6s %14s\n", "size", "by", "variant", "its", "solve s", "spread %",
            "setup s", "residual", "ratio", "least, most"
        for (i = 1; i <= n; ++i) {
            k = order[i]; split(k, f, ",")
            m = median(seconds[k])
            printf "%-8s %-6s %-14s %4d %10.4g %9.1f %8.3g %9.1e", f[1], f[2], f[3], steps[k], m,
                100 * (most - least) / m, median(setup[k]), residual[k]
            if (k in ratios) {
                m = median(ratios[k])
                printf " %6.2f %14s", m, sprintf("%.2f, %.2f", least, most)
            }
            print ""
        }
    }' "$runs" | tee "$folder/table.txt"
say "done: $folder"
