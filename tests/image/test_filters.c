/* Every operation beside its plainest definition, for all types, borders and layouts; the same bits on every device. */
/* TEST: tiled */
#include "../devices.h"
#include "param/param.h"
#include "pictures.h"
#include "reference.h"

/* Largest difference that is allowed, of numbers of the size of `scale`. */
static double tolerance(rw_dtype t, const rw_image_op *op, double scale)
{
    if (whole(t)) /* weights in units of a power of 2 or in f32 decide where the exact result lies in the middle */
        return op->method == RW_IMAGE_GAMMA || op->method == RW_IMAGE_BILATERAL || op->method == RW_IMAGE_UNSHARP ||
               op->method == RW_IMAGE_MASK || op->method == RW_IMAGE_LINEAR;
    const double eps = t == RW_F64 ? 0x1p-52 : t == RW_F16 ? 0x1p-11 : 0x1p-23;
    return scale * eps * (op->method == RW_IMAGE_BILATERAL || op->method == RW_IMAGE_GAMMA ? 40 : 16);
}

static void compare(const picture *y, const picture *wanted, rw_dtype t, const rw_image_op *op, const char *text,
                    const layout *l)
{
    double scale = 0;
    const size_t n = (size_t)y->width * y->height * y->channels;
    for (size_t i = 0; i < n; ++i) scale = fmax(scale, fabs(wanted->v[i]));
    const bool root = op->method == RW_IMAGE_SOBEL || op->method == RW_IMAGE_SCHARR || op->method == RW_IMAGE_LAPLACE;
    for (size_t i = 0; i < n; ++i) {
        const double w = root && whole(t) ? rounded(wanted->v[i], t) : wanted->v[i];
        if (!(fabs(y->v[i] - w) <= tolerance(t, op, fmax(scale, 1))))
            fail_msg("%s of %s, %d x %d x %d%s: at x %d, y %d, channel %d: %.17g, not %.17g", text, rw_dtype_name(t),
                     l->width, l->height, l->channels, l->planar ? " planar" : "", (int)(i / y->channels % y->width),
                     (int)(i / y->channels / y->width), (int)(i % y->channels), y->v[i], w);
    }
}

/* A window of 2 rx + 1 pixels reaches as far on both sides, one of an even number of pixels one less to the right. */
static void skip_frame(picture *y, const picture *x, const int size[2])
{
    for (int j = 0; j < y->height; ++j)
        for (int i = 0; i < y->width; ++i)
            if (i < size[0] / 2 || j < size[1] / 2 || i > y->width - size[0] + size[0] / 2 ||
                j > y->height - size[1] + size[1] / 2)
                for (int c = 0; c < y->channels; ++c) *pixel(y, i, j, c) = *pixel(x, i, j, c);
}

static void check_one(const char *text, rw_dtype t, const layout *l, uint64_t seed)
{
    rw_image_op op;
    OK(rw_image_op_parse(ctx, text, &op));
    OK(rw_params_resolve(ctx, rw_image_op_params(), NULL, &op));
    picture x = random_picture(l, t, seed), y = run(&x, l, t, text), wanted = apply(&x, &op, t);
    const int radius = (int)rint(op.truncate * op.sigma);
    const int size[2] = {op.method == RW_IMAGE_GAUSS ? 2 * radius + 1 : op.size, op.method == RW_IMAGE_GAUSS
                                                                                     ? 2 * radius + 1
                                                                                 : op.size_y ? op.size_y
                                                                                             : op.size};
    if (op.border == RW_IMAGE_BORDER_SKIP) skip_frame(&wanted, &x, size);
    compare(&y, &wanted, t, &op, text, l);
    free(x.v), free(y.v), free(wanted.v);
}

static const layout layouts[] = {
    {61, 37, 1, false}, {1, 1, 1, false},    {2, 3, 1, false}, {17, 9, 3, false},
    {33, 20, 4, false}, {40, 11, 3, true},   {5, 1, 1, false}, {1, 40, 2, false},
    {300, 7, 1, false}, {4099, 3, 1, false}, {0, 5, 1, false}, {130, 50, 1, false},
};

