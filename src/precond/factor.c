/* Incomplete factors in a given pattern whose values stay on the device: the host does the symbolic factorisation;
 * kernels (factor.k) gather the values of the matrix, eliminate, and store the factors where they are applied.
 *
 * Exactly, by level scheduling: one launch for each set of independent rows. Or by iterations, for all rows at once:
 * row i is eliminated with the rows before it as the last sweep left them,
 *
 *   u_kj <- d_k^-1 a_kj      then, N times, of all rows, from the values of the matrix
 *   a_ij - sum a_ik u_kj over k < min(i, j)
 *
 * the block form of Chow and Patel's sweeps with whole rows as unknowns. Rows of level l are exact after l sweeps,
 * since those they need were so before; a preconditioner needs fewer. Each sweep reads one copy of the factors and
 * writes the other, so results do not depend on which group comes first. Memory while it is made: the factors once more
 * (by iterations twice) in the precision of the arithmetic, and 12 or 24 bytes a block of indices.
 *
 * Source: Chow, Patel, Fine-grained parallel incomplete LU factorization, SIAM J. Sci. Comput. 37(2), 2015. */
#include <string.h>

#include "precond/precond.h"

typedef struct work {
    rw_program *program;
    rw_kernel *factor, *store;
    rw_array *first, *column, *diagonal, *order, *from, *to, *row; /* see factor.k; row: by levels */
    rw_array *now[2], *bad, *count;
    int bits, rows;                /* of an index; of a group */
    int end;                       /* which of `now` has the factors */
    rw_numbers matrix, applied[3]; /* what is read; where the lower part, the inverse and the upper part are written */
} work;

static void free_work(work *w)
{
    rw_array **const arrays[] = {&w->first, &w->column, &w->diagonal, &w->order, &w->from, &w->to,
                                 &w->row,   &w->now[0], &w->now[1],   &w->bad,   &w->count};
    for (int i = 0; i < RW_COUNT(arrays); ++i) rw_array_destroy(arrays[i]);
    rw_program_destroy(&w->program);
}

/* Block rows of a group: about 64 items, and at most 32 KiB of blocks. */
static int rows_of_group(int r, int bytes) { return RW_MAX(RW_MIN(64 / r, (1 << 15) / (2 * r * r * bytes)), 1); }

static rw_status build(const rw_precond *p, const rw_factors *f, rw_dtype number, work *w)
{
    const rw_numbers *from = &w->matrix, *to = &w->applied[0];
    w->rows = rows_of_group(f->a.r, (int)rw_dtype_size(number));
    RW_TRY(rw_program_create_with(
        p->device, "factor.k", rw_embedded_text("factor.k"), &w->program,
        "GROUP=%d ROWS=%d R=%d AT_ONCE=%d REAL=%s PARTS=%d INDEX=%s MODIFIED=%d FROM_REAL=%s FROM_SCALED=%d "
        "TO_REAL=%s TO_SCALED=%d",
        w->rows * f->a.r, w->rows, f->a.r, f->a.r > 5 ? 1 : 4, rw_dtype_real(number), f->a.parts == 2 ? 2 : 1,
        w->bits == 64 ? "i64" : "i32", f->modified, from->real, from->scale != NULL, to->real, to->scale != NULL));
    RW_TRY(rw_program_kernel(w->program, "factor", &w->factor));
    return rw_program_kernel(w->program, "store", &w->store);
}

/* ---- to the device ----------------------------------------------------------------------------------------------- */

static rw_status send(rw_device *dev, const work *w, const int64_t *values, int64_t n, rw_array **array)
{
    void *data;
    RW_TRY(rw_array_create(dev, w->bits == 64 ? RW_I64 : RW_I32, 1, &n, RW_MEMORY_DEVICE, array));
    RW_TRY(rw_array_write(*array, &data));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; ++i) rw_index_set(data, w->bits, i, values[i]);
    return RW_OK;
}

