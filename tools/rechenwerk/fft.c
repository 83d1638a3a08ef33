/* rechenwerk fft X.npy Y.npy: a Fourier, cosine or sine transform of an array in a file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "transforms.h"

typedef struct work {
    rw_device *device;
    rw_array *x, *y;
    rw_fft *fft;
    rw_fft_spec spec;
    double tuning; /* seconds */
} work;

/* The length of each axis that is transformed, in the order of --axes: "100,128". */
static bool shape_option(const arguments *a, rw_fft_spec *s)
{
    const char *text = value_of(a, "shape");
    for (int i = 0; text && i < s->naxes; i++) {
        const int d = s->axis[i];
        char *end;
        const long long n = strtoll(text, &end, 10);
        if (end == text || n < 1 || (*end && *end != ',')) {
            usage("fft: --shape %s: must be one number of points for each transformed axis, such as 100,128",
                  value_of(a, "shape"));
            return false;
        }
        s->shape[d] = n;
        text = *end ? end + 1 : NULL;
        const bool more = i + 1 < s->naxes;
        if (!text != !more) {
            usage("fft: --shape %s: the number of values differs from the number of transformed axes",
                  value_of(a, "shape"));
            return false;
        }
    }
    return true;
}

/* Points of an axis: the scale factor is one over their product. */
static double norm_of(rw_fft_kind kind, int64_t n)
{
    return kind == RW_FFT_COMPLEX || kind == RW_FFT_REAL ? (double)n
           : kind == RW_FFT_DCT1                         ? 2 * (double)(n - 1)
           : kind == RW_FFT_DST1                         ? 2 * (double)(n + 1)
                                                         : 2 * (double)n;
}

/* The specification from the array and the options. */
static int plan(rw_context *ctx, const arguments *a, work *w)
{
    rw_fft_spec *s = &w->spec;
    const char *scale = value_of(a, "scale") ? value_of(a, "scale") : "inverse";
    if (!set_options(a, s)) return 2;
    if (given(a, "real") && given(a, "kind") && s->kind != RW_FFT_REAL)
        return usage("fft: --real and --kind %s exclude each other", value_of(a, "kind"));
    if (given(a, "real")) s->kind = RW_FFT_REAL;
    const bool real_input = s->kind == RW_FFT_REAL && !s->inverse,
               is_complex = rw_dtype_is_complex(rw_array_dtype(w->x));
    if (real_input && is_complex)
        return usage("fft: %s holds complex values, but --real transforms real ones", a->operands[0]);
    s->single = rw_dtype_size(rw_array_dtype(w->x)) / (is_complex ? 2 : 1) == 4;
    s->ndim = rw_array_ndim(w->x);
    if (s->kind == RW_FFT_REAL && !real_input) {
        const rw_status status = widen(&w->x, s->single ? RW_C64 : RW_C128);
        if (status != RW_OK) return failed(ctx, status);
    }
    s->x_dtype = rw_array_dtype(w->x);
    if (is_complex && s->kind >= RW_FFT_DCT1) s->y_dtype = s->x_dtype;
    if (!axes_of(a, s->ndim, s->axis, &s->naxes)) return 2;
    if (!s->naxes)
        for (int d = 0; d < s->ndim; d++) s->axis[s->naxes++] = d;
    const int last = s->axis[s->naxes - 1];
    for (int d = 0; d < s->ndim; d++) s->shape[d] = rw_array_shape(w->x, d);
    const bool back = s->kind == RW_FFT_REAL && s->inverse;
    if (back) s->shape[last] = 2 * (s->shape[last] - 1);
    if (back && s->shape[last] < 1 && !given(a, "shape"))
        return usage("fft: %s: a half spectrum of one value belongs to 1 or 2 points: give --shape", a->operands[0]);
    if (!shape_option(a, s)) return 2;
    for (int d = 0; d < s->ndim; d++) {
        const int64_t takes = back && d == last ? s->shape[d] / 2 + 1 : s->shape[d], has = rw_array_shape(w->x, d);
        s->x_shape[d] = takes < has ? takes : has; /* zeros beyond what is there; what is beyond is left out */
        s->x_stride[d] = rw_array_stride(w->x, d);
        s->y_shape[d] = s->kind == RW_FFT_REAL && !s->inverse && d == last ? s->shape[d] / 2 + 1 : s->shape[d];
    }
    double product = 1;
    for (int i = 0; i < s->naxes; i++) product *= norm_of(s->kind, s->shape[s->axis[i]]);
    if (strcmp(scale, "none") && strcmp(scale, "inverse") && strcmp(scale, "forward") && strcmp(scale, "both") &&
        strcmp(scale, "ortho"))
        return usage("fft: --scale %s: must be none, inverse, forward, both or ortho", scale);
    s->ortho = strcmp(scale, "ortho") == 0;
    if (strcmp(scale, s->inverse ? "inverse" : "forward") == 0) s->scale = 1 / product;
    if (strcmp(scale, "both") == 0) s->scale = 1 / sqrt(product);
    return 0;
}

static rw_status execute(void *user, rw_queue *queue)
{
    work *w = user;
    return rw_fft_execute(w->fft, w->x, w->y, queue);
}

/* The part of x that the transform reads. */
static rw_status cut(work *w)
{
    for (int d = 0; d < w->spec.ndim; d++) {
        rw_array *part;
        if (w->spec.x_shape[d] == rw_array_shape(w->x, d)) continue;
        const rw_status status = rw_array_slice(w->x, d, 0, w->spec.x_shape[d], 1, &part);
        if (status != RW_OK) return status;
        rw_array_destroy(&w->x);
        w->x = part;
    }
    return RW_OK;
}

