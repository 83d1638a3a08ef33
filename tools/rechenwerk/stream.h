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
     "streams: size and type of raw frames: gray8, gray16, rgb24, rgb48, rgba, yuv420p, yuv422p, yuv444p"},            \
    {"format", 0, "NAME",                                                                                              \
     "streams: format of OUT: y4m, clm, pnm, pictures or raw (default: by its extension, or that of IN)"},             \
    {"luma", 0, NULL,                                                                                                  \
     "streams of luma and chroma: filter only the luma (default: filter red, green, blue)"},                           \
    {"queues", 0, "N",                                                                                                 \
     "streams: device queues that run concurrently (default: 3)"},                                                     \
    {"depth", 0, "N",                                                                                                  \
     "streams: maximum number of frames between reading and writing (default: 8)"},                                    \
    {"rate", 0, "N",                                                                                                   \
     "streams: read N frames per second, as from a camera (default: as fast as possible)"},                            \
    {"deadline", 0, "MS",                                                                                              \
     "streams: maximum time from reading to writing a frame in milliseconds; later frames are counted (default: "      \
     "1/rate)"},                                                                                                       \
    {"count", 0, "N",                                                                                                  \
     "streams: stop after N frames"},                                                                                  \
    {"window", 0, NULL,                                                                                                \
     "streams: show input, result and spectrum in a window: q ends, space pauses, s saves; OUT may be none"},          \
    {"screenshot", 0, "FILE.png",                                                                                      \
     "streams: save the last view of the window; key s saves FILE-2.png, FILE-3.png (default of key s: window.png)"}
/* clang-format on */

#endif