static const char *const operations[] = {
    "gauss",
    "gauss:sigma=2.5:border=wrap",
    "gauss:sigma=0.8:sigma_y=3:border=replicate",
    "gauss:sigma=3:border=constant:value=5",
    "box",
    "box:5:size_y=2:border=reflect",
    "box:size=9:border=wrap",
    "box:size=4:border=constant",
    "box:31",
    "box:size=40:size_y=17:border=wrap",
    "box:size=1:size_y=33:border=reflect",
    "box:size=51:size_y=1:border=constant:value=7",
    "box:size=16:size_y=21:border=replicate",
    "sobel",
    "sobel:5:direction=x",
    "sobel:7:direction=y:border=reflect",
    "scharr:border=replicate",
    "scharr:direction=y:border=wrap",
    "laplace",
    "laplace:3:border=constant:value=9",
    "laplace:5",
    "sharpen:amount=0.5",
    "unsharp:sigma=1.5:amount=0.7",
    "unsharp:border=wrap",
    "mask:mask=1 2 1; 2 4 2; 1 2 1",
    "mask:scale=0.11111:border=constant:mask=1 1 1 1; 1 1 1 1; 1 1 1 1",
    "mask:anchor_x=-1:border=reflect:mask=0.3 -0.25 0.7",
    "mask:anchor_y=1:border=wrap:mask=1;-3.1;0.2",
    "median",
    "median:5:border=wrap",
    "erode:size=15:size_y=7",
    "dilate:size=2:size_y=9:border=wrap",
    "erode:size=1:size_y=12:border=constant:value=9",
    "dilate:size=25:border=skip",
    "median:4:border=constant:value=3",
    "median:9:border=replicate",
    "median:7:size_y=1",
    "erode",
    "dilate:size=6:size_y=11:border=reflect",
    "erode:element=cross:size=5",
    "dilate:element=ellipse:size=7:border=wrap",
    "dilate:size=5:border=constant:value=100",
    "open:size=4",
    "close:5:border=constant:value=20",
    "open:element=ellipse:5:border=wrap",
    "gradient:size=3",
    "gradient:5:size_y=9:border=wrap",
    "gradient:size=65:size_y=33:border=reflect",
    "open:size=40:size_y=3",
    "tophat:size=5",
    "blackhat:size=7:size_y=3:border=replicate",
    "tophat:element=cross:3:border=constant:value=1",
    "bilateral:sigma=1",
    "bilateral:sigma=2:range=0.3:border=wrap",
    "threshold",
    "threshold:threshold=inverse:level=0.25",
    "threshold:threshold=truncate:level=0.3",
    "threshold:threshold=tozero",
    "threshold:threshold=tozero_inverse",
    "invert",
    "linear:gain=1.7:offset=-0.25",
    "gamma",
    "gamma:power=2.2",
    "clip:low=0.2:high=0.6",
    "gauss:border=skip",
    "median:3:border=skip",
    "box:size=5:size_y=3:border=skip",
    "erode:size=5:border=skip",
    "dilate:size=6:size_y=4:border=skip",
    "box:size=4:size_y=17:border=skip",
    "gradient:size=4:size_y=7:border=skip",
};

/* Short: every eighth operation, others for each type, on two of the layouts. Long: all of one channel, and one layout
 * of several; on OpenCL, which compiles slowly, a sixth of the operations, others for each type, on check half of
 * them. */
static bool chosen(int i, int turn, int k)
{
    const bool several = layouts[k].channels > 1;
    if (!test_long()) return k == i / 6 % RW_COUNT(layouts) || (!brief() && k == 0);
    return !several || k == (const int[]){3, 4, 5, 7}[(i + turn) % 4];
}

static void check_operations(rw_dtype t, int turn)
{
    for (int i = 0; i < RW_COUNT(operations); ++i) {
        const char *text = operations[i];
        if ((i + turn) % (!test_long()   ? on("cpu") && has_gpu_kernels() ? 24 : 8
                          : on("opencl") ? 6
                          : on("check")  ? 2
                                         : 1))
            continue;
        for (int k = 0; k < RW_COUNT(layouts); ++k)
            if (chosen(i, turn, k)) check_one(text, t, layouts + k, (uint64_t)(100 * i + k));
    }
}

