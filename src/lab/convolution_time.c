/* One image on one device for the study convolution: a kernel or the library's filter, its result compared with the
 * host's, its time. */
#include "lab/convolution_time.h"

#include <string.h>

#include "measure/measure.h"

static size_t bytes_of(const rw_conv2d_picture *m) { return (size_t)(m->width * m->height * m->channels); }

void rw_conv2d_picture_free(rw_conv2d_picture *m)
{
    rw_free(m->x);
    rw_free(m->y);
}

rw_status rw_conv2d_picture_create(rw_context *ctx, int64_t width, int64_t height, int channels, rw_conv2d_picture *m)
{
    *m = (rw_conv2d_picture){.width = width, .height = height, .channels = channels};
    m->x = rw_calloc(bytes_of(m), 1);
    m->y = rw_calloc(bytes_of(m), 1);
    if (!m->x || !m->y) {
        rw_conv2d_picture_free(m);
        return rw_fail_memory(ctx, 2 * bytes_of(m), "an image");
    }
    rw_conv2d_image(width, height, channels, m->x);
    return RW_OK;
}

void rw_conv2d_work_free(rw_conv2d_work *w)
{
    rw_array_destroy(&w->filter_x);
    rw_array_destroy(&w->filter_y);
    rw_image_filter_destroy(&w->filter);
    rw_conv2d_free(&w->kernel);
    rw_array_destroy(&w->x);
    rw_array_destroy(&w->y);
}

rw_status rw_conv2d_work_copy(rw_device *dev, const rw_conv2d_picture *m, rw_conv2d_work *w)
{
    const int64_t n = (int64_t)bytes_of(m);
    void *x;
    *w = (rw_conv2d_work){.device = dev, .image = m};
    RW_TRY(rw_array_create(dev, RW_U8, 1, &n, RW_MEMORY_PINNED, &w->x));
    RW_TRY(rw_array_create(dev, RW_U8, 1, &n, RW_MEMORY_PINNED, &w->y));
    RW_TRY(rw_array_write(w->x, &x));
    memcpy(x, m->x, bytes_of(m));
    return rw_array_send(w->x, rw_device_queue(dev));
}

rw_status rw_conv2d_work_kernel(rw_device *dev, const rw_conv2d_picture *m, const rw_conv2d_variant *v,
                                rw_conv2d_border border, const rw_mask *mask, rw_conv2d_work *w)
{
    rw_status status = rw_conv2d_work_copy(dev, m, w);
    if (status == RW_OK) status = rw_conv2d_create(dev, v, border, mask, &w->kernel);
    if (status != RW_OK) rw_conv2d_work_free(w);
    return status;
}

rw_status rw_conv2d_work_filter(rw_device *dev, const rw_conv2d_picture *m, rw_conv2d_border border, int line,
                                rw_conv2d_work *w)
{
    static const char *const borders[] =
        {[RW_CONV2D_SKIP] = "skip", [RW_CONV2D_ZERO] = "constant", [RW_CONV2D_CYCLIC] = "wrap"};
    const int64_t shape[] = {m->height, m->width, m->channels};
    char text[64];
    snprintf(text, sizeof text, "box:size=%d:border=%s", line, borders[border]);
    const rw_image_spec spec = {.text = text,
                                .dtype = RW_U8,
                                .width = m->width,
                                .height = m->height,
                                .channels = m->channels};
    rw_status status = rw_conv2d_work_copy(dev, m, w);
    if (status == RW_OK) status = rw_image_filter_create(dev, &spec, &w->filter);
    if (status == RW_OK) status = rw_array_view(w->x, RW_U8, 3, shape, NULL, 0, &w->filter_x);
    if (status == RW_OK) status = rw_array_view(w->y, RW_U8, 3, shape, NULL, 0, &w->filter_y);
    if (status != RW_OK) rw_conv2d_work_free(w);
    return status;
}

static bool has_launch(const rw_conv2d_work *w) { return w->filter || w->kernel.kernel; }

static rw_status launch(const rw_conv2d_work *w)
{
    rw_queue *q = rw_device_queue(w->device);
    if (w->filter) return rw_image_filter_execute(w->filter, w->filter_x, w->filter_y, q);
    return rw_conv2d_run(&w->kernel, w->x, w->y, w->image->width, w->image->height, w->image->channels, q);
}

