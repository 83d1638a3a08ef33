#!/usr/bin/env bash
# Every command is ended at random times, by TERM, INT, HUP and KILL. Afterwards the exit code is 130 (or 0, if it had
# come to its end), an output file has its old bytes or those of a whole run, and nothing else is left: no temporary
# file, no compiler. What KILL leaves in $TMPDIR and in the program cache, the next command removes; what it leaves
# next to an output, the next command with the same output.
# RECHENWERK_TEST_LONG=1: 500 kills. RECHENWERK_TEST_SEED: the times (default: 42).
# shellcheck disable=SC2154,SC2086,SC2059
set -u
shopt -s extglob
. "$SOURCE/tests/tools/expect.sh"
seed=${RECHENWERK_TEST_SEED:-42} kills=24 most=400
[ "${RECHENWERK_TEST_LONG:-0}" = 1 ] && kills=500 most=1500
RANDOM=$seed
echo "seed $seed, $kills kills within $most ms each"
mkdir tmp cache out other
export TMPDIR=$work/tmp RECHENWERK_CACHE=$work/cache

# inputs
{ printf 'P5 900 900 255\n' && head -c 810000 /dev/urandom; } > in.pgm
head -c 30000000 /dev/urandom > in.raw
"$command" generate laplace -c 60x60x60 -o in.mtx > /dev/null || fail "generate"
printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (500, 1000), }" > in.npy
head -c 4000000 /dev/zero >> in.npy
"$command" run "$SOURCE/cases/heat-1d.yaml" -o in.run -q > /dev/null 2>&1 || fail "run"

# commands: arguments, with %s for the output; without: none
calls=(
    "run $SOURCE/cases/heat-2d.yaml -o other/run --force"
    "solve in.mtx --force -o %s.npy"
    "image in.pgm %s.png --op gauss:sigma=9|sobel|median:size=7|normalize --force"
    "image in.raw %s.y4m --frames 160x120:yuv420p --op gauss:sigma=3 --rate 60 --force"
    "signal in.raw %s.wav --samples 48000:s16:2 --op lowpass:cutoff=1000 --rate real --force"
    "fft in.npy %s.npy --force"
    "convolve in.npy in.npy %s.npy --force"
    "spectrum in.pgm %s.png --force"
    "spectrogram in.raw %s.png --samples 48000:s16:2 --force"
    "generate laplace -c 70x70x70 --force -o %s.mtx"
    "convert in.mtx --format csr --force -o %s.mtx"
    "plot in.run -F u --force -o %s.png"
    "lab rock4 -d cpu"
    "bench spine --quick --no-peers"
    "selftest"
    "matrix in.mtx"
    "spmv in.mtx --quick"
    "tune in.mtx --quick"
    "explain $SOURCE/cases/heat-2d.yaml"
    "image in.pgm %s.npy --text o=u[i+1,j]-u --force"
)
signals=(TERM INT HUP KILL)

# compilers of this test: their arguments name its folder
compilers() { pgrep -f "$work/tmp/rechenwerk-tmp-" | grep -c . ; }
# what must not remain
leftovers() { find tmp out other cache -name '*.tmp' -o -name 'rechenwerk-tmp-*' -o -name '*.part' | head -5; }
settle() { # a compiler whose parent was killed ends by itself, also one that was about to start
    sleep 0.2
    for _ in $(seq 600); do [ "$(compilers)" = 0 ] && return; sleep 0.1; done
}

