/* Shared by the preconditioners: matrices on the host, small dense blocks, triangular systems, and one table of
 * functions per method. */
#ifndef RW_PRECOND_H
#define RW_PRECOND_H

#include "param/param.h"
#include "rechenwerk/precond.h"
#include "sparse/host.h"

enum { RW_DENSE_MOST = RW_SPARSE_BLOCK_MOST * RW_SPARSE_BLOCK_MOST * 2 }; /* numbers of a complex block */

/* Small dense n x n matrices, row-major, real (parts = 1) or complex (2). */
/* Inlined, so that a compiler that knows n and parts unrolls it. */
#define RW_DENSE_INLINE static inline __attribute__((always_inline))
/* c <- c + sign a b, one row of c at a time in registers; the products with the imaginary parts of a are summed
 * separately and multiplied by i at the end */
RW_DENSE_INLINE void rw_dense_multiply(const int n, const int parts, const double sign, const double *restrict a,
                                       const double *restrict b, double *restrict c)
{
    const int width = parts * n;
    for (int i = 0; i < n; ++i, a += width, c += width) {
        double row[2 * RW_SPARSE_BLOCK_MOST], turned[2 * RW_SPARSE_BLOCK_MOST];
        for (int j = 0; j < width; ++j) {
            row[j] = c[j];
            turned[j] = 0;
        }
        for (int k = 0; k < n; ++k) {
            const double re = sign * a[parts * k], im = parts == 2 ? sign * a[2 * k + 1] : 0;
#pragma omp simd
            for (int j = 0; j < width; ++j) {
                row[j] += re * b[k * width + j];
                if (parts == 2) turned[j] += im * b[k * width + j];
            }
        }
        for (int j = 0; j < width; ++j) c[j] = row[j] + (parts == 1 ? 0 : j % 2 ? turned[j - 1] : -turned[j + 1]);
    }
}
/* DO(r, parts) with compile-time sizes for frequent blocks. */
#define RW_DENSE_CASES(r, parts, DO)                                                                                   \
    switch (2 * (r) + (parts)) {                                                                                       \
    case 3: DO(1, 1); break;                                                                                           \
    case 5: DO(2, 1); break;                                                                                           \
    case 7: DO(3, 1); break;                                                                                           \
    case 9: DO(4, 1); break;                                                                                           \
    case 11: DO(5, 1); break;                                                                                          \
    case 4: DO(1, 2); break;                                                                                           \
    case 12: DO(5, 2); break;                                                                                          \
    default: DO(r, parts);                                                                                             \
    }
/* b <- the inverse of a, of any size; a is overwritten. false: singular or not finite. Gaussian elimination with
 * partial pivoting. */
bool rw_dense_eliminate(int n, int parts, double *a, double *b);
/* a <- its inverse, if a is hermitian and positive semidefinite. For a singular matrix: the inverse of a maximal set of
 * independent rows and columns, and 0 elsewhere, which gives a solution if there is one. diagonal: workspace of n
 * values. false: a is another matrix, and has been overwritten. */
#define RW_DENSE_NOISE 1e-12 /* what a pivot must be of its diagonal's number */
bool rw_dense_sweep(int n, int parts, double *a, double *diagonal);
/* Like rw_dense_eliminate, for a block; a is not changed. */
bool rw_dense_invert(int n, int parts, const double *a, double *inverse);
/* The sum of squares. */
RW_DENSE_INLINE double rw_dense_square(int n, int parts, const double *a)
{
    double s = 0;
    for (int i = 0; i < n * n * parts; ++i) s += a[i] * a[i];
    return s;
}

/* The power of 2 by which values are multiplied before they are squared and squares multiplied: 1 for matrices of
 * ordinary size, else about one over the largest value. */
double rw_precond_unit(const rw_host *a);
/* The sum of squares of `by` times a block. */
RW_DENSE_INLINE double rw_dense_square_by(int n, int parts, double by, const double *a)
{
    double s = 0;
    if (by == 1) return rw_dense_square(n, parts, a);
    for (int i = 0; i < n * n * parts; ++i) s += by * a[i] * (by * a[i]);
    return s;
}

/* The size of the blocks that a preconditioner of an operator works on, from the specification, the format, and for amg
 * the pattern; and the matrix in such blocks, to be destroyed: NULL where it is stored so. */
rw_status rw_precond_blocks(rw_operator *a, const rw_precond_spec *s, int *block, rw_sparse **copy);
static inline rw_host_store rw_precond_store(const rw_precond_spec *s, bool slices)
{
    return (rw_host_store){slices, s->f32 || s->scaled, s->scaled};
}

