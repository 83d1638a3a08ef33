/* Streams of frames, for the command image. */
#ifndef STREAM_H
#define STREAM_H

#include "command.h"
#include "rechenwerk/stream.h"

/* Whether the operands mean a stream: standard input or output, numbered pictures, a file of frames. */
bool is_stream(const arguments *a);
/* Filters IN to OUT by the chain. */
int run_stream(const arguments *a, const char *chain);

/* clang-format off */
#define STREAM_OPTIONS                                                                                                 \
    {"frames", 0, "WxH:KIND",                                                                                          \
     "streams: size and type of raw frames: gray8, gray16, rgb24, rgb48, rgba, yuv420p, yuv422p, yuv444p"},            \
    {"format", 0, "NAME", "streams: @out_format"},                                                                     \
    {"luma", 0, NULL, "streams of luma and chroma: @luma"},                                                            \
    {"queues", 0, "N", "streams: @queues"},                                                                            \
    {"depth", 0, "N", "streams: @depth"},                                                                              \
    {"rate", 0, "N", "streams: @rate"},                                                                                \
    {"deadline", 0, "MS", "streams: in milliseconds: @deadline"},                                                      \
    {"count", 0, "N", "streams: @frames_max"},                                                                         \
    {"window", 0, NULL,                                                                                                \
     "streams: show input, result and spectrum in a window: q ends, space pauses, s saves; OUT may be none"},          \
    {"screenshot", 0, "FILE.png",                                                                                      \
     "streams: save the last view of the window; key s saves FILE-2.png, FILE-3.png (default of key s: window.png)"}
/* clang-format on */

#endif
