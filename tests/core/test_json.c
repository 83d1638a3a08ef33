/* JSON: what the writer writes, byte for byte; what the reader accepts; where and why it refuses; both, back and forth
 * on random trees; and every allocation failing once. */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/json.h"

/* The reader gets a copy without a NUL, so that the sanitizer sees a read beyond the end. */
static rw_status parse(const char *text, size_t n, rw_json **tree)
{
    char *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    memcpy(copy, text, n);
    rw_status status = rw_json_parse(NULL, copy, n, tree);
    free(copy);
    return status;
}

static rw_json *parsed(const char *text)
{
    rw_json *tree;
    if (parse(text, strlen(text), &tree) != RW_OK) fail_msg("%s: %s", text, rw_message(NULL));
    return tree;
}

static void write_sample(rw_json_writer *w)
{
    rw_json_object(w);
    rw_json_key(w, "name");
    rw_json_string(w, "heat \"2D\"\n");
    rw_json_key(w, "sizes");
    rw_json_array(w);
    rw_json_integer(w, 256);
    rw_json_integer(w, -1);
    rw_json_close(w);
    rw_json_key(w, "empty");
    rw_json_array(w);
    rw_json_close(w);
    rw_json_key(w, "none");
    rw_json_object(w);
    rw_json_close(w);
    rw_json_key(w, "dt");
    rw_json_number(w, 0.5);
    rw_json_key(w, "converged");
    rw_json_bool(w, true);
    rw_json_key(w, "residual");
    rw_json_number(w, NAN);
    rw_json_close(w);
}

static void test_writer_layout(void **state)
{
    (void)state;
    rw_text text = {0};
    rw_json_writer w;
    rw_json_begin(&w, &text, 0);
    write_sample(&w);
    assert_string_equal(text.data, "{\"name\": \"heat \\\"2D\\\"\\n\", \"sizes\": [256, -1], \"empty\": [], "
                                   "\"none\": {}, \"dt\": 0.5, \"converged\": true, \"residual\": null}");
    rw_text_free(&text);
    rw_json_begin(&w, &text, 2);
    write_sample(&w);
    assert_string_equal(text.data, "{\n  \"name\": \"heat \\\"2D\\\"\\n\",\n  \"sizes\": [\n    256,\n    -1\n  ],\n"
                                   "  \"empty\": [],\n  \"none\": {},\n  \"dt\": 0.5,\n  \"converged\": true,\n"
                                   "  \"residual\": null\n}");
    rw_text_free(&text);
}

