/* Signals: files and pipes of samples (file.c), operations and their taps (design.c), overlap-save (filter.c),
 * short-time Fourier transforms (spectrogram.c). */
#ifndef RW_SIGNAL_H
#define RW_SIGNAL_H

#include "rechenwerk/signal.h"
#include "stream/stream.h"

enum { RW_SIGNAL_CHANNELS = 64 };

/* ---- file.c: samples --------------------------------------------------------------------------------------------- */

/* Samples in memory have the type I8 (u8 less 128), I16, I32 (s24, s32), F32 or F64. */
rw_dtype rw_sample_dtype(rw_sample_kind kind);
/* Value at full scale. */
double rw_sample_scale(rw_sample_kind kind);

typedef struct rw_signal_source {
    rw_stream_file file;
    rw_signal_format format;
    int64_t done; /* samples per channel that were read */
    bool ended;
    rw_status broken; /* it ended too early, with a message */
    char message[512];
} rw_signal_source;
/* given: the format of an input without a header. */
rw_status rw_signal_open(rw_context *ctx, const char *name, const rw_signal_format *given, rw_signal_source *s);
/* Reads the next n samples of all channels; *have is smaller at the end, and if the stream ends too early: then
 * `broken` is set. */
rw_status rw_signal_read(rw_signal_source *s, void *to, int64_t n, int64_t *have);
void rw_signal_close(rw_signal_source *s);

typedef struct rw_signal_sink {
    rw_stream_file file;
    rw_signal_format format;
    int64_t done; /* samples per channel that were written */
    bool wide;    /* WAV of more than 4 GiB: RF64 */
    bool open;
} rw_signal_sink;
/* If `format` has no container, the name determines it; if the name does not either, it is `standard`. */
rw_status rw_signal_create(rw_context *ctx, const char *name, const rw_signal_format *format,
                           rw_signal_container standard, rw_signal_sink *s);
rw_status rw_signal_write(rw_signal_sink *s, const void *from, int64_t n);
/* Writes the sizes into the header of a file, and gives the file its name. */
rw_status rw_signal_commit(rw_signal_sink *s);
void rw_signal_discard(rw_signal_sink *s); /* discards output that is not committed */

/* ---- design.c ---------------------------------------------------------------------------------------------------- */

/* w[n]; of period n, or symmetric. */
void rw_signal_fill_window(rw_signal_window window, double beta, int64_t n, bool periodic, double *w);

#endif
