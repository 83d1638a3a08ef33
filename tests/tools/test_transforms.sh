#!/usr/bin/env bash
# rechenwerk fft and convolve as a person uses them: results against known ones, and against SciPy where it is there;
# every kind of wrong input; nothing is overwritten.
# Environment: RECHENWERK, the command.
# shellcheck source=tests/tools/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh" || exit 1

# table ROWS COLUMNS KIND VALUES…: a dense array of the Matrix Market, column after column
table() {
    local rows=$1 columns=$2 kind=$3
    shift 3
    printf '%%%%MatrixMarket matrix array %s general\n%s %s\n' "$kind" "$rows" "$columns"
    printf '%s\n' "$@"
}
# numbers FILE: of a table, on a line, rounded
numbers() {
    sed -e '/^%/d' "$1" | sed 1d | awk '{ for (i = 1; i <= NF; i++)
        printf "%s%.6g", sep, $i + 0 == 0 || ($i < 1e-12 && $i > -1e-12) ? 0 : $i, sep = " " } END { print "" }'
}
# same FILE NUMBERS
same() { [ "$(numbers "$1")" = "$2" ] || fail "$1 is $(numbers "$1"), not $2"; }

# ---- known transforms ------------------------------------------------------------------------------------------------
table 1 4 real 1 2 3 4 >row.mtx
expect 0 "1 pass over memory" fft row.mtx y.mtx --axes 1
same y.mtx "10 0 -2 2 -2 0 -2 -2"
expect 0 "written: back.mtx, 1 x 4 c128" fft y.mtx back.mtx --axes=-1 --inverse
same back.mtx "1 0 2 0 3 0 4 0"
expect 0 "1 x 3 c128" fft row.mtx half.mtx --real --axes 1
same half.mtx "10 0 -2 2 -2 0"
expect 0 "1 x 4 f64" fft half.mtx back.mtx --real --inverse --axes 1 --force
same back.mtx "1 2 3 4"
expect 0 "1 x 5 f64" fft half.mtx back.mtx --real --inverse --axes 1 --shape 5 --force
expect 0 "1 x 6 c128" fft row.mtx y.mtx --axes 1 --shape 6 --force
expect 0 "1 x 2 c128" fft row.mtx y.mtx --axes 1 --shape 2 --force
same y.mtx "3 0 -1 0"
expect 0 "" fft row.mtx y.mtx --axes 1 --scale forward --force
same y.mtx "2.5 0 -0.5 0.5 -0.5 0 -0.5 -0.5"
expect 0 "" fft row.mtx y.mtx --axes 1 --kind dct2 --force
same y.mtx "20 -6.30864 0 -0.448342"
expect 0 "" fft y.mtx back.mtx --axes 1 --kind dct2 --inverse --force
same back.mtx "1 2 3 4"
expect 0 "" fft row.mtx y.mtx --precision f32 --force -q
[ -s out ] && fail "fft -q prints $(cat out)"

# axes in NumPy's order: a real transform halves the last one of the list, --shape has its order
table 2 3 real 1 4 2 5 3 6 >wide.mtx
expect 0 "2 x 2 c128" fft wide.mtx y.mtx --real --axes 0,1 --force
same y.mtx "21 0 -9 0 -3 1.73205 0 0"
expect 0 "2 x 3 c128" fft wide.mtx y.mtx --real --axes 1,0 --force
same y.mtx "21 0 -9 0 -3 1.73205 0 0 -3 -1.73205 0 0"
expect 0 "2 x 3 f64" fft y.mtx back.mtx --real --inverse --axes 1,0 --force
same back.mtx "1 4 2 5 3 6"
expect 0 "1 x 3 c128" fft wide.mtx y.mtx --axes 1,0 --shape 3,1 --force
same y.mtx "6 0 -1.5 0.866025 -1.5 -0.866025"
expect 0 "" fft row.mtx y.mtx --axes 1 --kind dct2 --scale ortho --force
same y.mtx "5 -2.23044 0 -0.158513"
expect 0 "" fft y.mtx back.mtx --axes 1 --kind dct2 --scale ortho --inverse --force
same back.mtx "1 2 3 4"
table 1 4 complex "1 4" "2 3" "3 2" "4 1" >complex.mtx
expect 0 "1 x 4 c128" fft complex.mtx y.mtx --axes 1 --kind dct2 --force
same y.mtx "20 20 -6.30864 6.30864 0 0 -0.448342 0.448342"

