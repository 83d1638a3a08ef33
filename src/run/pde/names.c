/* Names that a complex field A takes in results: A_re and A_im in files for ParaView, A_abs and A_arg in series and
 * pictures. No other field may have one of them. */
#include <string.h>

#include "run/pde/pde.h"

static const char *const parts[] = {"re", "im", "abs", "arg"};

int pde_find_whole(const pde_problem *p, const char *name)
{
    for (int f = 0; f < p->nfields; ++f) {
        const size_t n = strlen(p->fields[f].name);
        if (!pde_is_complex(p, f) || strncmp(p->fields[f].name, name, n) || name[n] != '_') continue;
        for (int k = 0; k < RW_COUNT(parts); ++k)
            if (!strcmp(name + n + 1, parts[k])) return f;
    }
    return -1;
}

rw_status pde_check_parts(const rw_case *c, const pde_problem *p, const rw_tree *map)
{
    for (int i = 0; i < map->n; ++i) {
        const int f = pde_find_whole(p, map->keys[i]);
        if (f >= 0)
            return rw_case_fail_key(c, map, i,
                                    "%s is the name of a part of the complex field %s in results: rename one",
                                    map->keys[i], p->fields[f].name);
    }
    return RW_OK;
}
