#!/usr/bin/env bash
# Levels of optimisation: every image operation and transform has the same bytes, whether the compiler optimised or not.
# TEST: optimised
set -u
. "$SOURCE/tests/tools/expect.sh"
case $SANITIZE in ?*) echo "one level with sanitizers"; exit 77 ;; esac
mkdir never first
awk 'BEGIN { srand(5); printf "P2 67 41 255\n"; for (i = 0; i < 67 * 41; ++i) printf "%d ", 256 * rand() }' > u8.pgm
expect 0 "" image u8.pgm f32.npy --op "linear:gain=0.37" --type f32 -q
same=0
# run(WHAT, FILE, ARGUMENTS…): at both levels, into FILE in two folders.
run() {
    local what=$1 file=$2 level
    shift 2
    for level in never first; do
        RECHENWERK_OPTIMISE=$level RECHENWERK_CACHE=$PWD/$level/cache "$RECHENWERK" "$@" "$level/$file" "${after[@]}" \
            -qf > log 2>&1 || { fail "$what, $level: $(cat log)"; return; }
    done
    cmp "never/$file" "first/$file" && same=$((same + 1)) || fail "$what differs"
}

names=$("$RECHENWERK" list filters | sed -n 's/^\([a-z][a-z0-9]*\)  .*/\1/p')
[ "$(wc -w <<< "$names")" -gt 25 ] || fail "few operations: $names"
operations=()
for name in $names; do
    case $name in
    colour) ;; # of three channels
    warp) operations+=("warp:matrix=0.9 0.2 1/-0.1 1.1 2") ;;
    mask) operations+=("mask:mask=0 1 2/1 3 0.5/0.25 1 1") ;;
    resize) operations+=("resize:width=31:height=53" "resize:width=99:height=90:interpolation=lanczos") ;;
    *) operations+=("$name") ;;
    esac
done
operations+=("gauss:sigma=9" "gauss:sigma=5:algorithm=fft" "gauss:sigma=5:algorithm=recursive" "median:size=7"
    "dilate:size=15:element=ellipse" "gauss:sigma=1|sobel|normalize")
inputs=(f32.npy)
kinds=(complex real dct2 dst4)
if [ -n "${RECHENWERK_TEST_LONG:-}" ]; then
    inputs+=(u8.pgm)
    kinds+=(dct1 dct3 dct4 dst1 dst2 dst3)
fi
for input in "${inputs[@]}"; do
    for op in "${operations[@]}"; do
        after=(--op "$op")
        run "$op of $input" image.npy image "$input"
    done
done

for kind in "${kinds[@]}"; do
    after=(--kind "$kind" --axes 0,1)
    run "$kind" "$kind.npy" fft f32.npy
done
[ "$same" -gt 40 ] || fail "only $same comparisons"
echo "$same results with the same bytes"
exit "$bad"
