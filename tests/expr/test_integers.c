/* Fields of i64 and u64: random expressions against the same computed in C, modulo 2^64, on every device and with every
 * strategy; by hand where integers and real numbers meet, and where values are read beyond the sides; what is
 * refused. */
/* TEST: devices=all */
#include "expr_test.h"

#include <inttypes.h>

enum { CELLS = 61, OUTPUTS = 8, LEAVES = 3, NODES = 64 };

/* ---- random expressions ------------------------------------------------------------------------------------------ */

typedef enum op { LEAF, NUMBER, ADD, SUB, MUL, DIV, MOD, MIN, MAX, NEG, ABS, SIGN, WHERE } op;
typedef struct node {
    op op;
    int arg[4];
    int64_t number;
} node; /* WHERE: args 0 < 1 ? 2 : 3 */
typedef struct tree {
    node node[NODES];
    int n;
    uint64_t seed, drawn;
} tree;

static int draw(tree *t, int n) { return (int)(rw_random_u64(t->seed, t->drawn++) % (uint64_t)n); }

static int add_node(tree *t, node n)
{
    assert_true(t->n < NODES);
    t->node[t->n] = n;
    return t->n++;
}

/* At most one operand of an operation is a number, since two are computed as real ones. */
static int grow(tree *t, int depth, bool number)
{
    static const int numbers[] = {1, 2, 3, 7, 10, 64, 1000, 1234567};
    if (depth == 0)
        return number && draw(t, 3) == 0 ? add_node(t, (node){NUMBER, {0}, numbers[draw(t, RW_COUNT(numbers))]})
                                         : add_node(t, (node){LEAF, {0}, draw(t, LEAVES)});
    node n = {.op = (op)(ADD + draw(t, WHERE - ADD + 1))};
    const int count = n.op == WHERE ? 4 : n.op >= NEG ? 1 : 2;
    bool has = count == 1;
    for (int i = 0; i < count; ++i) {
        if (i == 2) has = false;
        n.arg[i] = grow(t, draw(t, depth), !has);
        has = has || t->node[n.arg[i]].op == NUMBER;
    }
    return add_node(t, n);
}

static void print(const tree *t, int i, char *text)
{
    static const char *const form[] = {[ADD] = "(%s + %s)",
                                       [SUB] = "(%s - %s)",
                                       [MUL] = "(%s*%s)",
                                       [DIV] = "(%s/%s)",
                                       [MOD] = "mod(%s, %s)",
                                       [MIN] = "min(%s, %s)",
                                       [MAX] = "max(%s, %s)",
                                       [NEG] = "(-%s)",
                                       [ABS] = "abs(%s)",
                                       [SIGN] = "sign(%s)",
                                       [WHERE] = "where(%s < %s, %s, %s)"};
    enum { LENGTH = 2000 };
    const node *n = t->node + i;
    char arg[4][LENGTH];
    if (n->op == LEAF) {
        sprintf(text, "%c", 'a' + (char)n->number);
        return;
    }
    if (n->op == NUMBER) {
        sprintf(text, "%" PRId64, n->number);
        return;
    }
    for (int k = 0; k < (n->op == WHERE ? 4 : n->op >= NEG ? 1 : 2); ++k) print(t, n->arg[k], arg[k]);
    snprintf(text, LENGTH, form[n->op], arg[0], arg[1], arg[2], arg[3]);
}

static uint64_t value(const tree *t, int i, bool sign, const uint64_t *leaf)
{
    const node *n = t->node + i;
    if (n->op == LEAF) return leaf[n->number];
    if (n->op == NUMBER) return (uint64_t)n->number;
    const uint64_t a = value(t, n->arg[0], sign, leaf),
                   b = n->op < NEG || n->op == WHERE ? value(t, n->arg[1], sign, leaf) : 0;
    const int64_t sa = (int64_t)a, sb = (int64_t)b;
    const bool less = sign ? sa < sb : a < b;
    switch (n->op) {
    case ADD: return a + b;
    case SUB: return a - b;
    case MUL: return a * b;
    case NEG: return -a;
    case DIV: return b == 0 ? 0 : !sign ? a / b : sb == -1 ? -a : (uint64_t)(sa / sb);
    case MOD: {
        if (b == 0 || (sign && sb == -1)) return 0;
        if (!sign) return a % b;
        const __int128 m = (__int128)sa % sb;
        return (uint64_t)(int64_t)(m != 0 && (m < 0) != (sb < 0) ? m + sb : m);
    }
    case MIN: return less ? a : b;
    case MAX: return less ? b : a;
    case ABS: return sign && sa < 0 ? -a : a;
    case SIGN: return a == 0 ? 0 : sign && sa < 0 ? (uint64_t)-1 : 1;
    case WHERE: return value(t, n->arg[less ? 2 : 3], sign, leaf);
    default: return 0;
    }
}

