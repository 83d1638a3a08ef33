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
[ "$(od -An -tu4 -j16 -N4 three.clm | tr -d ' ')" = 3 ] || fail "the count of three.clm"
"$command" image - - --op clip --luma -q --format clm < film.y4m > film.clm
[ "$(od -An -tu4 -j16 -N4 film.clm | tr -d ' ')" = 6 ] || fail "the count of film.clm"
"$command" image film.clm - --op clip -q --count 2 | cat > two.clm
[ "$(od -An -tu4 -j16 -N4 two.clm | tr -d ' ')" = 2 ] || fail "the count of two.clm"
for name in x.mp4 x.avi x.webm; do expect 2 "no stream format has this ending" image film.y4m $name --op clip; done
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
# the header is copied: aspect, fields, place of colour; with another size only what remains valid
{ printf 'YUV4MPEG2 W4 H2 F30000:1001 It A128:117 C420mpeg2\nFRAME\nabcdefghijkl'; } > field.y4m
expect 0 "" image field.y4m field-luma.y4m --op clip --luma -q
cmp field.y4m field-luma.y4m || fail "header: $(head -1 field-luma.y4m)"
header() { # IN OUT OPERATION HEADER
    expect 0 "" image "$1" "$2" --op "$3" -q --force
    [ "$(head -1 "$2" | tr -d '\0')" = "$4" ] || fail "$3: $(head -1 "$2"), not $4"
}
header field.y4m h.y4m clip "YUV4MPEG2 W4 H2 F30000:1001 It A128:117 C420mpeg2"
header field.y4m h.y4m resize:width=8:height=4 "YUV4MPEG2 W8 H4 F30000:1001 I? A128:117 C420jpeg"
header field.y4m h.y4m resize:width=8:height=2 "YUV4MPEG2 W8 H2 F30000:1001 It A0:0 C420jpeg"
for i in "Ib A1:1 C420paldv" "Ip A0:0 C420jpeg" "I? A59:54 C422" "It A10:11 C444 XCOLORRANGE=FULL" \
    "It A10:11 C444 XYSCSS=444 XCOLORRANGE=LIMITED" "Ip A0:0 C420jpeg XYSCSS=420JPEG"; do
    { printf 'YUV4MPEG2 W4 H2 F25:1 %s\nFRAME\nabcdefghijklmnopqrstuvwx' "$i"; } > h.y4m
    size=24
    [[ $i != *C420* ]] || size=12
    [[ $i != *C422* ]] || size=16
    head -c $(($(head -1 h.y4m | wc -c) + 6 + size)) h.y4m > i.y4m
    header i.y4m o.y4m clip "YUV4MPEG2 W4 H2 F25:1 $i"
done
# with another place of colour XYSCSS follows it; of one channel there is none
printf 'YUV4MPEG2 W4 H2 F25:1 Ip A1:1 C420mpeg2 XYSCSS=420MPEG2 XCOLORRANGE=LIMITED\nFRAME\nabcdefghijkl' > i.y4m
header i.y4m o.y4m resize:width=8:height=4 \
    "YUV4MPEG2 W8 H4 F25:1 Ip A1:1 C420jpeg XYSCSS=420JPEG XCOLORRANGE=LIMITED"
header i.y4m o.y4m grey "YUV4MPEG2 W4 H2 F25:1 Ip A1:1 Cmono XCOLORRANGE=LIMITED"
# nothing to read, nothing to write, nobody who reads
: > empty.y4m
expect 2 "empty.y4m is empty: expected a stream of frames" image empty.y4m x.y4m --op clip
expect 2 "(see rechenwerk list filters)" image film.y4m none
grep -q -- --text err && fail "--text is advised for a stream: $(cat err)"
expect 0 "computed (none is written)" image film.y4m none --op clip
expect 2 "operation = gain is none of gauss" image film.y4m none --op gain
{ printf 'YUV4MPEG2 W256 H256 F25:1 Cmono\n'; for i in {1..40}; do printf 'FRAME\n%65536s' ''; done; } > large.y4m
"$command" image large.y4m - --op clip -q 2> err | head -c 1 > /dev/null
[ "$(wc -l < err)" -le 1 ] || fail "a broken pipe: $(cat err)"
# red, green, blue to planes: pictures, numbered and one after another; grey keeps its values, as full range
printf 'P6\n3 1\n255\n\377\0\0\0\377\0\0\0\377' > red.ppm
for i in 1 2; do expect 0 "" image red.ppm red-$i.png --op clip -q; done
expect 0 "2 frames" image red-%d.png red.y4m --op clip
[ "$(head -1 red.y4m)" = "YUV4MPEG2 W3 H1 F25:1 Ip A0:0 C444" ] || fail "header of pictures: $(head -1 red.y4m)"
[ "$(tail -c 9 red.y4m | od -An -tu1 | tr -s ' \n' ' ')" = " 81 145 41 90 54 240 240 34 110 " ] ||
    fail "planes of red, green, blue: $(tail -c 9 red.y4m | od -An -tu1)"
