/* Neighbours at fixed offsets, u[i+1, j-2], and the borders that stand beyond the sides, against values looked up one
 * by one: near and far, on short and long grids of one to three dimensions, for every way of writing kernels, by
 * kernels and by the plain evaluator. */
#include <math.h>

#include "../compiler.h"
#include "../devices.h"
#include "core/convert.h"
#include "rechenwerk/expr.h"

#define NEAREST RW_BOUNDARY_NEAREST
#define PERIODIC RW_BOUNDARY_PERIODIC
#define REFLECT RW_BOUNDARY_REFLECT
#define REFLECT101 RW_BOUNDARY_REFLECT101
#define CONSTANT RW_BOUNDARY_CONSTANT

typedef struct run {
    int ndim, n[3], offset[3][3];
    rw_boundary_kind side[6];
    rw_dtype dtype;
    bool evaluated; /* by the plain evaluator */
} run;

/* Values of a field: two parts each. */
typedef struct field {
    const run *r;
    double (*value)[2];
    double outside[6]; /* beyond constant borders */
} field;

/* A value at any node; axis by axis, x first. */
static const double *look_up(const field *f, const int node[3], double constant[2])
{
    int p[3] = {node[0], node[1], node[2]};
    for (int d = 0; d < f->r->ndim; ++d) {
        const int n = f->r->n[d], side = 2 * d + (p[d] >= n);
        while (p[d] < 0 || p[d] >= n) switch (f->r->side[side]) {
            case NEAREST: p[d] = p[d] < 0 ? 0 : n - 1; break;
            case PERIODIC: p[d] += p[d] < 0 ? n : -n; break;
            case REFLECT: p[d] = p[d] < 0 ? -1 - p[d] : 2 * n - 1 - p[d]; break;
            case REFLECT101: p[d] = n == 1 ? 0 : p[d] < 0 ? -p[d] : 2 * n - 2 - p[d]; break;
            default: constant[0] = f->outside[side], constant[1] = 0; return constant;
            }
    }
    return f->value[(p[2] * f->r->n[1] + p[1]) * f->r->n[0] + p[0]];
}

/* to <- f[0] + 3 f[1] - f[2] at the three offsets. */
static void apply(const field *f, double (*to)[2])
{
    static const double weight[3] = {1, 3, -1};
    const run *r = f->r;
    for (int c = 0; c < r->n[0] * r->n[1] * r->n[2]; ++c) {
        to[c][0] = to[c][1] = 0;
        for (int m = 0; m < 3; ++m) {
            const int p[3] = {c % r->n[0] + r->offset[m][0], c / r->n[0] % r->n[1] + r->offset[m][1],
                              c / r->n[0] / r->n[1] + r->offset[m][2]};
            double constant[2];
            const double *u = look_up(f, p, constant);
            to[c][0] += weight[m] * u[0], to[c][1] += weight[m] * u[1];
        }
    }
}

static void add_statement(char *text, size_t size, const run *r, const char *to, const char *from)
{
    rw_text t = {0};
    rw_text_add(&t, "%s = ", to);
    for (int m = 0; m < 2; ++m) {
        rw_text_add(&t, "%s%s[", m ? " + 3*" : "", from);
        for (int d = 0; d < r->ndim; ++d) rw_text_add(&t, "%s%c%+d", d ? ", " : "", "ijk"[d], r -> offset[m][d]);
        rw_text_add(&t, "]");
    }
    rw_text_add(&t, " - shift(%s", from);
    for (int d = 0; d < r->ndim; ++d) rw_text_add(&t, ", %d", r->offset[2][d]);
    rw_text_add(&t, ")\n");
    snprintf(text + strlen(text), size - strlen(text), "%s", t.data);
    rw_text_free(&t);
}