static void test_writer_values(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } numbers[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {0.1, "0.10000000000000001"},
        {-1.5e300, "-1.5000000000000001e+300"},
        {5e-324, "4.9406564584124654e-324"},
        {NAN, "null"},
        {INFINITY, "null"},
        {-INFINITY, "null"},
    };
    static const struct {
        const char *value, *text;
    } strings[] = {
        {NULL, "null"},
        {"", "\"\""},
        {"a/b\\c", "\"a/b\\\\c\""},
        {"\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""},
        {"\x01\x1f\x7f", "\"\\u0001\\u001f\x7f\""},
        {"\xC3\xB6\xC3\x9F \xF0\x9F\x98\x80", "\"\xC3\xB6\xC3\x9F \xF0\x9F\x98\x80\""},
        {"a\xFFz", "\"a\xEF\xBF\xBDz\""},
        {"\xC3", "\"\xEF\xBF\xBD\""},
        {"\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
    };
    rw_text text = {0};
    rw_json_writer w;
    for (int i = 0; i < RW_COUNT(numbers); i++) {
        rw_json_begin(&w, &text, 0);
        rw_json_number(&w, numbers[i].value);
        assert_string_equal(text.data, numbers[i].text);
        rw_text_free(&text);
    }
    for (int i = 0; i < RW_COUNT(strings); i++) {
        rw_json_begin(&w, &text, 0);
        rw_json_string(&w, strings[i].value);
        assert_string_equal(text.data, strings[i].text);
        rw_text_free(&text);
    }
    rw_json_begin(&w, &text, 0);
    rw_json_array(&w);
    rw_json_integer(&w, 9223372036854775807LL);
    rw_json_integer(&w, -9223372036854775807LL - 1);
    rw_json_bool(&w, false);
    rw_json_close(&w);
    assert_string_equal(text.data, "[9223372036854775807, -9223372036854775808, false]");
    rw_text_free(&text);
}

static void value_without_key(rw_json_writer *w) { rw_json_object(w), rw_json_integer(w, 1); }
static void object_without_key(rw_json_writer *w) { rw_json_object(w), rw_json_object(w); }
static void key_in_array(rw_json_writer *w) { rw_json_array(w), rw_json_key(w, "a"); }
static void key_at_root(rw_json_writer *w) { rw_json_key(w, "a"); }
static void two_keys(rw_json_writer *w) { rw_json_object(w), rw_json_key(w, "a"), rw_json_key(w, "b"); }
static void no_key(rw_json_writer *w) { rw_json_object(w), rw_json_key(w, NULL); }
static void key_without_value(rw_json_writer *w) { rw_json_object(w), rw_json_key(w, "a"), rw_json_close(w); }
static void close_too_many(rw_json_writer *w) { rw_json_array(w), rw_json_close(w), rw_json_close(w); }
static void two_roots(rw_json_writer *w) { rw_json_bool(w, true), rw_json_bool(w, true); }
static void two_root_objects(rw_json_writer *w) { rw_json_array(w), rw_json_close(w), rw_json_array(w); }
static void too_deep(rw_json_writer *w)
{
    for (int i = 0; i < 32; i++) rw_json_array(w);
}

static void test_writer_misuse(void **state)
{
    (void)state;
    static void (*const misuses[])(rw_json_writer *) = {
        value_without_key, object_without_key, key_in_array, key_at_root,      two_keys, no_key,
        key_without_value, close_too_many,     two_roots,    two_root_objects, too_deep,
    };
    for (int i = 0; i < RW_COUNT(misuses); i++) {
        rw_text text = {0};
        rw_json_writer w;
        rw_json_begin(&w, &text, 0);
        misuses[i](&w);
        if (!text.failed) fail_msg("misuse %d is not noticed", i);
        write_sample(&w); /* nothing more happens */
        rw_text_free(&text);
    }
    rw_text text = {0};
    rw_json_writer w;
    rw_json_begin(&w, &text, 1);
    for (int i = 0; i < 31; i++) rw_json_array(&w);
    for (int i = 0; i < 31; i++) rw_json_close(&w);
    assert_false(text.failed);
    rw_json *tree = parsed(text.data);
    rw_json_free(&tree);
    rw_text_free(&text);
}

static void test_reader_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } numbers[] = {
        {"0", 0},
        {"-0", 0},
        {"12", 12},
        {"-1.5", -1.5},
        {"1e3", 1000},
        {"1E+3", 1000},
        {"25e-2", 0.25},
        {"0.1", 0.1},
        {"0e0", 0},
        {"1e-400", 0},
        {"1.7976931348623157e308", 1.7976931348623157e308},
        {" \t\r\n7 \n", 7},
        {"0.1000000000000000055511151231257827021181583404541015625000000000000000000000001", 0.1},
        {"100000000000000000000000000000000000000000000000000000000000000000000000000000000", 1e80},
    };
    static const struct {
        const char *text, *value;
    } strings[] = {
        {"\"\"", ""},
        {"\"a b\"", "a b"},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"\\u0041\\u00e9\\u20AC\"", "A\xC3\xA9\xE2\x82\xAC"},
        {"\"\\ud83d\\uDE00\"", "\xF0\x9F\x98\x80"},
        {"\"\\ud800\\udc00\\udbff\\udfff\"", "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"},
        {"\"\xC3\xA9\xF0\x9F\x98\x80\x7f\"", "\xC3\xA9\xF0\x9F\x98\x80\x7f"},
        {"\"\\uFFFF\\u0001\"", "\xEF\xBF\xBF\x01"},
        {"\"\xC2\x80\xDF\xBF\xE0\xA0\x80\"", "\xC2\x80\xDF\xBF\xE0\xA0\x80"}, /* the ends of each length of UTF-8 */
        {"\"\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF\"", "\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF"},
        {"\"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\"", "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"},
    };
    for (int i = 0; i < RW_COUNT(numbers); i++) {
        rw_json *tree = parsed(numbers[i].text);
        assert_int_equal(tree->kind, RW_JSON_NUMBER);
        if (tree->number != numbers[i].value) fail_msg("%s gives %.17g", numbers[i].text, tree->number);
        rw_json_free(&tree);
        assert_null(tree);
    }
    for (int i = 0; i < RW_COUNT(strings); i++) {
        rw_json *tree = parsed(strings[i].text);
        assert_int_equal(tree->kind, RW_JSON_STRING);
        assert_string_equal(tree->string, strings[i].value);
        rw_json_free(&tree);
    }
    rw_json *tree = parsed("true");
    assert_true(tree->kind == RW_JSON_BOOL && tree->boolean);
    rw_json_free(&tree);
    tree = parsed(" false");
    assert_true(tree->kind == RW_JSON_BOOL && !tree->boolean);
    rw_json_free(&tree);
    tree = parsed("null ");
    assert_true(tree->kind == RW_JSON_NULL);
    rw_json_free(&tree);
    rw_json_free(&tree);
    rw_json_free(NULL);
}

