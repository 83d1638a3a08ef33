/* A source and a sink of frames of one's own, and the rate of a filter between them:
 *
 *   ./own_frames [cpu | cuda:0 | opencl:0] [OPERATIONS] [WIDTH HEIGHT FRAMES]
 *
 *   cc -std=c17 own_frames.c $(pkg-config --cflags --libs rechenwerk) -lrechenwerk-run -o own_frames
 *
 * Frames come from memory and go to memory, in the form of a 4:2:0 film. Streams are in librechenwerk-run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rechenwerk/stream.h"

enum { KEPT = 16 };
static rw_frame_format film =
    {.layout = RW_FRAME_420, .width = 320, .height = 240, .channels = 3, .dtype = RW_U8, .rate = {25, 1}};
static unsigned char *frames[KEPT], *last;
static int64_t bytes, made;

static rw_status open_memory(rw_context *ctx, const char *name, rw_stream_file *file, rw_frame_format *format,
                             void **state)
{
    (void)ctx, (void)name, (void)file, (void)state;
    *format = film;
    return RW_OK;
}
static rw_status read_memory(void *state, void *frame, bool *end)
{
    (void)state;
    *end = made == film.count;
    if (!*end) memcpy(frame, frames[made++ % KEPT], (size_t)bytes);
    return RW_OK;
}
static rw_status create_memory(rw_context *ctx, const char *name, rw_stream_file *file, const rw_frame_format *format,
                               void **state)
{
    (void)ctx, (void)name, (void)file, (void)format, (void)state;
    return RW_OK;
}
static rw_status write_memory(void *state, const void *frame)
{
    (void)state;
    memcpy(last, frame, (size_t)bytes);
    return RW_OK;
}
static const rw_stream_format memory = {.name = "memory",
                                        .line = "frames in memory",
                                        .endings = {".memory"},
                                        .by_name = true,
                                        .open = open_memory,
                                        .read = read_memory,
                                        .create = create_memory,
                                        .write = write_memory};

int main(int argc, char **argv)
{
    rw_context *ctx;
    rw_device *dev;
    rw_stream_report r;
    const rw_stream_spec spec = {.text = argc > 2 ? argv[2] : "gauss|sobel", .queues = 3, .depth = 12};
    film.count = 100;
    if (argc > 5) film.width = atoll(argv[3]), film.height = atoll(argv[4]), film.count = atoll(argv[5]);
    bytes = rw_frame_bytes(&film);
    last = (unsigned char *)malloc((size_t)bytes);
    for (int k = 0; k < KEPT; ++k) {
        frames[k] = (unsigned char *)malloc((size_t)bytes);
        if (!frames[k] || !last) return 1;
        for (int64_t i = 0; i < bytes; ++i)
            frames[k][i] = (unsigned char)(i < film.width * film.height ? 16 + (i * 7 + k * 13) % 200 : 128);
    }
    if (rw_context_create(&ctx) != RW_OK) return 1;
    if (rw_stream_format_register(ctx, &memory) != RW_OK ||
        rw_device_open(ctx, argc > 1 ? argv[1] : "auto", &dev) != RW_OK ||
        rw_stream_run(dev, "in.memory", "out.memory", &spec, &r) != RW_OK) {
        fprintf(stderr, "%s\n", rw_message(ctx));
        return 1;
    }
    printf("%s on %s: %lld frames of %lld x %lld, %.0f frames/s, latency %.2f ms\n", spec.text,
           rw_device_info(dev)->hardware, (long long)r.frames, (long long)film.width, (long long)film.height,
           (double)r.frames / r.seconds, 1e3 * r.latency);
    for (int k = 0; k < KEPT; ++k) free(frames[k]);
    free(last);
    rw_device_close(&dev);
    rw_context_destroy(&ctx);
    return 0;
}
