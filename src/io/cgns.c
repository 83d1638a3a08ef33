/* Reading CGNS files through libcgns (see cgns.h). The library keeps HDF5's state, so its calls stand between
 * rw_h5_enter and rw_h5_leave. */
#include "io/cgns.h"

#include <string.h>

#if RW_WITH_CGNS
#include <cgns_io.h>
#include <cgnslib.h>

#include "files/io.h"
#include "io/h5_parts.h"

/* A base that is being read. */
typedef struct reader {
    rw_context *ctx;
    const char *path;
    int file, axes;
    rw_cgns *grid;
} reader;

#define CALL(r, call)                                                                                                  \
    do {                                                                                                               \
        if ((call) != CG_OK) return rw_fail((r)->ctx, RW_ERR_INPUT, "%s: CGNS: %s", (r)->path, cg_get_error());        \
    } while (0)

static rw_status read_zone(reader *r, int number)
{
    rw_cgns_zone *z = &r->grid->zones[number];
    CGNS_ENUMT(ZoneType_t) type;
    cgsize_t size[9] = {0};
    CALL(r, cg_zone_type(r->file, 1, number + 1, &type));
    CALL(r, cg_zone_read(r->file, 1, number + 1, z->name, size));
    if (type != CGNS_ENUMV(Structured))
        return rw_fail(r->ctx, RW_ERR_INPUT, "%s: zone '%s' is not structured", r->path, z->name);
    for (int a = 0; a < 3; ++a) {
        z->cells[a] = a < r->axes ? size[r->axes + a] : 1;
        z->next[a][0] = z->next[a][1] = -1;
        if (z->cells[a] < 1 || (a < r->axes && size[a] != z->cells[a] + 1))
            return rw_fail(r->ctx, RW_ERR_INPUT, "%s: zone '%s' has %lld vertices and %lld cells along axis %d",
                           r->path, z->name, (long long)size[a], (long long)z->cells[a], a + 1);
    }
    return RW_OK;
}

/* The whole face of a zone that the range is: its axis, *side 0 or 1; -1: it is none. */
static int face_of(const reader *r, const rw_cgns_zone *z, const cgsize_t *range, int *side)
{
    int axis = -1;
    for (int a = 0; a < r->axes; ++a) {
        const cgsize_t last = (cgsize_t)z->cells[a] + 1, from = range[a], to = range[r->axes + a];
        if (from == 1 && to == last) continue;
        if (from != to || (from != 1 && from != last) || axis >= 0) return -1;
        axis = a;
        *side = from != 1;
    }
    return axis;
}

static int zone_of(const rw_cgns *g, const char *name)
{
    for (int i = 0; i < g->nzones; ++i)
        if (!strcmp(g->zones[i].name, name)) return i;
    return -1;
}

static rw_status read_interface(reader *r, int number, int interface)
{
    char name[33], donor_name[66];
    cgsize_t range[6], donor_range[6];
    int transform[3], side = 0, donor_side = 0;
    float centre[3], angle[3], translation[3];
    rw_cgns_zone *z = &r->grid->zones[number];
    CALL(r, cg_1to1_read(r->file, 1, number + 1, interface, name, donor_name, range, donor_range, transform));
    const char *slash = strrchr(donor_name, '/'); /* the base may stand in front */
    const int donor = zone_of(r->grid, slash ? slash + 1 : donor_name), axis = face_of(r, z, range, &side);
    if (donor < 0)
        return rw_fail(r->ctx, RW_ERR_INPUT, "%s: zone '%s', interface '%s': there is no zone '%s'", r->path, z->name,
                       name, donor_name);
    bool straight =
        axis >= 0 && face_of(r, &r->grid->zones[donor], donor_range, &donor_side) == axis && donor_side != side;
    for (int a = 0; a < r->axes; ++a)
        straight = straight && transform[a] == a + 1 && (a == axis || z->cells[a] == r->grid->zones[donor].cells[a]);
    if (!straight)
        return rw_fail(r->ctx, RW_ERR_INPUT,
                       "%s: zone '%s', interface '%s': only whole faces with the same orientation may be connected",
                       r->path, z->name, name);
    if (z->next[axis][side] >= 0)
        return rw_fail(r->ctx, RW_ERR_INPUT, "%s: zone '%s', interface '%s': this face has more than one interface",
                       r->path, z->name, name);
    const int found = cg_1to1_periodic_read(r->file, 1, number + 1, interface, centre, angle, translation);
    if (found != CG_NODE_NOT_FOUND) CALL(r, found);
    z->next[axis][side] = donor;
    z->periodic[axis][side] = found == CG_OK;
    return RW_OK;
}

static rw_status read_base(reader *r)
{
    char name[33];
    int bases, space, zones, interfaces;
    CALL(r, cg_nbases(r->file, &bases));
    if (bases < 1) return rw_fail(r->ctx, RW_ERR_INPUT, "%s: CGNS: the file has no base", r->path);
    CALL(r, cg_base_read(r->file, 1, name, &r->axes, &space));
    CALL(r, cg_nzones(r->file, 1, &zones));
    if (r->axes < 2 || r->axes > 3 || zones < 1)
        return rw_fail(r->ctx, RW_ERR_INPUT,
                       "%s: base '%s' has %d zones of %d dimensions: at least one zone of 2 "
                       "or 3 dimensions is needed",
                       r->path, name, zones, r->axes);
    r->grid->zones = rw_calloc((size_t)zones, sizeof *r->grid->zones);
    if (!r->grid->zones) return rw_fail_memory(r->ctx, (size_t)zones * sizeof *r->grid->zones, r->path);
    r->grid->nzones = zones;
    for (int i = 0; i < zones; ++i) RW_TRY(read_zone(r, i));
    for (int i = 0; i < zones; ++i) {
        CALL(r, cg_n1to1(r->file, 1, i + 1, &interfaces));
        for (int k = 1; k <= interfaces; ++k) RW_TRY(read_interface(r, i, k));
    }
    return RW_OK;
}