/* Numbers of every length around the buffer that most of them are copied to. */
static void test_long_numbers(void **state)
{
    (void)state;
    for (int n = 50; n < 80; n++) {
        char *text = rw_format("1.%0*d", n, 0);
        rw_json *tree = parsed(text);
        assert_true(tree->number == 1);
        rw_json_free(&tree);
        rw_free(text);
    }
}

static void test_reader_trees(void **state)
{
    (void)state;
    rw_json *tree = parsed("{ \"a\" : [ 1 , [] , {} , \"x\" ] , \"b\" : { \"a\" : null } , \"\" : true }");
    assert_true(tree->kind == RW_JSON_OBJECT && tree->n == 3);
    assert_string_equal(tree->keys[1], "b");
    const rw_json *a = rw_json_get(tree, "a");
    assert_true(a->kind == RW_JSON_ARRAY && a->n == 4 && a->items[0]->number == 1);
    assert_true(a->items[1]->kind == RW_JSON_ARRAY && a->items[1]->n == 0);
    assert_true(a->items[2]->kind == RW_JSON_OBJECT && a->items[2]->n == 0);
    assert_string_equal(a->items[3]->string, "x");
    assert_int_equal(rw_json_get(rw_json_get(tree, "b"), "a")->kind, RW_JSON_NULL);
    assert_true(rw_json_get(tree, "")->boolean);
    assert_null(rw_json_get(tree, "c"));
    assert_null(rw_json_get(a, "a"));
    assert_null(rw_json_get(NULL, "a"));
    rw_json_free(&tree);
}

#define TEN(x) x x x x x x x x x x
#define SIXTY_FOUR(x) TEN(x) TEN(x) TEN(x) TEN(x) TEN(x) TEN(x) x x x x

