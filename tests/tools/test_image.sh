#!/usr/bin/env bash
# rechenwerk image: files of all formats, chains, settings, mistakes.
set -u
. "$SOURCE/tests/tools/expect.sh"

printf 'P5\n4 3\n255\n\001\002\003\004\005\006\007\010\011\012\013\014' > a.pgm
printf 'P6\n2 1\n65535\n\001\002\003\004\005\006\007\010\011\012\013\014' > deep.ppm

expect 0 "1 pass" image a.pgm b.png --op box --force
expect 0 "planning and compilation" image a.pgm b.png --op box --force
expect 0 "2 passes" image a.pgm n.png --op "gauss:sigma=1|sobel|normalize" --force
expect 0 "gauss:sigma=2:border=wrap" image a.pgm c.tif --op gauss --set sigma=2 --set border=wrap --force
expect 0 "4 x 3 pixels, 1 channel, u16" image a.pgm d.png --op invert --type u16 --force
expect 0 "2 x 1 pixels, 3 channels, u16" image deep.ppm e.png --op median --force
expect 0 "strips of" image a.pgm f.bmp --op "mask:mask=0 1 0/1 1 1/0 1 0" -v --force
expect 0 "4 x 3 pixels, 1 channel, f32" image a.pgm g.npy --op "linear:gain=0.5" --type f32 --force
expect 0 "g.npy" image g.npy h.png --op clip --force
expect 0 "sigma=1" list filters

# the mean of 1 … 12 in windows of 3, beyond the border as 101: known bytes
expect 0 "" image a.pgm mean.pgm --op box -qf
[ "$(tail -c 12 mean.pgm | od -An -tu1 | tr -s ' \n' ' ')" = " 4 5 6 6 6 6 7 7 7 7 8 9 " ] ||
    { echo "other means: $(tail -c 12 mean.pgm | od -An -tu1)"; bad=1; }

# a grating of 8 periods over 64 pixels: white in the middle, two bright pixels 8 to the left and right of it
awk 'BEGIN { printf "P2 64 64 255\n"
    for (i = 0; i < 4096; ++i) printf "%d ", 127.5 + 100 * cos(3.14159265358979 * (i % 64) / 4) }' > grating.pgm
expect 0 "4 passes" spectrum grating.pgm s.pgm --force
[ "$(tail -c 4096 s.pgm | od -An -v -tu1 -w1 |
    awk '$1 > 150 { printf "%d,%d ", (NR - 1) % 64, (NR - 1) / 64 }')" = "24,32 32,32 40,32 " ] || fail "other peaks"
expect 0 "spectrum:linear" spectrum grating.pgm s.png --linear --force
expect 0 "256 x 1 pixels, 1 channel, f64" image grating.pgm counts.npy --op histogram

# figures: a page of the size that the images need; grey, colour, results of other sizes and types
size_of() { od -An -tu1 -j16 -N8 "$1" | awk '{ print $3 * 256 + $4, $7 * 256 + $8 }'; }
expect 0 "figure: figure.png" image a.pgm b.png --op "box|gauss" --figure figure.png --force
read -r width height <<< "$(size_of figure.png)"
[ "$width" -ge 600 ] && [ "$width" -le 1400 ] && [ "$height" -ge 300 ] && [ "$height" -le 1000 ] ||
    fail "a figure of $width x $height pixels"
expect 0 "" image deep.ppm big.png --op "resize:width=5000:height=3000" -q --force
expect 0 "" image big.png b.png --op "resize:factor=0.5|sobel" --figure colour.png -q --force
expect 0 "" image a.pgm b.npy --op histogram --figure counts.png -q --force
expect 0 "" image a.pgm b.npy --op laplace --type f16 --figure f16.png -q --force
expect 0 "" image a.pgm b.png --text "o = 2*u" --figure text.png -q --force
expect 0 "" spectrum grating.pgm s.png --figure spectrum.png -q --force
for f in colour counts f16 text spectrum; do [ -s $f.png ] || fail "no figure $f.png"; done
expect 2 "'figure.png' exists" image a.pgm new.png --op box --figure figure.png
expect 2 "the file name must end in .png" image a.pgm new.png --op box --figure figure.jpg
expect 2 "name the same file" image a.pgm b.png --op box --figure b.png --force
expect 2 "is an input file and would be overwritten" image b.png new.png --op box --figure b.png --force
expect 2 "--figure does not apply to streams" image a.pgm frames.y4m --op box --figure stream.png
[ ! -e new.png ] || fail "a refusal left new.png"

