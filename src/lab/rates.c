/* Study: the laser's rate equations as P. Herbst measured them in 2020, fused and unfused, with explicit and managed
 * memory, three scalar products, and blocks of every size.
 *
 *   (a) N       <- (N + tau P) / (1 + tau (1/tau_f + gain Phi U + P/Nm))      4 arrays in, 1 out    9 operations
 *   (b) product <- N U                                                         2 in, 1 out           1
 *   (c) sum     =  volume . product                                            2 in                  2
 *   (d) lambda  =  gain sum - 1/tau_c;  Phi grows with lambda > 0 explicitly, else it falls implicitly
 *
 * in every cell of a cylinder of 5 n^3 cells: 12 operations, 80 bytes. Fused, steps (a) to (d) are one pass of 48 bytes
 * and Phi stays on the device. The document does not say how it counts operations; with 12 its best results agree with
 * the bandwidth of its GPU (256 GB/s: 38.4 GFLOP/s). It adds the blocks' sums with atomics; here a second kernel adds
 * them, in one order. Its own figures are lost but for a few numbers. */
#include <math.h>
#include <string.h>

#include "lab/lab.h"
#include "lab/laser.h"
#include "lab/occupancy.h"
#include "measure/measure.h"
#include "rechenwerk/blocks.h"

enum { STEPS, BLOCKS };
enum { OPERATIONS = 12, FIELDS = RW_LASER_FIELDS, BATCH = 50 };

/* P. Herbst 2020, sections 6.1 and 6.3: the best rate with managed memory; with explicit memory 70 % more. On plateaus
 * that begin at a million cells. */
static const struct {
    const char *name;
    double rate;
} published[] = {{"GTX 1070 Ti managed, 2020", 23.35}, {"GTX 1070 Ti explicit, 2020 (about)", 39.7}};
static const double plateau[] = {1e6, 5e6};

/* Parameters of the document in mm, mW, s. */
static const double tau = 1e-8, lifetime = 2e-5, gain = 2.5e-17 * 3e11 / 300, seed = 1e-10, round_trip = 2e-9,
                    reflectivity = 0.98, phi0 = 1e-3;

static double losses(void) { return -log(reflectivity) / round_trip; }

/* ---- one grid on one device -------------------------------------------------------------------------------------- */

typedef enum method { FUSED, MANAGED, ON_HOST, BY_BLOCK, BY_WARP } method;
static const char *const method_names[] = {"fused", "fused, managed memory", "unfused, sum (a)", "unfused, sum (c)",
                                           "unfused, sum (d)"};

typedef struct crystal {
    rw_device *device;
    rw_blocks *grid;
    int64_t cells;
    rw_array *field[FIELDS], *product; /* N P U V Nm */
    rw_expr *step;
    rw_sequence *sequence;
    rw_laser laser;
    double phi;
} crystal;

static void free_crystal(crystal *c)
{
    rw_sequence_destroy(&c->sequence);
    rw_expr_destroy(&c->step);
    if (c->laser.device) rw_laser_free(&c->laser);
    for (int f = 0; f < FIELDS; ++f) rw_array_destroy(&c->field[f]);
    rw_array_destroy(&c->product);
    rw_blocks_destroy(&c->grid);
}

/* The step; text given: what else is computed from the same fields. */
static rw_status program(crystal *c, const char *text, rw_expr **e)
{
    const rw_laser_constants constants = {tau, 1 / lifetime, gain, gain, losses(), seed, phi0};
    rw_laser_program p;
    rw_laser_describe(&constants, text, &p);
    RW_TRY(rw_blocks_expr_create(c->grid, c->device, RW_BLOCKS_CELLS, &p.spec, e));
    for (int f = 0; f < FIELDS; ++f) RW_TRY(rw_expr_bind(*e, rw_laser_names[f], c->field[f]));
    return RW_OK;
}

static rw_status run_once(crystal *c, const char *text)
{
    rw_expr *e = NULL;
    rw_status status = program(c, text, &e);
    if (status == RW_OK) status = rw_expr_run(e, rw_device_queue(c->device));
    if (status == RW_OK) status = rw_queue_wait(rw_device_queue(c->device));
    rw_expr_destroy(&e);
    return status;
}

