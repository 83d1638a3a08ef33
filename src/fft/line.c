/* Lines of n = r0 r1 … points in the memory of a group. Stage t takes r points that lie n / r apart, multiplies them with factors, transforms them and puts
 * the results p = r0 … r(t-1) apart, so that the last stage has them in order (Stockham; Cochran et al., IEEE Trans. AU-15, 1967). Between stages the points change
 * between two buffers, real and imaginary parts apart. The first stage reads the array, the last one writes it.
 *
 * Processors: the innermost loop runs over what is contiguous, in the group's memory and in the arrays: over lines where they are neighbours in memory, else over
 * the points that have the same place behind p. GPUs: an item a codelet. */
#include "fft/line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "codelet/codelet.h"

enum { LARGEST_PRIME = 31, LARGEST_RADIX = 16 };

/* ---- factors of a length ---------------------------------------------------------------------------------------------------- */

static int descending(const void *a, const void *b) { return *(const int *)b - *(const int *)a; }

/* Powers of two are shared evenly among as few stages of at most 16 as possible; other primes join while a product stays below that. */
int rw_fft_factors(int64_t n, int radix[RW_FFT_STAGES])
{
    int stages = 0, twos = 0;
    for (; n % 2 == 0; n /= 2) ++twos;
    for (int p = 3; p <= LARGEST_PRIME; p += 2)
        for (; n % p == 0; n /= p) {
            const bool joins = stages && radix[stages - 1] * p <= LARGEST_RADIX;
            if (joins) radix[stages - 1] *= p;
            else radix[stages++] = p;
        }
    if (n > 1) return 0;
    for (int s = 0; s < stages && twos; ++s)
        while (twos && 2 * radix[s] <= LARGEST_RADIX) radix[s] *= 2, --twos;
    for (int left = (twos + 3) / 4; left > 0; --left) {
        const int share = (twos + left - 1) / left;
        radix[stages++] = 1 << share, twos -= share;
    }
    if (!stages) radix[stages++] = 1;
    qsort(radix, (size_t)stages, sizeof *radix, descending);
    return stages;
}

/* ---- text ---------------------------------------------------------------------------------------------------------------------- */

typedef struct writer {
    rw_text *t;
    const rw_fft_line_spec *spec;
    const char *real, *complex;
    int n, lines, stages, radix[RW_FFT_STAGES];
    bool threads; /* a GPU's */
} writer;

#define ADD(...) rw_text_add(w->t, __VA_ARGS__)

/* Opens the loops over the codelets of a stage. l: the line; from, to: the points that point 0 is read from and written to, in a line; b: whose factors.
 * On a processor the loop inside counts what is contiguous on both sides, from what is the same for all of it. */
static void open_stage(writer *w, int r, int p)
{
    const int each = w->n / r, lines_fast = w->spec->lines_fast;
    char places[160];
    snprintf(places, sizeof places, "const int b = j %% %d, from = j, to = j / %d * %d + b;", p, p, p * r);
    if (w->threads) {
        ADD("    EACH(f, %d)\n    {\n        const int l = f %s %d, j = f %s %d;\n        if (l < lines) {\n            %s\n", w->lines * each, lines_fast ? "%" : "/",
            lines_fast ? w->lines : each, lines_fast ? "/" : "%", lines_fast ? w->lines : each, places);
    } else if (lines_fast) {
        ADD("    for (int j = 0; j < %d; ++j) {\n        %s\n        EACH(l, lines)\n        {\n", each, places);
    } else if (p == 1) {
        ADD("    for (int l = 0; l < lines; ++l) {\n        EACH(from, %d)\n        {\n            const int b = 0, to = (int)from * %d;\n", each, r);
    } else {
        ADD("    for (int q = 0; q < lines * %d; ++q) {\n        const int l = q / %d, from_0 = q %% %d * %d, to_0 = from_0 * %d;\n", each / p, each / p, each / p, p, r);
        ADD("        EACH(b, %d)\n        {\n            const int from = from_0 + (int)b, to = to_0 + (int)b;\n", p);
    }
    rw_codelet_variables(w->t, w->real, r);
}

/* Point NAME + k of the line in a buffer. */
static void add_index(writer *w, const char *name, int k)
{
    if (w->spec->lines_fast) ADD("(%s + %d) * %d + l", name, k, w->lines);
    else ADD("l * %d + %s + %d", w->n, name, k);
}

