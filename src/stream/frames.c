/* Frames through image filters: the work of a pipeline (pipeline.h). Each queue of the device has its own filter, since
 * the memory between passes of a filter serves one execution at a time. */
#include "param/param.h"
#include "rechenwerk/image.h"
#include "stream/pipeline.h"
#include "stream/stream.h"

typedef struct frames {
    rw_pipeline pipeline;
    rw_device *device;
    const rw_stream_spec *spec;
    rw_stream in, out;
    rw_frame_converter converter;
    bool unpacks, packs;
    rw_image_filter *filter[RW_PIPELINE_QUEUES];
    rw_array *pixels[RW_PIPELINE_DEPTH + 1], *y[RW_PIPELINE_DEPTH + 1]; /* of the filter, for each slot */
} frames;

#define ROW(member, kind, standard, allowed, line)                                                                     \
    RW_ROW(rw_stream_spec, member, kind, standard, allowed, line, .brief = NULL)

static const rw_param rows[] = {
    ROW(out_format, TEXT, "", "",
        "format of OUT: y4m, clm, pnm, pictures or raw (default: by its extension, or that of IN)"),
    ROW(luma, BOOL, "false", "", "filter only the luma (default: filter red, green, blue)"),
    ROW(queues, INT, "3", "[1, 16]", "device queues that run concurrently"),
    ROW(depth, INT, "8", "[1, 256]", "maximum number of frames between reading and writing"),
    ROW(rate, REAL, "", "[0, inf)", "read N frames per second, as from a camera (default: as fast as possible)"),
    ROW(deadline, REAL, "", "[0, inf)",
        "maximum time from reading to writing a frame; later frames are counted (default: 1/rate)"),
    ROW(frames_max, INT, "", "[1, 1000000000000000]", "stop after N frames"),
};

RW_PARAMS(rw_stream_params, rw_stream_spec, rows, "stream", "a stream")

static rw_status read_frame(void *user, int64_t n RW_UNUSED, int b RW_UNUSED, void *x, bool *end)
{
    frames *f = user;
    return f->in.table->read(f->in.state, x, end);
}

static rw_status write_frame(void *user, int64_t n RW_UNUSED, int blocks RW_UNUSED, const void *y)
{
    frames *f = user;
    return f->out.table->write(f->out.state, y);
}

static rw_status launch(void *user, int64_t n, rw_queue *q)
{
    frames *f = user;
    const rw_pipeline *p = &f->pipeline;
    const rw_pipeline_slot *s = p->slot + n % p->slots;
    rw_array *pixels = f->pixels[n % p->slots], *y = f->y[n % p->slots];
    RW_TRY(rw_array_send(s->x, q));
    if (f->unpacks) RW_TRY(rw_frame_unpack(&f->converter, s->x, pixels, q));
    RW_TRY(rw_image_filter_execute(f->filter[n % p->queues], pixels, y, q));
    if (f->packs) RW_TRY(rw_frame_pack(&f->converter, y, s->x, s->y, q));
    return rw_array_fetch(s->y, q);
}

/* Adds bytes to the report of the pipeline, which counts frames. */
static rw_stream_report complete(const rw_stream_report *report)
{
    rw_stream_report r = *report;
    r.bytes_in *= rw_frame_bytes(&r.in);
    r.bytes_out = r.frames * rw_frame_bytes(&r.out);
    return r;
}

static rw_status progress(void *user, const rw_stream_report *report)
{
    const frames *f = user;
    const rw_stream_report r = complete(report);
    return f->spec->progress ? f->spec->progress(f->spec->user, &r) : RW_OK;
}

static rw_status show(void *user, int64_t n, const rw_stream_report *report, rw_stream_action *action)
{
    frames *f = user;
    const rw_pipeline *p = &f->pipeline;
    const rw_stream_report r = complete(report);
    const int64_t i = n < 0 ? 0 : n % p->slots;
    rw_stream_view view = {.frame = n, .x = f->pixels[i], .y = f->y[i], .report = &r};
    if (n >= 0) {
        RW_TRY(rw_array_read(p->slot[i].x, &view.in));
        RW_TRY(rw_array_read(p->slot[i].y, &view.out));
    }
    const unsigned failures = rw_failures();
    return rw_callback_status(p->ctx, f->spec->show(f->spec->show_user, &view, action), failures, "show");
}

