/* Any bytes as a signal: WAV and RF64 by their first bytes, or samples without a header, whose kind and channels the
 * first byte of the input chooses. Opening returns OK or reports why not; samples come until the end, or the header has
 * announced more. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "signal/signal.h"

enum { BLOCK = 256, MOST_BLOCKS = 64 };

static bool is_expected(rw_status status)
{
    return status == RW_ERR_INPUT || status == RW_ERR_UNSUPPORTED || status == RW_ERR_MEMORY ||
           status == RW_ERR_ARGUMENT || status == RW_ERR_FILE;
}

static void read_samples(rw_signal_source *s)
{
    const rw_signal_format *f = &s->format;
    require(f->channels >= 1 && f->channels <= RW_SIGNAL_CHANNELS && f->kind > 0 && f->kind < RW_SAMPLE_KINDS &&
                f->rate > 0 && f->count >= -1,
            "a format is complete");
    double *block = malloc((size_t)BLOCK * (size_t)f->channels * sizeof *block);
    int64_t have = BLOCK, all = 0;
    for (int i = 0; i < MOST_BLOCKS && have == BLOCK; ++i, all += have) {
        const rw_status status = rw_signal_read(s, block, BLOCK, &have);
        require(status == RW_OK, "samples can be read from memory");
        require(have >= 0 && have <= BLOCK, "at most the requested samples");
    }
    require(f->count < 0 || all <= f->count, "not more than the header announces");
    require(have == BLOCK || f->count < 0 || all == f->count || s->broken,
            "a count below the announced one is reported");
    free(block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static rw_context *ctx;
    char name[64];
    rw_signal_source source;
    if (!ctx) require(rw_context_create(&ctx) == RW_OK, "a context");
    if (n < 1) return 0;
    const int file = memfd_create("signal", 0);
    require(file >= 0 && write(file, data + 1, n - 1) == (ssize_t)(n - 1), "a file");
    require(lseek(file, 0, SEEK_SET) == 0, "its start");
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    rw_signal_format given = {0};
    if (data[0] % 2)
        given = (rw_signal_format){.kind = (rw_sample_kind)(1 + data[0] / 2 % (RW_SAMPLE_KINDS - 1)),
                                   .channels = 1 + data[0] / 16 % 4,
                                   .rate = 8000};
    const rw_status status = rw_signal_open(ctx, name, &given, &source);
    if (status == RW_OK) read_samples(&source), rw_signal_close(&source);
    else require(is_expected(status), "a signal, or a failure with a reason");
    close(file);
    return 0;
}
