/* The tables of docs/methods/elliptic-order.md: rows, columns, and the page itself. */
#ifndef RW_ELLIPTIC_ORDER_PAGE_H
#define RW_ELLIPTIC_ORDER_PAGE_H

#include "../page.h"
#include "core/core.h"
#include "rechenwerk/elliptic.h"

#define PAGE "docs/methods/elliptic-order.md"

/* Kinds of the two sides of an axis. */
typedef struct sides {
    const char *name;
    rw_boundary_kind kind[2];
} sides;

#define D RW_BOUNDARY_DIRICHLET
#define N RW_BOUNDARY_NEUMANN
#define R RW_BOUNDARY_ROBIN
static const sides pairs[] = {{"Dirichlet, Dirichlet", {D, D}},
                              {"Dirichlet, Neumann", {D, N}},
                              {"Neumann, Dirichlet", {N, D}},
                              {"Neumann, Neumann", {N, N}},
                              {"Dirichlet, Robin", {D, R}},
                              {"Robin, Neumann", {R, N}},
                              {"Robin, Robin", {R, R}},
                              {"periodic", {RW_BOUNDARY_PERIODIC, RW_BOUNDARY_PERIODIC}}};
#undef D
#undef N
#undef R
enum { ROWS = RW_COUNT(pairs), PERIODIC = ROWS - 1, WITHOUT_ROBIN = 4 };

/* The row whose sides an axis has in the problem of row r. */
static inline int row_of(int r, int axis)
{
    if (r == PERIODIC) return r;
    return r < WITHOUT_ROBIN ? (r + axis) % WITHOUT_ROBIN : (r + 2 * axis) % ROWS;
}

typedef struct column {
    rw_elliptic_method method;
    int order;
    rw_grid_layout layout;
} column;

/* Transforms and krylov with order 2 and 4, multigrid with order 2, three layouts each. */
enum { COLUMNS = 15 };
static inline column column_of(int c)
{
    static const rw_elliptic_method methods[] = {RW_ELLIPTIC_TRANSFORM, RW_ELLIPTIC_KRYLOV, RW_ELLIPTIC_MULTIGRID};
    return (column){methods[c / 6], 2 + c / 3 % 2 * 2, (rw_grid_layout)(c % 3)};
}

/* Transforms have Robin sides along one axis, and differences of order 4 on periodic axes alone. */
static inline bool exists(int ndim, int c, int r)
{
    const column of = column_of(c);
    int robin = 0;
    for (int axis = 0; axis < ndim; ++axis) robin += row_of(r, axis) >= WITHOUT_ROBIN && row_of(r, axis) != PERIODIC;
    return of.method != RW_ELLIPTIC_TRANSFORM || (of.order == 2 ? robin <= 1 : r == PERIODIC);
}

/* Nodes per axis of the coarse grid: by dimension and order. */
static const int64_t coarse[4][2] = {{0, 0}, {24, 24}, {12, 16}, {8, 10}};

static const char intro[] =
    "# Orders of convergence of elliptic solvers\n"
    "\n"
    "Observed orders of the solutions of all [methods](elliptic.md) with each kind of side, in each "
    "[layout](field.md) of\n"
    "the grid: the logarithm of the ratio of the largest errors with n and 2n nodes per axis, over that of the "
    "spacings. The\n"
    "test `elliptic.order` compares some cells with what it computes. After a change of formulas write the page "
    "anew:\n"
    "\n"
    "```console\n"
    "RECHENWERK_ORDERS=" PAGE " build/tests/elliptic/test_order\n"
    "```\n"
    "\n"
    "Solution: a product of one factor per axis, sin(3x + 0.3), sin(2.5y + 0.4), sin(2z + 0.5); on periodic axes\n"
    "sin(2πx + 0.4), cos(2πy), sin(2πz + 1). Right-hand sides and values on sides follow from it. Domain: axes of "
    "length 1.\n"
    "f64, `rtol` 1e-10, device cpu.\n"
    "\n"
    "| method | equation |\n"
    "|---|---|\n"
    "| transform | Δu − u = f |\n"
    "| krylov, multigrid | ∇·((1 + x/2)∇u) − u = f; periodic: Δu − u = f |\n"
    "\n"
    "| | n, order 2 | n, order 4 |\n"
    "|---|---|---|\n";

static const char *const titles[] = {"", "One dimension", "Two dimensions", "Three dimensions"};
static const char *const counts[] = {"", "one dimension", "two", "three"};

static const char notes[] =
    "\n"
    "- A row names the kinds of the left and the right side. Other axes have those of other rows, so that corners\n"
    "  join different kinds: in the first four rows y has those of the next row and z those of the one after that, in\n"
    "  turn; in rows with Robin sides those of the second and the fourth after it. In the last row all axes are\n"
    "  periodic.\n"
    "- Robin: 2u + ∂u/∂n = c.\n"
    "- –: the method does not apply.\n"
    "- Where an order is not near 2 or 4, the next term of the error still matters on these grids.\n";

static inline void write_page(const char *path, double (*observed)[COLUMNS][ROWS])
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(intro, file);
    for (int ndim = 1; ndim <= 3; ++ndim)
        fprintf(file, "| %s | %d | %d |\n", counts[ndim], (int)coarse[ndim][0], (int)coarse[ndim][1]);
    fputs(notes, file);
    for (int ndim = 1; ndim <= 3; ++ndim) {
        fprintf(file,
                "\n## %s\n\n| left, right side | transform 2 auto | cell | node | 4 auto | cell | node | krylov 2 auto "
                "| cell | node | 4 auto | cell | node | multigrid 2 auto | cell | node "
                "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
                titles[ndim]);
        for (int r = 0; r < ROWS; ++r) {
            fprintf(file, "| %s ", pairs[r].name);
            for (int c = 0; c < COLUMNS; ++c) write_value(file, observed[ndim][c][r]);
            fprintf(file, "|\n");
        }
    }
    assert_int_equal(fclose(file), 0);
}

#endif