static rw_status commit(void *user, bool cut)
{
    frames *f = user;
    f->out.file.cut = cut;
    return f->out.table ? rw_stream_commit(&f->out) : RW_OK;
}

static const rw_pipeline_work work = {read_frame, launch, write_frame, progress, show, commit};

/* ---- plan -------------------------------------------------------------------------------------------------------- */

static rw_status check_spec(frames *f)
{
    rw_pipeline *p = &f->pipeline;
    rw_stream_spec resolved = *f->spec, *s = &resolved;
    RW_TRY(rw_params_resolve(p->ctx, rw_stream_params(), "stream", s));
    p->queues = s->queues;
    p->depth = f->spec->depth ? s->depth : RW_MAX(s->depth, s->queues + 2);
    p->batch = 1;
    p->rate = s->rate;
    p->most = s->frames_max;
    p->observed = s->show != NULL;
    p->report.deadline = s->deadline > 0 ? s->deadline : s->rate > 0 ? 1 / s->rate : 0;
    for (int i = 0; i < RW_COUNT(s->frames.reserved); ++i)
        RW_TRY(rw_reserved_check(p->ctx, "rw_frame_format", &(int64_t){s->frames.reserved[i]}, 1));
    return rw_pipeline_create(p, f->device);
}

static rw_status make_filters(frames *f, rw_image_info *info)
{
    const rw_frame_format *in = &f->in.format;
    const int channels = rw_frame_channels(in, f->spec->luma);
    const rw_image_spec spec = {.text = f->spec->text,
                                .dtype = in->dtype,
                                .y_dtype = in->dtype,
                                .width = in->width,
                                .height = in->height,
                                .channels = channels,
                                .alpha = channels == 2 || channels == 4};
    for (int i = 0; i < f->pipeline.queues; ++i) RW_TRY(rw_image_filter_create(f->device, &spec, &f->filter[i]));
    return rw_image_filter_get_info(f->filter[0], info);
}

static rw_status make_slot(frames *f, int i, const rw_image_info *info)
{
    rw_pipeline_slot *s = f->pipeline.slot + i;
    const rw_frame_format *in = &f->in.format, *out = &f->pipeline.report.out;
    const int64_t x[] = {in->height, in->width, rw_frame_channels(in, f->spec->luma)},
                  y[] = {info->height, info->width, info->channels};
    const int64_t size = (int64_t)rw_dtype_size(in->dtype), raw_in = rw_frame_bytes(in) / size,
                  raw_out = rw_frame_bytes(out) / size;
    if (f->unpacks) {
        RW_TRY(rw_array_create(f->device, in->dtype, 1, &raw_in, RW_MEMORY_PINNED, &s->x));
        RW_TRY(rw_array_create(f->device, in->dtype, 3, x, RW_MEMORY_DEVICE, &f->pixels[i]));
    } else {
        RW_TRY(rw_array_create(f->device, in->dtype, 3, x, RW_MEMORY_PINNED, &f->pixels[i]));
        RW_TRY(rw_array_view(f->pixels[i], in->dtype, 1, &raw_in, NULL, 0, &s->x));
    }
    RW_TRY(rw_array_create(f->device, in->dtype, 3, y, f->packs ? RW_MEMORY_DEVICE : RW_MEMORY_PINNED, &f->y[i]));
    if (f->packs) return rw_array_create(f->device, in->dtype, 1, &raw_out, RW_MEMORY_PINNED, &s->y);
    return rw_array_view(f->y[i], in->dtype, 1, &raw_out, NULL, 0, &s->y);
}

