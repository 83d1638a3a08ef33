/* A transform: its specification, and its passes, axis by axis. Intermediate results between two axes are in y if they
 * fit, else in the work area. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/formula.h"
#include "fft/ends.h"
#include "fft/plan.h"
#include "param/param.h"

#define MOST_ELEMENTS ((int64_t)1 << 44) /* places in the work area stay within 63 bits */

#define ROW(member, kind, standard, allowed, line)                                                                     \
    RW_ROW(rw_fft_spec, member, kind, standard, allowed, line, .brief = NULL)
#define RW_X(name, text, line) text "|"
static const char kinds[] = RW_FFT_KIND_LIST(RW_X);
#undef RW_X

static const rw_param rows[] = {
    ROW(kind, CHOICE, "complex", kinds, "transform: complex, real, dct1 … dct4, dst1 … dst4"),
    ROW(inverse, BOOL, "false", "", "compute the inverse transform"),
    ROW(single, BOOL, "false", "", "single precision"),
    ROW(scale, REAL, "1", "", "factor of the results"),
    ROW(load, TEXT, "", "",
        "expression to transform in place of each element u with the indices i0, i1, …, such as \"u*sin(pi*(i0 + "
        "0.5)/512)^2\""),
    ROW(store, TEXT, "", "", "expression to write in place of each element u of the result, such as \"abs(u)^2\""),
    ROW(ortho, BOOL, "false", "", "orthonormal transform"),
};

RW_PARAMS(rw_fft_params, rw_fft_spec, rows, "fft", "a Fourier, cosine or sine transform")

/* ---- the specification ------------------------------------------------------------------------------------------- */

static int last_axis(const rw_fft_spec *s) { return s->axis[s->naxes - 1]; }

/* Whether an array has real elements: by the kind of transform, or x of a complex transform by its type. */
static bool is_real(const rw_fft_spec *s, bool y)
{
    const bool real_x = s->kind == RW_FFT_COMPLEX && !y && (s->x_dtype == RW_F32 || s->x_dtype == RW_F64);
    return real_x || rw_fft_is_real(s->kind, s->inverse, y);
}

/* The transformed axes, as bits and as a list. */
static rw_status check_axes(rw_device *dev, rw_fft_spec *s)
{
    unsigned seen = 0;
    if (s->axes >> s->ndim)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "axes = %#x has a bit beyond the %d dimensions of the array", s->axes,
                       s->ndim);
    if (s->naxes < 0 || s->naxes > s->ndim)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "naxes = %d must be 0 to %d, the dimensions of the array", s->naxes,
                       s->ndim);
    for (int i = 0; i < s->naxes; ++i) {
        const int d = s->axis[i];
        if (d < 0 || d >= s->ndim)
            return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "axis[%d] = %d must be 0 to %d", i, d, s->ndim - 1);
        if (seen & 1u << d)
            return rw_fail(dev->ctx, RW_ERR_ARGUMENT,
                           "axis[%d] = %d is repeated: an axis is transformed once; use a second plan to transform it "
                           "again",
                           i, d);
        seen |= 1u << d;
    }
    if (s->naxes && s->axes && s->axes != seen)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "axes = %#x and the %d axes of `axis` differ: set one of them",
                       s->axes, s->naxes);
    if (s->naxes) {
        s->axes = seen;
        return RW_OK;
    }
    if (!s->axes) s->axes = (1u << s->ndim) - 1;
    for (int d = 0; d < s->ndim; ++d)
        if (s->axes & 1u << d) s->axis[s->naxes++] = d;
    return RW_OK;
}

/* The full shape of an array: y of REAL has half a spectrum on the last axis. */
static void whole_shape(const rw_fft_spec *s, bool y, int64_t *shape)
{
    memcpy(shape, s->shape, RW_MAX_NDIM * sizeof *shape);
    if (s->kind == RW_FFT_REAL && s->inverse != y) shape[last_axis(s)] = shape[last_axis(s)] / 2 + 1;
}