static void load(writer *w, int stage, int r, int p, int64_t factors)
{
    for (int k = 0; k < r; ++k) {
        const int at = k * (w->n / r);
        if (stage == 0) {
            ADD("            { const %s c = x[xb + l * x_line + (from + %d)%s]; re%d = c.re; im%d = c.im; }\n", w->complex, at, w->spec->x_unit ? "" : " * x_step", k, k);
            continue;
        }
        for (int part = 0; part < 2; ++part) {
            ADD("            %s%d = b%d_%s[", part ? "im" : "re", k, (stage - 1) % 2, part ? "im" : "re");
            add_index(w, "from", at);
            ADD("];\n");
        }
    }
    for (int k = 1; k < r && p > 1; ++k)
        ADD("            { const %s c = factor[%lld + b], s = factor[%lld + b], a = re%d;\n"
            "              re%d = FMA(a, c, -im%d * s); im%d = FMA(a, s, im%d * c); }\n",
            w->real, (long long)(factors + (int64_t)2 * p * (k - 1)), (long long)(factors + (int64_t)2 * p * (k - 1) + p), k, k, k, k, k);
}

static void store(writer *w, int stage, int r, int p)
{
    for (int k = 0; k < r; ++k) {
        if (stage == w->stages - 1) {
            ADD("            { %s c; c.re = scale * re%d; c.im = scale * im%d; y[yb + l * y_line + (from + %d)%s] = c; }\n", w->complex, k, k, k * p,
                w->spec->y_unit ? "" : " * y_step");
            continue;
        }
        for (int part = 0; part < 2; ++part) {
            ADD("            b%d_%s[", stage % 2, part ? "im" : "re");
            add_index(w, "to", k * p);
            ADD("] = %s%d;\n", part ? "im" : "re", k);
        }
    }
}

static void add_kernel(writer *w)
{
    const int points = w->lines * w->n;
    ADD("KERNEL(transform, GLOBAL %s *y, GLOBAL const %s *x, GLOBAL const %s *factor, long y_first, long x_first, long y_step, long x_step, long n0, long y_line, long x_line,\n"
        "       long n1, long y_1, long x_1, long y_2, long x_2, %s scale)\n{\n", w->complex, w->complex, w->real, w->real);
    if (w->stages > 1) {
        ADD("    SHARED_LARGE(%s, large);\n", w->real);
        for (int b = 0; b < RW_MIN(w->stages - 1, 2); ++b)
            ADD("    LOCAL %s *const b%d_re = large + %d, *const b%d_im = large + %d;\n", w->real, b, 2 * b * points, b, (2 * b + 1) * points);
    }
    ADD("    const long pieces = (n0 + %d) / %d, outer = GROUP_ID(0) / pieces, first = GROUP_ID(0) %% pieces * %d;\n", w->lines - 1, w->lines, w->lines);
    ADD("    const int lines = (int)(n0 - first < %d ? n0 - first : %d);\n", w->lines, w->lines);
    ADD("    const long yb = y_first + first * y_line + outer %% n1 * y_1 + outer / n1 * y_2, xb = x_first + first * x_line + outer %% n1 * x_1 + outer / n1 * x_2;\n");
    int64_t factors = 0;
    for (int s = 0, p = 1; s < w->stages; p *= w->radix[s++]) {
        const int r = w->radix[s];
        open_stage(w, r, p);
        load(w, s, r, p, factors);
        rw_codelet_dft(w->t, w->real, r, w->spec->inverse, NULL);
        store(w, s, r, p);
        ADD("        }\n    }\n%s", s < w->stages - 1 ? "    BARRIER;\n" : "");
        if (p > 1) factors += (int64_t)2 * p * (r - 1);
    }
    ADD("}\n");
}

/* ---- tables ---------------------------------------------------------------------------------------------------------------------- */

/* Of each stage but the first, for k = 1 … r - 1: p cosines, then p sines of k b / (p r) turns. */
static rw_status make_factors(rw_device *dev, const writer *w, rw_array **array)
{
    static const long double two_pi = 6.283185307179586476925286766559005768L;
    int64_t n = 0;
    void *data;
    for (int s = 0, p = 1; s < w->stages; p *= w->radix[s++]) n += s ? (int64_t)2 * p * (w->radix[s] - 1) : 0;
    const bool f32 = w->spec->dtype == RW_C64;
    RW_TRY(rw_array_create(dev, f32 ? RW_F32 : RW_F64, 1, (const int64_t[]){RW_MAX(n, 1)}, RW_MEMORY_DEVICE, array));
    rw_status status = rw_array_write(*array, &data);
    if (status != RW_OK) {
        rw_array_destroy(array);
        return status;
    }
    memset(data, 0, (*array)->bytes);
    int64_t at = 0;
    for (int s = 1, p = w->radix[0]; s < w->stages; p *= w->radix[s++])
        for (int k = 1; k < w->radix[s]; ++k)
            for (int part = 0; part < 2; ++part)
                for (int b = 0; b < p; ++b, ++at) {
                    const long double angle = two_pi * (long double)((int64_t)k * b % (p * w->radix[s])) / (long double)(p * w->radix[s]);
                    const double v = (double)(part ? w->spec->inverse ? sinl(angle) : -sinl(angle) : cosl(angle));
                    if (f32) ((float *)data)[at] = (float)v;
                    else ((double *)data)[at] = v;
                }
    return RW_OK;
}