typedef struct rw_precond_ops {
    bool needs_entries; /* of a matrix; else any operator will do that knows its diagonal */
    rw_status (*create)(rw_precond *p, rw_operator *a);
    /* (optional) Takes a for its products from now on, which is the operator it was made of in another format. */
    void (*use)(rw_precond *p, rw_operator *a);
    /* y <- M x, x from place `from` of an array on; kernels alone, so that it can be recorded. */
    rw_status (*apply)(rw_precond *p, rw_array *x, int64_t from, rw_array *y, rw_queue *q);
    rw_operator *(*product)(const rw_precond *p); /* (optional) where one product is all there is to do: its operator */
    void (*free)(rw_precond *p);                  /* what p->method holds; also after a create that failed */
} rw_precond_ops;
extern const rw_precond_ops rw_precond_jacobi, rw_precond_ssor, rw_precond_ilu, rw_precond_ilut, rw_precond_chebyshev,
    rw_precond_amg, rw_precond_icc;

struct rw_precond {
    rw_device *device;
    rw_precond_spec spec; /* defaults filled in */
    const rw_precond_ops *ops;
    void *method;   /* the method's own state */
    rw_operator *a; /* of methods that use it; NULL: the others */
    rw_dtype type;  /* of vectors */
    int64_t n;
    rw_program *program;
    rw_kernel *add;
    rw_precond_info info;
};

/* y <- y + p(D^-1 A) D^-1 (b - A y), p of a degree, for eigenvalues of D^-1 A from least to most. */
typedef struct rw_smoother {
    rw_operator *a; /* not owned */
    rw_sparse *inverse;
    int degree;
    double least, most;
    rw_array *work[2];
} rw_smoother;

/* Defaults filled in; threads: kernels are those of a GPU. */
rw_status rw_precond_resolve(rw_context *ctx, bool threads, rw_precond_spec *s);
/* The kernels of rw_precond_add. */
rw_status rw_precond_build(rw_precond *p);
/* Applies p once, so that its programs are compiled and its data is on the device when a solver records it. */
rw_status rw_precond_warm_up(rw_precond *p);
/* z <- M r by the product with M, which is retained and must be square, for vectors of this type (own.c). */
rw_status rw_precond_from_operator(rw_operator *m, rw_dtype vectors, rw_precond **precond);
rw_status rw_precond_run(rw_precond *p, rw_array *x, int64_t from, rw_array *y, rw_queue *q);
/* The operator whose product is the preconditioner, or NULL. */
rw_operator *rw_precond_product(const rw_precond *p);
/* Adds a matrix of p (may be NULL) to its info. */
void rw_precond_count(rw_precond *p, const rw_sparse *m);

/* The inverses of the diagonal entries or blocks, as a matrix with the same block size. host: the matrix if it is
 * already on the host, else NULL. */
rw_status rw_diagonal_inverse(rw_operator *a, const rw_host *host, const char *who, const rw_precond_spec *s,
                              rw_sparse **inverse);

/* A triangular system (1 + T) z = z, solved by level scheduling (the rows of a level are independent), or row by row if
 * a level has too little work for the threads of a processor. */
typedef struct rw_triangle {
    rw_sparse *t;
    /* Level l has positions at[l] … at[l + 1] - 1; rows of level 0 depend on no other. at is NULL: row by row. */
    int64_t levels, *at;
} rw_triangle;

/* Factors as they are applied, p->method of ssor, ilu, icc, ilut: z <- D^-1 r, (1 + T_lower) z = z, (1 + T_upper) z
 * = z. */
typedef struct rw_factored {
    rw_sparse *inverse; /* D^-1 */
    rw_triangle lower, upper;
    rw_array *work[2]; /* of sweeps */
} rw_factored;

/* Rows of a triangular system by levels: row[at[l]] … row[at[l + 1] - 1]. */
typedef struct rw_levels {
    int64_t n, *at, *row;
} rw_levels;
bool rw_levels_make(const rw_host *t, bool upper, rw_levels *l);

/* One triangular factor during its computation, in elimination order: the blocks of row i begin at at[i] in `value`,
 * which belongs to t or to the matrix that is applied. */
typedef struct rw_side {
    rw_host t;
    int64_t *at;
    double *value;
    rw_levels levels; /* computed at first use */
} rw_side;
void rw_side_free(rw_side *s);
/* Device memory in bytes of the matrix that applies a side, rows in elimination order. p: only device and specification
 * are used. */
rw_status rw_triangle_bytes(const rw_precond *p, bool upper, rw_side *s, const int64_t *order, double *bytes);

