/* cuSPARSE as a peer: y = A x of a matrix that is on the device, in BSR (bcsr, blocks row after row) or CSR;
 * libcusparse opened at run time. */
#include <string.h>

#include "bench/bench.h"
#include "sparse/host.h"

enum { DIRECTION_ROW = 0, NOT_TRANSPOSED = 0 };

static void *address_of(const rw_array *a) { return a->storage->allocation->buffer.pointer; }

typedef union number {
    float f[2];
    double d[2];
} number;

static number one_of(rw_dtype dtype) { return rw_dtype_is_single(dtype) ? (number){.f = {1}} : (number){.d = {1}}; }

typedef struct bsr {
    void *handle, *descriptor;
    rw_sparse_arrays m;
    rw_array *x, *y;
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*set_stream)(void *handle, void *stream);
    int (*create_descriptor)(void **descriptor);
    int (*destroy_descriptor)(void *descriptor);
    int (*multiply)(void *handle, int direction, int operation, int mb, int nb, int nnzb, const void *alpha,
                    const void *descriptor, const void *value, const int *first, const int *column, int block,
                    const void *x, const void *beta, void *y);
    number one, zero;
    rw_context *ctx;
} bsr;

static rw_status call_bsr(void *user, int round RW_UNUSED)
{
    bsr *c = user;
    const rw_sparse_arrays *m = &c->m;
    int error = c->multiply(c->handle, DIRECTION_ROW, NOT_TRANSPOSED, (int)m->block_rows, (int)m->block_columns,
                            (int)m->column->size, &c->one, c->descriptor, address_of(m->value), address_of(m->first),
                            address_of(m->column), m->block, address_of(c->x), &c->zero, address_of(c->y));
    return error ? rw_fail(c->ctx, RW_ERR_LAUNCH, "cusparse bsrmv: error %d", error) : RW_OK;
}

static void close_bsr(void *state)
{
    bsr *c = state;
    if (c->descriptor) c->destroy_descriptor(c->descriptor);
    if (c->handle) c->destroy(c->handle);
    rw_array_destroy(&c->y);
    rw_free(c);
}

static bool find_all(const rw_library_function *functions, int n)
{
    void *library = rw_library_open("cusparse", "RECHENWERK_CUSPARSE");
    return library && rw_library_functions(library, "cusparse", functions, n);
}

static bool find_bsr(bsr *c, rw_dtype dtype)
{
    static const char *const names[] =
        {[RW_F32] = "Sbsrmv", [RW_F64] = "Dbsrmv", [RW_C64] = "Cbsrmv", [RW_C128] = "Zbsrmv"};
    const rw_library_function functions[] = {{"Create", &c->create},
                                             {"Destroy", &c->destroy},
                                             {"SetStream", &c->set_stream},
                                             {"CreateMatDescr", &c->create_descriptor},
                                             {"DestroyMatDescr", &c->destroy_descriptor},
                                             {names[dtype], &c->multiply}};
    return find_all(functions, RW_COUNT(functions));
}

/* What the library reads, and y that it may overwrite, to the device. */
static rw_status bring(rw_bench *b, const rw_sparse_arrays *m, rw_array *x, rw_array *y)
{
    rw_array *const used[] = {m->first, m->column, m->value, x, y};
    for (int i = 0; i < RW_COUNT(used); ++i) RW_TRY(rw_storage_use(used[i]->storage, b->queue));
    rw_storage_written(y->storage);
    return RW_OK;
}

static rw_status prepare_bsr(rw_bench *b, bsr *c)
{
    RW_TRY(rw_bench_array(b, c->x->dtype, c->m.block_rows * c->m.block, &c->y));
    RW_TRY(bring(b, &c->m, c->x, c->y));
    int error = c->create(&c->handle);
    if (!error) error = c->create_descriptor(&c->descriptor);
    if (!error) error = c->set_stream(c->handle, b->queue->state);
    return error ? rw_fail(b->ctx, RW_ERR_UNSUPPORTED, "cuSPARSE cannot be initialised: error %d", error) : RW_OK;
}

static rw_status not_found(rw_bench *b)
{
    return rw_fail(b->ctx, RW_ERR_UNSUPPORTED, "libcusparse not found: set RECHENWERK_CUSPARSE to its path");
}

static rw_status open_bsr(rw_bench *b, const rw_sparse_arrays *m, rw_array *x, rw_peer *peer)
{
    bsr *c = rw_calloc(1, sizeof *c);
    if (!c) return rw_fail_memory(b->ctx, sizeof *c, "a comparison library");
    c->ctx = b->ctx;
    c->m = *m;
    c->x = x;
    c->one = one_of(x->dtype);
    const rw_status status = find_bsr(c, x->dtype) ? prepare_bsr(b, c) : not_found(b);
    return rw_peer_keep(peer, status, (rw_peer){{"cuSPARSE BSR", call_bsr, c}, c, close_bsr});
}

/* ---- rows (CSR), by the newer interface: descriptors of matrix and vectors, a buffer, a preparation -------------- */

enum { INDEX_32 = 2, BASE_ZERO = 0, ALGORITHM_DEFAULT = 0 };

