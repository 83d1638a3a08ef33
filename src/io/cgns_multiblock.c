/* The grid of a CGNS file as one that is cut into equal grid blocks: zones take their places from one to the next
 * through their interfaces; then every face must have the neighbour that its place asks for, and theta may close to a
 * ring, marked in the file as periodic or not. i is x, j is theta, k is r. */
#include <string.h>

#include "io/cgns.h"
#include "multiblock/multiblock.h"
#include "rechenwerk/multiblock.h"

/* Where zones lie, in grid blocks. */
typedef struct layout {
    const char *path;
    const rw_cgns *grid;
    int (*place)[RW_AXES];
    char *placed;
    int *queue; /* zones in the order in which they were reached */
    int least[RW_AXES];
    int64_t blocks[RW_AXES];
} layout;

static rw_status place_zones(rw_context *ctx, layout *l)
{
    int most[RW_AXES] = {0}, n = 1;
    l->placed[0] = 1;
    for (int q = 0; q < n; ++q) {
        const rw_cgns_zone *z = &l->grid->zones[l->queue[q]];
        for (int f = 0; f < 2 * RW_AXES; ++f) {
            const int a = f / 2, next = z->next[a][f % 2];
            if (next < 0 || z->periodic[a][f % 2] || l->placed[next]) continue;
            memcpy(l->place[next], l->place[l->queue[q]], sizeof *l->place);
            l->place[next][a] += f % 2 ? 1 : -1;
            l->least[a] = RW_MIN(l->least[a], l->place[next][a]);
            most[a] = RW_MAX(most[a], l->place[next][a]);
            l->placed[next] = 1;
            l->queue[n++] = next;
        }
    }
    for (int i = 0; i < l->grid->nzones; ++i) {
        const rw_cgns_zone *z = &l->grid->zones[i], *first = l->grid->zones;
        if (!l->placed[i])
            return rw_fail(ctx, RW_ERR_INPUT, "%s: zone '%s' is not connected to '%s' by 1-to-1 interfaces", l->path,
                           z->name, first->name);
        if (memcmp(z->cells, first->cells, sizeof z->cells))
            return rw_fail(ctx, RW_ERR_INPUT,
                           "%s: zone '%s' has %lld x %lld x %lld cells, but '%s' has %lld x %lld x %lld: all zones "
                           "must have the same size",
                           l->path, z->name, (long long)z->cells[0], (long long)z->cells[1], (long long)z->cells[2],
                           first->name, (long long)first->cells[0], (long long)first->cells[1],
                           (long long)first->cells[2]);
    }
    for (int a = 0; a < RW_AXES; ++a) l->blocks[a] = most[a] - l->least[a] + 1;
    return RW_OK;
}

/* The neighbours that places ask for. *rings counts faces at the ends of theta that have one. */
static rw_status check_faces(rw_context *ctx, const layout *l, int zone, int64_t *rings)
{
    const rw_cgns_zone *z = &l->grid->zones[zone];
    for (int f = 0; f < 2 * RW_AXES; ++f) {
        const int a = f / 2, next = z->next[a][f % 2];
        int64_t at[RW_AXES];
        bool good = next >= 0;
        for (int b = 0; b < RW_AXES; ++b) at[b] = l->place[zone][b] - l->least[b];
        at[a] += f % 2 ? 1 : -1;
        const bool end = at[a] < 0 || at[a] >= l->blocks[a];
        if (end && next < 0) continue;
        if (end && a == RW_AXIS_THETA) {
            at[a] = (at[a] + l->blocks[a]) % l->blocks[a];
            ++*rings;
        }
        for (int b = 0; b < RW_AXES && good; ++b) good = at[b] == l->place[next][b] - l->least[b];
        if (!good)
            return rw_fail(
                ctx, RW_ERR_INPUT,
                "%s: zone '%s', the %s face of %c: grid blocks must form a regular array in x, theta and r, and "
                "only theta may be periodic",
                l->path, z->name, f % 2 ? "high" : "low", "ijk"[a]);
    }
    return RW_OK;
}

static rw_status find_blocks(rw_context *ctx, layout *l, rw_multiblock_spec *spec)
{
    int64_t rings = 0;
    RW_TRY(place_zones(ctx, l));
    const int64_t sides = 2 * l->blocks[RW_AXIS_X] * l->blocks[RW_AXIS_R];
    if (l->blocks[RW_AXIS_X] * l->blocks[RW_AXIS_THETA] * l->blocks[RW_AXIS_R] != l->grid->nzones)
        return rw_fail(ctx, RW_ERR_INPUT, "%s: %d zones do not fill an array of %lld x %lld x %lld zones", l->path,
                       l->grid->nzones, (long long)l->blocks[0], (long long)l->blocks[1], (long long)l->blocks[2]);
    for (int i = 0; i < l->grid->nzones; ++i) RW_TRY(check_faces(ctx, l, i, &rings));
    if (rings && rings != sides)
        return rw_fail(ctx, RW_ERR_INPUT,
                       "%s: %lld of %lld faces at the ends of theta have neighbours: all or none must have one",
                       l->path, (long long)rings, (long long)sides);
    memcpy(spec->cells, l->grid->zones[0].cells, sizeof spec->cells);
    memcpy(spec->blocks, l->blocks, sizeof spec->blocks);
    spec->periodic = rings > 0;
    return RW_OK;
}

rw_status rw_multiblock_read_cgns_sized(rw_context *ctx, const char *path, rw_multiblock_spec *spec, size_t spec_size)
{
    RW_NEED(ctx, "context");
    RW_NEED(path, "path");
    RW_NEED(spec, "spec");
    rw_cgns grid;
    rw_multiblock_spec read;
    rw_multiblock_grid g;
    RW_TRY(rw_struct_in(ctx, "rw_multiblock_spec", &read, sizeof read, spec, spec_size));
    RW_CHECK_MEMBERS(ctx, rw_multiblock_spec, &read);
    RW_TRY(rw_cgns_read(ctx, path, &grid));
    const size_t n = (size_t)grid.nzones;
    layout l = {.path = path,
                .grid = &grid,
                .place = rw_calloc(n, sizeof *l.place),
                .placed = rw_calloc(n, 1),
                .queue = rw_calloc(n, sizeof *l.queue)};
    rw_status status = l.place && l.placed && l.queue
                           ? find_blocks(ctx, &l, &read)
                           : rw_fail_memory(ctx, n * (sizeof *l.place + sizeof *l.queue + 1), path);
    if (status == RW_OK && rw_multiblock_grid_make(ctx, &read, &g) != RW_OK)
        status = rw_fail_prefix(ctx, RW_ERR_INPUT, "%s", path);
    rw_free(l.place);
    rw_free(l.placed);
    rw_free(l.queue);
    rw_cgns_free(&grid);
    return status == RW_OK ? rw_struct_out(RW_OK, spec, spec_size, &read, sizeof read) : status;
}
