/* Words that a user may search for and that are no setting, and what to do about them. */
#include "run/topics.h"

#include <string.h>

#include "core/core.h"
#include "rechenwerk/expr.h"

/* A setting of another meaning may have the word as its name. Each paragraph is one line, which the command wraps. */
static const struct {
    const char *words, *text, *settings; /* separated by blanks; settings: whose help follows */
    const char *problem;                 /* what to do where a word is given as a problem; "": it is none */
} topics[] = {
#define RW_X(name, text, ...) " " text
    {"boundary boundaries bc sides zero-flux flux" RW_BOUNDARY_LIST(RW_X),
#undef RW_X
     "Boundary conditions of a field (boundary, for all sides or in a map of sides):\n", "fields.boundary", ""},
    {"complex imaginary c128 c64 schroedinger schrodinger ginzburg-landau gross-pitaevskii",
     "Complex numbers: the expression language has 2i, 0.5i and variables that hold complex values, with real, imag, "
     "abs, conj, exp, sin and others. Matrices and solvers take values c128 and c64, and transforms are complex.\n"
     "A field of a case (problem pde) with complex values has type: complex; rechenwerk init ginzburg-landau writes an "
     "example:\n"
     "  fields: {psi: {type: complex, initial: \"exp(-x^2 + 2i*x)\", boundary: \"0\"}}\n"
     "  equations: \"dpsi/dt = 0.5i*laplace(psi)\"\n",
     "fields.type", "use pde with fields: {psi: {type: complex, …}} and dpsi/dt = 1i*laplace(psi)"},
    {"steady stationary poisson laplacian elliptic helmholtz potential electrostatics",
     "Equations without a time derivative, and steady states of others, are cases of the problem pde with time: {end: "
     "steady}. rechenwerk list cases names cases to start from, and rechenwerk init poisson writes one:\n"
     "  problem: pde\n"
     "  grid: {size: [127, 127]}\n"
     "  fields: {psi: {initial: \"0\", boundary: \"0\"}}\n"
     "  equations: \"laplace(psi) = -1\"\n"
     "  time: {end: steady}\n"
     "The section solvers has settings of the solver of each field. rechenwerk solve solves a system with a matrix, "
     "also one of a stencil:\n"
     "  rechenwerk solve --stencil '4*u - laplace(u)' --grid 100x100\n",
     "time.tolerance", "use pde with equations: \"laplace(psi) = -1\" and time: {end: steady}"},
    {"heat diffusion reaction-diffusion advection convection transport burgers fisher",
     "Equations du/dt = … in space and time are cases of the problem pde: equations: \"du/dt = D*laplace(u)\". "
     "rechenwerk list cases names cases to start from, and rechenwerk init heat-2d writes one.\n",
     "", "use pde with equations: \"du/dt = D*laplace(u)\""},
    {"wave waves hyperbolic second-order telegraph klein-gordon sine-gordon acoustics d2u/dt2 d^2u/dt^2 u_tt utt "
     "dtt ddu/dt",
     "Equations have first derivatives in time. Write a second derivative as a system of two fields:\n"
     "  d2u/dt2 = c^2*laplace(u)    is    du/dt = v; dv/dt = c^2*laplace(u)\n",
     "", "use pde with two fields: du/dt = v; dv/dt = c^2*laplace(u)"},
    {"ode odes ordinary lorenz pendulum oscillator kinetics lotka-volterra",
     "Ordinary differential equations are a case of the problem pde without space, with the unknowns as fields:\n"
     "  problem: pde\n"
     "  grid: none\n"
     "  fields: {x: {initial: \"1\"}, v: {initial: \"0\"}}\n"
     "  equations: [\"dx/dt = v\", \"dv/dt = -x\"]\n"
     "  time: {end: 10}\n"
     "  output: {every: 0.1}\n",
     "", "use pde with grid: none"},
    {"eigenvalue eigenvalues eigenvector eigenvectors eigenmode eigenmodes modes spectrum",
     "Eigenvalues and eigenvectors are not computed. rechenwerk solve solves A x = b, and cases follow du/dt = … in "
     "time.\n",
     "", "eigenvalues are not computed"},
    {"integral integrate integration conserved conservation mass total",
     "series.csv has u_min, u_max and u_mean of each field (without space its value): over its unknowns, each with the "
     "same weight. Nodes on Dirichlet sides are no unknowns, and nodes on other sides that are not periodic count in "
     "full, so u_mean is the integral over the volume on periodic grids only. Write another integral as a check, which "
     "is computed at the end of the run; on [0, 1] with zero flux, where nodes on the sides have half the weight:\n"
     "  parameters: {h: 1/127}     the spacing, here of 128 nodes\n"
     "  checks: {mass: {value: \"sum(u*h*where(x < h/2 or x > 1 - h/2, 0.5, 1))\", expect: 1, tolerance: 1e-6}}\n",
     "", ""},
};

static bool has_word(const char *words, const char *name)
{
    const size_t n = strlen(name);
    for (const char *p = words; n && (p = strstr(p, name)); p++)
        if ((p == words || p[-1] == ' ') && (p[n] == ' ' || !p[n])) return true;
    return false;
}

/* "Schroedinger" is "schroedinger". */
static bool is_about(int topic, const char *name)
{
    char lower[64];
    size_t n = 0;
    for (; name[n] && n + 1 < sizeof(lower); n++)
        lower[n] = (char)(name[n] >= 'A' && name[n] <= 'Z' ? name[n] + 32 : name[n]);
    lower[n] = '\0';
    return !name[n] && has_word(topics[topic].words, lower);
}

const char *rw_topic_problem(const char *word)
{
    for (int i = 0; i < RW_COUNT(topics); i++)
        if (*topics[i].problem && is_about(i, word)) return topics[i].problem;
    return NULL;
}

const char *rw_topic_text(const char *word, int *next, const char **settings)
{
    for (int i = *next; i < RW_COUNT(topics); i++) {
        if (!is_about(i, word)) continue;
        *next = i + 1;
        *settings = topics[i].settings;
        return topics[i].text;
    }
    return NULL;
}
