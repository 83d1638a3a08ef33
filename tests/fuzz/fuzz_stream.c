/* Any bytes as a stream of frames: y4m, clm, pnm, png by their first bytes, raw frames of a size that the first byte of
 * the input chooses. Opening answers OK or says why not; frames have the size that the format says, until the stream
 * ends or fails. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "stream/stream.h"

enum { MOST_BYTES = 1 << 22, MOST_FRAMES = 5 };

static bool is_expected(rw_status status)
{
    return status == RW_ERR_INPUT || status == RW_ERR_UNSUPPORTED || status == RW_ERR_MEMORY ||
           status == RW_ERR_ARGUMENT || status == RW_ERR_FILE;
}

static void read_frames(rw_stream *s)
{
    const int64_t bytes = rw_frame_bytes(&s->format);
    require(bytes > 0, "a frame has bytes");
    if (bytes > MOST_BYTES) return;
    unsigned char *frame = malloc((size_t)bytes);
    bool end = false;
    for (int i = 0; i < MOST_FRAMES && !end; ++i) {
        memset(frame, 0, (size_t)bytes);
        const rw_status status = s->table->read(s->state, frame, &end);
        require(status == RW_OK || is_expected(status), "a frame, the end, or a failure that says why");
        if (status != RW_OK) break;
    }
    free(frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static rw_context *ctx;
    char name[64];
    rw_stream stream;
    if (!ctx) require(rw_context_create(&ctx) == RW_OK, "a context");
    const bool png = n > 0 && data[0] == 0x89; /* a file of a picture, whole */
    if (n < 1) return 0;
    const int file = memfd_create("stream", 0);
    const size_t from = png ? 0 : 1;
    require(file >= 0 && write(file, data + from, n - from) == (ssize_t)(n - from), "a file");
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    require(lseek(file, 0, SEEK_SET) == 0, "its start");
    rw_frame_format frames = {0};
    if (!png && data[0] % 4 == 2)
        frames = (rw_frame_format){.layout = (rw_frame_layout)(data[0] / 4 % RW_FRAME_LAYOUTS),
                                   .width = 3,
                                   .height = 2,
                                   .channels = data[0] / 4 % RW_FRAME_LAYOUTS ? 3 : 1,
                                   .dtype = RW_U8};
    const rw_status status = rw_stream_open(ctx, name, NULL, &frames, &stream);
    if (status == RW_OK) read_frames(&stream), rw_stream_close(&stream);
    else require(is_expected(status), "a stream, or a failure that says why");
    close(file);
    return 0;
}