static rw_status check_dtype(rw_device *dev, const rw_fft_spec *s, bool y, rw_dtype *dtype)
{
    const bool real = is_real(s, y);
    if (*dtype == RW_DTYPE_DEFAULT) *dtype = real ? s->single ? RW_F32 : RW_F64 : s->single ? RW_C64 : RW_C128;
    const bool small = *dtype == RW_F16 || *dtype == RW_BF16;
    if (small ? s->single : real ? *dtype == RW_F32 || *dtype == RW_F64 : *dtype == RW_C64 || *dtype == RW_C128)
        return RW_OK;
    return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "%s = %s: the array is %s: store it as %s%s", y ? "y_dtype" : "x_dtype",
                   rw_dtype_name(*dtype), real ? "real" : "complex", real ? "f32 or f64" : "c64 or c128",
                   s->single ? ", or as f16 or bf16" : " (f16 and bf16 need single = true)");
}

static rw_status check_side(rw_device *dev, rw_fft_spec *s, bool y)
{
    int64_t *shape = y ? s->y_shape : s->x_shape, whole[RW_MAX_NDIM], size;
    bool shaped = false;
    whole_shape(s, y, whole);
    for (int d = 0; d < s->ndim; ++d) shaped = shaped || shape[d];
    if (!shaped) memcpy(shape, whole, sizeof whole);
    RW_TRY(rw_array_check_shape(dev, y ? s->y_dtype : s->x_dtype, s->ndim, shape, &size));
    for (int d = 0; d < s->ndim; ++d)
        if (shape[d] > whole[d] || (shape[d] != whole[d] && !(s->axes & 1u << d)))
            return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "%s[%d] = %lld: %s", y ? "y_shape" : "x_shape", d,
                           (long long)shape[d],
                           s->axes & 1u << d ? "it is larger than the shape of the transform"
                                             : "along an axis that is not transformed it must equal that of `shape`");
    return RW_OK;
}

static rw_status check_spec(rw_device *dev, rw_fft_spec *s)
{
    int64_t size;
    RW_TRY(rw_array_check_shape(dev, s->single ? RW_C64 : RW_C128, s->ndim, s->shape, &size));
    if (size > MOST_ELEMENTS)
        return rw_fail(dev->ctx, RW_ERR_MEMORY, "a transform of %lld elements is too large for any memory",
                       (long long)size);
    RW_TRY(check_axes(dev, s));
    RW_TRY(rw_params_resolve(dev->ctx, rw_fft_params(), "fft", s));
    s->scale = rw_plain_zero(s->scale);
    if (s->ortho && s->kind >= RW_FFT_DCT1 && (s->load || s->store))
        return rw_fail(dev->ctx, RW_ERR_UNSUPPORTED,
                       "ortho with `load` or `store`: a cosine or sine transform weights its first and last elements "
                       "there. Use `scale`, and write the weights into the expressions");
    for (int d = 0; d < s->ndim; ++d) {
        const int64_t least = s->kind == RW_FFT_DCT1 ? 2 : 0;
        if (s->axes & 1u << d && s->shape[d] < least)
            return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "shape[%d] = %lld: dct1 needs at least 2 points", d,
                           (long long)s->shape[d]);
    }
    for (int y = 0; y < 2; ++y) {
        RW_TRY(check_dtype(dev, s, y, y ? &s->y_dtype : &s->x_dtype));
        RW_TRY(check_side(dev, s, y));
    }
    return RW_OK;
}

/* ---- axes -------------------------------------------------------------------------------------------------------- */

