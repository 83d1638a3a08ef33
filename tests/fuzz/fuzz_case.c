/* Any bytes as a case file: a case or a message; and the effective settings of a case are the same case again. */
#include <stdlib.h>
#include <string.h>

#include "io/yaml.h"
#include "run/problem.h"

#define RW_SECTION_PREFIX(section) fake_##section
#define RW_SECTION_DEF "../tests/run/fake.def"
#include "run/section_structs.h"
#define RW_SECTION_PREFIX(section) fake_##section
#define RW_SECTION_DEF "../tests/run/fake.def"
#define RW_SECTION_TABLE_NAME fake_sections
#include "run/section_table.h"

static const rw_problem_ops fake = {.name = "fake", .sections = fake_sections, .nsections = RW_COUNT(fake_sections)};
static const rw_problem_ops *const problems[] = {&fake, NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check(bool holds)
{
    if (!holds) abort();
}

static void use(const rw_case *c)
{
    fake_grid grid;
    fake_time time;
    check(rw_case_section(c, "grid", &grid) == RW_OK && grid.size.n >= 1 && grid.size.value[0] >= 1);
    check(rw_case_section(c, "time", &time) == RW_OK && time.step > 0 && time.step <= 1);
    const rw_tree *fields = rw_case_node(c, "fields");
    for (int i = 0; fields && i < fields->n; i++) {
        fake_fields field;
        check(rw_case_entry(c, "fields", i, &field) == RW_OK && field.initial && field.unit);
    }
}

/* The last line may hold a --set: "…\n--set time.end=2". */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static rw_context *ctx;
    if (!ctx) rw_context_create(&ctx);
    char *text = malloc(n + 1);
    memcpy(text, data, n);
    text[n] = '\0';
    char *set = memmem(text, n, "\n--set ", 7);
    size_t length = set ? (size_t)(set - text) + 1 : n;
    const char *assignment = set ? set + 7 : NULL;
    rw_case *c, *again;
    rw_status status = rw_case_parse(ctx, "case.yaml", text, length, &assignment, set ? 1 : 0, problems, &c);
    check(status == RW_OK || status == RW_ERR_INPUT);
    if (status == RW_OK) {
        char hash[65], hash_again[65];
        rw_text written = {0};
        use(c);
        check(rw_case_write(c, &written) == RW_OK && rw_case_hash(c, hash) == RW_OK);
        if (written.length < RW_YAML_BYTES) { /* provenance may take a large case over the limit */
            check(rw_case_parse(ctx, "case.yaml", written.data, written.length, NULL, 0, problems, &again) == RW_OK);
            check(rw_case_hash(again, hash_again) == RW_OK && strcmp(hash, hash_again) == 0);
            rw_case_free(&again);
        }
        rw_text_free(&written);
        rw_case_free(&c);
    } else {
        check(c == NULL && *rw_message(ctx));
    }
    free(text);
    return 0;
}
