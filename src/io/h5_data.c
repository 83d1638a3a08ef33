/* HDF5 arrays (see h5.h): stored little-endian, contiguous, or in chunks when they carry a checksum. */
#include <string.h>

#include "io/h5_parts.h"

enum { CHUNK = 16 << 20 };

hid_t rw_h5_element_type(rw_dtype type, bool in_file)
{
    bool wide = rw_io_real_size(type) == 8;
    hid_t real = in_file ? (wide ? H5T_IEEE_F64LE : H5T_IEEE_F32LE) : wide ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT;
    if (!rw_dtype_is_complex(type)) return H5Tcopy(real);
    hid_t pair = H5Tcreate(H5T_COMPOUND, rw_dtype_size(type));
    H5Tinsert(pair, "r", 0, real);
    H5Tinsert(pair, "i", rw_io_real_size(type), real);
    return pair;
}

/* Chunks for the checksum: whole lines of the fastest indices, at most CHUNK bytes. */
static void set_checksum(hid_t properties, int rank, const hsize_t *shape, size_t element)
{
    hsize_t chunk[RW_IO_RANK], bytes = element;
    for (int a = 0; a < rank; a++) {
        chunk[a] = shape[a];
        bytes *= shape[a];
    }
    for (int a = 0; a < rank; a++)
        while (bytes > CHUNK && chunk[a] > 1) {
            bytes /= chunk[a];
            chunk[a] = (chunk[a] + 1) / 2;
            bytes *= chunk[a];
        }
    if (bytes == 0) return; /* nothing to check in an empty array */
    H5Pset_chunk(properties, rank, chunk);
    H5Pset_fletcher32(properties);
}