static rw_status make_crystal(rw_device *dev, int n, method m, int block, crystal *c)
{
    static const char profiles[] = "r2 = x^2 + y^2\nP = 4.064752284648855e19*2/(pi*0.4^2)*exp(-2*r2/0.4^2)/10\n"
                                   "U = 2/(pi*0.25^2)*exp(-2*r2/0.25^2)\n"
                                   "V = volume\nNm = 1.39e17\nN = 0";
    *c = (crystal){.device = dev, .phi = phi0};
    RW_TRY(rw_blocks_cylinder(rw_device_context(dev), 0.5, 0.2, 10, (int[3]){n, n, n}, &c->grid));
    rw_blocks_set_memory(c->grid, m == MANAGED ? RW_MEMORY_MANAGED : RW_MEMORY_DEVICE);
    c->cells = rw_blocks_cells(c->grid);
    for (int f = 0; f < FIELDS; ++f) RW_TRY(rw_blocks_array(c->grid, dev, RW_BLOCKS_CELLS, RW_F64, &c->field[f]));
    RW_TRY(run_once(c, profiles));
    if (m == FUSED || m == MANAGED) return program(c, NULL, &c->step);
    RW_TRY(rw_blocks_array(c->grid, dev, RW_BLOCKS_CELLS, RW_F64, &c->product));
    return rw_laser_create(dev,
                           m == ON_HOST    ? RW_LASER_ON_HOST
                           : m == BY_BLOCK ? RW_LASER_BY_BLOCK
                                           : RW_LASER_BY_WARP,
                           block, c->cells, 0, &c->laser);
}

/* Steps of the document: the scalar comes to the host in each. */
static rw_status unfused_steps(crystal *c, int steps)
{
    for (int i = 0; i < steps; ++i) {
        double sum, lambda;
        RW_TRY(rw_laser_update(&c->laser, c->field[0], c->field[1], c->field[2], c->field[4], tau, 1 / lifetime,
                               gain * c->phi));
        RW_TRY(rw_laser_multiply(&c->laser, c->product, c->field[0], c->field[2]));
        RW_TRY(rw_laser_product(&c->laser, c->field[3], c->product, &sum));
        lambda = gain * sum - losses();
        c->phi = lambda > 0 ? c->phi * (1 + tau * lambda) + tau * seed : (c->phi + tau * seed) / (1 - tau * lambda);
    }
    return RW_OK;
}

/* Recorded, as many at once as `steps` is a multiple of, once all has run. */
static rw_status fused_steps(crystal *c, int steps, bool recorded)
{
    rw_queue *q = rw_device_queue(c->device);
    int batch = BATCH;
    while (steps % batch) --batch;
    if (recorded && !c->sequence) {
        rw_status status = RW_OK;
        RW_TRY(rw_record_begin(q));
        for (int i = 0; i < batch && status == RW_OK; ++i) status = rw_expr_run(c->step, q);
        rw_status ended = rw_record_end(q, &c->sequence);
        RW_TRY(status);
        RW_TRY(ended);
    }
    for (int i = 0; i < steps; i += c->sequence ? batch : 1)
        RW_TRY(c->sequence ? rw_sequence_replay(c->sequence, q) : rw_expr_run(c->step, q));
    RW_TRY(rw_queue_wait(q));
    return rw_expr_get(c->step, "phi", &c->phi, NULL);
}

typedef struct timing {
    double seconds, phi;     /* of a step, the best run; photons after the first */
    double copies, launches; /* of a step */
    int64_t cells;
} timing;

