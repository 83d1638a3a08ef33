/* The problem rates: population inversion and photon numbers of a laser on a block-structured grid. What its parts
 * share. */
#ifndef RW_RATES_H
#define RW_RATES_H

#include "device/device.h"
#include "expr/switches.h"
#include "rechenwerk/blocks.h"
#include "run/checks.h"
#include "run/parameters.h"
#include "run/problem.h"
#include "run/run_settings.h"

#define RW_SECTION_PREFIX(section) rates_##section
#define RW_SECTION_DEF "run/rates/rates.def"
#include "run/section_structs.h"

enum { RATES_MODES = 16, RATES_PEAKS = 4096 };

/* A local maximum of the photon number. */
typedef struct rates_peak {
    double t, photons;
} rates_peak;

/* Where the next step ends at the latest. */
typedef struct rates_limit {
    double t;
    bool is_switch; /* … because the losses jump: between the neighbouring numbers t and after */
    double after;
} rates_limit;

/* What is seen of the photon number step by step. */
typedef struct rates_spikes {
    double t[2], photons[2]; /* the last two steps */
    int64_t seen;
    /* of adaptive steps, which are long: a peak is that of a parabola through three logarithms; 0: of equal ones */
    double rtol;
    double threshold; /* time at which the gain first exceeded the losses, NaN: not yet */
    rates_peak peak[RATES_PEAKS];
    int npeaks; /* the first of them; later ones are not kept */
} rates_spikes;

typedef struct rates_problem {
    rw_problem base;
    rw_device *device;
    rw_blocks *blocks;
    rates_crystal crystal;
    rates_cavity cavity;
    rates_pump pump;
    rates_constants constants;
    rates_time time;
    rw_expr_scalar *scalars; /* parameters of the case */
    int nscalars;
    int nmodes;
    char mode_name[RATES_MODES][32];
    double photons[RATES_MODES];
    rw_array *inversion, *pumping, *mode[RATES_MODES];
    rw_array *half, *offered;   /* of adaptive steps: in the middle, at the end */
    double first_loss;          /* beside the mirror's, at t = 0 */
    rw_expr *loss;              /* loss = cavity.loss */
    rw_switch_search *switches; /* of it; NULL: it has none */
    double passed;              /* the time after the last switch that was passed, 0: none */
    /* derived */
    double round_trip, tau_c, gain, power_factor; /* gain: sigma c / length; power of a photon in mW */

    rw_expr *step, *observe, *settle;
    rw_sequence *sequence;
    /* once since it was made or loaded: all arrays are on the device, so steps can be recorded */
    bool run;
    bool coarse;         /* the warning that equal steps are too long has been given */
    bool single;         /* steps cannot be recorded: the plain evaluator */
    int batch;           /* runs of the sequence, and rows of the trace */
    int64_t every;       /* the runner looks after so many steps; 0: at times only */
    int64_t n;           /* whole steps done */
    double offset;       /* time since then, of a step that an output has split */
    int64_t steps;       /* programs run: split steps count twice; adaptive: taken */
    double now;          /* adaptive: the time; imex: the time of an output or a switch that has split a step */
    double limit, quota; /* adaptive: what the device has been given */
    rates_spikes spikes;

    rw_state_field output_fields[2 + RATES_MODES];
    char field_name[RATES_MODES][40], column_name[2 * RATES_MODES][48];
    rw_state_column columns[4 + 2 * RATES_MODES];
    rw_checks checks;
} rates_problem;

/* fields.c: how many modes there are, and their names */
rw_status rates_name_modes(const rw_case *c, rates_problem *p);
/* grid.c */
rw_status rates_make_grid(const rw_case *c, rates_problem *p, bool estimate, int64_t *cells);
/* fields.c: pump, modes and the first inversion from their expressions; the programs. */
rw_status rates_make_fields(const rw_case *c, rates_problem *p);
rw_status rates_make_programs(const rw_case *c, rates_problem *p);
rw_status rates_check_names(const rw_case *c); /* parameters and functions are not named like what the programs have */
/* A mode's number after a name; none where there is one mode only. */
const char *rates_number(const rates_problem *p, int k, char text[8]);
/* A program whose fields are N, pump and the modes, bound. */
rw_status rates_program(rates_problem *p, const rw_expr_spec *given, rw_expr **e);
/* rates.c: so many runs of the step, at once where `replay`; what they have left in the trace. */
rw_status rates_run(rates_problem *p, int64_t n, bool replay);
rw_status rates_look(rates_problem *p);
/* adaptive.c: the program's text after functions, its own scalars (their number), some attempts. */
void rates_write_adaptive(const rates_problem *p, rw_text *t);
int rates_adaptive_scalars(const rates_problem *p, char names[RATES_MODES][16], rw_expr_scalar *scalars);
rw_status rates_adaptive_step(rates_problem *p, double t_limit);
/* switches.c: jumps of the losses. A switch at the time `now` is passed; then the limit may be `now`, and no step is
 * left. A step that ends at a switch is followed by rates_pass. */
rw_status rates_find_switches(rates_problem *p);
rw_status rates_limit_step(rates_problem *p, double now, double t_limit, rates_limit *limit);
rw_status rates_pass(rates_problem *p, const rates_limit *limit);
/* spikes.c */
void rates_watch(rates_spikes *s, double t, double photons, double lambda);
/* Peaks that stand out above `final`. */
int rates_count(const rates_spikes *s, double final);
/* Angular frequency and damping time of the relaxation oscillation around `final`, fitted to the peaks; NaN: too
 * few. */
void rates_relaxation(const rates_spikes *s, double final, double *omega, double *damping);

extern const rw_problem_ops rw_rates_ops;

#endif
