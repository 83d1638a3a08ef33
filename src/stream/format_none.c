/* No output, for streams that are only observed. The result is not converted to planes. */
#include "stream/stream.h"

static rw_status create(rw_context *ctx, const char *name, rw_stream_file *f, const rw_frame_format *format,
                        void **state)
{
    (void)ctx;
    (void)name;
    (void)f;
    (void)format;
    *state = NULL;
    return RW_OK;
}

static rw_status write_frame(void *state, const void *frame)
{
    (void)state;
    (void)frame;
    return RW_OK;
}

static bool holds(const rw_frame_format *f) { return f->layout == RW_FRAME_PIXELS; }

const rw_stream_format rw_stream_none = {
    .name = "none",
    .line = "no output",
    .by_name = true,
    .create = create,
    .write = write_frame,
    .holds = holds,
};