static void test_u8(void **state) { (void)state, check_operations(RW_U8, 0); }
static void test_u16(void **state) { (void)state, check_operations(RW_U16, 1); }
static void test_i16(void **state) { (void)state, check_operations(RW_I16, 2); }
static void test_f32(void **state) { (void)state, check_operations(RW_F32, 3); }
static void test_f64(void **state) { (void)state, check_operations(RW_F64, 4); }
static void test_f16(void **state) { (void)state, check_operations(RW_F16, 5); }

/* Each window of each size is lowered to passes that have room for its stages, alone and after another window. */
static void test_sizes(void **state)
{
    static const char *const windows[] = {"box",
                                          "median",
                                          "erode",
                                          "open",
                                          "gradient",
                                          "tophat",
                                          "box:size_y=1",
                                          "dilate:size_y=2",
                                          "box:border=wrap",
                                          "gradient:border=skip",
                                          "close:size_y=255",
                                          "blackhat"};
    (void)state;
    if (!on("cpu") || has_gpu_kernels()) skip();
    for (int i = 0; i < RW_COUNT(windows); ++i)
        for (int n = 1; n <= 255; ++n)
            for (int after = 0; after < 2; ++after) {
                char text[80];
                rw_image_chain chain;
                rw_image_plan plan = {.ctx = ctx, .dtype = RW_F32, .channels = 1, .width = 300, .height = 200};
                snprintf(text, sizeof text, "%s%s:size=%d", after ? "gauss|sobel|" : "", windows[i], n);
                OK(rw_image_chain_create(ctx, &(rw_image_spec){.text = text}, &chain));
                const rw_status status = rw_image_lower(&plan, chain.ops, chain.nops);
                if (n > 31 && strstr(windows[i], "hat")) assert_int_equal(status, RW_ERR_ARGUMENT);
                else OK(status);
                for (int k = 0; k < plan.npasses; ++k) assert_in_range(plan.pass[k].nstages, 1, RW_IMAGE_STAGES);
                rw_image_plan_free(&plan), rw_image_chain_free(&chain);
            }
}

/* Windows with so many terms that processors add them up in blocks: whole blocks, and the rest of 1 to 8 terms. */
static void test_blocks(void **state)
{
    static const char *const texts[] = {
        "gauss:sigma=8",
        "gauss:sigma=7:sigma_y=9.7:border=constant:value=30",
        "mask:scale=0.01:mask=1 2 3 4 5 6 7; 2 2 2 2 2 2 2; 7 -6 5 4 3 2 1; 1 2 3 4 5 6 7; 1 1 1 2 1 1 1",
        "mask:scale=0.02:border=wrap:mask=1 2 3 4 5 6 7; 2 -2 2 2 2 2 2; 7 6 5 4 3 2 1; 1 2 3 4 5 6 7; 1 1 1 2 1 1 1; "
        "0 1 0 2 0 3 0; 9 8 7 6 5 4 3",
        "dilate:element=ellipse:size=13",
        "erode:element=ellipse:size=15:size_y=21:border=constant:value=90",
        "open:element=ellipse:size=14",
    };
    static const rw_dtype types[] = {RW_U8, RW_U16, RW_I16, RW_F32, RW_F64, RW_F16};
    (void)state;
    for (int i = 0; i < RW_COUNT(texts); ++i)
        for (int k = 0; k < RW_COUNT(types); ++k)
            if (test_long() || (i + k) % (brief() ? 6 : 3) == 0)
                check_one(texts[i], types[k], layouts + (i % 2 ? 5 : 11), (uint64_t)(10 * i + k));
}

