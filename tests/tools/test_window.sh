#!/usr/bin/env bash
# rechenwerk image --window: on an X server in memory where there is one (xvfb), and with SDL's video driver in memory.
# The last picture has the window's size and the last result's pixels.
. "$SOURCE/tests/tools/expect.sh"
unset WAYLAND_DISPLAY DISPLAY SDL_VIDEODRIVER

# Three columns, 8 pixels between them, titles of 26 pixels above, 32 for the line below: frames of 40 x 30 are enlarged
# tenfold.
width=$((3 * 400 + 4 * 8)) height=$((300 + 26 + 32))

# film FRAMES: CLM of 40 x 30 pixels, red, green, blue
film() {
    printf 'CLM1\50\0\0\0\36\0\0\0\3\0\0\0\0\0\0\0\20\16\0\0'
    LC_ALL=C awk -v n="$1" 'BEGIN { for (k = 0; k < n; ++k)
        for (i = 0; i < 3600; ++i) printf "%c", 32 + (i * 7 + k * 13) % 90 }'
}
film 25 > film.clm

# every tenth pixel of the picture in the middle, as PPM
result_of() {
    "$command" image "$1" "$2" -q --force \
        --op "crop:left=416:top=26:width=400:height=300|resize:width=40:height=30:interpolation=nearest"
}

# shows NAME OUT [COMMAND…]: the last result's pixels are in the screenshot
shows() {
    local name=$1 out=$2
    shift 2
    "$@" "$command" image film.clm "$out" --window --screenshot "$name.png" --count 20 --op "gauss|sobel" \
        > out 2> err < /dev/null ||

        { fail "$name: $(cat err)"; return; }
    grep -q "20 frames of 40 x 30" out || fail "$name: $(cat out)"
    grep -q "window: .* frames shown" out || fail "$name does not count: $(cat out)"
    local size
    size=$(od -An -tu1 -j16 -N8 "$name.png" | awk '{ print $3 * 256 + $4, $7 * 256 + $8 }')
    [ "$size" = "$width $height" ] || fail "$name.png: $size, not $width $height"
    result_of "$name.png" "$name.ppm"
    cmp "$name.ppm" last.ppm || fail "$name: the window shows other pixels"
}

expect 2 "--screenshot needs --window" image film.clm none --op gauss --screenshot a.png
if ! SDL_VIDEODRIVER=dummy "$command" image film.clm none --window --count 1 --op clip > out 2> err; then
    grep -q "install" err || fail "without SDL2: $(cat err)"
    echo "no windows: $(cat err)"
    exit $((bad ? 1 : 77))
fi
SDL_VIDEODRIVER=x11 expect 1 "needs a display" image film.clm none --window --op gauss
expect 0 "" image film.clm all-%d.ppm --count 20 --op "gauss|sobel"
cp all-20.ppm last.ppm

export SDL_VIDEODRIVER=dummy
cp film.clm film.y4m # the first bytes say what it is
line=$(grep -h '^rechenwerk .*--window' "$SOURCE/docs/methods/stream.md")
bash -c "${line/#rechenwerk/\"$command\"} -q" 2> err || fail "the page's $line: $(cat err)"
shows memory none
shows file result.clm
expect 2 "exists" image film.clm none --window --op gauss --screenshot memory.png
expect 2 ".png" image film.clm none --window --op gauss --screenshot memory.jpg
expect 0 "20 frames" image film.clm other.clm --count 20 --op "gauss|sobel"
cmp result.clm other.clm || fail "a window changes what is written"

# no SDL2 before it is needed
if command -v ldd > /dev/null; then
    for file in "$command" "$(dirname "$command")"/librechenwerk-run.so; do
        ldd "$file" 2> /dev/null | grep -q SDL && fail "$file is linked with SDL2"
    done
fi

if command -v xvfb-run > /dev/null; then
    unset SDL_VIDEODRIVER
    shows x11 none xvfb-run -a -s "-screen 0 1400x900x24"
else
    echo "xvfb-run is missing: no test on an X server"
fi
exit $((bad != 0))
