/* For preconditioners and other folders: matrices copied to the host and back, permuted rows, values on the device. The
 * matrix itself is in sparse.h, internal to this folder. */
#ifndef RW_SPARSE_HOST_H
#define RW_SPARSE_HOST_H

#include <math.h>

#include "operator/operator.h"
#include "rechenwerk/sparse.h"

static inline int64_t rw_index_get(const void *p, int bits, int64_t k)
{
    return bits == 64 ? ((const int64_t *)p)[k] : ((const int32_t *)p)[k];
}
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
    case RW_C64:
        ((float *)p)[2 * k] += (float)re;
        ((float *)p)[2 * k + 1] += (float)im;
        break;
    default: ((double *)p)[2 * k] += re; ((double *)p)[2 * k + 1] += im;
    }
}

/* The matrix to which an operator belongs; NULL: it is not the operator of a matrix. */
rw_sparse *rw_sparse_of(rw_operator *a);
/* The layout with its defaults, checked: ERR_ARGUMENT. */
rw_sparse_size rw_sparse_size_of(const rw_sparse *matrix);
rw_status rw_sparse_layout_resolve(rw_context *ctx, const rw_sparse_layout *given, rw_sparse_layout *l);
bool rw_sparse_has_blocks(rw_sparse_format format);
/* Bytes of a stored value. */
size_t rw_sparse_value_size(const rw_sparse_layout *l);

/* Entries sorted by row, then column, by counting sort in linear time. */
typedef struct rw_sorted {
    int64_t n;      /* rows */
    int64_t *first; /* [n + 1] */
    int64_t *column;
    int64_t *entry; /* its index in the unsorted list */
} rw_sorted;
/* Sorts by row and column; duplicates stay in the order of the list. Also checks sizes and indices (ERR_ARGUMENT).
 * ERR_MEMORY is returned before any allocation if the host has too little memory. */
rw_status rw_entries_sort(rw_context *ctx, const rw_entries *e, rw_sorted *s);
void rw_sorted_free(rw_sorted *s);

/* ---- a view of a matrix in any format --------------------------------------------------------------------------- */

/* A block: scalar row and column of its first entry, and its size. Entry (r, c) is value[at + sr r + sc c]. */
typedef struct rw_sparse_block {
    int64_t row, column;
    int nr, nc;
    int64_t at, sr, sc;
} rw_sparse_block;

/* Host pointers to the current data of a matrix. */
typedef struct rw_view {
    const rw_sparse *m;
    rw_dtype type; /* of values */
    char *value;
    uint16_t *scale; /* one per scalar row, bfloat16; NULL: values are not scaled */
    const void *first, *column, *row;
    const int32_t *shift;
} rw_view;

/* Host pointers to indices and values, copied from the device if its data are newer. update: the caller will change the
 * values. */
rw_status rw_sparse_look(rw_sparse *m, bool update, rw_view *v);
/* Host pointers to the indices only. */
rw_status rw_sparse_look_pattern(rw_sparse *m, rw_view *v);
int64_t rw_view_rows(const rw_view *v); /* block rows */
/* First scalar row of block row i; for i = rw_view_rows one past the last row. */
int64_t rw_view_row(const rw_view *v, int64_t i);
/* Number of blocks of block row i, and its k-th block; columns ascend. */
int64_t rw_view_count(const rw_view *v, int64_t i);
rw_sparse_block rw_view_block(const rw_view *v, int64_t i, int64_t k);

/* bfloat16: the upper half of a float. */
static inline double rw_from_bf16(uint16_t a)
{
    const union {
        uint32_t bits;
        float value;
    } u = {(uint32_t)a << 16};
    return (double)u.value;
}

/* Value k of a matrix, in the given scalar row. Scaled values are rounded to nearest; set the scale of the row before
 * adding the first value. */
enum { RW_SCALED_MOST = 32767 };
static inline double rw_entry_get(const rw_view *v, int64_t k, int64_t row, int part)
{
    const rw_dtype type = v->type;
    if (!v->scale) return rw_value_get(type, v->value, k, part);
    if (type == RW_F32) return part ? 0 : rw_from_bf16(v->scale[row]) * ((const int16_t *)v->value)[k];
    return rw_from_bf16(v->scale[row]) * ((const int16_t *)v->value)[2 * k + part];
}
static inline void rw_entry_add(const rw_view *v, int64_t k, int64_t row, double re, double im)
{
    const rw_dtype type = v->type;
    if (!v->scale) {
        rw_value_add(type, v->value, k, re, im);
        return;
    }
    int16_t *const to = (int16_t *)v->value + (type == RW_C64 ? 2 * k : k);
    const double scale = rw_from_bf16(v->scale[row]), by = scale > 0 ? 1 / scale : 0;
    for (int p = 0; p < (type == RW_C64 ? 2 : 1); ++p)
        to[p] = (int16_t)fmax(fmin(to[p] + rint((p ? im : re) * by), RW_SCALED_MOST), -RW_SCALED_MOST);
}
/* Sets the scale of a row from the largest magnitude of its real and imaginary parts: the smallest bfloat16 that avoids
 * overflow. */
