/* Gaussian by recursion along an axis, whose work does not grow with sigma: R. Deriche's sum of two damped oscillations
 * on each side,
 *
 *   g(n) = Re(c0 z0^|n| + c1 z1^|n|),   z = exp((-lambda + i omega)/sigma),  c = a - i b
 *
 * at most 0.05 % of its largest value away from the Gaussian. An item has a line and goes along it once in each
 * direction, with s = z s + x; it begins REACH sigma beyond the border, among pixels that the border says. */
#include <complex.h>
#include <math.h>

#include "image/image.h"

enum { GROUP = 64, REACH = 7 };

/* Along columns, lines are adjacent in memory. Along rows, PIECE steps of all lines of a workgroup are staged in shared
 * memory, row by row. */
static const char text[] =
    "#define STEP(v) { \\\n"
    "    const R u0 = AT_N(s, 0, t), v0 = AT_N(s, 1, t), u1 = AT_N(s, 2, t), v1 = AT_N(s, 3, t); \\\n"
    "    AT_N(s, 0, t) = FMA(z0, u0, FMA(-w0, v0, v)); \\\n    AT_N(s, 1, t) = FMA(z0, v0, w0 * u0); \\\n"
    "    AT_N(s, 2, t) = FMA(z1, u1, FMA(-w1, v1, v)); \\\n    AT_N(s, 3, t) = FMA(z1, v1, w1 * u1); }\n"
    "#define BACK(v) { \\\n"
    "    const R u0 = AT_N(s, 0, t) + (v), v0 = AT_N(s, 1, t), u1 = AT_N(s, 2, t) + (v), v1 = AT_N(s, 3, t); \\\n"
    "    AT_N(s, 0, t) = FMA(z0, u0, -w0 * v0); \\\n    AT_N(s, 1, t) = FMA(z0, v0, w0 * u0); \\\n"
    "    AT_N(s, 2, t) = FMA(z1, u1, -w1 * v1); \\\n    AT_N(s, 3, t) = FMA(z1, v1, w1 * u1); }\n"
    "#define RESULT (FMA(c0, AT_N(s, 0, t), -d0 * AT_N(s, 1, t)) + FMA(c1, AT_N(s, 2, t), -d1 * AT_N(s, 3, t)))\n"
    "#define PLACE(i) ((i) >= 0 && (i) < n ? (i) : outside(i, n))\n"
    "KERNEL(image, GLOBAL R *RESTRICT y, GLOBAL const R *RESTRICT x, int n, int lines, int channels, long row, long "
    "plane, int reach,\n"
    "       f64 p0, f64 q0, f64 p1, f64 q1, f64 a0, f64 b0, f64 a1, f64 b1)\n{\n"
    "    const int first = GROUP_ID(0) * GROUP, count = lines - first < GROUP ? lines - first : GROUP;\n"
    "    const R z0 = (R)p0, w0 = (R)q0, z1 = (R)p1, w1 = (R)q1, c0 = (R)a0, d0 = (R)b0, c1 = (R)a1, d1 = (R)b1;\n"
    "    PRIVATE_N(R, s, 4);\n    x += GROUP_ID(1) * plane;\n    y += GROUP_ID(1) * plane;\n"
    "    EACH(t, GROUP) { for (int k = 0; k < 4; ++k) AT_N(s, k, t) = 0; }\n"
    "#if ROWS\n    SHARED(R, in, PIECE * WIDE);\n    SHARED(R, out, PIECE * WIDE);\n"
    "    for (int from = -(reach + PIECE - 1) / PIECE * PIECE; from < n; from += PIECE) {\n"
    "        for (int l = 0; l < count; ++l) {\n"
    "            GLOBAL const R *const line = x + (first + l) / channels * row + (first + l) % channels;\n"
    "            EACH(k, PIECE) {\n                const int m = PLACE(from + (int)k);\n"
    "                in[k * WIDE + l] = m < 0 ? (R)CONSTANT_VALUE(l) : line[(long)m * channels];\n            }\n"
    "        }\n"
    "        BARRIER;\n        for (int k = 0; k < PIECE; ++k) EACH(t, count) { STEP(in[k * WIDE + t]) out[k * WIDE + "
    "t] = RESULT; }\n        BARRIER;\n"
    "        for (int l = 0; l < count; ++l) {\n"
    "            GLOBAL R *const line = y + (first + l) / channels * row + (first + l) % channels;\n"
    "            EACH(k, PIECE) { if (from + (int)k >= 0 && from + (int)k < n) line[(long)(from + (int)k) * channels] "
    "= out[k * WIDE + l]; }\n        }\n        BARRIER;\n    }\n"
    "    EACH(t, GROUP) { for (int k = 0; k < 4; ++k) AT_N(s, k, t) = 0; }\n"
    "    for (int from = (n - 1 + reach) / PIECE * PIECE; from >= 0; from -= PIECE) {\n"
    "        for (int l = 0; l < count; ++l) {\n"
    "            GLOBAL const R *const line = x + (first + l) / channels * row + (first + l) % channels;\n"
    "            EACH(k, PIECE) {\n                const int m = PLACE(from + (int)k);\n"
    "                in[k * WIDE + l] = m < 0 ? (R)CONSTANT_VALUE(l) : line[(long)m * channels];\n            }\n"
    "        }\n"
    "        BARRIER;\n        for (int k = PIECE - 1; k >= 0; --k) EACH(t, count) { out[k * WIDE + t] = RESULT; "
    "BACK(in[k * WIDE + t]) }\n        BARRIER;\n"
    "        for (int l = 0; l < count; ++l) {\n"
    "            GLOBAL R *const line = y + (first + l) / channels * row + (first + l) % channels;\n"
    "            EACH(k, PIECE) { if (from + (int)k < n) line[(long)(from + (int)k) * channels] += out[k * WIDE + l]; "
    "}\n        }\n        BARRIER;\n    }\n"
    "#else\n    for (int i = -reach; i < n; ++i) {\n        const int m = PLACE(i);\n"
    "        GLOBAL const R *const line = x + (m < 0 ? 0 : m) * row + first;\n"
    "        GLOBAL R *const to = y + i * row + first;\n"
    "        if (m < 0) EACH(t, count) { STEP((R)CONSTANT_VALUE(t)) }\n"
    "        else if (i < 0) EACH(t, count) { STEP(line[t]) }\n"
    "        else EACH(t, count) { STEP(line[t]) to[t] = RESULT; }\n    }\n"
    "    EACH(t, GROUP) { for (int k = 0; k < 4; ++k) AT_N(s, k, t) = 0; }\n"
    "    for (int i = n - 1 + reach; i >= 0; --i) {\n        const int m = PLACE(i);\n"
    "        GLOBAL const R *const line = x + (m < 0 ? 0 : m) * row + first;\n"
    "        GLOBAL R *const to = y + i * row + first;\n"
    "        if (m < 0) EACH(t, count) { BACK((R)CONSTANT_VALUE(t)) }\n"
    "        else if (i >= n) EACH(t, count) { BACK(line[t]) }\n"
    "        else EACH(t, count) { to[t] += RESULT; BACK(line[t]) }\n    }\n#endif\n}\n";

