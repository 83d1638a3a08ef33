#!/usr/bin/env bash
# A new operation and a new source of frames, one file each, that the command loads: no file of ours knows them.
set -u
. "$SOURCE/tests/tools/expect.sh"
case "${SANITIZE:-}" in ?*) exit 77 ;; esac

cat > twice.c <<'END'
#include <stdlib.h>
#include <string.h>
#include "rechenwerk/image.h"
static double factor;
static rw_status create(rw_device *device, const char *options, rw_dtype dtype, int64_t width, int64_t height,
                        int channels, bool planar, void **state)
{
    (void)device, (void)dtype, (void)width, (void)height, (void)channels, (void)planar, (void)state;
    factor = *options ? atof(options) : 2;
    return factor > 0 ? RW_OK : RW_ERR_ARGUMENT;
}
static rw_status execute(void *state, rw_array *x, rw_array *y, rw_queue *queue)
{
    const void *in;
    void *out;
    (void)state, (void)queue;
    if (rw_array_read(x, &in) != RW_OK || rw_array_write(y, &out) != RW_OK) return RW_ERR_ARGUMENT;
    for (int64_t i = 0; i < rw_array_size(x); ++i) ((float *)out)[i] = (float)factor * ((const float *)in)[i];
    return RW_OK;
}
static const rw_image_own operation = {"times", "a factor", create, execute, NULL};
rw_status rechenwerk_plugin(rw_context *context) { return rw_image_own_register(context, &operation); }
END
cat > ramp.c <<'END'
#include "rechenwerk/stream.h"
static int frame;
static rw_status open_ramp(rw_context *c, const char *name, rw_stream_file *f, rw_frame_format *format, void **state)
{
    (void)c, (void)name, (void)f, (void)state;
    *format = (rw_frame_format){.width = 4, .height = 2, .channels = 1, .dtype = RW_U8};
    return RW_OK;
}
static rw_status read_ramp(void *state, void *bytes, bool *end)
{
    (void)state;
    *end = frame == 3;
    for (int i = 0; i < 8 && !*end; ++i) ((unsigned char *)bytes)[i] = (unsigned char)(10 * frame + i);
    frame += !*end;
    return RW_OK;
}
static const rw_stream_format ramp = {.name = "ramp", .line = "a ramp", .endings = {".ramp"}, .by_name = true,
                                      .open = open_ramp, .read = read_ramp};
rw_status rechenwerk_plugin(rw_context *context) { return rw_stream_format_register(context, &ramp); }
END
for name in twice ramp; do
    "${CC:-cc}" -shared -fPIC -o $name.so -I "$SOURCE/include" $name.c -L "$BUILD" -lrechenwerk-run -lrechenwerk \
        "-Wl,-rpath,$BUILD" 2> err || fail "$name.c: $(head -3 err)"
done
printf 'P5\n4 2\n255\n\001\002\003\004\005\006\007\010' > a.pgm
expect 0 "" image a.pgm b.pgm --op "times:3|invert" --plugin ./twice.so --force -q
[ "$(tail -c 8 b.pgm | od -An -tu1 | tr -s ' \n' ' ')" = " 252 249 246 243 240 237 234 231 " ] ||
    fail "other values: $(tail -c 8 b.pgm | od -An -tu1)"
expect 0 "3 frames" image x.ramp out.raw --op times --plugin ./twice.so --plugin ./ramp.so --format raw
[ "$(tail -c 8 out.raw | od -An -tu1 | tr -s ' \n' ' ')" = " 40 42 44 46 48 50 52 54 " ] ||
    fail "other frames: $(tail -c 8 out.raw | od -An -tu1)"
expect 2 "pad: operation" image a.pgm c.pgm --op times
expect 2 "cannot be opened" image a.pgm c.pgm --op times --plugin ./none.so
expect 2 "times is already in use" image a.pgm c.pgm --op times --plugin ./twice.so --plugin ./twice.so
expect 2 "times" image a.pgm c.pgm --op times:-1 --plugin ./twice.so
exit $((bad != 0))