static void check(const run *r)
{
    enum { U, W, V, FIELDS };
    static const char *const names[FIELDS] = {"u", "w", "v"}, *const constants[] = {"7.4", "-2.2", "3.3",
                                                                                    "40",  "t",    "9.25"};
    static const double outside[] = {7.4, -2.2, 3.3, 40, 11.5, 9.25};
    const rw_dtype types[FIELDS] = {r->dtype, r->dtype == RW_U8 ? RW_F64 : r->dtype,
                                    r->dtype == RW_U8 ? RW_F64 : r->dtype};
    const int cells = r->n[0] * r->n[1] * r->n[2], ndim = r->ndim;
    const int64_t shape[] = {r->n[2], r->n[1], r->n[0]};
    rw_expr_field fields[FIELDS] = {{0}};
    field f[FIELDS];
    rw_array *arrays[FIELDS];
    char text[512] = "";
    for (int i = 0; i < FIELDS; ++i) {
        const bool z = rw_dtype_is_complex(types[i]);
        void *data;
        fields[i].name = names[i], fields[i].dtype = types[i], f[i].r = r;
        for (int s = 0; s < 2 * ndim; ++s) {
            fields[i].boundary[s] = (rw_boundary){.kind = r->side[s], .a = constants[s]};
            f[i].outside[s] = rw_dtype_is_number(types[i]) ? outside[s] : rw_dtype_round(types[i], outside[s]);
        }
        f[i].value = malloc((size_t)cells * sizeof *f[i].value);
        for (int c = 0; c < cells; ++c)
            for (int part = 0; part < 2; ++part)
                f[i].value[c][part] = part && !z ? 0 : floor(256 * rw_random_uniform(11, (uint64_t)(2 * c + part)));
        OK(rw_array_create(dev, types[i], ndim, shape + 3 - ndim, RW_MEMORY_DEVICE, &arrays[i]));
        OK(rw_array_write(arrays[i], &data));
        for (int c = 0; c < cells; ++c)
            rw_dtype_convert(types[i], (char *)data + (size_t)c * rw_dtype_size(types[i]), z ? RW_C128 : RW_F64,
                             f[i].value[c], 1);
    }
    add_statement(text, sizeof text, r, "w", "u"), add_statement(text, sizeof text, r, "v", "w");
    const rw_expr_scalar time = {.name = "t", .value = 11.5};
    const rw_expr_spec spec = {.text = text,
                               .grid = {.ndim = ndim, .size = {r->n[0], r->n[1], r->n[2]}, .spacing = {1, 1, 1}},
                               .fields = fields,
                               .nfields = FIELDS,
                               .scalars = &time,
                               .nscalars = 1};
    rw_expr *e;
    compiler(!r->evaluated);
    OK(rw_expr_create(dev, &spec, &e));
    compiler(true);
    for (int i = 0; i < FIELDS; ++i) OK(rw_expr_bind(e, names[i], arrays[i]));
    OK(rw_expr_run(e, queue));
    apply(&f[U], f[W].value), apply(&f[W], f[V].value);
    const void *out;
    OK(rw_array_read(arrays[V], &out));
    for (int c = 0; c < cells; ++c) {
        const bool z = rw_dtype_is_complex(types[V]), single = rw_dtype_is_single(types[V]);
        double got[2] = {0};
        rw_dtype_convert(z ? RW_C128 : RW_F64, got, types[V], (const char *)out + (size_t)c * rw_dtype_size(types[V]),
                         1);
        for (int part = 0; part < 2; ++part)
            if (!(fabs(got[part] - f[V].value[c][part]) <= (single ? 5e-3 : 1e-10)))
                fail_msg("%son %d x %d x %d of %s, sides %d %d %d %d %d %d%s: at %d, %d, %d: %.17g, not %.17g", text,
                         r->n[0], r->n[1], r->n[2], rw_dtype_name(r->dtype), r->side[0], r->side[1], r->side[2],
                         r->side[3], r->side[4], r->side[5], r->evaluated ? ", evaluated" : "", c % r->n[0],
                         c / r->n[0] % r->n[1], c / r->n[0] / r->n[1], got[part], f[V].value[c][part]);
    }
    rw_expr_destroy(&e);
    for (int i = 0; i < FIELDS; ++i) rw_array_destroy(&arrays[i]), free(f[i].value);
}

