/* No output, for streams that are only observed. The result is not converted to planes. */
#include "stream/stream.h"

static rw_status create(rw_context *ctx RW_UNUSED, const char *name RW_UNUSED, rw_stream_file *f RW_UNUSED,
                        const rw_frame_format *format RW_UNUSED, void **state)
{
    *state = NULL;
    return RW_OK;
}

static rw_status write_frame(void *state RW_UNUSED, const void *frame RW_UNUSED) { return RW_OK; }

static bool holds(const rw_frame_format *f) { return f->layout == RW_FRAME_PIXELS; }

const rw_stream_format rw_stream_none = {
    .name = "none",
    .line = "no output",
    .by_name = true,
    .create = create,
    .write = write_frame,
    .holds = holds,
};
