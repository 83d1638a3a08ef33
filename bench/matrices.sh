#!/usr/bin/env bash
# Real matrices through every solver and preconditioner: is what is reported as converged within the tolerance?
# b - A x of each solution is computed again from the files, by awk in double precision.
#
#   bench/matrices.sh FOLDER [RESULTS]
#   RTOL=1e-5 VECTORS=f32 LIMIT=3 bench/matrices.sh matrices results/matrices
#
# FOLDER: every square matrix in it and below: Matrix Market files (.mtx), and the triplets of CHOLMOD and CSparse,
# which are files without a suffix or with .tri. Equal files are taken once. One source is the source package of
# SuiteSparse: apt-get source suitesparse.
#
# RESULTS (default: results/matrices) receives
#   runs.csv      one line per solve
#   refused.txt   the messages of what was refused, and how often
#   wrong.txt     solves that are converged by their report alone, or that crashed
#
# Environment, with defaults:
#   RTOL=1e-8  VECTORS=f64  ITERATIONS=2000  DEVICE=cpu  RECHENWERK=build/rechenwerk
#   LIMIT=20      seconds per solve
#   MOST=300000   rows and entries of a matrix
#   METHODS       names of solvers (default: all)
#   PRECONDS      preconditioners (default: none jacobi ssor ilu0 ilu1 milu ilut icc0 chebyshev amg)
#   PART=1/1      the first of one part; 2/3: matrices 2, 5, 8 ...
#
# Exit code: 1 where a solution reported as converged is above the tolerance or a solve crashed, 2 without matrices.
set -uo pipefail
export LC_ALL=C
case ${1:-} in -h | --help | '') sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 2 ;; esac

root=$(cd "$(dirname "$0")/.." && pwd)
folder=$1 results=${2:-results/matrices}
command=${RECHENWERK:-$root/build/rechenwerk}
rtol=${RTOL:-1e-8} vectors=${VECTORS:-f64} iterations=${ITERATIONS:-2000} device=${DEVICE:-cpu}
limit=${LIMIT:-20} most=${MOST:-300000} part=${PART:-1/1}
methods=${METHODS:-$("$command" list solvers | awk '{print $1}')}
preconds=${PRECONDS:-none jacobi ssor ilu0 ilu1 milu ilut icc0 chebyshev amg}
eps=$([ "$vectors" = f32 ] && echo 1.2e-7 || echo 2.3e-16)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$results" "$work/all" || exit 2

# ---- matrices ---------------------------------------------------------------------------------------------------

# The sizes of a Matrix Market file: rows, columns, entries.
sizes_of() { awk '/^%/ || NF == 0 { next } { print $1, $2, $3 + 0; exit }' "$1"; }

