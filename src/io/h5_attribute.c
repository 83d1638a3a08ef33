/* HDF5 attributes (see h5.h): numbers as f64 or i64, texts as UTF-8 of fixed length, which live in the header of their
 * object and so under its checksum; texts of variable length, as h5py writes them, are read as well. */
#include <string.h>

#include "io/h5_parts.h"

enum { TEXT_LIMIT = 16 << 20 };

/* Replaces the attribute by `data` of `type`; n < 0 is a single value. */
static rw_status set(rw_h5 *f, const char *object, const char *name, hid_t stored, hid_t given, int n, const void *data)
{
    if (!f->temporary)
        return rw_fail(f->ctx, RW_ERR_ARGUMENT, "%s: %s: the file is open for reading only", f->path, name);
    if (!*name || !rw_h5_reaches(f, object))
        return rw_h5_fail(f, RW_ERR_ARGUMENT, object, "an attribute needs a name and an existing object");
    if (H5Aexists_by_name(f->id, object, name, f->links) > 0) H5Adelete_by_name(f->id, object, name, H5P_DEFAULT);
    H5Eclear2(H5E_DEFAULT);
    hsize_t size = n < 0 ? 1 : (hsize_t)n;
    hid_t space = n < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL), attribute = -1;
    if (!rw_fault_hit(RW_FAULT_WRITE))
        attribute = H5Acreate_by_name(f->id, object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && (n == 0 || H5Awrite(attribute, given, data) >= 0);
    rw_status status = good ? RW_OK : rw_h5_fail(f, RW_ERR_FILE, name, "the attribute cannot be written");
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    return rw_h5_written(f, status, name);
}

static rw_status set_text(rw_h5 *file, const char *object, const char *name, const char *value, H5T_cset_t set_of)
{
    rw_h5_guard g = rw_h5_enter();
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(value) + 1);
    H5Tset_cset(type, set_of);
    rw_status status = set(file, object, name, type, type, -1, value);
    H5Tclose(type);
    rw_h5_leave(g);
    return status;
}

rw_status rw_h5_set_text(rw_h5 *file, const char *object, const char *name, const char *value)
{
    return set_text(file, object, name, value, H5T_CSET_UTF8);
}

rw_status rw_h5_set_ascii(rw_h5 *file, const char *object, const char *name, const char *value)
{
    return set_text(file, object, name, value, H5T_CSET_ASCII);
}

rw_status rw_h5_set_int32(rw_h5 *file, const char *object, const char *name, int value)
{
    rw_h5_guard g = rw_h5_enter();
    rw_status status = set(file, object, name, H5T_STD_I32LE, H5T_NATIVE_INT, -1, &value);
    rw_h5_leave(g);
    return status;
}

rw_status rw_h5_set_number(rw_h5 *file, const char *object, const char *name, double value)
{
    rw_h5_guard g = rw_h5_enter();
    rw_status status = set(file, object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, -1, &value);
    rw_h5_leave(g);
    return status;
}

rw_status rw_h5_set_numbers(rw_h5 *file, const char *object, const char *name, int n, const double *values)
{
    if (n < 0) return rw_fail(file->ctx, RW_ERR_ARGUMENT, "%s: %s: %d values: must be 0 or more", file->path, name, n);
    rw_h5_guard g = rw_h5_enter();
    rw_status status = set(file, object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, n, values);
    rw_h5_leave(g);
    return status;
}

rw_status rw_h5_set_integer(rw_h5 *file, const char *object, const char *name, int64_t value)
{
    rw_h5_guard g = rw_h5_enter();
    rw_status status = set(file, object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, -1, &value);
    rw_h5_leave(g);
    return status;
}

/* An attribute opened to read. */
typedef struct view {
    hid_t id, type, space;
    H5T_class_t kind;
    hssize_t n;
} view;

static void close_view(view *v)
{
    if (v->space >= 0) H5Sclose(v->space);
    if (v->type >= 0) H5Tclose(v->type);
    if (v->id >= 0) H5Aclose(v->id);
}

static rw_status open_view(rw_h5 *f, const char *object, const char *name, view *v)
{
    *v = (view){-1, -1, -1, H5T_NO_CLASS, 0};
    if (rw_fault_hit(RW_FAULT_READ)) return rw_h5_fail(f, RW_ERR_FILE, name, "reading failed");
    if (rw_h5_reaches(f, object) && *name && H5Aexists_by_name(f->id, object, name, f->links) > 0)
        v->id = H5Aopen_by_name(f->id, object, name, H5P_DEFAULT, f->links);
    if (v->id < 0) {
        H5Eclear2(H5E_DEFAULT);
        RW_TRY(rw_h5_had_memory(f, name));
        RW_TRY(rw_h5_check_links(f, object));
        return rw_fail(f->ctx, RW_ERR_INPUT, "%s: %s: has no attribute '%s'", f->path, object, name);
    }
    v->type = H5Aget_type(v->id);
    v->space = H5Aget_space(v->id);
    if (v->type < 0 || v->space < 0) return rw_h5_fail(f, RW_ERR_INPUT, name, "the attribute is damaged");
    v->kind = H5Tget_class(v->type);
    v->n = H5Sget_simple_extent_npoints(v->space);
    return RW_OK;
}