/* Where the matrix has each block of the factors, -1 where they have fill. */
static rw_status send_places(rw_device *dev, const work *w, const rw_factors *f, rw_array **array)
{
    void *data;
    const rw_host *a = &f->a;
    RW_TRY(rw_array_create(dev, w->bits == 64 ? RW_I64 : RW_I32, 1, &f->first[a->rows], RW_MEMORY_DEVICE, array));
    RW_TRY(rw_array_write(*array, &data));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < a->rows; ++i)
        for (int64_t e = f->first[i], k = a->first[i]; e < f->first[i + 1]; ++e) {
            const bool has = k < a->first[i + 1] && a->column[k] == f->column[e];
            rw_index_set(data, w->bits, e, has ? a->place[k] : -1);
            k += has;
        }
    return RW_OK;
}

static rw_status zeros(rw_device *dev, int64_t n, rw_array **array)
{
    RW_TRY(rw_array_create(dev, RW_I32, 1, &n, RW_MEMORY_DEVICE, array));
    return rw_array_zero(*array, dev->queue);
}

static rw_status prepare(rw_precond *p, rw_sparse *m, rw_factors *f, const int64_t *to, work *w)
{
    rw_device *dev = p->device;
    const int64_t n = f->a.rows, blocks = f->first[n], numbers = blocks * f->a.r * f->a.r;
    const rw_factored *factored = p->method;
    rw_sparse *const t[] = {factored->lower.t, factored->inverse, factored->upper.t};
    RW_TRY(rw_sparse_numbers(m, &w->matrix));
    double most = RW_MAX(w->matrix.stored, (double)blocks);
    for (int i = 0; i < 3; ++i) {
        RW_TRY(rw_sparse_numbers(t[i], &w->applied[i]));
        most = RW_MAX(most, w->applied[i].stored);
    }
    const bool twice = w->matrix.is_double || !rw_dtype_is_single(p->type);
    const rw_dtype number = f->a.parts == 2 ? twice ? RW_C128 : RW_C64 : twice ? RW_F64 : RW_F32;
    w->bits = most < INT32_MAX ? 32 : 64;
    RW_TRY(build(p, f, number, w));
    RW_TRY(send(dev, w, f->first, n + 1, &w->first));
    RW_TRY(send(dev, w, f->column, blocks, &w->column));
    RW_TRY(send(dev, w, f->diagonal, n, &w->diagonal));
    RW_TRY(send(dev, w, f->order, n, &w->order));
    RW_TRY(send_places(dev, w, f, &w->from));
    RW_TRY(send(dev, w, to, blocks, &w->to));
    for (int i = 0; i < (p->spec.iterations ? 2 : 1); ++i)
        RW_TRY(rw_array_create(dev, number, 1, &numbers, RW_MEMORY_DEVICE, &w->now[i]));
    RW_TRY(zeros(dev, n, &w->bad));
    return zeros(dev, 1, &w->count);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

typedef struct rows {
    int64_t begin, end;
    bool listed, eliminates, tells;
} rows;

static rw_status launch(const rw_precond *p, const rw_factors *f, const work *w, rows r, int old, int now)
{
    const rw_numbers *m = &w->matrix;
    const rw_arg a[] = {rw_arg_array(m->value),
                        rw_arg_array(m->scale ? m->scale : m->value),
                        rw_arg_int(m->sr),
                        rw_arg_int(m->sc),
                        rw_arg_array(w->from),
                        rw_arg_array(w->first),
                        rw_arg_array(w->diagonal),
                        rw_arg_array(w->column),
                        rw_arg_array(w->order),
                        rw_arg_array(r.listed ? w->row : w->first),
                        rw_arg_int(r.begin),
                        rw_arg_int(r.end),
                        rw_arg_int(r.listed),
                        rw_arg_int(r.eliminates),
                        rw_arg_int(r.tells),
                        rw_arg_real(f->scale),
                        rw_arg_real(f->scale_inverse),
                        rw_arg_array(w->now[old]),
                        rw_arg_array(w->now[now]),
                        rw_arg_array(w->bad),
                        rw_arg_array(w->count)};
    return rw_launch(p->device->queue, w->factor, (int64_t[3]){(r.end - r.begin + w->rows - 1) / w->rows, 1, 1}, a,
                     RW_COUNT(a));
}

static rw_status by_levels(const rw_precond *p, rw_factors *f, work *w)
{
    rw_levels *l = &f->side[0].levels;
    if (!l->row && !rw_levels_make(&f->side[0].t, false, l))
        return rw_fail_memory(f->ctx, (size_t)f->a.rows * 16, "the level schedule of a preconditioner");
    RW_TRY(send(p->device, w, l->row, f->a.rows, &w->row));
    for (int64_t k = 0; k < l->n; ++k) {
        RW_TRY(launch(p, f, w, (rows){l->at[k], l->at[k + 1], true, true, true}, 0, 0));
        if (k % 1024 == 1023) RW_TRY(rw_cancel_check(f->ctx, "setup of incomplete factors"));
    }
    return RW_OK;
}

static rw_status by_iterations(const rw_precond *p, const rw_factors *f, work *w)
{
    const int n = p->spec.iterations;
    RW_TRY(launch(p, f, w, (rows){0, f->a.rows, false, false, false}, 0, 0));
    for (int k = 0; k < n; ++k)
        RW_TRY(launch(p, f, w, (rows){0, f->a.rows, false, true, k == n - 1}, k % 2, (k + 1) % 2));
    w->end = n % 2;
    return RW_OK;
}

/* Part `side` of the factors to where it is applied. */
static rw_status store(const rw_precond *p, const rw_factors *f, const work *w, int side)
{
    const rw_numbers *t = &w->applied[side];
    const rw_arg a[] = {rw_arg_array(w->now[w->end]),
                        rw_arg_array(w->first),
                        rw_arg_array(w->diagonal),
                        rw_arg_array(w->order),
                        rw_arg_array(w->to),
                        rw_arg_int(f->a.rows),
                        rw_arg_int(side),
                        rw_arg_int(t->sr),
                        rw_arg_int(t->sc),
                        rw_arg_array(t->value),
                        rw_arg_array(t->scale ? t->scale : t->value)};
    return rw_launch(p->device->queue, w->store, (int64_t[3]){(f->a.rows + w->rows - 1) / w->rows, 1, 1}, a,
                     RW_COUNT(a));
}

/* The first row with a singular pivot, if any; usually only one value is read. */
static rw_status look(const work *w, int64_t n, int64_t *bad, bool *finite)
{
    const void *count, *each;
    *bad = -1;
    RW_TRY(rw_array_read(w->count, &count));
    if (*(const int32_t *)count == 0) return RW_OK;
    RW_TRY(rw_array_read(w->bad, &each));
    for (*bad = 0; *bad < n - 1 && !((const int32_t *)each)[*bad]; ++*bad) {}
    *finite = ((const int32_t *)each)[*bad] != 1;
    return RW_OK;
}

static rw_status compute(rw_precond *p, rw_sparse *m, rw_factors *f, const int64_t *to, work *w, int64_t *bad,
                         bool *finite)
{
    RW_TRY(prepare(p, m, f, to, w));
    if (!f->eliminates) RW_TRY(launch(p, f, w, (rows){0, f->a.rows, false, false, true}, 0, 0));
    else RW_TRY(p->spec.iterations ? by_iterations(p, f, w) : by_levels(p, f, w));
    for (int i = 0; i < 3; ++i) RW_TRY(store(p, f, w, i));
    return look(w, f->a.rows, bad, finite);
}

rw_status rw_factors_compute(rw_precond *p, rw_sparse *m, rw_factors *f, int64_t *bad, bool *finite)
{
    work w = {0};
    int64_t *to = rw_calloc((size_t)RW_MAX(f->first[f->a.rows], 1), sizeof *to);
    if (!to) return rw_fail_memory(f->ctx, (size_t)f->first[f->a.rows] * 8, "the positions of factor entries");
    rw_status status = rw_factors_begin_there(p, f, to);
    if (status == RW_OK) status = compute(p, m, f, to, &w, bad, finite);
    free_work(&w);
    rw_free(to);
    return status;
}
