/* Passes over the whole image. By Fourier transforms: products of the spectrum with a function of the frequency, and
 * correlations with many weights. They read and write contiguous arrays of real numbers, with channels interleaved or
 * as planes.
 *
 * A transform spreads a value that is not finite over all results. Where x has one, correlations are summed up directly
 * after the transform, so that it affects those whose window reads it. The device decides this for each execution. */
#include "image/image.h"

typedef struct spectral {
    rw_fft *forward, *inverse;
    rw_array *spectrum;
    rw_convolution *correlation;
    bool is_set;        /* correlation has the transform of the weights */
    rw_program *direct; /* sums over neighbours instead, where values are not finite */
    rw_kernel *clear_flag, *find, *sum_up;
    rw_array *flag;
} spectral;

static rw_status add_state(rw_device *dev, rw_image_pass *p)
{
    p->state = rw_calloc(1, sizeof(spectral));
    return p->state ? RW_OK : rw_fail_memory(dev->ctx, sizeof(spectral), "the transforms of a filter");
}

static void spectral_free(rw_image_pass *p)
{
    spectral *t = p->state;
    if (!t) return;
    rw_fft_destroy(&t->forward);
    rw_fft_destroy(&t->inverse);
    rw_convolution_destroy(&t->correlation);
    rw_array_destroy(&t->spectrum);
    rw_program_destroy(&t->direct);
    rw_array_destroy(&t->flag);
    rw_free(t);
}

/* ---- responses --------------------------------------------------------------------------------------------------- */

/* Low pass response. The ideal one includes the cutoff frequency, however it is rounded. */
static void add_low(rw_text *t, const rw_image_op *op, double cutoff)
{
    const double a = 1 / (cutoff * cutoff);
    if (op->response == RW_IMAGE_RESPONSE_BUTTERWORTH) rw_text_add(t, "1/(1 + (%.17g*(X^2 + Y^2))^%d)", a, op->order);
    else if (op->response == RW_IMAGE_RESPONSE_IDEAL) rw_text_add(t, "where(%.17g*(X^2 + Y^2) > 1.00001, 0, 1)", a);
    else rw_text_add(t, "exp(%.17g*(X^2 + Y^2))", -a / 2);
}

rw_status rw_image_set_response(rw_context *ctx, const rw_image_op *op, rw_image_pass *p)
{
    rw_text *t = &p->response;
    if (op->method == RW_IMAGE_BANDPASS && !(op->cutoff < op->cutoff_high))
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "bandpass: cutoff = %g is not below cutoff_high = %g: choose a smaller cutoff", op->cutoff,
                       op->cutoff_high);
    if (op->method != RW_IMAGE_LOWPASS) {
        rw_text_add(t, "(1 - ");
        add_low(t, op, op->cutoff);
        rw_text_add(t, ")");
    }
    if (op->method == RW_IMAGE_BANDPASS) rw_text_add(t, "*");
    if (op->method != RW_IMAGE_HIGHPASS) add_low(t, op, op->method == RW_IMAGE_BANDPASS ? op->cutoff_high : op->cutoff);
    return t->failed ? rw_fail_memory(ctx, t->capacity, "the text of a frequency response") : RW_OK;
}

/* "u*(…)" with X and Y written as indices; axis: that of the rows' pixels; channel: that of channels. An alpha channel
 * is unchanged. */
