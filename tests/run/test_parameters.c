/* One table, many faces: every row of every table agrees with itself, and help, template, JSON, manual page and lists
 * made from the tables hold all of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/json.h"
#include "io/yaml.h"
#include "rechenwerk/run.h"
#include "run/tables.h"

static rw_context *ctx;

/* Calls `visit` for every row of every table. */
static int each_row(void (*visit)(const rw_section *section, const rw_param *row))
{
    int rows = 0;
    for (int p = -1; p < 0 || rw_problems[p]; p++) {
        int n;
        const rw_section *s = rw_tables_sections(p < 0 ? NULL : rw_problems[p], &n);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < rw_section_count(&s[i]); k++, rows++) visit(&s[i], rw_section_row(&s[i], k));
    }
    return rows;
}

static void check_row(const rw_section *section, const rw_param *row)
{
    char name[160], choice[64];
    rw_tables_name(section, row, name, sizeof(name));
    if (!*row->line || strlen(row->line) > 130 || row->line[strlen(row->line) - 1] == '.')
        fail_msg("%s: the line must be short, without a point at the end: '%s'", name, row->line);
    assert_non_null(row->unit);
    if (row->kind == RW_PARAM_CHOICE) assert_true(rw_param_choice(row->allowed, 1, choice, sizeof(choice)));
    /* the default or example of a row is a value that the row allows */
    if (row->kind == RW_PARAM_NODE || row->kind == RW_PARAM_TEXT || row->kind == RW_PARAM_PATH) return;
    rw_tree *node;
    char *text = row->kind == RW_PARAM_TEXTS ? rw_format("%s", row->standard)
                                             : rw_strdup(rw_param_by_method(row) ? "auto" : row->standard);
    assert_int_equal(rw_yaml_parse(ctx, "default", text, strlen(text), &node), RW_OK);
    if (rw_param_read(ctx, row, name, NULL, node, NULL) != RW_OK) fail_msg("%s", rw_message(ctx));
    rw_tree_free(&node);
    rw_free(text);
}

static void test_rows(void **state)
{
    (void)state;
    assert_true(each_row(check_row) >= 15);
}

static void test_names_are_unique(void **state)
{
    (void)state;
    rw_word *words;
    int64_t n;
    assert_int_equal(rw_list_words(ctx, "settings", &words, &n), RW_OK);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) assert_string_not_equal(words[i].name, words[k].name);
    free(words);
}

static char *faces[4]; /* JSON, manual page, and for check_faces help of problem 0 and its template */

static void check_faces(const rw_section *section, const rw_param *row)
{
    char name[160], quoted[170], key[170];
    rw_tables_name(section, row, name, sizeof(name));
    snprintf(quoted, sizeof(quoted), "\"path\": \"%s\"", name);
    if (!strstr(faces[0], quoted)) fail_msg("%s is not in the JSON description", name);
    if (!strstr(faces[1], name)) fail_msg("%s is not in the manual page", name);
    if (!faces[2]) return;
    if (!strstr(faces[2], name)) fail_msg("%s is not in the help", name);
    snprintf(key, sizeof(key), "%s", row->name);
    if (!strstr(faces[3], key)) fail_msg("%s is not in the template", name);
}

static void test_faces(void **state)
{
    (void)state;
    rw_json *tree;
    assert_int_equal(rw_describe(ctx, &faces[0]), RW_OK);
    assert_int_equal(rw_json_parse(ctx, faces[0], strlen(faces[0]), &tree), RW_OK);
    rw_json_free(&tree);
    assert_int_equal(rw_describe_manual(ctx, &faces[1]), RW_OK);
    assert_null(strstr(faces[1], "\n'"));
    if (rw_problems[0] && !rw_problems[1]) {
        assert_int_equal(rw_help(ctx, rw_problems[0]->name, &faces[2]), RW_OK);
        assert_int_equal(rw_case_template(ctx, rw_problems[0]->name, &faces[3]), RW_OK);
    }
    each_row(check_faces);
    for (int i = 0; i < 4; i++) free(faces[i]);
}