/* Windows whose rows of 16 channels exceed the shared memory of a workgroup: row buffers in global memory. */
static void test_large_windows(void **state)
{
    static const struct {
        const char *text;
        layout l;
    } rows[] = {
        {"box:31:border=wrap", {300, 10, 16, false}},
        {"gauss:sigma=10:border=replicate", {65, 10, 16, false}},
        {"gradient:size=63:border=constant", {40, 20, 16, false}},
        {"unsharp:sigma=5", {33, 20, 16, false}},
        {"bilateral:sigma=5", {19, 12, 16, false}},
        {"median:31", {7, 5, 16, false}},
        {"box:255:size_y=100", {20, 110, 2, true}},
    };
    (void)state;
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        if (brief() && i != 0 && i != 3) continue;
        const layout *l = &rows[i].l;
        const rw_image_spec spec = spec_of(l, RW_F64, rows[i].text);
        rw_image_filter *f;
        rw_image_info info;
        char *plan;
        OK(rw_image_filter_create(dev, &spec, &f));
        OK(rw_image_filter_explain(f, &plan));
        OK(rw_image_filter_get_info(f, &info));
        if (!strstr(plan, "in global memory")) fail_msg("%s: %s", rows[i].text, plan);
        assert_true(info.work_bytes > 128 << 10);
        rw_free(plan), rw_image_filter_destroy(&f);
        check_one(rows[i].text, RW_F64, l, (uint64_t)i);
    }
}

/* Many workgroups at once, each with its own row buffers in global memory: the bits of planes filtered one by one. */
static void test_many_groups(void **state)
{
    (void)state;
    const layout together = {1000, brief() ? 40 : 150, 16, false}, planes = {1000, together.height, 16, true};
    picture x = random_picture(&together, RW_F64, 5), a = run(&x, &together, RW_F64, "dilate:size=63"),
            b = run(&x, &planes, RW_F64, "dilate:size=63");
    assert_memory_equal(a.v, b.v, sizeof(double) * 1000 * (size_t)together.height * 16);
    free(x.v), free(a.v), free(b.v);
}

/* ---- the study's values ------------------------------------------------------------------------------------------ */

static uint32_t crc32_of(const picture *p)
{
    uint32_t crc = ~0u;
    for (size_t i = 0, n = (size_t)p->width * p->height * p->channels; i < n; ++i) {
        crc ^= (uint8_t)p->v[i];
        for (int b = 0; b < 8; ++b) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}
static double sum_of(const picture *p)
{
    double sum = 0;
    for (size_t i = 0, n = (size_t)p->width * p->height * p->channels; i < n; ++i) sum += p->v[i];
    return sum;
}

/* G(x, y) = (3x + 5y + ((x y) >> 3) + 4 ((x ^ y) & 15)) & 255; in colour (G + 85 c + (c + 1) x) & 255 */
static picture study_picture(const layout *l)
{
    picture p = picture_new(l->width, l->height, l->channels);
    for (int y = 0; y < l->height; ++y)
        for (int x = 0; x < l->width; ++x)
            for (int c = 0; c < l->channels; ++c) {
                const int g = 3 * x + 5 * y + (x * y >> 3) + 4 * ((x ^ y) & 15);
                *pixel(&p, x, y, c) = (g + (l->channels > 1 ? 85 * c + (c + 1) * x : 0)) & 255;
            }
    return p;
}

static void test_study_means(void **state)
{
    (void)state;
    static const struct {
        layout l;
        int mask;
        uint32_t crc[3];
        double sum[3];
    } rows[] = {
        {{640, 472, 1, false}, 3, {0xdbc5ddc0, 0x13ddaea7, 0x96b20266}, {38437170, 38531308, 38531180}},
        {{640, 472, 1, false}, 7, {0x1263b5fa, 0xdec6f400, 0x02bca499}, {38293160, 38535003, 38533813}},
        {{512, 512, 1, false}, 3, {0xa3a2fd07, 0xa05e3c77, 0xd450c67b}, {33354689, 33441787, 33442582}},
        {{640, 472, 3, false}, 3, {0x0264038c, 0xc04fdd40, 0x3536001f}, {115271758, 115554856, 115554099}},
        {{640, 472, 3, false}, 5, {0x16ca93e4, 0x9c04f840, 0x06b11d7a}, {115057759, 115567468, 115567977}},
        {{640, 472, 3, false}, 9, {0x5aa69515, 0x82575a1f, 0xe49122c0}, {114624160, 115567521, 115569036}},
    };
    static const char *const borders[] = {"constant", "wrap", "skip"};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        picture x = study_picture(&rows[i].l);
        for (int b = 0; b < 3; ++b) {
            char text[96];
            if (brief() && (i + b) % 3) continue;
            snprintf(text, sizeof text, "box:size=%d:border=%s", rows[i].mask, borders[b]);
            picture y = run(&x, &rows[i].l, RW_U8, text);
            if (crc32_of(&y) != rows[i].crc[b] || sum_of(&y) != rows[i].sum[b])
                fail_msg("%s, %d x %d x %d: %08x, sum %.0f", text, x.width, x.height, x.channels, crc32_of(&y),
                         sum_of(&y));
            free(y.v);
        }
        if (test_long() || (!brief() && i % 3 == 0)) { /* by transforms: n^2 is odd, so no mean is a tie of roundings */
            char text[800];
            const int n = rows[i].mask;
            int at = snprintf(text, sizeof text, "mask:algorithm=fft:border=wrap:scale=%.17g:mask=", 1.0 / (n * n));
            for (int k = 0; k < n * n; ++k)
                at += snprintf(text + at, sizeof text - (size_t)at, "1%s",
                               k % n < n - 1   ? " "
                               : k < n * n - 1 ? "/"
                                               : "");
            picture y = run(&x, &rows[i].l, RW_U8, text);
            if (crc32_of(&y) != rows[i].crc[1])
                fail_msg("%s, %d x %d x %d: %08x", text, x.width, x.height, x.channels, crc32_of(&y));
            free(y.v);
        }
        free(x.v);
    }
}

