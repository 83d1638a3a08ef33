/* Any bytes as a table of numbers: the reader answers OK or ERR_INPUT, each value takes some bytes of the text, and
 * names and values survive being written and read again. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "files/csv.h"
#include "fuzz.h"

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* What the writer takes it writes so that it is read back. */
static void write_again(const rw_csv_table *t)
{
    char path[64];
    rw_csv *csv;
    rw_csv_table again;
    snprintf(path, sizeof path, "/tmp/rw-fuzz-csv-%d.csv", (int)getpid());
    rw_status status = rw_csv_create(NULL, path, t->n_columns, (const char *const *)t->names, NULL, &csv);
    if (status != RW_OK) { /* names that the writer refuses */
        require(status == RW_ERR_ARGUMENT || status == RW_ERR_MEMORY, "a name is refused as an argument");
        return;
    }
    double *row = calloc((size_t)t->n_columns, sizeof *row);
    require(row != NULL, "memory");
    for (size_t i = 0; i < t->n_rows; ++i) {
        for (int c = 0; c < t->n_columns; ++c) row[c] = t->columns[c][i];
        require(rw_csv_row(csv, row) == RW_OK, "a row is written");
    }
    free(row);
    require(rw_csv_close(&csv) == RW_OK, "the file is closed");
    require(rw_csv_read(NULL, path, &again) == RW_OK, "what was written is read");
    require(again.n_columns == t->n_columns && again.n_rows == t->n_rows, "with as many rows and columns");
    for (int c = 0; c < t->n_columns; ++c) {
        require(!strcmp(again.names[c], t->names[c]), "the same names");
        for (size_t i = 0; i < t->n_rows; ++i) require(same(again.columns[c][i], t->columns[c][i]), "the same values");
    }
    rw_csv_free(&again);
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    rw_csv_table t;
    char *text = malloc(n + 1);
    if (!text) return 0;
    if (n) memcpy(text, data, n);
    text[n] = 0;
    rw_status status = rw_csv_parse(NULL, "fuzz.csv", text, n, &t);
    require(status == RW_OK || status == RW_ERR_INPUT, "the answer is OK or ERR_INPUT");
    if (status == RW_OK) {
        require(t.n_columns > 0 && t.n_rows <= n && (size_t)t.n_columns <= n + 1,
                "rows and columns take bytes of the text");
        if (t.n_rows * (size_t)t.n_columns < 2000) write_again(&t);
        const double *values;
        require(rw_csv_column(NULL, &t, t.names[0], &values) == RW_OK, "a column is found by its name");
        rw_csv_free(&t);
    }
    free(text);
    return 0;
}
