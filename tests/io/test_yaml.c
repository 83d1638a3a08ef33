/* The YAML reader: places of keys and values, what is refused and where, bounded aliases, writing back, lost memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "io/yaml.h"

static rw_context *ctx;

static rw_tree *parse(const char *text)
{
    rw_tree *tree;
    rw_status status = rw_yaml_parse(ctx, "case.yaml", text, strlen(text), &tree);
    if (status != RW_OK) fail_msg("%s", rw_message(ctx));
    return tree;
}

static void refuse(const char *text, const char *message)
{
    rw_tree *tree = (rw_tree *)ctx;
    assert_int_equal(rw_yaml_parse(ctx, "case.yaml", text, strlen(text), &tree), RW_ERR_INPUT);
    assert_null(tree);
    if (!strstr(rw_message(ctx), message)) fail_msg("'%s' is not in: %s", message, rw_message(ctx));
}

/* A byte order mark, which Windows' editors write and YAML 1.2 allows, is no part of the text. */
static void test_mark(void **state)
{
    (void)state;
    rw_tree *t = parse("\xEF\xBB\xBF"
                       "a: 1\nb: 2\n");
    assert_int_equal(t->n, 2);
    assert_string_equal(t->keys[0], "a");
    assert_int_equal(t->key_place[0].column, 1);
    rw_tree_free(&t);
    refuse("\xEF\xBB\xBF"
           "a: 1\n\tb: 2\n",
           "case.yaml:2:");
}

static void test_tree(void **state)
{
    (void)state;
    rw_tree *t = parse("# a case\n"
                       "a: 1\n"
                       "b: {c: [x, 'it''s'], \"d\": \"e\\tf\"}\n"
                       "e: |\n"
                       "\n"
                       "    two\n"
                       "    lines\n"
                       "ü: äh\n"
                       "f:\n");
    assert_int_equal(t->kind, RW_TREE_MAP);
    assert_int_equal(t->n, 5);
    const rw_tree *a = rw_tree_get(t, "a"), *b = rw_tree_get(t, "b"), *c = rw_tree_get(b, "c");
    assert_string_equal(a->text, "1");
    assert_int_equal(a->line, 2);
    assert_int_equal(a->column, 4);
    assert_int_equal(t->key_place[1].line, 3);
    assert_int_equal(t->key_place[1].column, 1);
    assert_int_equal(b->key_place[1].column, 22);
    assert_int_equal(c->n, 2);
    assert_string_equal(c->items[1]->text, "it's");
    assert_true(c->items[1]->quoted);
    assert_int_equal(c->items[1]->column, 12);
    assert_int_equal(c->items[1]->text_column, 13);
    assert_string_equal(rw_tree_get(b, "d")->text, "e\tf");
    const rw_tree *e = rw_tree_get(t, "e");
    assert_string_equal(e->text, "\ntwo\nlines\n");
    assert_int_equal(e->text_line, 6);
    assert_int_equal(e->text_column, 5);
    assert_string_equal(rw_tree_get(t, "ü")->text, "äh");
    assert_int_equal(rw_tree_get(t, "ü")->column, 4); /* characters, not bytes */
    assert_string_equal(rw_tree_get(t, "f")->text, "");
    assert_null(rw_tree_get(t, "none"));
    assert_null(rw_tree_get(a, "none"));
    char place[64];
    rw_tree_place(a, place, sizeof(place));
    assert_string_equal(place, "case.yaml:2:4");
    rw_tree_free(&t);
    t = parse("");
    assert_int_equal(t->kind, RW_TREE_MAP);
    assert_int_equal(t->n, 0);
    rw_tree_free(&t);
}