/* The region of the values after this axis: y if they fit, else in place if they fit, else a new work area. */
static rw_fft_region after(rw_fft *f, int axis, bool last, bool real, const rw_fft_region *now)
{
    const rw_fft_spec *s = &f->spec;
    if (last) return f->output;
    int64_t shape[RW_MAX_NDIM];
    memcpy(shape, now->shape, sizeof shape);
    shape[axis] = f->output.shape[axis];
    const rw_dtype computed = real ? s->single ? RW_F32 : RW_F64 : s->single ? RW_C64 : RW_C128;
    if (real == f->output.real && f->output.dtype == computed &&
        !memcmp(shape, f->output.shape, (size_t)s->ndim * sizeof *shape))
        return f->output;
    if (now->where == RW_FFT_WORK && now->real == real && !memcmp(shape, now->shape, (size_t)s->ndim * sizeof *shape))
        return *now;
    return rw_fft_in_work(&f->passes, real, shape);
}

static rw_status add_axes(rw_fft *f)
{
    const rw_fft_spec *s = &f->spec;
    const bool back = s->kind == RW_FFT_REAL && s->inverse;
    int order[RW_MAX_NDIM], n = 0;
    for (int d = s->ndim - 1; d >= 0; --d)
        if (s->axes & 1u << d && d != last_axis(s)) order[1 + n++] = d;
    order[0] = last_axis(s);
    ++n;
    if (s->kind != RW_FFT_REAL) /* any order: from the last to the first */
        for (int d = s->ndim - 1, i = 0; d >= 0; --d)
            if (s->axes & 1u << d) order[i++] = d;
    if (back) /* the last axis becomes real at the end */
        for (int i = 0; i < n / 2; ++i) {
            const int d = order[i];
            order[i] = order[n - 1 - i];
            order[n - 1 - i] = d;
        }
    rw_fft_region now = f->input;
    for (int i = 0; i < n; ++i) {
        const bool last = i == n - 1, halves = s->kind == RW_FFT_REAL && order[i] == last_axis(s);
        const rw_fft_kind kind = s->kind != RW_FFT_REAL || halves ? s->kind : RW_FFT_COMPLEX;
        const rw_fft_region next = after(f, order[i], last, rw_fft_is_real(kind, s->inverse, true), &now);
        RW_TRY(rw_fft_add_axis(&f->passes, kind, f->inverse, s->shape[order[i]], order[i], &now, &next,
                               (rw_fft_extra){.load = i == 0 && f->load.text ? &f->load : NULL,
                                              .store = last && f->store.text ? &f->store : NULL}));
        now = next;
    }
    return RW_OK;
}

/* ---- formulas ---------------------------------------------------------------------------------------------------- */

/* The expression as a function of u, the element, and i0, i1, … its indices. */
static rw_status read_formula(rw_device *dev, const rw_fft *fft, bool y, rw_fft_formula *formula)
{
    const rw_fft_spec *s = &fft->spec;
    static const char *const indices[RW_MAX_NDIM] = {"i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7"};
    const bool is_complex = !is_real(s, y);
    rw_formula_argument arguments[1 + RW_MAX_NDIM] = {{"u", is_complex}};
    for (int d = 0; d < s->ndim; ++d) arguments[1 + d] = (rw_formula_argument){indices[d], false};
    const rw_formula f = {y ? "store" : "load",
                          fft->weights[y] ? fft->weights[y]
                          : y             ? s->store
                                          : s->load,
                          y ? "stored" : "loaded",
                          arguments,
                          1 + s->ndim,
                          is_complex,
                          s->single};
    rw_text text = {0};
    unsigned used;
    if (!f.expression) return RW_OK;
    rw_status status = rw_formula_write(dev->ctx, &f, &text, &used);
    if (status == RW_OK) {
        formula->text = text.data;
        formula->axes = used >> 1;
    } else rw_text_free(&text);
    return status;
}

/* ---- orthonormal transforms -------------------------------------------------------------------------------------- */

