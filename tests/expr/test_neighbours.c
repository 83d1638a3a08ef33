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
                if (turn++ % (!test_long() ? brief() ? 17 : 7 : on("cpu") ? 1 : 5)) continue;
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
    const int every = test_long() ? on("cpu") ? 1 : 4 : on("cpu") ? 5 : 16; /* seconds of a compiler each */
    int turn = 0;
    for (int y = 0; y < KINDS; ++y)
        for (int z = -1; z < KINDS; ++z) {
            const int ndim = z < 0 ? 2 : 3;
            const rw_boundary_kind last = z < 0 ? NEAREST : (rw_boundary_kind)z;
            if (on("cpu")) check_corners(ndim, (rw_boundary_kind)y, last, true);
            if (++turn % every && z >= 0) continue;
            if (z < 0 && !on("cpu") && !test_long() && y % 3) continue;
            const char *tiling = tilings[turn % RW_COUNT(tilings)];
            if (tiling) begin_tiling(tiling);
            check_corners(ndim, (rw_boundary_kind)y, last, false);
            if (tiling) end_tiling();
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_borders), cmocka_unit_test(test_corners)};
    return run_on_devices("neighbours", tests, RW_COUNT(tests));
}