static inline void rw_entry_scale(const rw_view *v, int64_t row, double largest)
{
    const union {
        float value;
        uint32_t bits;
    } u = {(float)(largest / RW_SCALED_MOST)};
    if (v->scale) v->scale[row] = (uint16_t)((u.bits + 0xffff) >> 16);
}

/* ---- matrices on the host --------------------------------------------------------------------------------------- */

/* A matrix on the host in BCSR with square blocks; columns ascend in each row. */
typedef struct rw_host {
    int64_t rows, columns; /* of blocks */
    int r, parts;          /* block size; 1: real, 2: complex */
    int64_t *first, *column;
    double *value;  /* r r parts doubles per block; NULL: the values are on the device */
    bool borrowed;  /* value belongs to another matrix and is read only */
    int64_t *place; /* position of each block in the values on the device; NULL: not needed */
} rw_host;

static inline int rw_host_size(const rw_host *h) { return h->r * h->r * h->parts; }
/* Size of the square blocks in which a matrix is stored; 1: single entries; 0: other blocks. */
int rw_sparse_square(const rw_sparse *m);
/* Reads a matrix in any format. Blocks without an entry are dropped, except on the diagonal. Values that already have
 * this layout are borrowed. ERR_ARGUMENT: the blocks are not square. */
rw_status rw_host_read(rw_sparse *m, rw_host *h);
/* Reads the pattern and the positions of the blocks, but no values. Zero blocks of formats with padding are kept. */
rw_status rw_host_read_pattern(rw_sparse *m, rw_host *h);
/* Reads single entries (blocks of 1 x 1), whatever the block size of the format. */
rw_status rw_host_read_entries(rw_sparse *m, rw_host *h);
/* A matrix of rows x columns blocks of the size and type of `of`, all rows empty. false: no memory. */
bool rw_host_begin(const rw_host *of, int64_t rows, int64_t columns, rw_host *h);
/* Makes h block diagonal; its sizes must be set. false: no memory. */
bool rw_host_diagonal(rw_host *h);
/* Allocates column and (unless borrowed) value for first[rows] blocks. false: no memory. */
bool rw_host_make(rw_host *h);
void rw_host_free(rw_host *h);
/* h with rows and columns in that order. */
rw_status rw_host_permute(rw_context *ctx, const rw_host *h, const int64_t *order, rw_host *to);
/* How a matrix from the host is stored: in slices or in rows, in single precision, as 16-bit integers with scales. */
typedef struct rw_host_store {
    bool slices, single, scaled;
} rw_host_store;
rw_sparse_layout rw_host_layout(const rw_host *h, rw_host_store as);
/* Creates the matrix on the device, in the format for whole products that suits it; without values it holds zeros. */
rw_status rw_host_send(const rw_host *h, rw_device *dev, bool single, bool scaled, rw_sparse **m);
/* Writes the values into a matrix with the same blocks. */
rw_status rw_host_fill(const rw_host *h, rw_sparse *m);
/* places[h->place[k]] <- position of block k of h in a matrix with the same blocks. */
rw_status rw_host_find(const rw_host *h, rw_sparse *m, int64_t *places);
/* Writable host pointer to the values of a CSR or BCSR matrix in double precision, and at[i]: number of blocks before
 * row i. */
rw_status rw_host_rows(rw_sparse *m, double **value, int64_t *at);

/* ---- values on the device --------------------------------------------------------------------------------------- */

typedef struct rw_numbers {
    rw_array *value, *scale; /* scale: of rows; NULL: none */
    const char *real;        /* type of the stored values in kernels: f32, f64, i16 */
    bool is_double;
    double stored;
    int64_t sr, sc; /* strides of the entries of a block along a column and along a row */
} rw_numbers;
rw_status rw_sparse_numbers(rw_sparse *m, rw_numbers *n);

/* ---- ordered rows ----------------------------------------------------------------------------------------------- */

/* Creates a matrix whose block row i is stored at position[i] (a permutation), in slices (SELL, BSELL) on GPUs and in
 * rows (CSR, BCSR) on processors. */
rw_status rw_sparse_create_ordered(rw_device *device, const rw_sparse_layout *layout, const rw_sparse_blocks *blocks,
                                   const int64_t *position, rw_sparse **matrix);
/* Like rw_sparse_create_ordered, for values that kernels write: they are 0 on the device and not on the host until it
 * reads them. position may be NULL: order of the layout. */
rw_status rw_sparse_create_there(rw_device *device, const rw_sparse_layout *layout, const rw_sparse_blocks *blocks,
                                 const int64_t *position, rw_sparse **matrix);
/* Device memory in bytes of a matrix with these blocks, padding included, without creating it. position: as in
 * rw_sparse_create_ordered, or NULL. */
rw_status rw_sparse_bytes(rw_device *device, const rw_sparse_layout *layout, const rw_sparse_blocks *blocks,
                          const int64_t *position, double *bytes);
/* y <- y - A y for the rows stored at positions from … to - 1. Each of these rows has a block, and no column among
 * them. */
rw_status rw_product_range(rw_sparse *m, rw_array *y, int64_t from, int64_t to, rw_queue *q);
/* y <- y - A y row by row, for CSR and BCSR: a row may depend on rows stored before it. */
rw_status rw_product_in_order(rw_sparse *m, rw_array *y, rw_queue *q);

#endif
