/* HDF5 files, groups and links (see h5.h; arrays are in h5_data.c, attributes in h5_attribute.c).
 *
 * Each public function works between rw_h5_enter and rw_h5_leave. Identifiers are closed in the function that opened
 * them, in reverse order. Times are not stored, so that the same data give the same file. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "io/h5_parts.h"

enum { REASON = 160, RESERVE = 1 << 21 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool starved;  /* HDF5 has had no memory to begin with */
static bool troubled; /* HDF5 has had no memory or could not close a file: its state is unknown */

/* HDF5's own exit handler closes what is open and does not survive a lack of memory (1.10). Ours has work only where
 * the program itself has files open. */
static void at_exit(void)
{
    if (rw_within()) return; /* HDF5 itself ends the program */
    rw_within_set("HDF5");
    if (!troubled && H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_FILE) > 0) H5close();
    rw_within_set(NULL);
}

static void begin(void)
{
    if (H5dont_atexit() >= 0) atexit(at_exit); /* fails where the program has begun to use HDF5 before us */
    H5open();                                  /* all packages, while the reserve is there */
}

/* HDF5 1.10 (seen with 1.10.8) does not survive a lack of memory for its own objects, and no caller can undo that:
 * while its packages begin, the error stack calls itself without end (H5E_printf_stack, H5I_inc_ref) or NULL is
 * followed (H5SL_create in H5P__init_package); later exit(-1) is called where an identifier cannot be had. So a file is
 * opened only while RESERVE bytes can be had, more than HDF5 takes for the packages and a file. An allocation that
 * fails although these were there may still end the program. */
static rw_status check_reserve(rw_context *ctx, const char *path)
{
    void *reserve = rw_calloc(RESERVE, 1);
    rw_free(reserve);
    return reserve ? RW_OK : rw_fail_memory(ctx, RESERVE, path);
}

rw_h5_guard rw_h5_enter(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    rw_h5_guard g = {0};
    pthread_mutex_lock(&lock);
    rw_within_set("HDF5");
    pthread_once(&once, begin);
    errno = 0; /* ENOMEM from here on is HDF5's */
    if (H5Eget_auto2(H5E_DEFAULT, &g.handler, &g.data) < 0) starved = troubled = true;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return g;
}

void rw_h5_leave(rw_h5_guard g)
{
    H5Eset_auto2(H5E_DEFAULT, g.handler, g.data);
    rw_within_set(NULL);
    pthread_mutex_unlock(&lock);
}

typedef struct reason {
    char text[REASON];
    bool memory;
} reason;

/* The innermost entry of HDF5's error stack; whether an allocation has failed. */
static herr_t take_reason(unsigned n, const H5E_error2_t *error, void *user)
{
    reason *r = user;
    if (n == 0 && error->desc) rw_snprintf(r->text, REASON, "%.150s", error->desc);
    r->memory |= error->min_num == H5E_NOSPACE || error->min_num == H5E_CANTALLOC;
    return 0;
}

rw_status rw_h5_written(const rw_h5 *f, rw_status status, const char *name)
{
    if (status != RW_OK || !f->sink || !f->sink->reason) return status;
    return rw_h5_fail(f, RW_ERR_FILE, name, "writing failed");
}

rw_status rw_h5_had_memory(const rw_h5 *f, const char *name)
{
    if (errno != ENOMEM && !starved) return RW_OK;
    troubled = true;
    return rw_fail(f->ctx, RW_ERR_MEMORY, "%s: %s: HDF5 has no memory: free some, or choose a smaller size", f->path,
                   name);
}