static void test_borders(void **state)
{
    (void)state;
    static const int offsets[][3][3] = {{{1, 0, 0}, {-1, -1, 1}, {0, 2, -1}},
                                        {{9, -3, 2}, {-17, 5, 0}, {0, -31, 13}}, /* with corners */
                                        {{2, 0, 0}, {-2, 0, 0}, {1, 0, 0}},
                                        {{0, 1, 0}, {0, -1, 0}, {-1, 0, 0}}};
    static const int sizes[][3] = {{7, 1, 1},   {1, 1, 1},    {600, 1, 1},  {12, 10, 1}, {1, 5, 1},
                                   {70, 33, 1}, {1100, 6, 1}, {300, 65, 1}, {2, 3, 4},   {33, 9, 18}};
    static const int ndim[] = {1, 1, 1, 2, 2, 2, 2, 2, 3, 3};
    static const rw_boundary_kind sides[][6] = {{NEAREST, NEAREST, NEAREST, NEAREST, NEAREST, NEAREST},
                                                {PERIODIC, PERIODIC, PERIODIC, PERIODIC, PERIODIC, PERIODIC},
                                                {REFLECT101, REFLECT101, REFLECT101, REFLECT101, REFLECT101,
                                                 REFLECT101},
                                                {REFLECT, REFLECT, REFLECT, REFLECT, REFLECT, REFLECT},
                                                {CONSTANT, CONSTANT, CONSTANT, CONSTANT, CONSTANT, CONSTANT},
                                                {REFLECT, CONSTANT, PERIODIC, PERIODIC, CONSTANT, REFLECT101}};
    static const rw_dtype types[] = {RW_F64, RW_F32, RW_C128, RW_U8, RW_I64, RW_F64, RW_C64};
    static const char *const tilings[] = {NULL, "gpu", "stream", "fused", "wave", "rings"};
    int turn = 0, runs = 0;
    for (int i = 0; i < RW_COUNT(sizes); ++i)
        for (int s = 0; s < RW_COUNT(sides); ++s)
            for (int m = 0; m < RW_COUNT(offsets); ++m) {
                run r = {.ndim = ndim[i],
                         .n = {sizes[i][0], sizes[i][1], sizes[i][2]},
                         .dtype = types[(i + 2 * s + m) % RW_COUNT(types)]};
                memcpy(r.side, sides[s], sizeof r.side);
                memcpy(r.offset, offsets[m], sizeof r.offset);
                for (int k = 0; k < 9; ++k)
                    if (k % 3 >= r.ndim) r.offset[k / 3][k % 3] = 0;
                const char *tiling = tilings[turn % RW_COUNT(tilings)];
                if (turn++ % (!test_long() ? brief() ? 17 : 7 : on("opencl") ? 5 : 1)) continue;
                r.evaluated = on("cpu") && r.dtype != RW_I64;
                if (r.evaluated) check(&r);
                r.evaluated = false;
                if (tiling) begin_tiling(tiling);
                check(&r);
                if (tiling) end_tiling();
                runs++;
            }
    print_message("# %d programs\n", runs);
}

/* ---- corners ----------------------------------------------------------------------------------------------------- */

/* An array with three nodes beyond each side, filled as docs/reference/expressions.md says: beyond z, beyond y over all
 * of these, and last beyond x over all of those. */
enum { BEYOND = 3, NX = 6, NY = 5, NZ = 4, KINDS = RW_BOUNDARY_KINDS };
typedef struct wide {
    int ndim;
    double value[NZ + 2 * BEYOND][NY + 2 * BEYOND][NX + 2 * BEYOND];
} wide;

static double *node(wide *w, const int p[3]) { return &w->value[p[2] + BEYOND][p[1] + BEYOND][p[0] + BEYOND]; }

static double given(int side, const int p[3]) { return 1.5 + 0.25 * side + 0.125 * p[0] - 0.25 * p[1] + 0.5 * p[2]; }
static const char *given_text(int side, int ndim)
{
    static char text[6][2][48];
    char *to = text[side][ndim > 2];
    snprintf(to, sizeof text[0][0], "%g + 0.125*x - 0.25*y%s", 1.5 + 0.25 * side, ndim > 2 ? " + 0.5*z" : "");
    return to;
}