# The path of a file as a name: CHOLMOD_Demo_Matrix_c
name_of() { local name=${1#"$folder"/}; name=${name%.*}; echo "${name//\//_}"; }

# take FILE NAME: into $work/all if it is a square matrix of coordinates, small enough, and the first of its kind.
take() {
    local rows columns entries sum
    head -1 "$1" | grep -aqi '^%%MatrixMarket matrix coordinate' || return
    read -r rows columns entries < <(sizes_of "$1")
    [ "${rows:-0}" = "${columns:-1}" ] && [ "$rows" -gt 1 ] && [ "$rows" -le "$most" ] || return
    [ "$entries" -gt 0 ] && [ "$entries" -le "$most" ] || return
    sum=$(grep -av '^%' "$1" | cksum)
    grep -qxF "$sum" "$work/sums" 2>/dev/null && return
    echo "$sum" >>"$work/sums"
    cp "$1" "$work/all/$2.mtx"
}

collect() {
    local file name
    while IFS= read -r -d '' file; do take "$file" "$(name_of "$file")"; done < <(
        find -L "$folder" -name '*.mtx' -type f -print0 | sort -z)
    while IFS= read -r -d '' file; do
        name=$(name_of "$file")
        for head in 1 $([[ $file == *.tri ]] || echo 0); do
            awk -v head="$head" -f "$root/bench/triplets.awk" "$file" >"$work/triplets" 2>/dev/null || continue
            take "$work/triplets" "$name"
            break
        done
    done < <(find -L "$folder" \( -name '*.tri' -o ! -name '*.*' \) -type f -size -4M -print0 | sort -z)
}

# ---- solves -----------------------------------------------------------------------------------------------------

# The value of a key in the JSON of the last solve.
value() { sed -n "s/.*\"$1\": \"\{0,1\}\([^\",}]*\).*/\1/p" "$work/out"; }

wrong() { echo "$name $method $precond: $1" >>"$results/wrong.txt"; ((count[wrong]++)); }

# |b - A x| / |b| of the solution into `recomputed`; wrong where it is above the tolerance by more than rounding errors.
check() {
    local rounding
    read -r recomputed rounding < <(awk -v mode=check -v eps="$eps" -v matrix="$file" -v x_file="$work/x.mtx" \
        -v b_file="$work/b.mtx" -f "$root/bench/matrices.awk" "$work/x.mtx" "$work/b.mtx" "$file")
    awk -v r="$recomputed" -v t="$rtol" -v e="$rounding" \
        'BEGIN { exit !(r ~ /^[0-9.e+-]+$/ && r + 0 <= t * (1 + 1e-6) + 4 * e) }' ||
        wrong "reported $(value residual), |b - A x| / |b| = $recomputed, allowed $rtol, rounding errors $rounding"
}

solve() {
    local code recomputed=
    rm -f "$work/x.mtx"
    timeout "$limit" "$command" solve "$file" "$work/b.mtx" -d "$device" -m "$method" -p "$precond" -t "$rtol" \
        -n "$iterations" --vectors "$vectors" --duplicates sum -o "$work/x.mtx" --json >"$work/out" 2>"$work/err"
    code=$?
    case $code in
    0) ((count[converged]++)); check ;;
    3) ((count[stopped]++)) ;;
    1 | 2) ((count[refused]++)); grep -a 'rechenwerk: ' "$work/err" | tail -1 >>"$work/refused" ;;
    124) ((count[timeout]++)) ;;
    *) wrong "exit code $code: $(head -1 "$work/err")" ;;
    esac
    printf '%s,%s,%s,%s,"%s",%s,%s,%s\n' "$name" "$method" "$precond" $code "$(value reason)" "$(value iterations)" \
        "$(value residual)" "$recomputed" >>"$results/runs.csv"
}

# Every solver with every preconditioner.
solve_all() {
    count=([converged]=0 [stopped]=0 [refused]=0 [timeout]=0 [wrong]=0)
    awk -v mode=b -v matrix="$file" -f "$root/bench/matrices.awk" "$file" >"$work/b.mtx" || exit 2
    for method in $methods; do
        for precond in $preconds; do solve; done
    done
}

print_line() { printf '%-40s %8s %9s %8s %8s %8s %6s\n' "$@"; }

declare -A count all=([converged]=0 [stopped]=0 [refused]=0 [timeout]=0 [wrong]=0)
echo 'matrix,method,precond,exit,reason,iterations,reported,recomputed' >"$results/runs.csv"
: >"$results/wrong.txt"
: >"$work/refused"
collect
matrices=0 solved=0
print_line matrix rows converged stopped refused timeout wrong
while IFS= read -r file; do
    name=$(basename "$file" .mtx)
    read -r rows _ < <(sizes_of "$file")
    solve_all
    for key in "${!all[@]}"; do ((all[$key] += count[$key])); done
    ((matrices++, solved += count[converged] > 0))
    print_line "$name" "$rows" "${count[converged]}" "${count[stopped]}" "${count[refused]}" "${count[timeout]}" \
        "${count[wrong]}"
done < <(find "$work/all" -name '*.mtx' | sort | awk -v part="$part" 'split(part, p, "/") && NR % p[2] == p[1] % p[2]')
[ $matrices -gt 0 ] ||
    { echo "bench/matrices.sh: no square matrix of at most $most rows and entries in $folder"; exit 2; }

print_line all '' "${all[converged]}" "${all[stopped]}" "${all[refused]}" "${all[timeout]}" "${all[wrong]}"
sed -E "s#$work/all/##; s/[0-9]+/N/g" "$work/refused" | sort | uniq -c | sort -rn >"$results/refused.txt"
echo "$matrices matrices, $solved of them solved at least once; rtol $rtol, vectors $vectors; $results/runs.csv"
[ "${all[wrong]}" -eq 0 ] || { cat "$results/wrong.txt"; exit 1; }