static rw_status write_data(rw_h5 *f, const char *name, rw_dtype type, int rank, const size_t *shape, const void *data,
                            unsigned flags)
{
    hsize_t sizes[RW_IO_RANK];
    size_t bytes;
    RW_TRY(rw_h5_check_new(f, name));
    if (rank < 1 || rank > RW_IO_RANK || !rw_io_bytes(rank, shape, rw_dtype_size(type), &bytes))
        return rw_fail(f->ctx, RW_ERR_ARGUMENT, "%s: %s: %d dimensions: 1 to %d of a size that fits in memory", f->path,
                       name, rank, RW_IO_RANK);
    for (int a = 0; a < rank; a++) sizes[a] = shape[a];
    hid_t stored = rw_h5_element_type(type, true), given = rw_h5_element_type(type, false), links = rw_h5_link_list();
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(rank, sizes, NULL);
    H5Pset_obj_track_times(properties, false);
    H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);
    if (flags & RW_H5_CHECKSUM) set_checksum(properties, rank, sizes, rw_dtype_size(type));
    hid_t set = H5Dcreate2(f->id, name, stored, space, links, properties, H5P_DEFAULT);
    bool good = set >= 0 && (bytes == 0 || H5Dwrite(set, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    rw_status status = good ? RW_OK : rw_h5_fail(f, RW_ERR_FILE, name, "the array cannot be written");
    if (set >= 0 && H5Dclose(set) < 0 && good) status = rw_h5_fail(f, RW_ERR_FILE, name, "the array cannot be written");
    H5Sclose(space);
    H5Pclose(properties);
    H5Pclose(links);
    H5Tclose(given);
    H5Tclose(stored);
    return status;
}

rw_status rw_h5_write(rw_h5 *file, const char *name, rw_dtype type, int rank, const size_t *shape, const void *data,
                      unsigned flags)
{
    rw_h5_guard g = rw_h5_enter();
    rw_status status = rw_h5_written(file, write_data(file, name, type, rank, shape, data, flags), name);
    rw_h5_leave(g);
    return status;
}

/* F32, F64, and integers as F64; a compound of two reals named r and i is complex. */
static bool kind_of(hid_t type, rw_dtype *kind)
{
    H5T_class_t class = H5Tget_class(type);
    *kind = rw_io_type(class == H5T_FLOAT ? H5Tget_size(type) : 8, false);
    if (class == H5T_FLOAT || class == H5T_INTEGER) return true;
    if (class != H5T_COMPOUND || H5Tget_nmembers(type) != 2) return false;
    bool good = true;
    for (unsigned m = 0; m < 2; m++) {
        char *name = H5Tget_member_name(type, m);
        hid_t part = H5Tget_member_type(type, m);
        good = good && name && strcmp(name, m ? "i" : "r") == 0 && H5Tget_class(part) == H5T_FLOAT;
        if (m == 0) *kind = rw_io_type(H5Tget_size(part), true);
        H5free_memory(name);
        if (part >= 0) H5Tclose(part);
    }
    return good;
}

/* Opens a dataset (-1 on failure) and says what it holds. */
static rw_status open_data(rw_h5 *f, const char *name, hid_t *set, rw_dtype *type, int *rank, size_t *shape)
{
    hsize_t sizes[RW_IO_RANK] = {1, 1, 1, 1};
    size_t bytes;
    if (!rw_h5_reaches(f, name)) {
        H5Eclear2(H5E_DEFAULT);
        RW_TRY(rw_h5_had_memory(f, name));
        RW_TRY(rw_h5_check_links(f, name));
        return rw_fail(f->ctx, RW_ERR_INPUT, "%s: %s: is not in the file", f->path, name);
    }
    *set = rw_fault_hit(RW_FAULT_READ) ? -1 : H5Dopen2(f->id, name, f->sets);
    if (*set < 0) return rw_h5_fail(f, RW_ERR_INPUT, name, "cannot be read as an array");
    RW_TRY(rw_h5_check_storage(f, name, *set));
    hid_t stored = H5Dget_type(*set), space = H5Dget_space(*set);
    rw_status status = RW_OK;
    *rank = H5Sget_simple_extent_ndims(space);
    if (stored < 0 || space < 0) status = rw_h5_fail(f, RW_ERR_INPUT, name, "is damaged");
    else if (!kind_of(stored, type) || *rank < 0 || *rank > RW_IO_RANK || H5Sget_simple_extent_type(space) == H5S_NULL)
        status = rw_fail(f->ctx, RW_ERR_INPUT, "%s: %s: is not an array of numbers with 0 to %d dimensions", f->path,
                         name, RW_IO_RANK);
    else if (*rank > 0 && H5Sget_simple_extent_dims(space, sizes, NULL) < 0)
        status = rw_h5_fail(f, RW_ERR_INPUT, name, "has no shape");
    for (int a = 0; a < RW_IO_RANK; a++) shape[a] = (size_t)sizes[a];
    if (status == RW_OK && !rw_io_bytes(RW_IO_RANK, shape, rw_dtype_size(*type), &bytes))
        status = rw_fail(f->ctx, RW_ERR_INPUT, "%s: %s: its size does not fit in memory", f->path, name);
    if (space >= 0) H5Sclose(space);
    if (stored >= 0) H5Tclose(stored);
    return status;
}

rw_status rw_h5_shape(rw_h5 *file, const char *name, rw_dtype *type, int *rank, size_t shape[RW_IO_RANK])
{
    rw_h5_guard g = rw_h5_enter();
    hid_t set = -1;
    rw_status status = open_data(file, name, &set, type, rank, shape);
    if (set >= 0) H5Dclose(set);
    rw_h5_leave(g);
    return status;
}

static rw_status read_data(rw_h5 *f, const char *name, rw_dtype type, int rank, const size_t *shape, void *data,
                           hid_t *set)
{
    rw_dtype stored;
    int stored_rank;
    size_t stored_shape[RW_IO_RANK];
    RW_TRY(open_data(f, name, set, &stored, &stored_rank, stored_shape));
    if (rw_dtype_is_complex(stored) != rw_dtype_is_complex(type))
        return rw_fail(f->ctx, RW_ERR_INPUT, "%s: %s: holds %s, but %s is expected", f->path, name,
                       rw_dtype_name(stored), rw_dtype_name(type));
    bool same = rank == stored_rank;
    for (int a = 0; a < rank && same; a++) same = shape[a] == stored_shape[a];
    if (!same) {
        rw_text is = {0}, wanted = {0};
        for (int a = 0; a < stored_rank; a++) rw_text_add(&is, "%s%zu", a ? " x " : "", stored_shape[a]);
        for (int a = 0; a < rank; a++) rw_text_add(&wanted, "%s%zu", a ? " x " : "", shape[a]);
        rw_status status = rw_fail(f->ctx, RW_ERR_INPUT, "%s: %s: has the shape (%s), but (%s) is expected", f->path,
                                   name, is.data ? is.data : "", wanted.data ? wanted.data : "");
        rw_text_free(&is);
        rw_text_free(&wanted);
        return status;
    }
    for (int a = 0; a < rank; a++)
        if (shape[a] == 0) return RW_OK;
    hid_t wanted = rw_h5_element_type(type, false);
    herr_t good = H5Dread(*set, wanted, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Tclose(wanted);
    return good < 0 ? rw_h5_fail(f, RW_ERR_INPUT, name, "the data are damaged") : RW_OK;
}

rw_status rw_h5_read(rw_h5 *file, const char *name, rw_dtype type, int rank, const size_t *shape, void *data)
{
    rw_h5_guard g = rw_h5_enter();
    hid_t set = -1;
    rw_status status = read_data(file, name, type, rank, shape, data, &set);
    if (set >= 0) H5Dclose(set);
    rw_h5_leave(g);
    return status;
}
