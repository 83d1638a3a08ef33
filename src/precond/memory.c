/* Estimates of the memory of a preconditioner from the entries of its matrix: final device memory, and peak device and
 * host memory during setup.
 *
 * Without fill the pattern decides. Orderings, triangles and levels are computed as in the setup, and the formats
 * compute the sizes of their matrices, padding included, without creating them: the estimate of the device memory is
 * exact. Fill is counted in samples (memory_fill.c). For amg the first grid is aggregated as in the setup, and coarser
 * grids are extrapolated from a sample (memory_amg.c).
 *
 * Cost: the entries are sorted once and read a few times. Nothing is made on the device. Host memory: about twice that
 * of the entries. */
#include <omp.h>
#include <string.h>

#include "precond/memory.h"

/* ---- the matrix -------------------------------------------------------------------------------------------------- */

/* Which entries of a row are read: none that are 0, but for the diagonal's; zeros: all. */
static bool is_read(const rw_entries *e, const rw_sorted *s, int64_t i, int64_t k, bool zeros)
{
    const double *v = e->value + (e->is_complex ? 2 : 1) * s->entry[k];
    return zeros || s->column[k] == i || v[0] != 0 || (e->is_complex && v[1] != 0);
}

/* Entries sorted by rows, with a 0 on the diagonal where it is missing. *whole: none was left out. */
static rw_status read_entries(rw_context *ctx, const rw_entries *e, bool zeros, rw_host *h, bool *whole)
{
    int64_t added = 0;
    rw_sorted s = {0};
    *h = (rw_host){.rows = e->rows, .columns = e->columns, .r = 1, .parts = e->is_complex ? 2 : 1};
    RW_TRY(rw_entries_sort(ctx, e, &s));
    bool *has = rw_calloc((size_t)e->rows, sizeof *has);
    h->first = rw_calloc((size_t)e->rows + 1, sizeof *h->first);
    bool made = has && h->first;
    for (int64_t i = 0; made && i < e->rows; ++i) {
        h->first[i + 1] = h->first[i];
        for (int64_t k = s.first[i]; k < s.first[i + 1]; ++k) {
            has[i] |= s.column[k] == i;
            h->first[i + 1] += is_read(e, &s, i, k, zeros);
        }
        h->first[i + 1] += !has[i];
        added += !has[i];
    }
    made = made && rw_host_make(h);
    for (int64_t i = 0, at = 0; made && i < e->rows; ++i) {
        bool missing = !has[i];
        for (int64_t k = s.first[i]; k < s.first[i + 1] || missing; ++k) {
            if (missing && (k == s.first[i + 1] || s.column[k] > i)) {
                h->column[at++] = i;
                missing = false;
            }
            if (k == s.first[i + 1] || !is_read(e, &s, i, k, zeros)) continue;
            for (int p = 0; p < h->parts; ++p) h->value[h->parts * at + p] = e->value[h->parts * s.entry[k] + p];
            h->column[at++] = s.column[k];
        }
    }
    *whole = made && h->first[h->rows] == e->n + added;
    rw_free(has);
    rw_sorted_free(&s);
    if (made) return RW_OK;
    rw_host_free(h);
    return rw_forecast_no_memory(ctx, e->rows);
}

/* Host: entries of a matrix that is stored in other blocks, and those gathered; device: its copy in blocks. */
static rw_status take_copy(rw_forecast *f, const rw_host *h, const rw_host *b)
{
    const rw_sizes one = rw_sizes_of(f, h), z = rw_sizes_of(f, b ? b : h);
    const double n = (double)h->rows, entries = (double)h->first[h->rows],
                 found = rw_host_bytes(&one, n, entries, true);
    rw_take(&f->host, found);
    rw_pass(&f->host, 8 * n);
    if (b) {
        rw_forecast whole = *f;
        double bytes, gathered = b == h ? 0 : rw_host_bytes(&z, (double)b->rows, (double)b->first[b->rows], true);
        whole.p.spec = (rw_precond_spec){0};
        RW_TRY(rw_pattern_bytes(&whole, b, &bytes));
        rw_pass(&f->host, b == h ? 0 : gathered + 16 * (double)b->columns);
        rw_take(&f->host, gathered);
        rw_take(&f->device, bytes);
        rw_give(&f->host, gathered);
        f->plain = !f->threads;
    }
    rw_give(&f->host, found);
    return RW_OK;
}

