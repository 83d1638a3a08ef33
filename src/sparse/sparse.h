/* Internal to this folder: the matrix, and the table of functions that each format fills in.
 *
 * To the host every format is a set of dense blocks: `block` returns where the k-th block of block row i begins, its
 * first scalar row and column, and the strides of its entries. Conversion, assembly, files and the index for transposes
 * use a format only through this view; only the kernel of a format knows more. */
#ifndef RW_SPARSE_H
#define RW_SPARSE_H

#include "sparse/host.h"

struct rw_pass; /* multiply.h */
struct rw_product_program;

/* A format. */
typedef struct rw_sparse_ops {
    bool sizes;     /* blocks of varying size: row_first and column_first are set */
    bool pads;      /* rows are padded: a matrix may become many times larger */
    bool has_zeros; /* a stored zero may be padding or an entry: only the values decide */
    bool in_rows;   /* the blocks of a row are contiguous */
    bool finishes;  /* products end with finish.k, which writes and reads a vector of sums */
    size_t state;   /* bytes of m->state, zeroed before `plan` */
    /* Sets places, nfirst, ncolumn and nrow (numbers of stored values and indices; the caller checks their range) and
     * the state of the format. The device may be NULL if only sizes are needed. */
    rw_status (*plan)(rw_sparse *m, rw_context *ctx, const rw_sparse_blocks *b);
    /* Writes the indices into arrays that contain zeros. */
    void (*fill)(rw_sparse *m, const rw_sparse_blocks *b, void *first, void *column, void *row, int32_t *shift);
    /* Blocks of block row i, and its block k, columns ascending. */
    int64_t (*count)(const rw_view *v, int64_t i);
    rw_sparse_block (*block)(const rw_view *v, int64_t i, int64_t k);
    const char *kernel, *more; /* source file, "rows.k"; (optional) name of a second kernel next to `multiply` */
    /* Definitions for the device and a kind of product, "NAME=VALUE NAME=VALUE". */
    void (*define)(const rw_sparse *m, const struct rw_product_program *p, rw_text *definitions);
    /* Workgroups that each write a partial sum if a product of one vector computes dot products. */
    int64_t (*groups)(const rw_sparse *m);
    rw_status (*launch)(rw_sparse *m, const struct rw_pass *p, rw_queue *q);
    void (*free)(rw_sparse *m); /* (optional) what m->state holds */
} rw_sparse_ops;

struct rw_sparse {
    rw_operator op;          /* its device is NULL if only sizes are needed */
    rw_sparse_layout layout; /* index_bits resolved */
    const rw_sparse_ops *ops;
    void *state; /* the format's */
    int64_t block_rows, block_columns, rows, columns;
    int64_t blocks;                               /* of the pattern */
    int64_t longest;                              /* blocks of the longest row */
    double stored, nfirst, ncolumn, nrow, nshift; /* values, indices: integers below 2^53 once the matrix is made */
    rw_array *value, *first, *column, *row;       /* row: NULL where nrow == 0 */
    rw_array *scale; /* scale factors of scaled values, bfloat16, one per scalar row; else NULL */
    rw_array *shift; /* slices: shift and rows of each position, see slices.k; NULL: none */
    /* on the host only */
    int64_t *position; /* of each block row in storage if rows are sorted by length or permuted; NULL: identity */
    bool ordered;      /* the permutation was given by the caller */
    int64_t *row_first,
        *column_first; /* blocks of varying size: first scalar row of each block row, and one past the last */
    /* index for transposed products: the blocks of each block column (rw_sparse_block) */
    rw_array *t_first, *t_row, *t_at;
    int64_t t_sr, t_sc;                  /* strides in a block */
    struct rw_product_program *programs; /* see multiply.h */
    rw_array *scratch;                   /* partial sums of products that end with finish.k */
};

static inline bool rw_sparse_threads(const rw_sparse *m) { return rw_device_has_threads(m->op.device); }

extern const rw_sparse_ops rw_sparse_coordinates, rw_sparse_rows, rw_sparse_variable, rw_sparse_diagonals,
    rw_sparse_slices;

/* First scalar row (column) of block row (column) i in 0 … n. */
static inline int64_t rw_row_of(const rw_sparse *m, int64_t i)
{
    return m->row_first ? m->row_first[i] : i * m->layout.block_rows;
}
static inline int64_t rw_column_of(const rw_sparse *m, int64_t j)
{
    return m->column_first ? m->column_first[j] : j * m->layout.block_columns;
}

/* The storage position of block row i if rows are sorted by length or permuted. */
static inline int64_t rw_place_of(const rw_sparse *m, int64_t i) { return m->position ? m->position[i] : i; }
/* The first k in from … to - 1 with index[k] >= least; the indices ascend. `to`: there is none. */
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
 * padding is too large. dev may be NULL. */
rw_status rw_sparse_foresee_blocks(rw_context *ctx, rw_device *dev, const rw_sparse_blocks *blocks, int64_t entries,
                                   rw_dtype vectors, rw_sparse_candidate *c);

/* ---- choose.c ---- */

/* Number of b x b blocks with at least one entry; last: workspace, a zero for each block column. */
int64_t rw_count_blocks(const rw_sorted *r, int b, int64_t *last);
/* Fills in candidate layouts, csr first, and returns their number. blocks[b]: number of b x b blocks; most_fill:
 * maximum number of stored values per entry. */
int rw_sparse_candidates(const rw_entries *e, const int64_t *blocks, double most_fill, rw_dtype values,
                         rw_sparse_candidate *c);
/* The candidate of least cost; a later one must save at least 2 %. */
int rw_sparse_least(const rw_sparse_candidate *c, int n);
/* Sizes, fill and bytes moved of n layouts (entries.c). dev: NULL where no device is asked. */
rw_status rw_sparse_foresee(rw_context *ctx, rw_device *dev, const rw_entries *e, const rw_sorted *s, rw_dtype vectors,
                            int n, rw_sparse_candidate *c);

#endif
