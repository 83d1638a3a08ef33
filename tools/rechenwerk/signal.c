/* rechenwerk signal IN OUT --op "lowpass:cutoff=1000": FIR filters of samples in files and pipes. rechenwerk
 * spectrogram IN OUT: their short-time Fourier transforms as an array, a picture or a figure. */
#include "rechenwerk/signal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "transforms.h"

/* "48000:s16:2" */
static bool samples_of(const arguments *a, rw_signal_format *format)
{
    const char *text = value_of(a, "samples");
    char kind[8] = "", rest;
    int channels = 1;
    double rate = 0;
    if (!text) return true;
    const int n = sscanf(text, "%lf:%7[^:]:%d%c", &rate, kind, &channels, &rest);
    if ((n != 2 && n != 3) || !(rate > 0) || channels < 1 || (n == 2 && text[strlen(text) - 1] == ':')) {
        usage("%s: --samples %s: must be rate, sample type and channels, such as 48000:s16:2", a->command->name, text);
        return false;
    }
    format->rate = rate;
    format->channels = channels;
    return choice_of(a, "samples", rw_signal_params(), "kind", kind, (int *)&format->kind);
}

static bool precision_of(const arguments *a, bool *wide)
{
    const char *text = value_of(a, "precision");
    *wide = text && strcmp(text, "f64") == 0;
    if (!text || *wide || strcmp(text, "f32") == 0) return true;
    usage("%s: --precision %s: must be f32 or f64", a->command->name, text);
    return false;
}

static int check_files(const arguments *a)
{
    const output_file output = {.name = "OUT", .operand = a->operands[1]};
    const bool file_in = strcmp(a->operands[0], "-"),
               file_out = strcmp(a->operands[1], "-") && strncmp(a->operands[1], "/dev/", 5);
    return check_outputs(a, file_out, &output, file_in, a->operands);
}

/* ---- signal ------------------------------------------------------------------------------------------------------ */

typedef struct show {
    const arguments *arguments;
} show;

static double per_second(double n, double seconds) { return seconds > 0 ? n / seconds : 0; }

static rw_status progress(void *user, const rw_signal_report *r)
{
    const show *s = user;
    show_stage(s->arguments, "  %.1f s of the signal, %.1f times real time, latency %.2f ms, %lld blocks late",
               (double)r->samples / r->in.rate, per_second((double)r->samples / r->in.rate, r->seconds),
               1e3 * r->latency, (long long)r->late);
    return RW_OK;
}

static bool spec_of(const arguments *a, rw_signal_spec *s)
{
    const char *rate = value_of(a, "rate");
    if (!samples_of(a, &s->in) || !precision_of(a, &s->wide) || !set_options(a, s)) return false;
    s->deadline /= 1000; /* --deadline is in milliseconds */
    if (rate && strcmp(rate, "real"))
        usage("signal: --rate %s: must be real, which reads IN at its sampling rate", rate);
    return !rate || strcmp(rate, "real") == 0;
}

static void print_report(FILE *to, const arguments *a, const rw_signal_report *r)
{
    fprintf(to,
            "%s, %d channel%s of %s, %g samples/s, to %s, %s: %lld samples in %.3f s, %.4g samples/s, %.4g times real "
            "time\n",
            shown(a->operands[0]), r->in.channels, r->in.channels == 1 ? "" : "s", rw_sample_kind_name(r->in.kind),
            r->in.rate, shown(a->operands[1]), rw_sample_kind_name(r->out.kind), (long long)r->samples, r->seconds,
            per_second((double)r->samples, r->seconds), per_second((double)r->samples / r->in.rate, r->seconds));
    fprintf(to, "  %lld tap%s, %lld samples of delay removed; %lld blocks of %lld samples, %d per batch\n",
            (long long)r->taps, r->taps == 1 ? "" : "s", (long long)r->delay, (long long)r->blocks, (long long)r->block,
            r->batch);
    fprintf(to, "  latency per block %.3f ms (median), %.3f ms (99 %%), %.3f ms (maximum)\n", 1e3 * r->latency,
            1e3 * r->latency_99, 1e3 * r->latency_max);
    if (r->deadline > 0)
        fprintf(to, "  deadline %s: %lld of %lld blocks late\n", in_time(r->deadline).text, (long long)r->late,
                (long long)r->blocks);
}

static int run_signal(const arguments *a)
{
    char *chain = NULL;
    show s = {.arguments = a};
    rw_signal_spec spec = {.progress = progress, .user = &s};
    rw_signal_report report;
    rw_device *device = NULL;
    int code = join_operations(a, "lowpass:cutoff=1000 (see rechenwerk list signals)", &chain);
    if (code == 0) code = spec_of(a, &spec) ? check_files(a) : 2;
    rw_context *ctx = code == 0 ? make_context(a) : NULL;
    if (code == 0 && !ctx) code = 5;
    if (ctx) {
        spec.text = chain;
        spec.cancel = stop_request();
        signal(SIGPIPE, SIG_IGN);
        rw_status status = open_device(ctx, a, &device);
        if (status == RW_OK) status = rw_signal_run(device, a->operands[0], a->operands[1], &spec, &report);
        show_stage(a, NULL);
        code = status == RW_OK ? 0 : failed(ctx, status);
        if (status == RW_OK && !given(a, "quiet"))
            print_report(strcmp(a->operands[1], "-") == 0 ? stderr : stdout, a, &report);
    }
    rw_device_close(&device);
    rw_context_destroy(&ctx);
    free(chain);
    return code;
}

