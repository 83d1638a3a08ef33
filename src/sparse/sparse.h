/* For the files of this folder: a matrix, and the table that a format fills in.
 *
 * Every format is a set of dense blocks on the host's side: `block` says where the k-th block of block row i begins, which scalar row and
 * column that is, and how far its entries lie apart. Conversions, assembly, files and the index for transposes know formats by that alone; only
 * a format's kernel knows more. */
#ifndef RW_SPARSE_H
#define RW_SPARSE_H

#include <math.h>

#include "device/device.h"
#include "rechenwerk/sparse.h"

/* A block: scalar row and column of its first entry, sizes; entry (r, c) at at + sr r + sc c of the values. */
typedef struct rw_sparse_block {
    int64_t row, column;
    int nr, nc;
    int64_t at, sr, sc;
} rw_sparse_block;

/* Host pointers to a matrix, current. */
typedef struct rw_view {
    const rw_sparse *m;
    char *value;
    uint16_t *scale; /* of scalar rows, bfloat16; NULL: values are as they are */
    const void *first, *column, *row;
    const int32_t *shift;
} rw_view;

struct rw_product; /* multiply.h */
struct rw_product_program;

typedef struct rw_sparse_ops {
    /* Sets places, nfirst, ncolumn, nrow (numbers of values and indices; the caller checks that they can be counted) and what the format itself needs
     * to know. The device may be NULL: only its sizes are asked for. */
    rw_status (*plan)(rw_sparse *m, rw_context *ctx, const rw_sparse_blocks *b);
    /* Writes the indices; the arrays are there, with zeros. */
    void (*fill)(rw_sparse *m, const rw_sparse_blocks *b, void *first, void *column, void *row, int32_t *shift);
    /* Blocks of block row i, and its block k, columns ascending. */
    int64_t (*count)(const rw_view *v, int64_t i);
    rw_sparse_block (*block)(const rw_view *v, int64_t i, int64_t k);
    const char *kernel, *more; /* its text, "rows.k"; (optional) a second kernel beside `multiply` */
    /* Definitions for the device and a kind of product, "NAME=VALUE NAME=VALUE". */
    void (*define)(const rw_sparse *m, const struct rw_product_program *p, rw_text *definitions);
    int64_t (*groups)(const rw_sparse *m); /* that leave a sum each where the product of one vector comes with sums */
    rw_status (*launch)(rw_sparse *m, const struct rw_product *p, rw_queue *q);
} rw_sparse_ops;

enum { RW_SPARSE_MOST_PARTS = 8 };

struct rw_sparse {
    rw_device *device;
    rw_sparse_layout layout; /* index_bits resolved */
    const rw_sparse_ops *ops;
    int64_t block_rows, block_columns, rows, columns;
    int64_t blocks;          /* of the pattern */
    double places, nfirst, ncolumn, nrow, nshift; /* values, indices: whole numbers below 2^53 once the matrix is made */
    rw_array *value, *first, *column, *row; /* row: NULL where nrow == 0 */
    rw_array *scale;         /* of scaled values, bfloat16, one a scalar row; else NULL */
    rw_array *shift;         /* slices: shift and rows of each position, see slices.k; NULL: none */
    /* on the host only */
    int32_t *length;         /* slices: blocks of each block row */
    int64_t *position;       /* of slices that are sorted, of rows in a given order: place of each block row; else NULL */
    bool threads;            /* kernels for threads of a GPU, not for a processor's lanes */
    bool ordered;            /* the places were given */
    bool shifted;            /* slices: most have shifts */
    int uniform;             /* slices: positions that each has; 0: different numbers */
    int64_t height;          /* slices: block rows of a slice */
    int64_t longest;         /* blocks of the longest row */
    int parts;               /* rows: of columns, of `part_columns` block columns each; 1 but on GPUs where entries lie anywhere */
    int64_t part_columns;
    int64_t piece[2 * RW_SPARSE_MOST_PARTS + 1]; /* rows: pieces of work, one a group: where those of a part begin, and those of them that are one long row */
    int64_t *row_first, *column_first; /* VBCSR: scalar row of each block row, and beyond the last */
    /* for products with transposes: by block column, where its blocks are (rw_sparse_block) */
    rw_array *t_first, *t_row, *t_at;
    int64_t t_sr, t_sc;      /* strides in a block */
    struct rw_product_program *programs; /* see multiply.h */
    int zeroed;                          /* COO: vectors for which rows without entries are 0 in scratch */
    rw_array *scratch, *tails;           /* sums of sections and of chunks, and those that go beyond a chunk; free.c: a vector of rows, one of columns */
    rw_sparse_free map;                  /* free.c */
};

static inline bool rw_sparse_is_free(const rw_sparse *m) { return m->layout.format == RW_SPARSE_FREE; }

extern const rw_sparse_ops rw_sparse_coordinates, rw_sparse_rows, rw_sparse_variable, rw_sparse_diagonals, rw_sparse_slices;

static inline int64_t rw_index_get(const void *p, int bits, int64_t k) { return bits == 64 ? ((const int64_t *)p)[k] : ((const int32_t *)p)[k]; }
static inline void rw_index_set(void *p, int bits, int64_t k, int64_t value)
{
    if (bits == 64) ((int64_t *)p)[k] = value;
    else ((int32_t *)p)[k] = (int32_t)value;
}
static inline double rw_value_get(rw_dtype type, const void *p, int64_t k, int part)
{
    switch (type) {
    case RW_F32: return part ? 0 : ((const float *)p)[k];
    case RW_F64: return part ? 0 : ((const double *)p)[k];
    case RW_C64: return ((const float *)p)[2 * k + part];
    default: return ((const double *)p)[2 * k + part];
    }
}
static inline void rw_value_add(rw_dtype type, void *p, int64_t k, double re, double im)
{
    switch (type) {
    case RW_F32: ((float *)p)[k] += (float)re; break;
    case RW_F64: ((double *)p)[k] += re; break;
    case RW_C64: ((float *)p)[2 * k] += (float)re, ((float *)p)[2 * k + 1] += (float)im; break;
    default: ((double *)p)[2 * k] += re, ((double *)p)[2 * k + 1] += im;
    }
}

