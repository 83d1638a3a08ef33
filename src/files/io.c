/* Binary files for readers and writers: stdio, with one status and one message per failure.
 *
 * Every read and write calls rw_fault_hit first, so that a test can make the n-th one fail. */
#include "files/io.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

size_t rw_io_real_size(rw_dtype type) { return rw_dtype_size(type) / (rw_dtype_is_complex(type) ? 2 : 1); }

rw_dtype rw_io_type(size_t real_size, bool is_complex)
{
    return real_size == 4 ? is_complex ? RW_C64 : RW_F32 : is_complex ? RW_C128 : RW_F64;
}

bool rw_io_bytes(int rank, const size_t *shape, size_t element, size_t *bytes)
{
    *bytes = 0;
    for (int a = 0; a < rank; a++)
        if (shape[a] == 0) return true;
    size_t n = element;
    for (int a = 0; a < rank; a++)
        if (__builtin_mul_overflow(n, shape[a], &n)) return false;
    if (n > SIZE_MAX / 2) return false;
    *bytes = n;
    return true;
}

rw_status rw_io_open(rw_context *ctx, const char *path, rw_io_file *s)
{
    *s = (rw_io_file){.ctx = ctx, .path = path};
    struct stat info;
    s->file = rw_fopen(path, "rb");
    if (!s->file || fstat(fileno(s->file), &info) != 0) {
        rw_status status = rw_fail(ctx, RW_ERR_FILE, "%s: cannot be opened: %s", path, strerror(errno));
        rw_io_close(s);
        return status;
    }
    if (!S_ISREG(info.st_mode)) {
        rw_io_close(s);
        return rw_fail(ctx, RW_ERR_FILE, "%s: is not a regular file: give the name of a file", path);
    }
    s->size = (uint64_t)info.st_size;
    return RW_OK;
}

rw_status rw_io_open_memory(rw_context *ctx, const char *name, const void *bytes, size_t n, rw_io_file *s)
{
    *s = (rw_io_file){.ctx = ctx, .path = name, .size = n};
    s->file = fmemopen((void *)(uintptr_t)bytes, n, "rb"); /* read only: the cast takes away const alone */
    if (!s->file) return rw_fail_memory(ctx, n, name);
    return RW_OK;
}

rw_status rw_io_read(rw_io_file *s, void *bytes, size_t n, const char *what)
{
    errno = 0;
    if (rw_fault_hit(RW_FAULT_READ) || (n > 0 && fread(bytes, 1, n, s->file) != n && ferror(s->file)))
        return rw_fail(s->ctx, RW_ERR_FILE, "%s: reading %s failed: %s", s->path, what, strerror(errno ? errno : EIO));
    if (feof(s->file))
        return rw_fail(s->ctx, RW_ERR_INPUT, "%s: the file ends inside %s: it is truncated, write or copy it again",
                       s->path, what);
    return RW_OK;
}

rw_status rw_io_create(rw_context *ctx, const char *path, rw_io_file *s)
{
    *s = (rw_io_file){.ctx = ctx, .path = path};
    RW_TRY(rw_file_replace_begin(ctx, path, &s->temporary));
    if (!rw_fault_hit(RW_FAULT_WRITE)) s->file = rw_fopen(s->temporary, "wb");
    if (s->file) return RW_OK;
    int reason = errno ? errno : EIO;
    rw_status status =
        rw_fail(ctx, RW_ERR_FILE, "%s: cannot be created: %s: %s", path, strerror(reason), rw_file_advice(reason));
    rw_io_close(s);
    return status;
}

static rw_status fail_write(const rw_io_file *s)
{
    int reason = errno ? errno : EIO;
    return rw_fail(s->ctx, RW_ERR_FILE, "%s: writing failed: %s: %s", s->path, strerror(reason),
                   rw_file_advice(reason));
}

rw_status rw_io_write(rw_io_file *s, const void *bytes, size_t n)
{
    errno = 0;
    if (rw_fault_hit(RW_FAULT_WRITE) || (n > 0 && fwrite(bytes, 1, n, s->file) != n)) return fail_write(s);
    return RW_OK;
}

rw_status rw_io_commit(rw_io_file *s)
{
    errno = 0;
    bool bad = rw_fault_hit(RW_FAULT_WRITE) || fflush(s->file) != 0;
    bad = fclose(s->file) != 0 || bad;
    s->file = NULL;
    rw_status status = RW_OK;
    if (bad) status = fail_write(s);
    else status = rw_file_replace_commit(s->ctx, s->path, &s->temporary);
    rw_io_close(s);
    return status;
}

void rw_io_close(rw_io_file *s)
{
    if (s->file) fclose(s->file);
    s->file = NULL;
    if (s->temporary) rw_file_replace_discard(&s->temporary);
}

void rw_io_add_xml(rw_text *text, const char *value)
{
    for (const char *c = value; *c; c++) {
        switch (*c) {
        case '<': rw_text_add_bytes(text, "&lt;", 4); break;
        case '>': rw_text_add_bytes(text, "&gt;", 4); break;
        case '&': rw_text_add_bytes(text, "&amp;", 5); break;
        case '"': rw_text_add_bytes(text, "&quot;", 6); break;
        default: rw_text_add_bytes(text, (unsigned char)*c < 32 ? "?" : c, 1);
        }
    }
}
