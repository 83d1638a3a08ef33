/* Axes (see axes.h). The step of a linear axis with room for n ticks is the smallest of 1, 2, 5, 10, … times a power of
 * ten that is at least (max - min)/n; n starts from the length of the axis and falls until the labels fit. */
#include "io/axes.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "files/io.h"

const rw_color rw_ink = {28, 28, 30}, rw_frame = {70, 70, 74}, rw_grid_color = {224, 225, 228};

enum { MOST = 11 }; /* ticks on one axis */

void rw_axis_limits(rw_axis *axis, double min, double max, bool log)
{
    *axis = (rw_axis){.log = log};
    if (min > max) {
        double swap = min;
        min = max;
        max = swap;
    }
    if (log) {
        min = fmax(min, 1e-300);
        max = fmin(max, 1e300);
        if (!(max > min * (1 + 1e-9))) {
            min /= 2;
            max = min * 4;
        }
    } else {
        min = fmin(fmax(min, -1e300), 1e300);
        max = fmin(fmax(max, -1e300), 1e300);
        double size = fmax(fabs(min), fabs(max));
        if (!(max - min > fmax(1e-11 * size, 1e-300))) { /* constant: a tenth to each side */
            double half = size > 1e-290 ? size / 10 : 1;
            min -= half;
            max += half;
        }
    }
    axis->min = min;
    axis->max = max;
}

double rw_axis_pixel(const rw_axis *axis, double value)
{
    double t = axis->log ? value > 0 ? (log(value) - log(axis->min)) / (log(axis->max) - log(axis->min)) : NAN
                         : (value - axis->min) / (axis->max - axis->min);
    return axis->start + t * (axis->end - axis->start);
}

/* 10 with the exponent raised, after an optional "2×". */
static void power_text(char *text, size_t n, const char *before, int exponent)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char number[16], raised[64] = "";
    rw_snprintf(number, sizeof number, "%d", exponent);
    for (const char *c = number; *c; c++) strcat(raised, *c == '-' ? "⁻" : digits[*c - '0']);
    rw_snprintf(text, n, "%s10%s", before, raised);
}

/* "%.*f" with a true minus sign. */
static void fixed_text(char *text, size_t n, double value, int decimals)
{
    char number[400];
    rw_snprintf(number, sizeof number, "%.*f", decimals, fabs(value));
    rw_snprintf(text, n, "%s%.30s", value < 0 ? "−" : "", number);
}

void rw_axis_number(char *text, size_t n, double value)
{
    char short_form[40];
    double size = fabs(value);
    if (!isfinite(value)) {
        rw_snprintf(text, n, "%s", isnan(value) ? "nan" : value < 0 ? "−∞" : "∞");
    } else if (size != 0 && (size < 1e-3 || size >= 1e6)) {
        int exponent = (int)floor(log10(size));
        rw_snprintf(short_form, sizeof short_form, "%.4g", size * pow(10, -exponent));
        strcat(short_form, "×");
        char before[48];
        rw_snprintf(before, sizeof before, "%s%s", value < 0 ? "−" : "", short_form);
        power_text(text, n, before, exponent);
    } else {
        rw_snprintf(short_form, sizeof short_form, "%.*g", size < 1000 ? 4 : 6, size);
        rw_snprintf(text, n, "%s%s", value < 0 ? "−" : "", short_form);
    }
}

static double nice_step(double least)
{
    double power = pow(10, floor(log10(least))), m = least / power;
    return power * (m <= 1 + 1e-9 ? 1 : m <= 2 + 1e-9 ? 2 : m <= 5 + 1e-9 ? 5 : 10);
}