static rw_status create(rw_device *dev, rw_image_pass *p, const rw_image_shape *shape, rw_dtype dtype)
{
    (void)dtype;
    const rw_image_stage *s = p->stage + 1;
    rw_text t = {0};
    rw_text_add(&t, "DEVICE int outside(int i, int n)\n{\n%s}\n", rw_image_map_text(s->border));
    /* beyond a constant border, of line first + l */
    if (!s->premultiplied) rw_text_add(&t, "#define CONSTANT_VALUE(l) %.17g\n", s->outside);
    else
        rw_text_add(&t, "#define CONSTANT_VALUE(l) (%s == %d ? %.17g : %.17g)\n",
                    shape->planar ? "GROUP_ID(1)" : "(first + (int)(l)) % channels", p->channels - 1, s->outside_alpha,
                    s->outside);
    rw_text_add(&t, "%s", text);
    if (t.failed) {
        rw_text_free(&t);
        return rw_fail_memory(dev->ctx, t.capacity, "the kernel text of a filter");
    }
    const rw_define d[] = {{"GROUP", "64"},
                           {"R", rw_dtype_name(p->x_dtype)},
                           {"ROWS", s->size[0] ? "1" : "0"},
                           {"PIECE", p->x_dtype == RW_F64 ? "32" : "64"},
                           {"WIDE", "65"}};
    rw_status status = rw_program_start(dev, "recursive Gaussian", t.data, d, RW_COUNT(d), &p->program);
    rw_text_free(&t);
    RW_TRY(status);
    return rw_program_kernel(p->program, "image", &p->kernel);
}

/* size[0] 0: along columns. */
static rw_status run(rw_image_pass *p, const rw_image_shape *shape, const rw_image_run *of)
{
    static const double a[] = {1.680, -0.6803}, b[] = {3.735, -0.2598}, lambda[] = {1.783, 1.723},
                        omega[] = {0.6318, 1.997};
    const rw_image_stage *s = p->stage + 1;
    const double sigma = s->sigma;
    double complex z[2], c[2];
    double gain = 0;
    for (int i = 0; i < 2; ++i) {
        z[i] = cexp((-lambda[i] + I * omega[i]) / sigma);
        c[i] = a[i] - I * b[i];
        gain += creal(c[i] * (1 + z[i]) / (1 - z[i]));
    }
    const bool rows = s->size[0] != 0;
    const int64_t w = p->width, h = p->height, pixel = shape->planar ? 1 : p->channels, row = w * pixel,
                  planes = shape->planar ? p->channels : 1;
    const int64_t n = rows ? w : h, lines = rows ? h * pixel : row;
    const rw_arg args[] = {rw_arg_array(of->y.array),
                           rw_arg_array(of->x.array),
                           rw_arg_int(n),
                           rw_arg_int(lines),
                           rw_arg_int(pixel),
                           rw_arg_int(row),
                           rw_arg_int(h * row),
                           rw_arg_int((int64_t)ceil(REACH * sigma)),
                           rw_arg_real(creal(z[0])),
                           rw_arg_real(cimag(z[0])),
                           rw_arg_real(creal(z[1])),
                           rw_arg_real(cimag(z[1])),
                           rw_arg_real(creal(c[0]) / gain),
                           rw_arg_real(cimag(c[0]) / gain),
                           rw_arg_real(creal(c[1]) / gain),
                           rw_arg_real(cimag(c[1]) / gain)};
    return rw_launch(of->queue, p->kernel, (int64_t[]){(lines + GROUP - 1) / GROUP, planes, 1}, args, RW_COUNT(args));
}

const rw_image_pass_ops rw_image_recursive_ops = {.whole = true, .spreads = true, .create = create, .run = run};
