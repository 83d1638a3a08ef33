/* FIR filters of streams by overlap-save (A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing, 3rd ed.,
 * 2010, 8.7.3):
 *
 *   x of a slot:  | m - 1 samples before | block 0 | block 1 | … | block batch - 1 |
 *   block b of y, the last `block` values of the cyclic convolution of h with the m - 1 + block samples that end with
 *   block b of x
 *
 * The reader puts the m - 1 samples before a batch in front of it, so batches are independent and run in several
 * queues. A chain of operations is one impulse response. Blocks are rows of one array that overlap (stride `block`),
 * channels its last axis: no samples move for it.
 *
 * A sample that is not finite would spread over its block: it is 0 in x, and the m results that read it are mended when
 * they are written.
 *
 * Without keep_delay the first `delay` results are not written, and as many zeros follow the last sample. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "param/param.h"
#include "rechenwerk/fft.h"
#include "rechenwerk/signal.h"
#include "signal/signal.h"
#include "stream/pipeline.h"

/* Memory, and the same as [batch][samples][channels]. */
typedef struct line {
    rw_array *all, *blocks;
} line;

/* A sample that is not finite. */
typedef struct nonfinite {
    int64_t at; /* sample of the input */
    int channel;
    double value;
} nonfinite;

typedef struct filter {
    rw_pipeline pipeline;
    rw_device *device;
    const rw_signal_spec *spec;
    rw_signal_source in;
    rw_signal_sink out;
    double *taps;
    int64_t m, delay, block;
    rw_dtype compute, x_dtype, y_dtype;
    line x[RW_PIPELINE_DEPTH], y[RW_PIPELINE_DEPTH];   /* of slots */
    line a[RW_PIPELINE_QUEUES], r[RW_PIPELINE_QUEUES]; /* the same in the type that is computed with, if it differs */
    rw_convolution *convolution[RW_PIPELINE_QUEUES];
    char *before;  /* m - 1 samples before the next batch */
    int64_t total; /* samples of the input; atomic, INT64_MAX until it has ended */
    /* Samples that are not finite, in order: the reader appends, the writer takes. Under the lock. */
    pthread_mutex_t lock;
    nonfinite *bad;
    int nbad, bad_capacity;
} filter;

#define ROW(member, kind, standard, allowed, line)                                                                     \
    RW_ROW(rw_signal_spec, member, kind, standard, allowed, line, .brief = NULL)
#define RW_X(name, text, bytes, scale, line) text "|"
static const char kinds[] = RW_SAMPLE_KIND_LIST(RW_X);
#undef RW_X

static const rw_param rows[] = {
    ROW(container, ENUM, "", "wav|raw",
        "format of OUT: wav or raw (default: by its extension .wav, .raw, .pcm, or that of IN)"),
    ROW(kind, ENUM, "", kinds, "sample type of OUT: u8, s16, s24, s32, f32 or f64 (default: that of IN)"),
    ROW(keep_delay, BOOL, "false", "",
        "causal filter: OUT is delayed by half the taps (default: OUT is aligned with IN if the phase is linear)"),
    ROW(wide, BOOL, "false", "", "double precision"),
    ROW(block, INT, "", "[1, 16777216]",
        "samples per block (default: a power of 2, at least 1024 and the number of taps)"),
    ROW(batch, INT, "", "[1, 4096]", "blocks per batch (default: 1 with --rate real, else about 65536 samples)"),
    ROW(queues, INT, "2", "[1, 16]", "device queues that run concurrently"),
    ROW(depth, INT, "4", "[1, 256]", "maximum number of batches between reading and writing"),
    ROW(real_time, BOOL, "false", "",
        "read IN at its sampling rate, as from a microphone (default: as fast as possible)"),
    ROW(deadline, REAL, "", "[0, inf)",
        "maximum time from reading to writing a block; later blocks are counted (default: one block with --rate real)"),
};

RW_PARAMS(rw_signal_params, rw_signal_spec, rows, "signal", "a filter of signals")

/* ---- samples that are not finite --------------------------------------------------------------------------------- */

static double sample_at(const void *x, rw_dtype t, int64_t i)
{
    return t == RW_F32 ? ((const float *)x)[i] : ((const double *)x)[i];
}