# filters as text: known bytes, of 1 2 3 4 / 5 6 7 8 / 9 10 11 12
text() { # bytes, then options
    bytes=$1
    shift
    expect 0 "" image a.pgm text.pgm -q --force "$@"
    found=$(tail -c 12 text.pgm | od -An -tu1 | tr -s ' \n' ' ')
    [ "$found" = " $bytes " ] || { echo "$*: other values: $found"; bad=1; }
}
text "1 1 1 0 1 1 1 0 1 1 1 0" --text "o = max(u[i+1,j], u[i-1,j]) - u"
text "3 2 1 2 7 6 5 6 11 10 9 10" --text "o = u[i-2]"
text "2 1 1 2 6 5 5 6 10 9 9 10" --text "o = u[i-2]" --set border=reflect
text "1 1 1 2 5 5 5 6 9 9 9 10" --text "o = u[i-2]" --set border=replicate
text "3 4 1 2 7 8 5 6 11 12 9 10" --text "o = u[i-2]" --set border=wrap
text "9 9 1 2 9 9 5 6 9 9 9 10" --text "o = u[i-2]" --set border=constant --set value=9.4
text "0 0 1 2 0 0 5 6 0 0 9 10" --text "o = u[i-2]" --set border=constant --set value=-3
text "5 6 7 8 1 2 3 4 1 2 3 4" --text "o = u[i, j+64]" --set border=reflect # rows 64, 65 and 66 of a period of 6
text "0 1 2 2 2 3 4 4 4 5 6 6" --text "o = u/2" # halves to even
text "100 200 255 255 255 255 255 255 255 255 255 255" --text "o = 100*u"
text "0 1 2 3 10 11 12 13 20 21 22 23" --text "o = x + 10*y"
text "0 23 46 70 93 116 139 162 185 209 232 255" --text "low = min(u); o = 255*(u - low)/(max(u) - low)"
text "1 1 1 1 1 1 1 1 1 1 1 1" --text "s = u - u[i-1]
o = where(abs(s) > 0, 1, 1) # two lines" -d check
expect 0 "1 pass per channel" image a.pgm b.png --text "o = u - u[i-1, j+1]" -v --type u16 --force
printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2, 4), }" > alpha.npy
printf '\001\002\003\004\005\006\007\010' >> alpha.npy
expect 0 "4 channels" image alpha.npy alpha.png --text "o = 0.5*u[i-1]" --set border=wrap --force
expect 0 "f64" image alpha.png half.npy --text "o = u" --type f64 --force # alpha as it is
found=$(tail -c 64 half.npy | od -An -tf8 | tr -s ' \n' ' ')
[ "$found" = " 2 3 4 4 0 1 2 8 " ] || { echo "other channels: $found"; bad=1; }

expect 2 "text:1:9: name q is unknown" image a.pgm x.png --text "o = u + q"
expect 2 "does not assign o" image a.pgm x.png --text "v = u[i+1]"
expect 2 "does not assign o" image a.pgm x.png --text "o == u; op = u"
expect 2 "text:1:9: the offset of a neighbour must be an integer from -64 to 64" image a.pgm x.png --text "o = u[i+65]"
expect 2 "text:1:6: a neighbour needs 1 to 2 offsets" image a.pgm x.png --text "o = u[i, j, k]"
expect 2 "border=reflct: unknown border; nearest is reflect" image a.pgm x.png --text "o = u" --set border=reflct
expect 2 "known are reflect101, reflect, replicate, wrap, constant" image a.pgm x.png --text "o = u" --set border=skip
expect 2 "value=b: the value must be a number" image a.pgm x.png --text "o = u" --set value=b
expect 2 "sigma=1: --text has no such setting; known are border, value" image a.pgm x.png --text "o = u" --set sigma=1
expect 2 "exclude each other" image a.pgm x.png --text "o = u" --op gauss
# alpha: points and edges leave it, windows and interpolation work on colours times alpha, alpha=filter filters it
rgba() { # values of an image of W x 1 x 4
    printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (1, $1, 4), }"
    shift
    for v in "$@"; do printf '%b' "\\0$(printf %o "$v")"; done
}
values() { tail -c "$2" "$1" | od -An -v -tu1 | tr -s ' \n' ' '; }
rgba 2 10 20 30 255 40 50 60 200 > opaque.npy
alpha() { # values, operation
    expect 0 "" image opaque.npy filtered.npy --op "$2" "${@:3}" -q --force
    [ "$(values filtered.npy 8)" = " $1 " ] || fail "$2: other values: $(values filtered.npy 8)"
}
alpha "245 235 225 255 215 205 195 200" invert
alpha "245 235 225 0 215 205 195 55" invert --set alpha=filter
alpha "0 0 0 255 0 0 0 200" threshold --set level=100
expect 0 "" image opaque.npy edges.npy --op "gauss|sobel|laplace" -q --force
[ "$(values edges.npy 8 | awk '{ print $4, $8 }')" = "228 227" ] || fail "alpha of edges: $(values edges.npy 8)"
rgba 2 255 255 255 0 0 0 0 255 > bleeding.npy # white, transparent; black, opaque
expect 0 "" image bleeding.npy wide.npy --op "resize:width=4:height=1" -q --force
[ "$(values wide.npy 16)" = " 0 0 0 0 0 0 0 64 0 0 0 191 0 0 0 255 " ] || fail "bleeding: $(values wide.npy 16)"
expect 2 "alpha = drop" image opaque.npy x.npy --op "gauss:alpha=drop"

