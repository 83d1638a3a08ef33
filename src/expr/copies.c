#include "expr/copies.h"

char *rw_copy_text(const char *text, bool *failed)
{
    char *copy = text ? rw_strdup(text) : NULL;
    *failed = *failed || (text && !copy);
    return copy;
}

void rw_copy_field(rw_expr_field *to, const rw_expr_field *from, bool *failed)
{
    *to = *from;
    if (!to->dtype) to->dtype = RW_F64;
    to->name = rw_copy_text(from->name, failed);
    for (int s = 0; s < 6; ++s) {
        rw_boundary *b = to->boundary + s;
        b->a = rw_copy_text(b->a, failed);
        b->b = rw_copy_text(b->b, failed);
        b->c = rw_copy_text(b->c, failed);
    }
}

void rw_free_field(rw_expr_field *field)
{
    rw_free((char *)field->name);
    for (int s = 0; s < 6; ++s) {
        const rw_boundary *b = field->boundary + s;
        rw_free((char *)b->a);
        rw_free((char *)b->b);
        rw_free((char *)b->c);
    }
}