/* Sets those among n samples from `first` on to 0, and lists them. */
static rw_status take_nonfinite(filter *f, void *x, int64_t first, int64_t n)
{
    const int channels = f->in.format.channels;
    if (f->x_dtype != RW_F32 && f->x_dtype != RW_F64) return RW_OK;
    for (int64_t i = 0; i < n * channels; ++i) {
        const double sample = sample_at(x, f->x_dtype, i),
                     value = f->compute == RW_F32 ? (double)(float)sample : sample;
        if (isfinite(value)) continue;
        if (f->x_dtype == RW_F32) ((float *)x)[i] = 0;
        else ((double *)x)[i] = 0;
        pthread_mutex_lock(&f->lock);
        const bool fits = rw_grow(&f->bad, &f->bad_capacity, f->nbad + 1, sizeof *f->bad);
        if (fits) f->bad[f->nbad++] = (nonfinite){first + i / channels, (int)(i % channels), value};
        pthread_mutex_unlock(&f->lock);
        if (!fits) return rw_fail_memory(f->pipeline.ctx, sizeof *f->bad, "samples that are not finite");
    }
    return RW_OK;
}

/* y[i] <- y[i] + v, v infinite or NaN; integers: the nearest, of NaN 0. */
static void add_nonfinite(const filter *f, void *y, int64_t i, double v)
{
    const double full = rw_sample_scale(f->out.format.kind), near = isnan(v) ? 0 : v < 0 ? -full : full - 1;
    switch (f->y_dtype) {
    case RW_F32: ((float *)y)[i] += (float)v; break;
    case RW_F64: ((double *)y)[i] += v; break;
    case RW_I32: ((int32_t *)y)[i] = (int32_t)near; break;
    case RW_I16: ((int16_t *)y)[i] = (int16_t)near; break;
    default: ((int8_t *)y)[i] = (int8_t)near;
    }
}

/* Results first … first + n - 1: sum += h[k - i] x[i] for the samples that were set to 0; infinities of both signs
 * give NaN. */
static rw_status mend(filter *f, void *y, int64_t first, int64_t n)
{
    const int channels = f->in.format.channels;
    pthread_mutex_lock(&f->lock);
    int kept = 0;
    for (int r = 0; r < f->nbad; ++r) /* those of later results too */
        if (f->bad[r].at + f->m > first) f->bad[kept++] = f->bad[r];
    f->nbad = kept;
    double *sum = kept ? rw_calloc((size_t)(n * channels) + 1, sizeof *sum) : NULL;
    int64_t *nan_to = kept ? rw_calloc((size_t)channels, sizeof *nan_to) : NULL; /* results before it are NaN */
    for (int r = 0; sum && nan_to && r < kept; ++r) {
        const nonfinite *w = f->bad + r;
        const int64_t to = RW_MIN(w->at + f->m, first + n);
        for (int64_t k = RW_MAX(RW_MAX(w->at, first), nan_to[w->channel]); k < to; ++k)
            sum[(k - first) * channels + w->channel] += f->taps[k - w->at] * w->value;
        if (isnan(w->value)) nan_to[w->channel] = RW_MAX(to, nan_to[w->channel]);
    }
    pthread_mutex_unlock(&f->lock);
    for (int64_t i = 0; sum && nan_to && i < n * channels; ++i)
        if (!isfinite(sum[i])) add_nonfinite(f, y, i, sum[i]);
    const bool failed = kept && (!sum || !nan_to);
    rw_free(sum);
    rw_free(nan_to);
    return failed ? rw_fail_memory(f->pipeline.ctx, (size_t)n * sizeof *sum, "samples that are not finite") : RW_OK;
}

/* ---- the pipeline's work ----------------------------------------------------------------------------------------- */