static void test_malformed(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", "1:1: expected a value, found the end of the text"},
        {" \n ", "2:2: expected a value, found the end of the text"},
        {"x", "1:1: expected a value, found 'x'"},
        {"nul", "1:1: expected a value, found 'n'"},
        {"True", "1:1: expected a value, found 'T'"},
        {"NaN", "1:1: expected a value, found 'N'"},
        {"\xEF\xBB\xBF{}", "1:1: expected a value, found '\xEF\xBB\xBF'"},
        {"\x02", "1:1: expected a value, found byte 0x02"},
        {"\xFF", "1:1: expected a value, found byte 0xFF"},
        {"1 2", "1:3: expected the end of the text after the value, found '2'"},
        {"{}\n}", "2:1: expected the end of the text after the value, found '}'"},
        {"nullx", "1:5: expected the end of the text after the value, found 'x'"},
        {"[1, 2", "1:6: expected a comma or ], found the end of the text"},
        {"[1 2]", "1:4: expected a comma or ], found '2'"},
        {"[1,]", "1:4: expected a value, found ']'"},
        {"[,1]", "1:2: expected a value, found ','"},
        {"[1}", "1:3: expected a comma or ], found '}'"},
        {"[", "1:2: expected a value, found the end of the text"},
        {"{", "1:2: expected a member in quotes or }, found the end of the text"},
        {"{a: 1}", "1:2: expected a member in quotes or }, found 'a'"},
        {"{\"a\" 1}", "1:6: expected a colon after the name of the member, found '1'"},
        {"{\"a\": }", "1:7: expected a value, found '}'"},
        {"{\"a\": 1,}", "1:9: expected a member in quotes after the comma, found '}'"},
        {"{\"a\": 1 \"b\": 2}", "1:9: expected a comma or }, found '\"'"},
        {"{\n  \"a\": 1,\n  \"b\": oops\n}", "3:8: expected a value, found 'o'"},
        {"{\"a\": 1, \"b\": 2,\n \"a\": 3, \"b\": 4}", "2:2: member \"a\" occurs twice in this object: remove one"},
        {"[{\"\\u0061\": 1, \"a\": 2}]", "1:16: member \"a\" occurs twice in this object: remove one"},
        {"-", "1:2: expected a digit, found the end of the text"},
        {"+1", "1:1: expected a value, found '+'"},
        {".5", "1:1: expected a value, found '.'"},
        {"-x", "1:2: expected a digit, found 'x'"},
        {"01", "1:1: a number begins with 0: remove the leading zero"},
        {"[-00]", "1:3: a number begins with 0: remove the leading zero"},
        {"1.", "1:3: expected a digit after the decimal point, found the end of the text"},
        {"[1.e5]", "1:4: expected a digit after the decimal point, found 'e'"},
        {"1e", "1:3: expected a digit of the exponent, found the end of the text"},
        {"[1e+]", "1:5: expected a digit of the exponent, found ']'"},
        {"[1e+-5]", "1:5: expected a digit of the exponent, found '-'"},
        {"[0, 1e999]", "1:5: the number exceeds 1.8e308: give a smaller one"},
        {"[-1e309]", "1:2: the number exceeds 1.8e308: give a smaller one"},
        {"0x10", "1:2: expected the end of the text after the value, found 'x'"},
        {"\"abc", "1:1: the string is not closed: expected \""},
        {"[1, \"abc\\\"]", "1:5: the string is not closed: expected \""},
        {"\"a\nb\"", "1:3: control character 0x0A in a string: write it as \\u000A"},
        {"\"\\x\"", "1:3: expected one of \" \\ / b f n r t u after a backslash, found 'x'"},
        {"\"\\", "1:3: expected one of \" \\ / b f n r t u after a backslash, found the end of the text"},
        {"\"\\u12g4\"", "1:6: expected a hexadecimal digit (four of them after \\u), found 'g'"},
        {"\"\\u12", "1:6: expected a hexadecimal digit (four of them after \\u), found the end of the text"},
        {"\"a\\u0000\"", "1:3: \\u0000 is not supported: remove it"},
        {"\"\\ud800\"", "1:2: \\uD800 is half of a surrogate pair: give both halves"},
        {"\"\\ud800x\"", "1:2: \\uD800 is half of a surrogate pair: give both halves"},
        {"\"\\ud800\\n\"", "1:2: \\uD800 is half of a surrogate pair: give both halves"},
        {"\"\\ud800\\u0041\"", "1:2: \\uD800 is half of a surrogate pair: give both halves"},
        {"\"\\ud800\\ud800\"", "1:2: \\uD800 is half of a surrogate pair: give both halves"},
        {"\"\\udc00\"", "1:2: \\uDC00 is half of a surrogate pair: give both halves"},
        {"\"ab\xFF\"", "1:4: byte 0xFF is not UTF-8: save the file as UTF-8"},
        {"\"\xC3\xA9\xC3\"", "1:3: byte 0xC3 is not UTF-8: save the file as UTF-8"},
        {"\"\xC0\x80\"", "1:2: byte 0xC0 is not UTF-8: save the file as UTF-8"},
        {"\"\xC1\xBF\"", "1:2: byte 0xC1 is not UTF-8: save the file as UTF-8"},
        {"\"\xE0\x9F\xBF\"", "1:2: byte 0xE0 is not UTF-8: save the file as UTF-8"},
        {"\"\xED\xA0\x80\"", "1:2: byte 0xED is not UTF-8: save the file as UTF-8"},
        {"\"\xF0\x8F\xBF\xBF\"", "1:2: byte 0xF0 is not UTF-8: save the file as UTF-8"},
        {"\"\xF5\x80\x80\x80\"", "1:2: byte 0xF5 is not UTF-8: save the file as UTF-8"},
        {"\"\xF4\x90\x80\x80\"", "1:2: byte 0xF4 is not UTF-8: save the file as UTF-8"},
        {"\"\xE2\x82", "1:2: byte 0xE2 is not UTF-8: save the file as UTF-8"},
        {"[\"Gr\xC3\xB6\xC3\x9Fs\", x]", "1:11: expected a value, found 'x'"}, /* columns are characters */
        {"[1, \xE2\x82\xAC]", "1:5: expected a value, found '\xE2\x82\xAC'"},
        {"// no comments", "1:1: expected a value, found '/'"},
        {SIXTY_FOUR("[") "[", "1:65: more than 64 levels of [ and {: nest less deeply"},
        {SIXTY_FOUR("{\"\":") "{", "1:257: more than 64 levels of [ and {: nest less deeply"},
    };
    for (int i = 0; i < RW_COUNT(rows); i++) {
        rw_json not_null = {0}, *tree = &not_null;
        rw_status status = parse(rows[i].text, strlen(rows[i].text), &tree);
        if (status != RW_ERR_INPUT || strcmp(rw_message(NULL), rows[i].message) != 0)
            fail_msg("%s: status %d, message %s, expected %s", rows[i].text, status, rw_message(NULL), rows[i].message);
        assert_null(tree);
    }
    rw_json *tree;
    assert_int_equal(parse("1\0", 2, &tree), RW_ERR_INPUT);
    assert_string_equal(rw_message(NULL), "1:2: expected the end of the text after the value, found byte 0x00");
    assert_int_equal(parse("\"a\0b\"", 5, &tree), RW_ERR_INPUT);
    assert_string_equal(rw_message(NULL), "1:3: control character 0x00 in a string: write it as \\u0000");
    tree = parsed("[" SIXTY_FOUR("[[]],") "{}]"); /* neighbours are no depth */
    rw_json_free(&tree);
    tree = parsed(SIXTY_FOUR("[") SIXTY_FOUR("]"));
    rw_json_free(&tree);
    assert_int_equal(rw_json_parse(NULL, NULL, 0, &tree), RW_ERR_INPUT);
    assert_int_equal(rw_json_parse(NULL, NULL, 1, &tree), RW_ERR_ARGUMENT);
    assert_int_equal(rw_json_parse(NULL, "1", 1, NULL), RW_ERR_ARGUMENT);
}

