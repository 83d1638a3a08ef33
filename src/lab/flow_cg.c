/* Conjugate gradients of the study flow: one loop, whose products and vectors are a device's or the host's.
 *
 *   r <- b - A x, p <- r
 *   q <- A p, gamma = (r . r) / (p . q), x <- x + gamma p, r <- r - gamma q
 *   end with |r| < tolerance |r0|
 *   beta = (r . r) / (r . r before), p <- r + beta p
 *
 * The host reads two scalars in an iteration, as in the document: p . q and r . r, which also is the norm. */
#include "lab/flow_cg.h"

#include <math.h>

const char *const rw_flow_version_names[RW_FLOW_VERSIONS] = {"GPU_1", "GPU_2", "CPU_"};

enum { X = RW_FLOW_X, B, R, P, Q };

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

rw_status rw_flow_system_create(rw_context *ctx, bool f64, int64_t nx, int64_t ny, double middle, double side,
                                rw_flow_system *s)
{
    const size_t bytes = 5 * (size_t)(nx * ny) * rw_dtype_size(rw_flow_dtype(f64));
    *s = (rw_flow_system){.f64 = f64, .nx = nx, .ny = ny, .n = nx * ny, .middle = middle, .side = side};
    s->data = rw_calloc(bytes, 1);
    if (!s->data) return rw_fail_memory(ctx, bytes, "a matrix");
    rw_flow_fill(f64, nx, ny, middle, side, s->n, s->data, s->offset);
    return RW_OK;
}

void rw_flow_system_free(rw_flow_system *s)
{
    rw_free(s->data);
    s->data = NULL;
}

/* ---- products and vectors of a version --------------------------------------------------------------------------- */

static rw_status multiply(const rw_flow_cg *c, int from, int to)
{
    if (c->kernels) return rw_flow_multiply(c->kernels, c->product, &c->matrix, c->vector[from], c->vector[to]);
    rw_flow_cpu_multiply(c->system, c->host[from], c->host[to]);
    return RW_OK;
}

static rw_status dot(const rw_flow_cg *c, int a, int b, double *value)
{
    const int64_t n = c->system->n;
    if (c->kernels)
        return rw_flow_dot_value(c->kernels, a == b ? RW_FLOW_NORM : c->dot, c->vector[a], c->vector[b], n, value);
    *value = rw_flow_cpu_dot(c->system->f64, n, c->host[a], c->host[b]);
    return RW_OK;
}

static rw_status saxpy(const rw_flow_cg *c, double a, int from, int to)
{
    if (c->kernels) return rw_flow_saxpy(c->kernels, a, c->vector[from], c->vector[to], c->system->n);
    rw_flow_cpu_saxpy(c->system->f64, c->system->n, a, c->host[from], c->host[to]);
    return RW_OK;
}

static rw_status direction(const rw_flow_cg *c, double beta)
{
    if (c->kernels) return rw_flow_direction(c->kernels, beta, c->vector[R], c->vector[P], c->system->n);
    rw_flow_cpu_direction(c->system->f64, c->system->n, beta, c->host[R], c->host[P]);
    return RW_OK;
}

static rw_status residual(const rw_flow_cg *c)
{
    if (c->kernels)
        return rw_flow_residual(c->kernels, c->vector[B], c->vector[Q], c->vector[R], c->vector[P], c->system->n);
    rw_flow_cpu_residual(c->system->f64, c->system->n, c->host[B], c->host[Q], c->host[R], c->host[P]);
    return RW_OK;
}

/* ---- the iteration ----------------------------------------------------------------------------------------------- */

