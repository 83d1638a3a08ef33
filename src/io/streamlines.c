/* Evenly spaced streamlines (B. Jobard, W. Lefer: Creating evenly-spaced streamlines of arbitrary density,
 * Visualization in Scientific Computing 1997).
 *
 *   seeds      points at the distance d of the separation from a line, on both its sides; one that is at least d from
 *              all lines starts a line. At the end the points of a lattice are tried, so that parts of the plane that
 *              obstacles separate get lines too.
 *   a line     dx/ds = V/|V|, forward and backward from its seed, by the classical Runge-Kutta method of order 4, with
 *              points STEP d apart. It ends at the boundary, at nodes without a value, where |V| falls below SLOWEST
 *              of the largest, nearer than d/2 to another line or to itself, or closed, when it passes its seed again.
 *   distances  are those to points of lines, found in square cells of size d.
 *
 * A line meets itself where points more than a half circle of diameter d/2 apart along it are nearer than d/2: this
 * leaves circles of any size alone. Near its own start a line goes on until it has closed, or has passed by at another
 * place; then it ends where it came near. Lines shorter than 1.5 d are left out, unless they are closed.
 *
 * Cost: some steps for each d/10 of length, of 4 interpolations each; 4 bytes per cell and 40 per point. */
#include "io/streamlines.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP 0.1        /* distance of points along a line, parts of d */
#define NEAREST 0.5     /* distance of lines, parts of d */
#define SLOWEST 1e-5    /* speed at which lines end, parts of the largest */
#define CLOSED 0.05     /* distance at which a line passes its seed when it closes, parts of d */
#define SHORTEST 1.5    /* length of lines that are not closed, parts of d; */
#define ROUND 1.0       /* of closed ones */
#define LATTICE 0.5     /* spacing of the points that are tried at the end, parts of d */
enum { HALF_TURN = 9 }; /* points of a half circle of diameter d/2: pi/4/STEP, rounded up, and one */
enum { HALVINGS = 6 };  /* of the last step of a line */
enum { MOST_CELLS = 1 << 22 };

typedef struct point {
    double x, y; /* scaled, from the first node */
    int next;    /* in the cell; -1: none */
} point;

typedef struct tracer {
    rw_context *ctx;
    const rw_streamline_field *f;
    double scale[2], h[2], side[2]; /* spacing and sides of the plane, scaled */
    double d, slowest;
    int substeps;         /* of a step */
    int cells[2], *first; /* [cells]: the newest point; -1: none */
    point *p;             /* of all lines: each its seed, the points forward, those backward */
    int n, capacity;
    int begin, middle; /* of the present line: its seed, its first point backward */
    int curves, points, offsets_capacity, points_capacity;
    rw_streamlines *lines;
} tracer;

/* V/|V| in scaled coordinates; false: outside, no value, or (almost) 0. */
static bool direction(const tracer *t, double x, double y, double out[2])
{
    const rw_streamline_field *f = t->f;
    const double a = x / t->h[0], b = y / t->h[1];
    if (!(a >= 0 && a <= (double)(f->nx - 1) && b >= 0 && b <= (double)(f->ny - 1))) return false;
    const size_t i = RW_MIN((size_t)a, f->nx - 2), j = RW_MIN((size_t)b, f->ny - 2), k = j * f->nx + i;
    const double s = a - (double)i, r = b - (double)j, w[4] = {(1 - s) * (1 - r), s * (1 - r), (1 - s) * r, s * r};
    const size_t at[4] = {k, k + 1, k + f->nx, k + f->nx + 1};
    double u = 0, v = 0;
    for (int c = 0; c < 4; c++) {
        u += w[c] * f->u[at[c]];
        v += w[c] * f->v[at[c]];
    }
    const double speed = hypot(u, v);
    if (!(speed > t->slowest) || isinf(speed)) return false;
    const double du = u / speed * t->scale[0], dv = v / speed * t->scale[1], length = hypot(du, dv);
    out[0] = du / length;
    out[1] = dv / length;
    return true;
}