rw_status rw_h5_fail(const rw_h5 *f, rw_status status, const char *name, const char *what)
{
    reason r = {"no reason given", false};
    if (f->sink && f->sink->reason) {
        H5Eclear2(H5E_DEFAULT);
        if (f->sink->reason == ENOMEM) return rw_fail_memory(f->ctx, 4096, f->path);
        return rw_fail(f->ctx, RW_ERR_FILE, "%s: %s: %s: %s: %s", f->path, name, what, strerror(f->sink->reason),
                       rw_file_advice(f->sink->reason));
    }
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, &r);
    H5Eclear2(H5E_DEFAULT);
    troubled |= r.memory;
    RW_TRY(rw_h5_had_memory(f, name));
    if (r.memory && f->sink)
        return rw_fail(f->ctx, RW_ERR_MEMORY,
                       "%s: %s: %s: HDF5 has no memory (%s): free some, or choose a smaller size", f->path, name, what,
                       r.text);
    return rw_fail(f->ctx, status, "%s: %s: %s: %s", f->path, name, what, r.text);
}

static void destroy(rw_h5 **file)
{
    rw_h5 *f = *file;
    *file = NULL;
    if (!f) return;
    if (f->links >= 0) H5Pclose(f->links);
    if (f->sets >= 0) H5Pclose(f->sets);
    if (f->id >= 0 && H5Fclose(f->id) < 0) troubled = true;
    if (f->temporary) rw_file_replace_discard(&f->temporary);
    rw_h5_sink_release(&f->sink);
    rw_free(f->path);
    rw_context_destroy(&f->ctx);
    rw_free(f);
}

/* Whether a path names a file below the folder of this one. */
static bool is_below(const char *target)
{
    return *target != '/' && strcmp(target, "..") != 0 && strncmp(target, "../", 3) != 0 && !strstr(target, "/../") &&
           !rw_ends_in(target, "/..");
}

/* HDF5 calls it before it opens the target of an external link: -1 refuses. An untrusted file could name any path, also
 * a pipe or a device. */
static herr_t follow(const char *parent RW_UNUSED, const char *group RW_UNUSED, const char *target,
                     const char *object RW_UNUSED, unsigned *flags RW_UNUSED, hid_t access RW_UNUSED, void *user)
{
    rw_h5 *f = user;
    if (is_below(target) && !f->alone) return 0;
    rw_snprintf(f->refused, sizeof f->refused, "%.200s", *target ? target : "?");
    return -1;
}

static void make_lists(rw_h5 *f)
{
    f->links = H5Pcreate(H5P_LINK_ACCESS);
    f->sets = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_elink_cb(f->links, follow, f);
    H5Pset_elink_cb(f->sets, follow, f);
}

rw_status rw_h5_check_links(rw_h5 *f, const char *name)
{
    if (!*f->refused) return RW_OK;
    char target[sizeof f->refused];
    snprintf(target, sizeof target, "%s", f->refused);
    *f->refused = '\0';
    return rw_fail(f->ctx, RW_ERR_INPUT,
                   "%s: %s: is a link to another file, '%s': copy what it leads to into this "
                   "file",
                   f->path, name, target);
}

rw_status rw_h5_check_storage(const rw_h5 *f, const char *name, hid_t set)
{
    hid_t made = H5Dget_create_plist(set);
    char file[256] = "?";
    const bool virtual = made >= 0 && H5Pget_layout(made) == H5D_VIRTUAL;
    const bool elsewhere = !virtual && made >= 0 && H5Pget_external_count(made) > 0;
    bool below = virtual && !f->alone;
    size_t sources = 0;
    if (virtual) below = H5Pget_virtual_count(made, &sources) >= 0 && below;
    for (size_t i = 0; i < sources && (below || i == 0); ++i)
        below = H5Pget_virtual_filename(made, i, file, sizeof file) < (ssize_t)sizeof file && is_below(file) && below;
    if (elsewhere) {
        H5Pget_external(made, 0, sizeof file - 1, file, NULL, NULL);
        file[sizeof file - 1] = '\0';
    }
    if (made >= 0) H5Pclose(made);
    if (made < 0) return rw_h5_fail(f, RW_ERR_INPUT, name, "is damaged");
    if (below || (!virtual && !elsewhere)) return RW_OK;
    return rw_fail(f->ctx, RW_ERR_INPUT, "%s: %s: its values are in another file, '%s' (%s): copy them into this file",
                   f->path, name, file, virtual ? "a virtual dataset" : "external raw data");
}

