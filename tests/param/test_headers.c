/* Every "(default: X)" of a specification in the public headers is the default of its row, and every row whose default
 * is not plain has one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "param/param.h"
#include "rechenwerk/fft.h"
#include "rechenwerk/image.h"
#include "rechenwerk/krylov.h"
#include "rechenwerk/multiblock.h"
#include "rechenwerk/ode.h"
#include "rechenwerk/signal.h"
#include "rechenwerk/stream.h"

static rw_context *ctx;

static const struct {
    const rw_params *(*params)(void);
    const char *header;
} tables[] = {
    {rw_sparse_params, "sparse.h"},    {rw_precond_params, "precond.h"},       {rw_krylov_params, "krylov.h"},
    {rw_ode_params, "ode.h"},          {rw_multiblock_params, "multiblock.h"}, {rw_image_op_params, "image.h"},
    {rw_signal_op_params, "signal.h"}, {rw_signal_params, "signal.h"},         {rw_spectrogram_params, "signal.h"},
    {rw_fft_params, "fft.h"},          {rw_convolution_params, "fft.h"},       {rw_stream_params, "stream.h"},
};

/* A member and the default that its comment states, "" for none. */
typedef struct member {
    char name[32], standard[96];
} member;

static char *read_header(const char *name)
{
    const char *source = getenv("SOURCE");
    char path[512], *text;
    size_t n;
    snprintf(path, sizeof path, "%s/include/rechenwerk/%s", source ? source : "../../..", name);
    if (rw_file_read(ctx, path, 0, &text, &n) == RW_OK) return text;
    fail_msg("%s", rw_message(ctx));
    return NULL;
}

/* Name of the declaration that ends before `end`. */
static void name_before(const char *end, char name[32])
{
    const char *from = end;
    while (from[-1] == ']')
        while (*--from != '[') {}
    const char *last = from;
    while (strchr("abcdefghijklmnopqrstuvwxyz_0123456789", from[-1])) --from;
    snprintf(name, 32, "%.*s", (int)(last - from), from);
}

/* Members of `typedef struct TYPE { … }`. A comment belongs to the member before it in its line, else to the next
 * one. */
static int read_members(const char *text, const char *type, member *m, int most)
{
    char head[64], pending[96] = "";
    snprintf(head, sizeof head, "typedef struct %s {", type);
    const char *p = strstr(text, head);
    bool in_line = false;
    int n = 0;
    if (!p) {
        fail_msg("no %s", head);
        return 0;
    }
    for (p += strlen(head); *p != '}'; ++p) {
        if (*p == '\n') in_line = false;
        if (*p == ';' && n < most) {
            m[n] = (member){0};
            name_before(p, m[n].name);
            snprintf(m[n].standard, sizeof m[n].standard, "%s", pending);
            *pending = 0, ++n, in_line = true;
        }
        if (p[0] != '/' || p[1] != '*') continue;
        const char *end = strstr(p, "*/"), *standard = strstr(p, "(default: ");
        if (standard && standard < end) {
            standard += strlen("(default: ");
            char *to = in_line ? m[n - 1].standard : pending;
            snprintf(to, sizeof pending, "%.*s", (int)strcspn(standard, ")"), standard);
        }
        p = end + 1;
    }
    return n;
}

/* The member of a row is the one that its text names, or nearly: block is block_rows, complex is is_complex. */
static const member *member_of(const rw_param *row, const member *m, int n)
{
    for (int i = 0; i < n; ++i) {
        const size_t k = strlen(row->name);
        if (!strcmp(m[i].name, row->name) || (!strncmp(m[i].name, row->name, k) && m[i].name[k] == '_') ||
            (!strncmp(m[i].name, "is_", 3) && !strcmp(m[i].name + 3, row->name)))
            return m + i;
    }
    return NULL;
}

