#!/usr/bin/env bash
# rechenwerk image on streams: files, pipes, numbered pictures; the commands of docs/methods/stream.md; mistakes.
set -u
. "$SOURCE/tests/tools/expect.sh"
PATH="$work/bin:$PATH"
mkdir bin
ln -s "$command" bin/rechenwerk

# film FRAMES: Y4M of 32 x 24 pixels
film() {
    awk -v n="$1" 'BEGIN {
        printf "YUV4MPEG2 W32 H24 F30:1 Ip A1:1 C420jpeg\n"
        for (k = 0; k < n; ++k) {
            printf "FRAME\n"
            for (i = 0; i < 32 * 24; ++i) printf "%c", 32 + (i * 7 + k * 13) % 90
            for (i = 0; i < 2 * 16 * 12; ++i) printf "%c", 100 + i % 20
        }
    }'
}
film 6 > film.y4m
# what the page's commands take films from and show them with
printf '#!/bin/bash\ncase "$*" in *rawvideo*) head -c 12441600 /dev/zero ;; *) cat "%s/film.y4m" ;; esac\n' \
    "$work" > bin/ffmpeg
printf '#!/bin/bash\ncat > "%s/shown.y4m"\n' "$work" > bin/ffplay
chmod +x bin/ffmpeg bin/ffplay
for i in 1 2 3; do rechenwerk image - frame-000$i.png --op clip -q --count 1 < film.y4m || fail "frame $i"; done
lines=0
while read -r line; do
    case "$line" in
    *--window*) ;; # tests/tools/test_window.sh
    rechenwerk* | ffmpeg*)
        bash -c "set -o pipefail; $line" > out 2> err || fail "$line: $(tail -2 err)"
        lines=$((lines + 1))
        ;;
    esac
done < <(sed -n '/^```sh/,/^```/p' "$SOURCE/docs/methods/stream.md")
[ $lines -eq 4 ] || fail "$lines commands in the page, not 4"
cmp shown.y4m edges.y4m || fail "a pipe gives other frames than files"
[ "$(ls out-*.png | wc -l)" -eq 3 ] || fail "other pictures: $(ls out-*)"
[ "$(stat -c %s out.clm)" -eq 12441624 ] || fail "out.clm has $(stat -c %s out.clm) bytes"

expect 0 "6 frames of 32 x 24 to 16 x 12 pixels" image film.y4m half.y4m --op resize:factor=0.5
expect 0 "mono" image film.y4m - --op grey -q --force
expect 0 "deadline 33.3 ms" image film.y4m slow.y4m --op gauss --rate 30 --queues 2 --depth 3
expect 0 "3 frames" image film.y4m three.clm --op gauss --luma --count 3
expect 2 "exists" image film.y4m half.y4m --op gauss
expect 2 "exists" image film.y4m frame-%04d.png --op gauss
expect 2 "would be overwritten" image film.y4m film.y4m --op gauss --force
expect 2 "unknown frame type" image film.y4m x.raw --op gauss --frames 32x24:rgb
expect 2 "must be size and frame type" image film.y4m x.raw --op gauss --frames 32
expect 2 "retain their type" image film.y4m x.y4m --op gauss --type u16
expect 2 "no stream format 'mp4'" image film.y4m x.y4m --op gauss --format mp4
expect 2 "queues" image film.y4m x.y4m --op gauss --queues 0
expect 2 "nearest is gauss" image film.y4m x.y4m --op gaus
head -c 3000 film.y4m > cut.y4m
expect 2 "ends inside a frame" image cut.y4m whole.y4m --op gauss --luma
[ "$(grep -ac FRAME whole.y4m)" -eq 2 ] ||
    fail "whole frames of a stream that breaks off: $(grep -ac FRAME whole.y4m), not 2"
# the reader of a pipe goes away
film 300 | rechenwerk image - - --op gauss 2> err | head -c 2000 > /dev/null
grep -q "the program that reads the pipe has ended" err || fail "a broken pipe: $(cat err)"
[ ! -e x.y4m ] && [ ! -e x.raw ] || fail "a failure left a file"
# an interruption: exit code 130, a file stays, what has come so far is named
printf old > late.y4m
for out in late.y4m late-%02d.png; do
    rechenwerk image film.y4m $out --op clip --rate 2 --force > out 2> err &
    pid=$!
    for _ in $(seq 100); do [ -e late-01.png ] || [ $out = late.y4m ] && break; sleep 0.1; done
    [ $out = late.y4m ] && sleep 1.5
    kill -TERM $pid
    wait $pid
    [ $? -eq 130 ] || fail "TERM of a stream to $out: exit code not 130: $(cat err)"
done
[ "$(cat late.y4m)" = old ] || fail "an interrupted stream replaces a file"
[ -s late.partial.y4m ] || fail "an interrupted stream leaves nothing: $(ls)"
grep -q "^[1-5] frames were written to late-%02d.png" err || fail "written pictures are not named: $(cat err)"

exit $((bad != 0))