/* The d-th node beyond a side, from the nodes of its line inside: order 2, spacing 1. */
static double beyond_side(wide *w, rw_boundary_kind kind, int axis, int upper, int n, const int p[3], int d)
{
    int q[3] = {p[0], p[1], p[2]}, at[3] = {p[0], p[1], p[2]};
    double line[8];
    for (int k = 0; k < n; ++k) { /* line[k]: the k-th node inwards */
        q[axis] = upper ? n - 1 - k : k;
        line[k] = *node(w, q);
    }
    at[axis] = kind == CONSTANT ? p[axis] : kind == RW_BOUNDARY_DIRICHLET ? (upper ? n : -1) : upper ? n - 1 : 0;
    const double g = given(2 * axis + upper, at);
    switch (kind) {
    case NEAREST: return line[0];
    case REFLECT: return line[d - 1];
    case REFLECT101: return line[d];
    case PERIODIC: return line[n - d];
    case CONSTANT: return g;
    /* a line through the side's value, one node outside, and the node as far inside */
    case RW_BOUNDARY_DIRICHLET: return d == 1 ? g : 2 * g - line[d - 2];
    case RW_BOUNDARY_NEUMANN: return line[d] + 2 * d * g;
    default: return line[d] + 2 * d * (g - 0.5 * line[0]) / 2; /* 0.5 u + 2 du/dn = g */
    }
}

static void fill_beyond(wide *w, const rw_boundary_kind kinds[3])
{
    static const int size[3] = {NX, NY, NZ};
    for (int axis = w->ndim - 1; axis >= 0; --axis) {
        int from[3], to[3], p[3];
        for (int d = 0; d < 3; ++d) {
            const int more = d > axis && d < w->ndim ? BEYOND : 0;
            from[d] = -more, to[d] = d < w->ndim ? size[d] + more : 1;
        }
        from[axis] = 1, to[axis] = BEYOND + 1; /* nodes beyond the side */
        for (int k = from[2]; k < to[2]; ++k)
            for (int j = from[1]; j < to[1]; ++j)
                for (int i = from[0]; i < to[0]; ++i)
                    for (int upper = 0; upper < 2; ++upper) {
                        p[0] = i;
                        p[1] = j;
                        p[2] = k;
                        const int d = p[axis];
                        p[axis] = upper ? size[axis] - 1 + d : -d;
                        *node(w, p) = beyond_side(w, kinds[axis], axis, upper, size[axis], p, d);
                    }
    }
}

static void set_kind(rw_expr_field *f, int axis, rw_boundary_kind kind, int ndim)
{
    for (int s = 2 * axis; s < 2 * axis + 2; ++s)
        f->boundary[s] = kind == RW_BOUNDARY_ROBIN ? (rw_boundary){kind, "0.5", "2", given_text(s, ndim)}
                                                   : (rw_boundary){kind, given_text(s, ndim), NULL, NULL};
}

