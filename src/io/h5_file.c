/* The files under HDF5: a file driver of our own, by pread and pwrite, that never lets HDF5 see a write fail.
 *
 * HDF5 1.10 does not survive a full disk: a close that cannot write leaves the file open, and its exit handler ends in
 * a segmentation fault or an endless loop. This driver remembers the first error, drops what is written from then on,
 * and reports success, so that every close succeeds. rw_h5_commit and each call that writes ask for the error
 * (rw_h5_written), and the file, which is temporary until it is committed, is thrown away.
 * Cost: only that of HDF5's own driver; no data stay in memory. After an error reads beyond what has arrived give
 * zeros. Source: HDF5 Virtual File Layer, H5FD_class_t of 1.10 and of 1.14.
 * Not here: reading by other programs while the file is written (SWMR), locks. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/h5_parts.h"
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

/* HDF5's part comes first. */
typedef struct driven_file {
    H5FD_t base;
    int fd;
    haddr_t eoa, eof; /* end of what is allocated, of what is in the file */
    dev_t device;
    ino_t inode;
    rw_h5_sink *sink;
} driven_file;

/* What the access list carries: where the error is to be kept. */
typedef struct driver_info {
    rw_h5_sink *sink;
} driver_info;

void rw_h5_sink_release(rw_h5_sink **sink)
{
    if (*sink && --(*sink)->references == 0) rw_free(*sink);
    *sink = NULL;
}

static void remember(driven_file *f, int reason)
{
    if (!f->sink->reason) f->sink->reason = reason ? reason : EIO;
}

static H5FD_t *open_file(const char *name, unsigned flags, hid_t list, haddr_t most RW_UNUSED)
{
    const driver_info *info = H5Pget_driver_info(list);
    if (!info) return NULL;
    driven_file *f = rw_calloc(1, sizeof *f);
    if (!f) { /* HDF5 may try again: that it has failed once is reported all the same */
        info->sink->reason = ENOMEM;
        return NULL;
    }
    int mode = flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY;
    if (flags & H5F_ACC_TRUNC) mode |= O_TRUNC;
    if (flags & H5F_ACC_CREAT) mode |= O_CREAT;
    if (flags & H5F_ACC_EXCL) mode |= O_EXCL;
    struct stat stat;
    f->fd = rw_open(name, mode, 0666);
    if (f->fd < 0 || fstat(f->fd, &stat) != 0) {
        info->sink->reason = errno;
        if (f->fd >= 0) close(f->fd);
        rw_free(f);
        return NULL;
    }
    f->sink = info->sink;
    f->sink->references++;
    f->eof = (haddr_t)stat.st_size;
    f->device = stat.st_dev;
    f->inode = stat.st_ino;
    return &f->base;
}

static herr_t close_file(H5FD_t *file)
{
    driven_file *f = (driven_file *)file;
    if (close(f->fd) != 0 && errno != EINTR) remember(f, errno);
    rw_h5_sink_release(&f->sink);
    rw_free(f);
    return 0;
}

static int compare(const H5FD_t *a, const H5FD_t *b)
{
    const driven_file *f = (const driven_file *)a, *g = (const driven_file *)b;
    if (f->device != g->device) return f->device < g->device ? -1 : 1;
    return f->inode == g->inode ? 0 : f->inode < g->inode ? -1 : 1;
}

static herr_t query(const H5FD_t *file RW_UNUSED, unsigned long *flags)
{
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t get_eoa(const H5FD_t *file, H5FD_mem_t type RW_UNUSED) { return ((const driven_file *)file)->eoa; }

static herr_t set_eoa(H5FD_t *file, H5FD_mem_t type RW_UNUSED, haddr_t address)
{
    ((driven_file *)file)->eoa = address;
    return 0;
}

static haddr_t get_eof(const H5FD_t *file, H5FD_mem_t type RW_UNUSED) { return ((const driven_file *)file)->eof; }

static herr_t get_handle(H5FD_t *file, hid_t list RW_UNUSED, void **handle)
{
    *handle = &((driven_file *)file)->fd;
    return 0;
}

static herr_t read_file(H5FD_t *file, H5FD_mem_t type RW_UNUSED, hid_t list RW_UNUSED, haddr_t address, size_t size,
                        void *buffer)
{
    const driven_file *f = (const driven_file *)file;
    char *to = buffer;
    while (size > 0) {
        ssize_t got = pread(f->fd, to, size, (off_t)address);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) { /* beyond the end */
            memset(to, 0, size);
            return 0;
        }
        to += got;
        size -= (size_t)got;
        address += (haddr_t)got;
    }
    return 0;
}

static herr_t write_file(H5FD_t *file, H5FD_mem_t type RW_UNUSED, hid_t list RW_UNUSED, haddr_t address, size_t size,
                         const void *buffer)
{
    driven_file *f = (driven_file *)file;
    const char *from = buffer;
    while (size > 0 && !f->sink->reason) {
        ssize_t put = pwrite(f->fd, from, size, (off_t)address);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) remember(f, put < 0 ? errno : EIO);
        else {
            from += put;
            size -= (size_t)put;
            address += (haddr_t)put;
        }
    }
    f->eof = RW_MAX(f->eof, address + size);
    return 0;
}

static herr_t truncate_file(H5FD_t *file, hid_t list RW_UNUSED, hbool_t closing RW_UNUSED)
{
    driven_file *f = (driven_file *)file;
    if (f->eoa != f->eof && !f->sink->reason && ftruncate(f->fd, (off_t)f->eoa) != 0) remember(f, errno);
    f->eof = f->eoa;
    return 0;
}

static const H5FD_class_t driver = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)511, /* the last of the values for drivers that are not registered */
#endif
    .name = "rechenwerk",
    .maxaddr = ((haddr_t)1 << (8 * sizeof(off_t) - 1)) - 1,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(driver_info),
    .open = open_file,
    .close = close_file,
    .cmp = compare,
    .query = query,
    .get_eoa = get_eoa,
    .set_eoa = set_eoa,
    .get_eof = get_eof,
    .get_handle = get_handle,
    .read = read_file,
    .write = write_file,
    .truncate = truncate_file,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

bool rw_h5_drive(hid_t list, rw_h5_sink *sink)
{
    static hid_t id = -1; /* under the lock of h5.c; void when the program has closed the library */
    driver_info info = {sink};
    if (id < 0 || H5Iget_type(id) != H5I_VFL) id = H5FDregister(&driver);
    return id >= 0 && H5Pset_driver(list, id, &info) >= 0;
}
