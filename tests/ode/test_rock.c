/* Coefficients of the ROCK methods: order, stability, intervals, against published figures and against the equations
 * they come from, for every number of stages up to 256 and some beyond. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ode/rock.h"
#include "rechenwerk/core.h"

static rw_context *ctx;

static rw_rock *make(rw_rock_kind kind, int stages, double damping)
{
    rw_rock *r;
    if (rw_rock_create(ctx, kind, stages, damping, &r) != RW_OK) fail_msg("%d stages: %s", stages, rw_message(ctx));
    return r;
}

/* Largest |R| from the first minimum of |R| down to -interval. */
static double largest(const rw_rock *r)
{
    rw_wide z = 0, v = 1, next, most = 0;
    while ((next = fabsl(rw_rock_response(r, z - 0.02L))) < v) z -= 0.02L, v = next;
    int n = 30 * r->stages;
    rw_wide from = acosl(1 + 2 * z / r->interval);
    for (int k = 0; k <= n; ++k) {
        rw_wide x = -r->interval * (1 - cosl(from + (acosl(-1) - from) * k / n)) / 2;
        most = fmaxl(most, fabsl(rw_rock_response(r, x)));
    }
    return (double)most;
}

/* As a program has them: in double precision; it computes g1 + kappa (g1 - g0), so that nu is -1 - kappa exactly. */
static void round_to_double(rw_rock *r)
{
    for (int i = 0; i < r->nblocks; ++i) {
        rw_rock_block *b = r->block + i;
        for (int j = 1; j <= b->m; ++j)
            b->mu[j] = (double)b->mu[j], b->kappa[j] = (double)b->kappa[j], b->nu[j] = -1 - b->kappa[j];
        for (int j = 0; j < 6; ++j) b->a[j] = (double)b->a[j];
        for (int j = 0; j < RW_ROCK_FINISH; ++j) b->b[j] = (double)b->b[j], b->e[j] = (double)b->e[j];
    }
}

/* ROCK2 is designed by its first two humps; a later one may be a little higher. */
static double allowed(rw_rock_kind kind, double damping) { return damping + (kind == RW_ROCK2 ? 2e-4 : 1e-9); }

static void check_all(rw_rock_kind kind, int first, int step, double share, int from)
{
    double worst = 0, worst_estimate = 0, worst_damping = 0, least = 1, estimate = 0;
    for (int s = first; s <= 256; s += step) {
        rw_rock *r = make(kind, s, 0.95);
        rw_wide defect, estimate_defect, next;
        rw_rock_order(r, &defect, &estimate_defect, &next);
        round_to_double(r);
        rw_rock_order(r, &defect, &estimate_defect, &next);
        worst = fmax(worst, (double)defect), worst_estimate = fmax(worst_estimate, (double)estimate_defect);
        double most = largest(r);
        worst_damping = fmax(worst_damping, most);
        if (s >= from) least = fmin(least, (double)(r->interval / s / s));
        if (defect > 1e-14L || estimate_defect > 1e-13L || most > allowed(kind, 0.95))
            fail_msg("%d stages: order %.2Lg, estimate %.2Lg, |R| %.12g", s, defect, estimate_defect, most);
        if (s >= from && r->interval < share * s * s) fail_msg("%d stages: interval %.6Lg s^2", s, r->interval / s / s);
        for (int k = 1; k <= 500; ++k)
            estimate = fmax(estimate, (double)fabsl(rw_rock_estimate_response(r, -r->interval * k / 500)));
        double quick = rw_rock_interval(kind, s);
        if (quick > (double)r->interval * (1 + 1e-9) || quick < 0.99 * (double)r->interval)
            fail_msg("%d stages: interval %.9Lg, without coefficients %.9g", s, r->interval, quick);
        rw_rock_destroy(&r);
    }
    print_message(
        "# kind %d: order %.1e, estimate %.1e, |R| %.10f, interval >= %.6f s^2 from s = %d, stiff estimate %.2f\n",
        kind, worst, worst_estimate, worst_damping, least, from, estimate);
    assert_true(estimate < 4);
}

static void test_rock4(void **state) { (void)state, check_all(RW_ROCK4, 5, 1, 0.3527, 80); }
static void test_rock2(void **state) { (void)state, check_all(RW_ROCK2, 3, 1, 0.80, 20); }
static void test_split(void **state) { (void)state, check_all(RW_ROCK4_SPLIT, 16, 2, 0.3265, 80); }

