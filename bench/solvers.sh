#!/usr/bin/env bash
# Products and solvers of sparse matrices on processors beside PETSc, hypre (through PETSc) and SciPy, all in one run:
# seconds an iteration, GB/s by least bytes, the share of what this machine reads, and how far the results lie apart.
#
#   bench/solvers.sh [FOLDER [CELLS [ROUNDS]]]        an hour with all peers; 56 and 3 are the defaults
#   bench/solvers.sh results/small 24 1
#
# The systems: CELLS^3 cells of the study of blocks (5 x 5, 13 a row), real and complex, and a Laplacian of (2 CELLS)^3.
# FOLDER (results/solvers) gets runs.csv, a line a repetition, and table.txt, which is printed too. Everything runs on
# one core, then on all. PETSc is found by pkg-config (Debian: petsc-dev, for complex numbers libpetsc-complex-dev),
# SciPy by python3; what is missing is left out and named. Exit code: 0, else that of the command that failed.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
case ${1:-} in -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;; esac
folder=${1:-results/solvers} cells=${2:-56} rounds=${3:-3}
build=${BUILD:-$root/build}
cores=$(nproc)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say() {
    printf '== %s  [%d s, load %s]\n' "$*" $SECONDS "$(cut -d ' ' -f 1 /proc/loadavg 2>/dev/null || echo unknown)"
}
mkdir -p "$folder"
runs=$folder/runs.csv
echo "system,work,cores,library,variant,iterations,seconds,setup" >"$runs"

say "building"
[ -f "$build/CMakeCache.txt" ] || cmake -S "$root" -B "$build" >/dev/null
cmake --build "$build" --target rechenwerk --parallel >/dev/null
"${CC:-cc}" -std=gnu17 -O3 -march=native -fopenmp "$root/bench/peers/solvers.c" -I"$root/include" \
    -L"$build" -Wl,-rpath,"$build" -lrechenwerk -lm -o "$work/ours"
