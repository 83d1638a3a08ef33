/* For preconditioners, and others beside this folder: matrices on the host and back, ordered rows, values on the
 * device. What a matrix consists of is in sparse.h, for this folder alone. */
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
    case RW_C64: ((float *)p)[2 * k] += (float)re, ((float *)p)[2 * k + 1] += (float)im; break;
    default: ((double *)p)[2 * k] += re, ((double *)p)[2 * k + 1] += im;
    }
}

/* The matrix whose operator it is; NULL: it is none of a matrix. */
rw_sparse *rw_sparse_of(rw_operator *a);
/* The layout with its defaults, checked: ERR_ARGUMENT. */
rw_sparse_size rw_sparse_size_of(const rw_sparse *matrix);
rw_status rw_sparse_layout_resolve(rw_context *ctx, const rw_sparse_layout *given, rw_sparse_layout *l);
bool rw_sparse_has_blocks(rw_sparse_format format);
/* Bytes of a value as it is kept. */
size_t rw_sparse_value_size(const rw_sparse_layout *l);

/* Entries row after row, columns ascending; sorted by counting, so in time of their number. */
typedef struct rw_sorted {
    int64_t n;      /* rows */
    int64_t *first; /* [n + 1] */
    int64_t *column;
    int64_t *entry; /* its number in the unsorted list */
} rw_sorted;
/* Rows with ascending columns, entries of one place in the order of the list. The one check of bounds and signs:
 * ERR_ARGUMENT; ERR_MEMORY, before anything is allocated where it would be more than the host has. */
rw_status rw_entries_sort(rw_context *ctx, const rw_entries *e, rw_sorted *s);
void rw_sorted_free(rw_sorted *s);

/* ---- a view of a matrix in any format --------------------------------------------------------------------------- */

/* A block: scalar row and column of its first entry, sizes; entry (r, c) at at + sr r + sc c of the values. */
typedef struct rw_sparse_block {
    int64_t row, column;
    int nr, nc;
    int64_t at, sr, sc;
} rw_sparse_block;

/* Host pointers to a matrix, current. */
typedef struct rw_view {
    const rw_sparse *m;
    rw_dtype type; /* of values */
    char *value;
    uint16_t *scale; /* of scalar rows, bfloat16; NULL: values are as they are */
    const void *first, *column, *row;
    const int32_t *shift;
} rw_view;

/* Pointers to indices and values, copied from the device where that is newer; `update`: the values will be changed. */
rw_status rw_sparse_look(rw_sparse *m, bool update, rw_view *v);
/* To indices alone: where blocks lie. */
rw_status rw_sparse_look_pattern(rw_sparse *m, rw_view *v);
int64_t rw_view_rows(const rw_view *v); /* block rows */
/* Scalar row at which block row i begins; rw_view_rows: beyond the last. */
int64_t rw_view_row(const rw_view *v, int64_t i);
/* Blocks of block row i, and its block k, columns ascending. */
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

/* Values of a matrix: place k, in a scalar row. Scaled ones are rounded to the nearest; the row's scale stands
 * before the first is added. */
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
/* The scale of a row whose largest number, real or imaginary part, is this: the least bfloat16 with which it is in
 * range. */
static inline void rw_entry_scale(const rw_view *v, int64_t row, double largest)
{
    const union {
        float value;
        uint32_t bits;
    } u = {(float)(largest / RW_SCALED_MOST)};
    if (v->scale) v->scale[row] = (uint16_t)((u.bits + 0xffff) >> 16);
}

/* ---- matrices on the host --------------------------------------------------------------------------------------- */

/* A matrix on the host: rows of square blocks, columns ascending. */
typedef struct rw_host {
    int64_t rows, columns; /* of blocks */
    int r, parts;          /* size of a block; 1: real, 2: complex */
    int64_t *first, *column;
    double *value;  /* r r parts numbers a block; NULL: they are on the device */
    bool borrowed;  /* value is somebody else's, and only read */
    int64_t *place; /* where a block lies in numbers on the device; NULL: nobody has asked */
} rw_host;

