/* Drawing text from font.def (see font.h).
 *
 * The pen is 0.085 sizes wide, at least 1.05 pixels. So that letters stay crisp when they are small, the baseline and
 * the heights of small letters and capitals are moved by a fraction of a pixel until the edges of horizontal strokes
 * there fall on pixel edges; between these heights the shape is stretched linearly. Kerning and ligatures: none. */
#include "io/font.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double STRETCH = 1.05; /* of all widths */

static const struct {
    uint32_t code;
    int advance;
    const char *path;
} glyphs[] = {
#define RW_GLYPH(code, advance, path) {code, advance, path},
#include "io/font.def"
#undef RW_GLYPH
};

static int find_glyph(uint32_t code)
{
    for (int i = 0; i < RW_COUNT(glyphs); i++)
        if (glyphs[i].code == code) return i;
    return RW_COUNT(glyphs) - 1;
}

static int advance(int glyph) { return glyphs[glyph].advance + 3; }

/* The next code point of UTF-8 text; a malformed byte is U+FFFD and one byte long. */
static uint32_t next_code(const char **text)
{
    const unsigned char *c = (const unsigned char *)*text;
    int more = c[0] < 0x80 ? 0 : c[0] >= 0xC2 && c[0] < 0xE0 ? 1 : c[0] >= 0xE0 && c[0] < 0xF0 ? 2 : -1;
    uint32_t code = more == 1 ? c[0] & 0x1F : more == 2 ? c[0] & 0x0F : c[0];
    for (int i = 1; i <= more; i++) {
        if ((c[i] & 0xC0) != 0x80) more = -1;
        else code = code << 6 | (c[i] & 0x3F);
    }
    *text += more < 0 ? 1 : more + 1;
    return more < 0 ? 0xFFFD : code;
}

double rw_font_width(const char *text, double size)
{
    int units = 0;
    while (*text) units += advance(find_glyph(next_code(&text)));
    return units * size * STRETCH / 100;
}

typedef struct pen {
    rw_canvas *canvas;
    double x, y; /* start of the glyph on its baseline, pixels */
    bool up;
    double unit, width; /* of the design horizontally, of the stroke; pixels */
    double heights[4];  /* pixels of the heights -20, 0, 50, 70 */
    double at[2];       /* where the pen is, pixels */
} pen;

/* Heights of the design to pixels, through the four adjusted ones. */
static double height(const pen *p, double y)
{
    static const double design[4] = {-20, 0, 50, 70};
    int i = y < 0 ? 0 : y < 50 ? 1 : 2;
    return p->heights[i] + (y - design[i]) * (p->heights[i + 1] - p->heights[i]) / (design[i + 1] - design[i]);
}

static void place(const pen *p, double x, double y, double out[2])
{
    double along = x * p->unit, above = height(p, y);
    out[0] = p->up ? p->x - above : p->x + along;
    out[1] = p->up ? p->y - along : p->y - above;
}

static void move(pen *p, double x, double y, bool draw)
{
    double to[2];
    place(p, x, y, to);
    if (draw) rw_canvas_segment(p->canvas, p->at[0], p->at[1], to[0], to[1], p->width);
    p->at[0] = to[0];
    p->at[1] = to[1];
}

static void arc(pen *p, const double v[6], double dx, double dy, double scale, bool joined)
{
    enum { STEPS = 24 };
    for (int i = 0; i <= STEPS; i++) {
        double angle = (v[4] + (v[5] - v[4]) * i / STEPS) * 3.14159265358979323846 / 180;
        move(p, dx + scale * (v[0] + v[2] * cos(angle)), dy + scale * (v[1] + v[3] * sin(angle)), joined || i > 0);
    }
}

static void curve(pen *p, const double from[2], const double v[6], double dx, double dy, double scale)
{
    enum { STEPS = 12 };
    for (int i = 1; i <= STEPS; i++) {
        double t = (double)i / STEPS, s = 1 - t, b0 = s * s * s, b1 = 3 * s * s * t, b2 = 3 * s * t * t, b3 = t * t * t;
        move(p, dx + scale * (b0 * from[0] + b1 * v[0] + b2 * v[2] + b3 * v[4]),
             dy + scale * (b0 * from[1] + b1 * v[1] + b2 * v[3] + b3 * v[5]), true);
    }
}

/* Draws a path moved by (dx, dy) and scaled; the commands are those of font.def. */
static void draw_path(pen *p, const char *path, double dx, double dy, double scale)
{
    static const char commands[] = "MLDOCBAG";
    static const int counts[] = {2, 2, 2, 4, 6, 6, 6, 4};
    double last[2] = {0, 0};
    while (*path) {
        char command = *path++;
        double v[6] = {0};
        int n = counts[strchr(commands, command) - commands];
        for (int i = 0; i < n; i++) {
            char *end;
            v[i] = (double)strtol(path, &end, 10);
            path = end;
        }
        switch (command) {
        case 'M':
        case 'L': move(p, dx + scale * v[0], dy + scale * v[1], command == 'L'); break;
        case 'D': {
            double at[2];
            place(p, dx + scale * v[0], dy + scale * v[1], at);
            rw_canvas_dot(p->canvas, at[0], at[1], fmax(p->width * 0.66, 0.8));
            break;
        }
        case 'O':
            v[5] = 360;
            arc(p, v, dx, dy, scale, false);
            break;
        case 'B':
        case 'A': arc(p, v, dx, dy, scale, command == 'A'); break;
        case 'C': curve(p, last, v, dx, dy, scale); break;
        case 'G': {
            double full = p->width;
            if (v[3] < 100) p->width *= 0.85;
            draw_path(p, glyphs[find_glyph((uint32_t)v[0])].path, v[1], v[2], v[3] / 100);
            p->width = full;
            break;
        }
        default: break;
        }
        if (command == 'M' || command == 'L') {
            last[0] = v[0];
            last[1] = v[1];
        }
        if (command == 'C') {
            last[0] = v[4];
            last[1] = v[5];
        }
    }
}

void rw_font_draw(rw_canvas *canvas, const char *text, double x, double y, double size, rw_text_align align, bool up,
                  double weight, rw_color color)
{
    pen p = {.canvas = canvas, .x = x, .y = y, .up = up, .unit = size * STRETCH / 100};
    p.width = fmax(0.085 * size * weight, 1.05);
    double start = rw_font_width(text, size) * (align == RW_TEXT_LEFT ? 0 : align == RW_TEXT_CENTER ? 0.5 : 1);
    if (up) {
        p.y += start;
        p.x = round(x + p.width / 2) - p.width / 2;
    } else {
        p.x -= start;
        p.y = round(y + p.width / 2) - p.width / 2;
    }
    p.heights[0] = -0.20 * size;
    p.heights[2] = round(0.50 * size + p.width) - p.width;
    p.heights[3] = round(0.70 * size + p.width) - p.width;
    while (*text) {
        int g = find_glyph(next_code(&text));
        draw_path(&p, glyphs[g].path, 0, 0, 1);
        if (up) p.y -= advance(g) * p.unit;
        else p.x += advance(g) * p.unit;
    }
    rw_canvas_ink(canvas, color, 1);
}