for kind in real complex; do
    package=petsc-$kind flags=()
    pkg-config --exists "$package" 2>/dev/null ||
        for file in /usr/lib/petscdir/petsc*/*-"$kind"/lib/pkgconfig/petsc.pc; do package=$file; done
    read -ra flags < <(pkg-config --cflags --libs "$package" 2>/dev/null) || true
    if mpicc -O3 -march=native -w "$root/bench/peers/petsc.c" "${flags[@]}" -lm -o "$work/petsc-$kind" \
        2>"$work/log"; then continue; fi
    say "without PETSc ($kind): $(grep -m 1 -i error "$work/log" || head -n 1 "$work/log")"
done
scipy=
if python3 -c 'import scipy' 2>/dev/null; then scipy=yes; else say "without SciPy: python3 does not find it"; fi

say "systems"
mkdir "$work/real" "$work/complex" "$work/laplace"
"$work/ours" write trace "${cells}x${cells}x$cells" "$work/real"
"$work/ours" write complex "${cells}x${cells}x$cells" "$work/complex"
"$work/ours" write laplace "$((2 * cells))x$((2 * cells))x$((2 * cells))" "$work/laplace"

# one LIBRARY SYSTEM WORK VARIANT ITERATIONS RTOL CORES [OPTION...]: lines of runs.csv; the first result of a system's
# work stays, and the others are compared with it.
one() {
    local library=$1 system=$2 job=$3 variant=$4 iterations=$5 rtol=$6 n=$7 arguments output=$work/x first
    shift 7
    arguments=("$work/$system" "$job" "$variant" "$iterations" "$rtol" "$output")
    case $library in
    ours) OMP_NUM_THREADS=$n "$work/ours" run "${arguments[@]}" ;;
    scipy)
        [ -n "$scipy" ] && [ "$n" = 1 ] || return 0
        OMP_NUM_THREADS=$n python3 "$root/bench/peers/scipy_solvers.py" "${arguments[@]}"
        ;;
    petsc)
        local kind=real
        [ "$system" != complex ] || kind=complex
        [ -x "$work/petsc-$kind" ] || return 0
        OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
            mpirun --oversubscribe --bind-to core -n "$n" "$work/petsc-$kind" "${arguments[@]}" "$@"
        ;;
    esac >"$work/lines" 2>"$work/log" || { say "$library $system $job $variant: $(tail -n 1 "$work/log")"; return 0; }
    sed "s|^\([0-9]*\) \([^ ]*\) *\(.*\)|$system,$job $iterations $rtol,$n,$library,$variant,\1,\2,\3|" "$work/lines" \
        >>"$runs"
    first="$work/first-$system-${job%2}-$rtol-$iterations"
    if [ ! -f "$first" ]; then
        cp "$output" "$first"
    else
        echo "$system,$job $iterations $rtol,$n,$library,$variant,$("$work/ours" compare "$first" "$output")" \
            >>"$work/apart"
    fi
}

: >"$work/apart"
for n in 1 $cores; do
    for round in $(seq "$rounds"); do
        say "round $round of $rounds on $n of $cores cores"
        OMP_NUM_THREADS=$n "$work/ours" stream | sed "s|^\([a-z]*\) \(.*\)|stream,\1,$n,ours,,1,\2,|" >>"$runs"
        for system in real complex; do
            one ours $system product bcsr:5x5 0 0 "$n"; one petsc $system product baij 0 0 "$n"
            one petsc $system product aij 0 0 "$n"; one scipy $system product bsr 0 0 "$n"
            one ours $system gmres bcsr:5x5/none 60 0 "$n"; one petsc $system gmres baij/none 60 0 "$n"
            one petsc $system gmres2 baij/none 60 0 "$n"
            one ours $system gmres bcsr:5x5/ilu 300 1e-8 "$n"; one petsc $system gmres baij/ilu 300 1e-8 "$n"
        done
        one ours real product csr 0 0 "$n"
        one scipy real gmres bsr/none 60 0 "$n"
        one ours laplace product csr 0 0 "$n"; one ours laplace product dia 0 0 "$n"
        one petsc laplace product aij 0 0 "$n"; one petsc laplace product hypre 0 0 "$n"
        one scipy laplace product csr 0 0 "$n"; one scipy laplace product dia 0 0 "$n"
        one ours laplace cg csr/none 100 0 "$n"; one ours laplace cg dia/none 100 0 "$n"
        one petsc laplace cg aij/none 100 0 "$n"; one scipy laplace cg csr/none 100 0 "$n"
        one ours laplace cg csr/amg 300 1e-8 "$n"; one petsc laplace cg aij/gamg 300 1e-8 "$n"
        one petsc laplace cg aij/boomeramg 300 1e-8 "$n" -pc_hypre_boomeramg_strong_threshold 0.5
        [ "$n" != "$cores" ] || [ "$n" != 1 ] || break
    done
    [ "$cores" != 1 ] || break
done

# Medians. Of products and of solvers with a set number of iterations seconds an iteration; of solvers to a tolerance
# seconds in all, set-up included.
awk -F, -v apart="$work/apart" '
    function median(list, n, i, j, t, v) {
        n = split(list, v, " ")
        for (i = 2; i <= n; ++i)
            for (j = i; j > 1 && v[j] + 0 < v[j - 1] + 0; --j) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
        least = v[1]; most = v[n]
        return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
    }
    BEGIN {
        while ((getline line < apart) > 0) {
            split(line, f, ","); k = f[1] "," f[2] "," f[3] "," f[4] "," f[5]
            if (f[6] + 0 > far[k] + 0) far[k] = f[6]
        }
    }
    NR == 1 { next }
    $1 == "stream" { speed[$2, $3] = speed[$2, $3] " " $7; next }
    {
        k = $1 "," $2 "," $3 "," $4 "," $5
        if (!(k in seconds)) order[++n] = k
        split($2, w, " ")
        seconds[k] = seconds[k] " " (w[3] > 0 ? $7 + $8 : $7 / $6)
        steps[k] = $6
    }
    END {
        for (s in speed) { split(s, p, SUBSEP); printf "%s on %d: %.1f GB/s\n", p[1], p[2], median(speed[s]) | "sort" }
        close("sort")
        printf "\n%-8s %-18s %5s %-6s %-16s %5s %12s %9s %7s %8s\n", "system", "work", "cores", "by", "variant", "its",
            "seconds", "spread %", "ours x", "apart"
        for (i = 1; i <= n; ++i) {
            k = order[i]; split(k, f, ",")
            m = median(seconds[k]); g = f[1] "," f[2] "," f[3]
            if (f[4] == "ours" && (!(g in best) || m < best[g])) best[g] = m
        }
        for (i = 1; i <= n; ++i) {
            k = order[i]; split(k, f, ",")
            m = median(seconds[k]); g = f[1] "," f[2] "," f[3]; sub(/gmres2/, "gmres", g)
            printf "%-8s %-18s %5d %-6s %-16s %5d %12.5g %9.1f %7s %8s\n", f[1], f[2], f[3], f[4], f[5], steps[k], m,
                100 * (most - least) / m, (g in best) ? sprintf("%.2f", m / best[g]) : "", far[k]
        }
    }' "$runs" | tee "$folder/table.txt"
say "done: $folder"