static rw_status read_block(void *user, int64_t n, int b, void *x, bool *end)
{
    filter *f = user;
    const int batch = f->pipeline.batch;
    const size_t bytes = (size_t)f->in.format.channels * rw_dtype_size(f->x_dtype);
    const size_t before = (size_t)(f->m - 1) * bytes, block = (size_t)f->block * bytes;
    const int64_t first = (n * batch + b) * f->block;
    char *at = (char *)x + before + (size_t)b * block;
    int64_t have;
    if (b == 0) memcpy(x, f->before, before);
    RW_TRY(rw_signal_read(&f->in, at, f->block, &have));
    RW_TRY(take_nonfinite(f, at, first, have));
    if (have < f->block) {
        memset(at + (size_t)have * bytes, 0, (size_t)(batch - b) * block - (size_t)have * bytes);
        __atomic_store_n(&f->total, f->in.done, __ATOMIC_RELEASE);
        *end = f->in.done == 0 || first >= f->in.done + f->delay;
    }
    if (b == batch - 1) memcpy(f->before, at + block - before, before);
    return *end && f->in.broken ? rw_fail(f->pipeline.ctx, f->in.broken, "%s", f->in.message) : RW_OK;
}

static rw_status launch(void *user, int64_t n, rw_queue *q)
{
    filter *f = user;
    const rw_pipeline *p = &f->pipeline;
    const line *x = f->x + n % p->depth, *y = f->y + n % p->depth, *a = f->a + n % p->queues, *r = f->r + n % p->queues;
    RW_TRY(rw_array_send(x->all, q));
    if (a->all) RW_TRY(rw_array_copy(a->all, x->all, q));
    RW_TRY(rw_convolution_execute(f->convolution[n % p->queues], a->all ? a->blocks : x->blocks,
                                  r->all ? r->blocks : y->blocks, q));
    if (r->all) RW_TRY(rw_array_copy(y->all, r->all, q));
    return rw_array_fetch(y->all, q);
}

/* Result i of the causal filter is sample i - delay of the output. */
static rw_status write_blocks(void *user, int64_t n, int blocks, const void *y)
{
    filter *f = user;
    const int64_t first = n * f->pipeline.batch * f->block, total = __atomic_load_n(&f->total, __ATOMIC_ACQUIRE);
    const int64_t low = RW_MAX(f->delay - first, 0), most = blocks * f->block;
    const int64_t high = total < INT64_MAX ? RW_MIN(most, total + f->delay - first) : most;
    const size_t bytes = (size_t)f->in.format.channels * rw_dtype_size(f->y_dtype);
    /* the pipeline reads no result again: its memory may be changed */
    if (high > low) RW_TRY(mend(f, (void *)(uintptr_t)y, first, most));
    if (high > low) RW_TRY(rw_signal_write(&f->out, (const char *)y + (size_t)low * bytes, high - low));
    return rw_stream_file_flush(&f->out.file);
}

static rw_signal_report report_of(const filter *f, const rw_stream_report *r, int64_t samples)
{
    return (rw_signal_report){.samples = samples,
                              .blocks = r->frames,
                              .seconds = r->seconds,
                              .latency = r->latency,
                              .latency_99 = r->latency_99,
                              .latency_max = r->latency_max,
                              .deadline = r->deadline,
                              .late = r->late,
                              .taps = f->m,
                              .delay = f->delay,
                              .block = f->block,
                              .batch = f->pipeline.batch,
                              .in = f->in.format,
                              .out = f->out.format};
}

static rw_status progress(void *user, const rw_stream_report *report)
{
    const filter *f = user;
    if (!f->spec->progress) return RW_OK;
    /* only the writer uses its count */
    const rw_signal_report r = report_of(f, report, RW_MAX(report->frames * f->block - f->delay, 0));
    return f->spec->progress(f->spec->user, &r);
}

static rw_status commit(void *user, bool cut)
{
    filter *f = user;
    f->out.file.cut = cut;
    return f->out.open ? rw_signal_commit(&f->out) : RW_OK;
}

static const rw_pipeline_work work = {read_block, launch, write_blocks, progress, NULL, commit};

/* ---- plan -------------------------------------------------------------------------------------------------------- */

