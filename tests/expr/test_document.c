/* Every example of docs/reference/expressions.md. Blocks:
 *
 *   ```expr            a program that runs; "# = 512" behind a statement is the value of its name
 *   ```expr plan 2     the same, in two passes
 *   ```expr error      each line is a program, with "# line:column: the beginning of the message" */
#include "expr_test.h"

static rw_device *dev;

static const rw_expr_field fields[] = {{.name = "u", .dtype = RW_F64},
                                       {.name = "v", .dtype = RW_F64},
                                       {.name = "w", .dtype = RW_C128}};
static const rw_expr_scalar scalars[] = {{.name = "a", .value = 2},
                                         {.name = "tau", .value = 0.5},
                                         {.name = "c", .is_complex = true, .value = 1, .imaginary = 2}};

static rw_status create(const char *text, rw_expr **e)
{
    rw_expr_spec spec = {.name = "doc",
                         .text = text,
                         .grid = {2, {12, 10, 1}, {0.5, 0.25, 1}, {0}},
                         .fields = fields,
                         .nfields = RW_COUNT(fields),
                         .scalars = scalars,
                         .nscalars = RW_COUNT(scalars)};
    return rw_expr_create(dev, &spec, e);
}

static void check_values(rw_expr *e, const char *block)
{
    char name[32], line[512];
    double expected;
    for (const char *s = block; *s; s += *s == '\n') {
        size_t n = strcspn(s, "\n");
        snprintf(line, sizeof line, "%.*s", (int)RW_MIN(n, sizeof line - 1), s);
        s += n;
        const char *value = strstr(line, "# = ");
        if (!value) continue;
        assert_int_equal(sscanf(line, " %31[A-Za-z0-9_] =", name), 1);
        assert_int_equal(sscanf(value, "# = %lf", &expected), 1);
        double got = scalar(e, name);
        if (!(fabs(got - expected) <= 1e-12 * (1 + fabs(expected)))) fail_msg("%s gives %.17g", line, got);
    }
}

static void run_block(const char *block, int passes)
{
    rw_expr *e;
    rw_array *a[RW_COUNT(fields)];
    double x[240];
    for (int i = 0; i < 240; ++i) x[i] = 0.5 + 0.1 * (i % 7);
    if (create(block, &e) != RW_OK) fail_msg("%s\n%s", rw_message(ctx), block);
    for (int i = 0; i < RW_COUNT(fields); ++i) {
        a[i] = field_array(dev, &e->graph->grid, fields[i].dtype);
        put(a[i], x);
        OK(rw_expr_bind(e, fields[i].name, a[i]));
    }
    OK(rw_expr_run(e, rw_device_queue(dev)));
    check_values(e, block);
    if (passes >= 0 && e->plan.npasses != passes)
        fail_msg("%d passes instead of %d\n%s", e->plan.npasses, passes, block);
    for (int i = 0; i < RW_COUNT(fields); ++i) rw_array_destroy(&a[i]);
    rw_expr_destroy(&e);
}

static void fail_block(char *block)
{
    char *rest;
    for (char *line = strtok_r(block, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *message = strstr(line, "# ");
        rw_expr *e;
        assert_non_null(message);
        *message = 0, message += 2;
        assert_int_equal(create(line, &e), RW_ERR_INPUT);
        if (strncmp(rw_message(ctx), "doc:", 4) != 0 || strncmp(rw_message(ctx) + 4, message, strlen(message)) != 0)
            fail_msg("%s gives %s", line, rw_message(ctx));
    }
}

static void test_examples(void **state)
{
    (void)state;
    const char *source = getenv("SOURCE");
    char *path = rw_format("%s/docs/reference/expressions.md", source ? source : "../../.."), *data;
    size_t n;
    int blocks = 0, values = 0;
    OK(rw_file_read(ctx, path, 1 << 20, &data, &n));
    for (const char *s = data; (s = strstr(s, "# = ")); ++s) values++;
    for (char *s = data; (s = strstr(s, "\n```expr")); ++blocks) {
        char *kind = s + 8, *body = strchr(kind, '\n') + 1, *end = strstr(body - 1, "\n```");
        int passes = -1;
        assert_non_null(end);
        end[1] = 0;
        if (!strncmp(kind, " error", 6)) fail_block(body);
        else {
            if (!strncmp(kind, " plan ", 6)) passes = atoi(kind + 6);
            run_block(body, passes);
        }
        s = end + 4;
    }
    printf("# %d blocks, %d values\n", blocks, values);
    assert_true(blocks >= 10 && values >= 15);
    rw_free(data), rw_free(path);
}

/* The table of words is complete: each word of the language stands on the page. */
static void test_words(void **state)
{
    (void)state;
    const char *source = getenv("SOURCE");
    char *path = rw_format("%s/docs/reference/expressions.md", source ? source : "../../.."), *data;
    size_t n;
    const rw_language_word *words;
    OK(rw_file_read(ctx, path, 1 << 20, &data, &n));
    int nwords = rw_language_words(&words);
    for (int i = 0; i < nwords; ++i) {
        const char *word = words[i].name;
        bool axis = word[0] == 'd' && (word[1] == 'x' || word[1] == 'y' || word[1] == 'z'); /* dx dy … in groups */
        if (!axis && strcmp(word, "if") != 0 && !strstr(data, word)) fail_msg("%s is not on the page", word);
        assert_true(i == 0 || strcmp(words[i - 1].name, word) < 0);
        assert_true(*words[i].line && strstr(words[i].form, word));
    }
    for (int op = 0; op < RW_OP_COUNT; ++op) /* every operation that has a word has a line of help */
        if (rw_ops[op].word && *rw_ops[op].word) assert_true(rw_is_reserved(rw_ops[op].word));
    rw_free(data), rw_free(path);
}

static int setup(void **state)
{
    if (make_context(state)) return -1;
    compiler(false);
    return rw_device_open(ctx, "cpu", &dev) == RW_OK ? 0 : -1;
}

static int teardown(void **state)
{
    rw_device_close(&dev);
    return drop_context(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_examples), cmocka_unit_test(test_words)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