/* The template of every problem is a case, with the defaults of the tables. */
static void test_templates(void **state)
{
    (void)state;
    for (int p = 0; rw_problems[p]; p++) {
        char *text;
        rw_case *c;
        assert_int_equal(rw_case_template(ctx, rw_problems[p]->name, &text), RW_OK);
        if (rw_case_parse(ctx, "template.yaml", text, strlen(text), NULL, 0, rw_problems, &c) != RW_OK)
            fail_msg("%s", rw_message(ctx));
        if (rw_problems[p]->expand) { /* the case of another problem */
            assert_ptr_equal(rw_case_problem(c), rw_problems[0]);
            rw_case_free(&c);
            free(text);
            continue;
        }
        assert_ptr_equal(rw_case_problem(c), rw_problems[p]);
        run_output output;
        assert_int_equal(rw_case_section(c, "output", &output), RW_OK);
        assert_true(output.vti && output.every == 0);
        rw_case_free(&c);
        /* and with every comment taken away it still is one, the defaults written out */
        for (char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
            char *hash = line + strspn(line, " ");
            if (strncmp(hash, "# ", 2) != 0 || !strchr(hash, '\n') || !memchr(hash + 2, '#', strcspn(hash, "\n") - 2))
                continue; /* settings have a comment of their own behind them */
            memmove(hash, hash + 2, strlen(hash + 2) + 1);
        }
        if (rw_case_parse(ctx, "template.yaml", text, strlen(text), NULL, 0, rw_problems, &c) != RW_OK)
            fail_msg("%s in\n%s", rw_message(ctx), text);
        rw_case_free(&c);
        free(text);
    }
    char *none = (char *)ctx;
    assert_int_equal(rw_case_template(ctx, "nothing", &none), RW_ERR_ARGUMENT);
    assert_null(none);
}

static void test_help(void **state)
{
    (void)state;
    static const struct {
        const char *name, *holds;
    } good[] = {
        {"output", "output.every"}, {"output.every", "hit exactly"},         {"every_steps", "output.every_steps"},
        {"device", "cuda:0"},       {"checkpoint.seconds", "(default: 60)"}, {"sin", "expression language"},
    };
    char *text;
    for (int i = 0; i < RW_COUNT(good); i++) {
        assert_int_equal(rw_help(ctx, good[i].name, &text), RW_OK);
        if (!strstr(text, good[i].holds)) fail_msg("'%s' is not in: %s", good[i].holds, text);
        free(text);
    }
    assert_int_equal(rw_help(ctx, "output.evry", &text), RW_ERR_ARGUMENT);
    assert_non_null(strstr(rw_message(ctx), "nearest is output.every"));
    assert_int_equal(rw_help(ctx, "", &text), RW_ERR_ARGUMENT);
}

static void test_lists(void **state)
{
    (void)state;
    rw_word *words;
    int64_t n;
    for (const char *const *kind = rw_word_kinds(); *kind; kind++) {
        assert_int_equal(rw_list_words(ctx, *kind, &words, &n), RW_OK);
        for (int i = 0; i < n; i++) assert_true(*words[i].name != '\0');
        free(words);
    }
    assert_int_equal(rw_list_words(ctx, "method", &words, &n), RW_ERR_ARGUMENT);
    assert_non_null(strstr(rw_message(ctx), "nearest is methods"));
    assert_null(words);
    assert_int_equal(rw_list_words(ctx, "exit-codes", &words, &n), RW_OK);
    bool interrupted = false;
    for (int i = 0; i < n; i++) interrupted |= strcmp(words[i].name, "130") == 0;
    assert_true(interrupted);
    free(words);
    assert_string_equal(rw_nearest_word("rnu", (const char *const[]){"plot", "run"}, 2), "run");
}

