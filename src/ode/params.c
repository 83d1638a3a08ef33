/* Rows of rw_ode_spec: also the section `time` of a case (run/pde/pde.def). */
#include "ode/params.h"

#define RW_X(name, text, line) | 1 << RW_ODE_##name
enum {
    STABILISED = 1 << RW_ODE_RKC2 | 1 << RW_ODE_RKL2 | 1 << RW_ODE_ROCK2 | 1 << RW_ODE_ROCK4 | 1 << RW_ODE_AUTO,
    ALL = (0 RW_ODE_METHOD_LIST(RW_X)) & ~(1 << RW_ODE_NEWTON),
    CONTROLLED = ALL & ~(1 << RW_ODE_IMEX1), /* rk4 and ark2 without a given step */
    GIVEN = 1 << RW_ODE_RK4 | 1 << RW_ODE_IMEX1 | 1 << RW_ODE_ARK2,
    ROCK = 1 << RW_ODE_ROCK2 | 1 << RW_ODE_ROCK4 | 1 << RW_ODE_AUTO,
};
#undef RW_X

#define ROW(member, kind, standard, allowed, line, ...)                                                                \
    RW_ROW(rw_ode_spec, member, kind, standard, allowed, line, __VA_ARGS__)

#define RW_X(name, text, line) text "|"
static const char choices[] = RW_ODE_METHOD_LIST(RW_X);
#undef RW_X

static const rw_param rows[] = {
    ROW(method, ENUM, "auto", choices,
        "auto: dp5, rkc2 or rock4; rock4, rock2, rkc2, rkl2: diffusion; dp5: non-stiff; rk4: fixed step; imex1, ark2: "
        "marks; newton: steady",
        .brief = NULL),
    ROW(start, REAL, "0", "(-inf, inf)", "initial time", .brief = NULL),
    ROW(end, REAL, "1.0", "steady|(-inf, inf)", "final time; steady: when the state no longer changes",
        .required = true),
    ROW(step, REAL, "0", "[0, inf)", "step of rk4, ark2, imex1; 0: from the error, of rk4 and the spectral radius too",
        .methods = GIVEN),
    ROW(rtol, REAL, "1e-5", "(0, 1]", "relative tolerance per step; no effect on a given step", .methods = CONTROLLED),
    ROW(atol, REAL, "1e-8", "(0, inf)", "absolute tolerance per step; no effect on a given step",
        .methods = CONTROLLED),
    ROW(initial_step, REAL, "0", "[0, inf)", "initial step; 0: chosen by the method", .methods = ALL),
    ROW(max_step, REAL, "0", "[0, inf)", "maximum step; 0: no limit", .methods = ALL),
    ROW(courant, REAL, "0", "[0, inf)", "Courant number of the steps, instead of step; 0: none; see courant_one",
        .methods = ALL),
    ROW(courant_one, TEXT, "", "", "step of Courant number 1: an expression, such as 1/max(abs(u)/hx)", .methods = ALL),
    ROW(max_stages, INT, "200; rkl2: 199; rock2, rock4: 400", "[2, 10000]; rkl2, rock2: [3, 10000]; rock4: [5, 10000]",
        "maximum number of stages per step of a stabilised method", .methods = STABILISED),
    ROW(damping, REAL, "0.95", "[0.5, 0.99]", "rock2, rock4: growth factor allowed on the stability interval",
        .methods = ROCK),
    ROW(spectral_radius, TEXT, "auto", "",
        "spectral radius: an expression; auto: from the derivative of the equations; power: by power iteration",
        .methods = STABILISED | 1 << RW_ODE_RK4),
    ROW(tolerance, REAL, "1e-8", "(0, inf)", "end = steady: largest |du/dt|/max(|u|, 1) of a steady state",
        .condition = "time.end = steady", .methods = ALL),
    ROW(record, SWITCH, "true", "", "replay the launches of a step as one recorded sequence where possible",
        .brief = NULL),
};

const rw_params *rw_ode_params(void)
{
    static const rw_params params = {"time", "rw_ode_spec", "time integration", sizeof(rw_ode_spec),
                                     rows,   RW_COUNT(rows)};
    return &params;
}

double rw_ode_standard(const char *member, const char *method)
{
    char text[32];
    return rw_strtod(rw_param_for(rw_params_find(rw_ode_params(), member)->standard, method, text, sizeof text), NULL);
}