static void linear_ticks(rw_axis *axis, int most)
{
    double step = nice_step((axis->max - axis->min) / most), slack = 1e-6;
    double first = ceil(axis->min / step - slack), last = floor(axis->max / step + slack);
    axis->n = 0;
    for (double i = first; i <= last && axis->n < RW_AXIS_TICKS; i++) axis->tick[axis->n++] = i * step;
    double largest = axis->n ? fmax(fabs(axis->tick[0]), fabs(axis->tick[axis->n - 1])) : 0;
    int exponent = largest > 0 ? (int)floor(log10(largest) + 1e-9) : 0;
    axis->factor[0] = '\0';
    if (exponent >= 5 || exponent < -3) power_text(axis->factor, sizeof axis->factor, "×", exponent);
    else exponent = 0;
    double scale = pow(10, -exponent);
    int decimals = (int)fmin(fmax(-floor(log10(step) - exponent + 1e-9), 0), 14);
    for (int i = 0; i < axis->n; i++)
        fixed_text(axis->label[i], sizeof axis->label[i], axis->tick[i] * scale, decimals);
    axis->n_minor = 0;
}

static void add_log_tick(rw_axis *axis, int digit, int exponent, bool named, bool plain)
{
    double value = digit * pow(10, exponent);
    if (value < axis->min * (1 - 1e-9) || value > axis->max * (1 + 1e-9)) return;
    if (!named) {
        if (axis->n_minor < RW_AXIS_MINOR) axis->minor[axis->n_minor++] = value;
    } else if (axis->n < RW_AXIS_TICKS) {
        char before[8] = "";
        if (digit > 1) rw_snprintf(before, sizeof before, "%d×", digit);
        if (plain) rw_axis_number(axis->label[axis->n], sizeof axis->label[axis->n], value);
        else power_text(axis->label[axis->n], sizeof axis->label[axis->n], before, exponent);
        axis->tick[axis->n++] = value;
    }
}

static void log_ticks(rw_axis *axis, int most)
{
    double low = log10(axis->min), high = log10(axis->max);
    if (high - low < 0.8) { /* hardly a decade: round numbers at equal steps serve better */
        linear_ticks(axis, most);
        return;
    }
    axis->n = axis->n_minor = 0;
    axis->factor[0] = '\0';
    int stride = (int)ceil((high - low) / most), first = (int)floor(low);
    bool within = high - low <= most / 3.0; /* room for 1, 2 and 5 */
    bool plain = within && axis->min >= 1e-3 && axis->max < 1e5;
    for (int e = first; e <= (int)ceil(high); e++)
        for (int digit = 1; digit <= 9; digit++) {
            bool named = digit == 1 ? e % stride == 0 : within && (digit == 2 || digit == 5);
            if (named || stride == 1) add_log_tick(axis, digit, e, named, plain);
            else if (digit == 1 && high - low < RW_AXIS_MINOR) add_log_tick(axis, digit, e, false, plain);
        }
}

double rw_axis_label_width(const rw_axis *axis, double size)
{
    double width = 0;
    for (int i = 0; i < axis->n; i++) width = fmax(width, rw_font_width(axis->label[i], size));
    return width;
}

/* True when neighbouring labels along the axis keep a distance. */
static bool labels_fit(const rw_axis *axis, double size, rw_axis_side side)
{
    for (int i = 1; i < axis->n; i++) {
        double apart = fabs(rw_axis_pixel(axis, axis->tick[i]) - rw_axis_pixel(axis, axis->tick[i - 1]));
        double need =
            side == RW_AXIS_BELOW
                ? (rw_font_width(axis->label[i], size) + rw_font_width(axis->label[i - 1], size)) / 2 + 0.9 * size
                : 1.5 * size;
        if (apart < need) return false;
    }
    return true;
}

static void choose_ticks(rw_axis *axis, int most)
{
    if (axis->log) log_ticks(axis, most);
    else linear_ticks(axis, most);
}

void rw_axis_place(rw_axis *axis, double start, double end, double size, rw_axis_side side)
{
    axis->start = start;
    axis->end = end;
    double each = side == RW_AXIS_BELOW ? 3.0 * size : 2.4 * size;
    int most = (int)fmin(fmax(fabs(end - start) / each, 2), MOST);
    do choose_ticks(axis, most);
    while (!labels_fit(axis, size, side) && --most > 0);
    while (axis->n == 0 && most < MOST) choose_ticks(axis, ++most); /* one label at least, */
    if (!labels_fit(axis, size, side)) axis->n = 1;                 /* and only one where two do not fit */
}

