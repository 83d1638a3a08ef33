/* The rows of docs/methods/order.md, and the page itself. */
#ifndef RW_TEST_ORDER_PAGE_H
#define RW_TEST_ORDER_PAGE_H

#include <stdbool.h>

#include "../page.h"
#include "rechenwerk/expr.h"

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Conditions are texts in which @ is the field itself, U its exact value, S its exact outward derivative, V its value
 * on the side by nodes, W that of the field of row OTHER, L the value that follows from the slope. */
typedef struct side {
    rw_boundary_kind kind;
    const char *a, *b, *c;
} side;

#define DIRICHLET                                                                                                      \
    {                                                                                                                  \
        RW_BOUNDARY_DIRICHLET, "U", NULL, NULL                                                                         \
    }
#define NEUMANN                                                                                                        \
    {                                                                                                                  \
        RW_BOUNDARY_NEUMANN, "S", NULL, NULL                                                                           \
    }
#define ROBIN                                                                                                          \
    {                                                                                                                  \
        RW_BOUNDARY_ROBIN, "2 + t", "1", "(2 + t)*U + S"                                                               \
    }
#define PERIODIC                                                                                                       \
    {                                                                                                                  \
        RW_BOUNDARY_PERIODIC, NULL, NULL, NULL                                                                         \
    }
#define PARTS(a, b, c)                                                                                                 \
    {                                                                                                                  \
        RW_BOUNDARY_ROBIN, "where(y > 0.5, " a ")", "where(y > 0.5, " b ")", "where(y > 0.5, " c ")"                   \
    }

typedef struct row {
    const char *name;
    side lower, upper; /* of x */
    bool parts;        /* a jump of kind at y = 0.5, where the error is not measured */
    bool moves;        /* a and b vanish in different places: not in layout auto */
} row;

static const row rows[] = {
    {"Dirichlet, Dirichlet", DIRICHLET, DIRICHLET, false, false},
    {"Dirichlet, Neumann", DIRICHLET, NEUMANN, false, false},
    {"Dirichlet, Robin", DIRICHLET, ROBIN, false, false},
    {"Neumann, Dirichlet", NEUMANN, DIRICHLET, false, false},
    {"Neumann, Neumann", NEUMANN, NEUMANN, false, false},
    {"Neumann, Robin", NEUMANN, ROBIN, false, false},
    {"Robin, Dirichlet", ROBIN, DIRICHLET, false, false},
    {"Robin, Neumann", ROBIN, NEUMANN, false, false},
    {"Robin, Robin", ROBIN, ROBIN, false, false},
    {"periodic", PERIODIC, PERIODIC, false, false},
    {"Dirichlet and Neumann parts, Dirichlet", PARTS("1, 0", "0, 1", "U, S"), DIRICHLET, true, true},
    {"Dirichlet and Robin parts, Neumann", PARTS("1, 2", "0, 1", "U, 2*U + S"), NEUMANN, true, true},
    {"Neumann and Robin parts, Robin", PARTS("0, 2", "1, 1", "S, 2*U + S"), ROBIN, true, false},
    {"radiation, Dirichlet", {RW_BOUNDARY_NEUMANN, "S + U^3 - V^3", NULL, NULL}, DIRICHLET, false, false},
    {"Robin with u in a, b and c, Neumann",
     {RW_BOUNDARY_ROBIN, "V", "1 + V^2", "U*V + (1 + V^2)*S"},
     NEUMANN,
     false,
     false},
    {"value from the slope, Dirichlet", {RW_BOUNDARY_DIRICHLET, "L", NULL, NULL}, DIRICHLET, false, false},
    {"contact with another field, Dirichlet", {RW_BOUNDARY_NEUMANN, "S + W - V", NULL, NULL}, DIRICHLET, false, false},
};
enum { OTHER = 13, PERIODIC_ROW = 9, ROWS = sizeof rows / sizeof *rows, TEXT = 2048 };

static const char *const layouts[] = {"auto", "cell", "node"};

