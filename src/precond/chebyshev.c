/* Chebyshev polynomials in D^-1 A (Saad 2003, algorithm 12.1, with diagonal blocks): as a preconditioner for
 * eigenvalues from 1/30 of the largest to the largest, and as the smoother of multigrid. Eigenvalues must be positive;
 * the largest is estimated by the power method for D^-1 A. */
#include <math.h>

#include "device/ranks.h"
#include "precond/precond.h"

enum { POWERS = 12, SEED = 12 };

static rw_status random_vector(rw_device *dev, rw_dtype type, int64_t n, rw_array **v)
{
    void *data;
    RW_TRY(rw_array_create(dev, type, 1, &n, RW_MEMORY_DEVICE, v));
    RW_TRY(rw_array_write(*v, &data));
    for (int64_t i = 0; i < n * (1 + rw_dtype_is_complex(type)); ++i) {
        const double u = rw_random_uniform(SEED, (uint64_t)i) - 0.5;
        if (type == RW_F32 || type == RW_C64) ((float *)data)[i] = (float)u;
        else ((double *)data)[i] = u;
    }
    return RW_OK;
}

/* |v| from the sums of a product. */
static rw_status length_of(rw_array *part, int64_t n, rw_queue *q, double *length)
{
    const void *data;
    double sum = 0;
    RW_TRY(rw_ranks_combine(q, RW_RANK_SUM, part, 2 * n, n));
    RW_TRY(rw_array_read(part, &data));
    for (int64_t i = 0; i < n; ++i) sum += ((const double *)data)[2 * n + i];
    *length = sqrt(sum);
    return RW_OK;
}

static rw_status powers(rw_operator *a, rw_operator *inverse, rw_array *v, rw_array *t, rw_array *part, rw_queue *q,
                        double *most)
{
    const int64_t groups = rw_operator_groups(inverse);
    double length = 0;
    for (int k = 0; k <= POWERS; ++k) {
        const double scale = k && length > 0 ? 1 / length : 1; /* of the first vector's length nothing is known */
        RW_TRY(rw_operator_apply(a, scale, v, 0, 0, t, t, q));
        RW_TRY(
            rw_operator_run(inverse,
                            &(rw_product){.x = t, .z = v, .y = v, .w = v, .part = part, .vectors = 1, .alpha = {1, 0}},
                            q));
        RW_TRY(length_of(part, groups, q, &length));
    }
    *most = length;
    return RW_OK;
}

/* Estimate of the largest eigenvalue of D^-1 A by the power method. */
static rw_status largest_eigenvalue(rw_operator *a, rw_sparse *inverse, rw_dtype vectors, double *most)
{
    rw_array *v = NULL, *t = NULL, *part = NULL;
    rw_operator *const d = rw_sparse_operator(inverse);
    const int64_t n = a->info.rows, sums = 3 * RW_MAX(rw_operator_groups(d), 1);
    rw_status status = random_vector(a->device, vectors, n, &v);
    if (status == RW_OK) status = rw_array_create(a->device, vectors, 1, &n, RW_MEMORY_DEVICE, &t);
    if (status == RW_OK) status = rw_array_create(a->device, RW_F64, 1, &sums, RW_MEMORY_DEVICE, &part);
    if (status == RW_OK) status = powers(a, d, v, t, part, a->device->queue, most);
    rw_array_destroy(&v);
    rw_array_destroy(&t);
    rw_array_destroy(&part);
    if (status == RW_OK && !(isfinite(*most) && *most > 0))
        status = rw_fail(
            a->device->ctx, RW_ERR_INPUT,
            "the estimate of the largest eigenvalue for a preconditioner is %g: the matrix is zero or has entries "
            "that are not finite",
            *most);
    return status;
}

rw_status rw_chebyshev_run(const rw_precond *p, const rw_smoother *s, rw_array *b, rw_array *y, bool zero, rw_queue *q)
{
    rw_operator *const a = s->a, *const inverse = rw_sparse_operator(s->inverse);
    rw_array *const t = s->work[0], *const d = s->work[1];
    const double least = s->least, most = s->most;
    const double middle = (most + least) / 2, half = (most - least) / 2, sigma = middle / half;
    double rho = 1 / sigma;
    if (!zero) RW_TRY(rw_operator_apply(a, -1, y, 0, 1, b, t, q));
    RW_TRY(rw_operator_apply(inverse, 1 / middle, zero ? b : t, 0, 0, d, d, q));
    for (int k = 1;; ++k) {
        RW_TRY(rw_precond_add(p, d, 0, y, zero && k == 1, q));
        if (k >= s->degree) return RW_OK;
        const double next = 1 / (2 * sigma - rho);
        RW_TRY(rw_operator_apply(a, -1, y, 0, 1, b, t, q));
        RW_TRY(rw_operator_apply(inverse, 2 * next / half, t, 0, next * rho, d, d, q));
        rho = next;
    }
}

void rw_smoother_free(rw_smoother *s)
{
    rw_sparse_destroy(&s->inverse);
    rw_array_destroy(&s->work[0]);
    rw_array_destroy(&s->work[1]);
}

rw_status rw_smoother_create(rw_precond *p, rw_operator *a, const rw_host *host, const char *who, double ratio,
                             rw_smoother *s)
{
    s->a = a;
    s->degree = p->spec.degree;
    RW_TRY(rw_diagonal_inverse(a, host, who, &p->spec, &s->inverse));
    RW_TRY(largest_eigenvalue(a, s->inverse, p->type, &s->most));
    s->most *= 1.1;
    s->least = s->most / ratio; /* the powers come from below */
    for (int i = 0; i < 2; ++i)
        RW_TRY(rw_array_create(p->device, p->type, 1, &a->info.rows, RW_MEMORY_DEVICE, &s->work[i]));
    p->info.bytes += rw_sparse_size_of(s->inverse).bytes;
    return RW_OK;
}

typedef struct chebyshev {
    rw_smoother smoother;
    rw_array *x; /* of an x that begins within an array */
} chebyshev;

static rw_status create(rw_precond *p, rw_operator *a)
{
    chebyshev *c = p->method = rw_calloc(1, sizeof *c);
    if (!c) return rw_fail_memory(p->device->ctx, sizeof *c, "a preconditioner");
    RW_TRY(rw_smoother_create(p, a, NULL, "chebyshev", 30, &c->smoother));
    p->info.blocks = rw_sparse_size_of(c->smoother.inverse).blocks;
    return rw_array_create(p->device, p->type, 1, &p->n, RW_MEMORY_DEVICE, &c->x);
}

static rw_status apply(rw_precond *p, rw_array *x, int64_t from, rw_array *y, rw_queue *q)
{
    chebyshev *c = p->method;
    if (from) RW_TRY(rw_precond_add(p, x, from, c->x, true, q));
    return rw_chebyshev_run(p, &c->smoother, from ? c->x : x, y, true, q);
}

static void use(rw_precond *p, rw_operator *a) { ((chebyshev *)p->method)->smoother.a = a; }

static void free_method(rw_precond *p)
{
    chebyshev *c = p->method;
    rw_smoother_free(&c->smoother);
    rw_array_destroy(&c->x);
}

const rw_precond_ops rw_precond_chebyshev = {.create = create, .use = use, .apply = apply, .free = free_method};