/* A factorisation in progress. */
typedef struct rw_factors {
    rw_context *ctx;
    const char *who;
    rw_host a; /* the matrix in elimination order */
    /* the pattern of the factors (that of a unless it has fill), and the index of the diagonal block of each row */
    int64_t *first, *column, *diagonal;
    int64_t *order;              /* order[i]: the row that is the i-th */
    double *inverse;             /* of the diagonal blocks, in the order of the matrix; NULL: on the device */
    rw_side side[2];             /* D^-1 L and D^-1 U */
    double scale, scale_inverse; /* SSOR: what they are multiplied by */
    bool eliminates, modified;
    bool definite; /* pivots have to be positive: icc */
    double shift;  /* of the diagonal, as a fraction of it */
} rw_factors;

/* The pattern on one side of the diagonal; places: also the index of each block in the pattern of f. false: no
 * memory. */
bool rw_factors_side(const rw_factors *f, bool upper, bool places, rw_host *t);
/* Symbolic factorisation with fill up to a level, from f->a into f->first and f->column, which f then owns. */
rw_status rw_factors_fill(rw_factors *f, int level);
/* The factors of ilut into f->side[0].t, f->side[1].t and f->inverse, from f->a and f->order. p: device and
 * specification alone. */
rw_status rw_ilut_eliminate(const rw_precond *p, rw_factors *f);
/* Whether the factors are computed on the device in a known pattern. Those of icc, which tries shifts, and of ilut are
 * computed on the host. */
bool rw_factors_stay_there(const rw_precond_spec *s, bool threads);
/* New capacity for n elements: grows geometrically, so that growing to n costs O(n) and at most a quarter is unused. */
static inline int64_t rw_more_room(int64_t room, int64_t n) { return RW_MAX(n, room + room / 4); }

/* Begin: allocates T_lower and T_upper in f->side[0] and f->side[1]. End: sends them (or side[].t) and the blocks of
 * D^-1 to the device. */
rw_status rw_factors_begin(rw_precond *p, rw_factors *f);
rw_status rw_factors_end(rw_precond *p, rw_factors *f);
/* Begin for values that stay on the device: creates matrices for T_lower, D^-1 and T_upper; to[e]: position of block e
 * of the pattern in its matrix. */
rw_status rw_factors_begin_there(rw_precond *p, rw_factors *f, int64_t *to);
/* Computes the factors of m in their pattern on the device, between begin and end (factor.c). *bad: the first row in
 * elimination order with a singular pivot, else -1; *finite: this row has only finite entries. */
rw_status rw_factors_compute(rw_precond *p, rw_sparse *m, rw_factors *f, int64_t *bad, bool *finite);
rw_status rw_factors_apply(rw_precond *p, rw_array *x, int64_t from, rw_array *y, rw_queue *q);
void rw_factors_free(rw_precond *p);
/* Multicolour ordering: order[i] are the rows by colour, coloured greedily; neighbours (in either direction) have
 * different colours. */
rw_status rw_order_colours(rw_context *ctx, const rw_host *h, int64_t *order);

/* y <- (zero: 0, else y) + x, x starting at an element. */
rw_status rw_precond_add(const rw_precond *p, rw_array *x, int64_t from, rw_array *y, bool zero, rw_queue *q);

/* Smoother for eigenvalues from 1/ratio of the largest to the largest. Call rw_smoother_free
 * also after an error. */
rw_status rw_smoother_create(rw_precond *p, rw_operator *a, const rw_host *host, const char *who, double ratio,
                             rw_smoother *s);
void rw_smoother_free(rw_smoother *s);
/* zero: the initial y is taken as 0 and not read. */
rw_status rw_chebyshev_run(const rw_precond *p, const rw_smoother *s, rw_array *b, rw_array *y, bool zero, rw_queue *q);

/* Shared by amg and its memory estimate. */
enum {
    RW_AMG_DIRECT = 200,
    RW_AMG_STUCK = 1000
};                                         /* maximum unknowns for a direct solve; the same if coarsening stagnates */
#define RW_AMG_THETA 0.08                  /* on the first grid */
double *rw_amg_diagonal(const rw_host *a); /* squared sizes of the diagonal blocks, by rw_precond_unit */
bool *rw_amg_strong(const rw_host *a, const double *diagonal, double theta); /* of each block */
/* of[i]: the aggregate of row i, -1 for rows without strong neighbours. Their number. */
int64_t rw_amg_aggregate(const rw_host *a, const bool *strong, int64_t *of);
/* The conjugate transpose; values: with its blocks, else the pattern alone. false: no memory. */
bool rw_host_transpose(const rw_host *h, bool values, rw_host *t);

/* Gathers entries into r x r blocks; r divides the number of rows. false: no memory. */
bool rw_host_gather(const rw_host *h, int r, rw_host *b);
/* Unknowns per node of a grid: the largest size of blocks that are nearly full where they have an entry. 1: a scalar
 * equation, or no memory. */
int rw_unknowns_per_node(const rw_host *h);

#endif