begun() { # PID: it catches signals, or has ended; before that the system would end it
    local state caught
    for _ in $(seq 1000); do
        read -r state caught < <(
            awk '/^State:/ {s = $2} /^SigCgt:/ {c = $2} END {print s, c}' "/proc/$1/status" 2> /dev/null
        )
        [ -n "${caught:-}" ] && [ "$state" != Z ] || return
        ((16#$caught >> 14 & 1)) && return
        sleep 0.01
    done
}

whole() { # FILE CALL: the bytes of a run to the end
    local reference=other/${1#out/}
    rm -f "$reference"
    "$command" ${2//%s/${reference%.*}} > /dev/null 2>&1
    cmp -s "$1" "$reference"
    local same=$?
    rm -f "$reference"
    return $same
}

hits=0
for ((k = 0; k < kills; k++)); do
    call=${calls[k % ${#calls[@]}]} signal=${signals[(k + k / 4) % 4]}
    file='' ending=${call#*%s}
    [ "$ending" != "$call" ] && file=out/x${ending%% *}
    rm -rf out/* other/run
    [ -z "$file" ] || echo old > "$file"
    ((RANDOM % 3)) || rm -rf cache/*
    "$command" ${call//%s/out/x} > said 2> err < /dev/null &
    pid=$!
    sleep "$(printf '0.%03d' $((RANDOM % 1000 * most / 1000 % 1000)))"
    ((most > 999 && RANDOM % 2)) && sleep 0.5
    [ $signal = KILL ] || begun $pid
    kill -$signal $pid 2> /dev/null && hits=$((hits + 1))
    wait $pid 2> /dev/null
    code=$?
    what="kill $k, $signal after rechenwerk $call"
    if grep -q '^To continue:  rechenwerk' err && [ ! -s other/run/checkpoint.h5 ]; then
        fail "$what: no checkpoint: $(cat err)"
    fi
    case $signal,$code in
    KILL,137 | KILL,0 | *,130 | *,0) ;;
    *) fail "$what: exit code $code: $(head -3 err)" ;;
    esac
    if [ $signal = KILL ]; then
        settle
        # the time before they are swept
        find tmp out other -name 'rechenwerk-tmp-*' -o -name '*.tmp' | xargs -r touch -h -d '2 hours ago'
        if [ -n "$file" ]; then # the next command with the same output removes what lies next to it
            cp "$file" other/kept
            call_again=${call//%s/out/x}
            "$command" ${call_again/--rate +([^ ])/} > /dev/null 2>&1
            mv other/kept "$file"
        elif [ -d other/run ]; then
            "$command" $call -q 2> err || fail "$what: again: $(cat err)"
        fi
        "$command" image in.pgm other/y.png --op invert --force -q > /dev/null 2> err || fail "$what: next: $(cat err)"
        rm -f other/y.png
    fi
    # a killed process needs a moment to end
    for _ in $(seq 600); do [ "$(compilers)" = 0 ] && break; sleep 0.1; done
    [ "$(compilers)" = 0 ] || fail "$what: a compiler stays"
    left=$(leftovers)
    [ -z "$left" ] || fail "$what: leaves $left"
    rm -rf tmp/*
    if [ -n "$file" ] && [ "$(head -c 4 "$file" 2> /dev/null | tr -d '\0')" != old ]; then
        whole "$file" "$call" || fail "$what: $file has neither its old bytes nor those of a whole run (code $code)"
        [ $code = 0 ] || [ $code = 137 ] || [ $code = 130 ] || fail "$what: a new file with exit code $code"
    elif [ -n "$file" ] && [ $code = 0 ]; then
        fail "$what: exit code 0, but $file is the old one"
    fi
    for f in out/*; do
        case $f in "$file" | out/x.partial.* | 'out/*') ;; *) fail "$what: leaves $f" ;; esac
    done
done
echo "$hits of $kills ended a running command"
[ $hits -ge $((kills / 3)) ] || fail "only $hits of $kills ended a running command: the test shows little"

# HUP of a run: a checkpoint, from which it continues; nohup's is ignored
long() {
    "$command" run "$SOURCE/cases/heat-2d.yaml" -s "grid.size=[256,256]" -s time.end=50 -o other/long --force \
        > said 2> err &
}
rows() { # at least so many in the series: names, units, t = 0, and steps
    [ -e other/long/series.csv ] && [ "$(wc -l < other/long/series.csv)" -ge "$1" ]
}
long
pid=$!
await rows 4
kill -HUP $pid
wait $pid
[ $? = 130 ] || fail "HUP of a run: exit code not 130: $(cat err)"
[ -s other/long/checkpoint.h5 ] || fail "HUP of a run: no checkpoint"
grep -q '^To continue:' err || fail "HUP of a run: $(cat err)"
# in the first step, where it may end a compiler
rm -rf other/long cache/*
long
pid=$!
await [ -e other/long/series.csv ]
kill -HUP $pid
wait $pid
[ $? = 130 ] || fail "HUP in the first step: exit code not 130: $(cat err)"
[ -s other/long/checkpoint.h5 ] || fail "HUP in the first step: no checkpoint: $(cat err)"
rm -rf other/long
trap '' HUP
long
pid=$!
trap - HUP
await rows 4
kill -HUP $pid
await rows "$(($(wc -l < other/long/series.csv) + 2))" || fail "an ignored HUP ends a run: $(cat err)"
kill -TERM $pid
wait $pid
[ $? = 130 ] || fail "TERM of a run: exit code not 130: $(cat err)"

exit $((bad > 0))