static void test_defaults(void **state)
{
    (void)state;
    int compared = 0, stated = 0;
    for (int t = 0; t < RW_COUNT(tables); ++t) {
        const rw_params *p = tables[t].params();
        char *text = read_header(tables[t].header);
        member m[80];
        const int n = read_members(text, p->type, m, RW_COUNT(m));
        for (int i = 0; i < n; ++i) stated += *m[i].standard != 0;
        for (int i = 0; i < p->n; ++i) {
            const rw_param *row = p->row + i;
            const member *found = member_of(row, m, n);
            if (!found) fail_msg("%s: no member %s", p->type, row->name);
            if (row->required || row->kind == RW_PARAM_BOOL || !*row->standard) {
                if (*found->standard)
                    fail_msg("%s.%s: the header states a default that the row has not", p->type, row->name);
                continue;
            }
            if (!strcmp(row->name, "block") && !strcmp(found->standard, row->standard)) ++compared;
            else if (strcmp(found->standard, row->standard))
                fail_msg("%s.%s: (default: %s) in %s, and the row says %s", p->type, row->name, found->standard,
                         tables[t].header, row->standard);
            else ++compared;
        }
        rw_free(text);
    }
    print_message("%d defaults\n", compared);
    assert_int_equal(compared, stated); /* each comment belongs to a row */
    assert_true(compared > 25);
}

/* Defaults and limits of a row agree, and a zeroed structure is what a text without options gives. */
static void test_rows(void **state)
{
    (void)state;
    for (int t = 0; t < RW_COUNT(tables); ++t) {
        const rw_params *p = tables[t].params();
        _Alignas(16) char zero[512] = {0}, read[512], text[400];
        assert_true(p->size <= sizeof zero);
        for (int i = 0; i < p->n; ++i) {
            const rw_param *row = p->row + i;
            char standard[64];
            rw_param_for(row->standard, NULL, standard, sizeof standard);
            if (*standard && rw_param_read_text(ctx, row, "test", row->name, NULL, standard, read) != RW_OK)
                fail_msg("%s: %s", p->type, rw_message(ctx));
            assert_true(*row->line && row->line[strlen(row->line) - 1] != '.');
            for (int k = 0; k < i; ++k) assert_string_not_equal(p->row[k].name, row->name);
        }
        if (strcmp(p->row->name, "method") && strcmp(p->row->name, "format")) continue;
        rw_params_print_sized(p, zero, text, sizeof text, p->size);
        assert_int_equal(rw_params_parse_sized(ctx, p, text, read, p->size), RW_OK);
        rw_params_print_sized(p, read, text, sizeof text, p->size);
        assert_int_equal(rw_params_resolve_sized(ctx, p, NULL, zero, p->size), RW_OK);
        assert_int_equal(rw_params_resolve_sized(ctx, p, NULL, read, p->size), RW_OK);
        assert_memory_equal(zero, read, p->size);
        assert_int_equal(rw_params_resolve_sized(ctx, p, NULL, read, p->size), RW_OK); /* again: the same */
        assert_memory_equal(zero, read, p->size);
    }
}

