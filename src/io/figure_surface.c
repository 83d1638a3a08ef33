/* z = f(x, y) as a shaded surface in a box, in parallel projection from above, the corner (right, bottom) nearest:
 *
 *                far (left, top)            X = cos a x + sin a y
 *             .-'   '-.                     Y = sin e (sin a x - cos a y) - cos e z      (downward)
 *     z   |.-'         '-.|
 *         |               |  |bar           a: turn about the vertical, e: height of the eye
 *         '-.           .-'
 *        x   '-.     .-'  y
 *               '-.-' near
 *
 * Quads are painted from the near corner to the far one, and what is painted hides all that comes later: for a function
 * of x and y this is exact, and cheaper than to paint over what was there. Colour is that of the value; light falls
 * from the left, so that level parts have the colour of the bar and slopes are lighter or darker. A pixel is the mean
 * of some samples. Cost: the samples in the boxes around all triangles. Not here: perspective, other directions of
 * view, transparency. */
#include <math.h>

#include "io/figure_parts.h"

enum {
    NODES = 512, /* along a side: more values are averaged */
    MESH = 32,   /* spaces between lines along a side, about */
    COLORS = 1024,
    FLATTEST = 6, /* a rectangle longer than this many times its width is drawn as a square */
    SHARP = 4096  /* pages larger than this have one sample a pixel, others 2 x 2 */
};
/* radians; height of the box, its longer side is 1 */
static const double turn = 0.70, height_of_eye = 0.52, tall = 0.62;

typedef struct point {
    double x, y;
} point;

typedef struct layout {
    rw_sheet sheet;
    rw_axis x, y, z, value;
    rw_box box, bar;       /* box: around the projected one */
    double size[3];        /* of the box: the longer of the first two is 1 */
    point origin, edge[3]; /* pixels of the corner (left, bottom, low), and the edges from there */
} layout;

typedef struct node {
    double x, y, t, light; /* sample on the raster, place in the colour map (NaN: a hole), brightness */
} node;

typedef struct surface {
    size_t nx, ny, mesh_x, mesh_y; /* nodes; from one line to the next */
    double *height;                /* [ny][nx] in 0 .. 1, NaN: a hole */
    node *nodes;                   /* [ny][nx] */
    int samples, width, rows;      /* each way in a pixel; of the raster */
    uint8_t *raster;               /* [rows][width][4]: red, green, blue, 255 where the surface is */
    double line;                   /* width of lines in samples */
    uint8_t colors[COLORS][3];
} surface;