/* ---- create, run ------------------------------------------------------------------------------------------------------------------ */

static rw_status choose_lines(rw_device *dev, writer *w, int64_t *bytes)
{
    const int64_t line = w->stages < 2 ? 0 : (int64_t)RW_MIN(w->stages - 1, 2) * w->n * (int64_t)rw_dtype_size(w->spec->dtype);
    if (line > dev->info.shared_memory)
        return rw_fail(dev->ctx, RW_ERR_UNSUPPORTED, "a transform of %d %s: a line takes %lld bytes of the memory of a group, %s has %lld", w->n,
                       rw_dtype_name(w->spec->dtype), (long long)line, dev->info.name, (long long)dev->info.shared_memory);
    const int64_t most = line ? dev->info.shared_memory / line : 16, few = w->n < 1024 ? 1024 / w->n : 1;
    w->lines = (int)RW_MIN(most, w->spec->lines_fast ? 16 : w->threads ? few : 1);
    *bytes = line * w->lines;
    return RW_OK;
}

static rw_status compile(rw_device *dev, const writer *w, int64_t bytes, rw_program **program)
{
    char group[16], large[24], name[64];
    const int each = w->lines * (w->n / w->radix[0]);
    snprintf(group, sizeof group, "%d", !w->threads ? 256 : RW_MIN(RW_MAX((each + 31) / 32 * 32, 64), dev->target.group_most < 512 ? dev->target.group_most : 512));
    snprintf(large, sizeof large, "%lld", (long long)RW_MAX(bytes, 16));
    snprintf(name, sizeof name, "transform of %d %s", w->n, rw_dtype_name(w->spec->dtype));
    const rw_define d[] = {{"GROUP", group}, {"RW_WIDE", "1"}, {"SHARED_LARGE_BYTES", large}};
    return rw_program_create(dev, name, w->t->data, d, bytes ? 3 : 2, program);
}

rw_status rw_fft_line_create(rw_device *dev, const rw_fft_line_spec *spec, rw_fft_line *line)
{
    rw_text text = {0};
    writer w = {.t = &text, .spec = spec, .n = (int)spec->n, .threads = rw_device_has_threads(dev),
                .real = spec->dtype == RW_C64 ? "f32" : "f64", .complex = rw_dtype_name(spec->dtype)};
    int64_t bytes = 0;
    *line = (rw_fft_line){.device = dev};
    w.stages = spec->n <= INT32_MAX / 64 ? rw_fft_factors(spec->n, w.radix) : 0;
    if (!w.stages)
        return rw_fail(dev->ctx, RW_ERR_UNSUPPORTED, "a transform of %lld points: so far lengths whose prime factors are at most %d are possible", (long long)spec->n, LARGEST_PRIME);
    RW_TRY(choose_lines(dev, &w, &bytes));
    add_kernel(&w);
    rw_status status = text.failed ? rw_fail_memory(dev->ctx, text.length, "the text of a transform") : compile(dev, &w, bytes, &line->program);
    rw_text_free(&text);
    if (status == RW_OK) status = rw_program_kernel(line->program, "transform", &line->kernel);
    if (status == RW_OK) status = make_factors(dev, &w, &line->factors);
    line->lines = w.lines;
    if (status != RW_OK) rw_fft_line_free(line);
    return status;
}

void rw_fft_line_free(rw_fft_line *line)
{
    rw_program_destroy(&line->program);
    rw_array_destroy(&line->factors);
}

rw_status rw_fft_line_run(const rw_fft_line *line, rw_array *x, const rw_fft_place *from, rw_array *y, const rw_fft_place *to,
                          const int64_t lines[RW_FFT_LINE_AXES], double scale, rw_queue *q)
{
    const rw_arg args[] = {rw_arg_memory(y), rw_arg_memory(x), rw_arg_array(line->factors), rw_arg_int(to->first), rw_arg_int(from->first), rw_arg_int(to->step),
                           rw_arg_int(from->step), rw_arg_int(lines[0]), rw_arg_int(to->line[0]), rw_arg_int(from->line[0]), rw_arg_int(lines[1]), rw_arg_int(to->line[1]),
                           rw_arg_int(from->line[1]), rw_arg_int(to->line[2]), rw_arg_int(from->line[2]), rw_arg_real(scale)};
    return rw_launch(q, line->kernel, (const int64_t[]){(lines[0] + line->lines - 1) / line->lines * lines[1] * lines[2], 1, 1}, args, RW_COUNT(args));
}
