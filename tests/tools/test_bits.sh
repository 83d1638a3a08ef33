#!/usr/bin/env bash
# Every family of kernels has the same bits whether the compiler optimises or not: equations with stencils, functions
# and sums, products in each storage format, Krylov methods, preconditioners, images, signals, streams of pictures,
# laser rates. Levels: -O0 and -O3; the long version takes -O1 too, complex values and f32.
#
# Elementary functions are equal as well: at no level does the compiler call the vector functions of libmvec, which
# round otherwise than those of libm (it would with -ffast-math alone). A function of constants is the exception by
# design: at -O3 the compiler computes it itself, rounded correctly. No kernel has one: constants of formulas are
# computed before the text is written.
# TEST: optimised
set -u
. "$SOURCE/tests/tools/expect.sh"
case $SANITIZE in ?*) echo "one level with sanitizers"; exit 77 ;; esac
long=${RECHENWERK_TEST_LONG:-}
same=0
declare -A optimise=([O0]=never [O1]=first [O3]=first)
levels=(O0 O3)
[ -z "$long" ] || levels=(O0 O1 O3)
mkdir "${levels[@]}"
printf '#!/bin/sh\nexec %s "$@" -O1\n' "${RECHENWERK_CC:-cc}" > cc-O1
chmod +x cc-O1

# compare WHAT FILE COMMAND…: FILE, which the command writes in a folder of each level
compare() {
    local what=$1 file=$2 level
    shift 2
    for level in "${levels[@]}"; do
        (
            cd "$level" || exit 1
            [ "$level" != O1 ] || export RECHENWERK_CC=$work/cc-O1
            export RECHENWERK_OPTIMISE=${optimise[$level]} RECHENWERK_CACHE=$work/$level/cache
            "$RECHENWERK" "$@" > log 2>&1
        ) || { fail "$what, -$level: $(tail -3 "$level/log")"; return; }
        cmp "O0/$file" "$level/$file" || { fail "$what: -$level differs from -O0"; return; }
    done
    same=$((same + 1))
}

# ---- equations ----
cat > pde.yaml << 'EOF'
problem: pde
grid: {size: [67, 45], extent: [1, 0.7], order: 4}
parameters: {a: 0.3}
fields:
  u: {initial: "sin(3*x)*exp(-y) + 0.1", boundary: {left: 0.2, right: 0, y: {robin: [1, 0.5, x]}}}
  v: {initial: "cos(5*x*y)", boundary: {x: "0.3*y", y: {neumann: "sin(t)"}}}
equations:
  - "du/dt = a*laplace(u) - u*dx(u) + u*v - u^3 + tanh(v)*sqrt(1 + u*u)"
  - "dv/dt = divgrad(0.01 + 0.001*sin(u), v) + log(2 + u*u)*exp(-v*v) - v^3 + erf(u)/(1 + norm(u))"
time: {method: METHOD, end: 0.002}
output: {every: 0.001, figures: []}
EOF
for method in rkc2 rock4 dp5; do
    [ "$method" = rkc2 ] || [ -n "$long" ] || continue
    sed "s/METHOD/$method/" pde.yaml > "$method.yaml"
    [ "$method" != rock4 ] || sed -i "s/norm(u)/u*u/" "$method.yaml"
    compare "equations by $method" "$method/fields/000002.h5" run "$work/$method.yaml" -o "$method" -q
    compare "series of $method" "$method/series.csv" run "$work/$method.yaml" -o "$method" -q -f
done

# ---- sparse matrices ----
expect 0 "" generate laplace -c 12x11x3 -o laplace.mtx
expect 0 "" generate trace -c 5x4x3 -o trace.mtx
expect 0 "" generate trace -c 4x3x2 --complex --omega 0.3 -o complex.mtx
solve() { compare "$*" x.npy solve "$work/$1.mtx" -o x.npy -qf "${@:2}"; }
for format in csr dia ell sell coo; do solve laplace --format "$format" -m cg; done
for format in bcsr:5x5 vbcsr bell:5x5 bsell:5x5; do solve trace --format "$format" -m gmres -p jacobi:block=5; done
solve trace -m gmres -p ilu0
solve laplace -m bicgstab -p jacobi
solve laplace -m cg -p chebyshev
solve complex -m gmres -p jacobi
if [ -n "$long" ]; then
    for method in bicgstab gmres fgmres idr; do solve complex -m "$method"; done
    for precond in ssor milu ilut icc amg; do solve laplace -m cg -p "$precond"; done
    solve trace -m idr --vectors f32 -t 1e-4
    compare "an operator" x.npy solve --stencil 'u - 0.01*laplace(u) + 0.1*dx(u)' --grid 20x15 -m idr -o x.npy -qf
fi

# ---- images, signals, streams ----
awk 'BEGIN { srand(5); printf "P3 67 41 255\n"; for (i = 0; i < 3*67*41; ++i) printf "%d ", 256*rand() }' > u8.ppm
expect 0 "" image u8.ppm f32.npy --op "linear:gain=0.37" --type f32 -q
image() { compare "$*" y.npy image "$work/$1" y.npy -qf --op "$2"; }
image f32.npy "gauss:sigma=1.3|sobel|linear:gain=0.7"
image f32.npy "resize:width=99:height=30:interpolation=lanczos"
image f32.npy "warp:matrix=0.9 0.2 1/-0.1 1.1 2"
image f32.npy "gauss:sigma=9:algorithm=recursive"
image u8.ppm "equalize|rotate:angle=20"
awk 'BEGIN { for (i = 0; i < 9000; ++i) printf "%c", 128 + int(90*sin(i*i/9e4)) }' > u8.raw
compare "a signal" y.wav signal "$work/u8.raw" y.wav --samples 8000:u8 --op lowpass:cutoff=1000 --kind f32 -qf
{ printf 'YUV4MPEG2 W16 H8 F25:1 C420jpeg\nFRAME\n'; head -c 192 u8.raw; } > film.y4m
compare "a stream" y.y4m image "$work/film.y4m" y.y4m --op "gauss:sigma=1" -qf

# ---- laser rates ----
cat > laser.yaml << 'EOF'
problem: rates
grid: {kind: cylinder, radius: 0.5, core: 0.2, length: 10.0, cells: [6, 5, 2]}
pump: {power: 10 W, wavelength: 808 nm, profile: "2/(pi*0.4^2)*exp(-2*r2/0.4^2)/10"}
mode: {profile: "2/(pi*0.25^2)*exp(-2*r2/0.25^2)"}
time: {end: 1e-6, steps: 100}
output: {every: 5e-7, series_steps: 5, figures: []}
EOF
compare "laser rates" laser/series.csv run "$work/laser.yaml" -o laser -q
ls O0/cache/*.quick.so > /dev/null && ! ls O3/cache/*.quick.so > /dev/null 2>&1 || fail "other levels"
[ "$same" -ge 20 ] || fail "only $same comparisons"
echo "$same results with the same bits"
exit "$bad"