static rw_status get(rw_h5 *f, const char *object, const char *name, bool integer, int n, void *data)
{
    view v;
    rw_status status = open_view(f, object, name, &v);
    bool good = v.kind == H5T_INTEGER || (v.kind == H5T_FLOAT && !integer);
    if (status == RW_OK && (!good || v.n != n))
        status = rw_fail(f->ctx, RW_ERR_INPUT, "%s: %s: the attribute '%s' is not %d %s", f->path, object, name, n,
                         integer  ? "integer"
                         : n == 1 ? "number"
                                  : "numbers");
    if (status == RW_OK && n > 0 && H5Aread(v.id, integer ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, data) < 0)
        status = rw_h5_fail(f, RW_ERR_INPUT, name, "the attribute is damaged");
    close_view(&v);
    return status;
}

rw_status rw_h5_get_number(rw_h5 *file, const char *object, const char *name, double *value)
{
    return rw_h5_get_numbers(file, object, name, 1, value);
}

rw_status rw_h5_get_numbers(rw_h5 *file, const char *object, const char *name, int n, double *values)
{
    rw_h5_guard g = rw_h5_enter();
    rw_status status = get(file, object, name, false, n, values);
    rw_h5_leave(g);
    return status;
}

rw_status rw_h5_get_integer(rw_h5 *file, const char *object, const char *name, int64_t *value)
{
    rw_h5_guard g = rw_h5_enter();
    rw_status status = get(file, object, name, true, 1, value);
    rw_h5_leave(g);
    return status;
}

/* A text of variable length: HDF5 gives its own memory, which is copied. */
static rw_status copy_variable(rw_h5 *f, const char *name, const view *v, char **value)
{
    char *text = NULL;
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5Tget_cset(v->type));
    rw_status status = RW_OK;
    if (H5Aread(v->id, type, &text) < 0) status = rw_h5_fail(f, RW_ERR_INPUT, name, "the attribute is damaged");
    else if (!(*value = rw_strndup(text ? text : "", TEXT_LIMIT))) status = rw_fail_memory(f->ctx, TEXT_LIMIT, f->path);
    H5free_memory(text);
    H5Tclose(type);
    return status;
}

static rw_status copy_fixed(rw_h5 *f, const char *name, const view *v, char **value)
{
    size_t n = H5Tget_size(v->type);
    if (n == 0 || n > TEXT_LIMIT)
        return rw_fail(f->ctx, RW_ERR_INPUT, "%s: the text '%s' of %zu bytes: at most %d can be read", f->path, name, n,
                       TEXT_LIMIT);
    *value = rw_calloc(n + 1, 1);
    if (!*value) return rw_fail_memory(f->ctx, n + 1, f->path);
    if (H5Aread(v->id, v->type, *value) >= 0) return RW_OK;
    rw_free(*value);
    *value = NULL;
    return rw_h5_fail(f, RW_ERR_INPUT, name, "the attribute is damaged");
}

rw_status rw_h5_get_text(rw_h5 *file, const char *object, const char *name, char **value)
{
    view v;
    *value = NULL;
    rw_h5_guard g = rw_h5_enter();
    rw_status status = open_view(file, object, name, &v);
    if (status == RW_OK && (v.kind != H5T_STRING || v.n != 1))
        status = rw_fail(file->ctx, RW_ERR_INPUT, "%s: %s: the attribute '%s' is not a text", file->path, object, name);
    if (status == RW_OK)
        status =
            H5Tis_variable_str(v.type) > 0 ? copy_variable(file, name, &v, value) : copy_fixed(file, name, &v, value);
    close_view(&v);
    rw_h5_leave(g);
    return status;
}

bool rw_h5_has_attribute(rw_h5 *file, const char *object, const char *name)
{
    rw_h5_guard g = rw_h5_enter();
    bool found = *name && rw_h5_reaches(file, object) && H5Aexists_by_name(file->id, object, name, file->links) > 0;
    H5Eclear2(H5E_DEFAULT);
    rw_h5_leave(g);
    return found;
}
