/* GMRES on the matrix of all grid blocks, as the document ran it and as one would today: everything on a device, or its
 * products alone with x sent and y fetched in each and the rest on the processors. Equal iterations, so that times
 * compare: the document's "no gain if vectors are copied", for the whole solver.
 *
 * Both are rw_krylov's with one matrix; the second has a map without entries on the processors whose function asks the
 * device. */
#include <math.h>
#include <string.h>

#include "lab/spmv.h"
#include "measure/measure.h"
#include "rechenwerk/krylov.h"
#include "sparse/host.h"

const rw_lab_column rw_spmv_gmres_columns[SPMV_GMRES_COLUMNS] = {
    [G_CASE] = {"case", "", RW_SHOW_NAME, false, NULL},
    [G_LIES] = {"on the device", "", RW_SHOW_NAME, false,
                "everything, or only the products while the rest runs on the processors"},
    [G_WHERE] = {"where", "", RW_SHOW_NAME, false, "device"},
    [G_SECONDS] = {"time", "s", RW_SHOW_REAL, false,
                   "best time of 100 iterations without restart and preconditioner; first and last residual included"},
    [G_COPIED] = {"copied", "MB", RW_SHOW_REAL, false, "bytes copied to and from the device per iteration"},
    [G_GAIN] = {"gain", "", RW_SHOW_RATIO, false, "speedup over everything on the processors"},
    [G_ITERATIONS] = {"iterations", "", RW_SHOW_INTEGER, false,
                      "iterations that were made; fewer if the residual became 0"},
    [G_RESIDUAL] = {"residual", "", RW_SHOW_ERROR, false, "|b - A x| / |b| at the end"},
};

/* A product by another device. */
typedef struct offload {
    rw_sparse *matrix;
    rw_array *x, *y; /* there */
} offload;

static rw_status copy_over(rw_array *from, rw_array *to)
{
    const void *p;
    void *q;
    RW_TRY(rw_array_read(from, &p));
    RW_TRY(rw_array_write(to, &q));
    memcpy(q, p, from->bytes);
    return RW_OK;
}

static rw_status multiply_there(void *user, rw_op op, rw_array *x, rw_array *y, rw_queue *q RW_UNUSED)
{
    const offload *o = user;
    RW_TRY(copy_over(x, o->x));
    RW_TRY(rw_sparse_multiply(o->matrix, op, NULL, o->x, NULL, o->y, rw_device_queue(o->x->device)));
    return copy_over(o->y, y);
}

typedef struct solver_run {
    rw_device *device;        /* of the solver */
    const rw_device *watched; /* whose copies are counted */
    rw_operator *a;           /* the solver's */
    rw_array *b, *x;
    double seconds, copied, residual;
    int64_t iterations;
} solver_run;

static rw_status solve_once(solver_run *s, rw_krylov *k)
{
    rw_krylov_result r;
    RW_TRY(rw_array_zero(s->x, rw_device_queue(s->device)));
    const rw_counters before = rw_counters_of(s->watched);
    const rw_status status = rw_krylov_solve(k, s->b, s->x, &r);
    if (status != RW_OK && status != RW_ERR_NOT_CONVERGED) return status;
    const rw_counters after = rw_counters_of(s->watched);
    s->iterations = RW_MAX(r.iterations, 1);
    s->residual = r.residual / r.right_side;
    s->copied = (double)(after.bytes_in - before.bytes_in + after.bytes_out - before.bytes_out) / (double)s->iterations;
    s->seconds = fmin(s->seconds, r.seconds * SPMV_PRODUCTS / (double)s->iterations);
    return RW_OK;
}

static rw_krylov_spec spec_of(const rw_lab *lab)
{
    const int n = (int)rw_lab_number(lab, "iterations");
    return (rw_krylov_spec){.method = RW_KRYLOV_GMRES, .rtol = 1e-300, .iterations = n, .restart = n};
}

/* The first solve compiles and records. */
static rw_status time_solves(const rw_lab *lab, solver_run *s)
{
    const rw_krylov_spec spec = spec_of(lab);
    const double start = rw_seconds();
    rw_krylov *k;
    s->seconds = INFINITY;
    RW_TRY(rw_krylov_create(s->a, s->b->dtype, &spec, &k));
    rw_status status = RW_OK;
    for (int i = 0; i <= rw_lab_number(lab, "runs") &&
                    (i < 2 || rw_seconds() - start < rw_lab_number(lab, "seconds")) && status == RW_OK;
         ++i)
        status = solve_once(s, k);
    rw_krylov_destroy(&k);
    return status;
}

