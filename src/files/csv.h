/* Tables of numbers as text: the writer of series.csv, and a reader.
 *
 *   t,mass,energy
 *   # s, kg, J
 *   0,1,0.5
 *   0.10000000000000001,1,0.49999999999999994
 *
 * Numbers have 17 significant digits (%.17g), so that reading gives the same doubles; nan and inf are written as such.
 * Comma separated, decimal point, UTF-8, no quoting: names hold no comma, quote, '#' or control character. */
#ifndef RW_CSV_H
#define RW_CSV_H

#include "files/io.h"

typedef struct rw_csv rw_csv; /* a table being written */

/* Starts a new file (an old one is replaced) with the header and, if units is not NULL, the line of units. An entry of
 * units may be NULL or "" for a number without unit; it is then written "1". */
rw_status rw_csv_create(rw_context *ctx, const char *path, int n, const char *const *names, const char *const *units,
                        rw_csv **csv);
/* Continues a file at `position`, a value that rw_csv_flush gave: what was written after it is cut off. ERR_INPUT when
 * the file is shorter than that, does not end a line there, or its header differs from names. */
rw_status rw_csv_append(rw_context *ctx, const char *path, uint64_t position, int n, const char *const *names,
                        rw_csv **csv);
/* Adds one row of n values (buffered). */
rw_status rw_csv_row(rw_csv *csv, const double *values);
/* Hands all rows to the system (fsync) and gives the bytes written so far, for a checkpoint; position may be NULL. */
rw_status rw_csv_flush(rw_csv *csv, uint64_t *position);
/* Flushes and closes; *csv becomes NULL whatever the status. NULL is allowed. */
rw_status rw_csv_close(rw_csv **csv);

typedef struct rw_csv_table {
    int n_columns;
    size_t n_rows;
    char **names;     /* [n_columns] */
    char **units;     /* [n_columns], "" when the file has no line of units */
    double **columns; /* [n_columns][n_rows] */
} rw_csv_table;

/* Reads a table: first line names, lines starting with '#' are comments (the first right after the header: units), an
 * empty cell is NaN, blank lines are skipped, LF or CR LF. ERR_INPUT with line and column number otherwise. */
rw_status rw_csv_read(rw_context *ctx, const char *path, rw_csv_table *table);
rw_status rw_csv_parse(rw_context *ctx, const char *name, const char *text, size_t n, rw_csv_table *table);
/* The values of a column; ERR_INPUT with the nearest name when there is none. */
rw_status rw_csv_column(rw_context *ctx, const rw_csv_table *table, const char *name, const double **values);
void rw_csv_free(rw_csv_table *table);

#endif