typedef struct csr {
    void *handle, *matrix, *x_vector, *y_vector;
    rw_array *buffer, *y;
    int type;
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*set_stream)(void *handle, void *stream);
    int (*create_csr)(void **matrix, int64_t rows, int64_t columns, int64_t entries, void *first, void *column,
                      void *value, int first_type, int column_type, int base, int type);
    int (*create_vector)(void **vector, int64_t n, void *values, int type);
    int (*destroy_matrix)(void *matrix);
    int (*destroy_vector)(void *vector);
    int (*buffer_size)(void *handle, int op, const void *alpha, const void *matrix, const void *x, const void *beta,
                       void *y, int type, int algorithm, size_t *bytes);
    int (*preprocess)(void *handle, int op, const void *alpha, const void *matrix, const void *x, const void *beta,
                      void *y, int type, int algorithm, void *buffer);
    int (*multiply)(void *handle, int op, const void *alpha, const void *matrix, const void *x, const void *beta,
                    void *y, int type, int algorithm, void *buffer);
    number one, zero;
    rw_context *ctx;
} csr;

static rw_status call_csr(void *user, int round RW_UNUSED)
{
    csr *c = user;
    int error = c->multiply(c->handle, NOT_TRANSPOSED, &c->one, c->matrix, c->x_vector, &c->zero, c->y_vector, c->type,
                            ALGORITHM_DEFAULT, address_of(c->buffer));
    return error ? rw_fail(c->ctx, RW_ERR_LAUNCH, "cusparseSpMV: error %d", error) : RW_OK;
}

static void close_csr(void *state)
{
    csr *c = state;
    if (c->matrix) c->destroy_matrix(c->matrix);
    if (c->x_vector) c->destroy_vector(c->x_vector);
    if (c->y_vector) c->destroy_vector(c->y_vector);
    if (c->handle) c->destroy(c->handle);
    rw_array_destroy(&c->buffer);
    rw_array_destroy(&c->y);
    rw_free(c);
}

static bool find_csr(csr *c)
{
    const rw_library_function functions[] = {{"Create", &c->create},
                                             {"Destroy", &c->destroy},
                                             {"SetStream", &c->set_stream},
                                             {"CreateCsr", &c->create_csr},
                                             {"CreateDnVec", &c->create_vector},
                                             {"DestroySpMat", &c->destroy_matrix},
                                             {"DestroyDnVec", &c->destroy_vector},
                                             {"SpMV_bufferSize", &c->buffer_size},
                                             {"SpMV_preprocess", &c->preprocess},
                                             {"SpMV", &c->multiply}};
    return find_all(functions, RW_COUNT(functions));
}

static rw_status prepare_csr(rw_bench *b, csr *c, const rw_sparse_arrays *m, rw_array *x)
{
    size_t bytes = 0;
    RW_TRY(rw_bench_array(b, x->dtype, m->block_rows, &c->y));
    RW_TRY(bring(b, m, x, c->y));
    int error = c->create(&c->handle);
    if (!error) error = c->set_stream(c->handle, b->queue->state);
    if (!error)
        error = c->create_csr(&c->matrix, m->block_rows, m->block_columns, m->value->size, address_of(m->first),
                              address_of(m->column), address_of(m->value), INDEX_32, INDEX_32, BASE_ZERO, c->type);
    if (!error) error = c->create_vector(&c->x_vector, m->block_columns, address_of(x), c->type);
    if (!error) error = c->create_vector(&c->y_vector, m->block_rows, address_of(c->y), c->type);
    if (!error)
        error = c->buffer_size(c->handle, NOT_TRANSPOSED, &c->one, c->matrix, c->x_vector, &c->zero, c->y_vector,
                               c->type, ALGORITHM_DEFAULT, &bytes);
    if (!error) {
        RW_TRY(rw_bench_array(b, RW_U8, (int64_t)bytes + 16, &c->buffer));
        error = c->preprocess(c->handle, NOT_TRANSPOSED, &c->one, c->matrix, c->x_vector, &c->zero, c->y_vector,
                              c->type, ALGORITHM_DEFAULT, address_of(c->buffer));
    }
    return error ? rw_fail(b->ctx, RW_ERR_UNSUPPORTED, "cuSPARSE cannot be initialised: error %d", error) : RW_OK;
}

static rw_status open_csr(rw_bench *b, const rw_sparse_arrays *m, rw_array *x, rw_peer *peer)
{
    static const int types[] = {[RW_F32] = 0, [RW_F64] = 1, [RW_C64] = 4, [RW_C128] = 5};
    csr *c = rw_calloc(1, sizeof *c);
    if (!c) return rw_fail_memory(b->ctx, sizeof *c, "a comparison library");
    c->ctx = b->ctx;
    c->type = types[x->dtype];
    c->one = one_of(x->dtype);
    const rw_status status = find_csr(c) ? prepare_csr(b, c, m, x) : not_found(b);
    return rw_peer_keep(peer, status, (rw_peer){{"cuSPARSE CSR", call_csr, c}, c, close_csr});
}

rw_status rw_cusparse_open(rw_bench *b, rw_sparse *m, rw_array *x, rw_peer *peer)
{
    rw_sparse_arrays arrays;
    *peer = (rw_peer){0};
    if (strcmp(b->dev->info.kind, "cuda") != 0)
        return rw_fail(b->ctx, RW_ERR_UNSUPPORTED, "cuSPARSE is for cuda devices");
    RW_TRY(rw_sparse_get_arrays(m, &arrays));
    return arrays.block == 1 ? open_csr(b, &arrays, x, peer) : open_bsr(b, &arrays, x, peer);
}