static rw_status measure(crystal *c, int steps, int runs, timing *t)
{
    *t = (timing){.seconds = INFINITY, .cells = c->cells};
    for (int r = 0; r <= runs; ++r) {
        rw_counters before = rw_counters_of(c->device), after;
        double begin = rw_seconds();
        RW_TRY(c->step ? fused_steps(c, steps, r > 0) : unfused_steps(c, steps));
        if (!r) t->phi = c->phi;
        else t->seconds = fmin(t->seconds, (rw_seconds() - begin) / steps);
        after = rw_counters_of(c->device);
        t->copies = (double)(after.copies_in + after.copies_out - before.copies_in - before.copies_out) / steps;
        t->launches = (double)(after.launches - before.launches) / steps;
    }
    return RW_OK;
}

/* Of a grid on a device. */
static rw_status time_steps(rw_lab *lab, int device, int n, method m, int block, timing *t)
{
    crystal c;
    rw_status status = make_crystal(lab->devices[device], n, m, block, &c);
    if (status == RW_OK) status = measure(&c, (int)rw_lab_number(lab, "steps"), (int)rw_lab_number(lab, "runs"), t);
    free_crystal(&c);
    return status;
}

/* ---- grids of all sizes ------------------------------------------------------------------------------------------ */

enum { S_N, S_CELLS, S_NAME, S_SECONDS, S_RATE, S_BYTES, S_LAUNCHES, S_COPIES, S_DIFFERENCE };
static const rw_lab_column steps_columns[] = {
    [S_N] = {"n", "", RW_SHOW_INTEGER, false, "cells along each edge of a block"},
    [S_CELLS] = {"cells", "", RW_SHOW_INTEGER, false, "number of cells in five blocks"},
    [S_NAME] = {"how", "", RW_SHOW_NAME, false,
                "fused: one recorded pass; unfused: sums of work-items added on the host (a), by a tree in each "
                "thread block (c), by warps (d)"},
    [S_SECONDS] = {"time", "us", RW_SHOW_REAL, false,
                   "best time per step over the runs after the first, which compiles"},
    [S_RATE] = {"rate", "GFLOP/s", RW_SHOW_REAL, false, "12 operations per cell and step"},
    [S_BYTES] = {"traffic", "GB/s", RW_SHOW_REAL, false, "48 bytes per cell and step if fused, 80 if unfused"},
    [S_LAUNCHES] = {"launches", "", RW_SHOW_REAL, false, "launches per step"},
    [S_COPIES] = {"copies", "", RW_SHOW_REAL, false, "copies between host and device per step"},
    [S_DIFFERENCE] = {"difference", "", RW_SHOW_ERROR, false,
                      "relative difference of the photon number after the first run from that of the first row of the "
                      "grid"},
};

static rw_status put_steps(rw_lab *lab, int n, int device, method m, const timing *t, double *phi)
{
    char text[96];
    int name;
    snprintf(text, sizeof text, "%s, %s", lab->info[device].name, method_names[m]);
    RW_TRY(rw_lab_name(lab, text, false, &name));
    RW_TRY(rw_lab_row(lab, STEPS));
    if (isnan(*phi)) *phi = t->phi;
    const double values[] = {[S_N] = n,
                             [S_CELLS] = (double)t->cells,
                             [S_NAME] = name,
                             [S_SECONDS] = 1e6 * t->seconds,
                             [S_RATE] = OPERATIONS * (double)t->cells / t->seconds * 1e-9,
                             [S_BYTES] = (m <= MANAGED ? 48 : 80) * (double)t->cells / t->seconds * 1e-9,
                             [S_LAUNCHES] = t->launches,
                             [S_COPIES] = t->copies,
                             [S_DIFFERENCE] = fabs(t->phi / *phi - 1)};
    rw_lab_put_values(lab, STEPS, 0, RW_COUNT(values), values);
    return RW_OK;
}

/* The document's rule on GPUs; on processors rows that are long enough for their loops. */
static int standard_block(const rw_device_properties *d)
{
    return d->gpu ? rw_default_block(d->group_max, d->width) : 1024;
}

static rw_status measure_grid(rw_lab *lab, int n, int device, method m, double *phi)
{
    timing t;
    /* else it is the same memory */
    if (m == MANAGED && !(lab->info[device].managed && lab->devices[device]->ops->discrete)) return RW_OK;
    rw_lab_say(lab, "n = %d on %s, %s", n, lab->info[device].name, method_names[m]);
    RW_TRY(time_steps(lab, device, n, m, standard_block(lab->info + device), &t));
    return put_steps(lab, n, device, m, &t, phi);
}