static rw_status create_object(rw_context *ctx, const char *path, rw_h5 **file)
{
    rw_h5 *f = rw_calloc(1, sizeof *f);
    if (!f) return rw_fail_memory(ctx, sizeof *f, path);
    f->id = f->links = f->sets = -1;
    f->ctx = rw_context_retain(ctx);
    f->path = rw_strdup(path);
    *file = f;
    return f->path ? RW_OK : rw_fail_memory(ctx, strlen(path) + 1, path);
}

/* Files of format 1.10; closing one closes what is still open in it. */
static hid_t access_list(void)
{
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(list, H5F_LIBVER_V110, H5F_LIBVER_V110);
    H5Pset_fclose_degree(list, H5F_CLOSE_STRONG);
    return list;
}

rw_status rw_h5_create(rw_context *ctx, const char *path, rw_h5 **file)
{
    *file = NULL;
    RW_TRY(check_reserve(ctx, path));
    rw_h5_guard g = rw_h5_enter();
    rw_h5 *f = NULL;
    rw_status status = create_object(ctx, path, &f);
    if (status == RW_OK) make_lists(f);
    if (status == RW_OK) status = rw_file_replace_begin(ctx, path, &f->temporary);
    if (status == RW_OK) {
        hid_t list = access_list(), made = H5Pcreate(H5P_FILE_CREATE);
        f->sink = rw_calloc(1, sizeof *f->sink);
        if (f->sink) f->sink->references = 1;
        H5Pset_obj_track_times(made, false);
        if (f->sink && rw_h5_drive(list, f->sink) && !rw_fault_hit(RW_FAULT_WRITE))
            f->id = H5Fcreate(f->temporary, H5F_ACC_TRUNC, made, list);
        if (!f->sink) status = rw_fail_memory(ctx, sizeof *f->sink, path);
        else if (f->id < 0) status = rw_h5_fail(f, RW_ERR_FILE, "HDF5", "cannot be created");
        else status = rw_h5_written(f, status, "HDF5");
        H5Pclose(made);
        H5Pclose(list);
    }
    if (status != RW_OK) destroy(&f);
    *file = f;
    rw_h5_leave(g);
    return status;
}

/* The file is there, begins with a superblock, and this is of version 2 or above: all metadata carry checksums. */
static rw_status check_format(rw_context *ctx, const char *path)
{
    unsigned char start[9];
    rw_io_file s;
    RW_TRY(rw_io_open(ctx, path, &s));
    rw_status status = rw_io_read(&s, start, sizeof start, "the signature");
    rw_io_close(&s);
    RW_TRY(status);
    if (memcmp(start, "\x89HDF\r\n\x1a\n", 8) != 0)
        return rw_fail(ctx, RW_ERR_INPUT, "%s: is not an HDF5 file, or its first bytes are damaged", path);
    if (start[8] < 2)
        return rw_fail(ctx, RW_ERR_INPUT,
                       "%s: is in the old HDF5 format, which does not detect damage: convert it with h5repack -L "
                       "%s new.h5",
                       path, path);
    return RW_OK;
}

static rw_status open_file(rw_context *ctx, const char *path, bool alone, rw_h5 **file)
{
    *file = NULL;
    RW_TRY(check_format(ctx, path));
    RW_TRY(check_reserve(ctx, path));
    rw_h5_guard g = rw_h5_enter();
    rw_h5 *f = NULL;
    rw_status status = create_object(ctx, path, &f);
    if (status == RW_OK && rw_fault_hit(RW_FAULT_READ)) status = rw_h5_fail(f, RW_ERR_FILE, "HDF5", "cannot be read");
    if (status == RW_OK) {
        make_lists(f);
        f->alone = alone;
        hid_t list = access_list();
        const rw_fd_guard low = rw_fd_guard_enter();
        f->id = H5Fopen(path, H5F_ACC_RDONLY, list);
        rw_fd_guard_leave(low);
        if (f->id < 0) status = rw_h5_fail(f, RW_ERR_INPUT, "HDF5", "not an HDF5 file, or truncated or damaged");
        H5Pclose(list);
    }
    if (status != RW_OK) destroy(&f);
    *file = f;
    rw_h5_leave(g);
    return status;
}

