/* Study: products of block-sparse matrices with vectors as F. Kautz measured them in 2011 on two GPUs, his kernels and
 * ours, on the devices of today.
 *
 *   y <- A x       eight grid blocks one after another, 13 blocks of 5 x 5 a row (Euler equations in three dimensions),
 *                  complex single precision
 *
 * The document's matrices come from a flow solver that we do not have; ours have the same pattern
 * (rechenwerk/multiblock.h, mode full), with zeros in blocks such that ELL keeps 54 of 65 entries of a row, as its
 * counts of operations say. It measured inside 100 iterations of GMRES on a processor: x goes to the device for each
 * product and y comes back, which is the protocol here too ("time"); "resident" is the same with vectors that stay on
 * the device. Operations are 8 for a product of two complex numbers; zeros in blocks count where a layout keeps them,
 * padding does not. The document's count is 1.13 times that and follows from nothing that it says; rates of its times
 * are taken with ours, table `published` has its own.
 *
 * It chose a kernel by definitions of the preprocessor, one program each; here that is `products`. */
#include <math.h>
#include <string.h>

#include "lab/occupancy.h"
#include "lab/spmv.h"
#include "lab/windows.h"
#include "measure/measure.h"
#include "sparse/host.h"

/* ---- settings ---------------------------------------------------------------------------------------------------- */

static int whole_of(const rw_lab *lab, const char *name) { return (int)rw_lab_number(lab, name); }
rw_spmv_kind rw_spmv_kind_of(const rw_lab *lab) { return (rw_spmv_kind)rw_lab_setting_of(lab, "kind")->word; }
bool rw_spmv_is_f64(const rw_lab *lab) { return rw_lab_setting_of(lab, "type")->word; }

rw_spmv_options rw_spmv_options_of(const rw_lab *lab)
{
    return (rw_spmv_options){whole_of(lab, "section"), whole_of(lab, "block_section"), whole_of(lab, "window")};
}

/* A case as it is in the document, or with its axes divided. */
rw_multiblock_spec rw_spmv_grid(const rw_lab *lab, int which)
{
    int n;
    const rw_study_case *c = rw_study_cases(&n) + which;
    const int divide = whole_of(lab, "divide");
    const bool is_complex = rw_spmv_kind_of(lab) == RW_SPMV_CC;
    rw_multiblock_spec grid = {.blocks = {whole_of(lab, "grid_blocks"), 1, 1},
                               .mode = RW_MULTIBLOCK_FULL,
                               .zeros = true,
                               .is_complex = is_complex,
                               .omega = is_complex ? 0.1 : 0};
    for (int a = 0; a < 3; ++a) grid.cells[a] = (c->cells[a] + divide - 1) / divide;
    return grid;
}

const char *rw_spmv_case(int which)
{
    int n;
    return rw_study_cases(&n)[which].name;
}

/* Its numbers are compared with ours where both do the same work. */
static bool is_documents(const rw_lab *lab)
{
    return whole_of(lab, "grid_blocks") == 8 && whole_of(lab, "divide") == 1 && rw_spmv_kind_of(lab) == RW_SPMV_CC &&
           !rw_spmv_is_f64(lab);
}

/* `products` in the order of spmv.def; "all" is the word 0. */
static bool is_chosen(const rw_lab *lab, int method)
{
    const rw_lab_setting *s = rw_lab_setting_of(lab, "products");
    for (int i = 0; i < s->n; ++i)
        if (s->number[i] == 0 || s->number[i] == method + 1) return true;
    return false;
}