static rw_status put_published(rw_lab *lab)
{
    for (int p = 0; p < RW_COUNT(published); ++p)
        for (int i = 0; i < RW_COUNT(plateau); ++i) {
            RW_TRY(rw_lab_row(lab, STEPS));
            RW_TRY(rw_lab_put_name(lab, STEPS, S_NAME, published[p].name, true));
            rw_lab_put(lab, STEPS, S_CELLS, -1, plateau[i]);
            rw_lab_put(lab, STEPS, S_RATE, -1, published[p].rate);
        }
    return RW_OK;
}

static rw_status compare_steps(rw_lab *lab)
{
    const rw_lab_setting *grids = rw_lab_setting_of(lab, "grids"), *methods = rw_lab_setting_of(lab, "methods");
    for (int i = 0; i < grids->n; ++i) {
        double phi = NAN;
        for (int d = 0; d < lab->ndevices; ++d)
            for (int m = 0; m < methods->n; ++m)
                RW_TRY(measure_grid(lab, (int)grids->number[i], d, (method)methods->number[m], &phi));
    }
    return put_published(lab);
}

/* ---- blocks of all sizes, on the last device --------------------------------------------------------------------- */

enum { B_BLOCK, B_TREE, B_WARPS, B_OCCUPANCY, B_MODEL };
static const rw_lab_column blocks_columns[] = {
    [B_BLOCK] = {"block", "", RW_SHOW_INTEGER, false, "work-items per thread block"},
    [B_TREE] = {"rate (c)", "GFLOP/s", RW_SHOW_REAL, false,
                "unfused, 12 operations per cell and step, sums by a tree in each thread block"},
    [B_WARPS] = {"rate (d)", "GFLOP/s", RW_SHOW_REAL, false, "unfused, 12 operations per cell and step, sums by warps"},
    [B_OCCUPANCY] = {"occupancy", "", RW_SHOW_RATIO, false,
                     "fraction of the 64 warps of a multiprocessor that are resident, limited by 64 warps and 32 "
                     "thread blocks"},
    [B_MODEL] = {"model", "", RW_SHOW_RATIO, false,
                 "warps that the cells need divided by the warps started: 1 if every warp has 32 cells"},
};

static rw_status measure_block(rw_lab *lab, int n, int block, method m, int device)
{
    timing t;
    rw_lab_say(lab, "blocks of %d on %s, %s", block, lab->info[device].name, method_names[m]);
    const rw_status status = time_steps(lab, device, n, m, block, &t);
    if (status == RW_OK) {
        rw_lab_put(lab, BLOCKS, m == BY_BLOCK ? B_TREE : B_WARPS, -1, OPERATIONS * (double)t.cells / t.seconds * 1e-9);
        rw_lab_put(lab, BLOCKS, B_MODEL, -1, ceil((double)t.cells / 32) / (double)rw_warps_started(t.cells, block));
    }
    if (status != RW_ERR_COMPILE) return status;
    rw_lab_note(lab, "%s", rw_message(lab->ctx)); /* a device may have too few registers for this number of items */
    return RW_OK;
}

static rw_status compare_blocks(rw_lab *lab)
{
    const rw_lab_setting *blocks = rw_lab_setting_of(lab, "blocks");
    int device = lab->ndevices - 1, most = lab->info[device].gpu ? lab->info[device].group_max : 1024;
    if (!lab->info[device].gpu && rw_lab_wanted(lab, STEPS)) {
        rw_lab_note(lab, "blocks: skipped, because %s is not a GPU; select only this table to measure it on any device",
                    lab->info[device].name);
        return RW_OK;
    }
    for (int i = 0; i < blocks->n; ++i) {
        int block = (int)blocks->number[i];
        if (block > most) continue;
        RW_TRY(rw_lab_row(lab, BLOCKS));
        rw_lab_put(lab, BLOCKS, B_BLOCK, -1, block);
        rw_lab_put(lab, BLOCKS, B_OCCUPANCY, -1,
                   rw_occupancy_warps(&rw_limits_pascal, block, 0, 0) / (double)rw_limits_pascal.warps);
        for (int m = BY_BLOCK; m <= BY_WARP; ++m)
            RW_TRY(measure_block(lab, (int)rw_lab_number(lab, "grid"), block, (method)m, device));
    }
    rw_lab_note(lab, "blocks: on %s; published: maxima at multiples of 32, drops at 321 and 513",
                lab->info[device].name);
    return RW_OK;
}

