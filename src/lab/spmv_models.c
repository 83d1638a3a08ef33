/* Tables of the study spmv that need no device: the document's rates from its times, Amdahl's law, the bandwidth of its
 * GPUs. */
#include "lab/spmv.h"
#include "lab/windows.h"

const char *const rw_spmv_gpus[RW_SPMV_DEVICES] = {"Tesla C1060, 2011", "Quadro 5000, 2011"};
const double rw_spmv_mpi[RW_SPMV_CASES] = {0.85, 1.67, 1.67, 3.31, 3.31, 13.23};

/* 10x40x80, of which the document counted operations and printed rates */
enum { CASE = 3 };
static const double counted = 7.548e10, counted_ell = 6.2672e10; /* of 100 iterations: BCSR and BELL, ELL */
static const double clock_mhz[] = {800, 1500}, bus_bits[] = {512, 320};

/* The document's table 7.2, GFlop/s. */
static const struct {
    const char *name;
    double rate[RW_SPMV_DEVICES];
} printed[] = {{"bcsr-v1a", {0.68, 0.64}}, {"bcsr-v1b", {1.68, 1.59}}, {"bcsr-v2a", {0.94, 0.95}},
               {"bcsr-v2b", {4.92, 8.36}}, {"bcsr-v3", {6.06, 8.42}},  {"ell", {9.35, 13.24}},
               {"ell-v2", {7.07, 12.26}},  {"bell", {10.16, 16.92}},   {"bell-v2", {5.75, 11.33}},
               {"bell-v4", {12.75, 21.94}}};
static const double printed_mpi = 22.8;

/* ---- rates from times -------------------------------------------------------------------------------------------- */

enum { P_PRODUCT, P_WHERE, P_SECONDS, P_RATE, P_PRINTED, P_SLOWER };
const rw_lab_column rw_spmv_published_columns[SPMV_PUBLISHED_COLUMNS] = {
    [P_PRODUCT] = {"product", "", RW_SHOW_NAME, false, NULL},
    [P_WHERE] = {"where", "", RW_SHOW_NAME, false, NULL},
    [P_SECONDS] = {"time", "s", RW_SHOW_RATIO, false, "printed time of 100 products, case 10x40x80"},
    [P_RATE] = {"rate", "GFLOP/s", RW_SHOW_RATIO, false,
                "rate from this time and the operations counted in the thesis: 7.548e10, for ELL 6.2672e10"},
    [P_PRINTED] = {"printed", "GFLOP/s", RW_SHOW_RATIO, false,
                   "printed rate; one number is truncated instead of rounded"},
    [P_SLOWER] = {"slower", "", RW_SHOW_RATIO, false, "time divided by the time of MPI on eight cores"},
};

static rw_status put_published(rw_lab *lab, const char *product, const char *where, double seconds, double operations,
                               double rate)
{
    RW_TRY(rw_lab_row(lab, SPMV_PUBLISHED));
    RW_TRY(rw_lab_put_name(lab, SPMV_PUBLISHED, P_PRODUCT, product, false));
    RW_TRY(rw_lab_put_name(lab, SPMV_PUBLISHED, P_WHERE, where, true));
    rw_lab_put(lab, SPMV_PUBLISHED, P_SECONDS, -1, seconds);
    rw_lab_put(lab, SPMV_PUBLISHED, P_RATE, -1, operations / seconds * 1e-9);
    rw_lab_put(lab, SPMV_PUBLISHED, P_PRINTED, -1, rate);
    rw_lab_put(lab, SPMV_PUBLISHED, P_SLOWER, -1, seconds / rw_spmv_mpi[CASE]);
    return RW_OK;
}

static rw_status make_published(rw_lab *lab)
{
    RW_TRY(put_published(lab, "MPI", "8 cores, 2011", rw_spmv_mpi[CASE], counted, printed_mpi));
    for (int g = 0; g < RW_SPMV_DEVICES; ++g)
        for (int i = 0; i < RW_COUNT(printed); ++i) {
            const rw_spmv_method *m = rw_spmv_find(printed[i].name);
            RW_TRY(put_published(lab, m->name, rw_spmv_gpus[g], m->published[g][CASE],
                                 m->layout == RW_SPMV_ELL ? counted_ell : counted, printed[i].rate[g]));
        }
    return RW_OK;
}