/* Of all sizes, and the ends of the range. */
static uint64_t leaf_value(uint64_t seed, int i)
{
    static const uint64_t ends[] = {0,
                                    1,
                                    (uint64_t)-1,
                                    (uint64_t)1 << 63,
                                    ((uint64_t)1 << 63) - 1,
                                    2,
                                    (uint64_t)-2,
                                    (uint64_t)1 << 53,
                                    ((uint64_t)1 << 53) + 1};
    const uint64_t u = rw_random_u64(seed, (uint64_t)i);
    return i < RW_COUNT(ends) ? ends[(i + (int)seed) % RW_COUNT(ends)] : u >> rw_random_u64(seed + 1, (uint64_t)i) % 64;
}

static void run_random(rw_device *dev, rw_dtype dtype, uint64_t seed)
{
    static tree trees[OUTPUTS];
    static char text[OUTPUTS * 2100];
    static const char *const words[] = {"a", "b", "c", "o0", "o1", "o2", "o3", "o4", "o5", "o6", "o7"};
    rw_expr_field fields[LEAVES + OUTPUTS];
    rw_array *arrays[LEAVES + OUTPUTS];
    uint64_t leaves[LEAVES][CELLS];
    rw_expr *e;
    void *w;
    text[0] = 0;
    for (int k = 0; k < OUTPUTS; ++k) {
        char one[2000];
        trees[k] = (tree){.seed = seed * 100 + (uint64_t)k};
        print(trees + k, grow(trees + k, 4, false), one);
        sprintf(text + strlen(text), "o%d = %s\n", k, one);
    }
    for (int f = 0; f < LEAVES + OUTPUTS; ++f) fields[f] = (rw_expr_field){.name = words[f], .dtype = dtype};
    rw_expr_spec spec = {.name = "random",
                         .text = text,
                         .grid = grid1(CELLS, 1),
                         .fields = fields,
                         .nfields = LEAVES + OUTPUTS};
    if (rw_expr_create(dev, &spec, &e) != RW_OK) fail_msg("%s: %s", rw_message(ctx), text);
    for (int f = 0; f < LEAVES + OUTPUTS; ++f) {
        arrays[f] = field_array(dev, &spec.grid, dtype);
        OK(rw_array_write(arrays[f], &w));
        for (int i = 0; i < CELLS; ++i) ((uint64_t *)w)[i] = leaf_value(seed * 10 + (uint64_t)f, i);
        if (f < LEAVES) memcpy(leaves[f], w, sizeof leaves[f]);
        OK(rw_expr_bind(e, words[f], arrays[f]));
    }
    OK(rw_expr_run(e, rw_device_queue(dev)));
    for (int k = 0; k < OUTPUTS; ++k) {
        const void *p;
        OK(rw_array_read(arrays[LEAVES + k], &p));
        for (int i = 0; i < CELLS; ++i) {
            const uint64_t leaf[] = {leaves[0][i], leaves[1][i], leaves[2][i]}, have = ((const uint64_t *)p)[i],
                           want = value(trees + k, trees[k].n - 1, dtype == RW_I64, leaf);
            if (have != want)
                fail_msg("%s, %s, seed %d: o%d = %" PRId64 ", not %" PRId64 " for a, b, c = %" PRId64 ", %" PRId64
                         ", %" PRId64 " in\n%s",
                         rw_device_info(dev)->name, rw_dtype_name(dtype), (int)seed, k, (int64_t)have, (int64_t)want,
                         (int64_t)leaf[0], (int64_t)leaf[1], (int64_t)leaf[2], text);
        }
    }
    rw_expr_destroy(&e);
    for (int f = 0; f < LEAVES + OUTPUTS; ++f) rw_array_destroy(&arrays[f]);
}

static void test_random_expressions(void **state)
{
    (void)state;
    static const char *const tilings[] = {NULL, "gpu", "fused", "stream", "cpu"};
    rw_device *devices[16];
    const int n = open_devices(devices, 16), programs = test_long() ? 20 : 2;
    for (int d = 0; d < n; ++d)
        for (int s = 0; s < programs; ++s)
            for (int k = 0; k < (strcmp(rw_device_info(devices[d])->kind, "check") ? RW_COUNT(tilings) : 1); ++k) {
                if (k && (!test_long() || s % 4 != k % 4)) continue;
                rw_device *dev = with_tiling(devices[d], tilings[k]);
                run_random(dev, s % 2 ? RW_U64 : RW_I64, (uint64_t)(s + 1));
                rw_device_close(&dev);
            }
    for (int d = 0; d < n; ++d) rw_device_close(&devices[d]);
}

