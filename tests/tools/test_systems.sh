#!/bin/bash
# rechenwerk solve and convert as a person uses them: right-hand sides from .npy and .mtx, real and complex, every
# method that the library names, x read back and put into A x, what is printed and written, exit codes, and every kind
# of wrong input. Environment: RECHENWERK, the command; SOURCE; RECHENWERK_TEST_LONG: with 1 every method and
# preconditioner in every combination.
# shellcheck source=tests/tools/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh" || exit 1

long() { [ "${RECHENWERK_TEST_LONG:-}" = 1 ]; }
# number KEY: its value in the JSON of the last call
number() { sed -n "s/.*\"$1\": \([-0-9.e+]*\).*/\1/p" out; }
below() { awk -v x="$1" -v y="$2" 'BEGIN { exit !(x != "" && x + 0 <= y + 0) }'; }

# grid N REAL|COMPLEX: a five-point matrix with diagonal 4.5 (complex: plus i), not symmetric
grid() {
    awk -v n="$1" -v kind="$2" '
        function put(i, j, v) { e[++k] = (i + 1) " " (j + 1) " " v (kind == "complex" ? (i == j ? " 1" : " 0") : "") }
        BEGIN { for (i = 0; i < n * n; i++) {
            if (i >= n) put(i, i - n, -1)
            if (i % n) put(i, i - 1, -1.2)
            put(i, i, 4.5)
            if (i % n < n - 1) put(i, i + 1, -0.8)
            if (i < n * n - n) put(i, i + n, -1) }
            print "%%MatrixMarket matrix coordinate", kind, "general\n" n * n, n * n, k
            for (i = 1; i <= k; i++) print e[i] }'
}
# vector N VALUES...: an array of the Matrix Market, the values again and again
vector() {
    local n=$1
    shift
    printf '%%%%MatrixMarket matrix array real general\n%s 1\n' "$n"
    for ((i = 0; i < n; i++)); do echo "${@:1+i%$#:1}"; done
}
grid 20 real > real.mtx
grid 12 complex > complex.mtx
vector 400 1 -2 0.5 > b.mtx

# ---- solve -----------------------------------------------------------------------------------------------------------

# without b: A times ones, whose solution is known
expect 0 "largest error of x" solve real.mtx
grep -qF "b          A times ones" out || fail "solve does not say what b is: $(cat out)"
grep -q '^  converged after' out || fail "solve does not say that it converged: $(cat out)"
for text in 'real.mtx: 400 x 400, 1920 entries, real' 'format     ' 'memory     ' \
    'method     gmres, restart 30, preconditioner none' 'iteration' '|b - A x|'; do
    grep -qF -- "$text" out || fail "solve prints no '$text'"
done
methods=$("$command" list solvers | awk '/^[^ ]/ {print $1}')
[ -n "$methods" ] || fail "no solvers"
for method in $methods; do
    [ "$method" = cg ] && continue # needs a symmetric matrix
    for precond in none jacobi ilu0; do
        [ $precond != jacobi ] || long || continue
        expect 0 "" solve real.mtx -m "$method" -p $precond -t 1e-9 --json
        below "$(number error)" 1e-6 || fail "$method, $precond: error $(number error)"
        below "$(number residual)" "$(awk -v b="$(number right_side)" 'BEGIN { print 1.5e-9 * b }')" ||
            fail "$method, $precond: residual $(number residual)"
    done
    [ "$method" = gmres ] || long || continue
    expect 0 "" solve complex.mtx -m "$method" -t 1e-9 --json
    below "$(number error)" 1e-6 || fail "$method, complex: error $(number error)"
done
sed 's/-1.2$/-1/; s/-0.8$/-1/' real.mtx > symmetric.mtx
expect 0 "method     cg, preconditioner jacobi" solve symmetric.mtx -m cg -p jacobi
for precond in ssor:omega=1.2 ilu1:order=colours:sweeps=4 ilut:drop=1e-2:f32 chebyshev amg; do
    expect 0 "levels, setup" solve real.mtx -p $precond
done
# a format chosen for speed leaves preconditioners as they are with csr; blocks are reported
awk 'BEGIN { n = 100; print "%%MatrixMarket matrix coordinate real symmetric\n" n, n, 2 * n - 1; print 1, 1, n
    for (i = 2; i <= n; i++) print i, i, 2 "\n" i, 1, -1 }' > arrow.mtx
for precond in jacobi ssor chebyshev ilu0 icc0 ilut amg; do
    case $precond in jacobi | ilu0 | amg) ;; *) long || continue ;; esac
    expect 0 "" solve arrow.mtx -m cg -p $precond --format csr --json
    wanted="$(number iterations) $(number precond_block)"
    expect 0 "" solve arrow.mtx -m cg -p $precond --json
    [ "$(number iterations) $(number precond_block)" = "$wanted" ] ||
        fail "$precond with --format auto: $(number iterations) iterations," \
            "blocks of $(number precond_block), with csr $wanted"
