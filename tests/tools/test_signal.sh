#!/usr/bin/env bash
# rechenwerk signal and spectrogram: the commands of docs/methods/signal.md; files, pipes, samples without a header;
# mistakes.
set -u
. "$SOURCE/tests/tools/expect.sh"
PATH="$work/bin:$PATH"
mkdir bin
ln -s "$command" bin/rechenwerk

# bytes NUMBER COUNT: little endian, as an argument of printf
bytes() { local v=$1 i; for ((i = 0; i < $2; i++)); do printf '\\x%02x' $((v >> 8 * i & 255)); done; }
# samples N: 16 bits, two channels
samples() { awk -v n="$1" 'BEGIN { for (i = 0; i < 4 * n; ++i) printf "%c", 32 + (i * 7 + int(i / 50) * 13) % 90 }'; }
# wav N RATE: with a header
wav() {
    local size=$((4 * $1)) head
    head="RIFF$(bytes $((size + 36)) 4)WAVEfmt $(bytes 16 4)$(bytes 1 2)$(bytes 2 2)$(bytes "$2" 4)"
    head+="$(bytes $((4 * $2)) 4)$(bytes 4 2)$(bytes 16 2)data$(bytes $size 4)"
    printf "$head"
    samples "$1"
}
wav 9000 48000 > in.wav
printf '0.25, 0.5 # symmetric\n0.25\n' > taps.txt

# what the page's commands take sound from and play it with
printf '#!/bin/bash\ncase "$*" in *s16le*) tail -c +45 "%s/in.wav" ;; *) cat "%s/in.wav" ;; esac\n' \
    "$work" "$work" > bin/ffmpeg
printf '#!/bin/bash\ncat > "%s/played.wav"\n' "$work" > bin/ffplay
chmod +x bin/ffmpeg bin/ffplay
lines=0
while read -r line; do
    case "$line" in
    rechenwerk* | ffmpeg*)
        bash -c "set -o pipefail; $line" > out 2> err || fail "$line: $(tail -2 err)"
        lines=$((lines + 1))
        ;;
    esac
done < <(sed -n '/^```sh/,/^```/p' "$SOURCE/docs/methods/signal.md")
[ $lines -eq 9 ] || fail "$lines commands in the page, not 9"
for file in out.wav hum.wav played.wav paced.wav; do
    [ "$(stat -c %s $file)" -eq 36044 ] || fail "$file has $(stat -c %s $file) bytes"
done
[ "$(stat -c %s out.raw)" -eq 36000 ] || fail "out.raw has $(stat -c %s out.raw) bytes"
[ "$(head -c 4 figure.png | tail -c 3)" = PNG ] && [ "$(head -c 6 spectra.npy | tail -c 5)" = NUMPY ] ||
    fail "results of spectrogram"

expect 0 "9000 samples" signal in.wav same.wav --op gain
cmp in.wav same.wav || fail "a gain of 1 changes samples"
expect 0 "127 samples of delay removed" signal in.wav y.wav --op lowpass --set cutoff=1000
expect 0 "0 samples of delay removed" signal in.wav y.wav --op lowpass:cutoff=1000 --keep-delay --force
expect 0 "deadline 1.33 ms: " signal in.wav y.wav --op gain --block 64 --rate real --force
expect 0 "deadline 500 ms: 0 of 9 blocks late" signal in.wav y.wav --op gain --deadline 500 --force
expect 0 "to y24.wav, s24" signal in.wav y24.wav --op gain --kind s24 --queues 1 --depth 2 --batch 3
expect 0 "2 channels of s24" signal y24.wav y32.wav --op gain:0.5 --kind f32 -p f64
expect 0 "2 channels of f32" signal y32.wav back.wav --op gain:2 --kind s16 -p f64
cmp in.wav back.wav || fail "s16 to s24 to f32 and back changes samples"
expect 0 "" signal in.wav y.raw --op gain -q
cmp <(tail -c +45 in.wav) y.raw || fail "samples without a header differ"
expect 0 "channels of s16" spectrogram y.raw raw.png --samples 44100:s16:2 --window kaiser --beta 5 --channel 2
expect 0 "windowed sinc" list signals

# unknown sizes; the reader of a pipe sees what has come
{ head -c 40 in.wav; printf '\xff\xff\xff\xff'; tail -c +45 in.wav; } |
    rechenwerk signal - pipe.wav --op gain -q || fail "a WAV of unknown size"