/* The name in the message about a double member is cut at a character. */
static void test_long_double_member(void **state)
{
    (void)state;
    rw_text text = {0};
    rw_json *tree;
    rw_text_add(&text, "{\"x");
    for (int i = 0; i < 150; i++) rw_text_add(&text, "\xC3\xB6");
    rw_text_add(&text, "\":1,\"x");
    for (int i = 0; i < 150; i++) rw_text_add(&text, "\xC3\xB6");
    rw_text_add(&text, "\":2}");
    assert_int_equal(parse(text.data, text.length, &tree), RW_ERR_INPUT);
    assert_non_null(strstr(rw_message(NULL), "\xC3\xB6\" occurs twice"));
    rw_text_free(&text);
}

/* Many members cost n log n: a second or two would show n^2. */
static void test_large_object(void **state)
{
    (void)state;
    rw_text text = {0};
    rw_json_writer w;
    rw_json_begin(&w, &text, 0);
    rw_json_object(&w);
    for (int i = 0; i < 100000; i++) {
        char key[16];
        snprintf(key, sizeof(key), "k%d", i * 7919 % 100000);
        rw_json_key(&w, key);
        rw_json_integer(&w, i);
    }
    rw_json_close(&w);
    double begin = rw_seconds();
    rw_json *tree = parsed(text.data);
    assert_true(rw_seconds() - begin < 5);
    assert_int_equal(tree->n, 100000);
    assert_true(rw_json_get(tree, "k7919")->number == 1);
    rw_json_free(&tree);
    rw_text_free(&text);
}

