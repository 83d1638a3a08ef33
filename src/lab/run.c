/* The list of studies and the run of one. */
#include <string.h>

#include "lab/lab.h"

static const rw_study *const studies[] = {
#define RW_X(name) &rw_study_##name,
#include "lab/lab.def"
#undef RW_X
};
static const rw_lab_entry *const list[] = {
#define RW_X(name) &rw_study_##name.entry,
#include "lab/lab.def"
#undef RW_X
};
enum { N = RW_COUNT(list) };

const rw_lab_entry *const *rw_lab_list(int *n)
{
    if (n) *n = N;
    return list;
}

static rw_status find_study(rw_context *ctx, const char *name, const rw_study **study)
{
    const char *names[N];
    for (int i = 0; i < N; ++i) {
        names[i] = list[i]->name;
        *study = studies[i];
        if (!strcmp(names[i], name)) return RW_OK;
    }
    return rw_lab_refuse(ctx, "lab: study", name, names, N);
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static rw_status open_one(rw_lab *lab, const char *name)
{
    int i = lab->ndevices;
    if (i == RW_LAB_DEVICES)
        return rw_fail(lab->ctx, RW_ERR_ARGUMENT, "lab: more than %d devices are given: that is the maximum",
                       (int)RW_LAB_DEVICES);
    RW_TRY(rw_device_open(lab->ctx, name, &lab->devices[i]));
    lab->info[i] = *rw_device_info(lab->devices[i]);
    snprintf(lab->info[i].name, sizeof lab->info[i].name, "%s", name);
    ++lab->ndevices;
    for (int k = 0; k < i; ++k)
        if (!strcmp(lab->info[k].name, name))
            return rw_fail(lab->ctx, RW_ERR_ARGUMENT, "lab: device %s is given twice: give each device once", name);
    return RW_OK;
}

/* One thread, all threads, and other hardware with doubles that OpenCL and CUDA have: the list names each hardware
 * once. */
static rw_status open_usual(rw_lab *lab)
{
    rw_device_properties *all;
    int64_t n;
    RW_TRY(open_one(lab, "cpu:1"));
    RW_TRY(rw_device_list(lab->ctx, &all, &n));
    rw_status status = RW_OK;
    for (int i = 0; i < n && status == RW_OK; ++i) {
        bool other = all[i].f64 && (!strcmp(all[i].kind, "opencl") || !strcmp(all[i].kind, "cuda"));
        bool threads = !strcmp(all[i].kind, "cpu") && all[i].units > 1;
        if ((other || threads) && !all[i].unusable[0] && lab->ndevices < RW_LAB_DEVICES)
            status = open_one(lab, all[i].name);
    }
    rw_device_list_free(&all);
    return status;
}

static rw_status open_devices(rw_lab *lab, const rw_lab_spec *spec)
{
    if (lab->study->one_device && spec->ndevices > 1)
        return rw_fail(lab->ctx, RW_ERR_ARGUMENT,
                       "lab %s: %d devices are given, but this study runs on one device only", spec->study,
                       spec->ndevices);
    for (int i = 0; i < spec->ndevices; ++i) RW_TRY(open_one(lab, spec->devices[i]));
    if (spec->ndevices) return RW_OK;
    return lab->study->one_device ? open_one(lab, "cpu:1") : open_usual(lab);
}

static rw_status choose_tables(rw_lab *lab, const char *only)
{
    const rw_study *s = lab->study;
    lab->rows = rw_calloc((size_t)s->entry.ntables, sizeof *lab->rows);
    lab->drawings = rw_calloc((size_t)s->nplanes + 1, sizeof *lab->drawings);
    if (!lab->rows || !lab->drawings) return rw_fail_memory(lab->ctx, sizeof *lab->rows, "tables");
    if (only && rw_lab_table_index(lab, only) < 0)
        return rw_lab_refuse(lab->ctx, "lab: table", only, s->entry.tables, s->entry.ntables);
    for (int t = 0; t < s->entry.ntables; ++t) lab->rows[t].made = !only || !strcmp(only, s->entry.tables[t]);
    return RW_OK;
}

/* The order finds mistakes in the call before a device is opened. */
static rw_status run(rw_lab *lab, const rw_lab_spec *spec)
{
    RW_TRY(rw_lab_read_settings(lab, spec));
    RW_TRY(choose_tables(lab, spec->table));
    RW_TRY(open_devices(lab, spec));
    for (int t = 0; t < lab->study->entry.ntables; ++t)
        lab->rows[t].width = rw_lab_place(lab, t, lab->study->tables[t].ncolumns, 0);
    RW_TRY(lab->study->run(lab));
    return lab->notes.failed ? rw_fail_memory(lab->ctx, 512, "notes") : RW_OK;
}

static void close_devices(rw_lab *lab)
{
    for (int i = 0; i < RW_LAB_DEVICES; ++i) rw_device_close(&lab->devices[i]);
}

rw_status rw_lab_run(rw_context *ctx, const rw_lab_spec *spec, rw_lab **result)
{
    RW_NEED(result, "lab");
    *result = NULL;
    RW_NEED(ctx, "context");
    RW_NEED(spec, "spec");
    const rw_study *study;
    RW_TRY(find_study(ctx, spec->study, &study));
    rw_lab *lab = rw_calloc(1, sizeof *lab);
    if (!lab) return rw_fail_memory(ctx, sizeof *lab, "a study");
    lab->ctx = rw_context_retain(ctx);
    lab->ctx->optimise_first = true;
    lab->study = study;
    lab->progress = spec->progress;
    lab->user = spec->user;
    rw_status status = run(lab, spec);
    close_devices(lab);
    if (status == RW_OK) *result = lab;
    else rw_lab_destroy(&lab);
    return status;
}