# the study's x + 4y
table 4 4 real 0 4 8 12 1 5 9 13 2 6 10 14 3 7 11 15 >plane.mtx
expect 0 "" fft plane.mtx y.mtx --force
same y.mtx "120 0 -32 32 -32 0 -32 -32 -8 8 0 0 0 0 0 0 -8 0 0 0 0 0 0 0 -8 -8 0 0 0 0 0 0"

# ---- expressions -----------------------------------------------------------------------------------------------------
expect 0 "" fft row.mtx y.mtx --axes 1 --load "u*(1 + i1)" --store "conj(u) + i0 - i1" --force
same y.mtx "30 0 -9 -12 -12 0 -11 12"
expect 2 'load: "u*x": coordinates are not available' fft row.mtx y.mtx --load "u*x" --force
expect 2 'store:1:1: ' fft row.mtx y.mtx --store "power(u)" --force

# ---- tuning ----------------------------------------------------------------------------------------------------------
expect 0 "plans tried" fft row.mtx y.mtx --axes 1 --tune 2 --wisdom w.txt --force
grep -q "^rechenwerk wisdom of transforms, 1$" w.txt || fail "no wisdom in w.txt: $(cat w.txt)"
expect 0 "written: y.mtx" fft row.mtx y.mtx --axes 1 --wisdom w.txt --force
expect 2 "--tune 0: must be a number of seconds above 0" fft row.mtx y.mtx --tune 0 --force
sed 's/^device = /device = x/' w.txt >other.txt
expect 1 "other.txt: wisdom: the text was changed" fft row.mtx y.mtx --wisdom other.txt --force
head -c 40 w.txt >short.txt
expect 1 "short.txt: wisdom" fft row.mtx y.mtx --wisdom short.txt --tune 1 --force
[ "$(wc -c <short.txt)" = 40 ] || fail "a file that is no wisdom was written over"

# ---- convolution -----------------------------------------------------------------------------------------------------
table 1 3 real 1 0 2 >kernel.mtx
expect 0 "written: y.mtx, 1 x 6 f64" convolve row.mtx kernel.mtx y.mtx --force
same y.mtx "1 2 5 8 6 8"
expect 0 "" convolve row.mtx kernel.mtx y.mtx --mode same --force
same y.mtx "2 5 8 6"
expect 0 "" convolve row.mtx kernel.mtx y.mtx --mode valid --force --axes 1
same y.mtx "5 8"
expect 0 "" convolve row.mtx kernel.mtx y.mtx --mode periodic --force --axes 1
same y.mtx "7 10 5 8"
expect 0 "" convolve row.mtx kernel.mtx y.mtx --mode valid --correlate --force
same y.mtx "7 10"
expect 0 "" convolve kernel.mtx row.mtx y.mtx --mode valid --force
same y.mtx "5 8"
table 1 5 real 1 2 3 4 5 >kernel5.mtx
table 1 1 complex "0 1" >i.mtx
expect 0 "1 x 4 c128" convolve row.mtx i.mtx y.mtx --force
same y.mtx "0 1 0 2 0 3 0 4"