/* Adds a factor for element `at` of an axis, and for the last one too if asked, to the text u*…. */
static void add_weight(rw_text *t, int axis, int64_t at, int64_t last, const char *factor)
{
    if (!t->length) rw_text_add(t, "u");
    if (at == last) rw_text_add(t, "*where(i%d == %lld, %s, 1)", axis, (long long)at, factor);
    else
        rw_text_add(t, "*where(i%d == %lld or i%d == %lld, %s, 1)", axis, (long long)at, axis, (long long)last, factor);
}

/* The scale, and for cosine and sine transforms the weights of single elements (Strang, The discrete cosine transform,
 * SIAM Review 41, 1999), as texts. */
static rw_status set_ortho(rw_fft *f)
{
    const rw_fft_spec *s = &f->spec;
    rw_text load = {0}, store = {0};
    double points = 1;
    if (!s->ortho) return RW_OK;
    for (int i = 0; i < s->naxes; ++i) {
        const int d = s->axis[i];
        const int64_t last = s->shape[d] - 1;
        points *= rw_fft_round_trip(s->kind, s->shape[d]);
        if (s->shape[d] == 0) continue;
        if (s->kind == RW_FFT_DCT1) {
            add_weight(&load, d, 0, last, "sqrt(2)");
            add_weight(&store, d, 0, last, "sqrt(0.5)");
        } else if (s->kind == RW_FFT_DCT2) add_weight(&store, d, 0, 0, "sqrt(0.5)");
        else if (s->kind == RW_FFT_DCT3) add_weight(&load, d, 0, 0, "sqrt(2)");
        else if (s->kind == RW_FFT_DST2) add_weight(&store, d, last, last, "sqrt(0.5)");
        else if (s->kind == RW_FFT_DST3) add_weight(&load, d, last, last, "sqrt(2)");
    }
    if (points > 0) f->factor = 1 / sqrt(points);
    f->weights[0] = load.data;
    f->weights[1] = store.data;
    return load.failed || store.failed ? rw_fail_memory(f->device->ctx, 256, "the weights of a transform") : RW_OK;
}

/* ---- complex cosine and sine transforms -------------------------------------------------------------------------- */

/* Real and imaginary parts are two lines of a transform of real numbers, on one more axis. */
static bool takes_parts(const rw_fft_spec *s)
{
    return s->kind >= RW_FFT_DCT1 && (unsigned)s->kind < RW_FFT_KINDS &&
           (rw_dtype_is_complex(s->x_dtype) || rw_dtype_is_complex(s->y_dtype));
}

static rw_status create_parts(rw_fft *f)
{
    rw_context *ctx = f->device->ctx;
    const rw_fft_spec *s = &f->spec;
    rw_fft_spec real = *s;
    if (!rw_dtype_is_complex(s->x_dtype) || !rw_dtype_is_complex(s->y_dtype))
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "x_dtype and y_dtype: a %s of complex elements has both of c64 or c128, or both real",
                       rw_fft_kind_name(s->kind));
    if (s->load || s->store)
        return rw_fail(ctx, RW_ERR_UNSUPPORTED,
                       "`load` and `store` with complex elements of a %s: use views of their real and imaginary parts",
                       rw_fft_kind_name(s->kind));
    if (s->ndim < 1 || s->ndim >= RW_MAX_NDIM)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "ndim = %d: a %s of complex elements needs 1 to %d dimensions", s->ndim,
                       rw_fft_kind_name(s->kind), RW_MAX_NDIM - 1);
    bool given[2] = {false, false};
    RW_TRY(check_axes(f->device, &f->spec));
    real.axes = s->axes;
    real.naxes = s->naxes;
    memcpy(real.axis, s->axis, sizeof real.axis);
    real.ndim = s->ndim + 1;
    real.shape[s->ndim] = 2;
    for (int y = 0; y < 2; ++y) {
        int64_t *shape = y ? real.y_shape : real.x_shape, *stride = y ? real.y_stride : real.x_stride;
        bool shaped = false;
        for (int d = 0; d < s->ndim; ++d) {
            shaped = shaped || shape[d];
            given[y] = given[y] || stride[d];
            stride[d] *= 2;
        }
        shape[s->ndim] = shaped ? 2 : 0;
        stride[s->ndim] = given[y];
        rw_dtype *t = y ? &real.y_dtype : &real.x_dtype;
        *t = rw_dtype_is_single(*t) ? RW_F32 : RW_F64;
    }
    RW_TRY(rw_fft_create(f->device, &real, &f->parts));
    const rw_fft_spec *all = &f->parts->spec;
    f->spec.scale = all->scale;
    f->spec.kind = all->kind;
    f->spec.inverse = all->inverse;
    memcpy(f->spec.x_shape, all->x_shape, (size_t)s->ndim * sizeof *all->x_shape);
    memcpy(f->spec.y_shape, all->y_shape, (size_t)s->ndim * sizeof *all->y_shape);
    return RW_OK;
}