/* ---- the study --------------------------------------------------------------------------------------------------- */

static rw_status run_study(rw_lab *lab)
{
    if (rw_lab_wanted(lab, STEPS)) RW_TRY(compare_steps(lab));
    return rw_lab_wanted(lab, BLOCKS) ? compare_blocks(lab) : RW_OK;
}

static const rw_param parameters[] = {
    PARAMETER("grids", INTS, "5,10,20,30,43,58,80,100", "[1, 400]", "cells along each edge of a block, 5 n^3 in total"),
    PARAMETER("methods", CHOICES, "fused,managed,a,c,d", "fused|managed|a|c|d",
              "implementations of a step; managed: only on devices with managed memory"),
    PARAMETER("steps", INT, "50", "[1, 1000000]", "steps per run"),
    PARAMETER("runs", INT, "3", "[1, 1000]", "number of timed runs, of which the best is reported"),
    PARAMETER(
        "blocks", INTS,
        "2,4,8,16,24,31,32,33,48,63,64,65,80,95,96,97,128,129,160,161,192,193,224,256,257,288,320,321,352,384,448,"
        "480,512,513,544,576,640,672,704,768,832,896,960,1023,1024",
        "[1, 1024]", "work-items per thread block"),
    PARAMETER("grid", INT, "100", "[1, 400]", "n in table blocks"),
};
static const char *const names[] = {"steps", "blocks"};
static const rw_lab_table tables[] = {
    [STEPS] = {"One step of the rate equations on grids of all sizes", steps_columns, RW_COUNT(steps_columns)},
    [BLOCKS] = {"Unfused steps with thread blocks of all sizes, on the last device", blocks_columns,
                RW_COUNT(blocks_columns)},
};
static const rw_lab_curves curves[] = {
    {.name = "rate",
     .title = "Rate of a step, compared with 2020",
     .table = STEPS,
     .x = S_CELLS,
     .y = {S_RATE},
     .ny = 1,
     .only = "",
     .where = S_NAME,
     .by = S_NAME,
     .x_axis = {.label = "cells", .log = true},
     .y_axis = {.label = "GFLOP/s", .log = true}},
    {.name = "blocks",
     .title = "Rate of unfused steps by thread block size",
     .table = BLOCKS,
     .x = B_BLOCK,
     .y = {B_TREE, B_WARPS},
     .ny = 2,
     .x_axis = {.label = "work-items per thread block"},
     .y_axis = {.label = "GFLOP/s"}},
    {.name = "model",
     .title = "Predictions of the models by thread block size",
     .table = BLOCKS,
     .x = B_BLOCK,
     .y = {B_OCCUPANCY, B_MODEL},
     .ny = 2,
     .x_axis = {.label = "work-items per thread block"},
     .y_axis = {.label = "fraction of the best"}},
};

const rw_study rw_study_rates = {
    .entry = {"rates", "Laser rate equations, fused and unfused",
              "What do kernel fusion, managed memory and the scalar product gain or cost, and which thread block size "
              "is best?",
              "P. Herbst, Loesung von Ratengleichungen mit Expression Templates auf der Grafikkarte, bachelor thesis, "
              "University of Erlangen-Nuremberg, 2020",
              parameters, RW_COUNT(parameters), names, RW_COUNT(names)},
    .tables = tables,
    .curves = curves,
    .ncurves = RW_COUNT(curves),
    .run = run_study,
};