/* The result of a launch must be the host's, to the bit. */
rw_status rw_conv2d_check_result(const rw_conv2d_work *w, const char *name, int line, uint32_t wanted)
{
    const void *y;
    RW_TRY(rw_array_zero(w->y, rw_device_queue(w->device)));
    RW_TRY(launch(w));
    RW_TRY(rw_array_read(w->y, &y));
    const uint32_t crc = rw_crc32(y, bytes_of(w->image));
    if (crc == wanted) return RW_OK;
    return rw_fail(w->device->ctx, RW_ERR_INTERNAL, "%s: %s, %dx%d, %lld x %lld pixels: CRC %08x, not %08x",
                   rw_device_info(w->device)->name, name, line, line, (long long)w->image->width,
                   (long long)w->image->height, crc, wanted);
}

/* ---- time ------------------------------------------------------------------------------------------ */

/* As the settings `runs` and `seconds` say. */
static rw_sampling sampling_of(const rw_lab *lab, rw_repetition *call, const void *user)
{
    return (rw_sampling){.what = {"image", call, (void *)(uintptr_t)user},
                         .runs = (int)rw_lab_number(lab, "runs"),
                         .seconds = rw_lab_number(lab, "seconds")};
}

static rw_status launch_once(void *user, int round RW_UNUSED) { return launch(user); }

rw_status rw_conv2d_time_launches(const rw_lab *lab, const rw_conv2d_work *w, double *seconds)
{
    rw_sampling s = sampling_of(lab, launch_once, w);
    s.queue = rw_device_queue(w->device);
    s.length = 1e-3;
    return rw_sample(&s, seconds);
}

/* The host's pixels are new, and so are the device's that are fetched. */
static rw_status renew(void *user, int round RW_UNUSED)
{
    const rw_conv2d_work *w = user;
    rw_queue *q = rw_device_queue(w->device);
    void *x;
    RW_TRY(rw_array_update(w->x, &x));
    if (!has_launch(w)) RW_TRY(rw_array_zero(w->y, q));
    return rw_queue_wait(q);
}

static rw_status transfer(void *user, int round RW_UNUSED)
{
    const rw_conv2d_work *w = user;
    rw_queue *q = rw_device_queue(w->device);
    RW_TRY(rw_array_send(w->x, q));
    if (has_launch(w)) RW_TRY(launch(w));
    return rw_array_fetch(w->y, q);
}

rw_status rw_conv2d_time_transfers(const rw_lab *lab, const rw_conv2d_work *w, double *seconds)
{
    rw_sampling s = sampling_of(lab, transfer, w);
    s.prepare = renew;
    s.queue = rw_device_queue(w->device);
    return rw_sample(&s, seconds);
}

typedef struct host_work {
    const rw_mask *mask;
    rw_conv2d_picture *m;
} host_work;

static rw_status convolve_on_host(void *user, int round RW_UNUSED)
{
    const host_work *h = user;
    const rw_conv2d_picture *m = h->m;
    rw_conv2d_host(h->mask, RW_CONV2D_ZERO, false, m->width, m->height, m->channels, m->x, m->y);
    return RW_OK;
}

/* The loop of table E.23; leaves the result in y. */
rw_status rw_conv2d_time_host(const rw_lab *lab, const rw_mask *mask, rw_conv2d_picture *m, double *seconds)
{
    const host_work h = {mask, m};
    rw_sampling s = sampling_of(lab, convolve_on_host, &h);
    s.length = 1e-4;
    return rw_sample(&s, seconds);
}

/* The CRC that results must have: the host's, which is compared with the known one where there is one. */
rw_status rw_conv2d_reference(rw_lab *lab, const rw_mask *mask, rw_conv2d_border border, rw_conv2d_picture *m,
                              uint32_t *crc)
{
    uint32_t known;
    rw_conv2d_host(mask, border, mask->truncate, m->width, m->height, m->channels, m->x, m->y);
    *crc = rw_crc32(m->y, bytes_of(m));
    if (mask->truncate || !rw_conv2d_known_mean(m->width, m->height, m->channels, mask->line, border, &known) ||
        known == *crc)
        return RW_OK;
    return rw_fail(lab->ctx, RW_ERR_INTERNAL, "one thread, %dx%d, %lld x %lld pixels: CRC %08x, not %08x", mask->line,
                   mask->line, (long long)m->width, (long long)m->height, *crc, known);
}
