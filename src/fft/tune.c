/* Tuning: tries other choices for each axis and each pass of a plan, one after another; a choice that makes the whole
 * transform faster is stored as wisdom. */
#include <stdlib.h>
#include <string.h>

#include "fft/plan.h"

typedef struct tuner {
    rw_device *device;
    const rw_fft_spec *spec;
    const rw_fft_tuning *options;
    rw_fft_tuned *result;
    rw_array *x, *y;
    rw_queue *queue;
    double best, end; /* seconds of an execution; of the clock, when to stop */
} tuner;

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

/* Values between 1/2 and 1, of any type. */
static void fill(void *data, rw_dtype dtype, int64_t bytes)
{
    if (dtype == RW_F64 || dtype == RW_C128)
        for (int64_t i = 0; i < bytes / 8; ++i) ((double *)data)[i] = 0.5 + 0.5 * rw_random_uniform(1, (uint64_t)i);
    else if (dtype == RW_F32 || dtype == RW_C64)
        for (int64_t i = 0; i < bytes / 4; ++i)
            ((float *)data)[i] = (float)(0.5 + 0.4 * rw_random_uniform(1, (uint64_t)i));
    else
        for (int64_t i = 0; i < bytes / 2; ++i)
            ((uint16_t *)data)[i] = (uint16_t)(dtype == RW_F16 ? 0x3800 + rw_random_u64(1, (uint64_t)i) % 0x400
                                                               : 0x3f00 + rw_random_u64(1, (uint64_t)i) % 0x80);
}

/* An array of the region's layout on memory of its own. */
static rw_status make_array(const tuner *t, const rw_fft_region *r, rw_array **array)
{
    const int ndim = t->spec->ndim;
    const bool pairs = rw_fft_has_pairs(r);
    int64_t shape[RW_MAX_NDIM + 1], stride[RW_MAX_NDIM + 1], low = 0, high = 0;
    for (int d = 0; d < ndim; ++d) {
        shape[d] = r->shape[d];
        stride[d] = r->stride[d] * (pairs ? 2 : 1);
        const int64_t last = (shape[d] - 1) * stride[d];
        low += RW_MIN(last, 0);
        high += RW_MAX(last, 0);
    }
    if (pairs) {
        shape[ndim] = 2;
        stride[ndim] = 1;
        high += 1;
    }
    rw_array *all;
    void *data;
    RW_TRY(rw_array_create(t->device, r->dtype, 1, (const int64_t[]){high - low + 1}, RW_MEMORY_DEVICE, &all));
    rw_status status = rw_array_write(all, &data);
    if (status == RW_OK) {
        fill(data, r->dtype, (int64_t)all->bytes);
        status = rw_array_view(all, r->dtype, ndim + pairs, shape, stride, -low, array);
    }
    rw_array_destroy(&all);
    return status;
}

/* ---- trials ------------------------------------------------------------------------------------------------------ */

/* Seconds of an execution: the median of several runs of a few milliseconds each. */
static rw_status measure(const tuner *t, rw_fft *f, double *seconds)
{
    enum { RUNS = 5 };
    double v[RUNS];
    int loops = 1;
    RW_TRY(rw_fft_execute(f, t->x, t->y, t->queue));
    RW_TRY(rw_queue_wait(t->queue));
    for (int run = -1; run < RUNS; ++run) {
        const double start = rw_seconds();
        for (int i = 0; i < loops; ++i) RW_TRY(rw_fft_execute(f, t->x, t->y, t->queue));
        RW_TRY(rw_queue_wait(t->queue));
        const double taken = rw_seconds() - start;
        if (run < 0) loops = (int)RW_MIN(RW_MAX(3e-3 / RW_MAX(taken, 1e-7), 1), 1000);
        else v[run] = taken / loops;
    }
    qsort(v, RUNS, sizeof *v, rw_compare_doubles);
    *seconds = v[RUNS / 2];
    return RW_OK;
}

/* A choice that the device cannot compile or allocate is skipped. */
static bool is_no_choice(rw_status status)
{
    return status == RW_ERR_UNSUPPORTED || status == RW_ERR_COMPILE || status == RW_ERR_LAUNCH;
}

/* Stores the value as wisdom if the transform is faster with it. */
static rw_status try_value(tuner *t, const char *key, const char *value, bool *better)
{
    char before[RW_FFT_KEY];
    rw_fft *f;
    double seconds = 0;
    const bool had = rw_fft_wisdom_find(t->device, key, before);
    *better = false;
    RW_TRY(rw_fft_wisdom_put(t->device, key, value));
    rw_status status = rw_fft_create(t->device, t->spec, &f);
    if (status == RW_OK) status = measure(t, f, &seconds);
    rw_fft_destroy(&f);
    t->result->tried++;
    *better = status == RW_OK && seconds < 0.99 * t->best;
    if (*better) t->best = seconds;
    else RW_TRY(rw_fft_wisdom_put(t->device, key, had ? before : NULL));
    if (status == RW_OK && t->options->report) {
        const unsigned failures = rw_failures();
        status = t->options->report(t->options->user, key, value, seconds, *better);
        return rw_callback_status(t->device->ctx, status, failures, "report");
    }
    return is_no_choice(status) ? RW_OK : status;
}