/* Programs of eight fields u0 … u7, the kinds of x, each with its result v0 … v7, for kinds of y and z. */
static void check_corners(int ndim, rw_boundary_kind y, rw_boundary_kind z, bool evaluated)
{
    enum { FIELDS = 2 * KINDS };
    static const int64_t shape[3] = {NZ, NY, NX};
    static char names[FIELDS][4];
    const int cells = NX * NY * (ndim > 2 ? NZ : 1);
    rw_expr_field fields[FIELDS] = {{0}};
    rw_array *arrays[FIELDS];
    wide w[KINDS] = {{0}};
    rw_text t = {0};
    for (int i = 0; i < FIELDS; ++i) {
        const int k = i % KINDS;
        snprintf(names[i], sizeof names[i], "%c%d", i < KINDS ? 'u' : 'v', k);
        fields[i] = (rw_expr_field){.name = names[i], .dtype = RW_F64};
        void *data;
        OK(rw_array_create(dev, RW_F64, ndim, shape + 3 - ndim, RW_MEMORY_DEVICE, &arrays[i]));
        if (i >= KINDS) continue;
        const rw_boundary_kind kinds[3] = {(rw_boundary_kind)k, y, z};
        w[k].ndim = ndim;
        for (int d = 0; d < ndim; ++d) set_kind(fields + i, d, kinds[d], ndim);
        OK(rw_array_write(arrays[i], &data));
        for (int c = 0; c < cells; ++c) {
            const int p[3] = {c % NX, c / NX % NY, c / NX / NY};
            *node(w + k, p) = ((double *)data)[c] = floor(64 * rw_random_uniform(5, (uint64_t)(100 * k + c)));
        }
        fill_beyond(w + k, kinds);
        rw_text_add(&t,
                    ndim > 2 ? "v%d = u%d[i-3, j+3, k-2] + 3*u%d[i+2, j-3, k+3]\n"
                             : "v%d = u%d[i-3, j+3] + 3*u%d[i+2, j-3]\n",
                    k, k, k);
    }
    const rw_expr_spec spec = {.text = t.data,
                               .grid = {.ndim = ndim, .size = {NX, NY, ndim > 2 ? NZ : 1}, .spacing = {1, 1, 1}},
                               .fields = fields,
                               .nfields = FIELDS};
    rw_expr *e;
    compiler(!evaluated);
    OK(rw_expr_create(dev, &spec, &e));
    compiler(true);
    for (int i = 0; i < FIELDS; ++i) OK(rw_expr_bind(e, names[i], arrays[i]));
    OK(rw_expr_run(e, queue));
    for (int k = 0; k < KINDS; ++k) {
        const void *out;
        OK(rw_array_read(arrays[KINDS + k], &out));
        for (int c = 0; c < cells; ++c) {
            const int i = c % NX, j = c / NX % NY, l = c / NX / NY, more = ndim > 2;
            const double want = *node(w + k, (int[3]){i - 3, j + 3, l - 2 * more}) +
                                3 * *node(w + k, (int[3]){i + 2, j - 3, l + 3 * more}),
                         got = ((const double *)out)[c];
            if (!(fabs(got - want) <= 1e-10 * fmax(fabs(want), 1)))
                fail_msg("%d-D, kinds %d, %d, %d%s: at %d, %d, %d: %.17g, not %.17g", ndim, k, (int)y, (int)z,
                         evaluated ? ", evaluated" : "", i, j, l, got, want);
        }
    }
    rw_text_free(&t);
    rw_expr_destroy(&e);
    for (int i = 0; i < FIELDS; ++i) rw_array_destroy(&arrays[i]);
}

/* Every combination of kinds at corners, by the evaluator and by kernels. */
static void test_corners(void **state)
{
    (void)state;
    static const char *const tilings[] = {NULL, "gpu", "stream", "fused", "wave", "rings"};
    int turn = 0;
    for (int y = 0; y < KINDS; ++y)
        for (int z = -1; z < KINDS; ++z) {
            const int ndim = z < 0 ? 2 : 3;
            const rw_boundary_kind last = z < 0 ? NEAREST : (rw_boundary_kind)z;
            if (on("cpu")) check_corners(ndim, (rw_boundary_kind)y, last, true);
            if (++turn, z >= 0 && !test_long() && turn % (on("cpu") ? 5 : 16))
                continue; /* seconds of a compiler each */
            if (z < 0 && !on("cpu") && !test_long() && y % 3) continue;
            const char *tiling = tilings[turn % RW_COUNT(tilings)];
            if (tiling) begin_tiling(tiling);
            check_corners(ndim, (rw_boundary_kind)y, last, false);
            if (tiling) end_tiling();
        }
}

/* ---- layouts ----------------------------------------------------------------------------------------------------- */

enum { LAYOUT_FIELDS = 5 };
typedef struct side_texts {
    char text[3][120];
} side_texts;

/* What a side of u0 … u4 says where sides read fields: at the node, further in where there is a node, and differences
 * along the side. */
static rw_boundary reading(int which, int axis, int ndim, int n, side_texts *to)
{
    static const rw_boundary_kind kinds[] = {RW_BOUNDARY_DIRICHLET, RW_BOUNDARY_NEUMANN, RW_BOUNDARY_ROBIN,
                                             RW_BOUNDARY_ROBIN, RW_BOUNDARY_ROBIN};
    static const char *const texts[][3] = {{"t - u1 + inner(u0, %d) + 0.1*%s", "", ""},
                                           {"inner(u1*u3, %d) - u1^2 + u0*hn + 0.2*%s", "", ""},
                                           {"2 + u3^2", "1 + u2^2", "x + inner(u0, %d)*%s"},
                                           {"where(u0 > 0.5, 1, 0)", "where(u0 > 0.5, layers, 1)",
                                            "x + inner(x, %d) + %s"},
                                           {"2 + 1i*u0", "1 - 0.5i", "u4*u1 + inner(3i*u4, %d) - %s"}};
    const char *along = ndim == 1 ? "u1" : axis == 0 ? "dy(u1*u2)" : "dx(u1*u2)";
    if (which == 0 && ndim > 1) along = axis == 0 ? "dy(u1^2)" : "dx(u1^2)"; /* u2 may depend on u0 */
    for (int i = 0; i < 3; ++i) snprintf(to->text[i], sizeof to->text[i], texts[which][i], n > 1 ? 1 : 0, along);
    if (which == 0 && n == 1) snprintf(to->text[0], sizeof to->text[0], "t - u1 + %s", along);
    if (which > 1) return (rw_boundary){kinds[which], to->text[0], to->text[1], to->text[2]};
    return (rw_boundary){kinds[which], to->text[0], NULL, NULL};
}