# values that are not finite: warned of where operations spread them
printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }" > nan.npy
printf '\000\000\000\000\000\000\300\177\000\000\200\077' >> nan.npy
expect 0 "warning: nan.npy has 1 value that is not finite" image nan.npy x.npy --op "gauss:algorithm=recursive"
rm -f x.npy
expect 0 "" image nan.npy dilated.npy --op "dilate:size=1:size_y=3|threshold" -q
[ "$(tail -c 12 dilated.npy | od -An -tf4 | tr -s ' \n' ' ')" = " 0 nan 1 " ] || fail "other values than 0 nan 1"
printf 'P5\n2 1\n255\n\000\377' > two.pgm
expect 0 "" image two.pgm four.pgm --op "resize:width=4:height=1" -q
[ "$(values four.pgm 4)" = " 0 64 191 255 " ] || fail "other edges: $(values four.pgm 4)"

# in tiles the same bytes
expect 0 "" image grating.pgm whole.pgm --op "gauss:sigma=2|sobel" -q --force
expect 0 "in tiles" image grating.pgm tiles.pgm --op "gauss:sigma=2|sobel" --memory 0.02 --force
cmp whole.pgm tiles.pgm || fail "tiles give other bytes"
expect 1 "needs the whole image at once" image grating.pgm x.pgm --op "gauss|normalize" --memory 0.02
expect 2 "megabytes above 0" image grating.pgm x.pgm --op gauss --memory -1
expect 2 "exists" image a.pgm b.png --op box
expect 2 "nearest is gauss" image a.pgm x.png --op gaus
expect 2 "nearest is sigma" image a.pgm x.png --op gauss:sigm=1
expect 2 "the operation is missing" image a.pgm x.png
expect 2 "must follow the --op" image a.pgm x.png --set sigma=1 --op gauss
expect 2 "no picture format has this extension" image a.pgm x.gif --op gauss
expect 2 "16 bits" image deep.ppm x.bmp --op gauss
expect 2 "unknown pixel type" image a.pgm x.png --op gauss --type u9
expect 2 "cannot open" image none.png x.png --op gauss
expect 2 "is empty" image a.pgm x.png --op "gauss||box"
expect 2 "red, green and blue" image a.pgm x.png --op colour
head -c 20 a.pgm > cut.pgm
expect 2 "truncated" image cut.pgm x.png --op gauss
echo text > text.png
expect 2 "is not in a supported format (PNG" image text.png x.png --op gauss

chain=clip
for ((i = 0; i < 200; i++)); do chain+="|clip"; done
expect 2 "a chain of more than 200 operations" image a.pgm x.png --op "$chain"

# a TIFF of 2 x 3 pixels that is to be turned right, with two pages
entry() { printf "\\x$1\\x$2\\x$3\\0\\x01\\0\\0\\0\\x$4\\0\\0\\0"; }
page() {
    printf '\11\0'
    entry 00 01 03 02; entry 01 01 03 03; entry 02 01 03 08; entry 03 01 03 01; entry 06 01 03 01
    entry 11 01 03 08; entry 12 01 03 06; entry 16 01 03 03; entry 17 01 03 06
    printf "\\x$1\\0\\0\\0"
}
{ printf 'II*\0\016\0\0\0abcdef'; page 80; page 00; } > lying.tif # the second at byte 128
expect 0 "3 x 2 pixels" image lying.tif upright.pgm --op clip
grep -q "lying.tif: has 2 pages (pictures): only the first is read" err || fail "pages: $(cat err)"
[ "$(tail -c 6 upright.pgm)" = ecafdb ] || fail "orientation: $(tail -c 6 upright.pgm)"
expect 0 "2 x 3 pixels" image lying.tif kept.png --op clip --orientation keep
expect 0 "3 x 2 pixels" image kept.png again.pgm --op clip
cmp upright.pgm again.pgm || fail "the orientation is not kept"
expect 2 "must be apply or keep" image lying.tif x.png --op clip --orientation kep
export RECHENWERK_PICTURE_MB=0.000005
expect 2 "a.pgm: 4 x 3 pixels of 1 byte need 1 MB; the limit is 0 MB: scale the picture down, or set the environment \
variable RECHENWERK_PICTURE_MB=1" image a.pgm x.png --op clip
unset RECHENWERK_PICTURE_MB
[ ! -e x.png ] || fail "a failure left x.png"
exit $((bad != 0))