rw_status rw_h5_open(rw_context *ctx, const char *path, rw_h5 **file) { return open_file(ctx, path, false, file); }
rw_status rw_h5_open_alone(rw_context *ctx, const char *path, rw_h5 **file) { return open_file(ctx, path, true, file); }

rw_status rw_h5_commit(rw_h5 **file)
{
    rw_h5 *f = *file;
    rw_status status = RW_OK;
    rw_h5_guard g = rw_h5_enter();
    if (!f->temporary) {
        status = rw_fail(f->ctx, RW_ERR_ARGUMENT, "%s: is open for reading only: nothing to commit", f->path);
    } else {
        bool bad = rw_fault_hit(RW_FAULT_WRITE) || H5Fflush(f->id, H5F_SCOPE_GLOBAL) < 0;
        if (bad) status = rw_h5_fail(f, RW_ERR_FILE, "HDF5", "writing failed");
        herr_t closed = H5Fclose(f->id);
        troubled |= closed < 0;
        f->id = -1;
        if (!bad && closed < 0) status = rw_h5_fail(f, RW_ERR_FILE, "HDF5", "writing failed");
        status = rw_h5_written(f, status, "HDF5");
        if (status == RW_OK) status = rw_file_replace_commit(f->ctx, f->path, &f->temporary);
    }
    destroy(file);
    rw_h5_leave(g);
    return status;
}

void rw_h5_close(rw_h5 **file)
{
    rw_h5_guard g = rw_h5_enter();
    destroy(file);
    rw_h5_leave(g);
}

bool rw_h5_reaches(const rw_h5 *f, const char *name)
{
    char path[RW_H5_NAME];
    size_t n = strlen(name);
    if (n == 0 || n >= RW_H5_NAME) return false;
    if (strcmp(name, "/") == 0) return true;
    for (size_t i = 1; i <= n; i++) {
        if (name[i] != '/' && name[i] != '\0') continue;
        memcpy(path, name, i);
        path[i] = '\0';
        if (path[i - 1] != '/' && H5Lexists(f->id, path, f->links) <= 0) return false;
    }
    return H5Oexists_by_name(f->id, name, f->links) > 0;
}

bool rw_h5_exists(rw_h5 *file, const char *name)
{
    rw_h5_guard g = rw_h5_enter();
    bool found = rw_h5_reaches(file, name);
    *file->refused = '\0';
    H5Eclear2(H5E_DEFAULT);
    rw_h5_leave(g);
    return found;
}

hid_t rw_h5_link_list(void)
{
    hid_t list = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_char_encoding(list, H5T_CSET_UTF8);
    return list;
}

/* A group without times: equal data make equal files. HDF5's own way of making the groups on the way stores them. */
static hid_t make_group(const rw_h5 *f, const char *name)
{
    hid_t links = rw_h5_link_list(), made = H5Pcreate(H5P_GROUP_CREATE), group = -1;
    if (links >= 0 && made >= 0 && H5Pset_obj_track_times(made, false) >= 0)
        group = H5Gcreate2(f->id, name, links, made, H5P_DEFAULT);
    if (links >= 0) H5Pclose(links);
    if (made >= 0) H5Pclose(made);
    return group;
}