#define OPTION_SAMPLES                                                                                                 \
    {                                                                                                                  \
        "samples", 0, "RATE:KIND:N",                                                                                   \
            "raw input: sampling rate, sample type (u8, s16, s24, s32, f32, f64), channels (default: 1)"               \
    }
#define OPTION_COMPUTE                                                                                                 \
    {                                                                                                                  \
        "precision", 'p', "f32|f64", "precision of the computation (default: f32)"                                     \
    }

static const option signal_options[] = {
    {"op", 0, "OP", "operations separated by |, such as \"lowpass:cutoff=1000:taps=255|gain:db=6\"; may be repeated"},
    {"set", 0, "NAME=VALUE", "a parameter of the last operation, such as taps=511; may be repeated"},
    OPTION_SAMPLES,
    {"format", 0, "NAME", "@container"},
    {"kind", 0, "KIND", NULL},
    {"keep-delay", 0, NULL, "@keep_delay"},
    OPTION_COMPUTE,
    {"block", 0, "N", NULL},
    {"batch", 0, "N", NULL},
    {"queues", 0, "N", NULL},
    {"depth", 0, "N", NULL},
    {"rate", 0, "real", "@real_time"},
    {"deadline", 0, "MS", "in milliseconds: @deadline"},
    OPTION_DEVICE,
    OPTION_VERBOSE,
    OPTION_QUIET,
    OPTION_FORCE,
};

const command command_signal = {
    .name = "signal",
    .operands = "IN OUT",
    .least = 2,
    .most = 2,
    .line = "filter a sampled signal: low-pass, high-pass, band-pass, band-stop, impulse responses from files",
    .more = "IN and OUT are WAV files, raw samples without a header, or - for standard input and output. OUT has "
            "the same number of samples as IN. Operations and their parameters: rechenwerk list signals.",
    .options = signal_options,
    .noptions = COUNT(signal_options),
    .rows = rw_signal_params,
    .run = run_signal,
};

/* ---- spectrogram ------------------------------------------------------------------------------------------------- */

static bool spectrogram_of(const arguments *a, rw_spectrogram_spec *s)
{
    char rest;
    const char *range = value_of(a, "range");
    if (!samples_of(a, &s->in) || !precision_of(a, &s->wide) || !set_options(a, s)) return false;
    if (!range || (sscanf(range, "%lf:%lf%c", &s->low, &s->high, &rest) == 2 && s->low < s->high)) return true;
    usage("spectrogram: --range %s: must be the lower and upper limit in decibels, such as -100:0", range);
    return false;
}

static int run_spectrogram(const arguments *a)
{
    rw_spectrogram_spec spec = {0};
    rw_spectrogram_report r;
    rw_device *device = NULL;
    int code = spectrogram_of(a, &spec) ? check_files(a) : 2;
    rw_context *ctx = code == 0 ? make_context(a) : NULL;
    if (code == 0 && !ctx) code = 5;
    if (ctx) {
        rw_status status = open_device(ctx, a, &device);
        if (status == RW_OK) status = rw_spectrogram_run(device, a->operands[0], a->operands[1], &spec, &r);
        code = status == RW_OK ? 0 : failed(ctx, status);
        if (status == RW_OK && !given(a, "quiet")) {
            printf("%s, %d channel%s of %s, %g samples/s, %lld samples: %lld frames of %lld frequencies in %s\n",
                   shown(a->operands[0]), r.in.channels, r.in.channels == 1 ? "" : "s", rw_sample_kind_name(r.in.kind),
                   r.in.rate, (long long)r.samples, (long long)r.frames, (long long)r.bins, in_time(r.seconds).text);
            if (r.high > r.low) printf("  colours from %.1f to %.1f dB relative to a full-scale sine\n", r.low, r.high);
            printf("  written: %s\n", shown(a->operands[1]));
        }
    }
    rw_device_close(&device);
    rw_context_destroy(&ctx);
    return code;
}

static const option spectrogram_options[] = {
    {"length", 0, "N", NULL},
    {"hop", 0, "N", NULL},
    {"window", 0, "NAME", NULL},
    {"beta", 0, "X", NULL},
    {"channel", 0, "N", NULL},
    {"range", 0, "LOW:HIGH",
     "colour limits in decibels relative to a full-scale sine (default: the maximum and 80 dB below it)"},
    {"figure", 0, NULL, NULL},
    OPTION_SAMPLES,
    OPTION_COMPUTE,
    OPTION_DEVICE,
    OPTION_VERBOSE,
    OPTION_QUIET,
    OPTION_FORCE,
};

const command command_spectrogram = {
    .name = "spectrogram",
    .operands = "IN OUT",
    .least = 2,
    .most = 2,
    .line = "compute the short-time Fourier transform of a sampled signal: a picture, a figure, or complex values "
            "as .npy",
    .more = "IN is a WAV file, raw samples without a header, or - for standard input. Time runs to the right, "
            "frequency upward from 0 to half the sampling rate.",
    .options = spectrogram_options,
    .noptions = COUNT(spectrogram_options),
    .rows = rw_spectrogram_params,
    .run = run_spectrogram,
};