/* ---- the page ---------------------------------------------------------------------------------------------------- */

static const char intro[] =
    "# Orders of convergence\n"
    "\n"
    "Observed orders of the differences in space with each kind of side, in each [layout](field.md) of "
    "the grid: log2 of the\n"
    "ratio of the largest errors with n and 2n intervals per axis. The test `ode.space` compares some "
    "columns with what it\n"
    "computes. After a change of formulas write the page anew, which takes half an hour:\n"
    "\n"
    "```console\n"
    "RECHENWERK_ORDERS=docs/methods/order.md build/tests/ode/test_space\n"
    "```\n"
    "\n"
    "Equation ∂u/∂t = Δu + ½ ∂u/∂x + f, where f and the conditions follow from u = exp(−t) sin(0.3 + 2x "
    "+ 1.5y + z); in the\n"
    "row `periodic` 2πx replaces 2x. Domain: axes of length 1. RK4 with its stable step, f64, device cpu.\n"
    "\n"
    "| | n, order 2 | n, order 4 | until t |\n"
    "|---|---|---|---|\n"
    "| one dimension | 40 | 40 | 0.1 |\n"
    "| two | 20 | 16 | 0.1 |\n"
    "| three | 16 | 12 | 0.05 |\n"
    "\n"
    "- A row names the conditions of the left and the right side. In the first nine, y has the same with "
    "Neumann and Robin\n"
    "  exchanged, and z the same as x, so that corners join different kinds. In the others y and z have "
    "Dirichlet and Neumann\n"
    "  sides.\n"
    "- Parts: the first kind holds for y > 0.5, the second below. The error is measured 0.25 and more "
    "away from the jump.\n"
    "- Sides that read fields: radiation ∂u/∂n = g − u³; a u + b ∂u/∂n = c with a = u, b = 1 + u²; "
    "Dirichlet with the value\n"
    "  that follows from nodes and the slope on the side; contact ∂u/∂n = g + v − u with another field "
    "v. In layout cell the\n"
    "  value on the side is extrapolated from 2 nodes in order 2, from 4 in order 4.\n"
    "- –: layout auto has no parts with different positions of nodes; a case takes the layout cell for them.\n"
    "\n"
    "Where an order is below 2 or 4, the next term of the error still matters on these grids; its share "
    "halves with the\n"
    "spacing:\n"
    "\n"
    "- value from the slope, Dirichlet, one dimension, 2 auto: 1.89, 1.94, 1.97 with n = 20, 40, 80;\n"
    "- Dirichlet and Neumann parts, Dirichlet, two dimensions, 4 cell: 3.40, 3.63, 3.73, 3.83 with n = 8, 12, 16, 24;\n"
    "- Neumann, Dirichlet, three dimensions, 4 cell: 3.41, 3.65, 3.74 with n = 8, 12, 16.\n";

static const char *const titles[] = {"", "One dimension", "Two dimensions", "Three dimensions"};

static inline void write_page(const char *path, double (*observed)[2][3][ROWS])
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(intro, file);
    for (int ndim = 1; ndim <= 3; ++ndim) {
        fprintf(file,
                "\n## %s\n\n| left, right side | 2 auto | cell | node | 4 auto | cell | node |\n"
                "|---|---|---|---|---|---|---|\n",
                titles[ndim]);
        for (int r = 0; r < ROWS; ++r) {
            if (rows[r].parts && ndim == 1) continue;
            fprintf(file, "| %s ", rows[r].name);
            for (int i = 0; i < 6; ++i) write_value(file, observed[ndim][i / 3][i % 3][r]);
            fprintf(file, "|\n");
        }
    }
    assert_int_equal(fclose(file), 0);
}

static inline double order_on_page(int ndim, int order, rw_grid_layout layout, int r)
{
    return page_value(read_page("docs/methods/order.md"), titles[ndim], rows[r].name,
                      (order - 2) / 2 * 3 + (int)layout);
}

#endif