# ---- wrong input, and nothing lost -----------------------------------------------------------------------------------
expect 2 "fft: --axes 0,-2: axis 0 is repeated: an axis is transformed once" fft row.mtx other.mtx --axes 0,-2
expect 2 "convolve: --axes 1,1: axis 1 is repeated" convolve row.mtx kernel.mtx other.mtx --axes 1,1
cp y.mtx kept.mtx
expect 2 "'y.mtx' exists already: use --force to overwrite it" fft row.mtx y.mtx
expect 2 "'y.mtx' exists" convolve row.mtx kernel.mtx y.mtx
cmp -s y.mtx kept.mtx || fail "y.mtx has changed"
expect 2 "Y.npy row.mtx is an input file and would be overwritten" fft row.mtx row.mtx --force
expect 2 "Y.npy kernel.mtx is an input file" convolve row.mtx kernel.mtx kernel.mtx --force
expect 2 "the file name must end in .npy or .mtx" fft row.mtx y.txt
expect 1 "the folder nowhere/: No such file" fft row.mtx nowhere/y.mtx
expect 2 "cannot open 'nothing.npy'" fft nothing.npy z.mtx
expect 2 "holds complex values, but --real transforms real ones" fft i.mtx z.mtx --real
expect 2 "unknown transform; nearest is dct1" fft row.mtx z.mtx --kind dct5
expect 2 "--real and --kind dct2 exclude each other" fft row.mtx z.mtx --real --kind dct2
expect 2 "--axes 2: the array has 2 axes" fft row.mtx z.mtx --axes 2
expect 2 "--axes 0,: must be integers separated by commas" fft row.mtx z.mtx --axes 0,
expect 2 "--shape 4: the number of values differs" fft row.mtx z.mtx --shape 4
expect 2 "--shape 4,4,4: the number of values differs" fft row.mtx z.mtx --shape 4,4,4
expect 2 "--shape 0,4: must be one number of points" fft row.mtx z.mtx --shape 0,4
expect 2 "--scale half: must be none, inverse, forward, both or ortho" fft row.mtx z.mtx --scale half
expect 2 "--precision f16: must be f32 or f64" fft row.mtx z.mtx --precision f16
expect 2 "shape[0] = 1: dct1 needs at least 2 points" fft row.mtx z.mtx --kind dct1
expect 2 "unknown mode; known are full, same, valid, periodic" convolve row.mtx kernel.mtx z.mtx --mode circle
expect 2 "mode valid: b is longer than a on axis 1, but shorter on axis 0" \
    convolve plane.mtx kernel5.mtx z.mtx --mode valid
expect 2 "b must have 1 element or, like a, 4" convolve row.mtx kernel.mtx z.mtx --axes 0
[ -e z.mtx ] && fail "z.mtx was written"

# ---- SciPy -----------------------------------------------------------------------------------------------------------
# shellcheck source=tests/python.sh
. "$(dirname "${BASH_SOURCE[0]}")/../python.sh" || exit 1
if python=$(python_with scipy); then
    cat >scipy_check.py <<'END'
import subprocess, sys
import numpy as np, scipy.fft as sf, scipy.signal as ss
rng = np.random.default_rng(5)
x = rng.standard_normal((12, 35)); z = x + 1j * rng.standard_normal((12, 35)); b = rng.standard_normal((5, 8))
np.save("x.npy", x); np.save("z.npy", z); np.save("b.npy", b); np.save("b0.npy", b[0])
np.save("i.npy", (100 * x).astype(np.int16)); np.save("f.npy", x.astype(np.float32))
bad = 0
def check(want, *call):
    global bad
    subprocess.run([sys.argv[1], *call[:-1], "w.npy", "--force", "-q", *call[-1]], check=True)
    got = np.load("w.npy")
    error = np.abs(got - want).max() / np.abs(want).max() if got.shape == want.shape else np.inf
    if not error < (1e-6 if want.dtype in (np.float32, np.complex64) else 1e-14): bad += 1; print("FAIL:", call, error)