static rw_status make_vectors(solver_run *s, rw_dtype type)
{
    rw_operator_info info;
    RW_TRY(rw_operator_get_info(s->a, &info));
    const int64_t n = info.rows;
    RW_TRY(rw_array_create(s->device, type, 1, &n, RW_MEMORY_DEVICE, &s->b));
    RW_TRY(rw_array_create(s->device, type, 1, &n, RW_MEMORY_DEVICE, &s->x));
    RW_TRY(rw_random_fill(s->b, 17, -0.5));
    return rw_array_send(s->b, rw_device_queue(s->device));
}

static rw_status time_system(const rw_lab *lab, solver_run *s, rw_dtype type)
{
    rw_status status = make_vectors(s, type);
    if (status == RW_OK) status = time_solves(lab, s);
    rw_array_destroy(&s->b);
    rw_array_destroy(&s->x);
    return status;
}

static rw_status assemble(const rw_lab *lab, rw_device *dev, int which, rw_sparse **matrix)
{
    rw_multiblock_spec grid = rw_spmv_grid(lab, which);
    rw_sparse_layout layout;
    grid.mode = RW_MULTIBLOCK_INNER; /* a square matrix: what lies outside of the grid is 0 */
    RW_TRY(rw_spmv_our_layout(dev, rw_spmv_dtype(rw_spmv_kind_of(lab) == RW_SPMV_CC, rw_spmv_is_f64(lab)), &layout));
    return rw_multiblock_assemble(dev, &grid, RW_MULTIBLOCK_ALL, RW_MULTIBLOCK_COMPACT, &layout, matrix);
}

static rw_dtype vectors_of(const rw_lab *lab)
{
    return rw_spmv_dtype(rw_spmv_kind_of(lab) != RW_SPMV_RR, rw_spmv_is_f64(lab));
}

static rw_status put_row(rw_lab *lab, int which, const char *lies, const char *where, const solver_run *s, double base)
{
    const double values[] = {[G_SECONDS] = s->seconds,
                             [G_COPIED] = s->copied * 1e-6,
                             [G_GAIN] = base / s->seconds,
                             [G_ITERATIONS] = (double)s->iterations,
                             [G_RESIDUAL] = s->residual};
    RW_TRY(rw_lab_row(lab, SPMV_GMRES));
    RW_TRY(rw_lab_put_name(lab, SPMV_GMRES, G_CASE, rw_spmv_case(which), false));
    RW_TRY(rw_lab_put_name(lab, SPMV_GMRES, G_LIES, lies, false));
    RW_TRY(rw_lab_put_name(lab, SPMV_GMRES, G_WHERE, where, false));
    rw_lab_put_values(lab, SPMV_GMRES, G_SECONDS, RW_COUNT(values), values);
    return RW_OK;
}

static rw_status time_offloaded(const rw_lab *lab, rw_device *host, rw_device *dev, rw_sparse *matrix, solver_run *s)
{
    const rw_dtype type = vectors_of(lab);
    const int64_t n = rw_sparse_size_of(matrix).rows;
    offload o = {.matrix = matrix};
    const rw_operator_spec map =
        {.rows = n, .columns = n, .type = type, .multiply = multiply_there, .direct = true, .user = &o};
    *s = (solver_run){.device = host, .watched = dev};
    rw_status status = rw_array_create(dev, type, 1, &n, RW_MEMORY_DEVICE, &o.x);
    if (status == RW_OK) status = rw_array_create(dev, type, 1, &n, RW_MEMORY_DEVICE, &o.y);
    if (status == RW_OK) status = rw_operator_create(host, &map, &s->a);
    if (status == RW_OK) status = time_system(lab, s, type);
    rw_operator_destroy(&s->a);
    rw_array_destroy(&o.x);
    rw_array_destroy(&o.y);
    return status;
}

