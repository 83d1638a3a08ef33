/* The pictures of a field: one, or of a complex field in two and three dimensions its modulus, NAME_abs, and its phase,
 * NAME_arg. */
#include <stdio.h>
#include <string.h>

#include "run/run_private.h"

static const char *const endings[RW_VIEWS] = {[RW_VIEW_VALUE] = "abs", [RW_VIEW_PHASE] = "arg"};

int rw_views(rw_dtype type, const rw_layout *grid)
{
    return rw_dtype_is_complex(type) && grid->ndim > 1 && !grid->blocks ? RW_VIEWS : 1;
}

void rw_view_name(rw_dtype type, const rw_layout *grid, const char *field, int view, char name[RW_VIEW_NAME])
{
    const bool one = rw_views(type, grid) == 1;
    snprintf(name, RW_VIEW_NAME, "%.120s%s%s", field, one ? "" : "_", one ? "" : endings[view]);
}

int rw_view_find(const char *field, const char *name)
{
    const size_t n = strlen(field);
    for (int view = 0; view < RW_VIEWS; view++)
        if (strncmp(name, field, n) == 0 && name[n] == '_' && strcmp(name + n + 1, endings[view]) == 0) return view;
    return -1;
}