done
expect 0 "blocks of 2 x 2" solve arrow.mtx -m cg -p jacobi:block=2
expect 2 "block = 3 does not divide the 100 rows" solve arrow.mtx -m cg -p jacobi:block=3
# Kershaw's matrix: its incomplete factors are not positive
printf '%s\n' '%%MatrixMarket matrix coordinate real symmetric' '4 4 8' '1 1 3' '2 2 3' '3 3 3' '4 4 3' \
    '2 1 -2' '3 2 -2' '4 3 -2' '4 1 2' > kershaw.mtx
expect 0 "the pivot of row 3, counted from 0, is not positive" solve kershaw.mtx -m cg -p icc0
expect 2 "level = 11 is outside [0, 10]" solve real.mtx -p ilu:level=11
for format in auto csr sell bsell:5x5 bcsr:4:columns dia:f32; do
    expect 0 "converged" solve real.mtx --format $format
done
for values in f32 f64; do expect 0 "" solve real.mtx --values $values --vectors $values -t 1e-5; done

# a periodic problem with b of another mean than 0: A is singular, and what b needs; with Neumann sides a weighted sum
awk 'BEGIN { print "%%MatrixMarket matrix array real general"; print 256, 1; for (i = 0; i < 256; i++) print i % 8 }' \
    > uneven.mtx
for method in gmres cg bicgstab; do
    expect 3 "A times a constant vector is 0, so b must have mean 0; its mean is 3.5: subtract it" \
        solve --stencil '-laplace(u)' --grid 16x16 --boundary periodic uneven.mtx -m $method
    grep -q "Is the matrix singular" err && fail "$method asks what it knows: $(cat err)"
done
expect 3 "where nodes on a side have half the weight" \
    solve --stencil '-laplace(u)' --grid 16x16 --boundary neumann uneven.mtx
expect 3 "the largest number of iterations" solve --stencil 'u - laplace(u)' --grid 16x16 uneven.mtx -n 2
grep -q "singular" err && fail "a regular system: $(cat err)"
# a pure Neumann problem, real and complex, of a matrix and of an equation: A times ones is 0, and b is made from
# another x; the solver has something to do
awk 'BEGIN { n = 50; print "%%MatrixMarket matrix coordinate real symmetric\n" n, n, 2 * n - 1
    for (i = 1; i <= n; i++) {
        print i, i, i == 1 || i == n ? 0.1 : 0.2; if (i > 1) print i, i - 1, -0.1 } }' > neumann.mtx
awk 'NR == 1 { print "%%MatrixMarket matrix coordinate complex general"; next }
    NR == 2 { print 50, 50, 148; next }
    { print $1, $2, 0, $3; if ($1 != $2) print $2, $1, 0, $3 }' neumann.mtx > turned.mtx
for method in $methods; do
    expect 0 "x = A^H z, z random, since A times ones is 0 (A is singular)" solve neumann.mtx -m "$method"
    grep -q "null space of A" out || fail "$method: the error of x is not limited to the row space: $(cat out)"
    expect 0 "" solve neumann.mtx -m "$method" --json
    below 5 "$(number iterations)" && below "$(number error)" 1e-4 && below 0.1 "$(number right_side)" ||
        fail "$method, singular matrix: $(cat out)"
done
expect 0 "x = A^H z" solve turned.mtx -m gmres -r 60 --json
below 5 "$(number iterations)" && below "$(number error)" 1e-4 || fail "complex singular matrix: $(cat out)"
expect 0 "A x with x = A z" solve --stencil '-laplace(u)' --grid 12x9 --boundary periodic -m cg --json
below 3 "$(number iterations)" && below "$(number error)" 1e-4 || fail "singular equation: $(cat out)"

# files that exist stay, in every command that writes some
echo kept > kept.npy; cp kept.npy kept.csv; cp kept.npy kept.png; cp kept.npy kept2.mtx
expect 2 "'kept.npy' exists already: use --force to overwrite it" solve real.mtx -o kept.npy
expect 2 "'kept.csv' exists already" solve real.mtx --history kept.csv
expect 2 "'kept.png' exists already" matrix real.mtx -o kept.png
expect 2 "'kept2.mtx' exists already" convert real.mtx -o kept2.mtx
expect 2 "'kept2.mtx' exists already" generate laplace --cells 4x4 -o kept2.mtx
for file in kept.npy kept.csv kept.png kept2.mtx; do
    [ "$(cat $file)" = kept ] || fail "$file was replaced without --force"
done
expect 0 "" convert real.mtx -o kept2.mtx --force
[ "$(head -c 14 kept2.mtx)" = "%%MatrixMarket" ] || fail "--force did not replace kept2.mtx"

# a right-hand side, x into files and back: A x is b
"$command" convert real.mtx -o copy.mtx -q || fail "convert"
for output in x.npy x.mtx; do
    expect 0 "b          b.mtx" solve real.mtx b.mtx -o $output -t 1e-11 --history h.csv --plot h.png --force
    [ -s $output ] || fail "no $output"
done
[ "$(head -1 h.csv)" = iteration,residual,relative ] || fail "h.csv begins with $(head -1 h.csv)"
awk -F, 'NR > 2 && $2 > last * 1.0001 { exit 1 } { last = NR > 1 ? $2 : 1e300 } END { exit NR < 5 }' h.csv ||
    fail "residuals of gmres grow, or are few: $(cat h.csv)"
