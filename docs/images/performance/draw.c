/* Bars from a table: draw OUT.png TITLE LABEL SERIES… < TABLE, a row "name<TAB>value<TAB>value…" a group. A value that
 * is no number has no bar. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rechenwerk/figure.h"

enum { GROUPS = 40, SERIES = 6, NAME = 120 };

int main(int argc, char **argv)
{
    static char names[GROUPS][NAME], line[4096];
    static double table[GROUPS][SERIES], values[GROUPS * SERIES];
    const char *group[GROUPS];
    const int nseries = argc - 4;
    int n = 0;
    if (nseries < 1 || nseries > SERIES) return 2;
    for (; n < GROUPS && fgets(line, sizeof line, stdin); ++n) {
        char *at = line, *cell = strsep(&at, "\t\n");
        snprintf(names[n], NAME, "%s", cell), group[n] = names[n];
        for (int k = 0; k < nseries; ++k) {
            char *end;
            cell = strsep(&at, "\t\n");
            table[n][k] = cell ? strtod(cell, &end) : NAN;
            if (!cell || end == cell) table[n][k] = NAN;
        }
    }
    for (int k = 0; k < nseries; ++k)
        for (int g = 0; g < n; ++g) values[k * n + g] = table[g][k];
    rw_context *ctx;
    const rw_figure_bars bars = {.value = {.label = argv[3]},
                                 .ngroups = n,
                                 .nseries = nseries,
                                 .group = group,
                                 .series = (const char *const *)argv + 4,
                                 .values = values};
    if (rw_context_create(&ctx) != RW_OK) return 1;
    const rw_status status = rw_figure_write_bars(ctx, argv[1], &(rw_figure_page){.title = argv[2]}, &bars);
    if (status != RW_OK) fprintf(stderr, "draw: %s\n", rw_message(ctx));
    rw_context_destroy(&ctx);
    return status != RW_OK;
}