/* One Runge-Kutta step of (signed) length h; false: it leaves the field, or turns back, as it does beyond a sink. */
static bool step(const tracer *t, double h, double at[2])
{
    double k[4][2], end[2];
    if (!direction(t, at[0], at[1], k[0])) return false;
    if (!direction(t, at[0] + h / 2 * k[0][0], at[1] + h / 2 * k[0][1], k[1])) return false;
    if (!direction(t, at[0] + h / 2 * k[1][0], at[1] + h / 2 * k[1][1], k[2])) return false;
    if (!direction(t, at[0] + h * k[2][0], at[1] + h * k[2][1], k[3])) return false;
    const double x = at[0] + h / 6 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]),
                 y = at[1] + h / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]);
    if (!direction(t, x, y, end) || !(k[0][0] * end[0] + k[0][1] * end[1] > 0)) return false;
    at[0] = x;
    at[1] = y;
    return true;
}

static bool advance(const tracer *t, double h, double at[2])
{
    double to[2] = {at[0], at[1]};
    for (int i = 0; i < t->substeps; i++)
        if (!step(t, h / t->substeps, to)) return false;
    at[0] = to[0];
    at[1] = to[1];
    return true;
}

/* The longest part of a step that does not leave the field; false: none. */
static bool advance_part(const tracer *t, double h, double at[2])
{
    double good = 0, bad = 1, to[2] = {at[0], at[1]};
    for (int i = 0; i < HALVINGS; i++) {
        double trial[2] = {at[0], at[1]};
        const double part = (good + bad) / 2;
        if (advance(t, part * h, trial)) {
            good = part;
            memcpy(to, trial, sizeof to);
        } else {
            bad = part;
        }
    }
    memcpy(at, to, sizeof to);
    return good > 0;
}

/* ---- points and cells -------------------------------------------------------------------------------------------- */

static int cell_along(const tracer *t, int axis, double x)
{
    const double c = floor(x / t->d);
    return c > 0 ? RW_MIN((int)c, t->cells[axis] - 1) : 0;
}

static rw_status add(tracer *t, const double at[2])
{
    const int cell = cell_along(t, 1, at[1]) * t->cells[0] + cell_along(t, 0, at[0]);
    if (!rw_grow(&t->p, &t->capacity, t->n + 1, sizeof(*t->p)))
        return rw_fail_memory(t->ctx, (size_t)t->n * sizeof(*t->p), "streamlines");
    t->p[t->n] = (point){at[0], at[1], t->first[cell]};
    t->first[cell] = t->n++;
    return RW_OK;
}

/* Takes the newest points away, until n are left. */
static void remove_after(tracer *t, int n)
{
    while (t->n > n) {
        const point *p = &t->p[--t->n];
        t->first[cell_along(t, 1, p->y) * t->cells[0] + cell_along(t, 0, p->x)] = p->next;
    }
}

/* Place along the present line: 0 at its seed, negative backward. Other lines: INT_MIN. */
static int place_of(const tracer *t, int i)
{
    if (i < t->begin) return INT_MIN;
    return i < t->middle ? i - t->begin : t->middle - 1 - i;
}

enum { FREE, AT_START, TAKEN };

/* What is nearer than `distance` to a place that would be point `place` of the present line: nothing, only the start of
 * this line, or something else. */
static int look_around(const tracer *t, const double at[2], double distance, int place)
{
    const int cx = cell_along(t, 0, at[0]), cy = cell_along(t, 1, at[1]);
    int found = FREE;
    for (int j = RW_MAX(cy - 1, 0); j <= RW_MIN(cy + 1, t->cells[1] - 1); j++)
        for (int i = RW_MAX(cx - 1, 0); i <= RW_MIN(cx + 1, t->cells[0] - 1); i++)
            for (int k = t->first[j * t->cells[0] + i]; k >= 0; k = t->p[k].next) {
                const double x = t->p[k].x - at[0], y = t->p[k].y - at[1];
                const int other = place_of(t, k);
                if (x * x + y * y >= distance * distance) continue;
                if (other == INT_MIN) return TAKEN;
                if (abs(place - other) <= HALF_TURN) continue;
                if (place < 0 || other < 0 || other > HALF_TURN) return TAKEN;
                found = AT_START;
            }
    return found;
}