/* What a text names is used as given: 0 too. A number in a text, set alone or resolved twice, stays that number. */
static void test_zeros(void **state)
{
    (void)state;
    int walked = 0;
    for (int t = 0; t < RW_COUNT(tables); ++t) {
        const rw_params *p = tables[t].params();
        const bool by_method = !strcmp(p->row->name, "method") || !strcmp(p->row->name, "format");
        for (int i = 0; i < p->n; ++i) {
            const rw_param *row = p->row + i;
            if ((row->kind != RW_PARAM_INT && row->kind != RW_PARAM_REAL) || row->required) continue;
            for (int m = 0; m < (by_method ? 64 : 1); ++m) {
                char method[64] = "", standard[96], allowed[512], text[160], print[400], *stop;
                if (row->methods && !(row->methods >> m & 1)) continue;
                if (by_method && !(m && rw_param_enum_text(p->row, m, method, sizeof method))) continue;
                rw_param_for(row->standard, method, standard, sizeof standard);
                rw_param_for(row->allowed, method, allowed, sizeof allowed);
                const double plain = rw_strtod(standard, &stop);
                const bool zero_is_default = *standard && !*stop && plain == 0;
                _Alignas(16) char spec[512] = {0}, again[512];
                if (by_method) *(int *)(spec + p->row->offset) = m;
                if (rw_params_set_sized(ctx, p, "test", row->name, "0", spec, p->size) != RW_OK) continue;
                if (!strncmp(allowed, "off|", 4) || !strcmp(row->name, "block")) continue; /* 0 means off, or auto */
                ++walked;
                /* no other member can hold RW_ZERO */
                if (row->kind == RW_PARAM_INT && !zero_is_default)
                    fail_msg("%s.%s: 0 is allowed and not the default", p->type, row->name);
                if (row->kind == RW_PARAM_INT) continue;
                snprintf(text, sizeof text, "%s:%s=0", method, row->name);
                for (int pass = 0; pass < 4; ++pass) { /* set, resolved, resolved again, parsed from what is printed */
                    double x;
                    memcpy(&x, spec + row->offset, sizeof x);
                    if (x != 0 || !signbit(x) != zero_is_default)
                        fail_msg("%s %s: %s is %g in pass %d", p->type, text, row->name, x, pass);
                    if (pass < 2) assert_int_equal(rw_params_resolve_sized(ctx, p, NULL, spec, p->size), RW_OK);
                    if (pass != 2) continue;
                    rw_params_print_sized(p, spec, print, sizeof print, p->size);
                    if (!zero_is_default && !strstr(print, "=0") && !strstr(print, ":0"))
                        fail_msg("%s %s is printed as %s", p->type, text, print);
                    if (strstr(print, "=-0") || strstr(print, ":-0"))
                        fail_msg("%s %s is printed as %s", p->type, text, print);
                    if (!by_method) break;
                    assert_int_equal(rw_params_parse_sized(ctx, p, print, again, p->size), RW_OK);
                    memcpy(spec, again, sizeof spec);
                }
            }
        }
    }
    print_message("%d zeros\n", walked);
    assert_true(walked > 50);
}

static void test_texts(void **state)
{
    (void)state;
    rw_ode_spec spec;
    static const char text[] = "rock4:rtol=1e-3:record=off:spectral_radius=2*t: 3";
    assert_int_equal(rw_params_parse(ctx, rw_ode_params(), text, &spec), RW_OK);
    assert_true(spec.method == RW_ODE_ROCK4 && spec.rtol == 1e-3 && spec.record == RW_SWITCH_OFF);
    assert_ptr_equal(spec.spectral_radius, strstr(text, "2*t")); /* the caller's, to its end */
    rw_krylov_spec solver = {0};
    assert_int_equal(rw_params_set(ctx, rw_krylov_params(), "here", "rtol", "0", &solver), RW_OK);
    assert_true(solver.rtol == RW_OFF); /* as off, where off is possible */
    assert_int_equal(rw_params_set(ctx, rw_krylov_params(), "here", "restart", "auto", &solver), RW_OK);
    assert_int_equal(solver.restart, 0);
    assert_int_equal(rw_params_set(ctx, rw_krylov_params(), "here", "restrat", "3", &solver), RW_ERR_ARGUMENT);
    assert_non_null(strstr(rw_message(ctx), "here: \"restrat\" is not an option of gmres; nearest is restart"));
}

static int begin(void **state)
{
    (void)state;
    return rw_context_create(&ctx);
}
static int end(void **state)
{
    (void)state;
    rw_context_destroy(&ctx);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_defaults), cmocka_unit_test(test_rows),
                                       cmocka_unit_test(test_zeros), cmocka_unit_test(test_texts)};
    return cmocka_run_group_tests(tests, begin, end);
}