/* The parts of a complex array, as the real plan takes them. */
static rw_status view_parts(const rw_fft *f, bool y, rw_array *a, rw_array **parts)
{
    const int ndim = f->spec.ndim;
    int64_t shape[RW_MAX_NDIM] = {0}, stride[RW_MAX_NDIM] = {0};
    if (a->dtype != (y ? f->spec.y_dtype : f->spec.x_dtype) || a->ndim != ndim)
        return rw_fail(f->device->ctx, RW_ERR_ARGUMENT,
                       "rw_fft_execute: %s: type, shape, strides or device differ from the plan", y ? "y" : "x");
    for (int d = 0; d < ndim; ++d) {
        shape[d] = a->shape[d];
        stride[d] = 2 * a->stride[d];
    }
    shape[ndim] = 2;
    stride[ndim] = 1;
    return rw_array_view(a, rw_dtype_is_single(a->dtype) ? RW_F32 : RW_F64, ndim + 1, shape, stride, 0, parts);
}

static rw_status execute_parts(rw_fft *f, rw_array *x, rw_array *y, rw_queue *q)
{
    rw_array *px = NULL, *py = NULL;
    rw_status status = view_parts(f, false, x, &px);
    if (status == RW_OK) status = view_parts(f, true, y, &py);
    if (status == RW_OK) status = rw_fft_execute(f->parts, px, py, q);
    rw_array_destroy(&px);
    rw_array_destroy(&py);
    return status;
}

/* ---- create ------------------------------------------------------------------------------------------------------ */

/* Inverse cosine and sine transforms are other kinds; III is computed from a spectrum, with exp(+…). */
static void choose_kind(rw_fft *f)
{
    rw_fft_spec *s = &f->spec;
    if (s->kind >= RW_FFT_DCT1) {
        if (s->inverse) s->kind = rw_fft_kind_back(s->kind);
        s->inverse = false;
    }
    f->inverse = rw_fft_kind_is_inverse(s->kind) || s->inverse;
}