/* Values up to four nodes beyond both sides of an axis, of a field of each kind and one that has parts of different
 * kinds, by kernels and by the evaluator. */
static void run_layout(rw_grid_layout layout, int axis, int n, int order, bool reads, rw_device *at, double (*out)[2])
{
    side_texts texts[LAYOUT_FIELDS][6];
    static const char *const names[] = {"u0", "u1", "u2", "u3", "u4", "o0", "o1", "o2", "o3", "o4"};
    static const rw_boundary sides[2][LAYOUT_FIELDS] = {{{RW_BOUNDARY_DIRICHLET, "1 + t*x", NULL, NULL},
                                                         {RW_BOUNDARY_NEUMANN, "t - x", NULL, NULL},
                                                         {RW_BOUNDARY_ROBIN, "2 + x", "1 + x^2", "3*t"},
                                                         {RW_BOUNDARY_ROBIN, "where(x > 1, 1, 0)",
                                                          "where(x > 1, layers, 1)", "x"},
                                                         {RW_BOUNDARY_ROBIN, "2 + 1i*x", "1 - 0.5i", "3i"}},
                                                        {{RW_BOUNDARY_DIRICHLET, "1 + t*x - y", NULL, NULL},
                                                         {RW_BOUNDARY_NEUMANN, "t - x + 2*y", NULL, NULL},
                                                         {RW_BOUNDARY_ROBIN, "2 + y", "1 + x^2", "3*t"},
                                                         {RW_BOUNDARY_ROBIN, "where(y + 2*x > 1, 1, 0)",
                                                          "where(y + 2*x > 1, layers, 1)", "x + y"},
                                                         {RW_BOUNDARY_ROBIN, "2 + 1i*x", "1 - 0.5i", "y + 3i"}}};
    rw_grid grid = {.ndim = axis + 1, .size = {axis > 0 ? 3 : 1, axis > 1 ? 3 : 1, 1}, .spacing = {0.5, 0.25, 0.75}};
    grid.size[axis] = n;
    rw_expr_field fields[2 * LAYOUT_FIELDS] = {{0}};
    rw_array *arrays[2 * LAYOUT_FIELDS];
    rw_text t = {0};
    int64_t cells = grid.size[0] * grid.size[1] * grid.size[2];
    for (int i = 0; i < 2 * LAYOUT_FIELDS; ++i) {
        fields[i].name = names[i];
        fields[i].dtype = i % LAYOUT_FIELDS == 4 ? RW_C128 : RW_F64;
        for (int s = 0; s < 2 * grid.ndim; ++s) {
            fields[i].boundary[s] = sides[axis > 0][i % LAYOUT_FIELDS];
            if (reads && i < LAYOUT_FIELDS)
                fields[i].boundary[s] = reading(i, s / 2, grid.ndim, (int)grid.size[s / 2], &texts[i][s]);
            if (layout == RW_GRID_AUTO && i % LAYOUT_FIELDS == 3) fields[i].boundary[s].b = "1";
        }
        const int64_t shape[] = {grid.size[2], grid.size[1], grid.size[0]};
        double *to;
        OK(rw_array_create(at, fields[i].dtype, grid.ndim, shape + 3 - grid.ndim, RW_MEMORY_DEVICE, &arrays[i]));
        OK(rw_array_write(arrays[i], (void **)&to));
        for (int64_t c = 0; c < cells * (1 + (fields[i].dtype == RW_C128)); ++c)
            to[c] = rw_random_uniform(3, (uint64_t)(1000 * i + c));
        if (i >= LAYOUT_FIELDS) continue;
        rw_text_add(&t, "o%d = 0", i);
        for (int d = -4; d <= 4; ++d)
            rw_text_add(&t, " + %d*u%d[%s%+d]", d * d + d + 1, i, axis == 2 ? "i, j, k" : axis ? "i, j" : "i", d);
        rw_text_add(&t, "\n");
    }
    const rw_expr_scalar scalars[] = {{.name = "t", .value = 0.75}, {.name = "layers", .value = 0}};
    const rw_expr_spec spec = {.text = t.data,
                               .grid = grid,
                               .order = order,
                               .fields = fields,
                               .nfields = 2 * LAYOUT_FIELDS,
                               .scalars = scalars,
                               .nscalars = 2,
                               .layout = layout};
    rw_expr *e;
    compiler(at == dev);
    OK(rw_expr_create(at, &spec, &e));
    compiler(true);
    for (int i = 0; i < 2 * LAYOUT_FIELDS; ++i) OK(rw_expr_bind(e, names[i], arrays[i]));
    OK(rw_expr_run(e, rw_device_queue(at)));
    for (int i = 0; i < LAYOUT_FIELDS; ++i) {
        const double *from;
        OK(rw_array_read(arrays[LAYOUT_FIELDS + i], (const void **)&from));
        for (int64_t c = 0; c < cells; ++c)
            for (int part = 0; part < 2; ++part)
                out[i * cells + c][part] = i == 4 ? from[2 * c + part] : part ? 0 : from[c];
    }
    rw_expr_destroy(&e);
    rw_text_free(&t);
    for (int i = 0; i < 2 * LAYOUT_FIELDS; ++i) rw_array_destroy(&arrays[i]);
}

