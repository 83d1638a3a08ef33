/* What the tests of multi-block matrices share: assembly in a layout by its text, entries, specifications from a
 * number. */
#ifndef RW_MULTIBLOCK_TEST_H
#define RW_MULTIBLOCK_TEST_H

#include <complex.h>
#include <math.h>
#include <unistd.h>

#include "../devices.h"
#include "../values.h"
#include "lab/windows.h"
#include "rechenwerk/krylov.h"
#include "sparse/sparse.h"

typedef struct entries {
    int64_t rows, columns, n;
    bool is_complex;
    int64_t *row, *column;
    double *value;
} entries;

static inline rw_sparse_layout layout_of(const char *text)
{
    rw_sparse_layout l;
    OK(rw_sparse_layout_parse(ctx, text, &l));
    return l;
}

static inline rw_sparse *assemble(const rw_multiblock_spec *spec, int64_t block, rw_multiblock_index index,
                                  const char *layout)
{
    const rw_sparse_layout l = layout_of(layout);
    rw_sparse *m;
    OK(rw_multiblock_assemble(dev, spec, block, index, &l, &m));
    return m;
}

static inline entries entries_of(rw_sparse *m)
{
    entries e = {.rows = matrix_size_of(m).rows,
                 .columns = matrix_size_of(m).columns,
                 .is_complex = rw_dtype_is_complex(rw_sparse_get_layout(m)->values)};
    OK(rw_sparse_entries(m, &e.n, &e.row, &e.column, &e.value));
    return e;
}

static inline void drop_entries(entries *e) { rw_sparse_free_entries(&e->row, &e->column, &e->value); }

/* A specification from a number: all stencils, modes, small odd sizes, one to three grid blocks along each axis. */
static inline rw_multiblock_spec spec_of(uint64_t seed)
{
    rw_multiblock_spec s = {.seed = seed,
                            .stencil = (rw_multiblock_stencil)(seed % RW_MULTIBLOCK_STENCILS),
                            .mode = (rw_multiblock_mode)(seed / 4 % RW_MULTIBLOCK_MODES),
                            .periodic = seed / 12 % 2,
                            .zeros = seed / 24 % 2,
                            .is_complex = seed % 5 == 0};
    for (int a = 0; a < 3; ++a) {
        s.cells[a] = 1 + (int64_t)(rw_random_u64(seed, (uint64_t)a) % 5),
        s.blocks[a] = 1 + (int64_t)(rw_random_u64(seed, 3 + (uint64_t)a) % 3);
        if (a == 2 && (s.stencil == RW_MULTIBLOCK_EULER2D || s.stencil == RW_MULTIBLOCK_NS2D))
            s.cells[a] = s.blocks[a] = 1;
    }
    if (s.is_complex) s.omega = 0.25 * (double)(seed % 7);
    return s;
}

static inline void print_spec(char text[200], const rw_multiblock_spec *s)
{
    snprintf(text, 200, "seed %llu: %s, %s, %lld x %lld x %lld blocks of %lld x %lld x %lld, periodic %d, zeros %d",
             (unsigned long long)s->seed, rw_multiblock_stencil_name(s->stencil), rw_multiblock_mode_name(s->mode),
             (long long)s->blocks[0], (long long)s->blocks[1], (long long)s->blocks[2], (long long)s->cells[0],
             (long long)s->cells[1], (long long)s->cells[2], s->periodic, s->zeros);
}

static inline bool once(void) { return on("cpu"); } /* what no device has a part in */

#endif
