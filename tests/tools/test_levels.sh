#!/usr/bin/env bash
# Levels of optimisation: transforms have the same bytes, whether the compiler optimised or not: kinds, lengths of one
# pass and of several, both precisions, expressions, convolutions, filters with transforms.
# TEST: optimised
set -u
. "$SOURCE/tests/tools/expect.sh"
case $SANITIZE in ?*) echo "one level with sanitizers"; exit 77 ;; esac
mkdir never first
awk 'BEGIN { srand(5); printf "P2 67 41 255\n"; for (i = 0; i < 67 * 41; ++i) printf "%d ", 256 * rand() }' > u8.pgm
awk 'BEGIN { srand(6); printf "P2 1009 5 255\n"; for (i = 0; i < 5045; ++i) printf "%d ", 256 * rand() }' > long.pgm
expect 0 "" image u8.pgm f32.npy --op "linear:gain=0.37" --type f32 -q
expect 0 "" image long.pgm f64.npy --op "linear:gain=0.37" --type f64 -q
same=0
# compare WHAT COMMAND INPUT… -- OPTIONS…: at both levels
compare() {
    local what=$1 level before=()
    shift
    while [ "$1" != -- ]; do before+=("$1"); shift; done
    shift
    for level in never first; do
        RECHENWERK_OPTIMISE=$level RECHENWERK_CACHE=$PWD/$level/cache "$RECHENWERK" "${before[@]}" "$level/y.npy" "$@" \
            -qf > log 2>&1 || { fail "$what, $level: $(cat log)"; return; }
    done
    cmp never/y.npy first/y.npy && same=$((same + 1)) || fail "$what differs"
}

kinds=(complex real dct2 dst4)
[ -z "${RECHENWERK_TEST_LONG:-}" ] || kinds+=(dct1 dct3 dct4 dst1 dst2 dst3)
for kind in "${kinds[@]}"; do
    compare "$kind f32" fft f32.npy -- --kind "$kind" --axes 0,1
    compare "$kind f64" fft f64.npy -- --kind "$kind" --axes 1
done
for n in 512 5000 65536; do compare "$n points" fft f64.npy -- --axes 1 --shape "$n"; done
compare "expressions" fft f64.npy -- --axes 1 --load "u*sin(0.01*i1) + u^3/7" --store "abs(u)^2*1.1 + 0.3*i1"
compare "a convolution" convolve f64.npy f64.npy --
compare "a filter" image f32.npy -- --op "gauss:sigma=5:algorithm=fft"
ls never/cache/*.quick.so > /dev/null && ! ls first/cache/*.quick.so > /dev/null 2>&1 || fail "other levels"
[ "$same" -ge 14 ] || fail "only $same comparisons"
echo "$same results with the same bytes"
exit "$bad"