[ "$(head -c 4 h.png | tail -c 3)" = PNG ] || fail "h.png is no picture"
awk 'FNR == 1 { file++ } file == 1 && FNR > 2 { x[FNR - 2] = $1 } file == 2 && FNR > 2 { b[FNR - 2] = $1 }
    file == 3 && FNR > 2 { y[$1] += $3 * x[$2] }
    END { for (i in b) { d = y[i] - b[i]; if (d < 0) d = -d; if (d > worst) worst = d }
        print worst; exit !(worst < 1e-9) }' x.mtx b.mtx copy.mtx > worst || fail "A x differs from b by $(cat worst)"
expect 0 "after 0 iterations" solve real.mtx b.mtx -g x.npy -t 1e-8
expect 0 "vectors c128" solve complex.mtx
# shellcheck source=tests/python.sh
. "$SOURCE/tests/python.sh"
if python=$(python_with numpy); then
    "$python" -c 'import numpy as n; n.save("z.npy", n.arange(400) * (1 + 2j)); n.save(
        "f.npy", n.asfortranarray(n.ones((400, 1), "f4")))'
    expect 0 "vectors c128" solve real.mtx z.npy -o zx.npy # a complex right-hand side
    expect 0 "vectors f64" solve real.mtx f.npy
    "$python" -c 'import numpy as n; z = n.load("zx.npy"); assert (
        z.dtype == "c16" and abs(z.imag - 2 * z.real).max() < 1e-6 * abs(z).max())' || fail "zx.npy"
fi
expect 0 "" solve real.mtx -q
[ -s out ] && fail "solve -q prints $(cat out)"

# a solver as the preconditioner of another
expect 0 "inner solver bicgstab:5:ilu0" solve real.mtx -m fgmres --inner bicgstab:5:ilu0
expect 0 '"inner": "cg"' solve symmetric.mtx -m fgmres --inner cg --json
# files that cannot be written are known before the work; b = 0 has no relative residual; a singular matrix gives
# nothing worse than the first guess
for output in "-o nowhere/x.npy" "--history nowhere/x.csv" "--plot nowhere/x.png"; do
    # shellcheck disable=SC2086
    expect 1 "the folder nowhere/: No such file or directory" solve real.mtx $output
    [ -s out ] && fail "a folder is looked for after the work: $(cat out)"
done
mkdir -p place.npy; expect 1 "is a folder: give a file name" solve real.mtx -o place.npy
# names of outputs end as what is written there does, and nothing that is read is written over, by whatever name
for name in x.txt x x.NPY .npy place/.mtx x.csv; do
    expect 2 "--output $name: the file name must end in .npy or .mtx" solve real.mtx -o $name
done
expect 2 "--history h.txt: the file name must end in .csv" solve real.mtx --history h.txt
expect 2 "--plot h.jpg: the file name must end in .png" solve real.mtx --plot h.jpg
cp real.mtx kept.mtx; cp b.mtx b-kept.mtx; ln -f kept.mtx linked.mtx; ln -sf kept.mtx linked.csv; cp x.npy guess.npy
expect 2 "--output kept.mtx is an input file and would be overwritten" solve kept.mtx -o kept.mtx
expect 2 "--output ./linked.mtx is kept.mtx, which is an input file and would be overwritten" \
    solve kept.mtx -o ./linked.mtx
expect 2 "--history linked.csv is kept.mtx, which is an input file" solve kept.mtx --history linked.csv
expect 2 "--output b-kept.mtx is an input file" solve kept.mtx b-kept.mtx -o b-kept.mtx
expect 2 "--output b-kept.mtx is an input file" solve --stencil 'u - laplace(u)' --grid 20x20 b-kept.mtx -o b-kept.mtx
expect 0 "after 0 iterations" solve kept.mtx b.mtx -g guess.npy -o guess.npy --force -t 1e-8
expect 2 "--output kept.mtx is an input file" convert kept.mtx -o kept.mtx
expect 2 "--output linked.mtx is kept.mtx, which is an input file" convert kept.mtx -o linked.mtx
expect 2 "--output copy.txt: the file name must end in .mtx" convert kept.mtx -o copy.txt
expect 2 "--output kept.mtx: the file name must end in .png" matrix kept.mtx -o kept.mtx
ln -sf kept.mtx picture.png
expect 2 "--output picture.png is kept.mtx, which is an input file" matrix kept.mtx -o picture.png
touch one.csv; ln -f one.csv one.png
expect 2 "--history and --plot name the same file, one.png" solve kept.mtx --history one.csv --plot one.png
if ! cmp -s real.mtx kept.mtx || ! cmp -s b.mtx b-kept.mtx || ! cmp -s x.npy guess.npy || [ -e x.txt ]; then
    fail "a refused output is written"
fi
vector 400 0 > zero.mtx
expect 0 "b is 0" solve real.mtx zero.mtx --history zero.csv
! grep -q nan out zero.csv || fail "a relative residual of b = 0: $(cat out zero.csv)"
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 2 -1\n2 1 -1\n2 2 1\n' > singular.mtx
vector 2 1 1 > uneven.mtx
expect 3 "" solve singular.mtx uneven.mtx -m bicgstab --json
below "$(number residual)" "$(number first)" || fail "worse than the first guess: $(cat out)"