/* ---- integers among other numbers -------------------------------------------------------------------------------- */

static void write_four(rw_array *a, const void *values) /* 4 elements */
{
    void *w;
    OK(rw_array_write(a, &w));
    memcpy(w, values, 4 * rw_dtype_size(a->dtype));
}

/* Whole numbers of smaller types join exactly, real numbers make real ones; what is assigned is the nearest, at most
 * the largest; the sides; sums. */
static void test_by_hand(void **state)
{
    (void)state;
    static const char text[] =
        "p = n + 2*s\n"          /* i64 from i32: exact */
        "q = n/2\n"              /* cut towards 0 */
        "r = 0.5*n\n"            /* a real number, to the nearest */
        "f = n - 0.25\n"         /* f64 */
        "b = n\n"                /* u8 */
        "h = n == s\n"           /* bool */
        "g = 1e19 + 0*f\n"       /* beyond i64 */
        "v = n^2 - n*n + n^-1\n" /* a reciprocal is real */
        "k = dx(n)\n"            /* differences of neighbours, to f64; the first cell again beyond the left side */
        "w = sum(n)\n"
        "m = min(n)\n";
    static const int64_t n[] = {((int64_t)1 << 53) + 1, -7, 300, 2};
    static const int32_t s[] = {-3, 5, 300, INT32_MAX};
    static const char *const words[] = {"n", "s", "p", "q", "r", "f", "b", "h", "g", "v", "k"};
    static const rw_dtype types[] = {RW_I64, RW_I32,  RW_I64, RW_I64, RW_I64, RW_F64,
                                     RW_U8,  RW_BOOL, RW_I64, RW_F64, RW_F64};
    rw_device *devices[16];
    const int count = open_devices(devices, 16);
    for (int d = 0; d < count; ++d) {
        rw_expr_field fields[RW_COUNT(words)];
        rw_array *arrays[RW_COUNT(words)];
        const void *p[RW_COUNT(words)];
        rw_expr *e;
        for (int f = 0; f < RW_COUNT(words); ++f) fields[f] = (rw_expr_field){.name = words[f], .dtype = types[f]};
        rw_expr_spec spec = {.name = "by hand",
                             .text = text,
                             .grid = grid1(4, 1),
                             .fields = fields,
                             .nfields = RW_COUNT(words)};
        OK(rw_expr_create(devices[d], &spec, &e));
        for (int f = 0; f < RW_COUNT(words); ++f) {
            arrays[f] = field_array(devices[d], &spec.grid, types[f]);
            OK(rw_array_zero(arrays[f], rw_device_queue(devices[d])));
            OK(rw_expr_bind(e, words[f], arrays[f]));
        }
        write_four(arrays[0], n), write_four(arrays[1], s);
        OK(rw_expr_run(e, rw_device_queue(devices[d])));
        for (int f = 0; f < RW_COUNT(words); ++f) OK(rw_array_read(arrays[f], &p[f]));
        for (int i = 0; i < 4; ++i) {
            static const int64_t half[] = {(int64_t)1 << 52, -4, 150, 1}; /* of 2^53 + 1: f64 has 2^53 */
            assert_true(((const int64_t *)p[2])[i] == n[i] + 2 * (int64_t)s[i]);
            assert_true(((const int64_t *)p[3])[i] == n[i] / 2);
            assert_true(((const int64_t *)p[4])[i] == half[i]);
            assert_true(((const double *)p[5])[i] == (double)n[i] - 0.25);
            assert_true(((const uint8_t *)p[6])[i] == (n[i] > 255 ? 255 : n[i] < 0 ? 0 : n[i]));
            assert_true(((const uint8_t *)p[7])[i] == (n[i] == s[i]));
            assert_true(((const int64_t *)p[8])[i] == INT64_MAX);
            assert_true(fabs(((const double *)p[9])[i] - 1. / (double)n[i]) < 1e-15);
        }
        assert_true(((const double *)p[10])[2] == 4.5); /* (2 + 7)/2 */
        assert_true(scalar(e, "m") == -7);
        assert_true(fabs(scalar(e, "w") - ((double)n[0] + 295)) <= 2);
        rw_expr_destroy(&e);
        for (int f = 0; f < RW_COUNT(words); ++f) rw_array_destroy(&arrays[f]);
        rw_device_close(&devices[d]);
    }
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

typedef struct constant {
    const char *text;
    int64_t want[4];
} constant;

/* m, u, s are -5, 2^62, 2^53 + 1, 9; 0, 5, 2^64 - 1, 2^63; -3, 7, 2^31 - 1, -2^31. */
static const int64_t signed_values[] = {-5, (int64_t)1 << 62, ((int64_t)1 << 53) + 1, 9};
static const uint64_t unsigned_values[] = {0, 5, UINT64_MAX, (uint64_t)1 << 63};
static const int32_t short_values[] = {-3, 7, INT32_MAX, INT32_MIN};

#define CUBE 1000009000027000027 /* 1000003^3 */
#define ALL(v)                                                                                                         \
    {                                                                                                                  \
        v, v, v, v                                                                                                     \
    }
#define M(i) ((uint64_t)signed_values[i])
#define S(i) ((uint64_t)(int64_t)short_values[i])
#define EACH(of)                                                                                                       \
    {                                                                                                                  \
        (int64_t)(of(0)), (int64_t)(of(1)), (int64_t)(of(2)), (int64_t)(of(3))                                         \
    }
#define PLUS_CUBE(i) M(i) + CUBE
#define TIMES_CUBE(i) M(i) * CUBE
#define PLUS_ODD(i) M(i) + 9007199254740993
#define SQUARES(i) M(i) + S(i) * S(i) * S(i)
#define SQUARE(i) S(i) * S(i)

/* All rows in one program. */
static void run_constants(rw_device *dev, rw_dtype dtype, const constant *rows, int n, bool reassociate)
{
    enum { MOST = 16 };
    static const rw_dtype types[] = {RW_I64, RW_U64, RW_I32};
    static const char *const inputs[] = {"m", "u", "s"};
    const void *values[] = {signed_values, unsigned_values, short_values}, *p;
    rw_array *arrays[3 + MOST];
    rw_expr_field fields[3 + MOST] = {0};
    char text[4000] = "", words[MOST][8];
    rw_expr *e;
    assert_true(n <= MOST);
    for (int f = 0; f < 3 + n; ++f) {
        const int r = f - 3;
        fields[f] = (rw_expr_field){.name = f < 3 ? inputs[f] : words[r], .dtype = f < 3 ? types[f] : dtype};
        if (r < 0) continue;
        sprintf(words[r], "o%d", r);
        sprintf(text + strlen(text), "o%d = %s\n", r, rows[r].text);
    }
    rw_expr_spec spec = {.name = "constants",
                         .text = text,
                         .grid = grid1(4, 1),
                         .fields = fields,
                         .nfields = 3 + n,
                         .reassociate = reassociate};
    if (rw_expr_create(dev, &spec, &e) != RW_OK) fail_msg("%s: %s", rw_message(ctx), text);
    for (int f = 0; f < 3 + n; ++f) {
        arrays[f] = field_array(dev, &spec.grid, fields[f].dtype);
        if (f < 3) write_four(arrays[f], values[f]);
        OK(rw_expr_bind(e, fields[f].name, arrays[f]));
    }
    OK(rw_expr_run(e, rw_device_queue(dev)));
    for (int r = 0; r < n; ++r) {
        OK(rw_array_read(arrays[3 + r], &p));
        for (int i = 0; i < 4; ++i)
            if (((const int64_t *)p)[i] != rows[r].want[i])
                fail_msg("%s, %s: o = %s gives %" PRId64 " at node %d, not %" PRId64, rw_device_info(dev)->name,
                         rw_dtype_name(dtype), rows[r].text, ((const int64_t *)p)[i], i, rows[r].want[i]);
    }
    rw_expr_destroy(&e);
    for (int f = 0; f < 3 + n; ++f) rw_array_destroy(&arrays[f]);
}

/* Integers among constants are exact in operations with integers; beyond the range of the type they are real numbers,
 * except in comparisons. */
static void test_constants(void **state)
{
    (void)state;
    static const constant of_i64[] = {
        {"m + 1000003^3", EACH(PLUS_CUBE)},
        {"1000003*1000003*1000003*m", EACH(TIMES_CUBE)},
        {"m + 9007199254740993", EACH(PLUS_ODD)},
        {"m + 9007199254740992.0 + 1", EACH(PLUS_ODD)},
        {"m + (9.007199254740993e15*7)/7", EACH(PLUS_ODD)},
        {"m + (2^100 - (2^100 - 9007199254740993))", EACH(PLUS_ODD)},
        {"m + max(9007199254740993, mod(-1, 9007199254740993))", EACH(PLUS_ODD)},
        {"m + where(9007199254740993 > 9007199254740992, 9007199254740993, 0)", EACH(PLUS_ODD)},
        {"m + where(s < 100, where(s < 99, 9007199254740993, 9007199254740993 - 0), 9007199254740993 + 0*s)",
         EACH(PLUS_ODD)},
        {"m + s*s*s", EACH(SQUARES)}, /* products of small integers too */
        {"s*s", EACH(SQUARE)},
        {"9007199254740993", ALL(9007199254740993)},
        {"-9223372036854775808", ALL(INT64_MIN)},
        {"9223372036854775807", ALL(INT64_MAX)},
        {"1e30", ALL(INT64_MAX)},
        {"where(s != s + 1, 9007199254740993, 5)", ALL(9007199254740993)},
        {"m == 9007199254740993", {0, 0, 1, 0}},
        {"m == 9007199254740992", {0, 0, 0, 0}},
        {"m < 9007199254740993", {1, 0, 0, 1}},
        {"9223372036854775808 > m - m + 9223372036854775807", ALL(1)},
        {"m + 9223372036854775798 < 9223372036854775808", ALL(1)},
        {"u < 18446744073709551616", ALL(1)},
        {"u == 18446744073709551615", {0, 0, 1, 0}},
        {"u > -1", ALL(1)},
        {"u == 2^64 - 1", {0, 0, 1, 0}},
        {"min(m, 9223372036854775808)", {-5, (int64_t)1 << 62, ((int64_t)1 << 53) + 1, 9}},
        {"m*0 + 4611686018427387905 - s*s", {4611686018427387896, 4611686018427387856, 4294967296, 1}},
    };
    static const constant of_u64[] = {{"u + 18446744073709551615", {-1, 4, -2, INT64_MAX}},
                                      {"u + 2^63", {INT64_MIN, INT64_MIN + 5, INT64_MAX, 0}},
                                      {"18446744073709551615", ALL(-1)},
                                      {"(u + 1) - u - 2", ALL(-1)},
                                      {"(u - 5)/2", {9223372036854775805, 0, 9223372036854775805, 4611686018427387901}},
                                      {"u/18446744073709551615", {0, 0, 1, 0}},
                                      {"-5", ALL(0)}};
    rw_device *devices[16];
    const int count = open_devices(devices, 16);
    for (int d = 0; d < count; ++d) {
        enum { HALF = RW_COUNT(of_i64) / 2 };
        run_constants(devices[d], RW_I64, of_i64, HALF, false);
        run_constants(devices[d], RW_I64, of_i64 + HALF, RW_COUNT(of_i64) - HALF, true);
        run_constants(devices[d], RW_U64, of_u64, RW_COUNT(of_u64), d % 2);
        rw_device_close(&devices[d]);
    }
}

static void test_refused(void **state)
{
    (void)state;
    rw_device *dev = open_device("cpu");
    rw_expr_field field = {.name = "a", .dtype = RW_I64};
    rw_expr_spec spec = {.name = "refused", .text = "a = a + 1", .grid = grid1(6, 1), .fields = &field, .nfields = 1};
    rw_expr *e;
    field.boundary[1].kind = RW_BOUNDARY_DIRICHLET;
    FAILS(rw_expr_create(dev, &spec, &e), RW_ERR_ARGUMENT,
          "boundary of a, upper x side: dirichlet needs floating-point values: fields of i64 accept nearest, periodic, "
          "reflect101, reflect or constant");
    field.boundary[1].kind = RW_BOUNDARY_NEAREST;
    compiler(false);
    FAILS(rw_expr_create(dev, &spec, &e), RW_ERR_UNSUPPORTED,
          "refused: field a of i64: with functions in C, or without a compiler, fields must have real or complex types "
          "or integers of up to 32 bits");
    compiler(true);
    rw_device_close(&dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_random_expressions, make_context,
                                                                       drop_context),
                                       cmocka_unit_test_setup_teardown(test_by_hand, make_context, drop_context),
                                       cmocka_unit_test_setup_teardown(test_constants, make_context, drop_context),
                                       cmocka_unit_test_setup_teardown(test_refused, make_context, drop_context)};
    return cmocka_run_group_tests_name("integers", tests, NULL, NULL);
}
