/* Streams of frames, for the command image. */
#ifndef STREAM_H
#define STREAM_H

#include "command.h"

/* Whether the operands mean a stream: standard input or output, numbered pictures, a file of frames. */
bool is_stream(const arguments *a);
/* Filters IN to OUT by the chain. */
int run_stream(const arguments *a, const char *chain);

/* clang-format off */
#define STREAM_OPTIONS                                                                                                 \
    {"frames", 0, "WxH:KIND",                                                                                          \
     "streams: size and kind of frames without a head: gray8, gray16, rgb24, rgb48, rgba, yuv420p, yuv422p, yuv444p"}, \
    {"format", 0, "NAME",                                                                                              \
     "streams: format of OUT: y4m, clm, pnm, pictures or raw (default: by its ending, or that of IN)"},                \
    {"luma", 0, NULL,                                                                                                  \
     "streams of luma and colour: filter the luma, keep the colour (default: filter red, green, blue)"},               \
    {"queues", 0, "N",                                                                                                 \
     "streams: queues of the device that work at the same time (default: 3)"},                                         \
    {"depth", 0, "N",                                                                                                  \
     "streams: frames between reading and writing, at most (default: 8)"},                                             \
    {"rate", 0, "N",                                                                                                   \
     "streams: read N frames a second, as from a camera (default: as they come)"},                                     \
    {"deadline", 0, "MS",                                                                                              \
     "streams: count frames written later than this after they were read, in milliseconds (default: 1/rate)"},         \
    {"count", 0, "N",                                                                                                  \
     "streams: end after N frames"},                                                                                   \
    {"window", 0, NULL,                                                                                                \
     "streams: show input, result and spectrum in a window: q ends, space pauses, s saves; OUT may be none"},          \
    {"screenshot", 0, "FILE.png",                                                                                      \
     "streams: write what the window shows last; key s writes FILE-2.png, FILE-3.png (default of key s: window.png)"}
/* clang-format on */

#endif