# what has no effect, or would be changed in silence, is refused before the work; where it depends on the matrix, when
# that is read
for method in cg bicgstab; do
    expect 2 "\"restart\" is not an option of $method" solve symmetric.mtx -m $method -r 5
    [ -s out ] && fail "a refused option of $method is reported after the matrix: $(cat out)"
done
for method in gmres fgmres idr; do expect 0 "restart 5, " solve real.mtx -m $method -r 5; done
expect 2 "restart = 17 is outside [1, 16]" solve real.mtx -m idr -r 17
for method in cg bicgstab idr; do
    expect 2 "$method needs a constant preconditioner, which an inner solver is not: use fgmres" \
        solve symmetric.mtx -m $method --inner cg
    [ -s out ] && fail "an inner solver of $method is refused after the matrix: $(cat out)"
done
expect 2 "rtol and atol are both off: set at least one, or the iteration has no stopping criterion" solve real.mtx -t 0
expect 0 "max(0 |b|, 0.001)" solve real.mtx -t 0 --atol 1e-3
for type in c64 c128; do
    want=f64; [ $type = c64 ] && want=f32
    expect 2 "solve: --vectors $type: the values are real: use $want" solve real.mtx --vectors $type
    expect 2 "solve: --values $type: the values are real: use $want" solve real.mtx --values $type
    expect 2 "solve: --vectors $type: the values are real" solve --stencil u --grid 4 --vectors $type
    expect 2 "convert: --values $type: the values are real" convert real.mtx -o no.mtx --values $type
    for tool in spmv tune; do
        expect 2 "$tool: --vectors $type: the values are real" $tool real.mtx --quick --vectors $type
        expect 2 "$tool: --values $type: the values are real" $tool real.mtx --quick --values $type
    done
    expect 2 "--format csr:$type: the matrix, b and the vectors are real: omit $type" \
        solve real.mtx --format csr:$type
    expect 0 "vectors $type" solve complex.mtx --vectors $type -t 1e-4
done
expect 2 "solve: --format csr:f32 and --values f64: f32 is another precision: omit one of the options" \
    solve real.mtx --format csr:f32 --values f64
expect 2 "convert: --format bsell:2:h32:c128 and --values c64: c128 is another precision" \
    convert complex.mtx -o no.mtx --format bsell:2:h32:c128 --values c64
expect 2 "spmv: --format dia,csr:f32,coo and --values f64: f32 is another precision" \
    spmv real.mtx --quick --format dia,csr:f32,coo --values f64
# the memory of a preconditioner, before it is made, is within 1.3 of what its matrices take (which its vectors are not
# part of)
for precond in jacobi ssor ilu0 ilu2 icc0 ilu0:block=2; do
    expect 0 ", preconditioner " solve symmetric.mtx -m gmres -p $precond
    expect 0 "" solve symmetric.mtx -m gmres -p $precond --json
    awk -v said="$(number precond_most)" -v least="$(number precond_least)" -v is="$(number precond_bytes)" \
        'BEGIN { exit !(said == least && said <= 1.3 * is && is <= 1.3 * said) }' ||
        fail "$precond: said $(number precond_least) to $(number precond_most), takes $(number precond_bytes) bytes"
done
expect 0 "of host memory during setup of the preconditioner" solve symmetric.mtx -p ilut
grep -q "memory .* on the device: .*, preconditioner .* (.* to .*B), .* during its setup" out ||
    fail "ilut has no interval: $(cat out)"
expect 0 "" solve symmetric.mtx -p ilut --json
awk -v said="$(number precond_expected)" -v is="$(number precond_bytes)" -v setup="$(number precond_setup)" \
    'BEGIN { exit !(said <= 1.3 * is && is <= 1.3 * said && setup > said) }' ||
    fail "ilut: forecast $(number precond_expected), takes $(number precond_bytes) bytes"
# entries given twice
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '2 2 4' '1 1 1' '2 2 2' '1 1 3' '2 1 1' > twice.mtx
for call in "solve twice.mtx" "convert twice.mtx -o sum.mtx" "spmv twice.mtx --quick" "tune twice.mtx --quick" \
    "matrix twice.mtx"; do
    expect 2 "twice.mtx:5: entry (1, 1) is given twice, first in line 3" $call
    expect 2 "twice.mtx:5: entry (1, 1) is given twice, first in line 3" $call --duplicates refuse
    expect 0 "twice.mtx: 2 x 2, 3 entries, real" $call --duplicates sum
    expect 2 "--duplicates add: must be sum or refuse" $call --duplicates add
done
grep -qx '1 1 4' sum.mtx || fail "the sum of entries: $(cat sum.mtx)"
# warm and cold times; formats of tune in the order of the warm ones; a share is a number up to 1.5 with a spread up to
# 30 %, else a reason
for tool in spmv tune; do
    [ $tool = tune ] || long || continue
    expect 0 "warm/us    cold/us" $tool real.mtx --quick
    expect 0 '"cold": {"seconds": ' $tool real.mtx --quick --json
    sed 's/{"format"/\n&/g' out | sed '1d; /"refused"/d; s/[{}":,]/ /g' | awk -v tool=$tool '
        { for (i = 1; i < NF; i++)
              if ($i == "warm") { warm = $(i + 2); lower = $(i + 4); upper = $(i + 6) }
              else if ($i == "share") share = $(i + 1)
          if (tool == "tune" && NR > 1 && warm < last) exit bad = 1
          last = warm
          if (share == "null" ? !/no_share +(in the cache|IQR)/ : share > 1.5 || upper - lower > 0.3001 * warm)
              exit bad = 1 }
        END { exit bad || NR < 3 }' || fail "$tool: order or shares: $(cat out)"