/* Writes a random tree and keeps it, so that it can be compared with what is read: `at` numbers the random choices. */
static rw_json *random_tree(uint64_t seed, uint64_t *at, int depth)
{
    static const char *const texts[] = {"",      "a",   "\"\\/", "\n\t\x01", "\xC3\xB6\xC3\x9F", "\xF0\x9F\x98\x80",
                                        "x y z", "\x7f"};
    rw_json *tree = rw_calloc(1, sizeof(*tree));
    assert_non_null(tree);
    tree->kind = (rw_json_kind)(rw_random_u64(seed, ++*at) % (depth > 0 ? 6 : 4));
    switch (tree->kind) {
    case RW_JSON_NULL: break;
    case RW_JSON_BOOL: tree->boolean = rw_random_u64(seed, ++*at) % 2; break;
    case RW_JSON_NUMBER: {
        uint64_t bits = rw_random_u64(seed, ++*at); /* any bit pattern, finite */
        memcpy(&tree->number, &bits, sizeof(bits));
        if (!isfinite(tree->number)) tree->number = 0.1;
        break;
    }
    case RW_JSON_STRING: tree->string = rw_strdup(texts[rw_random_u64(seed, ++*at) % RW_COUNT(texts)]); break;
    case RW_JSON_ARRAY:
    case RW_JSON_OBJECT:
        tree->n = (int)(rw_random_u64(seed, ++*at) % 6);
        tree->items = rw_calloc((size_t)tree->n, sizeof(*tree->items));
        tree->keys = tree->kind == RW_JSON_OBJECT ? rw_calloc((size_t)tree->n, sizeof(*tree->keys)) : NULL;
        for (int i = 0; i < tree->n; i++) {
            if (tree->keys) tree->keys[i] = rw_format("%s%d", texts[rw_random_u64(seed, ++*at) % RW_COUNT(texts)], i);
            tree->items[i] = random_tree(seed, at, depth - 1);
        }
    }
    return tree;
}

static void write_tree(rw_json_writer *w, const rw_json *tree)
{
    switch (tree->kind) {
    case RW_JSON_NULL: rw_json_string(w, NULL); return;
    case RW_JSON_BOOL: rw_json_bool(w, tree->boolean); return;
    case RW_JSON_NUMBER: rw_json_number(w, tree->number); return;
    case RW_JSON_STRING: rw_json_string(w, tree->string); return;
    case RW_JSON_ARRAY: rw_json_array(w); break;
    case RW_JSON_OBJECT: rw_json_object(w);
    }
    for (int i = 0; i < tree->n; i++) {
        if (tree->keys) rw_json_key(w, tree->keys[i]);
        write_tree(w, tree->items[i]);
    }
    rw_json_close(w);
}

static void assert_same(const rw_json *a, const rw_json *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->boolean, b->boolean);
    assert_memory_equal(&a->number, &b->number, sizeof(double)); /* every bit, the sign of zero too */
    assert_int_equal(!a->string, !b->string);
    if (a->string) assert_string_equal(a->string, b->string);
    assert_int_equal(a->n, b->n);
    for (int i = 0; i < a->n; i++) {
        if (a->keys) assert_string_equal(a->keys[i], b->keys[i]);
        assert_same(a->items[i], b->items[i]);
    }
}