static rw_status check_spec(filter *f)
{
    rw_signal_spec resolved = *f->spec, *s = &resolved;
    rw_pipeline *p = &f->pipeline;
    const double rate = f->in.format.rate;
    RW_TRY(rw_params_resolve(p->ctx, rw_signal_params(), "signal", s));
    f->block = s->block;
    for (int64_t b = 1024; !s->block && (f->block = b) < f->m; b *= 2) {}
    p->batch = s->batch ? s->batch : s->real_time ? 1 : (int)RW_MAX(65536 / RW_MAX(f->block, 1), 1);
    p->queues = s->queues;
    p->depth = f->spec->depth ? s->depth : RW_MAX(s->depth, s->queues + 2);
    if ((p->batch * f->block + f->m) * f->in.format.channels > INT32_MAX)
        return rw_fail(
            p->ctx, RW_ERR_ARGUMENT,
            "signal: %d blocks of %lld samples of %d channels with %lld taps exceed 2^31 values at once: choose a "
            "smaller block or batch",
            p->batch, (long long)f->block, f->in.format.channels, (long long)f->m);
    p->rate = s->real_time ? rate / (double)f->block : 0;
    p->ahead = 1;
    p->report.deadline = s->deadline > 0 ? s->deadline : s->real_time ? (double)f->block / rate : 0;
    return RW_OK;
}

static rw_status make_line(filter *f, rw_dtype dtype, bool overlaps, rw_memory memory, line *l)
{
    const int64_t channels = f->in.format.channels, before = overlaps ? f->m - 1 : 0, batch = f->pipeline.batch;
    const int64_t n = (batch * f->block + before) * channels, shape[] = {batch, f->block + before, channels};
    const int64_t stride[] = {f->block * channels, channels, 1};
    RW_TRY(rw_array_create(f->device, dtype, 1, &n, memory, &l->all));
    return dtype == f->compute ? rw_array_view(l->all, dtype, 3, shape, stride, 0, &l->blocks) : RW_OK;
}

/* The impulse response on the device, with full scale of the input becoming that of the output. */
static rw_status make_taps(filter *f, rw_array **b)
{
    void *w;
    RW_TRY(rw_array_create(f->device, f->compute, 3, (int64_t[]){1, f->m, 1}, RW_MEMORY_DEVICE, b));
    RW_TRY(rw_array_write(*b, &w));
    for (int64_t i = 0; i < f->m; ++i) {
        if (f->compute == RW_F64) ((double *)w)[i] = f->taps[i];
        else ((float *)w)[i] = (float)f->taps[i];
    }
    return RW_OK;
}

static rw_status make_queue(filter *f, int i, rw_array *b)
{
    const int64_t channels = f->in.format.channels, batch = f->pipeline.batch;
    const rw_convolution_spec spec = {.mode = RW_CONVOLUTION_VALID,
                                      .dtype = f->compute,
                                      .ndim = 3,
                                      .axes = 2,
                                      .a_shape = {batch, f->block + f->m - 1, channels},
                                      .b_shape = {1, f->m, 1},
                                      .scale = rw_sample_scale(f->out.format.kind) / rw_sample_scale(f->in.format.kind),
                                      .a_stride = {f->block * channels, channels, 1}};
    RW_TRY(rw_convolution_create(f->device, &spec, &f->convolution[i]));
    RW_TRY(rw_convolution_set(f->convolution[i], b, f->pipeline.queue[i]));
    if (f->x_dtype != f->compute) RW_TRY(make_line(f, f->compute, true, RW_MEMORY_DEVICE, f->a + i));
    return f->y_dtype != f->compute ? make_line(f, f->compute, false, RW_MEMORY_DEVICE, f->r + i) : RW_OK;
}

static rw_status make_slot(filter *f, int i)
{
    rw_pipeline_slot *s = f->pipeline.slot + i;
    RW_TRY(make_line(f, f->x_dtype, true, RW_MEMORY_PINNED, f->x + i));
    RW_TRY(make_line(f, f->y_dtype, false, RW_MEMORY_PINNED, f->y + i));
    RW_TRY(rw_array_view(f->x[i].all, RW_DTYPE_DEFAULT, 1, &f->x[i].all->size, NULL, 0, &s->x));
    return rw_array_view(f->y[i].all, RW_DTYPE_DEFAULT, 1, &f->y[i].all->size, NULL, 0, &s->y);
}