/* Intervals of Abdulle's table (measured to |R| = 1) and of one that was computed with the same equations. */
static void test_published(void **state)
{
    static const struct {
        int s;
        double published, computed;
    } rows[] = {{5, 6.012, 6.0120},         {10, 32.4567, 32.4567},  {20, 138.3679, 138.3985}, {40, 561.9088, 562.2332},
                {80, 2256.8799, 2257.5892}, {124, 5446.25, 5427.91}, {133, 6274.35, 6244.86},  {152, 8197.23, 8157.43}};
    (void)state;
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        rw_rock *r = make(RW_ROCK4, rows[i].s, 0.95);
        rw_wide z = r->interval; /* on to |R| = 1 */
        while (fabsl(rw_rock_response(r, -z)) < 1) z *= 1 + 1e-7L;
        if (fabs((double)z - rows[i].computed) > 2e-5 * rows[i].computed)
            fail_msg("%d stages: interval %.4Lf, expected %.4f", rows[i].s, z, rows[i].computed);
        print_message("# s = %d: interval %.4Lf, published %.4f; |R| %.6f\n", rows[i].s, z, rows[i].published,
                      largest(r));
        rw_rock_destroy(&r);
    }
    for (int i = 0; i < 2; ++i) { /* where the published table grows: 1,000 steps at the hump */
        rw_rock *r = make(RW_ROCK4, i ? 152 : 133, 0.95);
        assert_true(fabsl(rw_rock_response(r, -8.396L)) < 0.9501L);
        rw_rock_destroy(&r);
    }
}

typedef struct tableau {
    double a[6], b[4];
} tableau;

/* Finishing stages of small error of the next order, as a search among those that obey the conditions found them, to
 * four digits. */
static void begin_tableau(rw_rock *r)
{
    static const tableau many[][2] = {
        [RW_ROCK2] = {{{0.152}, {-0.592, 1.067}}},
        [RW_ROCK4] = {{{-0.1039, 1.2379, -0.8427, -0.1318, 0.2293, 0.4473}, {0.4561, -0.2192, 0.1897, 0.2472}}},
        [RW_ROCK4_SPLIT] = {{{0.28176, 0.84399, 0, -0.29912, 0.41402, -0.13822},
                             {-0.23349, 0.65960, -0.06552, 0.26332}},
                            {{-0.5374}, {0.1895, -0.1432}}},
    };
    /* what ROCK4 has beside that with fewer, in (8/s)^2 and its square; and what it has with 5, 6, 7 */
    static const tableau fewer = {{-0.0858, 0.0417, 0.0819, 0.0283, 0.0320, -0.0395},
                                  {-0.0393, 0.0763, 0.0573, -0.0585}},
                         bend = {{0.0388, -0.0085, -0.0566, -0.0137, -0.0296, 0.0534},
                                 {0.0472, -0.0624, -0.0274, 0.0500}};
    static const tableau few[] =
        {{{-0.1184, 1.2166, -0.8240, -0.3058, 0.2785, 0.6933}, {0.5776, -0.3208, 0.2224, 0.3445}},
         {{-0.1416, 1.3475, -0.8955, -0.1934, 0.2735, 0.5464}, {0.5215, -0.2558, 0.2435, 0.2538}},
         {{-0.1506, 1.2652, -0.8164, -0.1186, 0.2222, 0.4917}, {0.4782, -0.2179, 0.2260, 0.2474}}};
    bool is_rock4 = r->kind == RW_ROCK4, is_few = is_rock4 && r->stages < 8;
    double u = is_rock4 && !is_few ? 64.0 / r->stages / r->stages : 0;
    for (int i = 0; i < r->nblocks; ++i) {
        const tableau *from = is_few ? few + r->stages - 5 : many[r->kind] + i;
        rw_rock_block *b = r->block + i;
        for (int j = 0; j < 6; ++j) b->a[j] = from->a[j] + u * (fewer.a[j] + u * bend.a[j]);
        for (int j = 0; j < 4; ++j) b->b[j] = from->b[j] + u * (fewer.b[j] + u * bend.b[j]);
    }
}

static double apart(const rw_wide *x, const rw_wide *y, int n)
{
    double e = 0;
    for (int i = 0; i < n; ++i) e = fmax(e, (double)fabsl(x[i] - y[i]));
    return e;
}