static void check_rows(const picture *y, const char *text, const int *wanted)
{
    for (int i = 0; i < y->width * y->height; ++i)
        if (y->v[i] != wanted[i])
            fail_msg("%s: at %d, %d: %g, not %d", text, i % y->width, i / y->width, y->v[i], wanted[i]);
}

static void test_study_small(void **state)
{
    (void)state;
    static const int skip[] = {0,  1,  4,  9,  16, 25, 10, 12, 15, 20, 27, 35, 20, 22, 25,
                               30, 37, 45, 30, 32, 35, 40, 47, 55, 40, 41, 44, 49, 56, 65};
    static const int zero[] = {2,  4,  6,  10, 14, 11, 7,  12, 15, 20, 27, 20, 14, 22, 25,
                               30, 37, 27, 20, 32, 35, 40, 47, 34, 16, 24, 26, 30, 34, 25};
    static const int wrap[] = {25, 18, 21, 26, 33, 30, 19, 12, 15, 20, 27, 24, 29, 22, 25,
                               30, 37, 34, 39, 32, 35, 40, 47, 44, 32, 25, 28, 33, 40, 37};
    const layout l = {6, 5, 1, false}, square = {5, 5, 1, false};
    picture x = picture_new(6, 5, 1), impulse = picture_new(5, 5, 1);
    for (int i = 0; i < 30; ++i) x.v[i] = i % 6 * (i % 6) + 10 * (i / 6);
    impulse.v[12] = 1;
    const struct {
        const char *text;
        const int *rows;
    } means[] = {
        {"box:border=skip", skip},
        {"box:border=constant", zero},
        {"box:border=wrap", wrap},
        {"mask:scale=0.1111111:border=skip:mask=1 1 1;1 1 1;1 1 1", skip},
        {"mask:border=constant:mask=.1111111 .1111111 .1111111;.1111111 .1111111 .1111111;.1111111 .1111111 .1111111",
         zero},
    };
    for (int i = 0; i < RW_COUNT(means); ++i) {
        picture y = run(&x, &l, RW_U8, means[i].text);
        check_rows(&y, means[i].text, means[i].rows);
        free(y.v);
    }
    /* a correlation: the mask is not turned round */
    picture y = run(&impulse, &square, RW_U8, "mask:border=constant:mask=1 2 3;4 5 6;7 8 9");
    for (int i = 0; i < 9; ++i) assert_true(*pixel(&y, 1 + i % 3, 1 + i / 3, 0) == 9 - i);
    free(y.v);
    y = run(&x, &l, RW_U8, "mask:border=constant:mask=0 0 1");
    for (int i = 0; i < 30; ++i) assert_true(y.v[i] == (i % 6 < 5 ? x.v[i + 1] : 0));
    free(y.v);
    /* derivatives that are saturated */
    y = run(&x, &l, RW_U8, "mask:border=skip:mask=-1 0 1;-2 0 2;-1 0 1");
    for (int i = 0; i < 12; ++i) assert_true(*pixel(&y, 1 + i % 4, 1 + i / 4, 0) == 16 * (1 + i % 4));
    free(y.v);
    y = run(&x, &l, RW_U8, "mask:border=skip:mask=1 0 -1;2 0 -2;1 0 -1");
    for (int i = 0; i < 12; ++i) assert_true(*pixel(&y, 1 + i % 4, 1 + i / 4, 0) == 0);
    free(y.v), free(x.v), free(impulse.v);
}

