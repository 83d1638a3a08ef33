/* What the subcommands on matrices share: the precision that is asked for, layouts, a line on a matrix. */
#include <stdlib.h>
#include <string.h>

#include "matrices.h"

/* A type's place in the list, -1 for another word; of those that begin at text, up to one of `ends`. */
static int type_at(const char *text, const char *ends)
{
    static const char *const types[] = {"f32", "f64", "c64", "c128"};
    const size_t n = strcspn(text, ends);
    for (int i = 0; i < COUNT(types); i++)
        if (strlen(types[i]) == n && !strncmp(text, types[i], n)) return i;
    return -1;
}

static bool is_single(int type) { return type == 0 || type == 2; }

/* The type that a layout, or a list of them, names and that has another precision than `type`; NULL: none. */
static const char *other_type(const char *layouts, int type)
{
    for (const char *word = layouts;; word++) {
        const int named = type_at(word, ":,");
        if (named >= 0 && is_single(named) != is_single(type)) return word;
        if (!*(word += strcspn(word, ":,"))) return NULL;
    }
}

bool check_types(const arguments *a)
{
    rw_duplicates duplicates;
    static const char *const names[] = {"vectors", "values"};
    const char *text = NULL, *format = value_of(a, "format");
    if (!duplicates_of(a, &duplicates)) return false;
    for (int i = 0; i < COUNT(names); i++)
        if ((text = value_of(a, names[i])) && type_at(text, "") < 0) {
            usage("%s: --%s %s: must be f32 or f64; complex matrices use it for both parts", a->command->name, names[i],
                  text);
            return false;
        }
    const char *other = text && format ? other_type(format, type_at(text, "")) : NULL;
    if (other)
        usage("%s: --format %s and --values %s: %.*s is another precision: omit one of the options", a->command->name,
              format, text, (int)strcspn(other, ":,"), other);
    return !other;
}

bool duplicates_of(const arguments *a, rw_duplicates *duplicates)
{
    const char *text = value_of(a, "duplicates");
    *duplicates = text && strcmp(text, "sum") == 0 ? RW_DUPLICATES_SUM : RW_DUPLICATES_REFUSE;
    if (!text || *duplicates == RW_DUPLICATES_SUM || strcmp(text, "refuse") == 0) return true;
    usage("%s: --duplicates %s: must be sum or refuse", a->command->name, text);
    return false;
}

rw_status read_entries(rw_context *ctx, const arguments *a, const char *path, rw_entries *e)
{
    rw_duplicates duplicates = RW_DUPLICATES_REFUSE;
    duplicates_of(a, &duplicates); /* checked by check_types */
    return rw_entries_read(ctx, path, duplicates, e);
}

bool precision_of(const arguments *a, const char *name, bool is_complex, rw_dtype *type)
{
    const char *text = value_of(a, name);
    const int asked = text ? type_at(text, "") : -1;
    const bool single = text ? is_single(asked) : *type == RW_F32 || *type == RW_C64;
    *type = is_complex ? single ? RW_C64 : RW_C128 : single ? RW_F32 : RW_F64;
    if (is_complex || asked < 2) return true;
    usage("%s: --%s %s: the values are real: use %s", a->command->name, name, text, single ? "f32" : "f64");
    return false;
}

rw_status layout_of(rw_context *ctx, const arguments *a, const char *text, bool is_complex, rw_sparse_layout *layout)
{
    rw_status status = rw_sparse_layout_parse(ctx, text, layout);
    if (status == RW_OK) precision_of(a, "values", is_complex || rw_dtype_is_complex(layout->values), &layout->values);
    return status;
}

rw_status find_layout(rw_context *ctx, const arguments *a, const char *preset, rw_device *device, const rw_entries *e,
                      rw_dtype vectors, rw_sparse_candidate *c, char reason[240])
{
    const char *text = value_of(a, "format") ? value_of(a, "format") : preset;
    rw_dtype values = RW_F64;
    *reason = 0;
    precision_of(a, "values", e->is_complex, &values);
    if (strcmp(text, "auto") != 0) {
        rw_status status = layout_of(ctx, a, text, e->is_complex, &c->layout);
        return status == RW_OK ? rw_sparse_predict(device, e, vectors, 1, c) : status;
    }
    rw_sparse_choice *choice = calloc(1, sizeof *choice);
    if (!choice) return RW_ERR_MEMORY;
    rw_status status = rw_sparse_choose(device, e, values, vectors, choice);
    *c = choice->candidate[choice->best];
    snprintf(reason, 240, "%s", choice->reason);
    free(choice);
    return status;
}

const char *text_of(const rw_sparse_layout *layout)
{
    static char text[80];
    rw_sparse_layout_print(layout, text, sizeof text);
    return text;
}

void print_matrix(const char *path, const rw_entries *e)
{
    printf("%s: %lld x %lld, %lld entries, %s\n", shown(path), (long long)e->rows, (long long)e->columns,
           (long long)e->n, e->is_complex ? "complex" : "real");
}
