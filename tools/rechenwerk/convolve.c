/* rechenwerk convolve A.npy B.npy Y.npy: the convolution of two arrays in files. */
#include <string.h>

#include "transforms.h"

typedef struct work {
    rw_device *device;
    rw_array *a, *b, *y;
    rw_convolution *convolution;
    rw_convolution_spec spec;
} work;

/* B gets axes of one element in front, until it has as many as A; those axes are not convolved. */
static rw_status align(work *w, unsigned *leading)
{
    const int missing = rw_array_ndim(w->a) - rw_array_ndim(w->b);
    int64_t shape[RW_MAX_NDIM];
    rw_array *view;
    if (missing <= 0) return RW_OK;
    for (int d = 0; d < RW_MAX_NDIM; d++) shape[d] = d < missing ? 1 : rw_array_shape(w->b, d - missing);
    const rw_status status = rw_array_reshape(w->b, rw_array_ndim(w->a), shape, &view);
    if (status != RW_OK) return status;
    rw_array_destroy(&w->b);
    w->b = view;
    *leading = (1u << missing) - 1;
    return RW_OK;
}

static int plan(rw_context *ctx, const arguments *a, work *w)
{
    rw_convolution_spec *s = &w->spec;
    unsigned leading = 0;
    if (!set_options(a, s)) return 2;
    if (rw_array_ndim(w->b) > rw_array_ndim(w->a))
        return usage("convolve: %s has fewer axes than %s (%d, %d): give the array with more axes first",
                     a->operands[0], a->operands[1], rw_array_ndim(w->a), rw_array_ndim(w->b));
    const rw_dtype at = rw_array_dtype(w->a), bt = rw_array_dtype(w->b);
    const bool is_complex = rw_dtype_is_complex(at) || rw_dtype_is_complex(bt),
               wide = at == RW_F64 || at == RW_C128 || bt == RW_F64 || bt == RW_C128;
    s->dtype = is_complex ? wide ? RW_C128 : RW_C64 : wide ? RW_F64 : RW_F32;
    rw_status status = widen(&w->a, s->dtype);
    if (status == RW_OK) status = widen(&w->b, s->dtype);
    if (status == RW_OK) status = align(w, &leading);
    if (status != RW_OK) return failed(ctx, status);
    s->ndim = rw_array_ndim(w->a);
    int axis[RW_MAX_NDIM], naxes;
    if (!axes_of(a, s->ndim, axis, &naxes)) return 2;
    for (int i = 0; i < naxes; i++) s->axes |= 1u << axis[i];
    if (!s->axes) s->axes = ((1u << s->ndim) - 1) & ~leading;
    for (int d = 0; d < s->ndim; d++) {
        s->a_shape[d] = rw_array_shape(w->a, d);
        s->b_shape[d] = rw_array_shape(w->b, d);
    }
    return 0;
}

static rw_status execute(void *user, rw_queue *queue)
{
    work *w = user;
    return rw_convolution_execute(w->convolution, w->a, w->y, queue);
}

static int convolve(rw_context *ctx, const arguments *a, work *w)
{
    int64_t shape[RW_MAX_NDIM];
    rw_fft_info info;
    double seconds = 0;
    rw_status status = open_device(ctx, a, &w->device);
    if (status != RW_OK) return failed(ctx, status);
    int code = load_numbers(ctx, a, w->device, a->operands[0], &w->a);
    if (code == 0) code = load_numbers(ctx, a, w->device, a->operands[1], &w->b);
    if (code == 0) code = plan(ctx, a, w);
    if (code != 0) return code;
    if (!given(a, "quiet"))
        printf("%s, %s; %s, %s\n", shown(a->operands[0]), shape_of(w->a).text, shown(a->operands[1]),
               shape_of(w->b).text);
    status = rw_convolution_shape(ctx, &w->spec, shape);
    show_stage(a, "  planning");
    if (status == RW_OK) status = rw_convolution_create(w->device, &w->spec, &w->convolution);
    show_stage(a, NULL);
    if (status == RW_OK) status = rw_convolution_set(w->convolution, w->b, rw_device_queue(w->device));
    if (status == RW_OK) status = rw_convolution_get_info(w->convolution, &info);
    if (status == RW_OK)
        status = rw_array_create(w->device, w->spec.dtype, w->spec.ndim, shape, RW_MEMORY_DEVICE, &w->y);
    if (status == RW_OK) status = timed(a, w->device, execute, w, &seconds);
    if (status == RW_OK) status = save_numbers(a, w->y, a->operands[2]);
    if (status != RW_OK) return failed(ctx, status);
    print_transform(a, w->device, &info, seconds, w->y, a->operands[2]);
    return 0;
}

static int run(const arguments *a)
{
    const output_file output = {.name = "Y.npy", .ending = ".npy", .or_ending = ".mtx", .operand = a->operands[2]};
    int code = check_outputs(a, 1, &output, 2, a->operands);
    if (code != 0) return code;
    work w = {0};
    rw_context *ctx = make_context(a);
    code = ctx ? convolve(ctx, a, &w) : 5;
    rw_convolution_destroy(&w.convolution);
    rw_array_destroy(&w.a);
    rw_array_destroy(&w.b);
    rw_array_destroy(&w.y);
    rw_device_close(&w.device);
    rw_context_destroy(&ctx);
    return code;
}

static const option options[] = {
    {"mode", 'm', "MODE", NULL},
    {"correlate", 'c', NULL, NULL},
    OPTION_AXES,
    OPTION_PRECISION,
    OPTION_DEVICE,
    OPTION_VERBOSE,
    OPTION_QUIET,
    OPTION_FORCE,
};

const command command_convolve = {
    .name = "convolve",
    .operands = "A.npy B.npy Y.npy",
    .least = 3,
    .most = 3,
    .line = "compute the convolution or correlation of two arrays in files by Fourier transforms",
    .more = "The results equal those of scipy.signal.convolve and correlate. If B has fewer axes than A, its axes "
            "are matched with the last axes of A, and the same B applies along all other axes.",
    .options = options,
    .noptions = COUNT(options),
    .rows = rw_convolution_params,
    .run = run,
};