done
expect 0 '"least_warm_time": "' tune real.mtx --quick --json
expect 0 "csr:f32" solve real.mtx --format csr:f32 --values f32
expect 0 "csr:c64" solve complex.mtx --format csr:c64 --values f32 -t 1e-4
# cg is told what it is given: the first entry that differs from the one opposite to it, or a diagonal that is not real
warning="warning: cg needs a hermitian matrix, but real.mtx is not hermitian: entry (1, 2) = -0.8, (2, 1) = -1.2,"
warning+=" counted from 1: use gmres, bicgstab or idr"
expect 3 "$warning" solve real.mtx -m cg -n 2 --json
expect 0 "warning: cg needs a hermitian matrix, but real.mtx is not hermitian" solve real.mtx -m fgmres --inner cg:2
expect 0 "warning: amg needs a hermitian matrix, but real.mtx is not hermitian" solve real.mtx -p amg
expect 3 "but complex.mtx is not hermitian: entry (1, 1) = 4.5+1i, counted from 1" solve complex.mtx -m cg -n 2
hermitian() {
    printf '%s\n' '%%MatrixMarket matrix coordinate complex general' '3 3 5' "2 1 1 $1" '1 1 4 0' "3 3 4 $2" \
        '1 2 1 1' '2 2 4 0'
}
hermitian -1 0 > good.mtx; hermitian 1 0 > bad.mtx; hermitian -1 2 > diagonal.mtx; hermitian -1 1e-14 > rounding.mtx
expect 3 "bad.mtx is not hermitian: entry (1, 2) = 1+1i, (2, 1) = 1+1i," solve bad.mtx -m cg -n 1
expect 3 "diagonal.mtx is not hermitian: entry (3, 3) = 4+2i, counted" solve diagonal.mtx -m cg -n 1
for place in "3 1" "1 3"; do
    printf '%%%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 4\n2 2 4\n3 3 4\n%s 1\n' "$place" > half.mtx
    expect 3 "half.mtx is not hermitian: entry (${place/ /, }) = 1, (${place:2:1}, ${place:0:1}) = 0" \
        solve half.mtx -m cg -n 1
done
# an entry that rounding has left, with nothing opposite
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 6\n1 1 4\n2 2 4\n3 3 4\n2 1 1e-14\n2 3 1\n3 2 1\n' \
    > alone.mtx
for call in "alone.mtx -m cg" "good.mtx -m cg" "rounding.mtx -m cg" "symmetric.mtx -m cg" "symmetric.mtx -p amg" \
    "real.mtx -m cg -n 2 -q" "real.mtx -m bicgstab"; do
    # shellcheck disable=SC2086
    "$command" solve $call > out 2> err
    grep -q warning err && fail "solve $call warns: $(cat err)"
done

# a file of few bytes that announces many rows: refused before memory is taken for them; without padding few entries in
# many rows are no explosion
printf '%%%%MatrixMarket matrix coordinate real general\n100000000000 100000000000 1\n5 5 1\n' > wide.mtx
for call in "solve wide.mtx" "spmv wide.mtx" "convert wide.mtx -o narrow.mtx"; do
    expect 5 "GB of host memory, more than is available. Are its sizes right?" $call
done
printf '%%%%MatrixMarket matrix coordinate real general\n30000000 30000000 1\n5 5 1\n' > wide.mtx
expect 0 "1 stored values" convert wide.mtx -o narrow.mtx --format csr
expect 5 "bytes: too much padding for this matrix. Use sell:h32" convert wide.mtx -o narrow.mtx --format ell --force

# Ctrl-C: the current x is written next to the old file, and --guess continues from it
printf old > late.npy
for method in cg gmres; do
    # the programs are in the cache then, and the work after the first lines is the solver's
    expect 3 "" solve --stencil 'u - 1e4*laplace(u)' --grid 900x900 -m $method -t 1e-13 -n 1
    "$command" solve --stencil 'u - 1e4*laplace(u)' --grid 900x900 -m $method -t 1e-13 -n 10000000 \
        -o late.npy --force --history late.csv > out 2> err &
    pid=$!
    await grep -q '^  b ' out
    await has_worked 200
    kill -INT $pid
    wait $pid
    [ $? -eq 130 ] || fail "interrupted: not exit code 130: $(cat err)"
    grep -q "$method: interrupted at the user's wish after" err || fail "the reason is not said: $(cat err)"
    grep -q '^To continue:  --guess late.partial.npy' err || fail "no message how to continue: $(cat err)"
    expect 3 "" solve --stencil 'u - 1e4*laplace(u)' --grid 900x900 -m $method -t 1e-13 -n 1 -g late.partial.npy --json
    first=$(number first)
    [ "$(cat late.npy)" = old ] && [ ! -e late.csv ] || fail "$method: an interruption replaces late.npy or late.csv"
    [ "$(tail -1 late.partial.csv | cut -d, -f2 | cut -c1-5)" = "$(echo "$first" | cut -c1-5)" ] ||
        fail "$method: goes on at $first, after $(tail -1 late.partial.csv)"
