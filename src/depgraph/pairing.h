/* Rows (equations) and columns (unknowns) of a sparsity pattern: which row determines which column, and in which order.
 *
 *   maximum matching   pairs of a row and a column that it has, no row and no column twice, as many as possible
 *   excess of a row    an unpaired row and what alternating paths reach from it: k + 1 rows that have k columns only
 *   excess of a column the same with rows and columns exchanged: k + 1 columns that k rows only have
 *   system             rows that need each other: a strongly connected component
 *
 * The pattern is dense; searches cost up to rows x columns each, all together rows x rows x columns.
 * Sources: H. W. Kuhn, Naval Res. Logist. Quart. 2, 1955 (augmenting paths); A. L. Dulmage, N. S. Mendelsohn, Canad. J.
 * Math. 10, 1958 (excess); R. Tarjan, SIAM J. Comput. 1, 1972 (components). */
#ifndef RW_DEPGRAPH_PAIRING_H
#define RW_DEPGRAPH_PAIRING_H

#include "core/core.h"

typedef struct rw_pairing {
    int nrows, ncolumns;
    bool *has;                  /* [nrows][ncolumns] the row may determine the column */
    bool *needs;                /* [nrows][ncolumns] the row's solution needs the column: its pair's row comes first */
    int *column_of, *row_of;    /* -1: not paired */
    bool *in_rows, *in_columns; /* of the last excess */
    int *order, *first, nsystems; /* rows order[first[s]] … order[first[s + 1] - 1] are system s */
    int *work;                    /* [5 max(nrows, ncolumns)] */
} rw_pairing;

/* An empty pattern without pairs. Fill has and needs; column_of and row_of may hold pairs that are preferred.
 * Errors: ERR_MEMORY. Destroy it with rw_pairing_destroy. */
rw_status rw_pairing_create(rw_context *ctx, int nrows, int ncolumns, rw_pairing **pairing);
void rw_pairing_destroy(rw_pairing **pairing);

/* Pairs as many rows as possible. Rows and columns that are paired stay so; their partners may change. */
void rw_pairing_match(rw_pairing *p);
/* in_rows, in_columns: the excess of a row or of a column that rw_pairing_match has not paired. */
void rw_pairing_row_excess(rw_pairing *p, int row);
void rw_pairing_column_excess(rw_pairing *p, int column);
/* order, first, nsystems, where all rows and columns are paired: a system needs columns of its own and of earlier
 * systems only. Rows of a system are in ascending order. */
void rw_pairing_order(rw_pairing *p);

#endif