/* Blocks as rw_precond_blocks finds them; *copy: bytes of the matrix's copy, which goes when all is made. */
static rw_status read_blocks(rw_forecast *f, const rw_sparse_layout *l, const rw_entries *e, rw_host *b, double *copy)
{
    rw_host h;
    rw_context *ctx = f->p.device->ctx;
    const rw_precond_spec *s = &f->p.spec;
    const int stored = l->format == RW_SPARSE_VBCSR || l->block_rows != l->block_columns ? 0 : RW_MAX(l->block_rows, 1);
    const bool finds = s->method == RW_PRECOND_AMG && (s->block == RW_PRECOND_BLOCK_AUTO || (!s->block && stored <= 1));
    const bool keeps = s->method != RW_PRECOND_AMG && s->method != RW_PRECOND_JACOBI &&
                       s->method != RW_PRECOND_CHEBYSHEV && rw_factors_stay_there(s, f->threads);
    bool whole;
    /* kernels that read the matrix as it is stored keep its zeros */
    RW_TRY(read_entries(ctx, e, keeps && (s->block <= 0 || s->block == stored), &h, &whole));
    if (stored == 1) f->plain &= whole;
    const int r = finds ? rw_unknowns_per_node(&h) : s->block > 0 ? s->block : RW_MAX(stored, 1);
    rw_status status = RW_OK;
    if (h.rows % r)
        status =
            rw_fail(ctx, RW_ERR_ARGUMENT, "preconditioner %s: block = %d does not divide the %lld rows of the matrix",
                    rw_precond_method_name(s->method), r, (long long)h.rows);
    *b = (rw_host){0};
    *copy = 0;
    if (status == RW_OK && r > 1) status = rw_host_gather(&h, r, b) ? RW_OK : rw_forecast_no_memory(ctx, h.rows);
    if (status == RW_OK && (r != stored || finds)) status = take_copy(f, &h, r == stored ? NULL : r == 1 ? &h : b);
    *copy = f->device.now;
    if (status == RW_OK && r == 1) {
        *b = h;
        return RW_OK;
    }
    rw_host_free(&h);
    if (status != RW_OK) rw_host_free(b);
    return status;
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

rw_sizes rw_sizes_of(const rw_forecast *f, const rw_host *h)
{
    const rw_sparse_layout l = rw_host_layout(h, rw_precond_store(&f->p.spec, f->threads));
    const double index = (double)h->first[h->rows] * h->r * h->r < INT32_MAX ? 4 : 8, area = (double)h->r * h->r;
    return (rw_sizes){area * (double)rw_sparse_value_size(&l) + index, index, f->p.spec.scaled ? 2. * h->r : 0,
                      (double)h->r * (double)rw_dtype_size(f->p.type), 8 * area * h->parts};
}

double rw_matrix_bytes(const rw_forecast *f, const rw_sizes *z, double rows, double blocks, double padding)
{
    return blocks * (f->threads ? padding : 1) * z->block + rows * ((f->threads ? z->index / 32 : z->index) + z->row);
}

rw_status rw_pattern_bytes(const rw_forecast *f, const rw_host *h, double *bytes)
{
    const rw_sparse_layout l = rw_host_layout(h, rw_precond_store(&f->p.spec, f->threads));
    return rw_sparse_bytes(f->p.device, &l, &(rw_sparse_blocks){h->rows, h->columns, h->first, h->column, NULL, NULL},
                           NULL, bytes);
}

double rw_host_bytes(const rw_sizes *z, double rows, double blocks, bool values)
{
    return 8 * (rows + 1) + blocks * (8 + (values ? z->values : 0));
}

void rw_take_matrix(rw_forecast *f, const rw_sizes *z, double rows, double bytes, bool there)
{
    rw_take(&f->device, bytes);
    if (f->threads) rw_take(&f->host, 4 * rows); /* lengths of rows */
    if (f->p.device->ops->discrete) rw_take(&f->host, bytes * (there ? z->index / z->block : 1));
}

rw_status rw_take_diagonal(rw_forecast *f, const rw_sizes *z, const rw_host *h, double rows)
{
    double bytes =
        rw_matrix_bytes(f, z, rows, f->threads ? 32 * (double)(int64_t)((rows + 31) / 32) : rows, 1) + z->index;
    const double host = rw_host_bytes(z, rows, rows, true);
    if (rows == (double)h->rows) {
        rw_host d = {.rows = h->rows, .columns = h->rows, .r = h->r, .parts = h->parts, .borrowed = true};
        const rw_status status =
            rw_host_diagonal(&d) ? rw_pattern_bytes(f, &d, &bytes) : rw_forecast_no_memory(f->p.device->ctx, d.rows);
        rw_host_free(&d);
        RW_TRY(status);
    }
    rw_take(&f->host, host);
    rw_take_matrix(f, z, rows, bytes, false);
    rw_give(&f->host, host);
    return RW_OK;
}

void rw_pass_eigenvalue(rw_forecast *f, const rw_sizes *z, double rows) { rw_pass(&f->device, 2 * rows * z->vector); }

/* The matrix as the host reads it. */
static double read_bytes(const rw_forecast *f, const rw_sizes *z, const rw_host *h)
{
    return rw_host_bytes(z, (double)h->rows, (double)h->first[h->rows], !f->plain);
}

/* ---- factors ----------------------------------------------------------------------------------------------------- */

/* Every row has a diagonal. */
static void find_diagonals(rw_factors *k)
{
    for (int64_t i = 0; i < k->a.rows; ++i)
        for (k->diagonal[i] = k->first[i]; k->column[k->diagonal[i]] != i;) ++k->diagonal[i];
}

typedef struct sides {
    double blocks[2], bytes[2], levels[2];
} sides;

/* Both triangles of the pattern, exactly. */
static rw_status find_exact_sides(rw_forecast *f, rw_factors *k, sides *t)
{
    for (int i = 0; i < 2; ++i) {
        rw_side side = {0};
        const rw_status status = rw_factors_side(k, i, false, &side.t)
                                     ? rw_triangle_bytes(&f->p, i, &side, k->order, &t->bytes[i])
                                     : rw_forecast_no_memory(k->ctx, k->a.rows);
        t->levels[i] = (double)side.levels.n;
        t->blocks[i] = side.t.first ? (double)side.t.first[k->a.rows] : 0;
        rw_side_free(&side);
        RW_TRY(status);
    }
    return RW_OK;
}

/* With fill by levels, whose slices cannot be known from a sample of rows. */
static rw_status find_filled_sides(rw_forecast *f, rw_factors *k, sides *t)
{
    rw_status status = rw_factors_fill(k, f->p.spec.level);
    if (status == RW_OK) {
        find_diagonals(k);
        status = find_exact_sides(f, k, t);
        rw_free(k->first);
        rw_free(k->column);
    }
    k->first = k->a.first;
    k->column = k->a.column;
    find_diagonals(k);
    return status;
}

/* Both triangles without fill, then what fill adds to them. */
static rw_status find_sides(rw_forecast *f, rw_factors *k, const rw_sizes *z, sides *t)
{
    const rw_precond_spec *s = &f->p.spec;
    const double n = (double)k->a.rows, order = 2 * n * z->index;
    double blocks[2], each[2];
    if (s->level > 0 && f->threads) return find_filled_sides(f, k, t);
    RW_TRY(find_exact_sides(f, k, t));
    each[0] = each[1] = z->block;
    bool found = true;
    if (s->method == RW_PRECOND_ILUT) RW_TRY(rw_count_ilut(f, &k->a, blocks, each, &found));
    else if (s->level > 0) RW_TRY(rw_count_fill(k->ctx, &k->a, s->level, blocks));
    else return RW_OK;
    for (int i = 0; found && i < 2; ++i) {
        if (s->method == RW_PRECOND_ILUT) t->bytes[i] = RW_MAX(blocks[i] * each[i], order);
        else t->bytes[i] += RW_MAX(blocks[i] - t->blocks[i], 0) * each[i];
        t->blocks[i] = blocks[i];
    }
    return RW_OK;
}

/* Bounds of ilut: no blocks off the diagonal, and `fill` more per row than the matrix has. */
static void find_bounds(rw_forecast *f, const rw_factors *k, const rw_sizes *z, double inverse, const sides *t)
{
    const double n = (double)k->a.rows, order = 2 * n * z->index;
    double most = 0;
    for (int64_t i = 0; i < k->a.rows; ++i) {
        const int64_t below = k->diagonal[i] - k->first[i], above = k->first[i + 1] - k->diagonal[i] - 1;
        most += (double)(RW_MIN(below + f->p.spec.fill, i) + RW_MIN(above + f->p.spec.fill, k->a.rows - 1 - i));
    }
    f->least = inverse + (f->threads ? 0 : 2 * order);
    f->most = RW_MAX(inverse + most * z->block + 2 * order, inverse + t->bytes[0] + t->bytes[1]);
    f->least = RW_MIN(f->least, inverse + t->bytes[0] + t->bytes[1]);
}

/* Host, after the matrix is in its order: triangles are made side by side, each with its levels. named: their rows have
 * other names on the device. */
static void take_sides(rw_forecast *f, const rw_sizes *z, const rw_factors *k, const sides *t, bool in_place,
                       bool named, double grown)
{
    const double n = (double)k->a.rows;
    double held = 0;
    for (int i = 0; i < 2; ++i) {
        const double side = rw_host_bytes(z, n, grown * t->blocks[i], !in_place),
                     levels = t->levels[i] > 0 ? 8 * n + 8 * t->levels[i] : 0;
        rw_take(&f->host, side);
        held += side;
        if (in_place) {
            rw_pass(&f->host, levels + 16 * n);
            rw_take(&f->host, levels + 8 * n);
            held += levels;
            rw_take_matrix(f, z, n, t->bytes[i], false);
            rw_take(&f->host, 8 * n);
            held += 8 * n;
        }
    }
    if (k->eliminates && omp_get_max_threads() > 1 && (!in_place || t->levels[0] == 0) &&
        f->p.spec.method != RW_PRECOND_ILUT) {
        rw_take(&f->host, 16 * n);
        held += 16 * n;
    }
    for (int i = 0; !in_place && i < 2; ++i) {
        const double copy = named ? rw_host_bytes(z, n, t->blocks[i], true) + 8 * n : 0,
                     levels = t->levels[i] > 0 ? 8 * n + 8 * t->levels[i] : 0;
        rw_take(&f->host, copy + levels + 8 * n);
        rw_pass(&f->host, 8 * n);
        rw_take_matrix(f, z, n, t->bytes[i], false);
        rw_give(&f->host, copy + levels);
    }
    rw_give(&f->host, held);
}

/* Numbers that stay on the device: the host has patterns and places, the device indices and the factors once or twice
 * more. */
static void take_there(rw_forecast *f, const rw_sizes *z, const rw_factors *k, const sides *t, bool named)
{
    const rw_precond_spec *s = &f->p.spec;
    const double n = (double)k->a.rows, blocks = n + t->blocks[0] + t->blocks[1];
    const double indices = z->index * (3 * blocks + (k->eliminates && !s->iterations ? 4 : 3) * n + 1),
                 numbers = blocks * k->a.r * k->a.r * k->a.parts * (f->twice ? 8 : 4) * (s->iterations ? 2 : 1);
    double held = 8 * blocks + 8 * n; /* places, the order back */
    rw_take(&f->host, held);
    for (int i = 0; i < 2; ++i) {
        const double side = 8 * n + 16 * t->blocks[i], levels = t->levels[i] > 0 ? 8 * n + 8 * t->levels[i] : 0;
        rw_take(&f->host, side + levels);
        held += side + levels;
        rw_take(&f->host, 8 * n); /* places of rows */
        rw_pass(&f->host, 8 * n + (named ? side + 8 * n : 0));
        rw_take_matrix(f, z, n, t->bytes[i], true);
    }
    rw_pass(&f->device, indices + numbers + 4 * n);
    if (f->p.device->ops->discrete) rw_pass(&f->host, indices);
    rw_give(&f->host, held);
}

/* The matrix in the order of elimination, into k->a. */
static rw_status put_in_order(rw_forecast *f, const rw_host *h, rw_factors *k)
{
    const size_t n = (size_t)h->rows;
    k->order = rw_calloc(n, sizeof *k->order);
    k->diagonal = rw_calloc(n, sizeof *k->diagonal);
    if (!k->order || !k->diagonal) return rw_forecast_no_memory(k->ctx, h->rows);
    for (int64_t i = 0; i < h->rows; ++i) k->order[i] = i;
    if (f->p.spec.order == RW_ORDER_COLOURS) {
        RW_TRY(rw_order_colours(k->ctx, h, k->order));
        RW_TRY(rw_host_permute(k->ctx, h, k->order, &k->a));
    } else {
        k->a = *h;
        k->a.borrowed = true;
    }
    k->first = k->a.first;
    k->column = k->a.column;
    find_diagonals(k);
    return RW_OK;
}

static rw_status forecast_ordered(rw_forecast *f, const rw_host *h, rw_factors *k)
{
    const rw_precond_spec *s = &f->p.spec;
    const rw_sizes z = rw_sizes_of(f, h);
    const bool there = rw_factors_stay_there(s, f->threads), coloured = s->order == RW_ORDER_COLOURS,
               ilut = s->method == RW_PRECOND_ILUT;
    const double n = (double)h->rows, entries = (double)h->first[h->rows], arrays = 16 * n + (there ? 0 : n * z.values);
    double held = there ? 8 * (n + 1) + 16 * entries : read_bytes(f, &z, h);
    sides t;
    RW_TRY(find_sides(f, k, &z, &t));
    const double blocks = n + t.blocks[0] + t.blocks[1];
    rw_take(&f->host, held);
    rw_take(&f->host, arrays);
    held += arrays;
    if (coloured) {
        const double copy = there ? 8 * (n + 1) + 16 * entries : rw_host_bytes(&z, n, entries, true);
        rw_take(&f->host, copy + 8 * n);
        rw_give(&f->host, held - arrays + 8 * n);
        held = copy + arrays;
    }
    if (s->level > 0) {
        rw_pass(&f->host, 21 * n + 13.5 * blocks);
        rw_take(&f->host, 8 * n + 9 * blocks);
        held += 8 * n + 9 * blocks; /* room for an eighth more, on average */
    }
    const bool in_place = !there && !ilut && !f->threads && !s->f32 && !s->scaled && !coloured;
    const double work = ilut ? 29 * n + n * z.values : 0;
    const double before = f->device.now;
    if (ilut)
        rw_pass(&f->host,
                work + rw_host_bytes(&z, 2 * n, 1.125 * (t.blocks[0] + t.blocks[1]), true)); /* as much room as above */
    if (!there) take_sides(f, &z, k, &t, in_place, coloured, ilut ? 1.125 : 1);
    RW_TRY(rw_take_diagonal(f, &z, h, n));
    if (there) take_there(f, &z, k, &t, coloured);
    rw_give(&f->host, held);
    if (ilut) find_bounds(f, k, &z, f->device.now - before - t.bytes[0] - t.bytes[1], &t);
    if (s->sweeps) rw_take(&f->device, 2 * n * z.vector);
    return RW_OK;
}

static rw_status forecast_factors(rw_forecast *f, const rw_host *h)
{
    rw_factors k = {.ctx = f->p.device->ctx,
                    .who = rw_precond_method_name(f->p.spec.method),
                    .eliminates = f->p.spec.method != RW_PRECOND_SSOR};
    rw_status status = put_in_order(f, h, &k);
    if (status == RW_OK) status = forecast_ordered(f, h, &k);
    rw_free(k.order);
    rw_free(k.diagonal);
    if (k.a.first != h->first) rw_host_free(&k.a);
    return status;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static rw_status forecast(rw_forecast *f, const rw_host *h)
{
    const rw_sizes z = rw_sizes_of(f, h);
    const double n = (double)h->rows;
    const double read = read_bytes(f, &z, h);
    switch (f->p.spec.method) {
    case RW_PRECOND_JACOBI:
    case RW_PRECOND_CHEBYSHEV:
        rw_take(&f->host, read);
        RW_TRY(rw_take_diagonal(f, &z, h, n));
        rw_give(&f->host, read);
        if (f->p.spec.method == RW_PRECOND_CHEBYSHEV) {
            rw_pass_eigenvalue(f, &z, n);
            rw_take(&f->device, 3 * n * z.vector);
        }
        return RW_OK;
    case RW_PRECOND_AMG: return rw_forecast_amg(f, h);
    default: return forecast_factors(f, h);
    }
}

static rw_status precond_estimate(rw_device *dev, const rw_precond_spec *spec, const rw_sparse_layout *layout,
                                  const rw_entries *entries, rw_dtype vectors, rw_precond_bytes *bytes)
{
    rw_sparse_layout resolved, *l = &resolved;
    RW_TRY(rw_sparse_layout_resolve(dev->ctx, layout, l));
    const bool threads = rw_device_has_threads(dev), rows = l->format == RW_SPARSE_CSR || l->format == RW_SPARSE_BCSR;
    rw_forecast f = {.p = {.device = dev, .spec = *spec, .type = vectors, .n = entries->rows}, .threads = threads};
    rw_host h;
    double copy;
    *bytes = (rw_precond_bytes){0};
    RW_TRY(rw_precond_resolve(dev->ctx, threads, &f.p.spec));
    f.twice = l->values == RW_F64 || l->values == RW_C128 || vectors == RW_F64 || vectors == RW_C128;
    f.plain =
        rows && !l->scaled && (l->values == RW_F64 || l->values == RW_C128) && (!l->columns || l->block_rows <= 1);
    if (entries->rows != entries->columns)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "a matrix of %lld x %lld: a preconditioner needs a square matrix",
                       (long long)entries->rows, (long long)entries->columns);
    if (spec->method == RW_PRECOND_NONE || entries->rows == 0) return RW_OK;
    RW_TRY(read_blocks(&f, l, entries, &h, &copy));
    const rw_status status = forecast(&f, &h);
    rw_give(&f.device, copy);
    rw_pass(&f.device, 2 * (double)entries->rows * (double)rw_dtype_size(vectors)); /* the first application */
    rw_host_free(&h);
    RW_TRY(status);
    const double now = f.device.now;
    *bytes = (rw_precond_bytes){(int64_t)now, (int64_t)(f.most > 0 ? f.least : now),
                                (int64_t)(f.most > 0 ? f.most : now), (int64_t)f.device.peak, (int64_t)f.host.peak};
    return RW_OK;
}

rw_status rw_precond_estimate_sized(rw_device *dev, const rw_precond_spec *spec, const rw_sparse_layout *layout,
                                    const rw_entries *entries, rw_dtype vectors, rw_precond_bytes *bytes,
                                    size_t bytes_size)
{
    RW_NEED(dev, "device");
    RW_NEED(spec, "spec");
    RW_NEED(layout, "layout");
    RW_NEED(entries, "entries");
    RW_NEED(bytes, "bytes");
    RW_CHECK_MEMBERS(dev->ctx, rw_entries, entries);
    RW_STRUCT_ROOM(rw_precond_bytes, bytes, bytes_size);
    return RW_STRUCT_OUT(precond_estimate(dev, spec, layout, entries, vectors, bytes_whole), bytes, bytes_size);
}
