/* What the rows of a section say together. */
#include "run/sections.h"

#include <stdio.h>
#include <string.h>

const char *rw_section_condition(const rw_section *section, const rw_param *row, char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "%s", row->condition ? row->condition : "");
    for (int i = 0; row->methods && i < rw_section_count(section); i++) {
        const rw_param *method = rw_section_row(section, i);
        char choice[64];
        if (method->kind != RW_PARAM_ENUM || strcmp(method->name, "method") != 0) continue;
        for (int m = 0; n < size && rw_param_choice(method->allowed, m, choice, sizeof(choice)); m++)
            if (row->methods >> (m + 1) & 1)
                n += (size_t)snprintf(text + n, size - n, n ? "|%s" : "%s.method = %s", n ? choice : section->name,
                                      choice);
    }
    return text;
}