static rw_status make(filter *f, const char *in, const char *out)
{
    const rw_signal_spec *s = f->spec;
    rw_pipeline *p = &f->pipeline;
    rw_array *b = NULL;
    RW_TRY(rw_signal_open(p->ctx, in, &s->in, &f->in));
    RW_TRY(rw_signal_design(p->ctx, s->text, f->in.format.rate, &f->taps, &f->m, &f->delay));
    if (s->keep_delay) f->delay = 0;
    RW_TRY(check_spec(f));
    RW_TRY(rw_pipeline_create(p, f->device));
    rw_signal_format *format = &f->out.format;
    *format = f->in.format;
    format->container = s->container;
    if (s->kind) format->kind = s->kind;
    f->compute = s->wide ? RW_F64 : RW_F32;
    f->x_dtype = rw_sample_dtype(f->in.format.kind);
    f->y_dtype = rw_sample_dtype(format->kind);
    f->before = rw_calloc((size_t)f->m * (size_t)format->channels, rw_dtype_size(f->x_dtype));
    if (!f->before) return rw_fail_memory(p->ctx, (size_t)f->m, "the samples of a signal");
    rw_status status = make_taps(f, &b);
    for (int i = 0; status == RW_OK && i < p->queues; ++i) status = make_queue(f, i, b);
    for (int i = 0; status == RW_OK && i < p->queues; ++i) status = rw_queue_wait(p->queue[i]);
    for (int i = 0; status == RW_OK && i < p->depth; ++i) status = make_slot(f, i);
    rw_array_destroy(&b);
    RW_TRY(status);
    const rw_signal_format wanted = *format;
    return rw_signal_create(p->ctx, out, &wanted, f->in.format.container, &f->out);
}

static void free_lines(line *l, int n)
{
    for (int i = 0; i < n; ++i) {
        rw_array_destroy(&l[i].all);
        rw_array_destroy(&l[i].blocks);
    }
}

static void destroy(filter *f)
{
    rw_pipeline_free(&f->pipeline);
    free_lines(f->x, RW_PIPELINE_DEPTH);
    free_lines(f->y, RW_PIPELINE_DEPTH);
    free_lines(f->a, RW_PIPELINE_QUEUES);
    free_lines(f->r, RW_PIPELINE_QUEUES);
    for (int i = 0; i < RW_PIPELINE_QUEUES; ++i) rw_convolution_destroy(&f->convolution[i]);
    rw_signal_close(&f->in);
    rw_signal_discard(&f->out);
    pthread_mutex_destroy(&f->lock);
    free(f->taps);
    rw_free(f->before);
    rw_free(f->bad);
    rw_free(f);
}

static rw_status signal_run(rw_device *dev, const char *in, const char *out, const rw_signal_spec *spec,
                            rw_signal_report *report)
{
    filter *f = rw_calloc(1, sizeof *f);
    if (!f) return rw_fail_memory(dev->ctx, sizeof *f, "a signal");
    f->device = dev;
    f->spec = spec;
    f->total = INT64_MAX;
    pthread_mutex_init(&f->lock, NULL);
    f->pipeline = (rw_pipeline){.ctx = dev->ctx,
                                .work = &work,
                                .user = f,
                                .stop_reading = &f->in.file.stop,
                                .cancel = spec->cancel};
    const rw_status status = rw_pipeline_run(&f->pipeline, make(f, in, out));
    if (report) *report = report_of(f, &f->pipeline.report, f->out.done);
    destroy(f);
    return status;
}

rw_status rw_signal_run_sized(rw_device *dev, const char *in, const char *out, const rw_signal_spec *spec,
                              rw_signal_report *report, size_t spec_size, size_t report_size)
{
    RW_NEED(dev, "device");
    RW_NEED(in, "in");
    RW_NEED(out, "out");
    RW_NEED(spec, "spec");
    RW_STRUCT_IN(dev->ctx, rw_signal_spec, spec, spec_size);
    RW_NEED(spec->text, "spec->text");
    RW_STRUCT_ROOM(rw_signal_report, report, report_size);
    const rw_cancel *outer = rw_cancel_enter(spec->cancel); /* for waits for compilers */
    const rw_status status = signal_run(dev, in, out, spec, report_whole);
    rw_cancel_leave(outer);
    return RW_STRUCT_OUT(status, report, report_size);
}