done

# Ctrl-C while kernels are compiled: nothing has been computed, so the file of x stays
cat > slow-cc <<END
#!/bin/sh
[ -e $PWD/slow ] && : > $PWD/compiling && exec sleep 3000
exec cc "\$@"
END
chmod +x slow-cc
slowly() { RECHENWERK_CC="$PWD/slow-cc" RECHENWERK_CACHE="$PWD/cache-slow" exec "$command" "$@" -d cpu; }
(slowly solve real.mtx -m bicgstab -o late.npy --force -q) || fail "with a compiler of its own"
cp late.npy before.npy
touch slow
slowly solve real.mtx -m idr -o late.npy --force > out 2> err &
pid=$!
await [ -e compiling ]
kill -INT $pid
wait $pid
[ $? -eq 130 ] || fail "interrupted while compiling: not exit code 130: $(cat err)"
grep -q "small enough" out err && fail "interrupted while compiling it says: $(cat out err)"
cmp -s late.npy before.npy || fail "interrupted while compiling it writes x over late.npy"
rm slow

# one residual, whatever prints it: of the x that is returned
expect 3 "" solve real.mtx -m cg -n 2 -o x.mtx --force
stdout=$(sed -n 's/^  |b - A x| = \([^,]*\),.*/\1/p' out) stderr=$(sed -n 's/.*: |b - A x| = \([^ ]*\) .*/\1/p' err)
awk -v a="$stdout" -v b="$stderr" 'BEGIN { exit !(a > 0 && (a - b)^2 <= (6e-3 * a)^2) }' ||
    fail "|b - A x| is $stdout on stdout and $stderr on stderr"

# values that f64 cannot represent: read as the nearest one, with one warning per file
head='%%MatrixMarket matrix coordinate'
printf '%s integer general\n2 2 3\n1 1 3\n2 1 -9007199254740993\n2 2 9007199254740995\n' "$head" > odd.mtx
nearest="is read as -9007199254740992, the nearest number of f64; 1 more values change"
expect 0 "warning: odd.mtx:4: -9007199254740993 $nearest" convert odd.mtx -o narrow.mtx --force
printf '%s real general\n2 2 2\n1 1 1e-400\n2 2 1\n' "$head" > odd.mtx
expect 0 "warning: odd.mtx:3: 1e-400 is read as 0, the nearest number of f64" convert odd.mtx -o narrow.mtx --force
printf '%s integer general\n1 1 1\n1 1 9007199254740992000\n' "$head" > odd.mtx
expect 0 "" convert odd.mtx -o narrow.mtx --force
grep -q warning err && fail "an integer that f64 holds: $(cat err)"

expect 2 "gmres needs a constant preconditioner, which an inner solver is not: use fgmres" solve real.mtx --inner cg
expect 2 "iterations = 0 is outside [1," solve real.mtx -m fgmres --inner cg:0
expect 2 "iterations = 5x is not an integer" solve real.mtx -m fgmres --inner cg:5x
expect 2 "nearest is cg:" solve real.mtx -m fgmres --inner cgs:5
expect 2 "nearest is ilu:" solve real.mtx -m fgmres --inner cg:5:ilux
expect 2 "give the preconditioner to the inner solver" solve real.mtx -m fgmres -p jacobi --inner cg
[ -s out ] && fail "a preconditioner beside an inner solver is refused after the matrix: $(cat out)"

# equations in the place of matrices: the same x as with the matrix of that stencil
"$command" generate laplace --cells 20x20 -o laplace.mtx > out || fail "generate laplace"
awk 'NR <= 2 || /^%/ { print; next } $1 == $2 { print $1, $2, $3 + 1; next } { print }' laplace.mtx > shifted.mtx
expect 0 "" solve shifted.mtx b.mtx -m cg -t 1e-11 -o x.mtx -q --force
expect 0 "u - laplace(u): 20 x 20 cells; x: spacing 1, dirichlet; y: spacing 1, dirichlet" \
    solve --stencil 'u - laplace(u)' --grid 20x20 --spacing 1 -m cg -t 1e-11 b.mtx -o equation.mtx
paste x.mtx equation.mtx | awk 'NR > 2 { d = $1 - $2; if (d * d > 1e-16) bad = 1 } END { exit bad || NR != 402 }' ||
    fail "an equation gives another x than its matrix"
