/* Random expressions and their values by mpmath, and what a device makes of them: tests/expr/test_reference.c for the
 * devices of a test, bench/peers/spine.c for GPUs. The table is tests/expr/random_expressions.txt, made by
 * random_expressions.py with the seed in its first line; a row is FLAGS;EXPRESSION;VALUE;VALUE;VALUE. */
#ifndef RW_TEST_REFERENCE_H
#define RW_TEST_REFERENCE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "rechenwerk/expr.h"

enum { REFERENCE_POINTS = 3, REFERENCE_BATCH = 40 };

typedef struct reference {
    const char *text; /* of the table's text */
    double want[REFERENCE_POINTS];
    bool single, derivative; /* fit for f32; loses digits */
} reference;

typedef struct reference_table {
    char *text;
    reference *rows;
    int n;
} reference_table;

static const double reference_u[REFERENCE_POINTS] = {0.8125, -0.40625, 1.6875},
                    reference_v[REFERENCE_POINTS] = {-1.375, 2.25, 0.15625};

static inline void reference_free(reference_table *t)
{
    rw_free(t->text), rw_free(t->rows);
    *t = (reference_table){0};
}

static inline rw_status reference_read(rw_context *ctx, const char *path, reference_table *t)
{
    size_t bytes;
    int most = 1, line_number = 0;
    *t = (reference_table){0};
    RW_TRY(rw_file_read(ctx, path, 0, &t->text, &bytes));
    for (const char *s = t->text; *s; ++s) most += *s == '\n';
    t->rows = rw_calloc((size_t)most, sizeof *t->rows);
    if (!t->rows) return rw_fail_memory(ctx, (size_t)most * sizeof *t->rows, "the table of expressions");
    for (char *save, *line = strtok_r(t->text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *field[2 + REFERENCE_POINTS], *part = line;
        reference *r = t->rows + t->n;
        ++line_number;
        if (*line == '#') continue;
        for (int i = 0; i < 2 + REFERENCE_POINTS; ++i) field[i] = strsep(&part, ";");
        if (!field[1 + REFERENCE_POINTS])
            return rw_fail(ctx, RW_ERR_INPUT, "%s, line %d: not FLAGS;EXPRESSION;VALUE;VALUE;VALUE", path, line_number);
        *r = (reference){.text = field[1], .single = strchr(field[0], 's'), .derivative = strchr(field[0], 'd')};
        for (int i = 0; i < REFERENCE_POINTS; ++i) r->want[i] = rw_strtod(field[2 + i], NULL);
        t->n++;
    }
    return RW_OK;
}

static inline bool reference_agrees(const reference *r, int point, double have, bool f32)
{
    double want = r->want[point], allowed = f32 ? 1e-4 : r->derivative ? 1e-9 : 2e-12;
    if (!isfinite(want) || want == 0) return isnan(want) ? isnan(have) : have == want;
    return fabs(have - want) <= allowed * fabs(want);
}

static inline double reference_number(const void *data, rw_dtype dtype, int i)
{
    return dtype == RW_F32 ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

static inline rw_status reference_put(rw_array *a, const double *values)
{
    void *data;
    RW_TRY(rw_array_write(a, &data));
    for (int i = 0; i < REFERENCE_POINTS; ++i) {
        if (rw_array_dtype(a) == RW_F32) ((float *)data)[i] = (float)values[i];
        else ((double *)data)[i] = values[i];
    }
    return RW_OK;
}

static inline rw_status reference_check(rw_device *dev, const reference *r, rw_array *output)
{
    const rw_dtype dtype = rw_array_dtype(output);
    const void *data;
    RW_TRY(rw_array_read(output, &data));
    for (int p = 0; p < REFERENCE_POINTS; ++p) {
        double have = reference_number(data, dtype, p);
        if (!reference_agrees(r, p, have, dtype == RW_F32))
            return rw_fail(dev->ctx, RW_ERR_INTERNAL, "%s, %s: %s at u = %g, v = %g, x = %g is %.17g, mpmath has %.17g",
                           rw_device_info(dev)->name, dtype == RW_F32 ? "f32" : "f64", r->text, reference_u[p],
                           reference_v[p], 0.5 + 0.25 * p, have, r->want[p]);
    }
    return RW_OK;
}

/* These expressions as one program. */
static inline rw_status reference_run(rw_device *dev, rw_dtype dtype, const reference *const *rows, int n)
{
    enum { MOST = 2 + REFERENCE_BATCH };
    static const rw_expr_scalar scalars[] = {{.name = "a", .value = 0.75},
                                             {.name = "b", .value = -1.25},
                                             {.name = "t", .value = 1.5}};
    static const int64_t shape[] = {REFERENCE_POINTS};
    char name[MOST][16] = {"u", "v"};
    rw_expr_field fields[MOST];
    rw_array *array[MOST] = {NULL};
    rw_text text = {0};
    rw_expr *e = NULL;
    rw_status status = RW_OK;
    for (int i = 0; i < n; ++i) {
        snprintf(name[2 + i], sizeof *name, "o%d", i);
        rw_text_add(&text, "o%d = %s\n", i, rows[i]->text);
    }
    for (int i = 0; i < 2 + n; ++i) fields[i] = (rw_expr_field){.name = name[i], .dtype = dtype};
    const rw_expr_spec spec = {.name = "reference",
                               .text = text.data,
                               .fields = fields,
                               .nfields = 2 + n,
                               .scalars = scalars,
                               .grid = {1, {REFERENCE_POINTS, 1, 1}, {0.25, 1, 1}, {0.5, 0, 0}},
                               .nscalars = RW_COUNT(scalars)};
    RW_TRY_GOTO(text.failed ? rw_fail_memory(dev->ctx, text.length, "a program") : rw_expr_create(dev, &spec, &e), out);
    for (int i = 0; i < 2 + n; ++i) {
        RW_TRY_GOTO(rw_array_create(dev, dtype, 1, shape, RW_MEMORY_DEVICE, &array[i]), out);
        if (i < 2) RW_TRY_GOTO(reference_put(array[i], i ? reference_v : reference_u), out);
        RW_TRY_GOTO(rw_expr_bind(e, name[i], array[i]), out);
    }
    RW_TRY_GOTO(rw_expr_run(e, rw_device_queue(dev)), out);
    for (int i = 0; i < n; ++i) RW_TRY_GOTO(reference_check(dev, rows[i], array[2 + i]), out);
out:
    rw_expr_destroy(&e);
    for (int i = 0; i < 2 + n; ++i) rw_array_destroy(&array[i]);
    rw_text_free(&text);
    return status;
}

/* The first `most` expressions, in f32 of those that the table marks; their number in *compared. RW_ERR_INTERNAL with
 * the expression and both values where one differs. */
static inline rw_status reference_compare(rw_device *dev, const reference_table *t, bool f32, int most, int *compared)
{
    const reference *rows[REFERENCE_BATCH];
    int n = 0;
    *compared = 0;
    for (int i = 0; i < t->n && *compared < most; ++i) {
        if (f32 && !t->rows[i].single) continue;
        rows[n++] = t->rows + i, ++*compared;
        if (n < REFERENCE_BATCH && *compared < most) continue;
        RW_TRY(reference_run(dev, f32 ? RW_F32 : RW_F64, rows, n));
        n = 0;
    }
    return n ? reference_run(dev, f32 ? RW_F32 : RW_F64, rows, n) : RW_OK;
}

#endif
