/* Axes of arrays, and arrays made of the datasets of many files (see h5.h).
 *
 * A dimension scale is a dataset with the attributes CLASS and NAME; an array names the scales of its axes in
 * DIMENSION_LIST, and a scale names its arrays in REFERENCE_LIST. netCDF-4 adds _Netcdf4Dimid, the number of the
 * dimension. Sources: HDF5 Dimension Scale Specification (The HDF Group, 2005); NetCDF-4 File Format Specification,
 * "Dimensions" (Unidata). These are written here since libhdf5_hl, which has them, would be a further library. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/h5_parts.h"

rw_status rw_h5_write_scale(rw_h5 *file, const char *name, int id, size_t n, const double *values)
{
    const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    RW_TRY(rw_h5_write(file, name, RW_F64, 1, &n, values, 0));
    RW_TRY(rw_h5_set_ascii(file, name, "CLASS", "DIMENSION_SCALE"));
    RW_TRY(rw_h5_set_ascii(file, name, "NAME", base));
    return rw_h5_set_int32(file, name, "_Netcdf4Dimid", id);
}

/* An entry of REFERENCE_LIST: an array and the axis that the scale belongs to. */
typedef struct user {
    hobj_ref_t array;
    int axis;
} user;

static hid_t user_type(void)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(user));
    H5Tinsert(type, "dataset", HOFFSET(user, array), H5T_STD_REF_OBJ);
    H5Tinsert(type, "dimension", HOFFSET(user, axis), H5T_NATIVE_INT);
    return type;
}

/* Writes an attribute of n elements of this type; an earlier one is replaced. */
static bool put(hid_t object, const char *name, hid_t type, hsize_t n, const void *data)
{
    if (H5Aexists(object, name) > 0) H5Adelete(object, name);
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, type, data) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    return good;
}

/* Adds an array to those that use a scale. */
static bool add_user(hid_t scale, hobj_ref_t array, int axis)
{
    hid_t type = user_type(), attribute = -1;
    hssize_t n = 0;
    if (H5Aexists(scale, "REFERENCE_LIST") > 0 && (attribute = H5Aopen(scale, "REFERENCE_LIST", H5P_DEFAULT)) >= 0) {
        hid_t space = H5Aget_space(attribute);
        n = H5Sget_simple_extent_npoints(space);
        H5Sclose(space);
    }
    user *list = rw_calloc((size_t)n + 1, sizeof(*list));
    bool good = list && (n == 0 || H5Aread(attribute, type, list) >= 0);
    if (attribute >= 0) H5Aclose(attribute);
    if (good) list[n] = (user){array, axis};
    good = good && put(scale, "REFERENCE_LIST", type, (hsize_t)n + 1, list);
    rw_free(list);
    H5Tclose(type);
    return good;
}

static bool set_scales(rw_h5 *f, const char *name, int rank, const char *const *scales)
{
    hobj_ref_t array, scale[RW_IO_RANK];
    hvl_t list[RW_IO_RANK];
    bool good = H5Rcreate(&array, f->id, name, H5R_OBJECT, -1) >= 0;
    for (int a = 0; a < rank && good; a++) {
        good = H5Rcreate(&scale[a], f->id, scales[a], H5R_OBJECT, -1) >= 0;
        list[a] = (hvl_t){1, &scale[a]};
    }
    for (int a = 0; a < rank && good; a++) { /* once all scales are known to be there */
        hid_t id = H5Dopen2(f->id, scales[a], H5P_DEFAULT);
        good = id >= 0 && add_user(id, array, a);
        if (id >= 0) H5Dclose(id);
    }
    hid_t type = H5Tvlen_create(H5T_STD_REF_OBJ), id = good ? H5Dopen2(f->id, name, H5P_DEFAULT) : -1;
    good = id >= 0 && put(id, "DIMENSION_LIST", type, (hsize_t)rank, list);
    if (id >= 0) H5Dclose(id);
    H5Tclose(type);
    return good;
}

rw_status rw_h5_set_scales(rw_h5 *file, const char *name, int rank, const char *const *scales)
{
    if (rank < 1 || rank > RW_IO_RANK)
        return rw_fail(file->ctx, RW_ERR_ARGUMENT, "%s: %s: %d axes: 1 to %d have scales", file->path, name, rank,
                       RW_IO_RANK);
    rw_h5_guard g = rw_h5_enter();
    bool good = !rw_fault_hit(RW_FAULT_WRITE) && set_scales(file, name, rank, scales);
    rw_status status = good ? RW_OK : rw_h5_fail(file, RW_ERR_FILE, name, "the axes cannot be written");
    status = rw_h5_written(file, status, name);
    rw_h5_leave(g);
    return status;
}

static rw_status write_stack(rw_h5 *f, const char *name, rw_dtype type, size_t n, int rank, const size_t *shape,
                             const char *const *files, const char *object, int source_rank, const size_t *source_shape)
{
    hsize_t size[RW_IO_RANK] = {n}, source[RW_IO_RANK], start[RW_IO_RANK] = {0}, count[RW_IO_RANK] = {1};
    const double fill[2] = {NAN, NAN};
    RW_TRY(rw_h5_check_new(f, name));
    for (int a = 0; a < rank; a++) size[a + 1] = count[a + 1] = shape[a];
    for (int a = 0; a < source_rank; a++) source[a] = source_shape[a];
    hid_t stored = rw_h5_element_type(type, true), links = rw_h5_link_list(),
          properties = H5Pcreate(H5P_DATASET_CREATE);
    hid_t given = rw_h5_element_type(rw_dtype_is_complex(type) ? RW_C128 : RW_F64, false);
    hid_t from = H5Screate_simple(source_rank, source, NULL), space = H5Screate_simple(rank + 1, size, NULL);
    bool good = H5Pset_fill_value(properties, given, fill) >= 0;
    for (size_t k = 0; k < n && good; k++) {
        start[0] = k;
        if (!files[k]) continue;
        good = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
               H5Pset_virtual(properties, space, files[k], object, from) >= 0;
    }
    H5Sselect_all(space);
    H5Pset_obj_track_times(properties, false);
    hid_t set = good && !rw_fault_hit(RW_FAULT_WRITE)
                    ? H5Dcreate2(f->id, name, stored, space, links, properties, H5P_DEFAULT)
                    : -1;
    rw_status status = set >= 0 ? RW_OK : rw_h5_fail(f, RW_ERR_FILE, name, "the array cannot be written");
    if (set >= 0) H5Dclose(set);
    H5Sclose(space);
    H5Sclose(from);
    H5Pclose(properties);
    H5Pclose(links);
    H5Tclose(given);
    H5Tclose(stored);
    return status;
}

rw_status rw_h5_write_stack(rw_h5 *file, const char *name, rw_dtype type, size_t n, int rank, const size_t *shape,
                            const char *const *files, const char *object, int source_rank, const size_t *source_shape)
{
    if (rank < 1 || rank + 1 > RW_IO_RANK || source_rank < 1 || source_rank > RW_IO_RANK)
        return rw_fail(file->ctx, RW_ERR_ARGUMENT, "%s: %s: %d axes of files with %d: at most %d and %d are allowed",
                       file->path, name, rank, source_rank, RW_IO_RANK - 1, RW_IO_RANK);
    rw_h5_guard g = rw_h5_enter();
    rw_status status = write_stack(file, name, type, n, rank, shape, files, object, source_rank, source_shape);
    status = rw_h5_written(file, status, name);
    rw_h5_leave(g);
    return status;
}