rw_status rw_fft_create_sized(rw_device *dev, const rw_fft_spec *spec, rw_fft **fft, size_t spec_size)
{
    RW_NEED(fft, "fft");
    *fft = NULL;
    RW_NEED(dev, "device");
    RW_NEED(spec, "spec");
    RW_STRUCT_IN(dev->ctx, rw_fft_spec, spec, spec_size);
    rw_fft *f = rw_calloc(1, sizeof *f);
    if (!f) return rw_fail_memory(dev->ctx, sizeof *f, "a transform");
    f->device = rw_device_retain(dev);
    f->spec = *spec;
    f->factor = 1;
    const char **const texts[] = {&f->spec.load, &f->spec.store};
    for (int i = 0; i < RW_COUNT(texts); ++i) *texts[i] = *texts[i] ? rw_strdup(*texts[i]) : NULL;
    f->passes = (rw_fft_passes){.device = dev, .ndim = spec->ndim, .single = spec->single};
    rw_status status = RW_OK;
    if (!f->spec.load != !spec->load || !f->spec.store != !spec->store)
        status = rw_fail_memory(dev->ctx, strlen(spec->load ? spec->load : spec->store), "the text of a transform");
    if (status == RW_OK && takes_parts(&f->spec)) {
        status = create_parts(f);
        if (status != RW_OK) rw_fft_destroy(&f);
        *fft = f;
        return status;
    }
    if (status == RW_OK) status = check_spec(dev, &f->spec);
    if (status == RW_OK) {
        choose_kind(f);
        status = set_ortho(f);
        const rw_fft_spec *s = &f->spec;
        f->input = rw_fft_of_caller(false, is_real(s, false), s->x_dtype, s->ndim, s->x_shape, s->x_stride);
        f->output = rw_fft_of_caller(true, is_real(s, true), s->y_dtype, s->ndim, s->y_shape, s->y_stride);
        for (int d = 0; d < f->spec.ndim; ++d)
            f->empty = f->empty || f->input.shape[d] == 0 || f->output.shape[d] == 0 || f->spec.shape[d] == 0;
    }
    if (status == RW_OK) status = rw_fft_check_strides(dev, &f->output, f->spec.ndim, "y_stride");
    if (status == RW_OK) status = read_formula(dev, f, false, &f->load);
    if (status == RW_OK) status = read_formula(dev, f, true, &f->store);
    if (status == RW_OK && !f->empty) status = add_axes(f);
    if (status == RW_OK) status = rw_fft_passes_ready(&f->passes);
    if (status != RW_OK) rw_fft_destroy(&f);
    *fft = f;
    return status;
}

void rw_fft_destroy(rw_fft **fft)
{
    if (!fft || !*fft) return;
    rw_fft *f = *fft;
    *fft = NULL;
    rw_fft_destroy(&f->parts);
    rw_fft_passes_free(&f->passes);
    rw_free(f->load.text);
    rw_free(f->store.text);
    rw_free(f->weights[0]);
    rw_free(f->weights[1]);
    rw_free((char *)f->spec.load);
    rw_free((char *)f->spec.store);
    rw_device_close(&f->device);
    rw_free(f);
}

rw_status rw_fft_get_spec_sized(const rw_fft *f, rw_fft_spec *spec, size_t spec_size)
{
    RW_NEED(f, "fft");
    RW_NEED(spec, "spec");
    return rw_struct_out(RW_OK, spec, spec_size, &f->spec, sizeof f->spec);
}

rw_status rw_fft_get_info_sized(const rw_fft *f, rw_fft_info *info, size_t info_size)
{
    RW_NEED(f, "fft");
    RW_NEED(info, "info");
    const rw_fft_info all = rw_fft_passes_info(f->parts ? &f->parts->passes : &f->passes);
    return rw_struct_out(RW_OK, info, info_size, &all, sizeof all);
}

rw_status rw_fft_set_work(rw_fft *f, rw_array *work)
{
    RW_NEED(f, "fft");
    return rw_fft_passes_set_work(f->parts ? &f->parts->passes : &f->passes, work, __func__);
}

rw_status rw_fft_execute(rw_fft *f, rw_array *x, rw_array *y, rw_queue *q)
{
    RW_NEED(f, "fft");
    RW_NEED(x, "x");
    RW_NEED(y, "y");
    RW_NEED(q, "queue");
    if (f->parts) return execute_parts(f, x, y, q);
    RW_TRY(rw_fft_check_array(&f->passes, x, &f->input, "rw_fft_execute: x"));
    RW_TRY(rw_fft_check_array(&f->passes, y, &f->output, "rw_fft_execute: y"));
    RW_TRY(rw_array_check_written(y, "rw_fft_execute: y"));
    RW_TRY(rw_fft_check_overlap(&f->passes, x, y, __func__));
    return rw_fft_passes_run(&f->passes, x, y, NULL, f->factor * f->spec.scale, q);
}