static rw_status iterate(const rw_flow_cg *c, rw_flow_stop stop, rw_flow_outcome *o)
{
    double rr, pq, before;
    RW_TRY(multiply(c, X, Q));
    RW_TRY(residual(c));
    RW_TRY(dot(c, R, R, &rr));
    o->first = o->last = sqrt(rr);
    o->converged = rr == 0;
    while (rr > 0 && isfinite(rr) && !o->converged && o->iterations < stop.most) {
        RW_TRY(multiply(c, P, Q));
        RW_TRY(dot(c, P, Q, &pq));
        if (!(pq > 0)) break;
        const double gamma = rr / pq;
        RW_TRY(saxpy(c, gamma, P, X));
        RW_TRY(saxpy(c, -gamma, Q, R));
        before = rr;
        RW_TRY(dot(c, R, R, &rr));
        ++o->iterations;
        o->last = sqrt(rr);
        o->converged = o->last < stop.tolerance * o->first;
        if (!o->converged) RW_TRY(direction(c, rr / before));
    }
    return RW_OK;
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

/* An array with the host's values, sent. */
static rw_status load(const rw_flow_cg *c, rw_dtype type, int64_t n, const void *data, rw_array **array,
                      rw_flow_traffic *t)
{
    RW_TRY(rw_array_create_from(c->kernels->device, type, 1, &n, (void *)(uintptr_t)data, RW_BORROW, array));
    ++t->sends;
    t->sent += (double)n * (double)rw_dtype_size(type);
    return rw_array_send(*array, rw_device_queue(c->kernels->device));
}

static rw_status load_matrix(rw_flow_cg *c, rw_flow_traffic *t)
{
    const rw_flow_system *s = c->system;
    c->matrix = (rw_flow_matrix){.rows = s->n,
                                 .columns = s->n,
                                 .stride = s->n,
                                 .diagonals = 5,
                                 .nx = s->nx,
                                 .ny = s->ny,
                                 .middle = s->middle,
                                 .side = s->side};
    RW_TRY(load(c, rw_flow_dtype(s->f64), 5 * s->n, s->data, &c->matrix.data, t));
    return load(c, RW_I32, 5, s->offset, &c->matrix.offset, t);
}

static rw_status solve_with_copies(rw_flow_cg *c, const void *b, void *x, rw_flow_stop stop, rw_flow_outcome *o)
{
    const rw_dtype type = rw_flow_dtype(c->system->f64);
    const int64_t n = c->system->n;
    const void *there;
    RW_TRY(load_matrix(c, &o->traffic));
    RW_TRY(load(c, type, n, b, &c->vector[B], &o->traffic));
    RW_TRY(load(c, type, n, x, &c->vector[X], &o->traffic));
    RW_TRY(iterate(c, stop, o));
    ++o->traffic.fetches;
    o->traffic.fetched += (double)n * (double)rw_dtype_size(type);
    return rw_array_read(c->vector[X], &there);
}

static void unload(rw_flow_cg *c)
{
    rw_flow_matrix_free(&c->matrix);
    rw_array_destroy(&c->vector[B]);
    rw_array_destroy(&c->vector[X]);
}

/* ---- create, solve, free ----------------------------------------------------------------------------------------- */

static rw_status make_vectors(rw_context *ctx, rw_flow_cg *c)
{
    const rw_flow_system *s = c->system;
    const size_t bytes = (size_t)s->n * rw_dtype_size(rw_flow_dtype(s->f64));
    rw_flow_traffic once = {0};
    if (c->version == RW_FLOW_GPU_2) RW_TRY(load_matrix(c, &once));
    for (int v = c->version == RW_FLOW_GPU_2 ? X : R; v < RW_FLOW_VECTORS; ++v) {
        if (c->kernels)
            RW_TRY(
                rw_array_create(c->kernels->device, rw_flow_dtype(s->f64), 1, &s->n, RW_MEMORY_DEVICE, &c->vector[v]));
        else if (!(c->host[v] = rw_calloc(bytes, 1))) return rw_fail_memory(ctx, bytes, "a vector");
    }
    return c->kernels ? rw_queue_wait(rw_device_queue(c->kernels->device)) : RW_OK;
}

rw_status rw_flow_cg_create(rw_context *ctx, rw_flow_version version, const rw_flow_system *system,
                            rw_flow_kernels *kernels, rw_flow_cg *c)
{
    *c = (rw_flow_cg){.version = version,
                      .system = system,
                      .kernels = version == RW_FLOW_CPU ? NULL : kernels,
                      .dot = RW_FLOW_D5,
                      .product = RW_FLOW_S3};
    const rw_status status = make_vectors(ctx, c);
    if (status != RW_OK) rw_flow_cg_free(c);
    return status;
}

void rw_flow_cg_free(rw_flow_cg *c)
{
    unload(c);
    for (int v = 0; v < RW_FLOW_VECTORS; ++v) rw_array_destroy(&c->vector[v]);
    for (int v = R; v < RW_FLOW_VECTORS; ++v) {
        rw_free(c->host[v]);
        c->host[v] = NULL;
    }
}

rw_status rw_flow_cg_solve(rw_flow_cg *c, const void *b, void *x, rw_flow_stop stop, rw_flow_outcome *o)
{
    rw_status status;
    *o = (rw_flow_outcome){0};
    if (c->version == RW_FLOW_CPU) {
        c->host[B] = (void *)(uintptr_t)b;
        c->host[X] = x;
        return iterate(c, stop, o);
    }
    const int64_t scalars = c->kernels->traffic.scalars;
    if (c->version == RW_FLOW_GPU_1) {
        status = solve_with_copies(c, b, x, stop, o);
        unload(c);
    } else status = iterate(c, stop, o);
    o->traffic.scalars = c->kernels->traffic.scalars - scalars;
    return status;
}
