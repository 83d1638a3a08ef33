/* One image on one device for the study convolution: a kernel or the library's filter, its result compared with the
 * host's, its time. */
#include "lab/convolution_time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_UP = 3, RUNS_MOST = 1000 };

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

static double median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, rw_compare_doubles);
    return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

static double number_of(const rw_lab *lab, const char *name) { return rw_lab_setting_of(lab, name)->number[0]; }

/* Seconds of a launch among others: the median of runs, of which there are at least one and no more than `seconds` have
 * room for. */
rw_status rw_conv2d_time_launches(const rw_lab *lab, const rw_conv2d_work *w, double *seconds)
{
    rw_queue *q = rw_device_queue(w->device);
    const int most = (int)number_of(lab, "runs");
    const double begin = rw_seconds(), allowed = number_of(lab, "seconds");
    double v[RUNS_MOST];
    int n = 0, warm = 0;
    do {
        RW_TRY(launch(w));
        RW_TRY(rw_queue_wait(q));
        ++warm;
    } while (warm < WARM_UP && rw_seconds() - begin < allowed / 4);
    const double once = (rw_seconds() - begin) / warm;
    const int loops = (int)fmin(fmax(1e-3 / fmax(once, 1e-7), 1), 200);
    do {
        const double start = rw_seconds();
        for (int i = 0; i < loops; ++i) RW_TRY(launch(w));
        RW_TRY(rw_queue_wait(q));
        v[n++] = (rw_seconds() - start) / loops;
    } while (n < most && rw_seconds() - begin < allowed);
    *seconds = median(v, n);
    return RW_OK;
}

/* The image to the device, a launch (or nothing), the result back. */
rw_status rw_conv2d_time_transfers(const rw_lab *lab, const rw_conv2d_work *w, bool launched, double *seconds)
{
    rw_queue *q = rw_device_queue(w->device);
    const int most = (int)number_of(lab, "runs");
    const double begin = rw_seconds(), allowed = number_of(lab, "seconds");
    double v[RUNS_MOST];
    int n = 0;
    for (int warm = 0; n < most && (n == 0 || rw_seconds() - begin < allowed); warm = RW_MIN(warm + 1, WARM_UP)) {
        void *x;
        RW_TRY(rw_array_update(w->x, &x)); /* the host's pixels are new, and so are the device's that are fetched */
        if (!launched) RW_TRY(rw_array_zero(w->y, q));
        RW_TRY(rw_queue_wait(q));
        const double start = rw_seconds();
        RW_TRY(rw_array_send(w->x, q));
        if (launched) RW_TRY(launch(w));
        RW_TRY(rw_array_fetch(w->y, q));
        RW_TRY(rw_queue_wait(q));
        if (warm == WARM_UP || rw_seconds() - begin > allowed / 4) v[n++] = rw_seconds() - start;
    }
    *seconds = median(v, n);
    return RW_OK;
}

/* One thread: the loop of table E.23; leaves the result in y. */
double rw_conv2d_time_host(const rw_lab *lab, const rw_mask *mask, rw_conv2d_picture *m)
{
    const int most = (int)number_of(lab, "runs");
    const double begin = rw_seconds(), allowed = number_of(lab, "seconds");
    double v[RUNS_MOST];
    int n = 0;
    rw_conv2d_host(mask, RW_CONV2D_ZERO, false, m->width, m->height, m->channels, m->x, m->y);
    do {
        const double start = rw_seconds();
        int loops = 0;
        do {
            rw_conv2d_host(mask, RW_CONV2D_ZERO, false, m->width, m->height, m->channels, m->x, m->y);
            ++loops;
        } while (rw_seconds() - start < 1e-4);
        v[n++] = (rw_seconds() - start) / loops;
    } while (n < most && rw_seconds() - begin < allowed);
    return median(v, n);
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