static void test_layouts(void **state)
{
    (void)state;
    static double want[LAYOUT_FIELDS * 81][2], got[LAYOUT_FIELDS * 81][2];
    int turn = 0;
    rw_device *reference;
    OK(rw_device_open(ctx, "cpu", &reference)); /* without a compiler, the evaluator */
    for (int which = 0; which < 6; ++which)
        for (int axis = 0; axis < 3; ++axis)
            for (int n = 1; n <= 9; ++n)
                for (int order = 2; order <= 4; order += 2) {
                    if (!test_long() && turn++ % (on("cpu") ? 5 : 37)) continue; /* a GPU's compiler takes minutes */
                    const int cells = n * (axis > 0 ? 3 : 1) * (axis > 1 ? 3 : 1);
                    const rw_grid_layout layout = (rw_grid_layout)(which % 3);
                    run_layout(layout, axis, n, order, which > 2, reference, want);
                    run_layout(layout, axis, n, order, which > 2, dev, got);
                    for (int c = 0; c < LAYOUT_FIELDS * cells; ++c)
                        for (int part = 0; part < 2; ++part)
                            if (!(fabs(got[c][part] - want[c][part]) <= 1e-10 * fmax(fabs(want[c][part]), 1e3)))
                                fail_msg(
                                    "layout %d%s, axis %d, n %d, order %d, u%d, cell %d, part %d: %.17g, not %.17g",
                                    layout, which > 2 ? ", sides read fields" : "", axis, n, order, c / cells,
                                    c % cells, part, got[c][part], want[c][part]);
                }
    rw_device_close(&reference);
}

/* Layout node: a node on several sides that give its value has their mean, in reads, in reads from next to it and in
 * what an assignment stores. */