static double tableaus_apart(const rw_rock *x, const rw_rock *y)
{
    double e =
        fmax(apart(&x->start, &y->start, 1), fmax(apart(&x->middle, &y->middle, 1), apart(&x->last, &y->last, 1)));
    for (int i = 0; i < x->nblocks; ++i) {
        const rw_rock_block *b = x->block + i, *c = y->block + i;
        e = fmax(e, fmax(apart(b->a, c->a, 6), fmax(apart(b->b, c->b, 4), apart(b->e, c->e, 4))));
    }
    return e;
}

/* How far the tableau that obeys the conditions lies from what the tables give. */
static double tableau_by_conditions(rw_rock *r, const rw_rock *table)
{
    begin_tableau(r);
    if (rw_rock_finish(ctx, r) != RW_OK) fail_msg("%d stages: %s", r->stages, rw_message(ctx));
    double e = tableaus_apart(r, table);
    if (e > 1e-12) fail_msg("kind %d, %d stages: the tableau is %.3g from the series", r->kind, r->stages, e);
    return e;
}

static void test_tableaus_of_fewest_stages(void **state)
{
    static const rw_rock_kind kinds[] = {RW_ROCK2, RW_ROCK4};
    (void)state;
    for (int i = 0; i < RW_COUNT(kinds); ++i) {
        rw_rock *r, *table = make(kinds[i], rw_rock_least(kinds[i]), 0.95);
        assert_int_equal(rw_rock_begin(ctx, kinds[i], table->stages, 0.95, &r), RW_OK);
        assert_int_equal(rw_rock_design(ctx, r), RW_OK);
        tableau_by_conditions(r, table);
        rw_rock_destroy(&table), rw_rock_destroy(&r);
    }
}

/* The unknowns from two digits at the smallest number of stages and Newton's method from each number to the next. */
static void test_without_tables(void **state)
{
    static const struct {
        rw_rock_kind kind;
        int first, step;
        rw_wide x[8];
    } rows[] = {{RW_ROCK2, 4, 1, {-1.23L, 1.28L, 0.11L, 5.8L}},
                {RW_ROCK4, 6, 1, {-2.16L, 1.17L, -0.22L, 3.06L, -0.16L, 5.02L}},
                {RW_ROCK4_SPLIT, 16, 2, {-2.48L, 1.31L, -0.2L, 40.8L, -0.29L, 3.5L, 8.9L, 36.5L}}};
    (void)state;
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        rw_rock *old = NULL;
        double worst = 0, worst_tableau = 0;
        for (int s = rows[i].first; s <= 256; s += rows[i].step) {
            rw_rock *r, *table = make(rows[i].kind, s, 0.95);
            assert_int_equal(rw_rock_begin(ctx, rows[i].kind, s, 0.95, &r), RW_OK);
            for (int b = 0, n = 0; b < r->nblocks; ++b) {
                rw_rock_block *to = r->block + b, *from = old ? old->block + b : NULL;
                for (int j = 0; j < to->pairs; ++j, n += 2)
                    to->re[j] = from ? from->re[j] : rows[i].x[n], to->im[j] = from ? from->im[j] : rows[i].x[n + 1];
                to->delta = from ? from->delta : rows[i].x[n];
                to->scale = from ? from->scale * s * s / old->stages / old->stages : rows[i].x[n + 1];
                n += 2;
            }
            if (rw_rock_design(ctx, r) != RW_OK) fail_msg("%d stages: %s", s, rw_message(ctx));
            for (int b = 0; b < r->nblocks; ++b) {
                rw_rock_block *x = r->block + b, *y = table->block + b;
                double e = (double)fabsl(x->scale / y->scale - 1);
                for (int j = 0; j < x->pairs; ++j)
                    e = fmax(e, fmax((double)fabsl(x->re[j] - y->re[j]), (double)fabsl(x->im[j] - y->im[j])));
                e = fmax(e, (double)fabsl(x->delta - y->delta));
                worst = fmax(worst, e);
                if (e > 2e-11) fail_msg("kind %d, %d stages: %.3g from the series", rows[i].kind, s, e);
            }
            worst_tableau = fmax(worst_tableau, tableau_by_conditions(r, table));
            rw_rock_destroy(&table), rw_rock_destroy(&old);
            old = r;
        }
        rw_rock_destroy(&old);
        print_message("# kind %d: series and equations differ by %.1e, tableaus by %.1e\n", rows[i].kind, worst,
                      worst_tableau);
    }
}

