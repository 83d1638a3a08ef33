#!/usr/bin/env bash
# Real matrices through every solver and preconditioner: is what is reported as converged within the tolerance? A x of each solution is computed again from the file, by awk in double precision.
#
#   bench/matrices.sh FOLDER [RESULTS]        every square .mtx file in FOLDER and below
#   RTOL=1e-6 VECTORS=f32 LIMIT=20 MOST=300000 bench/matrices.sh matrices results/matrices
#
# A source of matrices is SuiteSparse with the test matrices of its packages: `apt-get source suitesparse` (CHOLMOD, CXSparse, KLU, SPQR, GraphBLAS), or files from sparse.tamu.edu in Matrix Market form.
# Environment: RTOL (1e-8), VECTORS (f64), LIMIT seconds per solve (20), ITERATIONS (2000), MOST entries of a matrix (300000), METHODS and PRECONDS (all), DEVICE (cpu), RECHENWERK (build/rechenwerk).
# RESULTS (results/matrices) gets runs.csv, a line per solve, and wrong.txt, what was converged by report alone. Printed: a line per matrix with the number of solves that converged, stopped with a reason, were
# refused and ran out of time. Exit code: 1 if a solution that was reported as converged is above the tolerance or a solve crashed, 2 without matrices.
set -uo pipefail
export LC_ALL=C
case ${1:-} in -h | --help | '') sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 2 ;; esac
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$1 results=${2:-results/matrices}
command=${RECHENWERK:-$root/build/rechenwerk}
rtol=${RTOL:-1e-8} vectors=${VECTORS:-f64} limit=${LIMIT:-20} iterations=${ITERATIONS:-2000} most=${MOST:-300000} device=${DEVICE:-cpu}
methods=${METHODS:-$("$command" list solvers | awk '{print $1}')}
preconds=${PRECONDS:-none jacobi ssor ilu0 ilu1 milu ilut icc0 chebyshev amg}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$results"
printf 'matrix,rows,method,precond,exit,reason,iterations,reported,recomputed\n' >"$results/runs.csv"
: >"$results/wrong.txt"

# Of a Matrix Market file, with what symmetry leaves out: mode=b writes b = A x for x_i = 1 + (i mod 7) / 10; mode=check prints |b - A x| / |b| from the files b and x, and max |x| |A| eps beside it.
cat >"$work/mtx.awk" <<'AWK'
function put(i, j, re, im) { yr[i] += re * xr[j] - im * xi[j]; yi[i] += re * xi[j] + im * xr[j]; row[i] += (re < 0 ? -re : re) * size(j) + (im < 0 ? -im : im) * size(j) }
function size(j) { return (xr[j] < 0 ? -xr[j] : xr[j]) + (xi[j] < 0 ? -xi[j] : xi[j]) }
FILENAME != matrix && /^%/ { vector = /complex/; first = 1; next }
FILENAME == x_file { if (first) first = 0; else { xr[++nx] = $1; xi[nx] = vector ? $2 : 0 } next }
FILENAME == b_file { if (first) first = 0; else { br[++nb] = $1; bi[nb] = vector ? $2 : 0 } next }
FNR == 1 { $0 = tolower($0); complex = /complex/; pattern = /pattern/; symmetric = / symmetric/; skew = /skew-/; hermitian = /hermitian/; begun = 0; next }
/^%/ || NF == 0 { next }
!begun { begun = 1; n = $1; if (mode == "b") for (i = 1; i <= n; i++) { xr[i] = 1 + i % 7 / 10; xi[i] = 0 } next }
{
    re = pattern ? 1 : $3; im = complex ? $4 : 0
    put($1, $2, re, im)
    if ($1 != $2 && (symmetric || skew || hermitian)) put($2, $1, skew ? -re : re, hermitian ? -im : skew ? -im : im)
}
END {
    if (mode == "b") {
        printf "%%%%MatrixMarket matrix array %s general\n%d 1\n", (complex ? "complex" : "real"), n
        for (i = 1; i <= n; i++) printf complex ? "%.17g %.17g\n" : "%.17g\n", yr[i], yi[i]
    } else {
        for (i = 1; i <= n; i++) { rr += (br[i] - yr[i]) ^ 2 + (bi[i] - yi[i]) ^ 2; bb += br[i] ^ 2 + bi[i] ^ 2; aa += row[i] ^ 2 }
        unit = sqrt(bb > 0 ? bb : 1)
        printf "%.6e %.6e\n", sqrt(rr) / unit, eps * sqrt(aa) / unit
    }
}
AWK