static void check_given(int ndim, const int64_t size[3], bool evaluated)
{
    static const double value[6] = {1, 2, 4, 8, 16, 32};
    static const char *const names[] = {"u", "v", "w", "o", "p", "q"};
    enum { FIELDS = RW_COUNT(names) };
    rw_grid grid = {.ndim = ndim, .size = {size[0], size[1], size[2]}, .spacing = {1, 1, 1}};
    rw_expr_field fields[FIELDS] = {{0}};
    rw_array *arrays[FIELDS];
    const int64_t shape[] = {size[2], size[1], size[0]};
    /* clang-format off */
    static const rw_boundary sides[3][6] = {
#define VALUE(x) {RW_BOUNDARY_DIRICHLET, x, NULL, NULL}
        {VALUE("1"), VALUE("2"), VALUE("4"), VALUE("8"), VALUE("16"), VALUE("32")},
        {VALUE("1-0.5i"), VALUE("2-0.5i"), VALUE("4-0.5i"), VALUE("8-0.5i"), VALUE("16-0.5i"), VALUE("32-0.5i")},
#undef VALUE
        /* the value on lower sides, a slope of 0 on others */
        {{RW_BOUNDARY_ROBIN, "2", "none", "2"},
         {RW_BOUNDARY_ROBIN, "none", "1", "none"},
         {RW_BOUNDARY_ROBIN, "2", "none", "8"},
         {RW_BOUNDARY_ROBIN, "none", "1 + none", "none"},
         {RW_BOUNDARY_ROBIN, "2", "none", "32"},
         {RW_BOUNDARY_NEUMANN, "0", NULL, NULL}}};
    /* clang-format on */
    for (int f = 0; f < FIELDS; ++f) {
        double *to;
        fields[f].name = names[f];
        fields[f].dtype = f % 3 == 1 ? RW_C128 : RW_F64;
        for (int s = 0; s < 2 * ndim && f < 3; ++s) fields[f].boundary[s] = sides[f][s];
        OK(rw_array_create(dev, fields[f].dtype, ndim, shape + 3 - ndim, RW_MEMORY_DEVICE, &arrays[f]));
        OK(rw_array_write(arrays[f], (void **)&to));
        for (int64_t c = 0; c < size[0] * size[1] * size[2] * (1 + (f % 3 == 1)); ++c) to[c] = 100;
    }
    const rw_expr_scalar none = {.name = "none", .value = 0};
    const rw_expr_spec spec = {.text = "o = u + w[i+1] - w[i+1]; p = v; q = w; u = 100; v = 100; w = 100",
                               .grid = grid,
                               .order = 2,
                               .fields = fields,
                               .nfields = FIELDS,
                               .scalars = &none,
                               .nscalars = 1,
                               .layout = RW_GRID_NODE};
    rw_expr *e;
    compiler(!evaluated);
    OK(rw_expr_create(dev, &spec, &e));
    compiler(true);
    for (int f = 0; f < FIELDS; ++f) OK(rw_expr_bind(e, names[f], arrays[f]));
    OK(rw_expr_run(e, rw_device_queue(dev)));
    for (int f = 0; f < FIELDS; ++f) {
        const double *from;
        OK(rw_array_read(arrays[f], (const void **)&from));
        for (int64_t c = 0; c < size[0] * size[1] * size[2]; ++c) {
            const int64_t at[] = {c % size[0], c / size[0] % size[1], c / size[0] / size[1]};
            double sum = 0;
            int n = 0;
            for (int s = 0; s < 2 * ndim; s += f % 3 == 2 ? 2 : 1)
                if (at[s / 2] == (s % 2 ? size[s / 2] - 1 : 0)) {
                    sum += value[s];
                    ++n;
                }
            const double want = n ? sum / n : 100, got = f % 3 == 1 ? from[2 * c] : from[c];
            if (!(fabs(got - want) <= 1e-14 * want))
                fail_msg("%d dimensions, %s, cell %d: %.17g, not %.17g", ndim, names[f], (int)c, got, want);
            if (f % 3 == 1 && n) assert_true(fabs(from[2 * c + 1] + 0.5) < 1e-14);
        }
    }
    rw_expr_destroy(&e);
    for (int f = 0; f < FIELDS; ++f) rw_array_destroy(&arrays[f]);
}

static void test_given_corners(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{4, 3, 1}, {1, 4, 1}, {4, 3, 5}, {3, 1, 3}};
    for (int i = 0; i < RW_COUNT(sizes); ++i)
        for (int evaluated = on("cpu"); evaluated >= 0; --evaluated) check_given(i < 2 ? 2 : 3, sizes[i], evaluated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_given_corners), cmocka_unit_test(test_borders),
                                       cmocka_unit_test(test_corners), cmocka_unit_test(test_layouts)};
    return run_on_devices("neighbours", tests, RW_COUNT(tests));
}