typedef struct trials {
    const arguments *a;
    int n;
} trials;

static rw_status print_trial(void *user, const char *what, const char *choice, double seconds, bool kept)
{
    trials *t = user;
    show_stage(t->a, NULL);
    if (kept || given(t->a, "verbose"))
        printf("  %10s %s %s: %s\n", in_time(seconds).text, kept ? "->" : "  ", what, choice);
    fflush(stdout);
    show_stage(t->a, "  tuning: %d plans tried", ++t->n);
    return RW_OK;
}

/* Reads wisdom, tunes, writes wisdom. */
static rw_status prepare(const arguments *a, work *w)
{
    const char *path = value_of(a, "wisdom");
    rw_fft_tuned t;
    trials so_far = {a, 0};
    rw_fft_tuning options = {.seconds = w->tuning, .report = given(a, "quiet") ? NULL : print_trial, .user = &so_far};
    rw_status status = path && access(path, F_OK) == 0 ? rw_fft_wisdom_load(w->device, path) : RW_OK;
    if (status != RW_OK || !given(a, "tune")) return status;
    status = rw_fft_tune(w->device, &w->spec, &options, &t);
    show_stage(a, NULL);
    if (status == RW_OK && !given(a, "quiet"))
        printf("  %d plans tried: %s, before tuning %s\n", t.tried, in_time(t.after).text, in_time(t.before).text);
    return status == RW_OK && path ? rw_fft_wisdom_save(w->device, path) : status;
}

static int transform(rw_context *ctx, const arguments *a, work *w)
{
    rw_fft_info info;
    double seconds = 0;
    rw_status status = open_device(ctx, a, &w->device);
    if (status != RW_OK) return failed(ctx, status);
    int code = load_numbers(ctx, a, w->device, a->operands[0], &w->x);
    if (code == 0) code = plan(ctx, a, w);
    if (code != 0) return code;
    const rw_fft_spec *s = &w->spec;
    const bool real =
        (s->kind >= RW_FFT_DCT1 && !rw_dtype_is_complex(s->x_dtype)) || (s->kind == RW_FFT_REAL && s->inverse);
    if (!given(a, "quiet")) printf("%s, %s\n", shown(a->operands[0]), shape_of(w->x).text);
    status = cut(w);
    if (status == RW_OK) status = prepare(a, w);
    show_stage(a, "  planning");
    if (status == RW_OK) status = rw_fft_create(w->device, s, &w->fft);
    show_stage(a, NULL);
    if (status == RW_OK) status = rw_fft_get_info(w->fft, &info);
    if (status == RW_OK)
        status = rw_array_create(w->device,
                                 real        ? s->single ? RW_F32 : RW_F64
                                 : s->single ? RW_C64
                                             : RW_C128,
                                 s->ndim, s->y_shape, RW_MEMORY_DEVICE, &w->y);
    if (status == RW_OK) status = timed(a, w->device, execute, w, &seconds);
    if (status == RW_OK) status = save_numbers(a, w->y, a->operands[1]);
    if (status != RW_OK) return failed(ctx, status);
    print_transform(a, w->device, &info, seconds, w->y, a->operands[1]);
    return 0;
}

static int run(const arguments *a)
{
    const output_file output = {.name = "Y.npy", .ending = ".npy", .or_ending = ".mtx", .operand = a->operands[1]};
    int code = check_outputs(a, 1, &output, 1, a->operands);
    if (code != 0) return code;
    work w = {.tuning = 60};
    if (!number_of(a, "tune", &w.tuning)) return 2;
    if (!(w.tuning > 0)) return usage("fft: --tune %s: must be a number of seconds above 0", value_of(a, "tune"));
    rw_context *ctx = make_context(a);
    code = ctx ? transform(ctx, a, &w) : 5;
    rw_fft_destroy(&w.fft);
    rw_array_destroy(&w.x);
    rw_array_destroy(&w.y);
    rw_device_close(&w.device);
    rw_context_destroy(&ctx);
    return code;
}

static const option options[] = {
    {"inverse", 'i', NULL, NULL},
    {"real", 'r', NULL, "real transform with half spectrum; with --inverse from half spectrum to real values"},
    {"kind", 'k', "KIND", NULL},
    OPTION_AXES,
    {"shape", 0, "LIST",
     "number of points along each transformed axis, in the order of --axes; the input is zero-padded or truncated "
     "(default: shape of the input)"},
    {"scale", 0, "WHICH",
     "direction divided by the number of points: inverse, forward, none, both by its square root, or ortho: both, with "
     "the weights that make cosine and sine transforms orthonormal (default: inverse)"},
    {"load", 0, "EXPRESSION", NULL},
    {"store", 0, "EXPRESSION", NULL},
    {"tune", 0, "SECONDS",
     "try other plans first, for at most SECONDS, and use the fastest for this and later transforms"},
    {"wisdom", 0, "FILE",
     "file with the results of tuning on such a device: read if it exists; --tune adds its results"},
    OPTION_PRECISION,
    OPTION_DEVICE,
    OPTION_VERBOSE,
    OPTION_QUIET,
    OPTION_FORCE,
};

const command command_fft = {
    .name = "fft",
    .operands = "X.npy Y.npy",
    .least = 2,
    .most = 2,
    .line = "compute the Fourier, cosine or sine transform of an array in a file",
    .more = "The results equal those of numpy.fft.fftn, rfftn and irfftn, and of scipy.fft.dctn and dstn. The half "
            "spectrum of n real values has n/2 + 1 values, along the last axis of --axes. The inverse assumes "
            "that n is even; --shape gives an odd n.",
    .options = options,
    .noptions = COUNT(options),
    .rows = rw_fft_params,
    .run = run,
};