static void add_store(rw_text *t, const rw_image_pass *p, int axis, int channel)
{
    rw_text_add(t, "u*");
    if (p->alpha) rw_text_add(t, "where(i%d > %d.5, 1, ", channel, p->channels - 2);
    rw_text_add(t, "(");
    for (const char *at = p->response.data; *at; ++at) {
        if (*at == 'X') rw_text_add(t, "(i%d/%lld)", axis, (long long)p->width);
        else if (*at == 'Y')
            rw_text_add(t, "(min(i%d, %lld - i%d)/%lld)", axis - 1, (long long)p->height, axis - 1,
                        (long long)p->height);
        else rw_text_add(t, "%c", *at);
    }
    rw_text_add(t, p->alpha ? "))" : ")");
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

int rw_image_shape_of(const rw_image_pass *p, bool planar, int64_t width, int64_t height, int64_t shape[3], int *axis)
{
    const int channels = p->channels;
    int n = 0;
    if (planar && channels > 1) shape[n++] = channels;
    shape[n++] = height;
    *axis = n;
    shape[n++] = width;
    if (!planar && channels > 1) shape[n++] = channels;
    return n;
}

/* The other half of the spectrum has the same magnitudes at the opposite frequencies. */
static const char magnitudes_text[] =
    "KERNEL(image, GLOBAL R *RESTRICT y, GLOBAL const R *RESTRICT x, int nx, int ny, f64 unit)\n{\n"
    "    const int j = GROUP_ID(0), v = (j + ny - ny / 2) % ny, columns = nx / 2 + 1;\n"
    "    y += ((long)GROUP_ID(1) * ny + j) * nx * CHANNELS;\n    x += (long)GROUP_ID(1) * ny * columns * 2;\n"
    "    EACH(i, nx) {\n        const int u = ((int)i + nx - nx / 2) % nx, other = u >= columns, m = other ? nx - u : "
    "u, n = other ? (ny - v) % ny : v;\n"
    "        for (int c = 0; c < CHANNELS; ++c) {\n"
    "            const long at = (((long)n * columns + m) * CHANNELS + c) * 2;\n"
    "            const R a = sqrt(FMA(x[at], x[at], x[at + 1] * x[at + 1]));\n"
    "            y[(long)i * CHANNELS + c] = unit > 0 ? log(MULADD((R)unit, a, (R)1)) : a;\n        }\n    }\n}\n";

/* The transform of x; `store`: an expression that its values are stored by, NULL: as they are. inverse: back, too. */
static rw_status create_transforms(rw_device *dev, rw_image_pass *p, bool planar, const char *store, bool inverse)
{
    int64_t shape[3];
    int axis;
    spectral *t = p->state;
    const bool single = p->x_dtype == RW_F32;
    const int n = rw_image_shape_of(p, planar, p->width, p->height, shape, &axis);
    rw_fft_spec spec = {.kind = RW_FFT_REAL, .single = single, .ndim = n, .axes = 3u << (axis - 1), .store = store};
    for (int d = 0; d < n; ++d) spec.shape[d] = shape[d];
    RW_TRY(rw_fft_create(dev, &spec, &t->forward));
    spec.store = NULL;
    spec.inverse = true;
    spec.scale = 1 / ((double)p->width * (double)p->height);
    if (inverse) RW_TRY(rw_fft_create(dev, &spec, &t->inverse));
    shape[axis] = p->width / 2 + 1;
    return rw_array_create(dev, single ? RW_C64 : RW_C128, n, shape, RW_MEMORY_DEVICE, &t->spectrum);
}

static rw_status response_create(rw_device *dev, rw_image_pass *p, const rw_image_shape *s, rw_dtype dtype RW_UNUSED)
{
    int64_t shape[3];
    int axis;
    RW_TRY(add_state(dev, p));
    const int n = rw_image_shape_of(p, s->planar, p->width, p->height, shape, &axis);
    rw_text store = {0};
    add_store(&store, p, axis, s->planar ? 0 : n - 1);
    rw_status status = store.failed ? rw_fail_memory(dev->ctx, store.capacity, "the text of a frequency response")
                                    : create_transforms(dev, p, s->planar, store.data, true);
    rw_text_free(&store);
    return status;
}

static rw_status response_run(rw_image_pass *p, const rw_image_shape *s RW_UNUSED, const rw_image_run *run)
{
    const spectral *t = p->state;
    RW_TRY(rw_fft_execute(t->forward, run->x.array, t->spectrum, run->queue));
    return rw_fft_execute(t->inverse, t->spectrum, run->y.array, run->queue);
}

static rw_status magnitudes_create(rw_device *dev, rw_image_pass *p, const rw_image_shape *s, rw_dtype dtype RW_UNUSED)
{
    char channels[16];
    RW_TRY(add_state(dev, p));
    snprintf(channels, sizeof channels, "%d", s->planar ? 1 : p->channels);
    const rw_define d[] = {{"GROUP", "256"}, {"R", rw_dtype_name(p->x_dtype)}, {"CHANNELS", channels}};
    RW_TRY(rw_program_start(dev, "spectrum", magnitudes_text, d, RW_COUNT(d), &p->program));
    RW_TRY(rw_program_kernel(p->program, "image", &p->kernel));
    return create_transforms(dev, p, s->planar, NULL, false);
}

static rw_status magnitudes_run(rw_image_pass *p, const rw_image_shape *s, const rw_image_run *run)
{
    const spectral *t = p->state;
    rw_array *pairs;
    RW_TRY(rw_fft_execute(t->forward, run->x.array, t->spectrum, run->queue));
    RW_TRY(rw_array_view(t->spectrum, p->x_dtype, 1, &(int64_t){2 * t->spectrum->size}, NULL, 0, &pairs));
    const rw_arg a[] = {rw_arg_array(run->y.array), rw_arg_array(pairs), rw_arg_int(p->width), rw_arg_int(p->height),
                        rw_arg_real(p->unit)};
    rw_status status =
        rw_launch(run->queue, p->kernel, (int64_t[]){p->height, s->planar ? p->channels : 1, 1}, a, RW_COUNT(a));
    rw_array_destroy(&pairs);
    return status;
}

static rw_status create_correlation(rw_device *dev, rw_image_pass *p, bool planar)
{
    int64_t a[3], b[3];
    int axis;
    const rw_image_stage *s = p->stage + 1;
    const int n = rw_image_shape_of(p, planar, p->width, p->height, a, &axis);
    rw_convolution_spec spec = {.mode = RW_CONVOLUTION_VALID, .correlate = true, .dtype = p->x_dtype, .ndim = n};
    if (s->size[0] > 1) spec.axes |= 1u << axis;
    if (s->size[1] > 1 || !spec.axes) spec.axes |= 1u << (axis - 1);
    for (int d = 0; d < n; ++d) b[d] = d == axis ? s->size[0] : d == axis - 1 ? s->size[1] : 1;
    for (int d = 0; d < n; ++d) {
        spec.a_shape[d] = a[d];
        spec.b_shape[d] = b[d];
    }
    return rw_convolution_create(dev, &spec, &((spectral *)p->state)->correlation);
}

static const char direct_text[] =
    "KERNEL(clear, GLOBAL i32 *flag)\n{\n    EACH(i, 1) { flag[0] = 0; }\n}\n"
    "KERNEL(find, GLOBAL const R *RESTRICT x, GLOBAL i32 *flag, long row, int height)\n{\n"
    "    const int top = GROUP_ID(0) * PIECE, bottom = height - top < PIECE ? height : top + PIECE;\n"
    "#if THREADS\n    for (int j = top; j < bottom; ++j)\n"
    "        EACH(i, row) { if (!(x[j * row + i] - x[j * row + i] == 0)) ATOMIC_MAX(flag, 1); }\n"
    "#else\n    EACH_SERIAL(lane, 1) {\n        i32 any = 0;\n        for (int j = top; j < bottom; ++j)\n"
    "            for (long i = 0; i < row; ++i) any |= !(x[j * row + i] - x[j * row + i] == 0);\n"
    "        if (any) ATOMIC_MAX(flag, 1);\n    }\n#endif\n}\n"
    /* groups: a row of y in a plane; row: elements of x; wide: of y */
    "KERNEL(sum_up, GLOBAL R *RESTRICT y, GLOBAL const R *RESTRICT x, GLOBAL const R *RESTRICT weights, GLOBAL const "
    "i32 *flag,\n"
    "       long row, long wide, int x_height, int y_height, int channels, int nx, int ny)\n{\n"
    "    x += ((long)GROUP_ID(1) * x_height + GROUP_ID(0)) * row;\n"
    "    y += ((long)GROUP_ID(1) * y_height + GROUP_ID(0)) * wide;\n"
    "    const long n = flag[0] ? wide : 0;\n"
    "    EACH(e, n) {\n        R sum = 0;\n        for (int k = 0; k < ny; ++k)\n"
    "            for (int m = 0; m < nx; ++m) sum = FMA(weights[k * nx + m], x[k * row + e + m * channels], sum);\n"
    "        y[e] = sum;\n    }\n}\n";

enum { PIECE = 64 }; /* rows per workgroup that tests values */

static rw_status create_direct(rw_device *dev, rw_image_pass *p)
{
    spectral *t = p->state;
    const rw_define d[] = {{"GROUP", "256"},
                           {"R", rw_dtype_name(p->x_dtype)},
                           {"PIECE", "64"},
                           {"THREADS", rw_device_has_threads(dev) ? "1" : "0"}};
    RW_TRY(rw_program_start(dev, "direct correlation", direct_text, d, RW_COUNT(d), &t->direct));
    RW_TRY(rw_program_kernel(t->direct, "clear", &t->clear_flag));
    RW_TRY(rw_program_kernel(t->direct, "find", &t->find));
    RW_TRY(rw_program_kernel(t->direct, "sum_up", &t->sum_up));
    return rw_array_create(dev, RW_I32, 1, &(int64_t){1}, RW_MEMORY_DEVICE, &t->flag);
}

/* y <- the correlation as direct sums, if x has values that are not finite. */
static rw_status run_direct(const rw_image_pass *p, bool planar, rw_array *x, rw_array *y, rw_queue *q)
{
    const spectral *t = p->state;
    const rw_image_stage *s = p->stage + 1;
    const int channels = planar ? 1 : p->channels, planes = planar ? p->channels : 1;
    const int64_t row = p->width * channels, wide = p->y_width * channels, rows = p->height * planes;
    const rw_arg clear[] = {rw_arg_array(t->flag)};
    const rw_arg find[] = {rw_arg_array(x), rw_arg_array(t->flag), rw_arg_int(row), rw_arg_int(rows)};
    const rw_arg sum[] = {rw_arg_array(y),      rw_arg_array(x),        rw_arg_array(p->table), rw_arg_array(t->flag),
                          rw_arg_int(row),      rw_arg_int(wide),       rw_arg_int(p->height),  rw_arg_int(p->y_height),
                          rw_arg_int(channels), rw_arg_int(s->size[0]), rw_arg_int(s->size[1])};
    RW_TRY(rw_launch(q, t->clear_flag, (int64_t[]){1, 1, 1}, clear, RW_COUNT(clear)));
    RW_TRY(rw_launch(q, t->find, (int64_t[]){(rows + PIECE - 1) / PIECE, 1, 1}, find, RW_COUNT(find)));
    return rw_launch(q, t->sum_up, (int64_t[]){p->y_height, planes, 1}, sum, RW_COUNT(sum));
}

/* The weights as an array with the same number of axes as the image. */
static rw_status set_weights(rw_image_pass *p, int ndim, int axis, rw_queue *q)
{
    const rw_image_stage *s = p->stage + 1;
    spectral *t = p->state;
    int64_t shape[3] = {1, 1, 1};
    shape[axis] = s->size[0];
    shape[axis - 1] = s->size[1];
    rw_array *b;
    RW_TRY(rw_array_view(p->table, p->x_dtype, ndim, shape, NULL, 0, &b));
    rw_status status = rw_convolution_set(t->correlation, b, q);
    rw_array_destroy(&b);
    t->is_set = status == RW_OK;
    return status;
}

static rw_status correlation_create(rw_device *dev, rw_image_pass *p, const rw_image_shape *s, rw_dtype dtype)
{
    RW_TRY(add_state(dev, p));
    /* integers are finite */
    const bool real = dtype == RW_F16 || dtype == RW_F32 || dtype == RW_F64;
    if (real) RW_TRY(create_direct(dev, p));
    RW_TRY(create_correlation(dev, p, s->planar));
    return real ? rw_program_ready(((spectral *)p->state)->direct) : RW_OK;
}

static rw_status correlation_run(rw_image_pass *p, const rw_image_shape *s, const rw_image_run *run)
{
    const spectral *t = p->state;
    int64_t shape[3];
    int axis;
    const int n = rw_image_shape_of(p, s->planar, p->width, p->height, shape, &axis);
    if (!t->is_set) RW_TRY(set_weights(p, n, axis, run->queue));
    RW_TRY(rw_convolution_execute(t->correlation, run->x.array, run->y.array, run->queue));
    return t->direct ? run_direct(p, s->planar, run->x.array, run->y.array, run->queue) : RW_OK;
}

#define OPS(name, ...)                                                                                                 \
    {                                                                                                                  \
        .whole = true, .create = name##_create, .run = name##_run, .free = spectral_free, __VA_ARGS__                  \
    }
const rw_image_pass_ops rw_image_response_ops = OPS(response, .spreads = true);
const rw_image_pass_ops rw_image_magnitudes_ops = OPS(magnitudes, .spreads = true);
const rw_image_pass_ops rw_image_correlation_ops = OPS(correlation, .spreads = false);