# memory: what takes most of it, and what takes less, of what an equation has
expect 5 "TB on cpu (matrix 0 B, vectors " solve --stencil u --grid 10000x10000x1000 -q
grep -q "free: use a smaller --restart, or --vectors f32" err || fail "no advice: $(cat err)"
expect 5 "use a smaller --restart" solve --stencil u --grid 10000x10000x1000 --vectors f32 -q
grep -q -e "--values" -e "--vectors" err && fail "advice that is followed or refused: $(cat err)"
expect 5 "preconditioner 3.6 TB" solve --stencil u --grid 10000x10000x1000 -p chebyshev -m cg -q
grep -q "free: use --vectors f32" err || fail "no advice: $(cat err)"
for precond in none jacobi chebyshev; do
    expect 0 "largest error of x" solve --stencil '(1 + x^2)*u - 0.01*laplace(u) + 0.02*dx(u)' --grid 13x7x5 \
        --boundary neumann,periodic,dirichlet --spacing 0.1,0.2,0.1 -p $precond
    expect 0 "" solve --stencil '(1 + x^2)*u - 0.01*laplace(u) + 0.02*dx(u)' --grid 13x7x5 \
        --boundary neumann,periodic,dirichlet --spacing 0.1,0.2,0.1 -p $precond -t 1e-9 --json
    below "$(number error)" 1e-6 || fail "equation, $precond: error $(number error)"
done
expect 0 "format     none" solve --stencil 'u - 0.01*laplace(u)' --grid 12 --vectors f32 -t 1e-5 -o x.npy --force
expect 2 "solve: an argument is missing" solve
expect 2 "solve: 'b.mtx': unexpected argument" solve --stencil u --grid 4 real.mtx b.mtx
expect 2 "--stencil needs a grid: give --grid" solve --stencil u
for grid in 0 4x 4x4x4x4 4.5 a -3; do expect 2 "solve: --grid $grid: " solve --stencil u --grid=$grid; done
for spacing in 0 a 1,2 nan; do
    expect 2 "solve: --spacing $spacing: " solve --stencil u --grid 4x4x4 --spacing $spacing
done
expect 2 "--boundary neuman: unknown boundary; nearest is neumann" solve --stencil u --grid 4 --boundary neuman
expect 2 "--boundary robin: unknown boundary" solve --stencil u --grid 4 --boundary robin
expect 0 "x: spacing 1, reflect; y: spacing 1, nearest" \
    solve --stencil '3*u - 0.1*(u[i+1] + u[i, j-2])' --grid 20x20 --spacing 1 --boundary reflect,replicate -m gmres
expect 2 "--boundary periodic,neumann: must be one name, or one for each of 3 axes" \
    solve --stencil u --grid 4x4x4 --boundary periodic,neumann
expect 2 "solve: --format applies to matrices, not to --stencil" solve --stencil u --grid 4 --format csr
expect 2 "solve: --grid needs an equation" solve real.mtx --grid 4
expect 2 "function lapace is unknown; nearest is laplace" solve --stencil 'u - lapace(u)' --grid 4
expect 2 "Au does not depend on u linearly" solve --stencil 'u + u^2' --grid 4
expect 2 "terms without the unknown must be 0 here" solve --stencil 'u + 1' --grid 4
expect 1 "preconditioner ilu needs matrix entries" solve --stencil u --grid 4 -p ilu0
expect 2 "b.mtx has 400 entries, but u has 4 rows" solve --stencil u --grid 4 b.mtx

# stops before the tolerance: exit code 3, x is written
rm -f x.npy
expect 3 "stopped after 3 iterations" solve real.mtx -n 3 -o x.npy
grep -q "gmres: the largest number of iterations is reached after 3" err || fail "no reason: $(cat err)"
[ -s x.npy ] || fail "no x.npy of a solve that stopped"
expect 3 '"converged": false' solve real.mtx -n 3 --json
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 1\n2 3 1\n3 1 1\n' > shift.mtx
printf '%%%%MatrixMarket matrix array real general\n3 1\n1\n0\n0\n' > one.mtx
expect 3 "does not decrease" solve shift.mtx one.mtx -r 2
awk 'NR > 2 && $1 == $2 && $1 % 2 { $3 = -4.5 } { print }' symmetric.mtx > indefinite.mtx
expect 3 "use bicgstab or gmres" solve indefinite.mtx -m cg
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n1 2 1\n' > singular.mtx
printf '%%%%MatrixMarket matrix array real general\n2 1\n1\n1\n' > two.mtx
expect 3 "gmres" solve singular.mtx two.mtx

# wrong input
expect 2 "b.mtx is 400 x 1: a solver needs a square, non-empty matrix" solve b.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n0 0 0\n' > empty.mtx
expect 2 "square, non-empty" solve empty.mtx
expect 2 "two.mtx has 2 entries, but real.mtx has 400 rows: one entry per row is needed" solve real.mtx two.mtx
expect 2 "has 2 entries" solve real.mtx -g two.mtx
sed '4s/.*/nan/' two.mtx > nan.mtx
expect 2 "nan.mtx:4: the value = nan: values must be finite" solve singular.mtx nan.mtx
sed '3s/1$/nan/' singular.mtx > nan.mtx
expect 2 "nan.mtx:3: the value = nan: values must be finite" solve nan.mtx two.mtx
# 10 + 118 bytes of head
printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }" > nan.npy
printf '\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\xf8\x7f' >> nan.npy
expect 2 "nan.npy: entry 2 of 2, counted from 1, is nan: entries must be finite" solve singular.mtx nan.npy
expect 2 "nearest is gmres" solve real.mtx -m gmers
expect 2 "nearest is jacobi" solve real.mtx -p jacobbi
expect 2 'preconditioner "ilu11": level = 11 is outside [0, 10]' solve real.mtx -p ilu11
for far in "-m foo" "-m dirk" "-p xyz" "--format hello"; do
    # shellcheck disable=SC2086
    expect 2 " is none of " solve real.mtx $far
