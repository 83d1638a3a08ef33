/* Names of the files and columns that probes write. */
#include <stdio.h>
#include <string.h>

#include "run/run_private.h"

int rw_probe_parts(const rw_run *r, int field)
{
    const rw_array *array = r->problem->fields[field].array;
    return array && rw_dtype_is_complex(rw_array_dtype(array)) ? 2 : 1;
}

int rw_probe_columns(const rw_run *r)
{
    int n = 0;
    for (int f = 0; f < r->problem->nfields; f++) n += rw_probe_parts(r, f);
    return n;
}

void rw_probe_column(const rw_run *r, int field, int part, char name[RW_PROBE_COLUMN])
{
    const bool one = rw_probe_parts(r, field) == 1;
    snprintf(name, RW_PROBE_COLUMN, "%.120s%s", r->problem->fields[field].name, one ? "" : part ? "_im" : "_re");
}

void rw_probe_figure(const rw_probe *p, const char *column, char name[200])
{
    char file[100];
    rw_picture_name(column, file, sizeof(file));
    snprintf(name, 200, "probe-%.60s-%.99s.png", p->name, file);
}

bool rw_probes_owns(const rw_run *r, const char *folder, const char *name)
{
    char own[200], column[RW_PROBE_COLUMN];
    for (int i = 0; r->probes && i < r->probes->n; i++) {
        const rw_probe *p = &r->probes->list[i];
        snprintf(own, sizeof(own), "%.60s.csv", p->name);
        if (strcmp(folder, "probes") == 0 && strcmp(name, own) == 0) return true;
        for (int f = 0; strcmp(folder, "figures") == 0 && f < r->problem->nfields; f++)
            for (int part = 0; part < rw_probe_parts(r, f); part++) {
                rw_probe_column(r, f, part, column);
                rw_probe_figure(p, column, own);
                if (strcmp(name, own) == 0) return true;
            }
    }
    return false;
}
