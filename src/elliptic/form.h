/* What an equation F(u) = 0 is: the derivatives of F by the values of the unknowns that it reads, and what follows from
 * them. Whether factors agree is tested with numbers, at places and values of fields drawn at random: a chain of
 * operations may be written in many ways. */
#ifndef RW_ELLIPTIC_FORM_H
#define RW_ELLIPTIC_FORM_H

#include "expr/graph.h"

/* dF_row/du_column at an offset in nodes. */
typedef struct rw_form_term {
    int row, column, offset[3];
    rw_node factor;
    bool by_place; /* it varies in space, with coordinates or fields */
} rw_form_term;

typedef struct rw_form {
    int n; /* equations, unknowns: fields 0 … n - 1 of the graph */
    rw_form_term *terms;
    int nterms, capacity;
    bool linear; /* neither a factor nor a condition of a side reads an unknown */
    /* Nodes on a side that are unknowns with values mirrored beyond: half a cell. Rows with these weights are symmetric
     * where the others are. By side. */
    bool half[6];
    bool open; /* one unknown, and no side gives a value: constants fulfil the homogeneous sides */
    /* With the present scalars: rw_form_update. */
    bool symmetric; /* with these weights: a hermitian matrix */
    int sign;       /* of the diagonal, of rows that are weakly dominant; 0: of others */
    bool singular;  /* constants solve the homogeneous equation */
} rw_form;

/* F[r]: row r. ERR_INPUT: `where` it has no derivative. */
rw_status rw_form_make(rw_graph *graph, int n, const rw_node *F, const char *where, rw_form *form);
void rw_form_free(rw_form *form);
/* After scalars of the graph have changed. */
void rw_form_update(rw_graph *graph, rw_form *form);
/* The factor with the present scalars; only of a term that does not vary in space. */
void rw_form_factor(rw_graph *graph, const rw_form_term *term, double value[2]);
/* The mean size of the factors of the next nodes along an axis, with the present scalars. */
double rw_form_coupling(rw_graph *graph, const rw_form *form, int axis);
/* "psi[i+1, j]" */
const char *rw_form_term_name(const rw_graph *graph, const rw_form_term *term, char text[64]);

#endif
