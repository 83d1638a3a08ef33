/* Every iteration of every method beside the same method in long double, as its source has it: residuals and the
 * solution behind the last. A method with a wrong scalar often converges all the same, only later; here it shows at
 * once. Vectors are longer than a tile and than a group. On cpu and check the kernels for threads of a GPU too. */
/* TEST: tiled */
#include "systems.h"

typedef long double complex number;
enum { CELLS = 33, N = CELLS * CELLS, MOST = 12, RESTART = 5, SHADOW = 4 };

typedef struct problem {
    const entries *e;
    bool jacobi;
    number inverse[N]; /* of the diagonal */
    number b[N], x[N], r[N];
    long double history[MOST + 1];
    int done;
} problem;

static number dot(const number *a, const number *b)
{
    number s = 0;
    for (int i = 0; i < N; ++i) s += conjl(a[i]) * b[i];
    return s;
}

/* y <- y + alpha x */
static void add(number alpha, const number *x, number *y)
{
    for (int i = 0; i < N; ++i) y[i] += alpha * x[i];
}

static void copy(const number *from, number *to) { memcpy(to, from, N * sizeof *to); }

static void multiply(const problem *p, const number *x, number *y)
{
    const entries *e = p->e;
    memset(y, 0, N * sizeof *y);
    for (int64_t k = 0; k < e->n; ++k)
        y[e->row[k]] += (e->is_complex ? e->value[2 * k] + e->value[2 * k + 1] * I : e->value[k]) * x[e->column[k]];
}

static void precondition(const problem *p, const number *r, number *z)
{
    for (int i = 0; i < N; ++i) z[i] = p->jacobi ? p->inverse[i] * r[i] : r[i];
}

/* x <- x + alpha u, r <- r - alpha A u; nothing behind the last iteration. `ends`: one is done. */
static void move(problem *p, number alpha, const number *u, const number *au, bool ends)
{
    if (p->done == MOST) return;
    add(alpha, u, p->x), add(-alpha, au, p->r);
    if (ends) p->history[++p->done] = sqrtl(creall(dot(p->r, p->r)));
}

/* Saad 2003, algorithm 9.1 */
static void cg(problem *p)
{
    static number z[N], d[N], q[N];
    precondition(p, p->r, z), copy(z, d);
    for (number rho = dot(p->r, z), before; p->done < MOST;) {
        multiply(p, d, q);
        move(p, rho / dot(d, q), d, q, true);
        precondition(p, p->r, z);
        before = rho, rho = dot(p->r, z);
        for (int i = 0; i < N; ++i) d[i] = z[i] + rho / before * d[i];
    }
}

/* Saad 2003, algorithm 7.7 */
static void bicgstab(problem *p)
{
    static number r0[N], d[N], u[N], v[N], t[N];
    copy(p->r, r0), copy(p->r, d);
    for (number rho = dot(r0, p->r), before, alpha, omega; p->done < MOST;) {
        precondition(p, d, u), multiply(p, u, v);
        alpha = rho / dot(r0, v);
        move(p, alpha, u, v, false);
        precondition(p, p->r, u), multiply(p, u, t);
        omega = dot(t, p->r) / dot(t, t);
        move(p, omega, u, t, true);
        before = rho, rho = dot(r0, p->r);
        for (int i = 0; i < N; ++i) d[i] = p->r[i] + rho / before * alpha / omega * (d[i] - omega * v[i]);
    }
}

/* The smallest residual of each Krylov space by generalised conjugate residuals (Eisenstat, Elman, Schultz 1983): no
 * Hessenberg matrix, no rotation. */
static void gmres(problem *p)
{
    static number u[RESTART][N], q[RESTART][N];
    for (int j = 0; p->done < MOST; j = (j + 1) % RESTART) {
        precondition(p, p->r, u[j]), multiply(p, u[j], q[j]);
        for (int again = 0; again < 2; ++again)
            for (int i = 0; i < j; ++i) {
                const number a = dot(q[i], q[j]);
                add(-a, q[i], q[j]), add(-a, u[i], u[j]);
            }
        const number by = 1 / sqrtl(creall(dot(q[j], q[j])));
        for (int i = 0; i < N; ++i) q[j][i] *= by, u[j][i] *= by;
        move(p, dot(q[j], p->r), u[j], q[j], true);
    }
}