within='BEGIN { exit !(r ~ /^[0-9.e+-]+$/ && r + 0 <= t * (1 + 1e-6) + 4 * e) }'
value() { sed -n "s/.*\"$1\": \"\{0,1\}\([^\",}]*\).*/\1/p" "$work/out"; }
count=0 wrong=0
printf '%-28s %8s %9s %10s %8s %8s %6s\n' matrix rows converged stopped refused timeout wrong
while IFS= read -r -d '' file; do
    read -r rows columns entries < <(awk '/^%/ || NF == 0 { next } { print $1, $2, $3; exit }' "$file")
    if ! head -1 "$file" | grep -qi 'matrix coordinate' || [ "${rows:-0}" != "${columns:-1}" ] || [ "$rows" -lt 2 ] || [ "${entries:-0}" -lt 1 ] || [ "$entries" -gt "$most" ]; then continue; fi
    name=$(basename "$file" .mtx) converged=0 stopped=0 refused=0 late=0 bad=0
    awk -v mode=b -v matrix="$file" -f "$work/mtx.awk" "$file" >"$work/b.mtx" || exit 2
    for method in $methods; do
        for precond in $preconds; do
            rm -f "$work/x.mtx"
            timeout "$limit" "$command" solve "$file" "$work/b.mtx" -d "$device" -m "$method" -p "$precond" -t "$rtol" -n "$iterations" --vectors "$vectors" -o "$work/x.mtx" --json >"$work/out" 2>"$work/err"
            code=$? recomputed=
            case $code in
            0)
                converged=$((converged + 1))
                eps=$([ "$vectors" = f32 ] && echo 1.2e-7 || echo 2.3e-16)
                read -r recomputed rounding < <(awk -v mode=check -v eps="$eps" -v matrix="$file" -v x_file="$work/x.mtx" -v b_file="$work/b.mtx" -f "$work/mtx.awk" "$work/x.mtx" "$work/b.mtx" "$file")
                awk -v r="$recomputed" -v t="$rtol" -v e="$rounding" "$within" || bad=$((bad + 1))
                ;;
            3) stopped=$((stopped + 1)) ;;
            124) late=$((late + 1)) ;;
            1 | 2) refused=$((refused + 1)) ;;
            *) bad=$((bad + 1)) ;;
            esac
            printf '%s,%s,%s,%s,%s,"%s",%s,%s,%s\n' "$name" "$rows" "$method" "$precond" "$code" "$(value reason)" "$(value iterations)" "$(value residual)" "$recomputed" >>"$results/runs.csv"
            [ $code -le 3 ] || [ $code = 124 ] || printf '%s %s %s: exit code %s: %s\n' "$name" "$method" "$precond" $code "$(head -1 "$work/err")" >>"$results/wrong.txt"
            [ $code != 0 ] || awk -v r="$recomputed" -v t="$rtol" -v e="$rounding" "$within" ||
                printf '%s %s %s: reported %s, |b - A x| / |b| = %s, allowed %s and %s of rounding errors\n' "$name" "$method" "$precond" "$(value residual)" "$recomputed" "$rtol" "$rounding" >>"$results/wrong.txt"
        done
    done
    count=$((count + 1)) wrong=$((wrong + bad))
    printf '%-28s %8s %9s %10s %8s %8s %6s\n' "$name" "$rows" $converged $stopped $refused $late $bad
done < <(find -L "$folder" -name '*.mtx' -type f -print0 | sort -z)
[ $count -gt 0 ] || { echo "bench/matrices.sh: no square matrix of at most $most entries in $folder"; exit 2; }
echo "$count matrices, rtol $rtol, vectors $vectors: $wrong wrong; $results/runs.csv"
[ $wrong -eq 0 ] || { cat "$results/wrong.txt"; exit 1; }