static void test_refused(void **state)
{
    (void)state;
    refuse("a: 1\nb: 2\na: 3\n", "case.yaml:3:1: the key 'a' is given twice; the first is in line 1");
    refuse("a: 1\n---\nb: 2\n", "case.yaml:2:1: a second document");
    refuse("a: [1, 2\n", "case.yaml:2:1: not YAML");
    refuse("a: b: c\n", "case.yaml:1:5: not YAML");
    refuse("a: !!int 3\n", "case.yaml:1:4: a tag");
    refuse("? [a]\n: 1\n", "case.yaml:1:3: a key must be");
    refuse("a: *b\n", "case.yaml:1:4: there is no anchor *b");
    refuse("a: &b [*b]\n", "case.yaml:1:8: an alias refers to");
    refuse("a: \"\\0\"\n", "case.yaml:1:4: a text contains a NUL");
    refuse("a: \"\xff\"\n", "case.yaml:1: byte 5");
    refuse("a: \t- b\n- c", "not YAML");
    refuse("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "nested too deeply");
}

/* The billion laughs: nine levels of ten aliases each. */
static void test_aliases(void **state)
{
    (void)state;
    rw_tree *t = parse("a: &x {b: [1, 2]}\nc: *x\nd: &x 7\ne: *x\n");
    assert_string_equal(rw_tree_get(rw_tree_get(t, "c"), "b")->items[1]->text, "2");
    assert_string_equal(rw_tree_get(t, "e")->text, "7");
    assert_int_equal(rw_tree_get(rw_tree_get(t, "c"), "b")->line, 1);
    rw_tree_free(&t);
    rw_text bomb = {0};
    rw_text_add(&bomb, "a0: &a0 [x]\n");
    for (int i = 1; i <= 9; i++) {
        rw_text_add(&bomb, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++) rw_text_add(&bomb, "%s*a%d", k ? "," : "", i - 1);
        rw_text_add(&bomb, "]\n");
    }
    refuse(bomb.data, "more than 100000 values");
    rw_text_free(&bomb);
    /* few nodes, much text */
    rw_text_add(&bomb, "a: &a \"");
    for (int i = 0; i < 100000; i++) rw_text_add(&bomb, "0123456789");
    rw_text_add(&bomb, "\"\nb: [");
    for (int i = 0; i < 10; i++) rw_text_add(&bomb, "*a, ");
    rw_text_add(&bomb, "]\n");
    refuse(bomb.data, "after expanding aliases");
    rw_text_free(&bomb);
}

static void test_limits(void **state)
{
    (void)state;
    rw_text text = {0};
    for (int i = 0; i < 2000; i++) rw_text_add(&text, "k%d: 1\n", i);
    refuse(text.data, "too many keys");
    rw_text_free(&text);
    size_t n = RW_YAML_BYTES + 1;
    char *large = rw_calloc(n + 1, 1);
    memset(large, ' ', n);
    refuse(large, "are more than the");
    rw_free(large);
}

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool number;
        double value;
    } rows[] = {
        {"1", true, 1},
        {"-2.5e3", true, -2500},
        {"+.5", true, 0.5},
        {"5.", true, 5},
        {"1E-2", true, 0.01},
        {".inf", true, INFINITY},
        {"-.Inf", true, -INFINITY},
        {"inf", true, INFINITY},
        {"1e", false, 0},
        {"0x10", false, 0},
        {"", false, 0},
        {".", false, 0},
        {"1 2", false, 0},
        {"a", false, 0},
        {"1e5x", false, 0},
        {"infinity", false, 0},
        {"--1", false, 0},
        {"1e999", true, INFINITY},
        {"1,5", false, 0},
    };
    for (int i = 0; i < RW_COUNT(rows); i++) {
        rw_tree node = {.kind = RW_TREE_SCALAR, .text = (char *)rows[i].text};
        double value = 0;
        assert_int_equal(rw_tree_number(&node, &value), rows[i].number);
        if (rows[i].number) assert_true(value == rows[i].value);
    }
    rw_tree nan_node = {.kind = RW_TREE_SCALAR, .text = ".nan"};
    double value = 0;
    assert_true(rw_tree_number(&nan_node, &value) && isnan(value));
}

static bool same(const rw_tree *a, const rw_tree *b)
{
    if (a->kind != b->kind || a->n != b->n) return false;
    if (a->text && strcmp(a->text, b->text) != 0) return false;
    for (int i = 0; i < a->n; i++) {
        if (a->keys && strcmp(a->keys[i], b->keys[i]) != 0) return false;
        if (!same(a->items[i], b->items[i])) return false;
    }
    return true;
}

static void test_round_trip(void **state)
{
    (void)state;
    rw_tree *t = parse(
                "a: [1, -2, 'x y', \"q\\\"\\\\\\n\\t\\x01\\u2028\\u2029\\u0085\", '', ~, -b, {c: d}, '- x', '&', '%']\n"
                "'key: odd': {}\nb: []\n'': &z 'a # b'\nd: *z\ne: 10*(u - u^3)\nf: \"ä{\"\ng: 'x '\n"),
            *back;
    rw_text text = {0};
    rw_tree_write(t, &text);
    assert_int_equal(rw_yaml_parse(ctx, "again", text.data, text.length, &back), RW_OK);
    assert_true(same(t, back));
    rw_text_free(&text);
    rw_tree_free(&t);
    rw_tree_free(&back);
}

static void test_no_memory(void **state)
{
    (void)state;
    const char *text = "a: &x {b: [1, 2], c: text}\nd: *x\ne: {f: *x}\n";
    rw_status status = RW_ERR_MEMORY;
    long n = 1;
    for (; status != RW_OK && n < 1000; n++) {
        rw_tree *tree;
        rw_fault_set(RW_FAULT_ALLOC, n);
        status = rw_yaml_parse(ctx, "case.yaml", text, strlen(text), &tree);
        rw_fault_set(RW_FAULT_ALLOC, 0);
        assert_true(status == RW_OK || status == RW_ERR_MEMORY);
        if (status != RW_OK) assert_null(tree);
        rw_tree_free(&tree);
    }
    assert_true(n > 20 && status == RW_OK);
}

static int setup(void **state)
{
    (void)state;
    return rw_context_create(&ctx) != RW_OK;
}

static int teardown(void **state)
{
    (void)state;
    rw_context_destroy(&ctx);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mark),       cmocka_unit_test(test_tree),      cmocka_unit_test(test_refused),
        cmocka_unit_test(test_aliases),    cmocka_unit_test(test_limits),    cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