/* ---- Amdahl's law: S(p) = 1 / (f + (1 - f)/p), E(p) = S(p)/p (G. Amdahl, AFIPS 1967) ----------------------------- */

const rw_lab_column rw_spmv_amdahl_columns[SPMV_AMDAHL_COLUMNS] = {
    [A_PROCESSORS] = {"processors", "", RW_SHOW_INTEGER, false, NULL},
    [A_SPEEDUP] = {"speedup", "", RW_SHOW_REAL, false, "speedup with the fraction `sequential` on one processor"},
    [A_EFFICIENCY] = {"efficiency", "", RW_SHOW_REAL, false, "speedup divided by the number of processors"},
};

static rw_status make_amdahl(rw_lab *lab)
{
    const rw_lab_setting *processors = rw_lab_setting_of(lab, "processors");
    const double f = rw_lab_number(lab, "sequential");
    for (int i = 0; i < processors->n; ++i) {
        const double p = processors->number[i], s = 1 / (f + (1 - f) / p);
        RW_TRY(rw_lab_row(lab, SPMV_AMDAHL));
        rw_lab_put(lab, SPMV_AMDAHL, A_PROCESSORS, -1, p);
        rw_lab_put(lab, SPMV_AMDAHL, A_SPEEDUP, -1, s);
        rw_lab_put(lab, SPMV_AMDAHL, A_EFFICIENCY, -1, s / p);
    }
    if (f > 0) rw_lab_note(lab, "amdahl: for any number of processors the speedup stays below %.6g", 1 / f);
    return RW_OK;
}

/* ---- bandwidth --------------------------------------------------------------------------------------------------- */

enum { B_WHERE, B_PRODUCT, B_THEORY, B_EFFECTIVE, B_SHARE };
const rw_lab_column rw_spmv_bandwidth_columns[SPMV_BANDWIDTH_COLUMNS] = {
    [B_WHERE] = {"where", "", RW_SHOW_NAME, false, NULL},
    [B_PRODUCT] = {"product", "", RW_SHOW_NAME, false, NULL},
    [B_THEORY] = {"theory", "GB/s", RW_SHOW_REAL, false, "memory clock times bus width times 2"},
    [B_EFFECTIVE] =
        {"effective", "GB/s", RW_SHOW_RATIO, false,
         "bytes of the matrix values in case 10x40x80 divided by the printed time, which includes transfers; ELL "
         "stores fewer"},
    [B_SHARE] = {"share", "", RW_SHOW_RATIO, false, NULL},
};

static rw_status make_bandwidth(rw_lab *lab)
{
    int n;
    const double bytes = rw_study_cases(&n)[CASE].bytes;
    for (int g = 0; g < RW_SPMV_DEVICES; ++g)
        for (int i = 0; i < RW_COUNT(printed); ++i) {
            const double theory = clock_mhz[g] * 1e6 * bus_bits[g] / 8 * 2 * 1e-9,
                         effective = SPMV_PRODUCTS * bytes / rw_spmv_find(printed[i].name)->published[g][CASE] * 1e-9;
            RW_TRY(rw_lab_row(lab, SPMV_BANDWIDTH));
            RW_TRY(rw_lab_put_name(lab, SPMV_BANDWIDTH, B_WHERE, rw_spmv_gpus[g], true));
            RW_TRY(rw_lab_put_name(lab, SPMV_BANDWIDTH, B_PRODUCT, printed[i].name, false));
            rw_lab_put(lab, SPMV_BANDWIDTH, B_THEORY, -1, theory);
            rw_lab_put(lab, SPMV_BANDWIDTH, B_EFFECTIVE, -1, effective);
            rw_lab_put(lab, SPMV_BANDWIDTH, B_SHARE, -1, effective / theory);
        }
    return RW_OK;
}

rw_status rw_spmv_models(rw_lab *lab)
{
    if (rw_lab_wanted(lab, SPMV_PUBLISHED)) RW_TRY(make_published(lab));
    if (rw_lab_wanted(lab, SPMV_AMDAHL)) RW_TRY(make_amdahl(lab));
    return rw_lab_wanted(lab, SPMV_BANDWIDTH) ? make_bandwidth(lab) : RW_OK;
}
