/* The format for a matrix, by what a product must move:
 *
 *   moved = values with padding + the indices that a product reads + x + y         from the plan of the matrix itself
 *   cost  = moved / share                                                          bytes that a copy on the device
 *         would move in that time
 *
 * A product reads its matrix once and is bound by memory bandwidth on all current devices. The efficiency of its
 * kernels compared with a copy is one measured number per format and class of devices. x is counted once, although rows
 * with scattered columns read more of it: this is the same for all formats.
 *
 * Sources: S. Williams, A. Waterman, D. Patterson, Roofline, CACM 52, 2009; J. Choi, A. Singh, R. Vuduc, PPoPP 2010
 * (models for blocked formats). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/mtx.h"
#include "sparse/sparse.h"
#include "sparse/tuning.h"

/* ---- entries ----------------------------------------------------------------------------------------------------- */

rw_status rw_entries_read(rw_context *ctx, const char *path, rw_duplicates duplicates, rw_entries *e)
{
    RW_NEED(ctx, "context");
    RW_NEED(path, "path");
    RW_NEED(e, "entries");
    rw_mtx m;
    memset(e, 0, sizeof *e);
    if (duplicates != RW_DUPLICATES_REFUSE && duplicates != RW_DUPLICATES_SUM)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "duplicates = %d: it must be RW_DUPLICATES_REFUSE (0) or RW_DUPLICATES_SUM (1)",
                       (int)duplicates);
    RW_TRY(rw_mtx_read(ctx, path, duplicates == RW_DUPLICATES_SUM, &m));
    rw_status status = rw_mtx_thin(ctx, &m);
    if (status == RW_OK) *e = (rw_entries){m.rows, m.columns, m.n, m.is_complex, m.row, m.column, m.value};
    else rw_mtx_free(&m);
    return status;
}

void rw_entries_free(rw_entries *e)
{
    if (!e) return;
    rw_free(e->row);
    rw_free(e->column);
    rw_free(e->value);
    memset(e, 0, sizeof *e);
}

/* ---- prediction -------------------------------------------------------------------------------------------------- */

static void set_costs(const rw_device *dev, int n, rw_sparse_candidate *c)
{
    const double *share = dev ? rw_sparse_tuning_of[dev->target.class].share : NULL;
    for (int i = 0; i < n; ++i) c[i].cost = share ? c[i].moved / share[c[i].layout.format] : c[i].moved;
}

rw_status rw_sparse_predict(rw_device *dev, const rw_entries *e, rw_dtype vectors, int64_t n, rw_sparse_candidate *c)
{
    RW_NEED(dev, "device");
    RW_NEED(e, "entries");
    RW_NEED(c, "candidates");
    RW_CHECK_MEMBERS(dev->ctx, rw_entries, e);
    rw_sorted s = {0};
    for (int i = 0; i < n; ++i) c[i] = (rw_sparse_candidate){.layout = c[i].layout};
    rw_status status = rw_dtype_is_number(vectors)
                           ? rw_entries_sort(dev->ctx, e, &s)
                           : rw_fail(dev->ctx, RW_ERR_ARGUMENT, "vectors of %s: the type must be f32, f64, c64 or c128",
                                     rw_dtype_name(vectors));
    if (status == RW_OK) status = rw_sparse_foresee(dev->ctx, dev, e, &s, vectors, n, c);
    if (status == RW_OK) set_costs(dev, n, c);
    rw_sorted_free(&s);
    return status;
}

/* ---- candidates -------------------------------------------------------------------------------------------------- */

int64_t rw_count_blocks(const rw_sorted *r, int b, int64_t *last)
{
    int64_t all = 0;
    for (int64_t i = 0; i < (r->n + b - 1) / b; ++i)
        for (int64_t k = r->first[i * b]; k < r->first[RW_MIN((i + 1) * b, r->n)]; ++k) {
            const int64_t j = r->column[k] / b;
            all += last[j] != i + 1;
            last[j] = i + 1;
        }
    return all;
}

static void add(rw_sparse_candidate *c, int *n, rw_sparse_format format, int block, int sort, rw_dtype values)
{
    const bool slices = format == RW_SPARSE_SELL || format == RW_SPARSE_BSELL;
    c[(*n)++] = (rw_sparse_candidate){.layout = {.format = format,
                                                 .values = values,
                                                 .block_rows = block,
                                                 .block_columns = block,
                                                 .slice = slices ? 32 : 0,
                                                 .sort = sort}};
}