static double mark_length(double size) { return round(0.36 * size); }

double rw_axis_depth(const rw_axis *axis, double size, rw_axis_side side, const char *label)
{
    double depth = mark_length(size) + 0.4 * size;
    depth += side == RW_AXIS_BELOW ? RW_FONT_CAP * size : rw_axis_label_width(axis, size);
    if ((label && *label) || (side == RW_AXIS_BELOW && axis->factor[0])) depth += 0.75 * size + RW_FONT_CAP * size;
    return depth + RW_FONT_DEPTH * size;
}

static void draw_marks(rw_canvas *canvas, const rw_axis *axis, double line, double size, rw_axis_side side, int n,
                       const double *values, double length)
{
    double width = fmax(1, round(size / 16)), out = side == RW_AXIS_LEFT ? line - length : line + length;
    for (int i = 0; i < n; i++) {
        double at = round(rw_axis_pixel(axis, values[i]) - width / 2);
        if (side == RW_AXIS_BELOW) rw_canvas_fill(canvas, at, line, at + width, out, rw_frame);
        else rw_canvas_fill(canvas, fmin(line, out), at, fmax(line, out), at + width, rw_frame);
    }
}

void rw_axis_draw(rw_canvas *canvas, const rw_axis *axis, double line, double size, rw_axis_side side,
                  const char *label)
{
    double mark = mark_length(size), middle = (axis->start + axis->end) / 2, cap = RW_FONT_CAP * size;
    double high = fmin(axis->start, axis->end);
    draw_marks(canvas, axis, line, size, side, axis->n, axis->tick, mark);
    draw_marks(canvas, axis, line, size, side, axis->n_minor, axis->minor, round(0.55 * mark));
    double text_at = mark + 0.4 * size;
    for (int i = 0; i < axis->n; i++) {
        double at = rw_axis_pixel(axis, axis->tick[i]);
        if (side == RW_AXIS_BELOW)
            rw_font_draw(canvas, axis->label[i], at, line + text_at + cap, size, RW_TEXT_CENTER, false, 1, rw_ink);
        else
            rw_font_draw(canvas, axis->label[i], side == RW_AXIS_LEFT ? line - text_at : line + text_at, at + cap / 2,
                         size, side == RW_AXIS_LEFT ? RW_TEXT_RIGHT : RW_TEXT_LEFT, false, 1, rw_ink);
    }
    if (side == RW_AXIS_BELOW) {
        double base = line + text_at + cap + 0.75 * size + cap;
        double room = fabs(axis->end - axis->start) / 2 - rw_font_width(axis->factor, size) - size;
        if (!axis->factor[0] || !label || rw_font_width(label, size) / 2 < room) {
            if (label) rw_font_draw(canvas, label, middle, base, size, RW_TEXT_CENTER, false, 1, rw_ink);
            rw_font_draw(canvas, axis->factor, axis->end, base, size, RW_TEXT_RIGHT, false, 1, rw_ink);
        } else { /* a short axis: "x / m (×10⁶)" */
            char both[200];
            rw_snprintf(both, sizeof both, "%.150s (%s)", label, axis->factor);
            rw_font_draw(canvas, both, middle, base, size, RW_TEXT_CENTER, false, 1, rw_ink);
        }
    } else {
        double beyond = text_at + rw_axis_label_width(axis, size) + 0.75 * size;
        double base = side == RW_AXIS_LEFT ? line - beyond : line + beyond + cap;
        if (label) rw_font_draw(canvas, label, base, middle, size, RW_TEXT_CENTER, true, 1, rw_ink);
        rw_font_draw(canvas, axis->factor, line, high - 0.6 * size, size, RW_TEXT_CENTER, false, 1, rw_ink);
    }
}