done
expect 2 "unknown list 'foo'; known are" list foo
expect 2 "nearest is bsell" solve real.mtx --format bsel:5
expect 2 "400 x 400 cannot be divided into blocks of 3 x 3" solve real.mtx --format bcsr:3
expect 2 "restart = 0 is outside [1, 1000]" solve real.mtx -r 0
expect 2 "iterations = 2.5 is not an integer" solve real.mtx -n 2.5
expect 2 "rtol = -1 is outside (0, inf) and not off" solve real.mtx -t -1
expect 2 "--values f16: must be f32 or f64" solve real.mtx --values f16
expect 2 "jacobi: the diagonal entry of row 1, counted from 0, is missing or singular" solve singular.mtx -p jacobi
printf '%%%%MatrixMarket matrix array complex general\n1 1\n1 1\n' > complex-one.mtx
expect 2 "contains complex entries" solve real.mtx b.mtx -g complex-one.mtx
expect 2 "cannot open 'nowhere.mtx'" solve nowhere.mtx
expect 2 "cannot open 'nowhere.mtx'" convert nowhere.mtx -o copied.mtx
expect 2 "cannot open 'nowhere.npy'" solve real.mtx -g nowhere.npy
expect 2 "nowhere.npy" solve real.mtx nowhere.npy
expect 4 "cpuu" solve real.mtx -d cpuu
expect 2 "\"f16\" is not an option of csr" solve real.mtx --format csr:f16

# more memory than there is, where a matrix with so many rows is made in a moment: 1000 vectors of c128
free=$("$command" info --json | sed -n '/"name": "cpu"/,/"memory_free"/s/.*"memory_free": \([0-9]*\).*/\1/p' | head -1)
rows=$((${free:-0} / 12800)) # a quarter more
if [ $rows -gt 0 ] && [ $rows -lt 4000000 ]; then
    awk -v n=$rows 'BEGIN { print "%%MatrixMarket matrix coordinate complex general\n" n, n, n
        for (i = 1; i <= n; i++) print i, i, "1 0" }' > large.mtx
    expect 5 " on cpu (matrix " solve large.mtx -r 1000
    expect 0 "" solve large.mtx -r 3 -q
    rm large.mtx
fi

# ---- convert ---------------------------------------------------------------------------------------------------------

printf '%%%%MatrixMarket matrix coordinate complex hermitian\n3 3 3\n1 1 2 0\n2 1 3 4\n3 2 0.1 1\n' > hermitian.mtx
expect 0 "5 entries, complex" convert hermitian.mtx -o general.mtx --format bcsr:3
[ "$(sed -n 4p general.mtx)" = "1 2 3 -4" ] || fail "not expanded: $(cat general.mtx)"
expect 0 "csr:i32:c128, transposed: 3 x 3" convert hermitian.mtx -o t.mtx --transpose
[ "$(sed -n 4p t.mtx)" = "1 2 3 4" ] || fail "not transposed: $(cat t.mtx)"
expect 0 "" convert hermitian.mtx -o conjugate.mtx --conjugate -q
[ -s out ] && fail "convert -q prints $(cat out)"
cmp -s general.mtx conjugate.mtx || fail "a hermitian matrix is not its conjugate transpose"
expect 0 "bell:2x2:i32:f64: 400 x 400" convert real.mtx -o back.mtx --format bell:2
cmp -s copy.mtx back.mtx || fail "another matrix behind bell:2"
expect 0 "bytes per product" convert real.mtx -o back.mtx --format auto --force
cmp -s copy.mtx back.mtx || fail "another matrix behind auto"
expect 0 "c64" convert hermitian.mtx -o single.mtx --values f32
grep -q '0.10000000149011612' single.mtx || fail "not rounded to f32: $(cat single.mtx)"
expect 2 "the output file is missing" convert real.mtx
expect 2 "nearest is csr" convert real.mtx -o no.mtx --format csrr
expect 2 "not a Matrix Market file" convert "$SOURCE/cases/laser.yaml" -o no.mtx
expect 1 "nowhere/b.mtx" convert real.mtx -o nowhere/b.mtx
{
    echo "%%MatrixMarket matrix coordinate pattern general"
    echo "50000 50000 99999"
    for i in $(seq 50000); do echo "1 $i"; done
    for i in $(seq 2 50000); do echo "$i $i"; done
} > arrow.mtx
expect 5 "bytes: too much padding for this matrix. Use sell" convert arrow.mtx -o no.mtx --format ell
expect 5 "bytes: too much padding for this matrix. Use sell" solve arrow.mtx --format ell
[ -s out ] && fail "a layout is refused after the report: $(cat out)"
[ -e no.mtx ] && fail "a refused conversion leaves a file behind"

if [ $bad -gt 0 ]; then echo "$bad failures"; exit 1; fi
echo "all good"