static bool is_late(const tuner *t) { return t->end > 0 && rw_seconds() > t->end; }

static rw_status tune_axis(tuner *t, const rw_fft_axis *axis)
{
    enum { MOST = 24 };
    rw_fft_matrix list[MOST];
    char key[RW_FFT_KEY], value[RW_FFT_KEY];
    bool better;
    rw_fft_axis_key(axis, key);
    const int n = rw_fft_other_matrices(t->device, axis, list, MOST);
    for (int i = 0; i < n && n > 1 && !is_late(t); ++i) {
        rw_fft_matrix_print(list + i, value);
        RW_TRY(try_value(t, key, value, &better));
    }
    return RW_OK;
}

/* Local search: moves to a neighbouring choice as long as one is faster. */
static rw_status tune_pass(tuner *t, const rw_fft_line_spec *spec)
{
    enum { MOST = 16, STEPS = 6 };
    rw_fft_choice list[MOST];
    char key[RW_FFT_KEY], value[RW_FFT_KEY];
    rw_fft_line_key(spec, key);
    for (int step = 0; step < STEPS; ++step) {
        const rw_fft_choice now = rw_fft_choose(t->device, spec);
        const int n = rw_fft_other_choices(t->device, spec, &now, list, MOST);
        bool any = false;
        for (int i = 0; i < n && !is_late(t); ++i) {
            bool better;
            rw_fft_choice_print(list + i, value);
            RW_TRY(try_value(t, key, value, &better));
            any = any || better;
        }
        if (!any) break;
    }
    return RW_OK;
}

static rw_status tune(tuner *t, rw_fft **f)
{
    for (int i = 0; i < (*f)->passes.naxes; ++i) RW_TRY(tune_axis(t, (*f)->passes.axis + i));
    rw_fft_destroy(f); /* with other axes there are other passes */
    RW_TRY(rw_fft_create(t->device, t->spec, f));
    for (int i = 0; i < (*f)->passes.n; ++i) {
        const rw_fft_pass *p = (*f)->passes.pass + i;
        bool again = p->line.pieces > 1;
        for (int k = 0; k < i; ++k) {
            char a[RW_FFT_KEY], b[RW_FFT_KEY];
            rw_fft_line_key(&p->line.spec, a);
            rw_fft_line_key(&(*f)->passes.pass[k].line.spec, b);
            again = again || !strcmp(a, b);
        }
        if (!again) RW_TRY(tune_pass(t, &p->line.spec));
    }
    return RW_OK;
}

static rw_status fft_tune(rw_device *dev, const rw_fft_spec *spec, const rw_fft_tuning *options, rw_fft_tuned *result)
{
    static const rw_fft_tuning none;
    rw_fft_tuned unused;
    tuner t = {.device = dev,
               .spec = spec,
               .options = options ? options : &none,
               .result = result ? result : &unused,
               .queue = rw_device_queue(dev)};
    *t.result = (rw_fft_tuned){0};
    if (t.options->seconds < 0)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT,
                       "rw_fft_tune: seconds = %g is negative: it must be 0 (no limit) or more", t.options->seconds);
    rw_fft *f;
    RW_TRY(rw_fft_create(dev, spec, &f));
    if (f->parts) { /* the plan of real numbers that computes it */
        rw_fft_spec real = f->parts->spec;
        real.ortho = false;
        const rw_status tuned = fft_tune(dev, &real, options, result);
        rw_fft_destroy(&f);
        return tuned;
    }
    if (t.options->seconds > 0) t.end = rw_seconds() + t.options->seconds;
    rw_status status = f->empty ? RW_OK : make_array(&t, &f->input, &t.x);
    if (status == RW_OK && !f->empty) status = make_array(&t, &f->output, &t.y);
    if (status == RW_OK && !f->empty) status = measure(&t, f, &t.best);
    t.result->before = t.best;
    if (status == RW_OK && !f->empty) status = tune(&t, &f);
    t.result->after = t.best;
    rw_fft_destroy(&f);
    rw_array_destroy(&t.x);
    rw_array_destroy(&t.y);
    rw_status kept = rw_fft_wisdom_keep(dev);
    return status == RW_OK ? kept : status;
}

rw_status rw_fft_tune_sized(rw_device *dev, const rw_fft_spec *spec, const rw_fft_tuning *options, rw_fft_tuned *result,
                            size_t spec_size, size_t options_size, size_t result_size)
{
    RW_NEED(dev, "device");
    RW_NEED(spec, "spec");
    RW_STRUCT_IN(dev->ctx, rw_fft_spec, spec, spec_size);
    RW_STRUCT_IN(dev->ctx, rw_fft_tuning, options, options_size);
    RW_STRUCT_ROOM(rw_fft_tuned, result, result_size);
    const bool before = dev->ctx->optimise_first;
    dev->ctx->optimise_first = true;
    const rw_status status = RW_STRUCT_OUT(fft_tune(dev, spec, options, result_whole), result, result_size);
    dev->ctx->optimise_first = before;
    return status;
}
