/* Pages with tables of measured numbers, which a test writes and later compares with what it measures. */
#ifndef RW_TEST_PAGE_H
#define RW_TEST_PAGE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A file of the source folder. */
static inline char *read_page(const char *name)
{
    static char page[65536];
    char path[1024];
    const char *source = getenv("SOURCE");
    snprintf(path, sizeof path, "%s/%s", source ? source : ".", name);
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("%s: cannot be read", path);
    page[fread(page, 1, sizeof page - 1, file)] = 0;
    fclose(file);
    return page;
}

/* A number below the heading "## section", in the row that begins with a name: column 0, 1, …; NaN: –. */
static inline double page_value(const char *page, const char *section, const char *row, int column)
{
    char text[96];
    snprintf(text, sizeof text, "## %s\n", section);
    const char *at = strstr(page, text);
    if (!at) fail_msg("the page has no section '%s'", section);
    snprintf(text, sizeof text, "\n| %s |", row);
    at = strstr(at, text);
    if (!at) fail_msg("the page has no row '%s' in section '%s'", row, section);
    at += strlen(text);
    for (int i = 0; i < column; ++i) at = strchr(at, '|') + 1;
    char *end;
    const double value = strtod(at, &end);
    return end == at ? NAN : value;
}

static inline void write_value(FILE *file, double value)
{
    if (isnan(value)) fprintf(file, "| – ");
    else fprintf(file, "| %.2f ", value);
}

#endif