/* Simple ones first. */
int rw_sparse_candidates(const rw_entries *e, const int64_t *blocks, double most_fill, rw_dtype values,
                         rw_sparse_candidate *c)
{
    static const rw_sparse_format scalar[] = {RW_SPARSE_CSR, RW_SPARSE_COO, RW_SPARSE_DIA, RW_SPARSE_ELL,
                                              RW_SPARSE_SELL},
                                  blocked[] = {RW_SPARSE_BCSR, RW_SPARSE_BELL, RW_SPARSE_BSELL};
    int n = 0;
    for (int i = 0; i < RW_COUNT(scalar); ++i) add(c, &n, scalar[i], 1, 0, values);
    add(c, &n, RW_SPARSE_SELL, 1, 1024, values);
    for (int b = 2; b <= RW_PATTERN_BLOCKS; ++b) {
        if (e->rows % b || e->columns % b || (double)blocks[b] * b * b > most_fill * (double)RW_MAX(e->n, 1)) continue;
        for (int i = 0; i < RW_COUNT(blocked); ++i) add(c, &n, blocked[i], b, 0, values);
    }
    add(c, &n, RW_SPARSE_VBCSR, 1, 0, values);
    return n;
}

int rw_sparse_least(const rw_sparse_candidate *c, int n)
{
    int best = 0;
    for (int i = 1; i < n; ++i)
        if (!c[i].refused && c[i].cost < 0.98 * c[best].cost) best = i;
    return best;
}

/* ---- the choice -------------------------------------------------------------------------------------------------- */

static void explain(const rw_entries *e, rw_sparse_choice *choice)
{
    const rw_sparse_candidate *best = choice->candidate + choice->best, *csr = choice->candidate;
    char *text = choice->reason;
    const size_t size = sizeof choice->reason;
    if (best == csr)
        snprintf(text, size, "%.4g bytes per product; none of %lld other formats is predicted to be 2 %% cheaper",
                 best->moved, (long long)choice->n - 1);
    else
        snprintf(
            text, size,
            "%.4g bytes per product, %.3g times those of csr, with %.3g stored values per entry; predicted time: %.3g "
            "of that of csr",
            best->moved, best->moved / csr->moved, e->n ? best->fill : 1, best->cost / csr->cost);
}

static rw_status choose(rw_device *dev, const rw_entries *e, const rw_sorted *s, rw_dtype values, rw_dtype vectors,
                        rw_sparse_choice *choice)
{
    int64_t blocks[RW_PATTERN_BLOCKS + 1], *last = rw_calloc((size_t)e->columns + 1, sizeof *last);
    if (!last) return rw_fail_memory(dev->ctx, (size_t)e->columns * 8, "the blocks of a matrix");
    for (int b = 2; b <= RW_PATTERN_BLOCKS; ++b) {
        memset(last, 0, ((size_t)e->columns + 1) * sizeof *last);
        blocks[b] = e->rows % b || e->columns % b ? 0 : rw_count_blocks(s, b, last);
    }
    rw_free(last);
    choice->n = rw_sparse_candidates(e, blocks, 2, values, choice->candidate);
    RW_TRY(rw_sparse_foresee(dev->ctx, dev, e, s, vectors, choice->n, choice->candidate));
    set_costs(dev, choice->n, choice->candidate);
    choice->best = rw_sparse_least(choice->candidate, choice->n);
    explain(e, choice);
    return RW_OK;
}

static rw_dtype complex_of(rw_dtype type) { return type == RW_F32 ? RW_C64 : type == RW_F64 ? RW_C128 : type; }

static rw_status sparse_choose(rw_device *dev, const rw_entries *e, rw_dtype values, rw_dtype vectors,
                               rw_sparse_choice *choice)
{
    rw_sorted s = {0};
    memset(choice, 0, sizeof *choice);
    if (!rw_dtype_is_number(values) || !rw_dtype_is_number(vectors))
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT,
                       "values of %s and vectors of %s: both types must be f32, f64, c64 or c128",
                       rw_dtype_name(values), rw_dtype_name(vectors));
    if (e->is_complex) values = complex_of(values);
    if (rw_dtype_is_complex(values)) vectors = complex_of(vectors);
    rw_status status = rw_entries_sort(dev->ctx, e, &s);
    if (status == RW_OK) status = choose(dev, e, &s, values, vectors, choice);
    rw_sorted_free(&s);
    return status;
}

rw_status rw_sparse_choose_sized(rw_device *dev, const rw_entries *e, rw_dtype values, rw_dtype vectors,
                                 rw_sparse_choice *choice, size_t choice_size)
{
    RW_NEED(dev, "device");
    RW_NEED(e, "entries");
    RW_NEED(choice, "choice");
    RW_CHECK_MEMBERS(dev->ctx, rw_entries, e);
    RW_STRUCT_ROOM(rw_sparse_choice, choice, choice_size);
    return RW_STRUCT_OUT(sparse_choose(dev, e, values, vectors, choice_whole), choice, choice_size);
}