/* A parameter of 0 is used as given, in a text and as RW_ZERO; the default of each is another number. */
static void test_zeros(void **state)
{
    static const struct {
        const char *text;
        rw_image_op op;
        double factor, offset; /* result: factor * x + offset, or white if `above` and x > 0 */
        bool above;
    } cases[] = {
        {"threshold:level=0", {.method = RW_IMAGE_THRESHOLD, .level = RW_ZERO}, 0, 0, true},
        {"linear:gain=0:offset=7", {.method = RW_IMAGE_LINEAR, .gain = RW_ZERO, .offset = 7}, 0, 7, false},
        {"clip:high=0", {.method = RW_IMAGE_CLIP, .high = RW_ZERO}, 0, 0, false},
        {"sharpen:amount=0", {.method = RW_IMAGE_SHARPEN, .amount = RW_ZERO}, 1, 0, false},
        {"unsharp:amount=0", {.method = RW_IMAGE_UNSHARP, .amount = RW_ZERO}, 1, 0, false},
        {"normalize:high=0", {.method = RW_IMAGE_NORMALIZE, .high = RW_ZERO}, 0, 0, false},
        {"mask:scale=0", {.method = RW_IMAGE_MASK, .scale = RW_ZERO}, 0, 0, false},
    };
    static const layout l = {19, 7, 2, false};
    (void)state;
    for (int i = 0; i < RW_COUNT(cases); ++i)
        for (int given = 0; given < 3; ++given) { /* u8 and f32 by a text; f32 in C */
            const rw_dtype t = given ? RW_F32 : RW_U8;
            picture x = random_picture(&l, t, 42), y;
            x.v[5] = x.v[9] = 0;
            rw_image_spec spec = spec_of(&l, t, given < 2 ? cases[i].text : NULL);
            if (given == 2) spec.ops = &cases[i].op, spec.nops = 1;
            y = run_spec(&x, &l, t, &spec);
            for (size_t k = 0; k < (size_t)l.width * l.height * l.channels; ++k) {
                const double wanted = cases[i].above ? (x.v[k] > 0 ? t == RW_U8 ? 255 : 1 : 0)
                                                     : cases[i].factor * x.v[k] + cases[i].offset;
                if (fabs(y.v[k] - wanted) > 1e-6 * fabs(wanted) || signbit(y.v[k]))
                    fail_msg("%s, %s: %.9g becomes %.9g, not %.9g", cases[i].text,
                             given == 2 ? "RW_ZERO" : rw_dtype_name(t), x.v[k], y.v[k], wanted);
            }
            free(x.v), free(y.v);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] =
        {cmocka_unit_test(test_u8),          cmocka_unit_test(test_u16),         cmocka_unit_test(test_i16),
         cmocka_unit_test(test_f32),         cmocka_unit_test(test_f64),         cmocka_unit_test(test_f16),
         cmocka_unit_test(test_study_means), cmocka_unit_test(test_study_small), cmocka_unit_test(test_large_windows),
         cmocka_unit_test(test_sizes),       cmocka_unit_test(test_many_groups), cmocka_unit_test(test_zeros),
         cmocka_unit_test(test_blocks)};
    return run_on_devices("filters", tests, RW_COUNT(tests));
}