/* Limits as they are written in the tables. */
static void test_limits(void **state)
{
    (void)state;
    static const struct {
        rw_param_kind kind;
        const char *allowed, *value;
        bool good;
    } rows[] = {
        {RW_PARAM_REAL, "(0, 1]", "0", false},
        {RW_PARAM_REAL, "(0, 1]", "1", true},
        {RW_PARAM_REAL, "(0, 1]", "1e-300", true},
        {RW_PARAM_REAL, "[0, 1)", "0", true},
        {RW_PARAM_REAL, "[0, 1)", "1", false},
        {RW_PARAM_REAL, "(-inf, inf)", "-1e308", true},
        {RW_PARAM_REAL, "(-inf, inf)", ".inf", false},
        {RW_PARAM_REAL, "", "nan", false},
        {RW_PARAM_REAL, "2|4", "4.0", true},
        {RW_PARAM_REAL, "2|4", "3", false},
        {RW_PARAM_INT, "[-5, 5]", "-5", true},
        {RW_PARAM_INT, "[-5, 5]", "6", false},
        {RW_PARAM_INT, "", "1e3", true},
        {RW_PARAM_INT, "", "1.5", false},
        {RW_PARAM_INT, "", "9223372036854775807", true},
        {RW_PARAM_INT, "", "9223372036854775808", false},
        {RW_PARAM_INT, "", "1e300", false},
        {RW_PARAM_INT, "", "", false},
        {RW_PARAM_INTS, "2 of [0, 9]", "[1, 2]", true},
        {RW_PARAM_INTS, "2 of [0, 9]", "[1]", false},
        {RW_PARAM_INTS, "2 of [0, 9]", "[1, 10]", false},
        {RW_PARAM_INTS, "1..3 of [0, 9]", "4", true},
        {RW_PARAM_INTS, "", "[1,2,3,4,5,6,7,8,9]", false},
        {RW_PARAM_REALS, "0..2", "[]", true},
        {RW_PARAM_BOOL, "", "true", true},
        {RW_PARAM_BOOL, "", "Off", true},
        {RW_PARAM_BOOL, "", "1", false},
        {RW_PARAM_CHOICE, "a|b|", "b", true},
        {RW_PARAM_CHOICE, "a|b|", "", false},
        {RW_PARAM_CHOICE, "a|b", "a|b", false},
        {RW_PARAM_TEXT, "", "[1]", false},
        {RW_PARAM_TEXT, "", "", true},
    };
    for (int i = 0; i < RW_COUNT(rows); i++) {
        rw_param row = {.name = "x",
                        .kind = rows[i].kind,
                        .size = 8,
                        .standard = "",
                        .allowed = rows[i].allowed,
                        .unit = "",
                        .line = "a value"};
        rw_tree *tree;
        char *text = rw_format("x: %s", rows[i].value);
        assert_int_equal(rw_yaml_parse(ctx, "t", text, strlen(text), &tree), RW_OK);
        rw_status status = rw_param_read(ctx, &row, "x", NULL, tree->items[0], NULL);
        if ((status == RW_OK) != rows[i].good) fail_msg("%s in '%s'", rows[i].value, rows[i].allowed);
        assert_true(status == RW_OK || status == RW_ERR_INPUT);
        rw_tree_free(&tree);
        rw_free(text);
    }
    rw_text text = {0};
    rw_param_describe(&(rw_param){.kind = RW_PARAM_INTS, .standard = "", .allowed = "1..3 of [1, 9]"}, &text);
    assert_string_equal(text.data, "list of 1 to 3 integers in [1, 9]");
    rw_text_free(&text);
}

static void test_no_memory(void **state)
{
    (void)state;
    for (int what = 0; what < 5; what++) {
        rw_status status = RW_ERR_MEMORY;
        for (long n = 1; status != RW_OK && n < 3000; n++) {
            char *text = NULL;
            rw_word *words = NULL;
            int64_t count;
            rw_fault_set(RW_FAULT_ALLOC, n);
            switch (what) {
            case 0: status = rw_describe(ctx, &text); break;
            case 1: status = rw_describe_manual(ctx, &text); break;
            case 2: status = rw_help(ctx, "output", &text); break;
            case 3: status = rw_list_words(ctx, "settings", &words, &count); break;
            default: status = rw_problems[0] ? rw_case_template(ctx, rw_problems[0]->name, &text) : RW_OK;
            }
            rw_fault_set(RW_FAULT_ALLOC, 0);
            assert_true(status == RW_OK || status == RW_ERR_MEMORY);
            if (status != RW_OK) assert_null(text);
            free(text);
            free(words);
        }
        assert_int_equal(status, RW_OK);
    }
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
        cmocka_unit_test(test_rows),   cmocka_unit_test(test_names_are_unique),
        cmocka_unit_test(test_faces),  cmocka_unit_test(test_templates),
        cmocka_unit_test(test_help),   cmocka_unit_test(test_lists),
        cmocka_unit_test(test_limits), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
