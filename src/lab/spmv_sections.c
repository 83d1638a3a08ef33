/* Rows in sections of all lengths, for ELL (in entries) and for BELL (in blocks): the document found 20 entries best on
 * both of its GPUs; its own curves are lost. */
#include <math.h>

#include "lab/spmv.h"

const rw_lab_column rw_spmv_sections_columns[SPMV_SECTIONS_COLUMNS] = {
    [L_PRODUCT] = {"product", "", RW_SHOW_NAME, false, NULL},
    [L_WHERE] = {"where", "", RW_SHOW_NAME, false, NULL},
    [L_CURVE] = {"curve", "", RW_SHOW_NAME, false, NULL},
    [L_UNIT] = {"of", "", RW_SHOW_NAME, false, "unit of L"},
    [L_LENGTH] = {"L", "", RW_SHOW_INTEGER, false, "section length; rows are padded to a multiple of it"},
    [L_SECTIONS] = {"sections", "", RW_SHOW_INTEGER, false, "sections per row"},
    [L_SECONDS] = {"time", "s", RW_SHOW_REAL, false, "best time of 100 products with x and y copied"},
    [L_RATE] = {"rate", "GFLOP/s", RW_SHOW_REAL, false, NULL},
    [L_BEST] = {"best", "s", RW_SHOW_REAL, false,
                "time, repeated where this L is the fastest for the product and device"},
};

typedef struct sweep {
    double best;
    int row;
} sweep;

static rw_status measure_length(rw_spmv_study *s, int device, int method, int length, sweep *w)
{
    rw_lab *lab = s->lab;
    const rw_spmv_method *m = rw_spmv_methods + method;
    const bool ell = m->layout == RW_SPMV_ELL;
    rw_spmv_options options = rw_spmv_options_of(lab);
    char curve[64];
    rw_spmv p;
    rw_spmv_timing t;
    if (ell) options.section = length;
    else options.block_section = length;
    if (rw_spmv_predict(m, &s->source.shape, rw_spmv_kind_of(lab), rw_spmv_is_f64(lab), &options).memory >
        rw_spmv_memory(lab, device)) {
        rw_lab_note(lab, "sections: %s with L = %d on %s needs more memory than is available", m->name, length,
                    lab->info[device].name);
        return RW_OK;
    }
    rw_lab_say(lab, "%s: %s with L = %d on %s", rw_spmv_case(s->which), m->name, length, lab->info[device].name);
    RW_TRY(rw_spmv_create(lab->devices[device], &s->source, m, &options, &p));
    rw_status status = rw_spmv_time(lab, &p, RW_MULTIBLOCK_ALL, true, &t);
    const double operations = SPMV_PRODUCTS * p.need.operations,
                 longest = (double)(ell ? p.shape.entries : p.shape.slots);
    rw_spmv_free(&p);
    RW_TRY(status);
    snprintf(curve, sizeof curve, "%s, %s", m->name, lab->info[device].name);
    RW_TRY(rw_spmv_begin_row(lab, SPMV_SECTIONS, m->name, lab->info[device].name, false));
    RW_TRY(rw_lab_put_name(lab, SPMV_SECTIONS, L_CURVE, curve, false));
    RW_TRY(rw_lab_put_name(lab, SPMV_SECTIONS, L_UNIT, ell ? "entries" : "blocks", false));
    const double values[] = {[L_LENGTH] = length,
                             [L_SECTIONS] = ceil(longest / length),
                             [L_SECONDS] = t.best,
                             [L_RATE] = operations / t.best * 1e-9};
    rw_lab_put_values(lab, SPMV_SECTIONS, L_LENGTH, RW_COUNT(values), values);
    if (w->row < 0 || t.best < w->best) *w = (sweep){t.best, lab->rows[SPMV_SECTIONS].n - 1};
    return RW_OK;
}

static rw_status sweep_lengths(rw_spmv_study *s, int device, int method)
{
    rw_lab *lab = s->lab;
    const rw_lab_setting *lengths =
        rw_lab_setting_of(lab, rw_spmv_methods[method].layout == RW_SPMV_ELL ? "sections" : "block_sections");
    sweep w = {.row = -1};
    for (int i = 0; i < lengths->n; ++i) RW_TRY(measure_length(s, device, method, (int)lengths->number[i], &w));
    if (w.row < 0) return RW_OK;
    rw_lab_rows_of *r = lab->rows + SPMV_SECTIONS;
    r->value[w.row * r->width + rw_lab_place(lab, SPMV_SECTIONS, L_BEST, -1)] = w.best;
    rw_lab_note(lab, "sections: %s on %s is fastest with L = %d", rw_spmv_methods[method].name, lab->info[device].name,
                (int)r->value[w.row * r->width + rw_lab_place(lab, SPMV_SECTIONS, L_LENGTH, -1)]);
    return RW_OK;
}

rw_status rw_spmv_sweep(rw_spmv_study *s)
{
    rw_lab *lab = s->lab;
    const rw_multiblock_spec grid = rw_spmv_grid(lab, s->which);
    rw_status status = rw_spmv_source_create(lab->ctx, &grid, rw_spmv_kind_of(lab), rw_spmv_is_f64(lab), &s->source);
    for (int d = 0; d < lab->ndevices; ++d)
        for (int m = 0; m < s->methods && status == RW_OK; ++m)
            if (rw_spmv_methods[m].flags & RW_SPMV_CUT && rw_spmv_is_run(lab, m, d)) status = sweep_lengths(s, d, m);
    rw_spmv_source_free(&s->source);
    return status;
}