static void test_round_trips(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 500; seed++) {
        uint64_t at = 0;
        rw_json *tree = random_tree(seed, &at, 5), *again;
        rw_text text = {0};
        rw_json_writer w;
        rw_json_begin(&w, &text, (int)(seed % 3));
        write_tree(&w, tree);
        assert_false(text.failed);
        if (parse(text.data, text.length, &again) != RW_OK) fail_msg("%s\n%s", rw_message(NULL), text.data);
        assert_same(tree, again);
        rw_json_free(&tree);
        rw_json_free(&again);
        rw_text_free(&text);
    }
}

/* What is cut short is refused, and what is damaged is read or refused: never more than that. */
static void test_cut_and_damaged(void **state)
{
    (void)state;
    rw_text text = {0};
    rw_json_writer w;
    rw_json *tree;
    rw_json_begin(&w, &text, 2);
    write_sample(&w);
    for (size_t n = 0; n < text.length; n++) {
        assert_int_equal(parse(text.data, n, &tree), RW_ERR_INPUT);
        assert_null(tree);
    }
    int read = 0, refused = 0;
    for (uint64_t k = 0; k < 20000; k++) {
        char damaged[400];
        assert_true(text.length < sizeof(damaged));
        memcpy(damaged, text.data, text.length);
        for (uint64_t j = 0; j <= k % 3; j++)
            damaged[rw_random_u64(11, 8 * k + 2 * j) % text.length] =
                "{}[]\",:0e.-\\u \xC3\xFF\x00\n1t"[rw_random_u64(11, 8 * k + 2 * j + 1) % 21];
        rw_status status = parse(damaged, text.length, &tree);
        assert_true(status == RW_OK || status == RW_ERR_INPUT);
        read += status == RW_OK, refused += status != RW_OK;
        rw_json_free(&tree);
    }
    assert_true(read > 100 && refused > 100);
    rw_text_free(&text);
}

static void test_allocation_faults(void **state)
{
    (void)state;
    static const char source[] = "{\"a\": [1, \"x\\u0041\", {\"b\": null}, 1." TEN("00000000") "], \"c\": \"" TEN(
        "a string longer than one growth of a text ") "\"}";
    rw_status status = RW_ERR_MEMORY;
    rw_json *tree;
    int n;
    for (n = 1; status != RW_OK; n++) {
        rw_fault_set(RW_FAULT_ALLOC, n);
        status = parse(source, sizeof(source) - 1, &tree);
        rw_fault_set(RW_FAULT_ALLOC, 0);
        if (status == RW_OK) break;
        assert_int_equal(status, RW_ERR_MEMORY);
        assert_non_null(strstr(rw_message(NULL), "a JSON text"));
        assert_null(tree);
    }
    assert_true(n > 15);
    rw_json_free(&tree);

    bool failed = true;
    for (n = 1; failed; n++) {
        rw_text text = {0};
        rw_json_writer w;
        rw_json_begin(&w, &text, 2);
        rw_fault_set(RW_FAULT_ALLOC, n);
        write_sample(&w);
        rw_fault_set(RW_FAULT_ALLOC, 0);
        failed = text.failed;
        rw_text_free(&text);
    }
    assert_true(n > 3);
}

static void test_locale(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8"};
    bool set = false;
    for (int i = 0; i < RW_COUNT(names) && !set; i++) set = setlocale(LC_ALL, names[i]) != NULL;
    rw_text text = {0};
    rw_json_writer w;
    rw_json_begin(&w, &text, 0);
    rw_json_number(&w, 0.5);
    rw_json *tree = parsed("2.5");
    setlocale(LC_ALL, "C");
    assert_string_equal(text.data, "0.5");
    assert_true(tree->number == 2.5);
    rw_json_free(&tree);
    rw_text_free(&text);
    if (!set) skip(); /* no such locale is installed */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writer_layout),   cmocka_unit_test(test_writer_values),
        cmocka_unit_test(test_writer_misuse),   cmocka_unit_test(test_reader_values),
        cmocka_unit_test(test_long_numbers),    cmocka_unit_test(test_reader_trees),
        cmocka_unit_test(test_malformed),       cmocka_unit_test(test_long_double_member),
        cmocka_unit_test(test_large_object),    cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_cut_and_damaged), cmocka_unit_test(test_allocation_faults),
        cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