/* Whether a line that starts at `seed` in direction e passes it again on its way from a to b. */
static bool passes(const tracer *t, const double seed[2], const double e[2], const double a[2], const double b[2])
{
    const double from = (a[0] - seed[0]) * e[0] + (a[1] - seed[1]) * e[1],
                 to = (b[0] - seed[0]) * e[0] + (b[1] - seed[1]) * e[1];
    if (!(from <= 0 && to > 0)) return false;
    const double part = -from / (to - from), x = a[0] + part * (b[0] - a[0]) - seed[0],
                 y = a[1] + part * (b[1] - a[1]) - seed[1];
    return hypot(x, y) <= CLOSED * t->d;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* The line forward (sign 1) from its seed or backward. *closed: it has come back to its seed, going forward. */
static rw_status extend(tracer *t, int sign, const double seed[2], bool *closed)
{
    const double h = sign * STEP * t->d;
    double at[2] = {seed[0], seed[1]}, e[2];
    int place = 0, start = -1; /* points when the line has come near its start */
    if (closed) *closed = false;
    if (!direction(t, seed[0], seed[1], e)) return RW_OK;
    for (;;) {
        double to[2] = {at[0], at[1]};
        const bool whole = advance(t, h, to);
        if (!whole && !advance_part(t, h, to)) break;
        if (sign > 0 && place > 2 && passes(t, seed, e, at, to)) {
            *closed = true;
            return add(t, seed);
        }
        place += sign;
        const int near = look_around(t, to, NEAREST * t->d, place);
        if (near == TAKEN || (near == FREE && start >= 0)) break;
        if (near == AT_START && start < 0) start = t->n;
        if (start >= 0 && t->n - start > 2 * HALF_TURN) break;
        RW_TRY(add(t, to));
        if (!whole) break;
        memcpy(at, to, sizeof at);
    }
    if (start >= 0) remove_after(t, start);
    return RW_OK;
}

/* The present line into the result. */
static rw_status store(tracer *t)
{
    rw_streamlines *l = t->lines;
    const int n = t->n - t->begin;
    if (!rw_grow(&l->offset, &t->offsets_capacity, t->curves + 2, sizeof(*l->offset)) ||
        !rw_grow(&l->point, &t->points_capacity, t->points + n, sizeof(*l->point)))
        return rw_fail_memory(t->ctx, (size_t)(t->points + n) * sizeof(*l->point), "streamlines");
    for (int i = 0; i < n; i++) {
        const int back = t->n - t->middle;
        const point *p = &t->p[i < back ? t->n - 1 - i : t->begin + i - back];
        const double at[2] = {p->x, p->y};
        for (int a = 0; a < 2; a++) l->point[t->points + i][a] = t->f->origin[a] + at[a] / t->scale[a];
    }
    t->points += n;
    l->offset[0] = 0;
    l->offset[++t->curves] = t->points;
    return RW_OK;
}

/* A line from this seed, if there is room for it. */
static rw_status try_seed(tracer *t, const double seed[2])
{
    double e[2];
    bool closed;
    if (!direction(t, seed[0], seed[1], e)) return RW_OK;
    t->begin = t->middle = t->n; /* all points are those of others */
    if (look_around(t, seed, (1 - 1e-6) * t->d, 0) != FREE) return RW_OK;
    t->middle = INT_MAX;
    RW_TRY(add(t, seed));
    RW_TRY(extend(t, 1, seed, &closed));
    t->middle = t->n;
    if (!closed) RW_TRY(extend(t, -1, seed, NULL));
    if ((t->n - t->begin - 1) * STEP >= (closed ? ROUND : SHORTEST)) return store(t);
    remove_after(t, t->begin);
    return RW_OK;
}

/* Lines next to all lines so far and to those that this adds. *i: points of lines whose sides have been tried. */
static rw_status spread(tracer *t, int *i)
{
    for (; *i < t->n; ++*i) {
        const point p = t->p[*i];
        double e[2];
        if (!direction(t, p.x, p.y, e)) continue;
        RW_TRY(try_seed(t, (double[]){p.x - t->d * e[1], p.y + t->d * e[0]}));
        RW_TRY(try_seed(t, (double[]){p.x + t->d * e[1], p.y - t->d * e[0]}));
    }
    return RW_OK;
}

static rw_status trace_all(tracer *t)
{
    const double spacing = LATTICE * t->d;
    const int nx = (int)(t->side[0] / spacing) + 1, ny = (int)(t->side[1] / spacing) + 1;
    int tried = 0;
    RW_TRY(try_seed(t, (double[]){t->side[0] / 2, t->side[1] / 2}));
    RW_TRY(spread(t, &tried));
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            const double at[2] = {t->side[0] * (i + 0.5) / nx, t->side[1] * (j + 0.5) / ny};
            RW_TRY(try_seed(t, at));
            RW_TRY(spread(t, &tried));
        }
    return RW_OK;
}