static void test_beyond_and_other_dampings(void **state)
{
    static const struct {
        rw_rock_kind kind;
        int s;
        double damping;
    } rows[] = {{RW_ROCK4, 500, 0.95},     {RW_ROCK4, 1000, 0.95}, {RW_ROCK2, 700, 0.95}, {RW_ROCK4_SPLIT, 1200, 0.95},
                {RW_ROCK4, 5, 0.8},        {RW_ROCK4, 7, 0.8},     {RW_ROCK4, 30, 0.8},   {RW_ROCK4, 30, 0.98},
                {RW_ROCK4, 61, 0.9},       {RW_ROCK2, 3, 0.9},     {RW_ROCK2, 25, 0.85},  {RW_ROCK4_SPLIT, 40, 0.9},
                {RW_ROCK4_SPLIT, 60, 0.97}};
    (void)state;
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        rw_rock *r = make(rows[i].kind, rows[i].s, rows[i].damping);
        rw_wide defect, estimate, next;
        rw_rock_order(r, &defect, &estimate, &next);
        double most = largest(r);
        if (defect > 1e-14L || most > allowed(rows[i].kind, rows[i].damping) || most < rows[i].damping - 1e-8)
            fail_msg("kind %d, %d stages, damping %g: order %.2Lg, |R| %.10f", rows[i].kind, rows[i].s, rows[i].damping,
                     defect, most);
        rw_rock_destroy(&r);
    }
}

static void test_choice(void **state)
{
    (void)state;
    for (int kind = 0; kind < RW_ROCK_KINDS; ++kind)
        for (int i = 0; i < 400; ++i) {
            double h_rho = exp(12 * rw_random_uniform(7, (uint64_t)i));
            int step = kind == RW_ROCK4_SPLIT ? 2 : 1, least = rw_rock_least(kind),
                s = rw_rock_stages(kind, h_rho, 1000);
            assert_true(rw_rock_interval(kind, s) >= h_rho);
            assert_true(s == least || rw_rock_interval(kind, s - step) < h_rho);
        }
    assert_int_equal(rw_rock_stages(RW_ROCK4, 1e9, 100), 100);
    assert_int_equal(rw_rock_stages(RW_ROCK4_SPLIT, 1e9, 101), 100);
    assert_int_equal(rw_rock_stages(RW_ROCK2, 0, 100), 3);
    /* what two blocks are for */
    assert_true(rw_rock_growth(RW_ROCK4, 150) > 1e13);
    assert_true(rw_rock_growth(RW_ROCK4_SPLIT, 150) < 2e7);
}

static void test_bad_input(void **state)
{
    static const struct {
        rw_rock_kind kind;
        int s;
        double damping;
        const char *message;
    } rows[] = {{RW_ROCK4, 4, 0.95, "rock4 with 4 stages: at least 5 are needed"},
                {RW_ROCK2, 2, 0.95, "rock2 with 2 stages: at least 3 are needed"},
                {RW_ROCK4_SPLIT, 31, 0.95, "an even number"},
                {RW_ROCK4, 20, 1, "damping = 1 is outside [0.5, 0.99]"},
                {RW_ROCK4, 20, NAN, "damping = nan is outside"}};
    (void)state;
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        rw_rock *r;
        assert_int_equal(rw_rock_create(ctx, rows[i].kind, rows[i].s, rows[i].damping, &r), RW_ERR_ARGUMENT);
        assert_null(r);
        if (!strstr(rw_message(ctx), rows[i].message)) fail_msg("%s", rw_message(ctx));
    }
    for (long n = 1;; ++n) {
        rw_rock *r;
        rw_fault_set(RW_FAULT_ALLOC, n);
        rw_status status = rw_rock_create(ctx, RW_ROCK4_SPLIT, 20, 0.95, &r);
        rw_fault_set(RW_FAULT_ALLOC, 0);
        if (status == RW_OK) {
            rw_rock_destroy(&r);
            assert_true(n > 3);
            break;
        }
        assert_int_equal(status, RW_ERR_MEMORY);
        assert_null(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rock4),
                                       cmocka_unit_test(test_rock2),
                                       cmocka_unit_test(test_split),
                                       cmocka_unit_test(test_published),
                                       cmocka_unit_test(test_without_tables),
                                       cmocka_unit_test(test_tableaus_of_fewest_stages),
                                       cmocka_unit_test(test_beyond_and_other_dampings),
                                       cmocka_unit_test(test_choice),
                                       cmocka_unit_test(test_bad_input)};
    if (rw_context_create(&ctx) != RW_OK) return 1;
    int failed = cmocka_run_group_tests_name("rock", tests, NULL, NULL);
    rw_context_destroy(&ctx);
    return failed;
}