/* van Gijzen and Sonneveld 2011, figure 2 with the choice of omega of section 4.3: vector by vector, from the sums
 * themselves */
static void idr(problem *p)
{
    static number shadow[SHADOW][N], u[SHADOW][N], g[SHADOW][N], v[N], z[N];
    number m[SHADOW][SHADOW] = {{0}}, f[SHADOW], c[SHADOW], omega = 1;
    memset(u, 0, sizeof u), memset(g, 0, sizeof g);
    for (int i = 0; i < SHADOW; ++i) {
        m[i][i] = 1;
        for (uint64_t k = 0; k < N; ++k) {
            const uint64_t seed = 913 + (uint64_t)i;
            shadow[i][k] = p->e->is_complex
                               ? rw_random_uniform(seed, 2 * k) - 0.5 + (rw_random_uniform(seed, 2 * k + 1) - 0.5) * I
                               : rw_random_uniform(seed, k) - 0.5;
        }
    }
    while (p->done < MOST) {
        for (int i = 0; i < SHADOW; ++i) f[i] = dot(shadow[i], p->r);
        for (int k = 0; k < SHADOW; ++k) {
            copy(p->r, v);
            for (int i = k; i < SHADOW; ++i) {
                c[i] = f[i];
                for (int l = k; l < i; ++l) c[i] -= m[i][l] * c[l];
                c[i] /= m[i][i];
                add(-c[i], g[i], v);
            }
            precondition(p, v, z);
            for (int i = 0; i < N; ++i) z[i] *= omega;
            for (int i = k; i < SHADOW; ++i) add(c[i], u[i], z);
            copy(z, u[k]), multiply(p, z, g[k]);
            for (int i = 0; i < k; ++i) {
                const number alpha = dot(shadow[i], g[k]) / m[i][i];
                add(-alpha, g[i], g[k]), add(-alpha, u[i], u[k]);
            }
            for (int i = k; i < SHADOW; ++i) m[i][k] = dot(shadow[i], g[k]);
            const number beta = f[k] / m[k][k];
            move(p, beta, u[k], g[k], true);
            for (int i = k + 1; i < SHADOW; ++i) f[i] -= beta * m[i][k];
        }
        precondition(p, p->r, z), multiply(p, z, v);
        const number tr = dot(v, p->r);
        const long double tt = creall(dot(v, v)), cosine = cabsl(tr) / sqrtl(tt * creall(dot(p->r, p->r)));
        omega = tr / tt * (cosine < 0.7L ? 0.7L / cosine : 1);
        move(p, omega, z, v, true);
    }
}

static rw_status keep(void *user, int64_t iteration, double residual)
{
    assert_in_range(iteration, 0, MOST);
    ((double *)user)[iteration] = residual;
    return RW_OK;
}

