/* What the subcommands on matrices share: the precision that is asked for, layouts, a line on a matrix. */
#include <stdlib.h>
#include <string.h>

#include "matrices.h"

bool precision_of(const arguments *a, const char *name, bool is_complex, rw_dtype *type)
{
    const char *text = value_of(a, name);
    bool single = *type == RW_F32 || *type == RW_C64;
    if (text && (!strcmp(text, "f32") || !strcmp(text, "c64"))) single = true;
    else if (text && (!strcmp(text, "f64") || !strcmp(text, "c128"))) single = false;
    else if (text) {
        usage("%s: --%s %s is none of f32, f64; complex matrices take them for each part", a->command->name, name, text);
        return false;
    }
    *type = is_complex ? single ? RW_C64 : RW_C128 : single ? RW_F32 : RW_F64;
    return true;
}

rw_status layout_of(rw_context *ctx, const arguments *a, const char *text, bool is_complex, rw_sparse_layout *layout)
{
    rw_status status = rw_sparse_layout_parse(ctx, text, layout);
    if (status == RW_OK) precision_of(a, "values", is_complex || rw_dtype_is_complex(layout->values), &layout->values);
    return status;
}

rw_status find_layout(rw_context *ctx, const arguments *a, const char *usual, rw_device *device, const rw_entries *e, rw_dtype vectors, rw_sparse_candidate *c, char reason[240])
{
    const char *text = value_of(a, "format") ? value_of(a, "format") : usual;
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
    printf("%s: %lld x %lld, %lld entries, %s\n", path, (long long)e->rows, (long long)e->columns, (long long)e->n, e->is_complex ? "complex" : "real");
}