/* A grid is read from one file only. libcgns follows links, external raw data and virtual datasets, and in an untrusted
 * file these could name any path. */
static herr_t check_link(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    rw_h5 *f = user;
    if (info->type == H5L_TYPE_HARD || info->type == H5L_TYPE_SOFT) return 0; /* a soft one stays inside */
    const char *target = "?", *object;
    char value[512] = "";
    unsigned flags;
    if (info->type == H5L_TYPE_EXTERNAL && info->u.val_size < sizeof value &&
        H5Lget_val(group, name, value, sizeof value, H5P_DEFAULT) >= 0)
        H5Lunpack_elink_val(value, info->u.val_size, &flags, &target, &object);
    rw_snprintf(f->refused, sizeof f->refused, "%.200s", target);
    rw_h5_check_links(f, name);
    return 1;
}

static herr_t check_object(hid_t group, const char *name, const H5O_info_t *info, void *user)
{
    if (info->type != H5O_TYPE_DATASET) return 0;
    hid_t set = H5Dopen2(group, name, H5P_DEFAULT);
    const bool good = set >= 0 && rw_h5_check_storage(user, name, set) == RW_OK;
    if (set >= 0) H5Dclose(set);
    return good ? 0 : 1;
}

static rw_status check_hdf5(rw_context *ctx, const char *path)
{
    rw_h5 f = {.ctx = ctx, .path = (char *)(uintptr_t)path};
    if (H5Fis_hdf5(path) <= 0) return RW_OK;
    f.id = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (f.id < 0) return rw_h5_fail(&f, RW_ERR_INPUT, "HDF5", "not an HDF5 file, or truncated or damaged");
    herr_t found = H5Lvisit(f.id, H5_INDEX_NAME, H5_ITER_NATIVE, check_link, &f);
    if (found == 0) found = H5Ovisit2(f.id, H5_INDEX_NAME, H5_ITER_NATIVE, check_object, &f, H5O_INFO_BASIC);
    rw_status status = found == 0  ? RW_OK
                       : found > 0 ? RW_ERR_INPUT
                                   : rw_h5_fail(&f, RW_ERR_INPUT, "HDF5", "is damaged");
    H5Fclose(f.id);
    return status;
}

/* The older kind of CGNS files, ADF: a node that is a link may name a file. */
static rw_status check_nodes(rw_context *ctx, const char *path, int file, double node, int depth)
{
    int size = 0, n = 0, got = 0;
    if (cgio_is_link(file, node, &size) != CG_OK || depth > 64)
        return rw_fail(ctx, RW_ERR_INPUT, "%s: CGNS: is damaged", path);
    if (size > 0)
        return rw_fail(ctx, RW_ERR_INPUT, "%s: a node is a link to another one: copy what it leads to into its place",
                       path);
    if (cgio_number_children(file, node, &n) != CG_OK) return rw_fail(ctx, RW_ERR_INPUT, "%s: CGNS: is damaged", path);
    for (int i = 1; i <= n; ++i) {
        double child;
        if (cgio_children_ids(file, node, i, 1, &got, &child) != CG_OK || got != 1)
            return rw_fail(ctx, RW_ERR_INPUT, "%s: CGNS: is damaged", path);
        RW_TRY(check_nodes(ctx, path, file, child, depth + 1));
    }
    return RW_OK;
}

static rw_status check_alone(rw_context *ctx, const char *path)
{
    int kind, file;
    double root;
    RW_TRY(check_hdf5(ctx, path));
    if (cgio_check_file(path, &kind) != CG_OK || kind == CGIO_FILE_HDF5 ||
        cgio_open_file(path, CGIO_MODE_READ, kind, &file) != CG_OK)
        return RW_OK; /* cg_open reports what is wrong */
    rw_status status = cgio_get_root_id(file, &root) == CG_OK ? check_nodes(ctx, path, file, root, 0) : RW_OK;
    cgio_close_file(file);
    return status;
}

rw_status rw_cgns_read(rw_context *ctx, const char *path, rw_cgns *grid)
{
    rw_io_file s;
    reader r = {.ctx = ctx, .path = path, .grid = grid};
    *grid = (rw_cgns){0};
    RW_TRY(rw_io_open(ctx, path, &s)); /* says better what is wrong with a path */
    rw_io_close(&s);
    const rw_h5_guard guard = rw_h5_enter();
    const rw_fd_guard low = rw_fd_guard_enter();
    rw_status status = check_alone(ctx, path);
    const bool opened = status == RW_OK && cg_open(path, CG_MODE_READ, &r.file) == CG_OK;
    rw_fd_guard_leave(low);
    if (status == RW_OK && !opened) status = rw_fail(ctx, RW_ERR_INPUT, "%s: CGNS: %s", path, cg_get_error());
    else if (opened) {
        status = read_base(&r);
        cg_close(r.file);
    }
    rw_h5_leave(guard);
    if (status != RW_OK) rw_cgns_free(grid);
    return status;
}

#else

rw_status rw_cgns_read(rw_context *ctx, const char *path, rw_cgns *grid)
{
    *grid = (rw_cgns){0};
    return rw_fail(ctx, RW_ERR_UNSUPPORTED,
                   "%s: this build cannot read CGNS files: install libcgns-dev and build "
                   "again",
                   path);
}

#endif

void rw_cgns_free(rw_cgns *grid)
{
    rw_free(grid->zones);
    *grid = (rw_cgns){0};
}
