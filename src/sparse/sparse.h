/* For the files of this folder alone: a matrix, and the table that a format fills in.
 *
 * Every format is a set of dense blocks on the host's side: `block` says where the k-th block of block row i begins,
 * which scalar row and column that is, and how far its entries lie apart. Conversions, assembly, files and the index
 * for transposes know formats by that alone; only a format's kernel knows more. */
#ifndef RW_SPARSE_H
#define RW_SPARSE_H

#include "sparse/host.h"

struct rw_pass; /* multiply.h */
struct rw_product_program;

/* A format. */
typedef struct rw_sparse_ops {
    bool sizes;     /* blocks of different sizes: row_first and column_first are made */
    bool pads;      /* rows are filled up: a matrix may become many times larger */
    bool has_zeros; /* of the places of its blocks some are no entries, which values alone tell */
    bool in_rows;   /* the blocks of a row are stored one after the other */
    bool finishes;  /* products end with finish.k, which moves a vector of sums twice */
    size_t state;   /* bytes of m->state, zeroed before `plan` */
    /* Sets places, nfirst, ncolumn, nrow (numbers of values and indices; the caller checks that they can be counted)
     * and what the format itself needs to know. The device may be NULL: only its sizes are asked for. */
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
    rw_status (*launch)(rw_sparse *m, const struct rw_pass *p, rw_queue *q);
    void (*free)(rw_sparse *m); /* (optional) what m->state holds */
} rw_sparse_ops;

struct rw_sparse {
    rw_operator op;          /* its device is NULL while only sizes are asked for */
    rw_sparse_layout layout; /* index_bits resolved */
    const rw_sparse_ops *ops;
    void *state; /* the format's */
    int64_t block_rows, block_columns, rows, columns;
    int64_t blocks;                               /* of the pattern */
    int64_t longest;                              /* blocks of the longest row */
    double places, nfirst, ncolumn, nrow, nshift; /* values, indices: integers below 2^53 once the matrix is made */
    rw_array *value, *first, *column, *row;       /* row: NULL where nrow == 0 */
    rw_array *scale;                              /* of scaled values, bfloat16, one a scalar row; else NULL */
    rw_array *shift; /* slices: shift and rows of each position, see slices.k; NULL: none */
    /* on the host only */
    int64_t *position; /* place of each block row: of rows sorted by length or in a given order; NULL: its number */
    bool ordered;      /* the places were given */
    int64_t *row_first,
        *column_first; /* blocks of different sizes: scalar row of each block row, and beyond the last */
    /* for products with transposes: by block column, where its blocks are (rw_sparse_block) */
    rw_array *t_first, *t_row, *t_at;
    int64_t t_sr, t_sc;                  /* strides in a block */
    struct rw_product_program *programs; /* see multiply.h */
    rw_array *scratch;                   /* of products that finish */
};

static inline bool rw_sparse_threads(const rw_sparse *m) { return rw_device_has_threads(m->op.device); }

extern const rw_sparse_ops rw_sparse_coordinates, rw_sparse_rows, rw_sparse_variable, rw_sparse_diagonals,
    rw_sparse_slices;

/* Scalar rows (columns) of a block row i of 0 … n, from where on. */
static inline int64_t rw_row_of(const rw_sparse *m, int64_t i)
{
    return m->row_first ? m->row_first[i] : i * m->layout.block_rows;
}
static inline int64_t rw_column_of(const rw_sparse *m, int64_t j)
{
    return m->column_first ? m->column_first[j] : j * m->layout.block_columns;
}

/* The place of block row i: of rows sorted by length or in a given order. */
static inline int64_t rw_place_of(const rw_sparse *m, int64_t i) { return m->position ? m->position[i] : i; }
/* The first of the indices from … to - 1, ascending, that is not below `least`; `to`: none is. */
static inline int64_t rw_index_find(const void *index, int bits, int64_t from, int64_t to, int64_t least)
{
    while (from < to) {
        const int64_t middle = from + (to - from) / 2;
        if (rw_index_get(index, bits, middle) < least) from = middle + 1;
        else to = middle;
    }
    return from;
}

/* false: no memory. Entries keep the order of `order` (NULL: 0, 1, …) within a row. */
bool rw_sort_rows(int64_t rows, int64_t n, const int64_t *row, const int64_t *column, const int64_t *order,
                  rw_sorted *s);

/* ---- sparse.c ---- */

const rw_sparse_ops *rw_sparse_ops_of(rw_sparse_format format);
/* first[0 … n]: where each of n blocks begins, from their sizes (NULL: 1 each); to be freed. NULL: no memory. */
int64_t *rw_sparse_starts(int64_t n, const int32_t *size);
/* Size, fill and bytes moved of c->layout for a matrix with these blocks and this number of entries; c->refused: its
 * padding is too large. dev: NULL where no device is asked. */
rw_status rw_sparse_foresee_blocks(rw_context *ctx, rw_device *dev, const rw_sparse_blocks *blocks, int64_t entries,
                                   rw_dtype vectors, rw_sparse_candidate *c);

/* ---- choose.c ---- */

/* Blocks of b x b that hold an entry; last: a zero for each block column. */
int64_t rw_count_blocks(const rw_sorted *r, int b, int64_t *last);
/* Layouts that may suit, csr first; blocks[b]: blocks of b x b; most_fill: places for an entry that they may have.
 * Gives their number. */
int rw_sparse_candidates(const rw_entries *e, const int64_t *blocks, double most_fill, rw_dtype values,
                         rw_sparse_candidate *c);
/* The one of the least cost, the earlier one where another saves less than 2 %. */
int rw_sparse_least(const rw_sparse_candidate *c, int n);
/* Sizes, fill and bytes moved of n layouts (entries.c). dev: NULL where no device is asked. */
rw_status rw_sparse_foresee(rw_context *ctx, rw_device *dev, const rw_entries *e, const rw_sorted *s, rw_dtype vectors,
                            int n, rw_sparse_candidate *c);

#endif