cmp in.wav pipe.wav || fail "a file gets its sizes"
rechenwerk signal - - --op gain -q < in.wav | cmp - in.wav || fail "pipes"
# sizes that programs write for an unknown length: SoX (in whole samples), arecord, ffmpeg less the header
for size in 7ffff000 7fffff00 80000000 ffffffdb 00000000; do
    { head -c 40 in.wav; bytes $((16#$size)) 4 | xargs -0 printf; tail -c +45 in.wav; } > unknown.wav
    expect 0 "9000 samples" signal unknown.wav known.wav --op gain --force
    cmp in.wav known.wav || fail "a WAV of length $size"
done
# a file that the shell opens gets its length; one that is appended to cannot
{ head -c 40 in.wav; printf '\xff\xff\xff\xff'; tail -c +45 in.wav; } > unknown.wav
printf 'before' > redirected
cat unknown.wav | "$command" signal - - --op gain -q 1<> redirected || fail "standard output is a file"
cmp in.wav redirected || fail "standard output is a file: no length"
printf 'before' > redirected
{ printf 'before'; cat unknown.wav | "$command" signal - - --op gain -q; } > redirected
cmp in.wav <(tail -c +7 redirected) || fail "standard output is a file that has begun"
cat unknown.wav | "$command" signal - - --op gain -q >> redirected
[ "$(head -c 6 redirected)" = before ] && cmp in.wav <(tail -c +7 redirected | head -c 36044) || fail "appended"
# RF64: sizes of 64 bits
rf64() { # DATA SAMPLES: the sizes in its header
    printf "RF64\\xff\\xff\\xff\\xffWAVEds64$(bytes 28 4)"
    printf "$(bytes $(($1 + 72)) 8)$(bytes "$1" 8)$(bytes "$2" 8)$(bytes 0 4)"
    head -c 40 in.wav | tail -c +13
    printf '\xff\xff\xff\xff'
    tail -c +45 in.wav
}
rf64 36000 9000 > rf64.wav
printf 'LIST\4\0\0\0abcd' >> rf64.wav
expect 0 "9000 samples" signal rf64.wav y.wav --op gain --force
cmp in.wav y.wav || fail "RF64"
rf64 6000000000 1500000000 > rf64.wav
expect 2 "ends after 9000 of the 1500000000 samples" signal rf64.wav wide.wav --op gain
rf64 36000 9000 | cmp - wide.wav || fail "what is longer than 4 GiB is RF64"
for name in x.mp3 x.flac X.Ogg; do expect 2 "no format of signals has this ending" signal in.wav $name --op gain; done
expect 0 "" signal in.wav sound --op gain -q
cmp in.wav sound || fail "a name without an ending"
expect 0 "" signal in.wav sound.dat --op gain -q --format raw
cmp sound.dat <(tail -c +45 in.wav) || fail "an ending of one's own with --format"

# breaks off: what came before is there
head -c 4047 in.wav > cut.wav
expect 2 "ends inside sample 1000, after 3 of its 4 bytes" signal cut.wav part.wav --op gain
cmp -n 4000 -i 44 in.wav part.wav && [ "$(stat -c %s part.wav)" -eq 4044 ] ||
    fail "what came before the end of a stream"
head -c 4044 in.wav > short.wav
expect 2 "ends after 1000 of the 9000 samples" signal short.wav part2.wav --op gain
expect 2 "ends after 1000 of the 9000 samples" spectrogram short.wav x.png
head -c 30 in.wav > head.wav
expect 2 "ends inside a chunk of the header" signal head.wav x.wav --op gain
: > empty.wav
expect 2 "is empty" signal empty.wav x.wav --op gain
samples 10 > raw
expect 2 "describe samples that have no header, such as --samples" signal raw x.wav --op gain

# mistakes
expect 2 "exists already" signal in.wav y.wav --op gain
expect 2 "would be overwritten" signal in.wav in.wav --op gain --force
expect 2 "exists already" spectrogram in.wav figure.png
expect 2 "cannot open 'none.wav'" signal none.wav x.wav --op gain
expect 2 "the operation is missing" signal in.wav x.wav
expect 2 "nearest is lowpass" signal in.wav x.wav --op lowpas
expect 2 "not below half of the sampling rate, 24000 Hz" signal in.wav x.wav --op lowpass:cutoff=24000
expect 2 "is even" signal in.wav x.wav --op lowpass:cutoff=1000:taps=10
expect 2 "must be rate, sample type and channels" signal raw x.wav --op gain --samples 48000
expect 2 "must be rate, sample type and channels" signal raw x.wav --op gain --samples 48000:s16:
expect 2 "unknown sample type s17" signal raw x.wav --op gain --samples 48000:s17:2
expect 2 "--kind u9" signal in.wav x.wav --op gain --kind u9
expect 2 "--format mp3: unknown format; known are wav, raw" signal in.wav x.wav --op gain --format mp3
expect 2 "--rate 5: must be real" signal in.wav x.wav --op gain --rate 5
expect 2 "f32 or f64" signal in.wav x.wav --op gain -p f16
expect 2 "--block 0" signal in.wav x.wav --op gain --block 0
expect 2 "--range 3" spectrogram in.wav x.png --range 3
expect 2 "unknown window" spectrogram in.wav x.png --window han
expect 2 "beta = 0 is outside (0, 100]" spectrogram in.wav x.png --beta 0 # a zero that is given is no default
expect 2 "channel = 3: the signal has 2" spectrogram in.wav x.png --channel 3
expect 2 "the file name must end in" spectrogram in.wav x.txt
# what is too long is refused before the first operation is designed
repeat() { local i text=$3; for ((i = 1; i < $1; i++)); do text="$2|$text"; done; printf '%s' "$text"; }
expect 0 "" signal in.wav x.raw --op "$(repeat 1000 gain gain)" -q
rm x.raw
expect 2 "a chain of more than 1000 operations" signal in.wav x.wav --op "$(repeat 1001 gain gain)"
expect 2 "the chain has 1179631 taps: at most 1048576" signal in.wav x.wav \
    --op "$(repeat 9 lowpass:cutoff=1000:taps=131071 lowpass:cutoff=1000:taps=131071)"
for ((i = 0; i < 500000; i++)); do echo 1; done > long.txt
expect 2 "needs more than 1e+11 products" signal in.wav x.wav --op "fir:file=long.txt|fir:file=long.txt"
# the reader of a pipe goes away
rechenwerk signal /dev/zero - --samples 48000:s16:2 --op gain 2> err | head -c 100 > /dev/null
grep -q "the program that reads the pipe has ended" err || fail "a broken pipe: $(cat err)"
[ ! -e x.wav ] && [ ! -e x.png ] && [ ! -e x.txt ] || fail "a failure left a file"
exit $((bad != 0))
