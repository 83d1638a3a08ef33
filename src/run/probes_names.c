/* Names of the files that probes write. */
#include <stdio.h>
#include <string.h>

#include "run/run_private.h"

void rw_probe_figure(const rw_probe *p, const char *field, char name[200])
{
    char file[100];
    rw_picture_name(field, file, sizeof(file));
    snprintf(name, 200, "probe-%.60s-%.99s.png", p->name, file);
}

bool rw_probes_owns(const rw_run *r, const char *folder, const char *name)
{
    char own[200];
    for (int i = 0; r->probes && i < r->probes->n; i++) {
        const rw_probe *p = &r->probes->list[i];
        snprintf(own, sizeof(own), "%.60s.csv", p->name);
        if (strcmp(folder, "probes") == 0 && strcmp(name, own) == 0) return true;
        for (int f = 0; strcmp(folder, "figures") == 0 && f < r->problem->nfields; f++) {
            rw_probe_figure(p, r->problem->fields[f].name, own);
            if (strcmp(name, own) == 0) return true;
        }
    }
    return false;
}