/* The groups above `name` that are not there. */
static bool make_parents(const rw_h5 *f, const char *name)
{
    char path[RW_H5_NAME];
    for (const char *slash = strchr(name + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        memcpy(path, name, (size_t)(slash - name));
        path[slash - name] = '\0';
        if (slash[-1] == '/' || H5Lexists(f->id, path, H5P_DEFAULT) > 0) continue;
        hid_t group = make_group(f, path);
        if (group < 0) return false;
        H5Gclose(group);
    }
    return true;
}

rw_status rw_h5_check_new(const rw_h5 *f, const char *name)
{
    if (!f->temporary)
        return rw_fail(f->ctx, RW_ERR_ARGUMENT, "%s: %s: the file is open for reading only", f->path, name);
    if (!*name || strlen(name) >= RW_H5_NAME)
        return rw_fail(f->ctx, RW_ERR_ARGUMENT, "%s: the name of an object must have 1 to %d bytes", f->path,
                       RW_H5_NAME - 1);
    if (H5Lexists(f->id, name, H5P_DEFAULT) > 0)
        return rw_fail(f->ctx, RW_ERR_ARGUMENT, "%s: %s: the name exists already", f->path, name);
    H5Eclear2(H5E_DEFAULT); /* groups on the way that are missing are no failure */
    if (rw_fault_hit(RW_FAULT_WRITE)) return rw_h5_fail(f, RW_ERR_FILE, name, "writing failed");
    if (!make_parents(f, name)) return rw_h5_fail(f, RW_ERR_FILE, name, "a group above it cannot be made");
    return RW_OK;
}

rw_status rw_h5_group(rw_h5 *file, const char *name)
{
    rw_h5_guard g = rw_h5_enter();
    rw_status status = RW_OK;
    hid_t group = rw_h5_reaches(file, name) ? H5Gopen2(file->id, name, H5P_DEFAULT) : -1;
    H5Eclear2(H5E_DEFAULT);
    if (group < 0) status = rw_h5_check_new(file, name);
    if (group < 0 && status == RW_OK) {
        group = make_group(file, name);
        if (group < 0) status = rw_h5_fail(file, RW_ERR_FILE, name, "the group cannot be made");
    }
    if (group >= 0) H5Gclose(group);
    status = rw_h5_written(file, status, name);
    rw_h5_leave(g);
    return status;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static rw_status list_members(rw_h5 *f, const char *group, char ***names, int *n)
{
    H5G_info_t info;
    int capacity = 0;
    if (H5Gget_info_by_name(f->id, group, &info, f->links) < 0) {
        RW_TRY(rw_h5_check_links(f, group));
        return rw_h5_fail(f, RW_ERR_INPUT, group, "is not a group that can be listed");
    }
    for (hsize_t i = 0; i < info.nlinks; i++) {
        ssize_t length = H5Lget_name_by_idx(f->id, group, H5_INDEX_NAME, H5_ITER_INC, i, NULL, 0, f->links);
        if (length < 0 || length >= RW_H5_NAME) return rw_h5_fail(f, RW_ERR_INPUT, group, "a member has no name");
        char *name = rw_calloc((size_t)length + 1, 1);
        if (!name || !rw_grow(names, &capacity, *n + 1, sizeof **names)) {
            rw_free(name);
            return rw_fail_memory(f->ctx, (size_t)length + 1, f->path);
        }
        (*names)[(*n)++] = name;
        if (H5Lget_name_by_idx(f->id, group, H5_INDEX_NAME, H5_ITER_INC, i, name, (size_t)length + 1, f->links) < 0)
            return rw_h5_fail(f, RW_ERR_INPUT, group, "a member has no name");
    }
    if (*n > 0) qsort(*names, (size_t)*n, sizeof **names, by_name);
    return RW_OK;
}

rw_status rw_h5_list(rw_h5 *file, const char *group, char ***names, int *n)
{
    *names = NULL;
    *n = 0;
    rw_h5_guard g = rw_h5_enter();
    rw_status status = list_members(file, group, names, n);
    rw_h5_leave(g);
    if (status != RW_OK) {
        rw_h5_names_free(names, *n);
        *n = 0;
    }
    return status;
}

void rw_h5_names_free(char ***names, int n)
{
    for (int i = 0; *names && i < n; i++) rw_free((*names)[i]);
    rw_free(*names);
    *names = NULL;
}

rw_status rw_h5_link(rw_h5 *file, const char *name, const char *target, const char *object)
{
    rw_h5_guard g = rw_h5_enter();
    rw_status status = rw_h5_check_new(file, name);
    if (status == RW_OK) {
        hid_t links = rw_h5_link_list();
        if (H5Lcreate_external(target, object, file->id, name, links, H5P_DEFAULT) < 0)
            status = rw_h5_fail(file, RW_ERR_FILE, name, "the link cannot be made");
        H5Pclose(links);
    }
    status = rw_h5_written(file, status, name);
    rw_h5_leave(g);
    return status;
}