static inline int rw_host_size(const rw_host *h) { return h->r * h->r * h->parts; }
/* Square blocks of one size in which a matrix is stored, 1 of entries; 0: blocks of another kind. */
int rw_sparse_square(const rw_sparse *m);
/* Of a matrix in any format: blocks without an entry are left out, but for those of the diagonal. Where they lie as
 * here already they are borrowed. A matrix with blocks that are not square: ERR_ARGUMENT. */
rw_status rw_host_read(rw_sparse *m, rw_host *h);
/* The same of its pattern and of the places of its blocks, values stay where they are: blocks of zeros are kept where a
 * format may have them. */
rw_status rw_host_read_pattern(rw_sparse *m, rw_host *h);
/* By entries, whatever blocks there are: blocks of 1 x 1. */
rw_status rw_host_read_entries(rw_sparse *m, rw_host *h);
/* A matrix of rows x columns blocks of the size and type of `of`, all rows empty. false: no memory. */
bool rw_host_begin(const rw_host *of, int64_t rows, int64_t columns, rw_host *h);
/* Blocks on the diagonal alone, of h, which has its sizes. false: no memory. */
bool rw_host_diagonal(rw_host *h);
/* Room for a matrix whose first[rows] is known, but for borrowed values. false: no memory. */
bool rw_host_make(rw_host *h);
void rw_host_free(rw_host *h);
/* h with rows and columns in that order. */
rw_status rw_host_permute(rw_context *ctx, const rw_host *h, const int64_t *order, rw_host *to);
/* How a matrix from the host is stored: in slices or in rows, in single precision, as 16-bit integers with scales. */
typedef struct rw_host_store {
    bool slices, single, scaled;
} rw_host_store;
rw_sparse_layout rw_host_layout(const rw_host *h, rw_host_store as);
/* On the device, in the format that suits it for whole products; without values there are zeros. */
rw_status rw_host_send(const rw_host *h, rw_device *dev, bool single, bool scaled, rw_sparse **m);
/* Places its values in a matrix that has its blocks. */
rw_status rw_host_fill(const rw_host *h, rw_sparse *m);
/* places[h->place[k]] <- where block k of h lies in a matrix that has its blocks. */
rw_status rw_host_find(const rw_host *h, rw_sparse *m, int64_t *places);
/* Host pointer to the values of a matrix of plain rows in double precision, to be changed, and at[i]: blocks before
 * row i. */
rw_status rw_host_rows(rw_sparse *m, double **value, int64_t *at);

/* ---- values on the device --------------------------------------------------------------------------------------- */

typedef struct rw_numbers {
    rw_array *value, *scale; /* scale: of rows; NULL: none */
    const char *real;        /* as kernels name what is stored: f32, f64, i16 */
    bool is_double;
    double places;
    int64_t sr, sc; /* how far the entries of a block lie apart along a column, along a row */
} rw_numbers;
rw_status rw_sparse_numbers(rw_sparse *m, rw_numbers *n);

/* ---- ordered rows ----------------------------------------------------------------------------------------------- */

/* A matrix in slices (SELL, BSELL) for GPUs, in rows (CSR, BCSR) for processors, whose block row i lies at place
 * position[i], a permutation. */
rw_status rw_sparse_create_ordered(rw_device *device, const rw_sparse_layout *layout, const rw_sparse_blocks *blocks,
                                   const int64_t *position, rw_sparse **matrix);
/* The same, or with position = NULL as the layout says, for values that kernels write: they are 0 on the device, and
 * the host has none until it asks. */
rw_status rw_sparse_create_there(rw_device *device, const rw_sparse_layout *layout, const rw_sparse_blocks *blocks,
                                 const int64_t *position, rw_sparse **matrix);
/* Bytes on the device of a matrix with these blocks, padding included; position: of one that rw_sparse_create_ordered
 * makes, else NULL. Nothing is made. */
rw_status rw_sparse_bytes(rw_device *device, const rw_sparse_layout *layout, const rw_sparse_blocks *blocks,
                          const int64_t *position, double *bytes);
/* y <- y - A y of the rows at places from … to - 1, of which each has a block, and none a column among them. */
rw_status rw_product_range(rw_sparse *m, rw_array *y, int64_t from, int64_t to, rw_queue *q);
/* The same of all rows, in rows, one after the other: a row may have columns among those at places before its own. */
rw_status rw_product_in_order(rw_sparse *m, rw_array *y, rw_queue *q);

#endif
