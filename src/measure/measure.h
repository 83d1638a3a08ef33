/* What benchmarks (src/bench) and studies (src/lab) share.
 *
 *   turns.c    statistics; random data; contestants that take turns; samples of one call
 *   table.c    a table of texts for a terminal or in Markdown
 *   library.c  libraries of peers
 *   laser.c    the step of the laser's rate equations */
#ifndef RW_MEASURE_H
#define RW_MEASURE_H

#include <math.h>

#include "core/core.h"
#include "device/device.h"
#include "rechenwerk/expr.h"

/* ---- statistics -------------------------------------------------------------------------------------------------- */

/* Quantile q of n > 0 values by linear interpolation; sorts them. */
double rw_quantile(double *v, int n, double q);
double rw_median(double *v, int n);
/* The larger of two errors; NaN counts as infinite. */
static inline double rw_worse(double worst, double error) { return isnan(error) ? INFINITY : RW_MAX(worst, error); }

/* Floating-point arrays: uniform in [low, low + 1), by rw_random_uniform(seed, place). */
rw_status rw_random_fill(rw_array *array, uint64_t seed, double low);

/* ---- turns ------------------------------------------------------------------------------------------------------- */

/* Enqueues one repetition, or computes it on the host before it returns; `round` selects the data set. */
typedef rw_status rw_repetition(void *user, int round);

typedef struct rw_contestant {
    const char *name;
    rw_repetition *call;
    void *user;
} rw_contestant;

enum { RW_TURNS = 7 };
typedef struct rw_turns {
    rw_queue *queue;
    int n, rounds;
    rw_contestant who[RW_TURNS];
    int cold;        /* this turn is a single call, right after another contestant; -1: none */
    double warm_up;  /* least seconds of the warm-up; 0: one turn each */
    double *seconds; /* [n][rounds] */
} rw_turns;

/* One turn for each contestant in each round, after a warm-up. Free the turns after a failure too. */
rw_status rw_turns_take(rw_turns *t);
double *rw_turns_of(const rw_turns *t, int who); /* [rounds] */
void rw_turns_free(rw_turns *t);

/* ---- samples of one call ----------------------------------------------------------------------------------------- */

/* A call repeated, so that a sample is long compared with the resolution of the clock and the wait at its end. */
typedef struct rw_loop {
    const rw_contestant *what;
    int n;
} rw_loop;
rw_status rw_loop_run(void *loop, int round); /* a repetition */
/* Calls in a sample of about `wanted` seconds. queue NULL: the call waits itself. */
rw_status rw_loop_choose(rw_loop *loop, rw_queue *queue, double wanted);

enum { RW_SAMPLES_MOST = 1000 };
typedef struct rw_sampling {
    rw_contestant what;
    rw_repetition *prepare; /* (optional) before each sample, not timed */
    rw_queue *queue;        /* (optional) waited for at the end of a sample */
    int runs;               /* samples, at most RW_SAMPLES_MOST */
    double seconds;         /* no sample begins after these, but the first; INFINITY: no limit */
    double length;          /* wanted seconds of a sample; 0: one call */
} rw_sampling;
/* The median of seconds per call. */
rw_status rw_sample(const rw_sampling *s, double *median);

/* ---- tables ------------------------------------------------------------------------------------------------------ */

enum { RW_CELL = 160 };
typedef struct rw_table {
    int ncolumns, nrows, nheads; /* nheads: lines of the head in text, of which empty ones are left out */
    uint64_t left;               /* bit c: column c is aligned left in text, else right */
    const char *rule;            /* below the head in Markdown, "---" */
    /* Line 0 … nrows - 1; -nheads … -1: the head. Markdown has one line of it, -1. */
    void (*cell)(const void *user, bool markdown, int line, int column, char cell[RW_CELL]);
    const void *user;
} rw_table;
void rw_table_add(rw_text *text, const rw_table *table, bool markdown);

/* ---- libraries of peers ------------------------------------------------------------------------------------------ */

/* lib<name>.so as $variable says, else the newest that is found; NULL when there is none. */
void *rw_library_open(const char *name, const char *variable);
typedef struct rw_library_function {
    const char *name; /* without the prefix */
    void *pointer;    /* to the pointer that the function is stored in */
} rw_library_function;
/* false: one is missing. */
bool rw_library_functions(void *library, const char *prefix, const rw_library_function *functions, int n);

/* ---- the laser's step -------------------------------------------------------------------------------------------- */

/* One time step in place: the population inversion N of every cell, its weighted sum, the photon number phi, which the
 * next step finds on the device.
 *
 *   N <- (N + tau P) / (1 + tau (spontaneous + gain phi U + P / Nm))
 *   lambda = weight sum(V N U) - losses
 *   phi <- lambda > 0 ? phi (1 + tau lambda) + tau seed : (phi + tau seed) / (1 - tau lambda)
 *
 * Five fields are read, one is written: 48 bytes per cell. */
enum { RW_LASER_FIELDS = 5, RW_LASER_SCALARS = 7 };
extern const char *const rw_laser_names[RW_LASER_FIELDS]; /* N P U V Nm, f64 */
typedef struct rw_laser_constants {
    double tau, spontaneous, gain, weight, losses, seed, phi; /* phi: at the beginning */
} rw_laser_constants;
typedef struct rw_laser_program {
    rw_expr_field fields[RW_LASER_FIELDS];
    rw_expr_scalar scalars[RW_LASER_SCALARS];
    rw_expr_spec spec; /* refers to the two; without a grid */
} rw_laser_program;
/* The step with the scalars of `constants`; text given: another one of the same fields, without scalars. */
void rw_laser_describe(const rw_laser_constants *constants, const char *text, rw_laser_program *program);

#endif