/* bfloat16: the upper half of a float. */
static inline double rw_from_bf16(uint16_t a)
{
    const union { uint32_t bits; float value; } u = {(uint32_t)a << 16};
    return (double)u.value;
}

/* Values of a matrix: place k, in a scalar row. Scaled ones are rounded to the nearest; the row's scale stands before the first is added. */
enum { RW_SCALED_MOST = 32767 };
static inline double rw_entry_get(const rw_view *v, int64_t k, int64_t row, int part)
{
    const rw_dtype type = v->m->layout.values;
    if (!v->scale) return rw_value_get(type, v->value, k, part);
    if (type == RW_F32) return part ? 0 : rw_from_bf16(v->scale[row]) * ((const int16_t *)v->value)[k];
    return rw_from_bf16(v->scale[row]) * ((const int16_t *)v->value)[2 * k + part];
}
static inline void rw_entry_add(const rw_view *v, int64_t k, int64_t row, double re, double im)
{
    const rw_dtype type = v->m->layout.values;
    if (!v->scale) {
        rw_value_add(type, v->value, k, re, im);
        return;
    }
    int16_t *const to = (int16_t *)v->value + (type == RW_C64 ? 2 * k : k);
    const double scale = rw_from_bf16(v->scale[row]), by = scale > 0 ? 1 / scale : 0;
    for (int p = 0; p < (type == RW_C64 ? 2 : 1); ++p) to[p] = (int16_t)fmax(fmin(to[p] + rint((p ? im : re) * by), RW_SCALED_MOST), -RW_SCALED_MOST);
}
/* The scale of a row whose largest number, real or imaginary part, is this: the least bfloat16 with which it is in range. */
static inline void rw_entry_scale(const rw_view *v, int64_t row, double largest)
{
    const union { float value; uint32_t bits; } u = {(float)(largest / RW_SCALED_MOST)};
    if (v->scale) v->scale[row] = (uint16_t)((u.bits + 0xffff) >> 16);
}

/* Scalar rows (columns) of a block row i of 0 … n, from where on. */
static inline int64_t rw_row_of(const rw_sparse *m, int64_t i) { return m->row_first ? m->row_first[i] : i * m->layout.block_rows; }
static inline int64_t rw_column_of(const rw_sparse *m, int64_t j) { return m->column_first ? m->column_first[j] : j * m->layout.block_columns; }

/* Which kernels a matrix on a device gets: those for threads on GPUs, and where the device's name says tiling=gpu. */
bool rw_sparse_wants_threads(const rw_device *dev);
/* Pointers to indices and values, copied from the device where that is newer; `update`: the values will be changed. ERR_UNSUPPORTED where there are none. */
rw_status rw_sparse_look(rw_sparse *m, bool update, rw_view *v);
/* To indices alone: where blocks lie. */
rw_status rw_sparse_look_pattern(rw_sparse *m, rw_view *v);

/* Everything to the device, as a recording needs it. */
rw_status rw_sparse_send(rw_sparse *m, rw_queue *q);
/* The layout with its defaults, checked: ERR_ARGUMENT. */
rw_status rw_sparse_layout_resolve(rw_context *ctx, const rw_sparse_layout *given, rw_sparse_layout *l);
bool rw_sparse_has_blocks(rw_sparse_format format);
/* Bytes of a value as it is kept. */
size_t rw_sparse_value_size(const rw_sparse_layout *l);

/* Entries row after row, columns ascending; sorted by counting, so in time of their number. */
typedef struct rw_sorted {
    int64_t n;       /* rows */
    int64_t *first;  /* [n + 1] */
    int64_t *column;
    int64_t *entry;  /* its number in the unsorted list */
} rw_sorted;
/* false: no memory. Entries keep the order of `order` (NULL: 0, 1, …) within a row. */
bool rw_sort_rows(int64_t rows, int64_t n, const int64_t *row, const int64_t *column, const int64_t *order, rw_sorted *s);
/* Rows with ascending columns, entries of one place in the order of the list. The one check of bounds and signs: ERR_ARGUMENT;
 * ERR_MEMORY, before anything is allocated where it would be more than the host has. */
rw_status rw_entries_sort(rw_context *ctx, const rw_entries *e, rw_sorted *s);
void rw_sorted_free(rw_sorted *s);

/* ---- free.c ---- */

/* ERR_UNSUPPORTED where there are no entries. */
rw_status rw_sparse_need_entries(const rw_sparse *m);

/* ---- choose.c ---- */

/* Blocks of b x b that hold an entry; last: a zero for each block column. */
int64_t rw_count_blocks(const rw_sorted *r, int b, int64_t *last);
/* Layouts that may suit, csr first; blocks[b]: blocks of b x b; most_fill: places for an entry that they may have. Gives their number. */
int rw_sparse_candidates(const rw_entries *e, const int64_t *blocks, double most_fill, rw_dtype values, rw_sparse_candidate *c);
/* The one of the least cost, the earlier one where another saves less than 2 %. */
int rw_sparse_least(const rw_sparse_candidate *c, int n);
/* Sizes, fill and bytes moved of n layouts (sparse.c). dev: NULL where no device is asked. */
rw_status rw_sparse_foresee(rw_context *ctx, rw_device *dev, const rw_entries *e, const rw_sorted *s, rw_dtype vectors, int n, rw_sparse_candidate *c);

#endif