static rw_status check(rw_context *ctx, const tracer *t)
{
    bool good = t->d > 0 && isfinite(t->d);
    for (int a = 0; a < 2; a++) {
        const double h = t->h[a];
        good = good && h > 0 && isfinite(t->side[a]) && isfinite(t->f->origin[a]) && t->scale[a] > 0;
    }
    if (!good)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "streamlines %g apart: separation and grid must be finite and positive",
                       t->d);
    if ((t->side[0] / t->d + 1) * (t->side[1] / t->d + 1) > MOST_CELLS)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "streamlines %g apart on a plane of %g x %g: at least 1/2000 of the sides is needed", t->d,
                       t->side[0], t->side[1]);
    return RW_OK;
}

rw_status rw_streamlines_create(rw_context *ctx, const rw_streamline_field *f, double separation, rw_streamlines *lines)
{
    tracer t = {.ctx = ctx, .f = f, .d = separation, .lines = lines};
    const size_t counts[2] = {f->nx, f->ny};
    *lines = (rw_streamlines){0};
    for (int a = 0; a < 2; a++) {
        t.scale[a] = f->scale[a] == 0 ? 1 : f->scale[a];
        t.h[a] = f->spacing[a] * t.scale[a];
        t.side[a] = (double)(counts[a] ? counts[a] - 1 : 0) * t.h[a];
    }
    RW_TRY(check(ctx, &t));
    if (f->nx < 2 || f->ny < 2) return RW_OK;
    for (size_t i = 0; i < f->nx * f->ny; i++) {
        const double speed = hypot(f->u[i], f->v[i]);
        if (isfinite(speed)) t.slowest = fmax(t.slowest, SLOWEST * speed);
    }
    t.substeps = (int)fmin(ceil(STEP * t.d / (0.5 * fmin(t.h[0], t.h[1]))), 16);
    for (int a = 0; a < 2; a++) t.cells[a] = (int)(t.side[a] / t.d) + 1;
    const size_t cells = (size_t)t.cells[0] * (size_t)t.cells[1];
    if (!(t.first = rw_calloc(cells, sizeof(*t.first))))
        return rw_fail_memory(ctx, cells * sizeof(*t.first), "streamlines");
    for (size_t i = 0; i < cells; i++) t.first[i] = -1;
    const rw_status status = trace_all(&t);
    rw_free(t.first);
    rw_free(t.p);
    lines->n = t.curves;
    if (status != RW_OK) rw_streamlines_free(lines);
    return status;
}

void rw_streamlines_free(rw_streamlines *lines)
{
    rw_free(lines->offset);
    rw_free(lines->point);
    *lines = (rw_streamlines){0};
}