check(sf.fftn(z), "fft", "z.npy", []); check(sf.ifft(z, axis=0), "fft", "z.npy", ["--inverse", "--axes", "0"])
check(sf.fft(z, 64), "fft", "z.npy", ["--axes=-1", "--shape", "64"])
check(sf.rfftn(x), "fft", "x.npy", ["--real"])
check(sf.rfftn(x, (20, 16), axes=(0, 1)), "fft", "x.npy", ["--real", "--shape", "20,16"])
check(sf.irfftn(z, (12, 68), axes=(0, 1)), "fft", "z.npy", ["--real", "--inverse"])
check(sf.fftn(z, norm="ortho"), "fft", "z.npy", ["--scale", "both"])
check(sf.rfftn(x, axes=(1, 0)), "fft", "x.npy", ["--real", "--axes", "1,0"])
check(sf.rfftn(x, (40, 10), axes=(1, 0)), "fft", "x.npy", ["--real", "--axes", "1,0", "--shape", "40,10"])
check(sf.irfftn(z, axes=(1, 0)), "fft", "z.npy", ["--real", "--inverse", "--axes", "1,0"])
check(sf.fftn((100 * x).astype(np.int16)), "fft", "i.npy", [])
check(sf.rfftn(x.astype(np.float32)), "fft", "f.npy", ["--real"])
for k in range(1, 5):
    check(sf.dctn(x, type=k), "fft", "x.npy", ["--kind", f"dct{k}"])
    check(sf.idctn(x, type=k), "fft", "x.npy", ["--kind", f"dct{k}", "--inverse"])
    check(sf.dstn(x, type=k), "fft", "x.npy", ["--kind", f"dst{k}"])
    check(sf.idstn(x, type=k), "fft", "x.npy", ["--kind", f"dst{k}", "--inverse"])
    check(sf.dctn(z, type=k, norm="ortho"), "fft", "z.npy", ["--kind", f"dct{k}", "--scale", "ortho"])
    # SciPy before 1.11 scales the first element of types 2 and 3, which is not orthonormal
    sines = [sf.dst(np.eye(n), type=k, axis=0) for n in z.shape]
    for m in sines if k == 2 else []: m[-1] /= np.sqrt(2)
    sines = [m / np.linalg.norm(m, axis=0) for m in sines]
    check(sines[0] @ z @ sines[1].T, "fft", "z.npy", ["--kind", f"dst{k}", "--scale", "ortho"])
for m in ("full", "same", "valid"):
    check(ss.convolve(x, b, m, "direct"), "convolve", "x.npy", "b.npy", ["--mode", m])
    check(ss.correlate(z, b, m, "direct"), "convolve", "z.npy", "b.npy", ["--mode", m, "--correlate"])
check(ss.convolve(b, x, "valid", "direct"), "convolve", "b.npy", "x.npy", ["--mode", "valid"])
check(ss.correlate(b, x, "valid", "direct"), "convolve", "b.npy", "x.npy", ["--mode", "valid", "--correlate"])
check(np.array([ss.convolve(r, b[0]) for r in x]), "convolve", "x.npy", "b0.npy", [])
sys.exit(bad)
END
    "$python" scipy_check.py "$command" || fail "SciPy has other results"
else
    echo "# SciPy is not there"
fi
# control characters in names are printed escaped; -v reports what was compiled and how long it took
escape=$'r\x1b[31m.mtx'
cp row.mtx "$escape"
expect 0 'r\x1b[31m.mtx, 1 x 4' fft "$escape" z.mtx --axes 1 --force
expect 0 'written: r\x1b[31m.mtx' fft row.mtx "$escape" --axes 1 --force
expect 2 "'r\x1b[31m.mtx' exists already" fft row.mtx "$escape" --axes 1
grep -q $'\x1b' out err && fail "an escape character of a file name is printed"
RECHENWERK_CACHE=$work/empty expect 0 "rechenwerk: cpu: compiled " fft row.mtx z.mtx --axes 1 --force -v
grep -qE 'compiled .* in [0-9.]+ s(, not optimised)?$' err || fail "-v: no time of a compilation: $(cat err)"
expect 0 " in " fft row.mtx z.mtx --axes 1 --force
grep -qE 'over memory, .*, in [0-9.]+ (µs|ms|s|min) ' out || fail "no time of a transform: $(cat out)"

exit $((bad > 0))