bool rw_spmv_is_run(const rw_lab *lab, int method, int device)
{
    return is_chosen(lab, method) &&
           (!(rw_spmv_methods[method].flags & RW_SPMV_CUDA) || !strcmp(lab->info[device].kind, "cuda"));
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

enum {
    R_CASE,
    R_PRODUCT,
    R_WHERE,
    R_BEST,
    R_MEDIAN,
    R_MOST,
    R_DEVICE,
    R_CPU,
    R_RESIDENT,
    R_RATE,
    R_RESIDENT_RATE,
    R_SLOWER,
    R_DIFFERENCE
};
static const rw_lab_column runs_columns[] = {
    [R_CASE] = {"case", "", RW_SHOW_NAME, false, "cells of a grid block along x, theta, r"},
    [R_PRODUCT] = {"product", "", RW_SHOW_NAME, false, "ours: rw_sparse_multiply"},
    [R_WHERE] = {"where", "", RW_SHOW_NAME, false, "device, or source of the published time"},
    [R_BEST] = {"time", "s", RW_SHOW_REAL, false,
                "best time of 100 products of all grid blocks, each with x copied to the device and y back; runs with "
                "fewer products (`most`, `seconds`) are scaled to 100"},
    [R_MEDIAN] = {"median", "s", RW_SHOW_REAL, false, NULL},
    [R_MOST] = {"slowest", "s", RW_SHOW_REAL, false, NULL},
    [R_DEVICE] = {"device time", "s", RW_SHOW_REAL, false,
                  "time of the best run by the clock of the device, if it has one"},
    [R_CPU] =
        {"CPU time", "s", RW_SHOW_REAL, false,
         "time of all threads in the best run; resolution up to 10 ms, because Linux accounts for running threads in "
         "such steps"},
    [R_RESIDENT] = {"resident", "s", RW_SHOW_REAL, false, "best run with vectors that stay on the device"},
    [R_RATE] = {"rate", "GFLOP/s", RW_SHOW_REAL, false,
                "useful operations divided by `time`: 25 entries per block, for ELL without the zeros in blocks"},
    [R_RESIDENT_RATE] = {"rate resident", "GFLOP/s", RW_SHOW_REAL, false, "useful operations divided by `resident`"},
    [R_SLOWER] = {"slower", "", RW_SHOW_RATIO, false, "`time` divided by the time of MPI on eight cores in 2011"},
    [R_DIFFERENCE] = {"difference", "", RW_SHOW_ERROR, false,
                      "difference of y from the y of the first row of the case, relative to the largest entry"},
};

enum { W_PRODUCT, W_WHERE, W_FIRST, W_COLUMNS = W_FIRST + RW_SPMV_CASES };
#define CASES(unit)                                                                                                    \
    {"10x40x20", unit, RW_SHOW_REAL, false, NULL}, {"10x40x40", unit, RW_SHOW_REAL, false, NULL},                      \
        {"20x40x20", unit, RW_SHOW_REAL, false, NULL}, {"10x40x80", unit, RW_SHOW_REAL, false, NULL},                  \
        {"10x80x40", unit, RW_SHOW_REAL, false, NULL},                                                                 \
    {                                                                                                                  \
        "40x80x40", unit, RW_SHOW_REAL, false, NULL                                                                    \
    }
static const rw_lab_column times_columns[] = {{"product", "", RW_SHOW_NAME, false, NULL},
                                              {"where", "", RW_SHOW_NAME, false, NULL},
                                              CASES("s")};
static const rw_lab_column rates_columns[] = {{"product", "", RW_SHOW_NAME, false, NULL},
                                              {"where", "", RW_SHOW_NAME, false, NULL},
                                              CASES("GFLOP/s")};

enum {
    A_PRODUCT,
    A_WHERE,
    A_ITEMS,
    A_MORE,
    A_LAUNCHES,
    A_READS,
    A_SENT,
    A_FETCHED,
    A_TRAFFIC,
    A_TESLA,
    A_FERMI,
    A_REGISTERS,
    A_SPILLED,
    A_OCCUPANCY
};
static const rw_lab_column anatomy_columns[] = {
    [A_PRODUCT] = {"product", "", RW_SHOW_NAME, false, NULL},
    [A_WHERE] = {"where", "", RW_SHOW_NAME, false, NULL},
    [A_ITEMS] = {"items", "", RW_SHOW_INTEGER, false, "work-items of the multiplication of a grid block"},
    [A_MORE] = {"items reduction", "", RW_SHOW_INTEGER, false, NULL},
    [A_LAUNCHES] = {"launches", "", RW_SHOW_REAL, false, "launches per product of all grid blocks"},
    [A_READS] = {"index reads", "", RW_SHOW_INTEGER, false, "reads of column indices per block of 5 x 5"},
    [A_SENT] = {"sent", "MB", RW_SHOW_REAL, false,
                "bytes sent to the device per product, as counted: 0 if the device uses host memory"},
    [A_FETCHED] = {"fetched", "MB", RW_SHOW_REAL, false, "bytes fetched from the device per product"},
    [A_TRAFFIC] =
        {"traffic", "GB/s", RW_SHOW_REAL, false,
         "each array read or written once, sums between two kernels twice, divided by `resident` if measured, else by "
         "`time`"},
    [A_TESLA] = {"occupancy C1060", "", RW_SHOW_RATIO, false,
                 "occupancy from the registers printed in the thesis, workgroups of 256"},
    [A_FERMI] = {"occupancy Quadro", "", RW_SHOW_RATIO, false, NULL},
    [A_REGISTERS] = {"registers", "", RW_SHOW_INTEGER, false,
                     "registers per work-item of the multiplication, if the device reports them"},
    [A_SPILLED] = {"spilled", "B", RW_SHOW_INTEGER, false, "spilled registers per work-item"},
    [A_OCCUPANCY] = {"occupancy", "", RW_SHOW_RATIO, false,
                     "resident work-items on a compute unit divided by the maximum"},
};

enum { V_CASE, V_WHERE, V_COPIED_BY, V_COPIED, V_RESIDENT_BY, V_RESIDENT, V_SHARE, V_GAIN, V_RESIDENT_GAIN };
static const rw_lab_column vectors_columns[] = {
    [V_CASE] = {"case", "", RW_SHOW_NAME, false, NULL},
    [V_WHERE] = {"where", "", RW_SHOW_NAME, false, NULL},
    [V_COPIED_BY] = {"product", "", RW_SHOW_NAME, false, "fastest product with vectors copied in each product"},
    [V_COPIED] = {"time", "s", RW_SHOW_REAL, false, "time of this product"},
    [V_RESIDENT_BY] = {"product resident", "", RW_SHOW_NAME, false,
                       "fastest product with vectors that stay on the device"},
    [V_RESIDENT] = {"resident", "s", RW_SHOW_REAL, false, "time of this product"},
    [V_SHARE] = {"share", "", RW_SHOW_RATIO, false, "fraction of the time with copies that the copies take"},
    [V_GAIN] = {"gain", "", RW_SHOW_RATIO, false,
                "speedup over the fastest product of the first device, with copies; the thesis expects none with "
                "copies"},
    [V_RESIDENT_GAIN] = {"gain resident", "", RW_SHOW_RATIO, false, "speedup with vectors that stay on the device"},
};

enum { B_CASE, B_PRODUCT, B_WHERE, B_FASTEST, B_MEDIAN, B_SLOWEST, B_RATIO };
static const rw_lab_column blocks_columns[] = {
    [B_CASE] = {"case", "", RW_SHOW_NAME, false, NULL},
    [B_PRODUCT] = {"product", "", RW_SHOW_NAME, false, NULL},
    [B_WHERE] = {"where", "", RW_SHOW_NAME, false, NULL},
    [B_FASTEST] =
        {"fastest", "s", RW_SHOW_REAL, false,
         "fastest grid block: best run of 100 products of this block alone; vectors stay on the device, except if "
         "everything is sent in each product"},
    [B_MEDIAN] = {"median", "s", RW_SHOW_REAL, false, NULL},
    [B_SLOWEST] = {"slowest", "s", RW_SHOW_REAL, false, NULL},
    [B_RATIO] = {"ratio", "", RW_SHOW_RATIO, false,
                 "slowest divided by fastest; up to 10 with MPI in 2011, where the fastest was printed"},
};

/* ---- all products of a case -------------------------------------------------------------------------------------- */

static rw_spmv_outcome *outcome_of(const rw_spmv_study *s, int which, int device, int method)
{
    return s->all + ((int64_t)which * RW_LAB_DEVICES + device) * s->methods + method;
}

double rw_spmv_memory(const rw_lab *lab, int device)
{
    const double given = rw_lab_number(lab, "memory") * 1e9;
    return given > 0 ? given : lab->info[device].memory > 0 ? (double)lab->info[device].memory : INFINITY;
}

/* Largest difference of y, over the largest number. */
static rw_status compare(rw_spmv_study *s, const rw_spmv *p, double *difference)
{
    rw_array *y = p->block[0].part[RW_SPMV_Y];
    const int64_t n = 5 * p->shape.cells;
    const void *data;
    double most = 0, largest = 0;
    bool is_first = !s->first;
    if (is_first && !(s->first = rw_calloc((size_t)n, 2 * sizeof *s->first)))
        return rw_fail_memory(s->lab->ctx, (size_t)n * 16, "a result");
    RW_TRY(rw_array_read(y, &data));
    for (int64_t i = 0; i < n; ++i) {
        const int64_t at = p->method->kernel ? 5 * s->source.row[i / 5] + i % 5 : i;
        const double re = rw_value_get(y->dtype, data, at, 0), im = rw_value_get(y->dtype, data, at, 1);
        if (is_first) {
            s->first[2 * i] = re;
            s->first[2 * i + 1] = im;
        }
        const double d = hypot(re - s->first[2 * i], im - s->first[2 * i + 1]);
        most = isnan(d) ? INFINITY : fmax(most, d);
        largest = fmax(largest, hypot(s->first[2 * i], s->first[2 * i + 1]));
    }
    *difference = most / largest;
    return RW_OK;
}

rw_status rw_spmv_begin_row(rw_lab *lab, int table, const char *product, const char *where, bool other)
{
    static const int product_at[] =
        {[SPMV_RUNS] = R_PRODUCT,    [SPMV_TIMES] = W_PRODUCT,    [SPMV_RATES] = W_PRODUCT,
         [SPMV_ANATOMY] = A_PRODUCT, [SPMV_SECTIONS] = L_PRODUCT, [SPMV_BLOCKS] = B_PRODUCT};
    static const int where_at[] = {[SPMV_RUNS] = R_WHERE,    [SPMV_TIMES] = W_WHERE,    [SPMV_RATES] = W_WHERE,
                                   [SPMV_ANATOMY] = A_WHERE, [SPMV_SECTIONS] = L_WHERE, [SPMV_BLOCKS] = B_WHERE};
    RW_TRY(rw_lab_row(lab, table));
    RW_TRY(rw_lab_put_name(lab, table, product_at[table], product, false));
    return rw_lab_put_name(lab, table, where_at[table], where, other);
}

static rw_status put_run(rw_spmv_study *s, int device, const rw_spmv *p, const rw_spmv_timing *copied,
                         const rw_spmv_timing *resident, double difference)
{
    rw_lab *lab = s->lab;
    if (!rw_lab_wanted(lab, SPMV_RUNS)) return RW_OK;
    RW_TRY(rw_spmv_begin_row(lab, SPMV_RUNS, p->method->name, lab->info[device].name, false));
    RW_TRY(rw_lab_put_name(lab, SPMV_RUNS, R_CASE, rw_spmv_case(s->which), false));
    const double operations = SPMV_PRODUCTS * p->need.operations * 1e-9;
    const double values[] = {[R_BEST] = copied->best,
                             [R_MEDIAN] = copied->median,
                             [R_MOST] = copied->most,
                             [R_DEVICE] = copied->device,
                             [R_CPU] = copied->cpu,
                             [R_RESIDENT] = resident->best,
                             [R_RATE] = operations / copied->best,
                             [R_RESIDENT_RATE] = operations / resident->best,
                             [R_SLOWER] = is_documents(lab) ? copied->best / rw_spmv_mpi[s->which] : NAN,
                             [R_DIFFERENCE] = difference};
    rw_lab_put_values(lab, SPMV_RUNS, R_BEST, RW_COUNT(values), values);
    return RW_OK;
}

static double occupancy(const rw_unit_limits *l, int registers)
{
    return registers ? rw_occupancy_warps(l, RW_SPMV_GROUP, registers, 0) / (double)l->warps : NAN;
}

static rw_status put_anatomy(rw_spmv_study *s, int device, const rw_spmv *p, const rw_spmv_timing *copied,
                             const rw_spmv_timing *resident)
{
    rw_lab *lab = s->lab;
    const rw_spmv_method *m = p->method;
    rw_kernel_resources r = {0};
    if (!rw_lab_wanted(lab, SPMV_ANATOMY) || s->described) return RW_OK;
    if (p->multiply) RW_TRY(rw_kernel_measure(p->multiply, &r));
    RW_TRY(rw_spmv_begin_row(lab, SPMV_ANATOMY, m->name, lab->info[device].name, false));
    const double seconds = isnan(resident->best) ? copied->best : resident->best;
    const double values[] = {[A_ITEMS] = m->kernel ? (double)p->need.items : NAN,
                             [A_MORE] = m->reduction ? (double)p->need.reduction_items : NAN,
                             [A_LAUNCHES] = copied->launches,
                             [A_READS] = m->reads ? m->reads : NAN,
                             [A_SENT] = copied->sent * 1e-6,
                             [A_FETCHED] = copied->fetched * 1e-6,
                             [A_TRAFFIC] = SPMV_PRODUCTS * p->need.moved / seconds * 1e-9,
                             [A_TESLA] = occupancy(&rw_limits_tesla, m->registers),
                             [A_FERMI] = occupancy(&rw_limits_fermi, m->registers),
                             [A_REGISTERS] = r.registers ? r.registers : NAN,
                             [A_SPILLED] = r.registers ? r.spilled : NAN,
                             [A_OCCUPANCY] = r.items_most ? (double)r.items / r.items_most : NAN};
    rw_lab_put_values(lab, SPMV_ANATOMY, A_ITEMS, RW_COUNT(values), values);
    return RW_OK;
}

/* All grid blocks are equal, so what they take apart is the machine's doing. */
static rw_status put_blocks(rw_spmv_study *s, int device, rw_spmv *p)
{
    rw_lab *lab = s->lab;
    const int n = p->shape.grid_blocks;
    double seconds[SPMV_GRID_BLOCKS_MOST];
    if (!rw_lab_wanted(lab, SPMV_BLOCKS)) return RW_OK;
    RW_TRY(rw_spmv_time_each(lab, p, seconds));
    const double median = rw_median(seconds, n); /* sorts them */
    RW_TRY(rw_spmv_begin_row(lab, SPMV_BLOCKS, p->method->name, lab->info[device].name, false));
    RW_TRY(rw_lab_put_name(lab, SPMV_BLOCKS, B_CASE, rw_spmv_case(s->which), false));
    const double values[] = {[B_FASTEST] = seconds[0],
                             [B_MEDIAN] = median,
                             [B_SLOWEST] = seconds[n - 1],
                             [B_RATIO] = seconds[n - 1] / seconds[0]};
    rw_lab_put_values(lab, SPMV_BLOCKS, B_FASTEST, RW_COUNT(values), values);
    return RW_OK;
}

static rw_status measure(rw_spmv_study *s, int device, int method)
{
    const rw_spmv_options options = rw_spmv_options_of(s->lab);
    rw_spmv_timing copied, resident = {.best = NAN};
    double difference = NAN;
    rw_spmv p;
    rw_lab_say(s->lab, "%s: %s on %s", rw_spmv_case(s->which), rw_spmv_methods[method].name, s->lab->info[device].name);
    rw_status status = rw_spmv_create(s->lab->devices[device], &s->source, rw_spmv_methods + method, &options, &p);
    if (status != RW_OK) return status;
    status = rw_spmv_time(s->lab, &p, RW_MULTIBLOCK_ALL, true, &copied);
    if (status == RW_OK) status = compare(s, &p, &difference);
    if (status == RW_OK && !(p.method->flags & RW_SPMV_SENT))
        status = rw_spmv_time(s->lab, &p, RW_MULTIBLOCK_ALL, false, &resident);
    if (status == RW_OK) status = put_run(s, device, &p, &copied, &resident, difference);
    if (status == RW_OK) status = put_anatomy(s, device, &p, &copied, &resident);
    if (status == RW_OK) status = put_blocks(s, device, &p);
    if (status == RW_OK)
        *outcome_of(s, s->which, device, method) =
            (rw_spmv_outcome){copied.best, isnan(resident.best) ? 0 : resident.best};
    rw_spmv_free(&p);
    return status;
}

/* Memory is predicted before anything is allocated; what there is no room for, and what a device cannot run, is a gap
 * with its reason. */
static rw_status measure_on(rw_spmv_study *s, int device)
{
    rw_lab *lab = s->lab;
    const rw_spmv_options options = rw_spmv_options_of(lab);
    rw_text refused = {0};
    rw_status status = RW_OK;
    for (int m = 0; m < s->methods && status == RW_OK; ++m) {
        if (!rw_spmv_is_run(lab, m, device)) continue;
        const rw_spmv_need need =
            rw_spmv_predict(rw_spmv_methods + m, &s->source.shape, rw_spmv_kind_of(lab), rw_spmv_is_f64(lab), &options);
        if (need.memory > rw_spmv_memory(lab, device)) {
            rw_text_add(&refused, "%s %s (%.3g GB)", refused.data ? "," : "", rw_spmv_methods[m].name,
                        need.memory * 1e-9);
            continue;
        }
        status = measure(s, device, m);
        if (status != RW_ERR_UNSUPPORTED && status != RW_ERR_COMPILE && status != RW_ERR_MEMORY) continue;
        rw_lab_note(lab, "%s, %s on %s: %s", rw_spmv_case(s->which), rw_spmv_methods[m].name, lab->info[device].name,
                    rw_message(lab->ctx));
        status = RW_OK;
    }
    if (refused.data)
        rw_lab_note(lab, "%s on %s: skipped, because they need more than %.3g GB:%s", rw_spmv_case(s->which),
                    lab->info[device].name, rw_spmv_memory(lab, device) * 1e-9, refused.data);
    if (status == RW_OK && refused.failed) status = rw_fail_memory(lab->ctx, 256, "a note");
    rw_text_free(&refused);
    return status;
}

/* ---- published times --------------------------------------------------------------------------------------------- */

/* Of 100 products. */
static rw_status operations_of(const rw_lab *lab, int which, const rw_spmv_method *m, double *operations)
{
    const rw_multiblock_spec grid = rw_spmv_grid(lab, which);
    const rw_spmv_options options = rw_spmv_options_of(lab);
    rw_spmv_shape shape;
    RW_TRY(rw_spmv_measure(lab->ctx, &grid, &shape));
    *operations =
        SPMV_PRODUCTS * rw_spmv_predict(m, &shape, rw_spmv_kind_of(lab), rw_spmv_is_f64(lab), &options).operations;
    return RW_OK;
}

static rw_status put_published(rw_spmv_study *s, const rw_spmv_method *m, const char *product, const char *where,
                               double seconds)
{
    double operations;
    if (seconds == 0) return RW_OK;
    RW_TRY(operations_of(s->lab, s->which, m, &operations));
    RW_TRY(rw_spmv_begin_row(s->lab, SPMV_RUNS, product, where, true));
    RW_TRY(rw_lab_put_name(s->lab, SPMV_RUNS, R_CASE, rw_spmv_case(s->which), false));
    rw_lab_put(s->lab, SPMV_RUNS, R_BEST, -1, seconds);
    rw_lab_put(s->lab, SPMV_RUNS, R_RATE, -1, operations / seconds * 1e-9);
    rw_lab_put(s->lab, SPMV_RUNS, R_SLOWER, -1, seconds / rw_spmv_mpi[s->which]);
    return RW_OK;
}

static const char mpi[] = "MPI, 8 cores, 2011";

static rw_status put_all_published(rw_spmv_study *s)
{
    if (!rw_lab_wanted(s->lab, SPMV_RUNS) || !is_documents(s->lab)) return RW_OK;
    for (int g = 0; g < RW_SPMV_DEVICES; ++g)
        for (int m = 0; m < s->methods; ++m)
            if (is_chosen(s->lab, m))
                RW_TRY(put_published(s, rw_spmv_methods + m, rw_spmv_methods[m].name, rw_spmv_gpus[g],
                                     rw_spmv_methods[m].published[g][s->which]));
    return put_published(s, rw_spmv_methods, "MPI", mpi, rw_spmv_mpi[s->which]);
}

static rw_status measure_case(rw_spmv_study *s)
{
    rw_lab *lab = s->lab;
    const rw_multiblock_spec grid = rw_spmv_grid(lab, s->which);
    rw_lab_say(lab, "%s: the matrices", rw_spmv_case(s->which));
    rw_status status = rw_spmv_source_create(lab->ctx, &grid, rw_spmv_kind_of(lab), rw_spmv_is_f64(lab), &s->source);
    if (status == RW_ERR_MEMORY) {
        rw_lab_note(lab, "%s: %s", rw_spmv_case(s->which), rw_message(lab->ctx));
        return RW_OK;
    }
    for (int d = 0; d < lab->ndevices && status == RW_OK; ++d) status = measure_on(s, d);
    if (status == RW_OK) status = put_all_published(s);
    s->described = true;
    rw_free(s->first);
    s->first = NULL;
    rw_spmv_source_free(&s->source);
    return status;
}

/* ---- the shape of the document's tables -------------------------------------------------------------------------- */

/* Seconds of a row, 0 for gaps, as times or as rates. */
static rw_status put_wide(rw_lab *lab, int table, const rw_spmv_method *m, const char *product, const char *where,
                          bool other, const double seconds[RW_SPMV_CASES])
{
    bool any = false;
    for (int c = 0; c < RW_SPMV_CASES; ++c) any = any || seconds[c] > 0;
    if (!any || !rw_lab_wanted(lab, table)) return RW_OK;
    RW_TRY(rw_spmv_begin_row(lab, table, product, where, other));
    for (int c = 0; c < RW_SPMV_CASES; ++c) {
        double operations;
        RW_TRY(operations_of(lab, c, m, &operations));
        if (seconds[c] > 0)
            rw_lab_put(lab, table, W_FIRST + c, -1, table == SPMV_TIMES ? seconds[c] : operations / seconds[c] * 1e-9);
    }
    return RW_OK;
}

static rw_status put_tables(rw_spmv_study *s, int table)
{
    rw_lab *lab = s->lab;
    for (int m = 0; m < s->methods; ++m) {
        const rw_spmv_method *method = rw_spmv_methods + m;
        if (!is_chosen(lab, m)) continue;
        for (int d = 0; d < lab->ndevices; ++d) {
            double seconds[RW_SPMV_CASES];
            for (int c = 0; c < RW_SPMV_CASES; ++c) seconds[c] = outcome_of(s, c, d, m)->copied;
            RW_TRY(put_wide(lab, table, method, method->name, lab->info[d].name, false, seconds));
        }
        for (int g = 0; g < RW_SPMV_DEVICES && is_documents(lab); ++g)
            RW_TRY(put_wide(lab, table, method, method->name, rw_spmv_gpus[g], true, method->published[g]));
    }
    return is_documents(lab) ? put_wide(lab, table, rw_spmv_methods, "MPI", mpi, true, rw_spmv_mpi) : RW_OK;
}

/* ---- what copies of vectors cost --------------------------------------------------------------------------------- */

/* The method that is fastest, -1: none. */
static int fastest(const rw_spmv_study *s, int which, int device, bool resident, double *seconds)
{
    int best = -1;
    for (int m = 0; m < s->methods; ++m) {
        const rw_spmv_outcome *o = outcome_of(s, which, device, m);
        const double t = resident ? o->resident : o->copied;
        if (t > 0 && (best < 0 || t < *seconds)) {
            best = m;
            *seconds = t;
        }
    }
    return best;
}

static rw_status put_vectors(rw_spmv_study *s, int which, int device)
{
    rw_lab *lab = s->lab;
    double copied = NAN, resident = NAN, base = NAN;
    const int by = fastest(s, which, device, false, &copied), stays = fastest(s, which, device, true, &resident);
    if (by < 0) return RW_OK;
    fastest(s, which, 0, false, &base);
    RW_TRY(rw_lab_row(lab, SPMV_VECTORS));
    RW_TRY(rw_lab_put_name(lab, SPMV_VECTORS, V_CASE, rw_spmv_case(which), false));
    RW_TRY(rw_lab_put_name(lab, SPMV_VECTORS, V_WHERE, lab->info[device].name, false));
    RW_TRY(rw_lab_put_name(lab, SPMV_VECTORS, V_COPIED_BY, rw_spmv_methods[by].name, false));
    if (stays >= 0) RW_TRY(rw_lab_put_name(lab, SPMV_VECTORS, V_RESIDENT_BY, rw_spmv_methods[stays].name, false));
    const double values[] = {[V_RESIDENT] = resident,
                             [V_SHARE] = fmax(1 - resident / copied, 0),
                             [V_GAIN] = base / copied,
                             [V_RESIDENT_GAIN] = base / resident};
    rw_lab_put(lab, SPMV_VECTORS, V_COPIED, -1, copied);
    rw_lab_put_values(lab, SPMV_VECTORS, V_RESIDENT, RW_COUNT(values), values);
    if (lab->info[device].gpu)
        rw_lab_note(
            lab,
            "vectors: %s on %s is %.3g times as fast as %s with vectors copied in each product, and %.3g times as "
            "fast with vectors that stay on the device; \"no gain if they are copied\" %s",
            rw_spmv_case(which), lab->info[device].name, base / copied, lab->info[0].name, base / resident,
            base > copied ? "does not hold" : "holds");
    return RW_OK;
}

/* By name; 0: not measured. */
static double copied_time(const rw_spmv_study *s, int which, int device, const char *product)
{
    return outcome_of(s, which, device, (int)(rw_spmv_find(product) - rw_spmv_methods))->copied;
}

static void add_trend(rw_text *line, const char *what, double slow, double quick)
{
    if (slow > 0 && quick > 0) rw_text_add(line, "%s %s %.2f", line->data ? ";" : "", what, slow / quick);
}

/* What the document found, looked for here in the first case: reported, not demanded. */
static rw_status note_trends(const rw_spmv_study *s, int which, int device)
{
    static const struct {
        const char *what, *slow, *quick;
    } trends[] = {{"data that stay on the device (one work-item per block)", "bcsr-v1a", "bcsr-v1b"},
                  {"data that stay on the device (one work-item per block row)", "bcsr-v2a", "bcsr-v2b"},
                  {"smaller work packages", "bcsr-v1b", "bcsr-v2b"},
                  {"permuted blocks", "bcsr-v2b", "bcsr-v3"},
                  {"ELL's sections", "ell-v2", "ell"},
                  {"one index per block", "ell", "bell"},
                  {"BELL with one work-item per row instead of one per cell", "bell-v2", "bell"}};
    const rw_lab *lab = s->lab;
    rw_text line = {0};
    double ell, bell;
    RW_TRY(operations_of(lab, which, rw_spmv_find("ell"), &ell));
    RW_TRY(operations_of(lab, which, rw_spmv_find("bell"), &bell));
    for (int i = 0; i < RW_COUNT(trends); ++i)
        add_trend(&line, trends[i].what, copied_time(s, which, device, trends[i].slow),
                  copied_time(s, which, device, trends[i].quick));
    add_trend(&line, "rate of BELL divided by the rate of ELL", bell * copied_time(s, which, device, "ell"),
              ell * copied_time(s, which, device, "bell"));
    for (int d = 0; d < lab->ndevices; ++d) /* the same GPU by its other interface */
        if (!strcmp(lab->info[d].kind, "opencl") && lab->info[d].identity[0] &&
            !strcmp(lab->info[d].identity, lab->info[device].identity))
            add_trend(&line, "CUDA compared with OpenCL (BELL)", copied_time(s, which, d, "bell"),
                      copied_time(s, which, device, "bell-v4"));
    if (line.data)
        rw_lab_note(s->lab, "trends: %s on %s, speedup by:%s", rw_spmv_case(which), lab->info[device].name, line.data);
    rw_text_free(&line);
    return RW_OK;
}

/* ---- the study --------------------------------------------------------------------------------------------------- */

static rw_status run_tables(rw_spmv_study *s)
{
    rw_lab *lab = s->lab;
    const rw_lab_setting *cases = rw_lab_setting_of(lab, "cases");
    const int first = (int)cases->number[0] - 1;
    bool measured = false;
    for (int t = SPMV_RUNS; t <= SPMV_BLOCKS; ++t) measured = measured || (t != SPMV_SECTIONS && rw_lab_wanted(lab, t));
    for (int i = 0; i < cases->n && measured; ++i) {
        s->which = (int)cases->number[i] - 1;
        RW_TRY(measure_case(s));
    }
    RW_TRY(put_tables(s, SPMV_TIMES));
    RW_TRY(put_tables(s, SPMV_RATES));
    for (int i = 0; i < cases->n && rw_lab_wanted(lab, SPMV_VECTORS); ++i)
        for (int d = 0; d < lab->ndevices; ++d) RW_TRY(put_vectors(s, (int)cases->number[i] - 1, d));
    for (int d = 0; d < lab->ndevices && measured; ++d) RW_TRY(note_trends(s, first, d));
    for (int i = 0; i < cases->n && rw_lab_wanted(lab, SPMV_GMRES); ++i) {
        s->which = (int)cases->number[i] - 1;
        RW_TRY(rw_spmv_solve(s));
    }
    s->which = first;
    if (rw_lab_wanted(lab, SPMV_SECTIONS)) RW_TRY(rw_spmv_sweep(s));
    return rw_spmv_models(lab);
}

static rw_status run_study(rw_lab *lab)
{
    rw_spmv_study s = {.lab = lab, .methods = rw_spmv_method_count};
    const size_t n = (size_t)RW_SPMV_CASES * RW_LAB_DEVICES * (size_t)s.methods;
    s.all = rw_calloc(n, sizeof *s.all);
    if (!s.all) return rw_fail_memory(lab->ctx, n * sizeof *s.all, "times");
    const rw_status status = run_tables(&s);
    rw_spmv_source_free(&s.source);
    rw_free(s.first);
    rw_free(s.all);
    return status;
}

static const char products[] = "all"
#define RW_X(name, ...) "|" name
#include "lab/spmv.def"
#undef RW_X
    ;
static const rw_param parameters[] = {
    PARAMETER(
        "cases", INTS, "1", "[1, 6]",
        "cases of the thesis: 1 10x40x20, 2 10x40x40, 3 20x40x20, 4 10x40x80, 5 10x80x40, 6 40x80x40 cells per grid "
        "block"),
    PARAMETER("products", CHOICES, "all", products, "kernels of the thesis, and ours"),
    PARAMETER("kind", CHOICE, "cc", "cc|rc|rr", "types of matrix and vector, c: complex, r: real"),
    PARAMETER("type", CHOICE, "f32", "f32|f64", "precision of matrix and vector"),
    PARAMETER("grid_blocks", INT, "8", "[1, 64]", "grid blocks, side by side along x"),
    PARAMETER("divide", INT, "1", "[1, 80]", "divisor of the cells of a case along each axis, for a quick run"),
    PARAMETER("most", INT, "100", "[1, 1000000]", "maximum number of products per run"),
    PARAMETER("seconds", REAL, "0.5", "[0, 3600]",
              "time limit for the runs of a product, which may reduce the products per run"),
    PARAMETER("runs", INT, "5", "[1, 100]", "number of timed runs, of which the best is reported"),
    PARAMETER("section", INT, "20", "[1, 1000]", "section length L of ELL in entries; 20 was best in 2011"),
    PARAMETER("block_section", INT, "5", "[1, 100]", "section length L of BELL in blocks"),
    PARAMETER("sections", INTS, "5,10,15,20,25,30,54", "[1, 1000]", "section lengths L of ELL in table sections"),
    PARAMETER("block_sections", INTS, "1,2,3,4,5,7,13", "[1, 100]", "section lengths L of BELL in table sections"),
    PARAMETER("window", INT, "160", "[5, 1024]",
              "work-items per workgroup of BELL V3; 80, 160, 320 and 480 in the thesis"),
    PARAMETER("memory", REAL, "0", "[0, 1e6]",
              "device memory in GB that products may use; the GPUs of the thesis had 4 and 2.5; 0: all memory of the "
              "device"),
    PARAMETER("iterations", INT, "100", "[1, 1000]", "iterations of GMRES in table gmres; times are scaled to 100"),
    PARAMETER("sequential", REAL, "0.2", "[0, 1]",
              "fraction of a program that runs on one processor, for table amdahl"),
    PARAMETER("processors", INTS, "1,2,4,8,16,32,64,128,1024", "[1, 1e12]", "numbers of processors for table amdahl"),
};
static const char *const names[SPMV_TABLES] = {"runs",   "times", "rates",     "anatomy", "sections", "vectors",
                                               "blocks", "gmres", "published", "amdahl",  "bandwidth"};
static const rw_lab_table tables[SPMV_TABLES] = {
    [SPMV_RUNS] = {"Products of all grid blocks, compared with 2011", runs_columns, RW_COUNT(runs_columns)},
    [SPMV_TIMES] = {"Seconds for 100 products, by case of the thesis", times_columns, RW_COUNT(times_columns)},
    [SPMV_RATES] = {"Rates, by case of the thesis", rates_columns, RW_COUNT(rates_columns)},
    [SPMV_ANATOMY] = {"Work-items, launches, traffic and occupancy of each product, in the first case", anatomy_columns,
                      RW_COUNT(anatomy_columns)},
    [SPMV_SECTIONS] = {"Rows cut into sections of all lengths, in the first case", rw_spmv_sections_columns,
                       SPMV_SECTIONS_COLUMNS},
    [SPMV_VECTORS] = {"Cost of copying vectors", vectors_columns, RW_COUNT(vectors_columns)},
    [SPMV_BLOCKS] = {"Grid blocks compared with each other", blocks_columns, RW_COUNT(blocks_columns)},
    [SPMV_GMRES] = {"GMRES with everything on a device, or only its products", rw_spmv_gmres_columns,
                    SPMV_GMRES_COLUMNS},
    [SPMV_PUBLISHED] = {"Rates computed from the times in the thesis, case 10x40x80", rw_spmv_published_columns,
                        SPMV_PUBLISHED_COLUMNS},
    [SPMV_AMDAHL] = {"Amdahl's law", rw_spmv_amdahl_columns, SPMV_AMDAHL_COLUMNS},
    [SPMV_BANDWIDTH] = {"Bandwidth of the GPUs of the thesis", rw_spmv_bandwidth_columns, SPMV_BANDWIDTH_COLUMNS},
};
static const rw_lab_curves curves[] = {
    {.name = "sections-entries",
     .title = "ELL: time by section length",
     .table = SPMV_SECTIONS,
     .x = L_LENGTH,
     .y = {L_SECONDS, L_BEST},
     .ny = 2,
     .only = "entries",
     .where = L_UNIT,
     .by = L_CURVE,
     .x_axis = {.label = "L, entries per section"},
     .y_axis = {.label = "s for 100 products"}},
    {.name = "sections-blocks",
     .title = "BELL: time by section length",
     .table = SPMV_SECTIONS,
     .x = L_LENGTH,
     .y = {L_SECONDS, L_BEST},
     .ny = 2,
     .only = "blocks",
     .where = L_UNIT,
     .by = L_CURVE,
     .x_axis = {.label = "L, blocks per section"},
     .y_axis = {.label = "s for 100 products"}},
    {.name = "amdahl",
     .title = "Amdahl's law",
     .table = SPMV_AMDAHL,
     .x = A_PROCESSORS,
     .y = {A_SPEEDUP},
     .ny = 1,
     .x_axis = {.label = "processors", .log = true},
     .y_axis = {.label = "speedup"}},
};
static const rw_lab_bars bars[] = {
    {.name = "rate",
     .title = "Rates with x and y copied in each product, compared with 2011",
     .table = SPMV_RUNS,
     .group = R_PRODUCT,
     .series = R_WHERE,
     .value = R_RATE,
     .by = R_CASE,
     .axis = {.label = "GFLOP/s", .log = true}},
    {.name = "rate-resident",
     .title = "Rates with vectors that stay on the device",
     .table = SPMV_RUNS,
     .group = R_PRODUCT,
     .series = R_WHERE,
     .value = R_RESIDENT_RATE,
     .by = R_CASE,
     .axis = {.label = "GFLOP/s", .log = true}},
    {.name = "time",
     .title = "Seconds for 100 products with x and y copied in each",
     .table = SPMV_RUNS,
     .group = R_PRODUCT,
     .series = R_WHERE,
     .value = R_BEST,
     .by = R_CASE,
     .axis = {.label = "s", .log = true}},
    {.name = "gmres",
     .title = "100 iterations of GMRES: everything or only the products on the device",
     .table = SPMV_GMRES,
     .group = G_LIES,
     .series = G_WHERE,
     .value = G_SECONDS,
     .by = G_CASE,
     .axis = {.label = "s", .log = true}},
};

const rw_study rw_study_spmv = {
    .entry = {"spmv", "Block-sparse products of a flow solver",
              "How fast are the products of 2011 on current devices, what do their layouts and copies cost, and how do "
              "they compare with a current product?",
              "F. Kautz, master thesis, Hochschule Darmstadt and DLR, 2011: tables 6.1 to 7.2", parameters,
              RW_COUNT(parameters), names, RW_COUNT(names)},
    .tables = tables,
    .curves = curves,
    .ncurves = RW_COUNT(curves),
    .bars = bars,
    .nbars = RW_COUNT(bars),
    .run = run_study,
};