/* Automatic limits that all but reach a round number are moved there, so that the axis ends with a label. */
static void round_limits(rw_axis *value)
{
    double range = value->max - value->min, unit = pow(10, floor(log10(range)));
    double low = floor(value->min / unit) * unit, high = ceil(value->max / unit) * unit;
    if (value->min - low < range / 200) value->min = low;
    if (high - value->max < range / 200) value->max = high;
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

static point add(point p, double s, point d) { return (point){p.x + s * d.x, p.y + s * d.y}; }

/* Pixel of a place in the box, whose corners are 0 and 1. */
static point project(const layout *l, double x, double y, double z)
{
    return add(add(add(l->origin, x, l->edge[0]), y, l->edge[1]), z, l->edge[2]);
}

static void shape_box(layout *l, bool stretch)
{
    double lx = l->x.max - l->x.min, ly = l->y.max - l->y.min, longer = fmax(lx, ly);
    bool square = stretch || longer > FLATTEST * fmin(lx, ly);
    l->size[0] = square ? 1 : lx / longer;
    l->size[1] = square ? 1 : ly / longer;
    l->size[2] = tall;
}

/* Edges in pixels for a longer side of `scale`. */
static void scale_box(layout *l, double scale)
{
    double sa = sin(turn), ca = cos(turn), se = sin(height_of_eye), ce = cos(height_of_eye);
    l->edge[0] = (point){scale * l->size[0] * ca, scale * l->size[0] * sa * se};
    l->edge[1] = (point){scale * l->size[1] * sa, -scale * l->size[1] * ca * se};
    l->edge[2] = (point){0, -scale * l->size[2] * ce};
}

static double drawn_width(const layout *l) { return l->edge[0].x + l->edge[1].x; }
static double drawn_height(const layout *l) { return l->edge[0].y - l->edge[1].y - l->edge[2].y; }

static void place_axes(layout *l)
{
    const point left = l->origin, near = add(left, 1, l->edge[0]), right = add(near, 1, l->edge[1]);
    double text = l->sheet.text;
    rw_axis_place(&l->x, left.x, near.x, text, RW_AXIS_BELOW);
    rw_axis_place(&l->y, near.x, right.x, text, RW_AXIS_BELOW);
    rw_axis_place(&l->z, left.y, left.y + l->edge[2].y, text, RW_AXIS_LEFT);
}

/* Tick labels of the edges below hang this far to the side of their ticks, and this far below; the axis label
 * further. */
#define LABEL_BESIDE 0.5
#define LABEL_BELOW 0.75
#define NAME_BELOW (LABEL_BELOW + RW_FONT_CAP + 0.6)

static void lay_out(layout *l, const rw_figure_field *f)
{
    rw_sheet *s = &l->sheet;
    double text = s->text, bar_width = round(1.1 * text);
    scale_box(l, fmin(s->width, s->height) / 2); /* a guess, for the widths of the labels */
    place_axes(l);
    rw_axis_place(&l->value, 0.85 * s->height, s->top, text, RW_AXIS_RIGHT);
    double beside = LABEL_BESIDE * text, gap = ceil(beside + rw_axis_label_width(&l->y, text) + text);
    double left = ceil(s->margin + fmax(rw_axis_depth(&l->z, text, RW_AXIS_LEFT, f->value.label),
                                        beside + rw_axis_label_width(&l->x, text)));
    double right = ceil(gap + bar_width + rw_figure_bar_depth(&l->value, text, f->value.label, false) + s->margin);
    double below = ceil((NAME_BELOW + RW_FONT_CAP + RW_FONT_DEPTH) * text + s->margin);
    double top = ceil(s->top + (l->value.factor[0] ? 1.7 : 0.4) * text);
    scale_box(l, 1);
    double scale =
        fmin(fmax(s->width - left - right, 40) / drawn_width(l), fmax(s->height - top - below, 40) / drawn_height(l));
    scale_box(l, scale);
    double width = ceil(drawn_width(l)), height = ceil(drawn_height(l));
    if (s->free_height) s->height = fmax(ceil(top + height + below), 200);
    if (s->free_width) s->width = fmax(ceil(left + width + right), 0.5 * s->width);
    double x0 = floor(left + (s->width - left - right - width) / 2);
    double y0 = floor(top + fmax(s->height - top - below - height, 0) / 2);
    l->box = (rw_box){x0, y0, x0 + width, y0 + height};
    l->bar = (rw_box){l->box.x1 + gap, y0, l->box.x1 + gap + bar_width, l->box.y1};
    l->origin = (point){x0, y0 - l->edge[1].y - l->edge[2].y};
    place_axes(l);
}

/* ---- the surface ------------------------------------------------------------------------------------------------- */

/* Values first .. *after - 1 of n that node k of m stands for; a single value has two nodes, at its cell's ends. */
static size_t values_of(size_t k, size_t m, size_t n, size_t *after)
{
    *after = n == 1 ? 1 : (k + 1) * n / m;
    return n == 1 ? 0 : k * n / m;
}

/* Where the node lies on the side, 0 .. 1. */
static double place_of(size_t k, size_t m, size_t n)
{
    size_t after, first = values_of(k, m, n, &after);
    return n == 1 ? (double)k : (double)(first + after) / 2 / (double)n;
}

/* Mean of the values of a node; NaN when more than half are missing. */
static double mean_at(const rw_figure_field *f, const surface *s, size_t i, size_t j)
{
    size_t i1, j1, i0 = values_of(i, s->nx, f->nx, &i1), j0 = values_of(j, s->ny, f->ny, &j1), n = 0;
    double mean = 0;
    for (size_t row = j0; row < j1; row++)
        for (size_t column = i0; column < i1; column++) {
            double v = f->values[row * f->nx + column];
            if (!isfinite(v) || (f->value.log && v <= 0)) continue;
            n++;
            mean += v / (double)n - mean / (double)n; /* so that huge values do not overflow */
        }
    return 2 * n >= (i1 - i0) * (j1 - j0) ? mean : NAN;
}

static void put_heights(surface *s, const layout *l, const rw_figure_field *f)
{
    rw_axis t = l->value;
    t.start = 0;
    t.end = 1;
    for (size_t j = 0; j < s->ny; j++)
        for (size_t i = 0; i < s->nx; i++) {
            double at = rw_axis_pixel(&t, mean_at(f, s, i, j));
            s->height[j * s->nx + i] = isnan(at) ? NAN : fmin(fmax(at, 0), 1);
        }
}

/* Brightness: 1 where it is level, about 1.13 towards the light, darker away from it. The normal is that of the side
 * seen. */
static double light_on(double slope_x, double slope_y)
{
    static const double light[3] = {-0.26, -0.60, 0.76};
    double n[3] = {-slope_x, -slope_y, 1}, ce = cos(height_of_eye);
    double seen = n[0] * sin(turn) * ce - n[1] * cos(turn) * ce + n[2] * sin(height_of_eye), lit = 0;
    for (int a = 0; a < 3; a++) lit += n[a] * light[a];
    lit *= (seen < 0 ? -1 : 1) / sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    return 0.6 + 0.4 * fmax(lit, 0) / light[2];
}

/* Rise of the heights at node k of m, `stride` apart, over the length of their side; neighbours that are missing left
 * out. */
static double slope_at(const double *height, size_t k, size_t m, size_t n, size_t stride)
{
    size_t back = k > 0 && isfinite(*(height - stride)), forth = k + 1 < m && isfinite(height[stride]);
    if (!back && !forth) return 0;
    return (height[forth * stride] - *(height - back * stride)) /
           (place_of(k + forth, m, n) - place_of(k - back, m, n));
}

static void put_nodes(surface *s, const layout *l, const rw_figure_field *f)
{
    for (size_t j = 0; j < s->ny; j++)
        for (size_t i = 0; i < s->nx; i++) {
            const double *z = s->height + j * s->nx + i;
            const point p = project(l, place_of(i, s->nx, f->nx), place_of(j, s->ny, f->ny), isnan(*z) ? 0 : *z);
            double slope_x = slope_at(z, i, s->nx, f->nx, 1) * l->size[2] / l->size[0];
            double slope_y = slope_at(z, j, s->ny, f->ny, s->nx) * l->size[2] / l->size[1];
            s->nodes[j * s->nx + i] =
                (node){(p.x - l->box.x0) * s->samples, (p.y - l->box.y0) * s->samples, *z, light_on(slope_x, slope_y)};
        }
}

/* A side of a quad that is a line of the mesh: |offset + x dx + y dy| samples are between it and (x, y). */
typedef struct side {
    double offset, dx, dy;
} side;

static uint8_t toned(double c, double light)
{
    return (uint8_t)(fmin(fmax(light <= 1 ? c * light : c + (255 - c) * (light - 1), 0), 255) + 0.5);
}

static void put_sample(uint8_t *to, const uint8_t color[3], double light, double line)
{
    for (int k = 0; k < 3; k++) to[k] = toned(toned(color[k], light), 1 - 0.4 * line);
    to[3] = 255;
}

/* How dark the lines make a place: 1 on one of them, 0 far from all. */
static double line_at(const surface *s, const side *sides, int n, double x, double y)
{
    double nearest = INFINITY;
    for (int k = 0; k < n; k++) nearest = fmin(nearest, fabs(sides[k].offset + x * sides[k].dx + y * sides[k].dy));
    return fmin(fmax(s->line / 2 + 0.5 - nearest, 0), 1);
}

/* Samples whose centres are a + v (b - a) + w (c - a) with v, w >= 0, v + w <= 1, a little more so that no gaps are
 * left. */
static void fill_triangle(surface *s, const node *a, const node *b, const node *c, const side *sides, int nsides)
{
    double bx = b->x - a->x, by = b->y - a->y, cx = c->x - a->x, cy = c->y - a->y, area = bx * cy - cx * by;
    if (isnan(a->t + b->t + c->t) || fabs(area) < 1e-9) return;
    int x0 = RW_MAX((int)fmin(a->x, fmin(b->x, c->x)), 0), x1 = RW_MIN((int)fmax(a->x, fmax(b->x, c->x)), s->width - 1);
    int y0 = RW_MAX((int)fmin(a->y, fmin(b->y, c->y)), 0), y1 = RW_MIN((int)fmax(a->y, fmax(b->y, c->y)), s->rows - 1);
    double vx = cy / area, vy = -cx / area, wx = -by / area, wy = bx / area;
    for (int y = y0; y <= y1; y++) {
        uint8_t *row = s->raster + 4 * (size_t)y * (size_t)s->width;
        double dy = y + 0.5 - a->y;
        for (int x = x0; x <= x1; x++) {
            double dx = x + 0.5 - a->x, v = dx * vx + dy * vy, w = dx * wx + dy * wy;
            if (row[4 * x + 3] || v < -1e-7 || w < -1e-7 || v + w > 1 + 1e-7) continue;
            double t = a->t + v * (b->t - a->t) + w * (c->t - a->t);
            double light = a->light + v * (b->light - a->light) + w * (c->light - a->light);
            const uint8_t *color = s->colors[(int)(fmin(fmax(t, 0), 1) * (COLORS - 1) + 0.5)];
            put_sample(row + 4 * x, color, light, line_at(s, sides, nsides, x + 0.5, y + 0.5));
        }
    }
}

/* The line through p and q; one whose ends lie on one another is nowhere. */
static side side_through(const node *p, const node *q)
{
    double dx = q->x - p->x, dy = q->y - p->y, length = hypot(dx, dy);
    if (length < 1e-9) return (side){INFINITY, 0, 0};
    return (side){(p->x * dy - p->y * dx) / length, -dy / length, dx / length};
}

static bool has_line(size_t k, size_t n, size_t mesh) { return k % mesh == 0 || k == n - 1; }

/* The quad between nodes (i, j) and (i+1, j+1): the near triangle, then the far one. */
static void fill_quad(surface *s, size_t i, size_t j)
{
    const node *a = s->nodes + j * s->nx + i, *b = a + 1, *c = a + s->nx, *d = c + 1; /* c d over a b */
    side sides[4];
    int n = 0;
    if (has_line(i, s->nx, s->mesh_x)) sides[n++] = side_through(a, c);
    if (has_line(i + 1, s->nx, s->mesh_x)) sides[n++] = side_through(b, d);
    if (has_line(j, s->ny, s->mesh_y)) sides[n++] = side_through(a, b);
    if (has_line(j + 1, s->ny, s->mesh_y)) sides[n++] = side_through(c, d);
    fill_triangle(s, a, d, b, sides, n);
    fill_triangle(s, a, c, d, sides, n);
}

/* The mean of the samples of each pixel comes onto the page; where the surface is not, the page remains. */
static void resolve(const surface *s, const rw_box *box, rw_canvas *canvas)
{
    int n = s->samples, x0 = (int)box->x0, y0 = (int)box->y0;
    for (int y = RW_MAX(-y0, 0); y < s->rows / n && y0 + y < canvas->height; y++)
        for (int x = RW_MAX(-x0, 0); x < s->width / n && x0 + x < canvas->width; x++) {
            const uint8_t *page = canvas->rgb + 3 * ((size_t)(y0 + y) * (size_t)canvas->width + (size_t)(x0 + x));
            int sum[3] = {0, 0, 0};
            uint8_t rgb[3];
            for (int k = 0; k < n * n; k++) {
                const uint8_t *from =
                    s->raster + 4 * ((size_t)(y * n + k / n) * (size_t)s->width + (size_t)(x * n + k % n));
                for (int c = 0; c < 3; c++) sum[c] += from[3] ? from[c] : page[c];
            }
            for (int c = 0; c < 3; c++) rgb[c] = (uint8_t)((sum[c] + n * n / 2) / (n * n));
            rw_canvas_pixel(canvas, x0 + x, y0 + y, rgb);
        }
}

static size_t nodes_along(size_t n) { return n == 1 ? 2 : RW_MIN(n, NODES); }

static void free_surface(surface *s)
{
    rw_free(s->height);
    rw_free(s->nodes);
    rw_free(s->raster);
}

static rw_status create_surface(rw_context *ctx, const layout *l, const rw_figure_field *f, surface *s)
{
    *s = (surface){.nx = nodes_along(f->nx), .ny = nodes_along(f->ny)};
    s->mesh_x = (s->nx - 1 + MESH - 1) / MESH;
    s->mesh_y = (s->ny - 1 + MESH - 1) / MESH;
    s->samples = fmax(l->sheet.width, l->sheet.height) > SHARP ? 1 : 2;
    s->width = (int)(l->box.x1 - l->box.x0) * s->samples;
    s->rows = (int)(l->box.y1 - l->box.y0) * s->samples;
    s->line = fmax(1, l->sheet.text / 20) * s->samples;
    size_t nodes = s->nx * s->ny, samples = (size_t)s->width * (size_t)s->rows;
    s->height = rw_calloc(nodes, sizeof *s->height);
    s->nodes = rw_calloc(nodes, sizeof *s->nodes);
    s->raster = rw_calloc(samples, 4);
    for (int i = 0; i < COLORS; i++) rw_colormap_rgb(f->map, (double)i / (COLORS - 1), s->colors[i]);
    if (s->height && s->nodes && s->raster) return RW_OK;
    free_surface(s);
    return rw_fail_memory(ctx, nodes * (sizeof *s->height + sizeof *s->nodes) + samples * 4,
                          "the samples of a surface");
}

static rw_status draw_surface(rw_context *ctx, const layout *l, const rw_figure_field *f, rw_canvas *canvas)
{
    surface s;
    RW_TRY(create_surface(ctx, l, f, &s));
    put_heights(&s, l, f);
    put_nodes(&s, l, f);
    for (size_t j = 0; j + 1 < s.ny; j++)
        for (size_t i = s.nx - 1; i-- > 0;) fill_quad(&s, i, j);
    resolve(&s, &l->box, canvas);
    free_surface(&s);
    return RW_OK;
}

/* ---- the box ----------------------------------------------------------------------------------------------------- */

static double tick_at(const rw_axis *axis, int i)
{
    return (rw_axis_pixel(axis, axis->tick[i]) - axis->start) / (axis->end - axis->start);
}

static void segment(rw_canvas *canvas, const layout *l, point p, point q)
{
    rw_canvas_segment(canvas, p.x, p.y, q.x, q.y, fmax(1, round(l->sheet.text / 16)));
}

/* A straight line in the box, part of the stroke. */
static void line(rw_canvas *canvas, const layout *l, double x0, double y0, double z0, double x1, double y1, double z1)
{
    segment(canvas, l, project(l, x0, y0, z0), project(l, x1, y1, z1));
}

/* The floor and the two walls behind the surface, with lines at the ticks. */
static void draw_walls(rw_canvas *canvas, const layout *l)
{
    for (int i = 0; i < l->x.n; i++) {
        double x = tick_at(&l->x, i);
        line(canvas, l, x, 0, 0, x, 1, 0);
        line(canvas, l, x, 1, 0, x, 1, 1);
    }
    for (int i = 0; i < l->y.n; i++) {
        double y = tick_at(&l->y, i);
        line(canvas, l, 1, y, 0, 0, y, 0);
        line(canvas, l, 0, y, 0, 0, y, 1);
    }
    for (int i = 0; i < l->z.n; i++) {
        double z = tick_at(&l->z, i);
        line(canvas, l, 0, 0, z, 0, 1, z);
        line(canvas, l, 0, 1, z, 1, 1, z);
    }
    rw_canvas_ink(canvas, rw_grid_color, 1);
    line(canvas, l, 0, 0, 0, 0, 1, 0);
    line(canvas, l, 0, 1, 0, 1, 1, 0);
    line(canvas, l, 0, 0, 1, 0, 1, 1);
    line(canvas, l, 0, 1, 1, 1, 1, 1);
    line(canvas, l, 0, 1, 0, 0, 1, 1);
    rw_canvas_ink(canvas, (rw_color){165, 166, 170}, 1);
}

/* What nothing can hide: the lower edges in front and the upright ones at the sides. */
static void draw_edges(rw_canvas *canvas, const layout *l)
{
    line(canvas, l, 0, 0, 0, 1, 0, 0);
    line(canvas, l, 1, 0, 0, 1, 1, 0);
    line(canvas, l, 0, 0, 0, 0, 0, 1);
    line(canvas, l, 1, 1, 0, 1, 1, 1);
    rw_canvas_ink(canvas, rw_frame, 1);
}

/* Text that begins (direction 1) or ends (-1) at x. */
static void hang(rw_canvas *canvas, const char *text, double x, double top, double size, int direction)
{
    const rw_text_align align = direction > 0 ? RW_TEXT_LEFT : RW_TEXT_RIGHT;
    rw_font_draw(canvas, text, x, top + RW_FONT_CAP * size, size, align, false, 1, rw_ink);
}

/* The name of an edge hangs beyond the labels at its middle; one too long for that stands below the near corner,
 * smaller if it must be. */
static void draw_name(rw_canvas *canvas, const layout *l, const rw_axis *axis, point middle, const char *label,
                      int direction)
{
    char name[200];
    bool both = label && *label && axis->factor[0];
    rw_snprintf(name, sizeof name, "%.150s%s%s%s", label ? label : "", both ? " (" : "", axis->factor, both ? ")" : "");
    double text = l->sheet.text, width = rw_font_width(name, text), margin = l->sheet.margin;
    double x = middle.x + direction * (LABEL_BESIDE * text + rw_axis_label_width(axis, text));
    double room = direction > 0 ? l->bar.x0 - 0.5 * text - x : x - margin;
    if (width > room) {
        middle = project(l, 1, 0, 0);
        x = middle.x + direction * LABEL_BESIDE * text;
        room = direction > 0 ? l->sheet.width - margin - x : x - margin;
    }
    double size = width > room ? fmax(text * room / width, 6) : text;
    hang(canvas, name, x, middle.y + NAME_BELOW * text, size, direction);
}

/* An edge in front: marks that go on in the direction of the lines on the floor, labels below them to the outer
 * side. */
static void draw_axis(rw_canvas *canvas, const layout *l, const rw_axis *axis, point start, point edge, point out,
                      const char *label)
{
    double text = l->sheet.text, length = hypot(out.x, out.y);
    int direction = out.x > 0 ? 1 : -1;
    for (int i = 0; i < axis->n; i++) {
        const point at = add(start, tick_at(axis, i), edge);
        segment(canvas, l, at, add(at, 0.45 * text / length, out));
    }
    rw_canvas_ink(canvas, rw_frame, 1);
    for (int i = 0; i < axis->n; i++) {
        const point at = add(start, tick_at(axis, i), edge);
        hang(canvas, axis->label[i], at.x + direction * LABEL_BESIDE * text, at.y + LABEL_BELOW * text, text,
             direction);
    }
    draw_name(canvas, l, axis, add(start, 0.5, edge), label, direction);
}

static void draw_axes(rw_canvas *canvas, const layout *l, const rw_figure_field *f)
{
    const point near = add(l->origin, 1, l->edge[0]), forth = l->edge[0], back = {-l->edge[1].x, -l->edge[1].y};
    draw_axis(canvas, l, &l->x, l->origin, l->edge[0], back, f->x_label);
    draw_axis(canvas, l, &l->y, near, l->edge[1], forth, f->y_label);
    rw_axis_draw(canvas, &l->z, l->origin.x, l->sheet.text, RW_AXIS_LEFT, f->value.label);
}

rw_status rw_figure_write_surface_sized(rw_context *ctx, const char *path, const rw_figure_page *page,
                                        const rw_figure_field *field, size_t page_size, size_t field_size)
{
    RW_NEED(ctx, "context");
    RW_NEED(path, "path");
    RW_NEED(field, "field");
    RW_STRUCT_IN(ctx, rw_figure_page, page, page_size);
    RW_STRUCT_IN(ctx, rw_figure_field, field, field_size);
    const rw_figure_field *f = field;
    layout l = {0};
    rw_canvas canvas;
    double low = 0, high = 0;
    bool holes = false;
    RW_TRY(rw_figure_check_field(ctx, path, f));
    RW_TRY(rw_figure_sheet(ctx, path, page, 1400, 1100, &l.sheet));
    bool any = rw_figure_extremes(f->values, f->nx * f->ny, f->value.log, &low, &high, &holes);
    rw_figure_value_axis(&f->value, f->map, any, low, high, &l.value);
    if (f->value.min == f->value.max && !f->value.log) round_limits(&l.value);
    rw_axis_limits(&l.x, f->x0, f->x0 == f->x1 ? f->x0 + (double)f->nx : f->x1, false);
    rw_axis_limits(&l.y, f->y0, f->y0 == f->y1 ? f->y0 + (double)f->ny : f->y1, false);
    l.z = l.value;
    shape_box(&l, f->stretch);
    lay_out(&l, f);

    RW_TRY(rw_canvas_create(ctx, (int)l.sheet.width, (int)l.sheet.height, &canvas));
    draw_walls(&canvas, &l);
    rw_status status = draw_surface(ctx, &l, f, &canvas);
    if (status != RW_OK) {
        rw_canvas_free(&canvas);
        return status;
    }
    draw_edges(&canvas, &l);
    draw_axes(&canvas, &l, f);
    rw_figure_bar_draw(&canvas, &l.bar, &l.value, f->map, l.sheet.text, f->value.label, false);
    rw_figure_titles(&canvas, page, &l.sheet, (l.box.x0 + l.box.x1) / 2);
    return rw_figure_save(ctx, path, &canvas);
}
