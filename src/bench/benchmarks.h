/* Benchmarks: the time of a piece of work on a device, compared with the memory bandwidth and with other libraries.
 *
 *   rw_bench_options options = {.quick = true};
 *   rw_bench_run(ctx, dev, "spine", &options, &rows, &n);
 *   rw_bench_format(dev, rows, n, RW_BENCH_TEXT, &text);
 *
 * Every row is rated by the minimum number of bytes that its work must move (each input read once, each output written
 * once). The limit is measured in the same run: on a GPU a copy within the device (bytes read plus bytes written), on a
 * processor the better of STREAM's copy (16 bytes an element) and triad (24), plain loops compiled -O3 -march=native:
 * the read caused by a store (write-allocate) is counted for none of them. Work, limit and peers take turns, one of
 * each per round, after a warm-up; fractions and ratios are medians over the rounds, so that a change of the clock rate
 * affects all of them. Results are compared with a reference in double precision before anything is timed; inputs are
 * random. */
#ifndef RW_BENCHMARKS_H
#define RW_BENCHMARKS_H

#include "rechenwerk/sparse.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rw_bench_options {
    bool quick;    /* small sizes, a second or two in total: tests that everything runs, not how fast */
    int rounds;    /* timed repetitions, 0: 20 (quick: 3) */
    bool variants; /* rows for every parameter set of a kernel, not only the one in use */
    bool no_peers; /* do not time the peers */
} rw_bench_options;

/* Another library or a plain loop, timed in the same rounds on the same data. */
typedef struct rw_bench_peer {
    char name[24];
    double seconds; /* median */
    double ratio;   /* its time divided by ours: above 1 we are faster */
} rw_bench_peer;

enum { RW_BENCH_PEERS = 3 };

typedef struct rw_bench_result {
    char name[16];    /* "spmv": what rw_bench_run takes */
    char what[48];    /* "5x5 block SpMV c64" */
    char size[40];    /* "100^3 cells, 7 blocks a row" */
    char variant[64]; /* parameters of the kernel, "" where it has none */
    int rounds;
    double seconds, lower, upper;        /* median and quartiles of one repetition; rw_bench_products: warm */
    double cold, cold_lower, cold_upper; /* rw_bench_products: the same cold; else 0 */
    double bytes;                        /* least bytes of one repetition; 0: the row counts steps, not bytes */
    double steps;                        /* steps of one repetition, 0: the row counts bytes */
    char limit_name[16];                 /* "copy", "STREAM copy", "STREAM triad" */
    double limit, share;                 /* bandwidth of the limit in bytes per second; bytes / seconds divided by it */
    int npeers;
    rw_bench_peer peers[RW_BENCH_PEERS];
    double error, tolerance; /* largest difference from the reference, and its tolerance in the same unit */
    char target[40];         /* ">= 0.97 of copy", "" where none is set for this device */
    int met;                 /* 1 reached, 0 missed, -1 no target (or a quick run) */
} rw_bench_result;

/* A benchmark as listed by rw_bench_list. */
typedef struct rw_bench_entry {
    const char *name, *line; /* "spmv", one line */
    bool spine;              /* one of the archetypes that `spine` runs */
} rw_bench_entry;

/* The table, *n entries; static memory. */
const rw_bench_entry *rw_bench_list(int *n);

/* Runs one benchmark, "spine" or "all"; options may be NULL. Rows are freed with rw_bench_free. A wrong result is a row
 * with error > tolerance, not a failed call; a missing peer is skipped. Errors: ERR_ARGUMENT with the nearest name, and
 * the errors of devices, arrays and programs. */
rw_status rw_bench_run(rw_context *context, rw_device *device, const char *name, const rw_bench_options *options,
                       rw_bench_result **rows, int *n);
void rw_bench_free(rw_bench_result **rows);

/* Limits of validity: above them neither the fraction of the copy bandwidth nor the order of two results is
 * reported. */
#define RW_BENCH_MOST_SHARE 1.5
#define RW_BENCH_MOST_SPREAD 0.3
#define RW_BENCH_LEAST_LIMIT 1e9

/* Whether the measured memory bandwidth is plausible: at least RW_BENCH_LEAST_LIMIT bytes per second. A slower copy was
 * disturbed by other processes; fractions of it have no meaning. */
bool rw_bench_plausible(const rw_bench_result *row);
/* Whether the fraction of a result is not reliable, and why. "in the cache": the share exceeds RW_BENCH_MOST_SHARE,
 * which the memory cannot deliver. "IQR 45 %": the interquartile range exceeds RW_BENCH_MOST_SPREAD of the median.
 * Writes at most `size` bytes of text with the NUL; text may be NULL. It is empty if the fraction is reliable. */
bool rw_bench_doubt(const rw_bench_result *row, char *text, size_t size);

/* Products y = A x of the matrix of these entries in n layouts: rows[i] is that of candidates[i] as rw_sparse_predict
 * or rw_sparse_choose have filled them in, its layout in `variant`, `bytes` as the candidate's `moved`; of one that is
 * refused `rounds` is 0.
 * Times: `seconds` is warm, the same product looped as solvers do; `cold` is one product after a copy has evicted its
 * data from the caches. `share` and `limit` go by the warm time. error: the largest of a row of the matrix against sums
 * in long double, over what rounding allows, 4 (terms + 2) eps sum |a||x|; above 1 it is wrong. Places must not occur
 * twice. Freed with rw_bench_free. ERR_ARGUMENT, ERR_MEMORY, ERR_COMPILE. */
rw_status rw_bench_products(rw_device *device, const rw_entries *entries, rw_dtype vectors,
                            const rw_sparse_candidate *candidates, int n, const rw_bench_options *options,
                            rw_bench_result **rows);

/* TEXT: a table for a terminal; MARKDOWN: a table for docs/performance.md; JSON: everything. */
typedef enum rw_bench_style { RW_BENCH_TEXT, RW_BENCH_MARKDOWN, RW_BENCH_JSON } rw_bench_style;

/* The rows with device, driver, version and commit; *text is freed with free(). Returns OK or ERR_MEMORY. */
rw_status rw_bench_format(const rw_device *device, const rw_bench_result *rows, int n, rw_bench_style style,
                          char **text);

#ifdef __cplusplus
}
#endif
#endif
