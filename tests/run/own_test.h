/* What the tests of outputs that a case defines share: mistakes in the section output, tables of results. */
#ifndef OWN_TEST_H
#define OWN_TEST_H

#include "pde_test.h"

#include "files/csv.h"

static inline rw_status parse(const char *output)
{
    char text[1024];
    snprintf(text, sizeof text,
             CASE("{u: {initial: \"x\", boundary: neumann}, v: {initial: \"y^2\", boundary: {left: \"1\"}}}",
                  "parameters: {k: 2}\nequations: [\"du/dt = 0\", \"dv/dt = 0\"]\ntime: {end: 1}\noutput:\n%s\n"),
             output);
    return check_text(text);
}

typedef struct mistake {
    const char *text, *message;
} mistake;

static inline void check_mistakes(const mistake *list, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        if (parse(list[i].text) != RW_ERR_INPUT) fail_msg("%s was accepted", list[i].text);
        if (!strstr(rw_message(ctx), list[i].message))
            fail_msg("%s: %s, not %s", list[i].text, rw_message(ctx), list[i].message);
    }
}

/* The file of a result as a table. */
static inline rw_csv_table read_table(const char *results, const char *name)
{
    rw_csv_table table;
    if (rw_csv_read(ctx, result(results, name), &table) != RW_OK) fail_msg("%s", rw_message(ctx));
    return table;
}

static inline const double *column(const rw_csv_table *table, const char *name)
{
    for (int i = 0; i < table->n_columns; ++i)
        if (!strcmp(table->names[i], name)) return table->columns[i];
    fail_msg("there is no column %s", name);
    return NULL;
}

static inline void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) fail_msg("%.17g is not %.17g", value, expected);
}

/* The bytes of a file, NUL-terminated. */
static inline char *read_bytes(const char *results, const char *name, size_t *n)
{
    char *bytes;
    assert_int_equal(rw_file_read(ctx, result(results, name), 1 << 24, &bytes, n), RW_OK);
    return bytes;
}

#endif