"$command" image - - --op clip -q --format y4m < red.ppm | cmp -n 50 - red.y4m || fail "pictures of a pipe"
expect 0 "2 frames" image red.y4m back-%d.ppm --op clip
cmp -n 11 back-1.ppm red.ppm || fail "header of back-1.ppm"
[ "$(tail -c 9 back-2.ppm | od -An -tu1 | awk '{ for (i = 1; i <= NF; ++i) n += $i > 250; print n }')" = 3 ] ||
    fail "planes and back: $(tail -c 9 back-2.ppm | od -An -tu1)"
printf 'P5\n2 1\n255\n\0\377' > grey-1.pgm
header grey-%d.pgm grey.y4m clip "YUV4MPEG2 W2 H1 F25:1 Ip A0:0 Cmono XCOLORRANGE=FULL"
# numbered names: one %d or %0Nd, all else is text; what exists is found whatever the name
expect 0 "" image red.ppm "my%20dog.png" --op clip -q
[ -f "my%20dog.png" ] || fail "my%20dog.png: $(ls my*)"
expect 0 "" image "my%20dog.png" "your%20dog%5d.png" --op clip -q
[ -f "your%20dog%5d.png" ] || fail "your%20dog%5d.png: $(ls your*)"
for name in 'a[1]-%02d.png' 'b\c*?-%d.png' 'd %03d e.png' 'f%%d-%d.png'; do
    expect 0 "" image film.y4m "$name" --op clip -q --count 2
    expect 2 "exists already: use --force" image film.y4m "$name" --op clip -q --count 2
    expect 0 "" image film.y4m "$name" --op clip -q --count 2 --force
    expect 0 "2 frames" image "$name" copy.y4m --op clip --force
done
for file in 'a[1]-02.png' 'b\c*?-1.png' 'd 002 e.png' 'f%d-2.png'; do [ -f "$file" ] || fail "no $file"; done
expect 0 "" image film.y4m 'a1-%02d.png' --op clip -q --count 1 # is another name than a[1]
expect 0 "" image film.y4m 'd%03d e.png' --op clip -q --count 1
expect 2 "may have one %d or %04d" image film.y4m 'x-%d-%d.png' --op clip
# frames into the frames that are read, by whatever name
mkdir -p frames && ln -s frames other
expect 0 "" image film.y4m frames/f-%04d.png --op clip -q
cp -r frames before
for pair in "frames/f-%04d.png frames/f-%04d.png" "frames/f-%04d.png other/f-%04d.png" \
    "frames/f-%04d.png frames/f-%d.png" "frames/f-%04d.png ./frames/f-0%03d.png" "frames/f-0001.png frames/f-%04d.png" \
    "frames/f-%04d.png frames/f-0003.png"; do
    # shellcheck disable=SC2086 # two names
    expect 2 "would be written over the input" image $pair --op "gauss" --force -q
done
diff -r frames before || fail "frames written over themselves"
expect 0 "6 frames" image frames/f-%04d.png frames/g-%04d.png --op gauss
rm frames/g-0003.png
expect 0 "2 frames" image frames/g-%04d.png gap.y4m --op clip
grep -q "number 3 is missing: the stream ends before it, although frames/g-0004.png exists" err ||
    fail "a gap: $(cat err)"
rm frames/g-000[12].png
expect 1 "no file with number 0 or 1 exists; the first one is frames/g-0004.png" image frames/g-%04d.png x.y4m --op clip
# one picture of a film: the old one stays
cp red-1.png one.png
expect 2 "more than one frame: name a pattern" image film.y4m one.png --op clip --force
cmp red-1.png one.png || fail "one picture of a film has replaced the file"
expect 0 "1 frames" image film.y4m one.png --op clip --force --count 1
cmp -s red-1.png one.png && fail "one picture is not written"
[ -z "$(find . -name '*.tmp*' -o -name '.*rechenwerk*')" ] || fail "temporary files: $(find . -name '*tmp*')"
# the reader of a pipe goes away
film 300 | rechenwerk image - - --op gauss 2> err | head -c 2000 > /dev/null
grep -q "the program that reads the pipe has ended" err || fail "a broken pipe: $(cat err)"
[ ! -e x.y4m ] && [ ! -e x.raw ] || fail "a failure left a file"
# an interruption: exit code 130, a file is unchanged, the message names the partial output
printf old > late.y4m
film 300 > long.y4m
begun() { [ -e late-01.png ] || [ -n "$(find . -name '*.tmp*' -size +0)" ]; }
for out in late.y4m late-%02d.png; do
    rechenwerk image long.y4m $out --op clip --rate 20 --force > out 2> err &
    pid=$!
    await begun
    kill -TERM $pid
    wait $pid
    [ $? -eq 130 ] || fail "TERM of a stream to $out: exit code not 130: $(cat err)"
done
[ "$(cat late.y4m)" = old ] || fail "an interrupted stream replaces a file"
[ -s late.partial.y4m ] || fail "an interrupted stream leaves nothing: $(ls)"
grep -q "^[1-9][0-9]* frames were written to late-%02d.png" err || fail "written pictures are not named: $(cat err)"

exit $((bad != 0))