static rw_status make(frames *f, const char *in, const char *out)
{
    const rw_stream_spec *s = f->spec;
    rw_pipeline *p = &f->pipeline;
    const rw_stream_format *table;
    rw_image_info info;
    RW_TRY(check_spec(f));
    RW_TRY(rw_numbered_check(p->ctx, in, out));
    RW_TRY(rw_stream_open(p->ctx, in, s->in_format, &s->frames, &f->in));
    RW_TRY(make_filters(f, &info));
    RW_TRY(rw_stream_choose(p->ctx, out, s->out_format, f->in.table, &table));
    const rw_frame_format *format = &f->in.format;
    p->report.in = *format;
    p->report.out = rw_frame_result(format, s->luma, info.width, info.height, info.channels, table);
    if (p->report.out.layout == RW_FRAME_PIXELS && format->layout == RW_FRAME_PIXELS && table->luma &&
        !f->in.table->luma)
        p->report.out.full_range = true; /* grey pixels as luma */
    if (p->report.out.layout != RW_FRAME_PIXELS && info.channels == 4)
        rw_log(p->ctx, RW_LOG_WARNING, "%s: format %s has no alpha channel: it is left out", out, table->name);
    if (s->frames_max && p->report.out.count > s->frames_max) p->report.out.count = s->frames_max;
    f->unpacks = rw_frame_needs_conversion(format);
    f->packs = rw_frame_needs_conversion(&p->report.out) ||
               (format->layout != RW_FRAME_PIXELS && !s->luma && info.channels == 1 && table->luma);
    if (f->unpacks || f->packs)
        RW_TRY(rw_frame_converter_create(f->device, format, &p->report.out, s->luma, info.channels, &f->converter));
    for (int i = 0; i < p->slots; ++i) RW_TRY(make_slot(f, i, &info));
    return rw_stream_create(p->ctx, out, table, &p->report.out, &f->out);
}

static void destroy(frames *f)
{
    rw_pipeline_free(&f->pipeline);
    for (int i = 0; i <= RW_PIPELINE_DEPTH; ++i) {
        rw_array_destroy(&f->pixels[i]);
        rw_array_destroy(&f->y[i]);
    }
    for (int i = 0; i < RW_PIPELINE_QUEUES; ++i) rw_image_filter_destroy(&f->filter[i]);
    rw_frame_converter_free(&f->converter);
    rw_stream_close(&f->in);
    rw_stream_close(&f->out);
    rw_free(f);
}

static rw_status stream_run(rw_device *dev, const char *in, const char *out, const rw_stream_spec *spec,
                            rw_stream_report *report)
{
    frames *f = rw_calloc(1, sizeof *f);
    if (!f) return rw_fail_memory(dev->ctx, sizeof *f, "a stream");
    f->device = dev;
    f->spec = spec;
    f->pipeline = (rw_pipeline){.ctx = dev->ctx,
                                .work = &work,
                                .user = f,
                                .stop_reading = &f->in.file.stop,
                                .cancel = spec->cancel};
    const rw_status status = rw_pipeline_run(&f->pipeline, make(f, in, out));
    if (report) *report = complete(&f->pipeline.report);
    destroy(f);
    return status;
}

rw_status rw_stream_run_sized(rw_device *dev, const char *in, const char *out, const rw_stream_spec *spec,
                              rw_stream_report *report, size_t spec_size, size_t report_size)
{
    RW_NEED(dev, "device");
    RW_NEED(in, "in");
    RW_NEED(out, "out");
    RW_NEED(spec, "spec");
    RW_STRUCT_IN(dev->ctx, rw_stream_spec, spec, spec_size);
    RW_NEED(spec->text, "spec->text");
    RW_STRUCT_ROOM(rw_stream_report, report, report_size);
    const rw_cancel *outer = rw_cancel_enter(spec->cancel); /* for waits for compilers */
    const rw_status status = stream_run(dev, in, out, spec, report_whole);
    rw_cancel_leave(outer);
    return RW_STRUCT_OUT(status, report, report_size);
}