static void compare(const char *what, problem *p, rw_krylov_spec spec, void (*reference)(problem *))
{
    const rw_dtype type = p->e->is_complex ? RW_C128 : RW_F64;
    rw_sparse *m = matrix_of("csr", type, p->e);
    rw_array *b = vector_of(type, N, 7), *x = vector_of(type, N, 8);
    const void *pb, *px;
    double history[MOST + 1] = {0};
    rw_krylov *k;
    rw_krylov_result result;
    OK(rw_array_read(b, &pb));
    OK(rw_array_read(x, &px));
    for (int i = 0; i < N; ++i)
        p->b[i] = rw_value_get(type, pb, i, 0) + rw_value_get(type, pb, i, 1) * I,
        p->x[i] = rw_value_get(type, px, i, 0) + rw_value_get(type, px, i, 1) * I;
    for (int64_t i = 0; i < p->e->n; ++i)
        if (p->e->row[i] == p->e->column[i])
            p->inverse[p->e->row[i]] =
                1 / (p->e->is_complex ? (number)(p->e->value[2 * i] + p->e->value[2 * i + 1] * I) : p->e->value[i]);
    multiply(p, p->x, p->r);
    for (int i = 0; i < N; ++i) p->r[i] = p->b[i] - p->r[i];
    p->done = 0, p->history[0] = sqrtl(creall(dot(p->r, p->r)));
    reference(p);
    spec.rtol = 1e-300, spec.iterations = MOST, spec.monitor = keep, spec.user = history;
    OK(rw_krylov_create(rw_sparse_operator(m), type, &spec, &k));
    FAILS(RW_ERR_NOT_CONVERGED, "iterations", rw_krylov_solve(k, b, x, &result));
    assert_int_equal(result.iterations, MOST);
    /* rounding, as often as there are iterations, made larger by scalars whose numbers cancel */
    for (int i = 0; i <= MOST; ++i) {
        const long double allowed = 1e-9L * p->history[i] + 1e-14L * p->history[0];
        if (!(fabsl(history[i] - p->history[i]) <= allowed))
            fail_msg("%s: |r| of iteration %d is %.15g, and %.15Lg in long double", what, i, history[i], p->history[i]);
    }
    long double error = 0, size = 0;
    OK(rw_array_read(x, &px));
    for (int i = 0; i < N; ++i) {
        const number d = rw_value_get(type, px, i, 0) + rw_value_get(type, px, i, 1) * I - p->x[i];
        error += creall(d * conjl(d)), size += creall(p->x[i] * conjl(p->x[i]));
    }
    if (!(sqrtl(error) <= 1e-10L * sqrtl(size))) fail_msg("%s: x differs by %.3Lg", what, sqrtl(error / size));
    rw_krylov_destroy(&k), rw_sparse_destroy(&m), rw_array_destroy(&b), rw_array_destroy(&x);
}

static const struct {
    rw_krylov_method method;
    rw_krylov_orthogonal orthogonal;
    int restart;
    void (*reference)(problem *);
} rows[] = {
    {RW_KRYLOV_CG, 0, 0, cg},
    {RW_KRYLOV_BICGSTAB, 0, 0, bicgstab},
    {RW_KRYLOV_GMRES, RW_KRYLOV_CLASSICAL, RESTART, gmres},
    {RW_KRYLOV_GMRES, RW_KRYLOV_MODIFIED, RESTART, gmres},
    {RW_KRYLOV_FGMRES, 0, RESTART, gmres},
    {RW_KRYLOV_IDR, 0, SHADOW, idr},
};

/* Real and complex, with and without Jacobi; on devices that compile slowly one of the two with each. */
static void every_method(bool all)
{
    problem *p = malloc(sizeof *p);
    for (int i = 0; i < RW_COUNT(rows); ++i)
        for (int z = 0; z < 2; ++z) {
            entries e = system_of(5, CELLS, 1, z, rows[i].method == RW_KRYLOV_CG);
            for (int jacobi = 0; jacobi < 2; ++jacobi) {
                char what[120];
                if (!all && (z || jacobi != i % 2)) continue;
                snprintf(what, sizeof what, "%s: %s%s, %s, jacobi %d", rw_device_info(dev)->name,
                         rw_krylov_method_name(rows[i].method), rows[i].orthogonal ? ", modified" : "",
                         z ? "complex" : "real", jacobi);
                p->e = &e, p->jacobi = jacobi;
                compare(what, p,
                        (rw_krylov_spec){.method = rows[i].method,
                                         .orthogonal = rows[i].orthogonal,
                                         .restart = rows[i].restart,
                                         .precond = {.method = jacobi ? RW_PRECOND_JACOBI : RW_PRECOND_NONE}},
                        rows[i].reference);
            }
            free_entries(&e);
        }
    free(p);
}

static void test_iterations(void **state)
{
    (void)state;
    every_method(!on("opencl"));
}

/* Conjugate gradients with one place of sums are only among these. */
static void test_iterations_for_gpus(void **state)
{
    (void)state;
    if (has_gpu_kernels() || on("opencl")) skip();
    begin_tiling("gpu");
    every_method(on("cpu"));
    end_tiling();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_iterations), cmocka_unit_test(test_iterations_for_gpus)};
    return run_on_devices("iterations", tests, RW_COUNT(tests));
}
