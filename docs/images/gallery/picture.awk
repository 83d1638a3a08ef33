# The test picture of docs/methods/image-gallery.md: 256 x 192 pixels, red, green, blue, as plain PNM.
#
#   upper left   rings whose frequency rises outwards
#   upper right  a disc, a triangle, rays and thin lines on a gradient
#   lower left   a page of text with a shadow over it
#   lower right  colours with noise, single wrong pixels, steps of grey
#
# Random numbers are those of x <- 16807 x mod (2^31 - 1): the same in every awk.

function uniform() { seed = 16807 * seed % 2147483647; return seed / 2147483647 }
function normal() { return uniform() + uniform() + uniform() + uniform() - 2 } # nearly, of standard deviation 0.58
function set(x, y, red, green, blue) { r[x, y] = red; g[x, y] = green; b[x, y] = blue }
function clamp(v) { return v < 0 ? 0 : v > 255 ? 255 : int(v + 0.5) }
# Coverage of a pixel at a distance from an edge, positive inside.
function inside(distance) { return distance < -0.5 ? 0 : distance > 0.5 ? 1 : distance + 0.5 }
function blend(x, y, cover, red, green, blue) {
    r[x, y] += cover * (red - r[x, y]); g[x, y] += cover * (green - g[x, y]); b[x, y] += cover * (blue - b[x, y])
}

# A word in letters of 5 x 7 squares of the given edge.
function word(text, left, top, edge,    i, row, column, dx, dy, bits) {
    for (i = 1; i <= length(text); i++)
        for (row = 0; row < 7; row++) {
            bits = substr(letter[substr(text, i, 1)], 5 * row + 1, 5)
            for (column = 0; column < 5; column++)
                if (substr(bits, column + 1, 1) == "#")
                    for (dy = 0; dy < edge; dy++)
                        for (dx = 0; dx < edge; dx++)
                            set(left + (6 * (i - 1) + column) * edge + dx, top + row * edge + dy, 25, 25, 35)
        }
}

function rings(    x, y, v) {
    for (y = 0; y < 96; y++)
        for (x = 0; x < 96; x++) {
            v = 127.5 + 120 * cos(3.14159265 * ((x - 47.5) ^ 2 + (y - 47.5) ^ 2) / 130)
            set(x, y, v, v, v)
        }
}

function shapes(    x, y, k, angle, d, far) {
    for (y = 0; y < 96; y++)
        for (x = 96; x < 256; x++) set(x, y, 60 + (x - 96) * 0.6, 110 + y * 0.9, 225 - (x - 96) * 0.5)
    for (y = 0; y < 96; y++)
        for (x = 96; x < 256; x++) {
            blend(x, y, inside(24 - sqrt((x - 130) ^ 2 + (y - 34) ^ 2)), 215, 40, 45)
            d = (x - 183) * 0.866 + (y - 12) * -0.5 # sides of a triangle that stands on y = 60
            k = -(x - 183) * 0.866 + (y - 12) * -0.5
            blend(x, y, inside(-d) * inside(-k) * inside(60 - y), 30, 150, 60)
            far = sqrt((x - 228) ^ 2 + (y - 32) ^ 2)
            angle = atan2(y - 32, x - 228)
            if (far < 25) blend(x, y, cos(12 * angle) > 0 ? inside(24 - far) : 0, 250, 220, 60)
            if (y >= 68 && y < 92 && x >= 104 && x < 248 && int((x - 104) / (1 + int((y - 68) / 8))) % 2 == 0)
                set(x, y, 15, 20, 40)
        }
}

function page(    x, y, line, shadow) {
    for (y = 96; y < 192; y++)
        for (x = 0; x < 128; x++) set(x, y, 250, 248, 240)
    word("RECHEN", 8, 104, 3)
    word("WERK", 8, 131, 3)
    for (line = 0; line < 4; line++) # words as bars
        for (x = 8; x < 112 - 14 * (line == 3);) {
            d = 6 + int(14 * uniform())
            for (; d > 0 && x < 120; d--) {
                for (y = 0; y < 4; y++) set(x, 158 + 8 * line + y, 40, 40, 55)
                x++
            }
            x += 4
        }
    for (y = 96; y < 192; y++)
        for (x = 0; x < 128; x++) {
            shadow = 1 - 0.5 * exp(-((x - 120) ^ 2 + (y - 180) ^ 2) / 4000)
            r[x, y] *= shadow; g[x, y] *= shadow; b[x, y] *= shadow
        }
}

# Hue in sixths of the circle, saturation, value.
function hue(h, k) { k = h % 6; return k < 1 ? k : k < 3 ? 1 : k < 4 ? 4 - k : 0 }
function patch(x, y, h, s, v) {
    set(x, y, v * (1 - s + s * hue(h + 2)), v * (1 - s + s * hue(h)), v * (1 - s + s * hue(h + 4)))
}

function colours(    x, y, n, i) {
    for (y = 96; y < 192; y++)
        for (x = 128; x < 256; x++) {
            if (y < 168) patch(x, y, int((x - 128) / 16) * 0.75, y < 132 ? 0.85 : 0.4, y < 132 ? 230 : 190)
            else set(x, y, 255 * int((x - 128) / 16) / 7, 255 * int((x - 128) / 16) / 7, 255 * int((x - 128) / 16) / 7)
            if (y >= 118 && y < 146) { # noise across the middle of both rows
                n = 32 * normal()
                r[x, y] += n; g[x, y] += n; b[x, y] += n
            }
        }
    for (i = 0; i < 130; i++) { # wrong pixels, black or white
        x = 128 + int(128 * uniform()); y = 150 + int(18 * uniform()); n = uniform() < 0.5 ? 0 : 255
        set(x, y, n, n, n)
    }
}

BEGIN {
    letter["R"] = "####.#...##...#####.#.#..#..#.#...#"
    letter["E"] = "######....#....####.#....#....#####"
    letter["C"] = ".####" "#...." "#...." "#...." "#...." "#...." ".####"
    letter["H"] = "#...##...##...#######...##...##...#"
    letter["N"] = "#...###..##.#.##..###...##...##...#"
    letter["W"] = "#...##...##...##.#.##.#.###.###...#"
    letter["K"] = "#...##..#.#.#..##...#.#..#..#.#...#"
    seed = 2024
    rings(); shapes(); page(); colours()
    print "P3\n256 192\n255"
    for (y = 0; y < 192; y++)
        for (x = 0; x < 256; x++) print clamp(r[x, y]), clamp(g[x, y]), clamp(b[x, y])
}