/* Everything on a device; its products alone where it is none of the processors. */
static rw_status measure_device(rw_spmv_study *s, rw_device *host, int device, double *base)
{
    rw_lab *lab = s->lab;
    rw_device *dev = device < 0 ? host : lab->devices[device];
    const char *name = dev->info.name;
    rw_sparse *matrix;
    solver_run all = {.device = dev, .watched = dev}, products;
    rw_lab_say(lab, "%s: GMRES on %s", rw_spmv_case(s->which), name);
    RW_TRY(assemble(lab, dev, s->which, &matrix));
    all.a = rw_sparse_operator(matrix);
    rw_status status = time_system(lab, &all, vectors_of(lab));
    if (status == RW_OK && dev == host) *base = all.seconds;
    if (status == RW_OK) status = put_row(lab, s->which, "everything", name, &all, *base);
    if (status == RW_OK && strcmp(dev->info.kind, "cpu") != 0) {
        status = time_offloaded(lab, host, dev, matrix, &products);
        if (status == RW_OK) status = put_row(lab, s->which, "products", name, &products, *base);
        if (status == RW_OK && *base > 0) /* the processors had room for it */
            rw_lab_note(
                lab,
                "gmres: %s on %s: with only the products on the device it is %.3g times as fast as with everything on "
                "%s, with everything on the device %.3g times as fast: %s",
                rw_spmv_case(s->which), name, *base / products.seconds, host->info.name, *base / all.seconds,
                all.seconds < products.seconds ? "keeping everything on the device is faster"
                                               : "keeping everything on the device is not faster");
    }
    rw_sparse_destroy(&matrix);
    return status;
}

/* Bytes of a solver and its matrix, by the size of a grid block. */
static rw_status check_room(rw_spmv_study *s, const rw_device *dev, double room, bool *fits)
{
    rw_lab *lab = s->lab;
    const rw_multiblock_spec grid = rw_spmv_grid(lab, s->which);
    const rw_krylov_spec spec = spec_of(lab);
    const rw_dtype type = vectors_of(lab);
    rw_spmv_shape shape;
    RW_TRY(rw_spmv_measure(lab->ctx, &grid, &shape));
    const int64_t n = 5 * shape.cells * shape.grid_blocks;
    const double bytes = (double)(n * 2 * (int64_t)rw_dtype_size(type) + rw_krylov_memory(&spec, n, type)) +
                         (double)(shape.blocks * shape.grid_blocks) * (25. * (double)rw_dtype_size(type) + 4);
    *fits = bytes <= room;
    if (!*fits)
        rw_lab_note(lab, "gmres: %s on %s: skipped, because it needs %.3g GB and %.3g GB are available",
                    rw_spmv_case(s->which), dev->info.name, bytes * 1e-9, room * 1e-9);
    return RW_OK;
}

static rw_status measure_fitting(rw_spmv_study *s, rw_device *host, int device, double *base)
{
    const double room =
        device < 0 ? host->info.memory > 0 ? (double)host->info.memory : INFINITY : rw_spmv_memory(s->lab, device);
    rw_device *dev = device < 0 ? host : s->lab->devices[device];
    bool fits;
    RW_TRY(check_room(s, dev, room, &fits));
    const rw_status status = fits ? measure_device(s, host, device, base) : RW_OK;
    if (status != RW_ERR_COMPILE && status != RW_ERR_MEMORY) return status;
    rw_lab_note(s->lab, "gmres: %s on %s: %s", rw_spmv_case(s->which), dev->info.name, rw_message(s->lab->ctx));
    return RW_OK;
}

/* The processors first: the first device of the study that is one, else all of them. */
rw_status rw_spmv_solve(rw_spmv_study *s)
{
    rw_lab *lab = s->lab;
    rw_device *host = NULL, *own = NULL;
    double base = NAN;
    int at = 0;
    while (at < lab->ndevices && strcmp(lab->info[at].kind, "cpu") != 0) ++at;
    if (at == lab->ndevices) at = -1;
    if (at < 0) RW_TRY(rw_device_open(lab->ctx, "cpu", &own));
    host = at < 0 ? own : lab->devices[at];
    rw_status status = measure_fitting(s, host, at, &base);
    for (int d = 0; d < lab->ndevices && status == RW_OK; ++d)
        if (d != at) status = measure_fitting(s, host, d, &base);
    rw_device_close(&own);
    return status;
}
